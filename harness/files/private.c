#include "harness/files/private.h"

#include <ctype.h>
#include <limits.h>
#include <pthread.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is to be left out, and what stands in its place: folders, then names. */
static struct {
  char *text;
  bool folder;
} secrets[8];
static int n_secrets;

static void keep(const char *text, size_t length, bool folder) {
  char *copy = strndup(text, length);
  if (!copy) return;
  secrets[n_secrets].text = copy;
  secrets[n_secrets++].folder = folder;
}

static void add_folder(const char *path) {
  size_t length = path ? strlen(path) : 0;
  while (length > 1 && path[length - 1] == '/')
    length--;
  if (length > 1 && path[0] == '/') keep(path, length, true);
}

/* Under its name, and where links lead. */
static void add_home(const char *path) {
  char *real = path ? realpath(path, NULL) : NULL;
  add_folder(path);
  add_folder(real);
  free(real);
}

static void add_name(const char *name) {
  if (name && *name && !strchr(name, '/')) keep(name, strlen(name), false);
}

/* Of the machine's own file first: where memory is short, the C library's services abort. */
static const struct passwd *find_user(void) {
  static struct passwd room;
  static char texts[4096];
  struct passwd *user = NULL;
  FILE *file = fopen("/etc/passwd", "re");
  while (file && fgetpwent_r(file, &room, texts, sizeof texts, &user) == 0)
    if (user->pw_uid == getuid()) break;
  if (file) fclose(file);
  return user && user->pw_uid == getuid() ? user : getpwuid(getuid());
}

static void find_secrets(void) {
  const struct passwd *user = find_user();
  add_home(getenv("HOME"));
  add_home(user ? user->pw_dir : NULL);
  add_name(user ? user->pw_name : NULL);
  add_name(getenv("USER"));
  add_name(getenv("LOGNAME"));
}

static bool in_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* The secret that begins at text[at], whole; -1: none. */
static int find(const char *text, size_t at) {
  for (int s = 0; s < n_secrets; s++) {
    size_t length = strlen(secrets[s].text);
    char before = at > 0 ? text[at - 1] : '\0';
    if (strncmp(text + at, secrets[s].text, length) == 0 && !in_name(text[at + length]) &&
        (secrets[s].folder ? !in_name(before) : before == '/'))
      return s;
  }
  return -1;
}

char *dcs_without_user(const char *text, char *to, size_t size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  size_t used = 0;
  pthread_once(&once, find_secrets);
  for (size_t at = 0; text[at] && used + 1 < size;) {
    int s = find(text, at);
    const char *put = s < 0 ? text + at : secrets[s].folder ? "~" : "USER";
    size_t length = s < 0 ? 1 : strlen(put);
    if (used + length >= size) break;
    memcpy(to + used, put, length);
    used += length;
    at += s < 0 ? 1 : strlen(secrets[s].text);
  }
  to[used] = '\0';
  return to;
}

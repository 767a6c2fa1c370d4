/* Loops of a kernel, found in the text of its instructions. */
#include "harness/explain/instructions.h"

#include "harness/base/grow.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 48 };

typedef struct {
  char name[NAME];
  char target[NAME]; /* of a branch: a label */
  int loaded;        /* bytes, of a thread, not of its kernel's arguments */
} instruction;

typedef struct {
  char name[NAME];
  int at; /* the instruction behind it */
} label;

typedef struct {
  bool machine;
  instruction *code;
  int n;
  label *labels;
  int n_labels;
} kernel;

/* From the target of a branch back to the branch, both included. */
typedef struct {
  int first, last;
} interval;

static void free_kernel(kernel *k) {
  free(k->code);
  free(k->labels);
}

/* Copies what ends before any of `ends`; cut where it is too long. */
static void copy_text(char *text, size_t size, const char *from, const char *ends) {
  snprintf(text, size, "%.*s", (int)strcspn(from, ends), from);
}
static void copy_word(char word[NAME], const char *from, const char *ends) {
  copy_text(word, NAME, from, ends);
}

/* ---- reading ---- */

/* Of a branch, where it goes: "BRA `(.L_x_2)", "bra $L__BB0_3". */
static void read_target(const char *operands, char target[NAME]) {
  const char *at = strpbrk(operands, "`$");
  if (at) copy_word(target, at[0] == '`' ? at + 2 : at, ");, \t\n");
}

/* What a load loads from where inputs may be; arguments lie in bank 0 of constant memory. */
static int loaded_by(const char *name, dcs_pipe pipe, const char *operands, bool machine) {
  const bool input = pipe == DCS_PIPE_LOAD_CONSTANT || pipe == DCS_PIPE_LOAD_GLOBAL ||
                     pipe == DCS_PIPE_LOAD_SHARED;
  char text[80];
  copy_text(text, sizeof text, operands, ";\n");
  if (!input || strstr(text, "c[0x0]") || strstr(name, ".param")) return 0;
  return dcs_loaded_bytes(name, machine);
}

/* An instruction, from its predicate on. */
static dcs_status read_instruction(kernel *k, const char *at) {
  instruction i = {.loaded = 0};
  int operations;
  if (*at == '@') {
    at += strcspn(at, " \t");
    at += strspn(at, " \t");
  }
  copy_word(i.name, at, " \t;\n");
  if (strcmp(i.name, "NOP") == 0) return DCS_OK; /* fills the space behind the end */
  const dcs_pipe pipe = dcs_pipe_of(i.name, k->machine, &operations);
  const char *operands = at + strlen(i.name);
  if (pipe == DCS_PIPE_BRANCH) read_target(operands, i.target);
  i.loaded = loaded_by(i.name, pipe, operands, k->machine);
  DCS_TRY(dcs_grow(&k->code, (size_t)k->n, sizeof *k->code, "instructions"));
  k->code[k->n++] = i;
  return DCS_OK;
}

static dcs_status read_label(kernel *k, const char *at) {
  DCS_TRY(dcs_grow(&k->labels, (size_t)k->n_labels, sizeof *k->labels, "labels"));
  copy_word(k->labels[k->n_labels].name, at, ":");
  k->labels[k->n_labels++].at = k->n;
  return DCS_OK;
}

/* A line of SASS: an address between comment signs, then "@P0 LDC R30, c[0x0][0x224] ;"; or a
 * label, ".L_x_2:". Others are left out. */
static dcs_status read_machine_line(kernel *k, const char *line) {
  if (line[0] == '.' && line[1] == 'L' && memchr(line, ':', strcspn(line, "\n")))
    return read_label(k, line);
  if (line[0] != '/' || line[1] != '*') return DCS_OK;
  const char *end = line + 2 + strspn(line + 2, "0123456789abcdef");
  if (end == line + 2 || end[0] != '*' || end[1] != '/') return DCS_OK;
  return read_instruction(k, end + 2 + strspn(end + 2, " \t{"));
}

/* A line of PTX: "@%p1 bra $L__BB0_3;", "$L__BB0_3:"; directives and brackets are left out. */
static dcs_status read_ptx_line(kernel *k, const char *line) {
  const size_t length = strcspn(line, "\n");
  if (line[0] == '$' && memchr(line, ':', length)) return read_label(k, line);
  if (line[0] != '@' && !islower((unsigned char)line[0])) return DCS_OK;
  return memchr(line, ';', length) ? read_instruction(k, line) : DCS_OK;
}

/* Whether the line begins a function, and then whether it is the kernel. */
static bool begins_function(bool machine, const char *line, bool *is_kernel) {
  const char *start = machine ? ".section\t.text." : ".entry ";
  char text[160];
  copy_text(text, sizeof text, line, "\n");
  const char *at = strstr(text, start);
  if (at) at += strlen(start);
  if (at) *is_kernel = strncmp(at, "dcs", 3) == 0 && (at[3] == ',' || at[3] == '(');
  return at || (!machine && strstr(text, ".func "));
}

static dcs_status read_kernel(const char *text, kernel *k) {
  bool inside = false;
  dcs_status status = DCS_OK;
  while (*text && status == DCS_OK) {
    const char *line = text + strspn(text, " \t");
    text += strcspn(text, "\n");
    text += *text == '\n';
    if (begins_function(k->machine, line, &inside)) continue;
    if (!inside) continue;
    status = k->machine ? read_machine_line(k, line) : read_ptx_line(k, line);
  }
  DCS_TRY(status);
  return k->n > 0 ? DCS_OK : dcs_fail(DCS_FAILED, "found no kernel dcs in the compiled code");
}

/* ---- loops ---- */

/* The instruction that a branch goes to; -1: it is not in the kernel. */
static int target_of(const kernel *k, const char *target) {
  for (int l = 0; l < k->n_labels; l++)
    if (strcmp(k->labels[l].name, target) == 0) return k->labels[l].at;
  return -1;
}

/* All loops, of those that begin at one instruction the longest. The trap behind a kernel's end, a
 * branch to itself, is none. */
static dcs_status find_loops(const kernel *k, interval **loops, int *n) {
  *loops = NULL;
  *n = 0;
  for (int i = 0; i < k->n; i++) {
    const int first = *k->code[i].target ? target_of(k, k->code[i].target) : -1;
    if (first < 0 || first >= i) continue;
    int l = 0;
    while (l < *n && (*loops)[l].first != first)
      l++;
    if (l == *n) {
      DCS_TRY(dcs_grow(loops, (size_t)*n, sizeof **loops, "loops"));
      (*n)++;
    }
    (*loops)[l] = (interval){first, i};
  }
  return DCS_OK;
}

static bool has_loop_inside(const interval *loops, int n, int l) {
  for (int o = 0; o < n; o++)
    if (o != l && loops[o].first >= loops[l].first && loops[o].last <= loops[l].last) return true;
  return false;
}

static dcs_inner_loop count(const kernel *k, interval in) {
  dcs_inner_loop loop = {.instructions = in.last - in.first + 1};
  for (int i = in.first; i <= in.last; i++) {
    int operations;
    loop.count[dcs_pipe_of(k->code[i].name, k->machine, &operations)]++;
    loop.fp32_operations += operations;
    loop.loaded_bytes += k->code[i].loaded;
  }
  return loop;
}

static bool better(const dcs_inner_loop *a, const dcs_inner_loop *b) {
  static const dcs_pipe telling[] = {DCS_PIPE_TENSOR, DCS_PIPE_SFU};
  for (int p = 0; p < 2; p++) {
    const bool has[] = {a->count[telling[p]] > 0, b->count[telling[p]] > 0};
    if (has[0] != has[1]) return has[0];
  }
  return a->instructions > b->instructions;
}

static dcs_status choose_loop(const kernel *k, dcs_inner_loop *loop) {
  interval *loops;
  int n;
  *loop = (dcs_inner_loop){0};
  dcs_status status = find_loops(k, &loops, &n);
  for (int l = 0; status == DCS_OK && l < n; l++) {
    if (has_loop_inside(loops, n, l)) continue;
    const dcs_inner_loop counted = count(k, loops[l]);
    if (better(&counted, loop)) *loop = counted;
  }
  free(loops);
  return status;
}

dcs_status dcs_find_inner_loop(const char *text, bool machine, dcs_inner_loop *loop) {
  kernel k = {.machine = machine};
  dcs_status status = read_kernel(text, &k);
  if (status == DCS_OK) status = choose_loop(&k, loop);
  if (status == DCS_OK) {
    const dcs_inner_loop whole = count(&k, (interval){0, k.n - 1});
    loop->whole = whole.instructions;
    loop->whole_local = whole.count[DCS_PIPE_LOAD_LOCAL] + whole.count[DCS_PIPE_STORE_LOCAL];
  }
  free_kernel(&k);
  return status;
}

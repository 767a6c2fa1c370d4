/* An open file of which threads read parts at once, each where it likes. It is closed when the last
 * who holds it has let go. */
#ifndef DCS_SHARED_FILE_H
#define DCS_SHARED_FILE_H

#include <stdint.h>
#include <sys/types.h>

typedef struct dcs_shared_file dcs_shared_file;

/* The file of a descriptor, which stays the caller's, held once; NULL where memory or descriptors
 * are short. */
dcs_shared_file *dcs_shared_file_open(int descriptor);
dcs_shared_file *dcs_shared_file_hold(dcs_shared_file *file);
void dcs_shared_file_let_go(dcs_shared_file *file); /* NULL is fine */

/* Bytes that it has now. */
uint64_t dcs_shared_file_size(const dcs_shared_file *file);
/* Says that so many bytes from `at` on will be read soon. */
void dcs_shared_file_ahead(const dcs_shared_file *file, uint64_t at, size_t bytes);
/* Copies bytes from byte `at` on; returns how many, fewer where the file ends, or -1 and errno. */
ssize_t dcs_shared_file_read(const dcs_shared_file *file, uint64_t at, void *to, size_t bytes);

#endif

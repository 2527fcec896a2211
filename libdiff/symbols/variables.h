/*
 * Members of variables: a word of `static struct shop shop` is called shop.sessions, as that member is.
 */
#ifndef HSD_SYMBOLS_VARIABLES_H
#define HSD_SYMBOLS_VARIABLES_H

#include "base/buffer.h"
#include "symbols/lines.h"

/*
 * Appends ".sessions" for the word at an address of the image that is in a variable whose type is a structure; nothing
 * where none is known. The first call reads all entries that variables stand between, those in functions too: some 50
 * ns each. 24 bytes a variable, 2^18 variables at most. HSD_E_NOMEM.
 */
hsd_status hsd_variable_append_member(hsd_lines *lines, uint64_t address, hsd_buffer *out, hsd_error *err);

/* The same of a variable that each thread has, by how far behind the first of them the word is. */
hsd_status hsd_variable_append_thread_member(hsd_lines *lines, uint64_t offset, hsd_buffer *out, hsd_error *err);

#endif

/*
 * Names that end in a place of code, "Function removeFiles (process_listeners.cjs:11)", in fewer columns: what the
 * function is called and the line are worth more than the middle of the name of the file.
 *
 *      Function removeFiles (process_listeners.cjs:11)       46 columns
 *      removeFiles (process_listeners.cjs:11)                38: that it is a function can be seen
 *      removeFiles (proc…ers.cjs:11)                         30: the file, as far as must be
 *      removeFiles (…:11)                                    18
 *      removeFiles                                           12
 */
#ifndef HSD_REPORT_CODE_NAMES_H
#define HSD_REPORT_CODE_NAMES_H

#include <stddef.h>

/* Writes the first of these that fits, else the last, to `out`, which has room for the name and two marks. Returns its
 * bytes; 0: the name is no such name. */
size_t hsd_code_cut(const char *name, size_t size, size_t width, const char *mark, size_t mark_size, char *out);

#endif

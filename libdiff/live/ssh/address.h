/*
 * Addresses of programs on other machines, and the command lines that are made of them.
 */
#ifndef HSD_LIVE_SSH_ADDRESS_H
#define HSD_LIVE_SSH_ADDRESS_H

#include <hsdiff/remote.h>

/* "%20" and the like into bytes, in place. False: a "%" without two digits behind it, or "%00". */
bool hsd_percent_decode(char *text);

/* Control characters and "%" as "%20" and the like, cut to `size` with its NUL. */
void hsd_percent_encode(char *out, size_t size, const char *text);

/*
 * The command line for the shell there: `command` as it stands, then each word in single quotes, which no shell looks
 * into. The caller frees it; NULL: no memory.
 */
char *hsd_remote_line(const char *command, const char *const *words, size_t count);

/* "[user@]host", as it is told. */
void hsd_remote_call(const hsd_remote *at, char *out, size_t size);

#endif

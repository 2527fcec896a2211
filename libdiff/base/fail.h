/*
 * Failures that every stage has, in one wording.
 */
#ifndef HSD_BASE_FAIL_H
#define HSD_BASE_FAIL_H

#include <hsdiff/status.h>

/* HSD_E_NOMEM: "out of memory for <what>". `what` says what the memory was for ("the tables of a capture"). */
hsd_status hsd_fail_nomem(hsd_error *err, const char *what);

#endif

/* Small files of /proc, read without malloc and stdio. */
#ifndef HSN_PROC_H
#define HSN_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/world.h"

/* The decimal number at the beginning; 0 if there is none. */
int hsn_proc_number(const char *text);

enum { HSN_PROC_PATH = 80 };

/* "/proc/PID/FILE" or "/proc/PID/task/TID/FILE"; pid 0 = "self", tid 0 = the process. `file` has at most 31 bytes. */
void hsn_proc_path(char out[HSN_PROC_PATH], int pid, int tid, const char *file);

/* Cut to 15 bytes; "" when it is not to be had. `pid` 0 = the calling process. */
void hsn_proc_thread_name(int pid, int tid, char out[16]);

/* Does this thread block the signal because its program says so? Not when glibc blocks all for a moment, in a fork or a
 * new thread. */
bool hsn_proc_blocks(int tid, int signal);

/* Writes a short text into a file that exists. */
void hsn_proc_put(const char *path, const char *text);

/* The mapping that holds `address`; 0,0 = none. */
hsn_range hsn_proc_mapping(uintptr_t address);

#endif

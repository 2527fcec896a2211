/*
 * How much memory the program's cgroup has left, watched by the child of a snapshot. Pages that the program writes
 * meanwhile are copied, and the copies count against the cgroup of both. Nearly out of room the walk gives all memory
 * of the heap back and ends in order: a cut capture that says why. What goes faster than that is left to the OOM
 * killer, which is told to take the child; for the child to end by itself then would be wrong: until its memory is gone
 * there would be nobody left to kill but the program.
 */
#ifndef HSN_ROOM_H
#define HSN_ROOM_H

#include <signal.h>

/*
 * Looks every 2 ms, by a timer whose signal (SIGALRM) this process takes for itself. What is returned becomes 1 when a
 * quarter of the room that there was is left, or 16 MiB if that is less. NULL where the cgroup has no limit, or none
 * that can be read. For the child alone: no malloc, no locks.
 */
const volatile sig_atomic_t *hsn_room_watch(void);

#endif

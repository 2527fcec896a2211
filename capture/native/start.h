/* The agent as a whole: its beginning, its thread, and its life across forks. */
#ifndef HSN_START_H
#define HSN_START_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the settings and takes all address space that the agent needs to record. In the first allocation, or before. */
bool hsn_open_all(void);

/*
 * In the child of a fork, where the agent's thread is not: is it time to start it, and may the code at `caller`, which
 * asks for memory, be interrupted for that? Not ld.so, and not libc, which may be starting a thread itself. Cheap where
 * nothing is due.
 */
bool hsn_listen_is_due(uintptr_t caller);

/* Starts the agent's thread in such a child, whatever the time. Nothing elsewhere. */
void hsn_listen_if_due(void);

/* Tid of the agent's thread, 0 = none: it is not part of the program. */
int hsn_agent_tid(void);

#endif

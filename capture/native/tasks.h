/*
 * The threads of the process as the kernel lists them, while they are being stopped: one list, which both ways of
 * stopping fill (stop.h). Threads may come and go until all stand still, so the list is read again and again until a
 * whole reading has nobody new.
 */
#ifndef HSN_TASKS_H
#define HSN_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/world.h"

/* Where a thread is when it is let go: where it stopped, or under way to its call or in it, watched while its socket
 * has another time. */
typedef enum hsn_task_way { HSN_TASK_STANDS, HSN_TASK_ENTERS, HSN_TASK_IS_IN } hsn_task_way;

/* What is known of a thread under way to its stop, apart from its registers. */
typedef struct hsn_task {
    _Atomic uint32_t answered; /* generation: it stands still */
    bool is_asked;             /* to stop */
    bool is_deaf;              /* it cannot be stopped: it is not waited for */
    bool is_gone;
    bool is_signalled; /* by a signal: calls that wait may have ended early */
    int signal;        /* the tracer holds this signal of the program's back, 0 = none */
    /* when it went to sleep in its system call (hsa_now_ns); 0 = not known, or in none whose timeout matters */
    uint64_t asleep_since_ns;
    uint64_t sleeps; /* then: how often it had gone to sleep in all its life */
    hsn_task_way way;
    const struct hsn_call *call; /* of that socket, for who is let go there */
    uint64_t rest_ns;            /* what its call has left of the time of its socket; 0 = nothing of that kind */
} hsn_task;

typedef struct hsn_tasks {
    hsn_thread *threads;
    hsn_task *tasks;
    size_t count;
    uint32_t generation; /* of this stop: not 0, and another each time */
} hsn_tasks;

extern hsn_tasks hsn_list;

/* Takes the address space. Once. */
bool hsn_tasks_open(void);

/* Begins a new stop with an empty list. */
void hsn_tasks_begin(void);

/* Adds who is new in the list of process `pid`, but for two threads; how many these are. */
size_t hsn_tasks_look(int pid, int self, int agent);

/* Adds one thread of process `pid`; false when it is there already, or there is no room. */
bool hsn_tasks_add(int pid, int tid);

/* Takes out who is gone, marks who stands still, and counts the others, with those that the list had no room for. */
uint64_t hsn_tasks_settle(int pid);

/* In a child of a fork. */
void hsn_tasks_forget(void);

bool hsn_task_stands(size_t index);
bool hsn_task_is_gone(int pid, int tid);

#endif

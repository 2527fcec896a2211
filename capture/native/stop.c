/* Stopping threads (stop.h): which way, and the thread that asks. */
#include "native/stop.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "native/gate.h"
#include "native/local.h"
#include "native/registers.h"
#include "native/settings.h"
#include "native/stop_signal.h"
#include "native/stop_trace.h"
#include "native/tasks.h"
#include "native/threads.h"

static bool is_traced; /* this stop's way */

bool hsn_stop_open(void) { return hsn_tasks_open() && hsn_trace_open(); }

/* ---- in a thread that was inside the table ---- */

void hsn_stop_again(void)
{
    const int before = errno;
    const uint64_t ticket = hsn_me.pending;
    const uint32_t generation = hsn_ticket_generation(ticket);
    hsn_me.pending = 0;
    if (generation == hsn_gate()) {
        if (is_traced)
            hsn_gate_wait(generation);
        else
            hsn_signal_obey(ticket);
    }
    errno = before;
}

void hsn_stop_aside(void)
{
    const int depth = hsn_me.critical;
    hsn_me.critical = 0;
    atomic_signal_fence(memory_order_seq_cst);
    if (hsn_me.pending != 0) hsn_stop_again();
    atomic_signal_fence(memory_order_seq_cst);
    hsn_me.critical = depth;
}

/* ---- in the thread that asks ---- */

/* The thread that asks, as it was when it asked. */
static void add_self(int tid, const ucontext_t *context)
{
    if (context == NULL || !hsn_tasks_add(getpid(), tid)) return;
    hsn_thread *t = &hsn_list.threads[hsn_list.count - 1];
    hsn_registers_of_signal(t, context);
    if (t->tls.high == 0) t->tls = hsn_thread_tls();
    t->is_stopped = true;
}

static uint64_t count_signalled(void)
{
    uint64_t count = 0;
    for (size_t i = 0; i < hsn_list.count; i++)
        count += hsn_list.tasks[i].is_signalled;
    return count;
}

static bool try_trace(int self, int agent, uint64_t *began_ns)
{
    is_traced = true;
    hsn_tasks_begin();
    if (hsn_trace_stop(self, agent, began_ns)) return true;
    hsn_gate_open();
    is_traced = false;
    return false;
}

static const char *stop(int self, int agent, uint64_t *began_ns)
{
    if (hsn_set.stop != HSN_STOP_SIGNAL && try_trace(self, agent, began_ns)) return NULL;
    is_traced = false;
    if (hsn_set.stop == HSN_STOP_TRACE)
        return "the threads of the program may not be traced here, and HSDIFF_NATIVE=stop=trace forbids to stop them "
               "by a signal";
    if (!hsn_signal_arm())
        return "the threads of the program may not be traced here, and no signal is free to stop them with; name one: "
               "HSDIFF_NATIVE=signal=N";
    hsn_tasks_begin();
    hsn_signal_stop(self, agent, began_ns);
    return NULL;
}

const char *hsn_stop_all(int agent_tid, const ucontext_t *context, hsn_stopped *out)
{
    const int self = (int)syscall(SYS_gettid);
    const char *why = stop(self, agent_tid, &out->began_ns);
    if (why != NULL) return why;
    out->missed = hsn_tasks_settle(getpid());
    out->signalled = count_signalled();
    add_self(self, context);
    out->threads = hsn_list.threads;
    out->count = hsn_list.count;
    return NULL;
}

void hsn_stop_release(void)
{
    hsn_gate_open();
    if (is_traced) hsn_trace_release();
}

void hsn_stop_adopt(void)
{
    hsn_gate_open();
    hsn_me.pending = 0;
    hsn_tasks_forget();
}

/*
 * From the agent's thread to Ruby's, and back:
 *
 *      agent's thread: ASKED, signal ──► Ruby's main thread, between two instructions: trap ──► HsdiffAgent.answer: WALKING ──► DONE
 *
 * A Ruby that runs no instruction on its main thread (C code that keeps the lock of the VM) does not answer, which is
 * told.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "ruby_agent.h"

#define AGENT_EXPORT __attribute__((visibility("default")))
enum { IDLE, ASKED, WALKING, DONE, PATIENCE_SECONDS = 5 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int state, signal;
    const hsa_request *request;
} here = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* ---- on the agent's thread ---- */

static bool wait_while(int state, const struct timespec *until)
{
    int failed = 0;
    while (here.state == state && failed == 0)
        failed = until == NULL ? pthread_cond_wait(&here.changed, &here.lock)
                               : pthread_cond_timedwait(&here.changed, &here.lock, until);
    return here.state != state;
}

static void serve_ruby_agent(void *context, const hsa_request *request)
{
    (void)context;
    struct timespec until;
    if (request->verb == HSA_FORGET) {
        hsa_refuse(request, "the Ruby agent keeps nothing between captures");
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)hsa_option_number(request, "wait", PATIENCE_SECONDS);
    pthread_mutex_lock(&here.lock);
    here.request = request;
    here.state = ASKED;
    const bool is_taken = kill(getpid(), here.signal) == 0 && wait_while(ASKED, &until);
    if (is_taken) (void)wait_while(WALKING, NULL);
    here.state = IDLE;
    here.request = NULL;
    pthread_mutex_unlock(&here.lock);
    if (!is_taken)
        hsa_refuse(request, "Ruby's main thread ran no instruction for a while: it is in C code that keeps the lock of "
                            "the VM, or the program is ending. Ask again");
}

/* ---- on Ruby's ---- */

static VALUE answer_ruby_agent(VALUE self)
{
    (void)self;
    pthread_mutex_lock(&here.lock);
    const hsa_request *request = here.state == ASKED ? here.request : NULL;
    if (request != NULL) here.state = WALKING;
    pthread_mutex_unlock(&here.lock);
    if (request == NULL) return Qnil;
    const hsc_sink sink = hsa_sink(request);
    const int compression = (int)hsa_option_number(request, "compression", 1);
    /* what goes wrong is in the capture, or cuts it */
    if (hsa_accept(request)) (void)walk_all(&sink, compression);
    pthread_mutex_lock(&here.lock);
    here.state = DONE;
    pthread_cond_broadcast(&here.changed);
    pthread_mutex_unlock(&here.lock);
    return Qnil;
}

/* The last realtime signal that nobody uses; 0 = none. */
static int find_signal(void)
{
    struct sigaction known;
    for (int number = SIGRTMAX - 3; number > SIGRTMIN; number--)
        if (sigaction(number, NULL, &known) == 0 && known.sa_handler == SIG_DFL) return number;
    return 0;
}

static void begin_child(void)
{
    hsa_after_fork();
    here.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    here.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    here.state = IDLE;
}

/* The number of the signal to trap, or 0: this process cannot be asked. */
static VALUE listen_now_in_ruby_agent(VALUE self)
{
    static const hsa_agent agent = {.name = "ruby", .serve = serve_ruby_agent};
    static bool has_handler;
    (void)self;
    if (!has_handler && pthread_atfork(NULL, NULL, begin_child) != 0) return INT2FIX(0);
    has_handler = true;
    if (here.signal == 0) here.signal = find_signal();
    const int failed = here.signal == 0 ? EBUSY : hsa_listen(&agent);
    return INT2FIX(failed == 0 ? here.signal : 0);
}

AGENT_EXPORT void Init_hsdiff_agent(void);

void Init_hsdiff_agent(void)
{
    const VALUE module = rb_define_module("HsdiffAgent");
    rb_define_singleton_method(module, "listen", listen_now_in_ruby_agent, 0);
    rb_define_singleton_method(module, "answer", answer_ruby_agent, 0);
}

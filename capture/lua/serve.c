/*
 * From the agent's thread to the VM's. Lua may only be used by its own thread, and only between two of its
 * instructions:
 *
 *      agent's thread: ASKED, signal ──► handler on the VM's thread: lua_sethook ──► next instruction: hook ──► WALKING ──► DONE
 *
 * lua_sethook is made to be called from a signal handler of its own thread, and from no other thread: it writes into
 * the frames. A VM that executes no instruction (it waits in C, or runs in machine code that never leaves a loop) does
 * not answer, which is told.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lua_agent.h"

enum { IDLE, ASKED, WALKING, DONE, PATIENCE_SECONDS = 5 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int state;
    const hsa_request *request;
    lua_State *_Atomic L;
    pid_t thread;
    int signal;
    /* What the program had in place of our hook: written by the handler, read by the hook, both on the VM's thread. */
    lua_Hook hook;
    int mask, count;
    volatile sig_atomic_t is_hooked;
    bool is_listening;
} here = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* ---- on the VM's thread ---- */

/* Answers who asks, if someone does, on the thread that owns the VM. */
static void answer_lua_server(lua_State *L, bool is_hooked)
{
    pthread_mutex_lock(&here.lock);
    const hsa_request *request = here.state == ASKED ? here.request : NULL;
    if (request != NULL) here.state = WALKING;
    pthread_mutex_unlock(&here.lock);
    if (request == NULL) return;
    const hsc_sink sink = hsa_sink(request);
    const int compression = (int)hsa_option_number(request, "compression", 1);
    /* what goes wrong is in the capture, or cuts it */
    if (hsa_accept(request)) (void)walk_all(L, &sink, compression, is_hooked);
    pthread_mutex_lock(&here.lock);
    here.state = DONE;
    pthread_cond_broadcast(&here.changed);
    pthread_mutex_unlock(&here.lock);
}

static void on_hook(lua_State *L, lua_Debug *frame)
{
    (void)frame;
    if (here.is_hooked) {
        here.is_hooked = 0;
        lua_sethook(L, here.hook, here.mask, here.count);
    } else {
        lua_sethook(L, NULL, 0, 0); /* a copy in a coroutine that was made meanwhile */
    }
    answer_lua_server(L, true);
}

void serve_poll(lua_State *L) { answer_lua_server(L, false); }

static void on_signal(int number)
{
    (void)number;
    lua_State *L = here.L;
    /* A hook of the program may have taken the place of ours meanwhile. */
    if (L == NULL || (here.is_hooked && lua_gethook(L) == on_hook)) return;
    here.hook = lua_gethook(L);
    here.mask = lua_gethookmask(L);
    here.count = lua_gethookcount(L);
    here.is_hooked = 1;
    lua_sethook(L, on_hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
}

/* ---- on the agent's thread ---- */

static bool wait_while(int state, const struct timespec *until)
{
    int failed = 0;
    while (here.state == state && failed == 0)
        failed = until == NULL ? pthread_cond_wait(&here.changed, &here.lock)
                               : pthread_cond_timedwait(&here.changed, &here.lock, until);
    return here.state != state;
}

static void serve_lua_server(void *context, const hsa_request *request)
{
    (void)context;
    struct timespec until;
    if (request->verb == HSA_FORGET) {
        hsa_refuse(request, "the Lua agent keeps nothing between captures");
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)hsa_option_number(request, "wait", PATIENCE_SECONDS);
    pthread_mutex_lock(&here.lock);
    here.request = request;
    here.state = ASKED;
    const bool is_sent = here.L != NULL && syscall(SYS_tgkill, getpid(), here.thread, here.signal) == 0;
    const bool is_taken = is_sent && wait_while(ASKED, &until);
    if (is_taken) (void)wait_while(WALKING, NULL);
    here.state = IDLE;
    here.request = NULL;
    pthread_mutex_unlock(&here.lock);
    if (!is_sent)
        hsa_refuse(request, "the thread that ran Lua has ended");
    else if (!is_taken)
        hsa_refuse(
            request,
            "Lua executed no instruction for a while: it waits in C, is in a coroutine that was running before, or "
            "runs "
            "compiled code that never leaves its loop. Ask again, or have the program call hsdiff.poll() now and then");
}

/* ---- listening ---- */

/* The first realtime signal that nobody uses. */
static int take_signal(void)
{
    struct sigaction known, mine = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigfillset(&mine.sa_mask);
    for (int number = SIGRTMAX - 3; number > SIGRTMIN; number--) {
        if (sigaction(number, NULL, &known) != 0 || known.sa_handler != SIG_DFL) continue;
        if (sigaction(number, &mine, NULL) == 0) return number;
    }
    return 0;
}

static lua_State *main_thread(lua_State *L)
{
#if LUA_HAS_REGISTRY_GLOBALS
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    lua_State *main = lua_tothread(L, -1);
    lua_pop(L, 1);
    return main != NULL ? main : L;
#else
    return L;
#endif
}

/* A child has the state, and neither the thread nor what it may have been in the middle of. It may listen again. */
static void begin_child(void)
{
    hsa_after_fork();
    here.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    here.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    here.state = IDLE;
    here.is_listening = false;
}

int serve_listen(lua_State *L)
{
    static const hsa_agent agent = {.name = "lua", .serve = serve_lua_server};
    static bool has_handler;
    if (here.is_listening) return EALREADY;
    if (!has_handler && pthread_atfork(NULL, NULL, begin_child) != 0) return ENOMEM;
    has_handler = true;
    here.L = main_thread(L);
    here.thread = (pid_t)syscall(SYS_gettid);
    if (here.signal == 0) here.signal = take_signal();
    if (here.signal == 0) return EBUSY;
    const int failed = hsa_listen(&agent);
    here.is_listening = failed == 0;
    return failed;
}

void serve_stop(void)
{
    /* The VM may be ending in this very thread: who waits for its hook must not wait for ever. */
    here.L = NULL;
    pthread_mutex_lock(&here.lock);
    if (here.state == ASKED) here.state = DONE;
    pthread_cond_broadcast(&here.changed);
    pthread_mutex_unlock(&here.lock);
    if (here.is_listening) hsa_stop();
    here.is_listening = false;
    if (here.signal != 0) signal(here.signal, SIG_IGN); /* the handler may be unloaded behind this */
    here.signal = 0;
}

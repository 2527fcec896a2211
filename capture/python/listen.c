/*
 * The agent that stays in a program: a thread at a socket (agent.h), which takes the interpreter's lock when it is
 * asked and gives it back behind the capture. It is no thread of Python's in between, and it is not there while the
 * program forks: Python counts threads then, and warns.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "listen.h"
#include "python_agent.h"

static struct {
    int (*take_lock)(void);
    void (*give_lock)(int);
    void *(*leave)(void);
    void (*come_back)(void *);
    bool has_handler, is_listening;
} here;

static bool find_listen(const char *name, void *to)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    if (address != NULL) memcpy(to, &address, sizeof address);
    return address != NULL;
}

static bool find_all(void)
{
    return find_listen("PyGILState_Ensure", &here.take_lock) && find_listen("PyGILState_Release", &here.give_lock) &&
           find_listen("PyEval_SaveThread", &here.leave) && find_listen("PyEval_RestoreThread", &here.come_back);
}

static void serve(void *context, const hsa_request *request)
{
    (void)context;
    char error[256];
    const uint64_t compression = hsa_option_number(request, "compression", 1);
    const hspy_options options = {
        .struct_bytes = sizeof options, .compression = (int)compression, .is_stored = compression == 0};
    if (request->verb == HSA_FORGET) {
        hsa_refuse(request, "the Python agent keeps nothing between captures");
        return;
    }
    const int before = here.take_lock();
    /* what goes wrong is in the capture, or cuts it */
    if (hsa_accept(request)) (void)hspy_capture(request->fd, &options, error, sizeof error);
    here.give_lock(before);
}

static void begin_child(void)
{
    hsa_after_fork();
    here.is_listening = false;
}

const char *hspy_listen(void)
{
    static const hsa_agent agent = {.name = "python", .serve = serve};
    static char why[192];
    python py;
    if (here.is_listening) return NULL;
    if (!python_find(&py, why, sizeof why)) return why;
    if (!find_all()) return "this Python has no lock that the agent knows";
    if (!here.has_handler && pthread_atfork(NULL, NULL, begin_child) != 0) return "out of memory";
    here.has_handler = true;
    const int failed = hsa_listen(&agent);
    here.is_listening = failed == 0;
    if (failed == 0) return NULL;
    return failed == EADDRINUSE ? "the agent cannot listen: all names for this process are taken"
                                : "the agent cannot listen: no descriptor or no thread is to be had";
}

void hspy_stop(void)
{
    if (!here.is_listening) return;
    here.is_listening = false;
    void *thread = here.leave(); /* a capture under way needs the lock to come to its end */
    hsa_stop();
    here.come_back(thread);
}

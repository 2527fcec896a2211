/*
 * A program whose heap is known: a list of sessions that a global variable holds, made under three functions, and a
 * block that only a waiting thread's stack holds. It captures itself with the native agent, which is linked.
 *
 *      holds FILE
 */
#include <hscapture/native.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SESSIONS = 500, SESSION_BYTES = 208, THREAD_BYTES = 3331 };

typedef struct session {
    struct session *next;
    char rest[SESSION_BYTES - sizeof(struct session *)];
} session;

session *sessions;
static atomic_int is_ready, is_done;

__attribute__((noinline)) void *make_session(void) { return malloc(sizeof(session)); }

__attribute__((noinline)) void keep_session(void)
{
    session *s = make_session();
    s->next = sessions;
    sessions = s;
}

__attribute__((noinline)) void serve_requests(int count)
{
    for (int i = 0; i < count; i++)
        keep_session();
}

__attribute__((noinline)) void *hold_one(void *unused)
{
    char *volatile block = malloc(THREAD_BYTES);
    (void)unused;
    block[0] = 1;
    atomic_store(&is_ready, 1);
    while (!atomic_load(&is_done))
        usleep(1000);
    free(block);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 2) return 2;
    serve_requests(SESSIONS);
    if (pthread_create(&thread, NULL, hold_one, NULL) != 0) return 2;
    while (!atomic_load(&is_ready))
        usleep(1000);
    const int status = hsn_capture(argv[1]);
    if (status != 0) perror("hsn_capture");
    atomic_store(&is_done, 1);
    pthread_join(thread, NULL);
    return status != 0;
}

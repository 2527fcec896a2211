/* A thread that serves for ever keeps its clients in a local variable. */
#include "program.h"

struct client {
    struct client *next;
    long number;
    char name[48];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long wanted, served;

static __attribute__((noinline)) struct client *welcome(long number)
{
    struct client *c = calloc(1, sizeof *c); /* truth: made */
    c->number = number;
    return c;
}

static __attribute__((noinline)) void *serve_clients(void *unused)
{
    struct client *clients = NULL;
    pthread_setname_np(pthread_self(), "server");
    pthread_mutex_lock(&lock);
    for (;;) {
        while (served == wanted)
            pthread_cond_wait(&changed, &lock);
        struct client *c = welcome(served);
        c->next = clients;
        clients = c;
        if (clients->number < 0) break;
        served++;
        pthread_cond_broadcast(&changed);
    }
    return unused;
}

static void setup(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve_clients, NULL) != 0) exit(1);
}

static void plant(long number)
{
    pthread_mutex_lock(&lock);
    wanted = number + 1;
    pthread_cond_broadcast(&changed);
    while (served < wanted)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

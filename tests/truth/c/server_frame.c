/* A server that lives in the frame of the function that runs it; what is put off is never looked at again. */
#include "program.h"

struct request {
    struct request *next;
    long number;
    char path[48];
};

struct queue {
    struct request *head;
    long count;
};

struct server {
    const char *name;
    struct queue done, put_off;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long wanted, served;

static __attribute__((noinline)) void enqueue(struct queue *to, long number)
{
    struct request *r = calloc(1, sizeof *r); /* truth: made */
    r->number = number;
    r->next = to->head;
    to->head = r;
    to->count++;
}

static __attribute__((noinline)) void *run_server(void *unused)
{
    struct server shop = {.name = "shop"};
    pthread_setname_np(pthread_self(), "server");
    pthread_mutex_lock(&lock);
    for (;;) {
        while (served == wanted)
            pthread_cond_wait(&changed, &lock);
        enqueue(&shop.put_off, served);
        enqueue(&shop.done, served);
        struct request *last = shop.done.head;
        shop.done.head = last->next;
        free(last);
        if (shop.put_off.count < 0) break;
        served++;
        pthread_cond_broadcast(&changed);
    }
    return unused;
}

static void setup(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_server, NULL) != 0) exit(1);
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

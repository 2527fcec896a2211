/*
 * What an allocator costs: pairs of malloc and free at the bottom of a stack, some blocks alive at a time. Knows nothing of agents; native.py
 * runs it under each.
 *
 *      bench_agent_pairs THREADS MILLIONS [DEPTH]        prints nanoseconds of a pair: of processor time, which other programs disturb least
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ALIVE = 64 };

static unsigned long pairs;
static unsigned depth = 19; /* with main or the thread's own beginning: 22 frames */
static void *volatile sink;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static __attribute__((noinline)) void work(void)
{
    void *alive[ALIVE] = {0};
    uint32_t random = 1;
    for (unsigned long i = 0; i < pairs; i++) {
        random = random * 1664525 + 1013904223;
        void **slot = &alive[i % ALIVE];
        free(*slot);
        *slot = malloc(16 + (random >> 24));
        sink = *slot;
    }
    for (unsigned i = 0; i < ALIVE; i++)
        free(alive[i]);
}

/* The store behind the call keeps it from becoming a jump. */
static __attribute__((noinline)) void descend(unsigned left)
{
    if (left == 0)
        work();
    else
        descend(left - 1);
    sink = NULL;
}

static void *run(void *elapsed)
{
    const double from = now();
    descend(depth);
    *(double *)elapsed = now() - from;
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    const unsigned threads = (unsigned)strtoul(argv[1], NULL, 10);
    pairs = strtoul(argv[2], NULL, 10) * 1000000;
    if (argc > 3) depth = (unsigned)strtoul(argv[3], NULL, 10);
    pthread_t others[64];
    double elapsed[64], sum = 0;
    if (threads < 1 || threads > 64) return 2;
    for (unsigned i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, run, &elapsed[i]) != 0) return 1;
    run(&elapsed[0]);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    for (unsigned i = 0; i < threads; i++)
        sum += elapsed[i];
    printf("%.1f\n", sum / threads / (double)pairs);
    return 0;
}

/*
 * What an allocator costs: pairs of malloc and free at the bottom of a stack, some blocks alive at a time, freed in no
 * order where they are many. Knows nothing of agents; native.py runs it under each.
 *
 *      bench_agent_pairs THREADS MILLIONS [DEPTH [ALIVE]]
 *
 * prints nanoseconds of a pair: of processor time, which other programs disturb least; ALIVE by each thread, filled
 * before.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FEW = 64 };

static unsigned long pairs, alive_blocks = FEW;
static unsigned depth = 19; /* with main or the thread's own beginning: 22 frames */
static void *volatile sink;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static __attribute__((noinline)) void work(double *from)
{
    void **alive = calloc(alive_blocks, sizeof *alive);
    uint32_t random = 1;
    if (alive == NULL) exit(1);
    for (unsigned long i = 0; i < alive_blocks; i++)
        alive[i] = malloc(16 + i % 256);
    *from = now();
    for (unsigned long i = 0; i < pairs; i++) {
        random = random * 1664525 + 1013904223;
        void **slot = &alive[alive_blocks == FEW ? i % FEW : ((uint64_t)random * alive_blocks) >> 32];
        free(*slot);
        *slot = malloc(16 + (random >> 8) % 256);
        sink = *slot;
    }
    for (unsigned long i = 0; i < alive_blocks && alive_blocks == FEW; i++)
        free(alive[i]);
}

/* The store behind the call keeps it from becoming a jump. */
static __attribute__((noinline)) void descend(unsigned left, double *from)
{
    if (left == 0)
        work(from);
    else
        descend(left - 1, from);
    sink = NULL;
}

static void *run(void *elapsed)
{
    double from;
    descend(depth, &from);
    *(double *)elapsed = now() - from;
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    const unsigned threads = (unsigned)strtoul(argv[1], NULL, 10);
    pairs = (unsigned long)(strtod(argv[2], NULL) * 1e6);
    if (argc > 3) depth = (unsigned)strtoul(argv[3], NULL, 10);
    if (argc > 4) alive_blocks = strtoul(argv[4], NULL, 10);
    pthread_t others[64];
    double elapsed[64], sum = 0;
    if (threads < 1 || threads > 64 || alive_blocks == 0) return 2;
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

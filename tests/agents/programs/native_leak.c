/*
 * A program in C that leaks in every way that C has, while four threads allocate, in bursts. Obeys the lines
 * of tests/agents/kit.py; "leak N" plants N objects in each of these places:
 *
 *      sessions      a list in a global variable           made by make_session
 *      cache         a table in a static variable          made by make_entry
 *      jobs          a list on the stack of thread "keeper"  made by make_job
 *      notes         a list in a thread-local of "keeper"  made by make_note
 *      nowhere       nobody refers to them                 made by make_lost, which calls an allocator of its own
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 4, CACHE = 1 << 20, ALIVE = 2000, BURST = 64, PAUSE_NS = 20000000 };

typedef struct session {
    struct session *next;
    char *name;
    char rest[56];
} session; /* 72 */
typedef struct entry {
    long number;
    char rest[112];
} entry; /* 120 */
typedef struct job {
    struct job *next;
    char rest[192];
} job; /* 200 */
typedef struct note {
    struct note *next;
    char rest[312];
} note; /* 320 */
typedef struct lost {
    char rest[456];
} lost; /* 456 */

session *sessions;
static entry **cache;
static size_t cached;
static __thread note *notes;
static atomic_bool is_over;
static atomic_int full; /* workers that have all they will ever have at a time: from then on they do not grow */
static atomic_long jobs_wanted, jobs_there;

/* An allocator of the program's own: whoever calls it wanted the block. */
__attribute__((noinline)) void *xmalloc(size_t size)
{
    void *block = malloc(size);
    if (block == NULL) abort();
    memset(block, 0, size);
    return block;
}

__attribute__((noinline)) static session *make_session(session *next)
{
    session *s = calloc(1, sizeof *s);
    s->next = next;
    s->name = strdup("a name of a session");
    return s;
}

/* Makes a session by another way: two types of the capture, which have one name when names are put to them. */
__attribute__((noinline)) static session *invite(session *next)
{
    session *s = make_session(next);
    s->rest[0] = 'i';
    return s;
}

__attribute__((noinline)) static entry *make_entry(long number)
{
    entry *e = xmalloc(sizeof *e);
    e->number = number;
    return e;
}

__attribute__((noinline)) static job *make_job(job *next)
{
    job *j = xmalloc(sizeof *j);
    j->next = next;
    return j;
}

__attribute__((noinline)) static void make_note(void)
{
    note *n = xmalloc(sizeof *n);
    n->next = notes;
    notes = n;
}

__attribute__((noinline)) static void make_lost(void)
{
    lost *l = xmalloc(sizeof *l);
    l->rest[0] = 1;
    *(volatile char *)l->rest = 2;
}

/* Its list hangs from a variable of this very function, which never returns while the program runs. */
__attribute__((noinline)) static void keep_jobs(void)
{
    job *volatile jobs = NULL;
    while (!atomic_load(&is_over)) {
        while (atomic_load(&jobs_there) < atomic_load(&jobs_wanted)) {
            jobs = make_job(jobs);
            make_note();
            atomic_fetch_add(&jobs_there, 1);
        }
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
    while (jobs != NULL) {
        job *next = jobs->next;
        free(jobs);
        jobs = next;
    }
}

static void *keeper(void *unused)
{
    pthread_setname_np(pthread_self(), "keeper");
    keep_jobs();
    return unused;
}

static void *work(void *number)
{
    void *alive[ALIVE] = {0};
    uint64_t state = (uint64_t)(uintptr_t)number + 88172645463325252u;
    for (size_t i = 0; i < ALIVE; i++)
        alive[i] = malloc(16 + i * 7919 % 3000);
    atomic_fetch_add(&full, 1);
    for (unsigned turn = 0; !atomic_load(&is_over); turn++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const size_t i = state % ALIVE;
        free(alive[i]);
        alive[i] = malloc(16 + (state >> 20) % 3000);
        if (turn % BURST == 0) nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    for (size_t i = 0; i < ALIVE; i++)
        free(alive[i]);
    return NULL;
}

__attribute__((noinline)) static void wipe_stack(void)
{
    volatile char rest[8192];
    memset((char *)rest, 0, sizeof rest);
}

static void leak(long count)
{
    atomic_fetch_add(&jobs_wanted, count);
    for (long i = 0; i < count && cached < CACHE; i++) {
        sessions = i % 2 != 0 ? invite(sessions) : make_session(sessions);
        cache[cached] = make_entry((long)cached);
        cached++;
        make_lost();
    }
    wipe_stack();
    while (atomic_load(&jobs_there) < atomic_load(&jobs_wanted))
        sched_yield();
}

int main(void)
{
    pthread_t threads[WORKERS + 1];
    char line[64];
    long count;
    cache = calloc(CACHE, sizeof *cache);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    pthread_create(&threads[WORKERS], NULL, keeper, NULL);
    while (atomic_load(&full) < WORKERS)
        sched_yield();
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "quit", 4) != 0) {
        if (sscanf(line, "leak %ld", &count) != 1) continue;
        leak(count);
        printf("leaked %zu\n", cached);
        fflush(stdout);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i <= WORKERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

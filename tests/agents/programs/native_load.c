/*
 * A program that is captured while four threads allocate. Plants blocks that nothing refers to and blocks that a
 * variable holds, and says how many; obeys the lines of tests/agents/kit.py.
 *
 *      native_load [THREADS [BLOCKS [BYTES]]]      BLOCKS: alive at any time, over all threads; BYTES: of the biggest
 *
 * Each thread allocates, frees, grows by realloc, starts short-lived threads now and then, and forks a child sometimes.
 * It has all that it keeps alive when "ready" is said. From then on it pauses between bursts, or four threads would
 * take the processor from whatever is tested; with FLAT_OUT in the environment it does not.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LEAK_BYTES = 1237, KEPT_BYTES = 2311, KEPT = 100, MAX_THREADS = 64, BURST = 256, PAUSE_NS = 5000000 };

typedef struct kept {
    struct kept *next;
    char text[KEPT_BYTES - sizeof(struct kept *)];
} kept;

kept *planted_chain; /* a variable with a name: what it holds is reached */
static atomic_bool is_over;
static bool is_flat_out;
static pthread_barrier_t all_full;
static unsigned long alive_by_thread = 5000, most_bytes = 300;
static unsigned leaked;

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void *short_life(void *unused)
{
    (void)unused;
    for (int i = 0; i < 50; i++)
        free(realloc(calloc(3, 50), 4000));
    return NULL;
}

static void disturb(uint64_t number)
{
    pthread_t other;
    if (number % 256 == 0 && pthread_create(&other, NULL, short_life, NULL) == 0) pthread_join(other, NULL);
    if (number % 65536 == 0) {
        const pid_t child = fork();
        if (child == 0) {
            free(malloc(100));
            _exit(0);
        }
        if (child > 0) waitpid(child, NULL, 0);
    }
}

static void *load(void *argument)
{
    uint64_t state = (uint64_t)(uintptr_t)argument * 7919 + 1;
    void **alive = calloc(alive_by_thread, sizeof *alive);
    if (alive == NULL) exit(1);
    for (unsigned long i = 0; i < alive_by_thread; i++)
        alive[i] = malloc(1 + (draw(&state) >> 32) % most_bytes);
    pthread_barrier_wait(&all_full);
    for (uint64_t i = 0; !is_over; i++) {
        const uint64_t random = draw(&state);
        void **slot = &alive[random % alive_by_thread];
        if (random >> 62 == 0) {
            void *moved = realloc(*slot, 1 + (random >> 32) % (2 * most_bytes));
            if (moved != NULL) *slot = moved;
        } else {
            free(*slot);
            *slot = malloc(1 + (random >> 32) % most_bytes);
        }
        if (i % 4096 == 0) disturb(i / 4096 + 1);
        if (!is_flat_out && i % BURST == 0) nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    for (unsigned long i = 0; i < alive_by_thread; i++)
        free(alive[i]);
    free(alive);
    return NULL;
}

/* Their addresses stay nowhere: inverted, and the stack below is written over. */
static __attribute__((noinline)) void leak_one(void)
{
    uintptr_t *block = malloc(LEAK_BYTES);
    if (block != NULL) memset(block, 0, LEAK_BYTES);
}

static __attribute__((noinline)) void wipe(void)
{
    volatile char below[4096];
    for (unsigned i = 0; i < sizeof below; i++)
        below[i] = 0;
}

static void plant_kept(void)
{
    for (int i = 0; i < KEPT; i++) {
        kept *k = calloc(1, sizeof *k);
        if (k == NULL) exit(1);
        k->next = planted_chain;
        planted_chain = k;
    }
}

static void obey(const char *line)
{
    if (strncmp(line, "leak ", 5) != 0) return;
    const unsigned count = (unsigned)strtoul(line + 5, NULL, 10);
    for (unsigned i = 0; i < count; i++)
        leak_one();
    wipe();
    leaked += count;
    printf("leaked %u\n", leaked);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char line[128];
    pthread_t threads[MAX_THREADS];
    const unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 4;
    if (count == 0 || count > MAX_THREADS) return 2;
    if (argc > 2) alive_by_thread = strtoul(argv[2], NULL, 10) / count;
    if (argc > 3) most_bytes = strtoul(argv[3], NULL, 10);
    if (most_bytes == 0) most_bytes = 1;
    if (alive_by_thread == 0) alive_by_thread = 1;
    is_flat_out = getenv("FLAT_OUT") != NULL;
    pthread_barrier_init(&all_full, NULL, count + 1);
    plant_kept();
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, load, (void *)(uintptr_t)(i + 1)) != 0) return 1;
    pthread_barrier_wait(&all_full);
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "quit", 4) != 0)
        obey(line);
    is_over = true;
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

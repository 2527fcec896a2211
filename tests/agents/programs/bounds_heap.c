/*
 * A program with a large heap that goes on writing into it, for captures near a limit of memory; obeys the lines of
 * tests/agents/kit.py.
 *
 *      bounds_heap MIB [WRITES [HOT_MIB]]      WRITES: a second, over both threads; 0 = as fast as they can
 *
 * Blocks of mixed sizes, 1 KiB on average, each with a reference to an earlier one; a variable holds the table of all.
 * Two threads write to blocks drawn by chance: of all, or of the first HOT_MIB MiB. "count" prints "wrote TOTAL".
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WRITERS = 2, SMALL_BYTES = 1024, LARGE_BYTES = 16384, TURN_NS = 1000 * 1000, TURNS = 1000 };

typedef struct block {
    struct block *earlier;
    uint32_t words; /* behind the head */
    uint32_t text[];
} block;

block **all_blocks; /* the variable that holds everything */
static size_t block_count, drawn_from;
static unsigned long writes_a_turn; /* of one thread; 0 = no pause */
static atomic_bool is_over;
static atomic_ulong written;
static unsigned leaked;

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One in 16 is larger than 1 KiB. */
static size_t draw_size(uint64_t *state)
{
    const uint64_t random = draw(state);
    const size_t size =
        random % 16 == 0 ? SMALL_BYTES + (random >> 8) % (LARGE_BYTES - SMALL_BYTES) : (random >> 8) % SMALL_BYTES;
    return sizeof(block) + size / sizeof(uint32_t) * sizeof(uint32_t);
}

static __attribute__((noinline)) block *make_block(size_t size)
{
    block *b = malloc(size);
    if (b == NULL) exit(1);
    memset(b, 0, size);
    b->words = (uint32_t)((size - sizeof *b) / sizeof b->text[0]);
    return b;
}

static void build(uint64_t bytes, uint64_t hot_bytes)
{
    uint64_t state = 88172645463325252u, made = 0;
    const size_t most = (size_t)(bytes / 512);
    all_blocks = malloc(most * sizeof *all_blocks);
    if (all_blocks == NULL) exit(1);
    while (made < bytes && block_count < most) {
        const size_t size = draw_size(&state);
        block *b = make_block(size);
        b->earlier = block_count == 0 ? NULL : all_blocks[draw(&state) % block_count];
        all_blocks[block_count++] = b;
        made += size;
        if (made <= hot_bytes) drawn_from = block_count;
    }
    if (drawn_from == 0) drawn_from = block_count;
}

static void *write_on(void *argument)
{
    uint64_t state = (uint64_t)(uintptr_t)argument * 7919 + 1;
    while (!is_over) {
        const unsigned long turn = writes_a_turn == 0 ? TURNS : writes_a_turn;
        for (unsigned long i = 0; i < turn; i++) {
            block *b = all_blocks[draw(&state) % drawn_from];
            if (b->words > 0) b->text[draw(&state) % b->words] = (uint32_t)i;
        }
        written += turn;
        if (writes_a_turn > 0) nanosleep(&(struct timespec){.tv_nsec = TURN_NS}, NULL);
    }
    return NULL;
}

static void obey(const char *line)
{
    if (strncmp(line, "count", 5) == 0) printf("wrote %lu\n", (unsigned long)written);
    if (strncmp(line, "leak ", 5) == 0) {
        for (unsigned long i = strtoul(line + 5, NULL, 10); i > 0; i--, leaked++)
            all_blocks[0]->earlier = make_block(100);
        printf("leaked %u\n", leaked);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char line[128];
    pthread_t threads[WRITERS];
    const unsigned long mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 64,
                        writes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    const unsigned long hot_mib = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    if (mib == 0) return 2;
    writes_a_turn = writes == 0 ? 0 : 1 + (writes - 1) / (WRITERS * TURNS);
    build((uint64_t)mib << 20, (uint64_t)hot_mib << 20);
    for (unsigned i = 0; i < WRITERS; i++)
        if (pthread_create(&threads[i], NULL, write_on, (void *)(uintptr_t)(i + 1)) != 0) return 1;
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "quit", 4) != 0)
        obey(line);
    is_over = true;
    for (unsigned i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

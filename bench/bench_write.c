/*
 * Writing captures: references a second on one core, from the calls of hscapture.h to bytes in a sink that forgets
 * them. Beside it what bounds it, in the same run and over the same bytes: copying what the calls carry, compressing
 * and checksumming what comes out.
 *
 *      bench_write [OBJECTS [REFERENCES_PER_OBJECT]]       CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 *
 * Items are references (objects where there are none); MB/s counts the uncompressed capture. Best of several runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>
#include <zstd.h>

#include <hscapture/hscapture.h>

#define REPEATS 5

/* A heap laid out in memory before the clock starts. */
typedef struct heap {
    uint64_t objects, references;
    hsc_object *object;
    uint32_t *count;
    uint64_t *target, *ordinal, *index;
    uint32_t *label;
} heap;

static unsigned char *kept; /* what the sink took, if asked to */
static size_t kept_bytes, kept_room;
static uint64_t taken;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void *array(uint64_t count, size_t size)
{
    void *memory = malloc((size_t)(count + 1) * size);
    if (memory == NULL) exit(1);
    return memory;
}

/* Processor time: everything here is one thread that never waits, and the machine may be shared. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Ids ascend by sizes, few types have most objects, references stay near: a heap as collectors leave it. */
static heap make_heap(uint64_t objects, unsigned references)
{
    heap h = {.objects = objects, .object = array(objects, sizeof *h.object), .count = array(objects, sizeof *h.count)};
    uint64_t random = 88172645463325252u, id = 0x7f0000000000;
    for (uint64_t i = 0; i < objects; i++) {
        const uint64_t r = next_random(&random);
        const uint32_t type = (uint32_t)(((r & 0xFFFF) * (r >> 16 & 0xFFFF)) >> 22);
        h.object[i] = (hsc_object){.id = id, .type = type + 1, .size_bytes = 16 + 8 * (type % 13)};
        h.count[i] = references == 0 ? 0 : (uint32_t)(r >> 32) % (2 * references + 1);
        h.references += h.count[i];
        id += h.object[i].size_bytes;
    }
    h.target = array(h.references, sizeof *h.target);
    h.ordinal = array(h.references, sizeof *h.ordinal);
    h.index = array(h.references, sizeof *h.index);
    h.label = array(h.references, sizeof *h.label);
    for (uint64_t i = 0, k = 0; i < objects; i++) {
        for (uint32_t j = 0; j < h.count[i]; j++, k++) {
            const uint64_t s = next_random(&random), reach = (s & 7) != 0 ? 512 : objects;
            h.ordinal[k] = (i + objects + (s >> 3) % reach - reach / 2) % objects;
            h.target[k] = h.object[h.ordinal[k]].id;
            h.label[k] = 1 + (h.object[i].type * 3 + j) % 200;
            h.index[k] = h.object[i].type % 8 == 0 ? j : 0;
        }
    }
    return h;
}

static ptrdiff_t take(void *context, const void *data, size_t size)
{
    (void)context;
    taken += size;
    if (kept != NULL && kept_bytes + size <= kept_room) {
        memcpy(kept + kept_bytes, data, size);
        kept_bytes += size;
    }
    return (ptrdiff_t)size;
}

typedef enum how { ONE_BY_ONE, BULK, EDGES } how;

typedef struct setting {
    const char *name;
    int level;
    size_t memory;
    how how;
    bool ordinals;
} setting;

static void push(hsc_writer *w, const heap *h, const setting *s)
{
    const uint64_t *target = s->ordinals ? h->ordinal : h->target;
    for (uint64_t i = 0, k = 0; i < h->objects; i++) {
        const uint32_t n = h->count[i];
        hsc_begin_object(w, &h->object[i]);
        if (s->how == BULK) hsc_references(w, target + k, h->label + k, h->index + k, n);
        for (uint32_t j = 0; s->how == ONE_BY_ONE && j < n; j++)
            hsc_reference(w, target[k + j], h->label[k + j], h->index[k + j]);
        hsc_end_object(w);
        for (uint32_t j = 0; s->how == EDGES && j < n; j++)
            hsc_edge(w, s->ordinals ? i : h->object[i].id, target[k + j], h->label[k + j], h->index[k + j]);
        k += n;
    }
}

static double once(const heap *h, const setting *s)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.compression = s->level;
    options.memory_bytes = s->memory;
    options.targets_are_ordinals = s->ordinals;
    taken = kept_bytes = 0;
    const double start = now();
    if (hsc_open(&w, &(hsc_sink){take, NULL, NULL}, &options) != HSC_OK) exit(1);
    push(w, h, s);
    if (hsc_finish(w) != HSC_OK) exit(1);
    hsc_close(w);
    return now() - start;
}

static void row(const char *shape, size_t memory, uint64_t items, double seconds, uint64_t bytes)
{
    printf("write,%s,%zuK,%llu,%.4f,%.1f,%.0f\n", shape, memory >> 10, (unsigned long long)items, seconds,
           (double)items / seconds * 1e-6, (double)bytes / seconds * 1e-6);
    fflush(stdout);
}

static void measure(const heap *h, const setting *s, uint64_t raw_bytes)
{
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        const double seconds = once(h, s);
        if (seconds < best) best = seconds;
    }
    row(s->name, s->memory, h->references != 0 ? h->references : h->objects, best, raw_bytes);
}

/* ---- bounds ---- */

static double copy_calls(const heap *h)
{
    const size_t bytes = (size_t)(h->references * 20 + h->objects * sizeof(hsc_object));
    unsigned char *to = array(bytes, 1);
    memset(to, 1, bytes);
    const double start = now();
    memcpy(to, h->target, h->references * 8);
    memcpy(to + h->references * 8, h->index, h->references * 8);
    memcpy(to + h->references * 16, h->label, h->references * 4);
    memcpy(to + h->references * 20, h->object, h->objects * sizeof(hsc_object));
    const double seconds = now() - start;
    taken += to[bytes / 2];
    free(to);
    return seconds;
}

static double compress_kept(int level)
{
    enum { PIECE = 128 << 10 };
    static unsigned char out[PIECE + (PIECE >> 7) + 512];
    ZSTD_CCtx *context = ZSTD_createCCtx();
    const double start = now();
    for (size_t at = 0; at < kept_bytes; at += PIECE)
        taken += ZSTD_compressCCtx(context, out, sizeof out, kept + at,
                                   kept_bytes - at < PIECE ? kept_bytes - at : PIECE, level);
    const double seconds = now() - start;
    ZSTD_freeCCtx(context);
    return seconds;
}

static double hash_kept(int level)
{
    (void)level;
    const double start = now();
    taken += XXH3_64bits(kept, kept_bytes);
    return now() - start;
}

static void bounds(const heap *h)
{
    double best[3] = {1e9, 1e9, 1e9};
    for (int i = 0; i < REPEATS; i++) {
        const double seconds[] = {copy_calls(h), compress_kept(1), hash_kept(0)};
        for (int k = 0; k < 3; k++)
            best[k] = seconds[k] < best[k] ? seconds[k] : best[k];
    }
    const uint64_t items = h->references != 0 ? h->references : h->objects;
    row("bound: memcpy of what the calls carry", 0, items, best[0],
        h->references * 20 + h->objects * sizeof(hsc_object));
    row("bound: zstd -1 of the uncompressed capture", 0, items, best[1], kept_bytes);
    row("bound: XXH3 of the uncompressed capture", 0, items, best[2], kept_bytes);
}

int main(int argc, char **argv)
{
    const uint64_t objects = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    const unsigned references = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 3;
    static const setting settings[] = {
        {"level 0, a call each", 0, 1 << 20, ONE_BY_ONE, false},
        {"level 0, a call each, ordinals", 0, 1 << 20, ONE_BY_ONE, true},
        {"level 0, hsc_references", 0, 1 << 20, BULK, false},
        {"level 0, hsc_edge", 0, 1 << 20, EDGES, false},
        {"level 0, a call each", 0, 64 << 10, ONE_BY_ONE, false},
        {"level 1, a call each", 1, 1 << 20, ONE_BY_ONE, false},
        {"level 1, a call each, ordinals", 1, 1 << 20, ONE_BY_ONE, true},
        {"level 1, a call each", 1, 4 << 20, ONE_BY_ONE, false},
        {"level 1, a call each", 1, 64 << 10, ONE_BY_ONE, false},
    };
    const heap h = make_heap(objects, references);
    printf("stage,shape,memory,items,seconds,M items/s,MB/s\n");
    kept_room = (size_t)(h.references * 24 + h.objects * 64 + 65536);
    kept = array(kept_room, 1);
    once(&h, &settings[0]); /* what the bounds are measured over */
    const size_t raw_bytes = kept_bytes;
    bounds(&h);
    free(kept);
    kept = NULL;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        measure(&h, &settings[i], raw_bytes);
    return taken == 1;
}

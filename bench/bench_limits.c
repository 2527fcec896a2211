/*
 * What this machine can do, in the units of the cost model (hsdiff/costs.h, doc/performance.md): sequences and
 * accesses at random to memory, sorting, decoding, packing, temporary files. Time of the processor of one thread, the
 * median of the rounds; memory is had as the engine has it (base/pages.h), large pages included.
 *
 *      bench_limits [ROUNDS] [--write FILE]        CSV: stage,shape,memory,items,seconds,…; FILE gets the limits, for
 *                                                  HSDIFF_LIMITS=FILE hsdiff --verbose …
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "base/pages.h"
#include "base/work.h"
#include "format/unpack.h"
#include "graph/varint.h"
#include "import/v8/digits.h"
#include "io/temp.h"
#include "sort/radix.h"
#include "sort/run.h"

#define MAX_ROUNDS  15u
#define KIB         ((size_t)1 << 10)
#define MIB         ((size_t)1 << 20)
#define MANY        32u
#define RECORD_KEYS (MIB / 2)

typedef struct bench_state {
    unsigned rounds;
    hsd_costs limits;
    uint64_t sum; /* of what was computed, so that it is */
} bench_state;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void stop(const char *why)
{
    fprintf(stderr, "bench_limits: %s\n", why);
    exit(1);
}

static int compare_seconds(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

typedef struct job { /* one thing that is measured */
    const char *stage, *shape;
    uint64_t bytes; /* that it works on */
    uint64_t items; /* of which the time of one is asked */
    void (*run)(bench_state *b, void *context);
    void *context;
} job;

/* Nanoseconds that an item takes; a row is printed. */
static double measure(bench_state *b, const job *j)
{
    double seconds[MAX_ROUNDS];
    for (unsigned i = 0; i < b->rounds; i++) {
        const uint64_t start = hsd_thread_cpu_ns();
        j->run(b, j->context);
        seconds[i] = (double)(hsd_thread_cpu_ns() - start) * 1e-9;
    }
    qsort(seconds, b->rounds, sizeof seconds[0], compare_seconds);
    const double median = seconds[b->rounds / 2], ns = median * 1e9 / (double)j->items;
    printf("limits-%s,%s,%zu KiB,%llu,%.4f,%.3f,%.1f,%.2f\n", j->stage, j->shape, (size_t)(j->bytes / KIB),
           (unsigned long long)j->items, median, ns, (double)j->items / median * 1e-6,
           (seconds[b->rounds - 1] - seconds[0]) / median);
    fflush(stdout);
    return ns;
}

/* ---- memory, one after the other */

static hsd_pages take_pages(size_t size)
{
    hsd_pages pages;
    if (!hsd_pages_take(&pages, size)) stop("out of memory");
    return pages;
}

static void read_in_order(bench_state *b, void *context)
{
    const hsd_pages *pages = context;
    const uint64_t *words = pages->data;
    uint64_t sums[8] = {0};
    for (size_t i = 0; i < pages->size / sizeof *words; i += 8)
        for (size_t k = 0; k < 8; k++)
            sums[k] += words[i + k];
    for (size_t k = 0; k < 8; k++)
        b->sum += sums[k];
}

static void write_in_order(bench_state *b, void *context)
{
    const hsd_pages *pages = context;
    uint64_t *words = pages->data;
    const uint64_t value = ++b->sum;
    for (size_t i = 0; i < pages->size / sizeof *words; i++)
        words[i] = value + i;
    b->sum += words[b->sum % (pages->size / sizeof *words)];
}

static void touch_fresh(bench_state *b, void *context)
{
    const size_t *size = context;
    hsd_pages pages = take_pages(*size);
    for (size_t i = 0; i < *size; i += 4096)
        ((uint8_t *)pages.data)[i] = (uint8_t)++b->sum;
    hsd_pages_give(&pages);
}

static void bench_in_order(bench_state *b)
{
    hsd_pages pages = take_pages(256 * MIB);
    memset(pages.data, 1, pages.size);
    b->limits.ns[HSD_COST_READ] =
        measure(b, &(job){"memory-read", "in order", pages.size, pages.size, read_in_order, &pages});
    b->limits.ns[HSD_COST_WRITTEN] =
        measure(b, &(job){"memory-written", "in order", pages.size, pages.size, write_in_order, &pages});
    hsd_pages_give(&pages);
    size_t large = 64 * MIB, small = 2 * MIB;
    measure(b, &(job){"fresh", "a page of 4 KiB of many", large, large / 4096, touch_fresh, &large});
    measure(b, &(job){"fresh", "a page of 4 KiB of few", small, small / 4096, touch_fresh, &small});
}

/* ---- memory at random: cycles through an array, as many in flight as asked for */

typedef struct random_walk {
    hsd_pages pages;
    uint64_t steps;
} random_walk;

/* One cycle through all lines of 64 bytes (Sattolo). */
static void make_cycle(const hsd_pages *pages)
{
    uint32_t *words = pages->data;
    const uint32_t lines = (uint32_t)(pages->size / 64);
    uint64_t state = 88172645463325252u;
    for (uint32_t i = 0; i < lines; i++)
        words[(size_t)i * 16] = i;
    for (uint32_t i = lines - 1; i > 0; i--) {
        const uint32_t other = (uint32_t)(next_random(&state) % i), swap = words[(size_t)i * 16];
        words[(size_t)i * 16] = words[(size_t)other * 16];
        words[(size_t)other * 16] = swap;
    }
}

static void walk_one(bench_state *b, void *context)
{
    const random_walk *walk = context;
    const uint32_t *words = walk->pages.data;
    uint32_t at = 0;
    for (uint64_t i = 0; i < walk->steps; i++)
        at = words[(size_t)at * 16];
    b->sum += at;
}

/* `in_flight` is a constant where this is compiled. */
static inline __attribute__((always_inline)) void walk_several(bench_state *b, const random_walk *walk,
                                                               const unsigned in_flight)
{
    const uint32_t *words = walk->pages.data;
    const uint32_t lines = (uint32_t)(walk->pages.size / 64);
    uint32_t at[MANY];
    for (uint32_t k = 0; k < in_flight; k++)
        at[k] = (uint32_t)((uint64_t)lines * k / in_flight);
    for (uint64_t i = 0; i < walk->steps / in_flight; i++)
        for (unsigned k = 0; k < in_flight; k++)
            at[k] = words[(size_t)at[k] * 16];
    for (unsigned k = 0; k < in_flight; k++)
        b->sum += at[k];
}

static void walk_eight(bench_state *b, void *context) { walk_several(b, context, 8); }
static void walk_many(bench_state *b, void *context) { walk_several(b, context, MANY); }

static double bench_random(bench_state *b, size_t bytes)
{
    random_walk walk = {.pages = take_pages(bytes), .steps = 4000000};
    hsd_pages_expect_random(&walk.pages);
    make_cycle(&walk.pages);
    measure(b, &(job){"random", "each after the other", bytes, walk.steps, walk_one, &walk});
    measure(b, &(job){"random", "8 in flight", bytes, walk.steps, walk_eight, &walk});
    const double ns = measure(b, &(job){"random", "32 in flight", bytes, walk.steps, walk_many, &walk});
    hsd_pages_give(&walk.pages);
    return ns;
}

/* ---- sorting */

typedef struct sorting {
    uint64_t *input, *records, *scratch;
    size_t count;
    unsigned words;
} sorting;

static void copy_and_sort(bench_state *b, void *context)
{
    const sorting *s = context;
    memcpy(s->records, s->input, s->count * s->words * sizeof *s->records);
    hsd_radix_sort(s->records, s->scratch, s->count, s->words);
    b->sum += s->records[0];
}

static double bench_sorting(bench_state *b, unsigned words, const char *shape)
{
    const size_t count = RECORD_KEYS * 4, bytes = count * words * sizeof(uint64_t);
    hsd_pages pages[3];
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 3; i++) {
        pages[i] = take_pages(bytes);
        memset(pages[i].data, 1, bytes);
    }
    sorting s = {pages[0].data, pages[1].data, pages[2].data, count, words};
    for (size_t i = 0; i < count; i++) { /* a key of 32 bits, as ordinals and places are */
        s.input[i * words] = (uint64_t)(uint32_t)next_random(&state) << 32 | i;
        for (unsigned w = 1; w < words; w++)
            s.input[i * words + w] = i;
    }
    const double ns = measure(b, &(job){"sorted", shape, bytes, bytes, copy_and_sort, &s});
    for (int i = 0; i < 3; i++)
        hsd_pages_give(&pages[i]);
    return ns;
}

/* ---- decoding */

typedef struct coded {
    uint8_t *bytes;
    size_t size, count;
    uint64_t *out;
} coded;

static void decode_varints(bench_state *b, void *context)
{
    const coded *c = context;
    const uint8_t *at = c->bytes;
    uint64_t sum = 0, value;
    for (size_t i = 0; i < c->count; i++) {
        at = hsd_varint_get(at, &value);
        sum += value;
    }
    b->sum += sum;
}

static void decode_packed(bench_state *b, void *context)
{
    const coded *c = context;
    b->sum += hsd_unpack_u64(c->bytes, c->bytes + hsd_unpack_control_bytes((uint32_t)c->count), (uint32_t)c->count, 1,
                             c->out);
}

static void decode_digits(bench_state *b, void *context)
{
    const coded *c = context;
    const uint8_t *at = c->bytes, *end = c->bytes + c->size;
    while (at < end) {
        const size_t words = hsd_v8_digits_words(&at, end, c->out, 4096);
        if (words == 0) break;
        b->sum += c->out[0];
    }
}

/* Differences of real adjacency lists: three fifths of one byte, the rest of two and three. */
static uint64_t difference(uint64_t *state)
{
    const uint64_t any = next_random(state);
    return any % 10 < 6 ? any >> 32 & 0x7f : any % 10 < 9 ? any >> 32 & 0x3fff : any >> 32 & 0x1fffff;
}

static void bench_decoding(bench_state *b)
{
    const size_t count = 2 * MIB;
    uint64_t state = 88172645463325252u;
    coded c = {.bytes = malloc(count * 16 + HSD_UNPACK_SLACK_BYTES), .out = malloc(count * 8), .count = count};
    if (c.bytes == NULL || c.out == NULL) stop("out of memory");
    uint8_t *at = c.bytes;
    for (size_t i = 0; i < count; i++)
        at = hsd_varint_put(at, difference(&state));
    c.size = (size_t)(at - c.bytes);
    b->limits.ns[HSD_COST_VARINTS] = measure(b, &(job){"decoded", "varints", c.size, count, decode_varints, &c});
    memset(c.bytes, 0, count * 16 + HSD_UNPACK_SLACK_BYTES); /* all of one byte: what a length is costs nothing */
    c.size = hsd_unpack_control_bytes((uint32_t)count) + count;
    b->limits.ns[HSD_COST_VALUES] = measure(b, &(job){"decoded", "packed columns", c.size, count, decode_packed, &c});
    size_t size = 0;
    for (size_t i = 0; i < count; i++) /* node's and edge's fields */
        size +=
            (size_t)snprintf((char *)c.bytes + size, 16, "%llu,",
                             (unsigned long long)(i % 3 == 0 ? next_random(&state) % 40000000 : difference(&state)));
    c.size = size;
    b->limits.ns[HSD_COST_TEXT] = measure(b, &(job){"json-numbers", "fields", size, size, decode_digits, &c});
    free(c.bytes);
    free(c.out);
}

/* ---- zstd, on columns of a capture: small numbers and ids in order */

typedef struct packing {
    uint8_t *raw, *packed;
    size_t raw_bytes, packed_bytes, room;
    int level;
} packing;

static void pack(bench_state *b, void *context)
{
    packing *p = context;
    p->packed_bytes = 0;
    for (size_t at = 0; at < p->raw_bytes; at += 256 * KIB) {
        const size_t got =
            ZSTD_compress(p->packed + p->packed_bytes, p->room - p->packed_bytes, p->raw + at, 256 * KIB, p->level);
        if (ZSTD_isError(got)) stop("zstd fails");
        p->packed_bytes += got;
    }
    b->sum += p->packed_bytes;
}

static void unpack(bench_state *b, void *context)
{
    const packing *p = context;
    size_t from = 0;
    for (size_t at = 0; at < p->raw_bytes; at += 256 * KIB) {
        const size_t size = ZSTD_findFrameCompressedSize(p->packed + from, p->packed_bytes - from);
        if (ZSTD_isError(ZSTD_decompress(p->raw + at, 256 * KIB, p->packed + from, size))) stop("zstd fails");
        from += size;
    }
    b->sum += p->raw[0];
}

static void bench_packing(bench_state *b)
{
    packing p = {.raw_bytes = 32 * MIB, .room = ZSTD_compressBound(33 * MIB)};
    uint64_t state = 88172645463325252u;
    p.raw = malloc(p.raw_bytes);
    p.packed = malloc(p.room);
    if (p.raw == NULL || p.packed == NULL) stop("out of memory");
    for (size_t i = 0; i < p.raw_bytes; i++) { /* a byte of few values, one of many, and zeros */
        const uint64_t any = next_random(&state);
        p.raw[i] = i % 4 == 0 ? (uint8_t)(any % 12) : i % 4 == 1 && any % 8 == 0 ? (uint8_t)(any >> 32) : 0;
    }
    for (p.level = 1; p.level <= 3; p.level += 2) {
        char shape[32];
        snprintf(shape, sizeof shape, "level %d a byte in", p.level);
        const double ns = measure(b, &(job){"zstd-packed", shape, p.raw_bytes, p.raw_bytes, pack, &p});
        if (p.level == 1)
            b->limits.ns[HSD_COST_PACKED] = ns * (double)p.raw_bytes / (double)p.packed_bytes; /* a byte out */
    }
    b->limits.ns[HSD_COST_UNPACKED] =
        measure(b, &(job){"zstd-unpacked", "a byte out", p.raw_bytes, p.raw_bytes, unpack, &p});
    free(p.raw);
    free(p.packed);
}

/* ---- temporary files, in the cache of the system */

typedef struct file_job {
    hsd_temp file;
    uint8_t *buffer;
    size_t piece, total;
} file_job;

static void write_pieces(bench_state *b, void *context)
{
    file_job *f = context;
    for (size_t at = 0; at < f->total; at += f->piece)
        if (hsd_temp_write(&f->file, at, f->buffer, f->piece, NULL) != HSD_OK) stop("a temporary file fails");
    b->sum += f->total;
}

static void read_pieces(bench_state *b, void *context)
{
    file_job *f = context;
    for (size_t at = 0; at < f->total; at += f->piece)
        if (hsd_temp_read(&f->file, at, f->buffer, f->piece, NULL) != HSD_OK) stop("a temporary file fails");
    b->sum += f->buffer[0];
}

static void bench_files(bench_state *b)
{
    static const size_t pieces[] = {4 * KIB, MIB};
    double read_ns[2], written_ns[2];
    hsd_temp_space space;
    hsd_temp_space_init(&space, NULL);
    file_job f = {.buffer = calloc(1, MIB), .total = 64 * MIB};
    if (f.buffer == NULL || hsd_temp_open(&f.file, &space, NULL) != HSD_OK) stop("a temporary file fails");
    for (int i = 0; i < 2; i++) {
        const char *shape = i == 0 ? "pieces of 4 KiB" : "pieces of 1 MiB";
        f.piece = pieces[i];
        written_ns[i] = measure(b, &(job){"file-written", shape, f.total, f.total, write_pieces, &f});
        read_ns[i] = measure(b, &(job){"file-read", shape, f.total, f.total, read_pieces, &f});
    }
    hsd_temp_close(&f.file);
    free(f.buffer);
    b->limits.ns[HSD_COST_FILE_WRITTEN] = written_ns[1];
    b->limits.ns[HSD_COST_FILE_READ] = read_ns[1];
}

/* ---- runs of sorted records */

#define RUN_WORDS   4u
#define RUN_RECORDS ((size_t)1 << 20)
#define RUN_BUFFER  (256 * KIB)

typedef struct run_job {
    hsd_temp_space space;
    uint64_t *records;
    uint8_t *buffer;
    hsd_temp file; /* of the run that is read */
    hsd_sorted_run run;
} run_job;

static void encode_run_into(run_job *r, hsd_temp *file, hsd_sorted_run *run)
{
    hsd_run_writer writer;
    uint8_t coding[HSD_SORT_MAX_WORDS];
    hsd_run_writer_init(&writer, file, r->buffer, RUN_BUFFER, RUN_WORDS, HSD_RUN_DELTA);
    hsd_run_choose_coding(coding, r->records, RUN_RECORDS, RUN_WORDS);
    hsd_run_writer_begin(&writer, coding);
    if (hsd_run_writer_put(&writer, r->records, RUN_RECORDS, NULL) != HSD_OK ||
        hsd_run_writer_finish(&writer, run, NULL) != HSD_OK)
        stop("a run fails");
}

static void encode_run(bench_state *b, void *context)
{
    run_job *r = context;
    hsd_temp file;
    hsd_sorted_run run;
    if (hsd_temp_open(&file, &r->space, NULL) != HSD_OK) stop("a temporary file fails");
    encode_run_into(r, &file, &run);
    hsd_temp_close(&file);
    b->sum += run.size_bytes;
}

static void decode_run(bench_state *b, void *context)
{
    run_job *r = context;
    hsd_run_reader reader;
    const uint64_t *record;
    hsd_run_reader_init(&reader, &r->run, RUN_WORDS, r->buffer, RUN_BUFFER);
    while (hsd_run_reader_next(&reader, &record, NULL) == HSD_OK)
        b->sum += record[0];
}

/* Records of a dominator tree: place and end, type and name, bytes, node and flags. */
static void make_tree_records(uint64_t *records)
{
    uint64_t state = 88172645463325252u, node = 0;
    for (uint64_t i = 0; i < RUN_RECORDS; i++) {
        const uint64_t any = next_random(&state);
        uint64_t *record = records + i * RUN_WORDS;
        node = any % 4 == 0 ? any >> 40 & 0x3fffff : node + 1;
        record[0] = (i + 1) << 32 | (i + 2 + (any % 5 == 0 ? any >> 8 & 0xff : 0));
        record[1] = (any >> 16 & 0x3ff) << 32 | (any >> 26 & 0xfff);
        record[2] = 16 + (any >> 38 & 0xf) * 8;
        record[3] = node << 32;
    }
}

/* What moving the bytes of the file costs is counted by itself. */
static double without_file(double word_ns, double file_ns, const hsd_sorted_run *run)
{
    return word_ns - file_ns * (double)run->size_bytes / (RUN_RECORDS * RUN_WORDS);
}

static void bench_runs(bench_state *b)
{
    run_job r = {.records = malloc(RUN_RECORDS * RUN_WORDS * sizeof *r.records),
                 .buffer = malloc(hsd_run_reader_bytes(RUN_BUFFER))};
    hsd_temp_space_init(&r.space, NULL);
    if (r.records == NULL || r.buffer == NULL || hsd_temp_open(&r.file, &r.space, NULL) != HSD_OK) stop("a run fails");
    make_tree_records(r.records);
    encode_run_into(&r, &r.file, &r.run);
    const size_t words = RUN_RECORDS * RUN_WORDS;
    const double encoded = measure(b, &(job){"run-encoded", "tree", r.run.size_bytes, words, encode_run, &r});
    const double decoded = measure(b, &(job){"run-decoded", "tree", r.run.size_bytes, words, decode_run, &r});
    b->limits.ns[HSD_COST_RUN_ENCODED] = without_file(encoded, b->limits.ns[HSD_COST_FILE_WRITTEN], &r.run);
    b->limits.ns[HSD_COST_RUN_DECODED] = without_file(decoded, b->limits.ns[HSD_COST_FILE_READ], &r.run);
    hsd_temp_close(&r.file);
    free(r.records);
    free(r.buffer);
}

/* ---- the file of limits */

static void name_machine(bench_state *b)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(b->limits.machine, sizeof b->limits.machine, "this machine");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || value == NULL) continue;
        snprintf(b->limits.machine, sizeof b->limits.machine, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
        break;
    }
    if (file != NULL) fclose(file);
}

static void write_limits(const bench_state *b, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) stop("the file of limits cannot be written");
    fprintf(file, "# Written by bench_limits: nanoseconds of one processor (hsdiff/costs.h).\nmachine = %s\n",
            b->limits.machine);
    for (unsigned i = 0; i < HSD_COST_COUNT; i++)
        fprintf(file, "%s = %.4g\n", hsd_cost_name((hsd_cost)i), b->limits.ns[i]);
    if (fclose(file) != 0) stop("the file of limits cannot be written");
}

int main(int count, char **arguments)
{
    bench_state b = {.rounds = 5};
    const char *path = NULL;
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--write") == 0 && i + 1 < count)
            path = arguments[++i];
        else
            b.rounds = (unsigned)strtoul(arguments[i], NULL, 10);
    }
    if (b.rounds < 1 || b.rounds > MAX_ROUNDS) stop("rounds are 1 to 15");
    printf("stage,shape,memory,items,seconds,ns an item,M items/s,spread\n");
    name_machine(&b);
    bench_in_order(&b);
    bench_random(&b, 32 * KIB);
    b.limits.ns[HSD_COST_NEAR] = bench_random(&b, 512 * KIB);
    b.limits.ns[HSD_COST_MIDDLE] = bench_random(&b, 4 * MIB);
    bench_random(&b, 16 * MIB);
    b.limits.ns[HSD_COST_FAR] = bench_random(&b, 256 * MIB);
    bench_sorting(&b, 1, "8 bytes");
    b.limits.ns[HSD_COST_SORTED] = bench_sorting(&b, 2, "16 bytes");
    bench_sorting(&b, 4, "32 bytes");
    bench_decoding(&b);
    bench_packing(&b);
    bench_files(&b);
    bench_runs(&b);
    if (path != NULL) write_limits(&b, path);
    fprintf(stderr, "%s (%llx)\n", b.limits.machine, (unsigned long long)b.sum); /* all was computed for something */
    return 0;
}

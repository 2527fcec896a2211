/*
 * Reading captures: objects a second on one core, from the file (in the page cache) to hsd_object records, for what
 * different stages ask for. Beside it the bounds of the same blocks in the same run: reading and checksumming alone,
 * the same with decompression, and a pass over as many raw bytes in memory.
 *
 *      bench_decode [OBJECTS [REFERENCES_PER_OBJECT]]       CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hscapture/hscapture.h>
#include <hsdiff/capture.h>

#include "format/capture_state.h"

#define REPEATS 7

typedef struct measured {
    uint64_t items, bytes, sum; /* sum: so that nothing is optimised away */
} measured;

/* Processor time of this thread: other work on the machine must not count. */
static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void stop(hsd_status status, const hsd_error *err)
{
    if (status == HSD_OK || status == HSD_END) return;
    fprintf(stderr, "bench_decode: %s\n", err->text);
    exit(1);
}

static void stop_writer(hsc_status status, const hsc_writer *writer)
{
    if (status == HSC_OK) return;
    fprintf(stderr, "bench_decode: %s\n", writer != NULL ? hsc_error_text(writer) : "no writer");
    exit(1);
}

/* A heap as collectors leave it: ids ascend by the sizes, few types have most objects, references stay near. */
static void write_objects(hsc_writer *writer, uint64_t objects, unsigned references)
{
    uint64_t random = 88172645463325252u, id = 0x7f0000000000;
    for (uint64_t i = 0; i < objects; i++) {
        const uint64_t r = next_random(&random);
        const uint32_t type = (uint32_t)(((r & 0xFFFF) * (r >> 16 & 0xFFFF)) >> 22); /* 0..1023, skewed */
        const uint64_t size = 16 + 8 * (type % 13) + (r >> 60 == 0 ? 1024 : 0);
        const unsigned count = references == 0 ? 0 : (unsigned)(r >> 32) % (2 * references + 1);
        stop_writer(hsc_begin_object(writer, &(hsc_object){.id = id, .type = type + 1, .size_bytes = size}), writer);
        for (unsigned k = 0; k < count; k++) {
            const uint64_t s = next_random(&random);
            const uint64_t window = s & 7 ? 1 << 12 : 1 << 24;
            const uint64_t target = id + 8 * ((s >> 8) % window) - 4 * window;
            stop_writer(hsc_reference(writer, target & ~UINT64_C(7), 1 + (type * 3 + k) % 200, 0), writer);
        }
        stop_writer(hsc_end_object(writer), writer);
        id += size;
    }
}

static void write_capture(int fd, uint64_t objects, unsigned references, int compression)
{
    hsc_writer *writer;
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "bench_decode";
    options.compression = compression;
    options.identity = HSC_IDENTITY_ADDRESS;
    stop_writer(hsc_open_fd(&writer, fd, &options), NULL);
    write_objects(writer, objects, references);
    stop_writer(hsc_finish(writer), writer);
    hsc_close(writer);
}

/* ---- what is measured ---- */

/* Adds up what was asked for. A loop over the references of each object, whose number nobody can guess, costs a
 * mispredicted branch an object; `all` false touches the first alone, to show what decoding itself takes. */
static uint64_t touch(const hsd_object *object, bool all)
{
    uint64_t sum = object->id + object->size_bytes + object->type;
    const uint32_t count = all ? object->reference_count : object->reference_count > 0;
    if (object->labels != NULL) {
        for (uint32_t k = 0; k < count; k++)
            sum += object->targets[k] + object->labels[k];
    } else if (object->targets != NULL) {
        for (uint32_t k = 0; k < count; k++)
            sum += object->targets[k];
    }
    return sum;
}

static measured read_objects(hsd_capture *capture, unsigned want, bool all)
{
    hsd_object_reader *reader;
    hsd_object object;
    hsd_error err;
    hsd_status status;
    measured m = {0};
    hsd_error_init(&err);
    stop(hsd_object_reader_open(&reader, capture, want, &err), &err);
    while ((status = hsd_object_reader_next(reader, &object, &err)) == HSD_OK) {
        m.items++;
        m.sum += touch(&object, all);
    }
    stop(status, &err);
    hsd_object_reader_close(reader);
    return m;
}

/* All blocks of objects, read and checked, and decompressed if asked for. */
static measured read_blocks(hsd_capture *capture, bool unfold)
{
    hsd_block block = {0};
    hsd_fault fault;
    measured m = {0};
    for (size_t i = 0; i < capture->list.count; i++) {
        const hsd_block_ref *ref = &capture->list.refs[i];
        if (ref->type != HSC_BLOCK_OBJECTS) continue;
        const hsd_status status =
            unfold ? hsd_block_load(&block, &capture->file.input, ref, capture->file.header.seed, &fault)
                   : hsd_block_read(&block, &capture->file.input, ref, capture->file.header.seed, &fault);
        if (status != HSD_OK) exit(1);
        m.items += ref->record_count;
        m.bytes += unfold ? block.header.raw_bytes : ref->stored_bytes;
        m.sum += block.stored[60];
    }
    hsd_block_release(&block);
    return m;
}

static measured read_memory(uint64_t bytes, uint64_t items)
{
    measured m = {.items = items, .bytes = bytes};
    const size_t words = (size_t)(bytes / 8) + 1;
    uint64_t *memory = malloc(words * 8);
    if (memory == NULL) exit(1);
    memset(memory, 1, words * 8);
    const uint64_t start = cpu_ns();
    for (size_t i = 0; i < words; i++)
        m.sum += memory[i];
    m.sum = m.sum == 0 ? 1 : cpu_ns() - start;
    free(memory);
    return m;
}

static void row(const char *shape, measured m, uint64_t ns)
{
    const double seconds = (double)ns * 1e-9;
    printf("decode,%s,-,%llu,%.4f,%.1f,%.0f\n", shape, (unsigned long long)m.items, seconds,
           (double)m.items / seconds * 1e-6, (double)m.bytes / seconds * 1e-6);
    fflush(stdout);
}

typedef enum work { OBJECTS, OBJECTS_FIRST_REFERENCE, BLOCKS_CHECKED, BLOCKS_UNFOLDED } work;

static void best_of(const char *coding, const char *name, hsd_capture *capture, work kind, unsigned want,
                    uint64_t bytes)
{
    char shape[96];
    uint64_t best = UINT64_MAX;
    measured m = {0};
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = cpu_ns();
        m = kind <= OBJECTS_FIRST_REFERENCE ? read_objects(capture, want, kind == OBJECTS)
                                            : read_blocks(capture, kind == BLOCKS_UNFOLDED);
        const uint64_t took = cpu_ns() - start;
        best = took < best ? took : best;
    }
    if (m.bytes == 0) m.bytes = bytes;
    snprintf(shape, sizeof shape, "%s: %s", coding, name);
    row(shape, m, best);
}

static void measure(int fd, const char *coding)
{
    static const struct {
        const char *name;
        unsigned want;
    } wants[] = {
        {"types alone", 0},
        {"ids and sizes", HSD_WANT_IDS | HSD_WANT_SIZES},
        {"targets", HSD_WANT_REFERENCES},
        {"targets and labels", HSD_WANT_REFERENCES | HSD_WANT_LABELS},
        {"all fields", HSD_WANT_ALL},
    };
    hsd_capture *capture;
    hsd_error err;
    char shape[96];
    hsd_error_init(&err);
    stop(hsd_capture_open_fd(&capture, fd, "bench.hs", HSD_DAMAGE_REFUSE, NULL, &err), &err);
    const measured raw = read_blocks(capture, true);
    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++)
        best_of(coding, wants[i].name, capture, OBJECTS, wants[i].want, raw.bytes);
    best_of(coding, "all fields and one reference touched", capture, OBJECTS_FIRST_REFERENCE, HSD_WANT_ALL, raw.bytes);
    best_of(coding, "bound: read and checksum", capture, BLOCKS_CHECKED, 0, 0);
    best_of(coding, "bound: read and checksum and decompress", capture, BLOCKS_UNFOLDED, 0, 0);
    snprintf(shape, sizeof shape, "%s: bound: memory read of the raw bytes", coding);
    const measured memory = read_memory(raw.bytes, raw.items);
    row(shape, memory, memory.sum);
    hsd_capture_close(capture);
}

int main(int argc, char **argv)
{
    const uint64_t objects = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000000;
    const unsigned references = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 3;
    const char *directory = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    printf("stage,shape,memory,items,seconds,M items/s,MB/s\n");
    for (int compression = 1; compression >= 0; compression--) {
        char path[256];
        snprintf(path, sizeof path, "%s/bench_decode.XXXXXX", directory);
        const int fd = mkstemp(path);
        if (fd < 0) return 1;
        unlink(path);
        write_capture(fd, objects, references, compression);
        measure(fd, compression ? "zstd 1" : "stored");
    }
    return 0;
}

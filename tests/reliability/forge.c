/*
 * Makes hostile captures out of a good one: every length, count and number in the file header, the block headers and
 * the column headers is set to values where sums break, and all checksums are made right again, so that nothing but the
 * reader's own care stands between the value and the memory. Then the bombs: a small zstd frame that unpacks to far
 * more than its block says. Written from FORMAT.md (sections 3, 4 and 5).
 *
 *      forge IN.hs FOLDER START STEP      writes variants START, START+STEP … as FOLDER/<number>-<what>.hs; prints how many there are
 *      forge IN.hs FOLDER 0 0             the bombs alone
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#define FILE_HEADER   64u
#define BLOCK_HEADER  56u
#define COLUMN_HEADER 12u
#define MAX_RAW       ((size_t)4 << 20)

typedef struct field {
    const char *name;
    size_t offset, width;
} field;

static const field file_fields[] = {
    {"major", 8, 2},     {"minor", 10, 2},    {"header_bytes", 12, 4},
    {"required", 16, 8}, {"optional", 24, 8}, {"reserved", 48, 8},
};
static const field block_fields[] = {
    {"type", 4, 1},    {"codec", 5, 1},          {"flags", 6, 2},      {"record_count", 8, 4},  {"reserved", 12, 4},
    {"number", 16, 8}, {"first_ordinal", 24, 8}, {"raw_bytes", 32, 4}, {"stored_bytes", 36, 4},
};
static const field column_fields[] = {
    {"column", 0, 1}, {"coding", 1, 1}, {"shift", 2, 1}, {"reserved", 3, 1}, {"count", 4, 4}, {"bytes", 8, 4},
};
static const uint64_t values[] = {
    0,
    1,
    2,
    0x7FFFFFFF,
    0x80000000,
    0x80000001,
    0xFFFFFFFE,
    0xFFFFFFFF,
    UINT64_C(0x100000000),
    UINT64_C(0x100000001),
    UINT64_C(1) << 63,
    UINT64_MAX,
};
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static struct {
    uint8_t *data; /* the good capture */
    size_t size;
    const char *folder;
    uint64_t start, step, count;
} job;

static void die(const char *what)
{
    fprintf(stderr, "forge: %s: %m\n", what);
    exit(2);
}

static uint64_t get(const uint8_t *at, size_t width)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static void put(uint8_t *at, size_t width, uint64_t value)
{
    for (size_t i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* True if this variant is one of those asked for; counts it either way. */
static bool is_wanted(bool is_bomb)
{
    const uint64_t number = job.count++;
    if (job.step == 0) return is_bomb;
    return number >= job.start && (number - job.start) % job.step == 0;
}

static void save(const char *what, const uint8_t *data, size_t size)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%05" PRIu64 "-%s.hs", job.folder, job.count - 1, what);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) die(path);
    for (size_t done = 0; done < size;) {
        const ssize_t got = write(fd, data + done, size - done);
        if (got < 0) die(path);
        done += (size_t)got;
    }
    close(fd);
}

/* ---- checksums (3.3, 4.3, 4.4) ---- */

static void seal_file_header(uint8_t *file) { put(file + 56, 8, XXH3_64bits(file, 56)); }

/* The payload's checksum covers what the block now claims to store, as far as the file goes. */
static void seal_block(uint8_t *file, size_t size, size_t at)
{
    uint8_t *block = file + at;
    const uint64_t seed = XXH3_64bits_withSeed(file + 32, 16, 0);
    size_t stored = (size_t)get(block + 36, 4);
    if (stored > size - at - BLOCK_HEADER) stored = size - at - BLOCK_HEADER;
    put(block + 48, 8, XXH3_64bits_withSeed(block, 40, seed));
    put(block + 40, 8, XXH3_64bits_withSeed(block + BLOCK_HEADER, stored, get(block + 48, 8)));
}

/* ---- variants ---- */

static void forge_file_header(void)
{
    for (size_t f = 0; f < LENGTH(file_fields); f++) {
        for (size_t v = 0; v < LENGTH(values); v++) {
            if (!is_wanted(false)) continue;
            uint8_t *file = malloc(job.size);
            char what[128];
            if (file == NULL) die("malloc");
            memcpy(file, job.data, job.size);
            put(file + file_fields[f].offset, file_fields[f].width, values[v]);
            seal_file_header(file);
            snprintf(what, sizeof what, "file-%s-%" PRIx64, file_fields[f].name, values[v]);
            save(what, file, job.size);
            free(file);
        }
    }
}

static void forge_block_header(size_t at, size_t number)
{
    for (size_t f = 0; f < LENGTH(block_fields); f++) {
        for (size_t v = 0; v < LENGTH(values); v++) {
            if (!is_wanted(false)) continue;
            uint8_t *file = malloc(job.size);
            char what[128];
            if (file == NULL) die("malloc");
            memcpy(file, job.data, job.size);
            put(file + at + block_fields[f].offset, block_fields[f].width, values[v]);
            seal_block(file, job.size, at);
            snprintf(what, sizeof what, "block%zu-%s-%" PRIx64, number, block_fields[f].name, values[v]);
            save(what, file, job.size);
            free(file);
        }
    }
}

/* The capture with the payload of one block replaced, stored without compression if `is_plain`. */
static void save_with_payload(const char *what, size_t at, const uint8_t *payload, size_t payload_size, size_t raw_size,
                              bool is_plain)
{
    const size_t behind = at + BLOCK_HEADER + (size_t)get(job.data + at + 36, 4);
    const size_t size = at + BLOCK_HEADER + payload_size + (job.size - behind);
    uint8_t *file = malloc(size);
    if (file == NULL) die("malloc");
    memcpy(file, job.data, at + BLOCK_HEADER);
    memcpy(file + at + BLOCK_HEADER, payload, payload_size);
    memcpy(file + at + BLOCK_HEADER + payload_size, job.data + behind, job.size - behind);
    file[at + 5] = is_plain ? 0 : 1;
    put(file + at + 32, 4, raw_size);
    put(file + at + 36, 4, payload_size);
    seal_block(file, size, at);
    save(what, file, size);
    free(file);
}

static void forge_column(size_t at, size_t number, uint8_t *raw, size_t raw_size, size_t column, size_t column_number)
{
    for (size_t f = 0; f < LENGTH(column_fields); f++) {
        for (size_t v = 0; v < LENGTH(values); v++) {
            char what[128];
            if (!is_wanted(false)) continue;
            uint8_t *place = raw + column + column_fields[f].offset;
            const uint64_t good = get(place, column_fields[f].width);
            put(place, column_fields[f].width, values[v]);
            snprintf(what, sizeof what, "block%zu-column%zu-%s-%" PRIx64, number, column_number, column_fields[f].name,
                     values[v]);
            save_with_payload(what, at, raw, raw_size, raw_size, true);
            put(place, column_fields[f].width, good);
        }
    }
}

/* Sets 8 bytes inside the columns' data, at every place, to all ones: controls, lengths of texts, references, numbers
 * of entries. */
static void forge_data(size_t at, size_t number, uint8_t *raw, size_t raw_size)
{
    for (size_t place = 0; place + 8 <= raw_size; place++) {
        uint8_t good[8];
        char what[128];
        if (!is_wanted(false)) continue;
        memcpy(good, raw + place, 8);
        memset(raw + place, 0xFF, 8);
        snprintf(what, sizeof what, "block%zu-ones-at%zu", number, place);
        save_with_payload(what, at, raw, raw_size, raw_size, true);
        memcpy(raw + place, good, 8);
    }
}

/* INFO and END hold their fields directly (5.1). */
static bool has_columns(uint8_t type) { return type != 1 && type != 16; }

static void forge_payload(size_t at, size_t number)
{
    const uint8_t *block = job.data + at;
    const size_t raw_size = (size_t)get(block + 32, 4);
    const size_t stored = (size_t)get(block + 36, 4);
    uint8_t *raw = malloc(raw_size ? raw_size : 1);
    if (raw == NULL) die("malloc");
    if (block[5] == 0) {
        memcpy(raw, block + BLOCK_HEADER, raw_size);
    } else if (ZSTD_decompress(raw, raw_size, block + BLOCK_HEADER, stored) != raw_size) {
        errno = EINVAL;
        die("a block does not decompress");
    }
    size_t column_number = 0;
    for (size_t column = 0; has_columns(block[4]) && column + COLUMN_HEADER <= raw_size;) {
        const size_t bytes = (size_t)get(raw + column + 8, 4);
        forge_column(at, number, raw, raw_size, column, column_number++);
        if (bytes > raw_size - column - COLUMN_HEADER) break;
        column += COLUMN_HEADER + bytes;
    }
    forge_data(at, number, raw, raw_size);
    free(raw);
}

/* One frame of `raw_size` zeros: 32,000 to 1. */
static uint8_t *make_bomb(size_t raw_size, size_t *size)
{
    const size_t capacity = raw_size / 8192 + 65536;
    uint8_t *frame = malloc(capacity);
    uint8_t *zeros = calloc(1, MAX_RAW);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (frame == NULL || zeros == NULL || context == NULL) die("malloc");
    ZSTD_outBuffer out = {frame, capacity, 0};
    for (size_t done = 0; done < raw_size; done += MAX_RAW) {
        ZSTD_inBuffer in = {zeros, MAX_RAW, 0};
        const bool is_last = done + MAX_RAW >= raw_size;
        size_t left = 1;
        while (is_last ? left != 0 : in.pos < in.size) {
            left = ZSTD_compressStream2(context, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
            if (ZSTD_isError(left)) die("zstd");
        }
    }
    ZSTD_freeCCtx(context);
    free(zeros);
    *size = out.pos;
    return frame;
}

typedef struct bomb {
    size_t true_size, claimed;
    uint8_t *frame; /* made when it is first wanted */
    size_t size;
} bomb;

static void forge_bombs(size_t at, size_t number)
{
    static bomb bombs[] = {
        {(size_t)1 << 30, 4u << 20, NULL, 0},
        {(size_t)1 << 30, 1000, NULL, 0},
        {(size_t)1 << 30, 1u << 30, NULL, 0},
        {4u << 20, 0xFFFFFFFF, NULL, 0},
    };
    for (size_t i = 0; i < LENGTH(bombs); i++) {
        bomb *b = &bombs[i];
        char what[128];
        if (!is_wanted(true)) continue;
        if (b->frame == NULL) b->frame = make_bomb(b->true_size, &b->size);
        snprintf(what, sizeof what, "block%zu-bomb%zu", number, i);
        save_with_payload(what, at, b->frame, b->size, b->claimed, false);
    }
}

static void read_input(const char *path)
{
    struct stat what;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &what) != 0) die(path);
    job.size = (size_t)what.st_size;
    job.data = malloc(job.size + 1);
    if (job.data == NULL || read(fd, job.data, job.size) != (ssize_t)job.size) die(path);
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: forge IN.hs FOLDER START STEP\n");
        return 2;
    }
    read_input(argv[1]);
    job.folder = argv[2];
    job.start = strtoull(argv[3], NULL, 10);
    job.step = strtoull(argv[4], NULL, 10);

    size_t number = 0;
    forge_file_header();
    for (size_t at = FILE_HEADER; at + BLOCK_HEADER <= job.size && memcmp(job.data + at, "HSBK", 4) == 0; number++) {
        forge_block_header(at, number);
        forge_payload(at, number);
        forge_bombs(at, number);
        at += BLOCK_HEADER + (size_t)get(job.data + at + 36, 4);
    }
    free(job.data);
    printf("%" PRIu64 " variants of %zu blocks\n", job.count, number);
    return 0;
}

#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
/* The machinery of the sweeps. See kit.h. */
#include "integrity/kit.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hsdiff/dump.h>

#include "support/heap_model.h"
#include "support/make_samples.h"
#include "support/reseal.h"

#define MAX_BLOCKS 4096

bool is_long(void)
{
    const char *value = getenv("HSD_LONG");
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

/* A million openings: the budget is told, so that nobody asks the machine for one each time, and what is freed stays
 * in the process. */
static const hsd_run quick_run = {.memory_bytes = UINT64_C(64) << 20, .threads = 1};

__attribute__((constructor)) static void keep_freed_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

static void find_blocks(sample *s)
{
    s->offsets = malloc((MAX_BLOCKS + 1) * sizeof *s->offsets);
    if (s->offsets == NULL) exit(2);
    s->blocks = block_offsets(s->bytes, s->size, s->offsets, MAX_BLOCKS);
    s->offsets[s->blocks] = s->offsets[s->blocks - 1] + block_bytes(s->bytes, s->offsets[s->blocks - 1]);
}

sample sample_load(size_t index)
{
    sample s = {.name = hsd_sample_name(index), .is_complete = hsd_sample_is_complete(index)};
    s.bytes = memfile_sample(index, &s.size);
    find_blocks(&s);
    return s;
}

sample sample_random(uint64_t number)
{
    sample s = {.name = "random", .is_complete = true};
    test_random random = {number};
    const model_heap heap = model_random(&random);
    const model_form form = model_random_form(&random);
    s.bytes = model_write(&heap, &form, salvage_path()) ? memfile_read_all(salvage_path(), &s.size) : NULL;
    unlink(salvage_path());
    if (s.bytes == NULL) {
        printf("random heap %llu cannot be written\n", (unsigned long long)number);
        exit(2);
    }
    find_blocks(&s);
    return s;
}

void sample_free(sample *s)
{
    free(s->bytes);
    free(s->offsets);
}

/* ---- reading ---- */

static hsd_status drop(void *context, const char *bytes, size_t size, hsd_error *err)
{
    (void)context, (void)bytes, (void)size, (void)err;
    return HSD_OK;
}

static reading open_and(const memfile *file, hsd_damage damage, bool reads)
{
    reading r = {0};
    hsd_capture *capture;
    hsd_error_init(&r.err);
    const int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    r.status = hsd_capture_open_fd(&capture, fd, "x.hs", damage, &quick_run, &r.err);
    if (r.status != HSD_OK) return r;
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    r.was_opened = true;
    r.is_complete = info->is_complete;
    r.objects = info->objects;
    r.bytes = info->bytes;
    r.damaged_blocks = info->damaged_blocks;
    if (reads) r.status = hsd_capture_dump(capture, drop, NULL, &r.err);
    hsd_capture_close(capture);
    return r;
}

reading open_only(const memfile *file, hsd_damage damage) { return open_and(file, damage, false); }

reading read_all(const memfile *file, hsd_damage damage) { return open_and(file, damage, true); }

static void take_fault(void *context, const char *rule, uint64_t offset_bytes, uint64_t block, const char *text)
{
    verdict *v = context;
    (void)block;
    if (v->first_rule[0] != '\0') return;
    snprintf(v->first_rule, sizeof v->first_rule, "%s", rule);
    snprintf(v->first_text, sizeof v->first_text, "%s", text);
    v->first_offset = offset_bytes;
}

verdict verify(const char *path)
{
    verdict v = {0};
    hsd_error_init(&v.err);
    v.status = hsd_capture_verify(path, &quick_run, take_fault, &v, &v.result, &v.err);
    v.faults = v.result.faults;
    return v;
}

const char *salvage_path(void)
{
    static char path[256];
    const char *directory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    if (path[0] == '\0') snprintf(path, sizeof path, "%s/hsdiff-sweep-%d.hs", directory, (int)getpid());
    return path;
}

static void remove_salvaged(void) { unlink(salvage_path()); }

hsd_status salvage(const char *path, hsd_salvage_result *result, hsd_error *err)
{
    static bool is_registered;
    if (!is_registered) atexit(remove_salvaged);
    is_registered = true;
    hsd_error_init(err);
    return hsd_capture_salvage(path, salvage_path(), true, &quick_run, result, err);
}

typedef struct text {
    char *bytes;
    size_t size, capacity;
} text;

static hsd_status append(void *context, const char *bytes, size_t size, hsd_error *err)
{
    text *t = context;
    if (t->capacity - t->size < size) {
        t->capacity = 2 * (t->size + size);
        t->bytes = realloc(t->bytes, t->capacity);
        if (t->bytes == NULL) return hsd_fail(err, HSD_E_NOMEM, "no memory");
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    return HSD_OK;
}

char *dump_text(const char *path, hsd_damage damage, size_t *size)
{
    text t = {0};
    hsd_capture *capture;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_capture_open(&capture, path, damage, NULL, &err) != HSD_OK) return NULL;
    const hsd_status status = hsd_capture_dump(capture, append, &t, &err);
    hsd_capture_close(capture);
    if (status != HSD_OK) free(t.bytes);
    *size = t.size;
    return status == HSD_OK ? t.bytes : NULL;
}

/* ---- counting ---- */

static uint64_t cases, begun_ns, slowest_ns;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void case_begin(void) { begun_ns = now_ns(); }

void case_end(void)
{
    const uint64_t took = now_ns() - begun_ns;
    cases++;
    if (took > slowest_ns) slowest_ns = took;
}

bool wants_more(uint64_t wanted) { return is_long() && cases < wanted; }

void report(const char *what)
{
    printf("%s: %llu tried, slowest %.1f ms of processor time\n", what, (unsigned long long)cases,
           (double)slowest_ns / 1e6);
    if (slowest_ns > 1000000000u) {
        printf("a case took more than a second\n");
        exit(1);
    }
    cases = slowest_ns = 0;
}

void wrong(const sample *s, const memfile *file, const char *format, ...)
{
    char path[64];
    size_t size;
    va_list args;
    va_start(args, format);
    printf("sample %s: ", s->name);
    vprintf(format, args);
    va_end(args);
    snprintf(path, sizeof path, "/tmp/hsdiff-wrong-%d.hs", (int)getpid());
    uint8_t *bytes = memfile_read_all(file->path, &size);
    FILE *out = bytes != NULL ? fopen(path, "wb") : NULL;
    if (out != NULL) {
        fwrite(bytes, 1, size, out);
        fclose(out);
        printf("\nthe bytes are in %s", path);
    }
    printf("\n");
    free(bytes);
    exit(1);
}

/*
 * The list of blocks and the walk over it. See wasm_heap.h.
 */
#include "wasm_heap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hscapture/hscapture.h>

enum { ROOTS_MAX = 256, TYPES_MAX = 256 };

typedef struct block {
    struct block *before, *after;
    const char *type;
    uint32_t size, mark;
    uint64_t number;
    uint64_t align; /* what follows stays aligned to 16 */
} block;

static struct {
    block list;
    uint64_t numbers;
    size_t count;
    const char *name;
    const char *root_names[ROOTS_MAX];
    const void *roots[ROOTS_MAX];
    size_t root_count;
    uint8_t domain[16];
    uint64_t started_ns;
} heap;

extern void *__real_malloc(size_t size);
extern void *__real_calloc(size_t count, size_t size);
extern void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

__attribute__((import_module("hsdiff"), import_name("write"))) extern int32_t host_write(const void *data,
                                                                                         uint32_t size);

static uint64_t now_ns(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 ? (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec : 0;
}

/* ---- the list ---- */

static void begin_list(void)
{
    if (heap.list.after != NULL) return;
    heap.list.before = heap.list.after = &heap.list;
    heap.started_ns = now_ns();
    (void)getentropy(heap.domain, sizeof heap.domain);
}

static void *enter_block(block *one, size_t size)
{
    if (one == NULL) return NULL;
    begin_list();
    *one = (block){.before = heap.list.before, .after = &heap.list, .size = (uint32_t)size, .number = ++heap.numbers};
    one->before->after = one;
    heap.list.before = one;
    heap.count++;
    return one + 1;
}

void *__wrap_malloc(size_t size)
{
    return size > SIZE_MAX - sizeof(block) ? NULL : enter_block(__real_malloc(sizeof(block) + size), size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - sizeof(block)) return NULL;
    return enter_block(__real_calloc(1, sizeof(block) + bytes), bytes);
}

void __wrap_free(void *memory)
{
    if (memory == NULL) return;
    block *one = (block *)memory - 1;
    one->before->after = one->after;
    one->after->before = one->before;
    heap.count--;
    __real_free(one);
}

/* A new block: what it was keeps its number only where it stays. */
void *__wrap_realloc(void *memory, size_t size)
{
    if (memory == NULL) return __wrap_malloc(size);
    block *old = (block *)memory - 1;
    if (size <= old->size && size >= old->size / 2) {
        old->size = (uint32_t)size;
        return memory;
    }
    void *fresh = __wrap_malloc(size);
    if (fresh == NULL) return NULL;
    hsdiff_tag(fresh, old->type);
    memcpy(fresh, memory, size < old->size ? size : old->size);
    __wrap_free(memory);
    return fresh;
}

void *hsdiff_tag(void *memory, const char *type)
{
    if (memory != NULL) ((block *)memory - 1)->type = type;
    return memory;
}

void hsdiff_root(const char *name, const void *variable)
{
    if (heap.root_count == ROOTS_MAX) return;
    heap.root_names[heap.root_count] = name;
    heap.roots[heap.root_count++] = variable;
}

void hsdiff_name(const char *name) { heap.name = name; }

/* ---- the walk ---- */

typedef struct walk {
    hsc_writer *writer;
    block **sorted; /* by address */
    const char *types[TYPES_MAX];
    uint32_t type_count;
} walk;

static ptrdiff_t write_out_bytes(void *context, const void *data, size_t size)
{
    (void)context;
    return host_write(data, (uint32_t)size);
}

static void *take_bytes(void *context, size_t size)
{
    (void)context;
    return __real_calloc(1, size);
}

static void give_bytes(void *context, void *memory)
{
    (void)context;
    __real_free(memory);
}

static int by_address(const void *a, const void *b)
{
    const block *left = *(block *const *)a, *right = *(block *const *)b;
    return left < right ? -1 : left > right;
}

/* The block into which an address leads, NULL = none. */
static const block *find_block(const walk *w, uintptr_t address)
{
    size_t low = 0, high = heap.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)(w->sorted[middle] + 1) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return NULL;
    const block *one = w->sorted[low - 1];
    return address - (uintptr_t)(one + 1) < (one->size == 0 ? 1 : one->size) ? one : NULL;
}

static uint32_t type_of(walk *w, const char *name)
{
    if (name == NULL) name = "malloc";
    for (uint32_t i = 0; i < w->type_count; i++)
        if (w->types[i] == name || strcmp(w->types[i], name) == 0) return i + 1;
    if (w->type_count == TYPES_MAX) return 0;
    w->types[w->type_count++] = name;
    hsc_define_type(w->writer, w->type_count, name, strlen(name), 0);
    return w->type_count;
}

static void write_block(walk *w, const block *one)
{
    const uintptr_t *words = (const uintptr_t *)(one + 1);
    hsc_begin_object(w->writer,
                     &(hsc_object){.id = one->number, .size_bytes = one->size, .type = type_of(w, one->type)});
    for (uint32_t i = 0; i < one->size / sizeof *words; i++) {
        const block *target = find_block(w, words[i]);
        if (target != NULL && target != one) hsc_reference(w->writer, target->number, 1, i * sizeof *words);
    }
    hsc_end_object(w->writer);
}

static void write_roots(walk *w)
{
    for (size_t i = 0; i < heap.root_count; i++) {
        const block *target = find_block(w, *(const uintptr_t *)heap.roots[i]);
        hsc_define_string(w->writer, (uint32_t)i + 2, heap.root_names[i], strlen(heap.root_names[i]));
        if (target == NULL) continue;
        hsc_root(w->writer,
                 &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .label = (uint32_t)i + 2, .target = target->number});
    }
}

/* From the first byte of the data to where the heap begins: named variables are in it once more, and count first. */
extern char __global_base, __data_end, __heap_base;

static void scan_data(walk *w)
{
    const uintptr_t *at = (const uintptr_t *)(((uintptr_t)&__global_base + 3) & ~(uintptr_t)3);
    for (; at + 1 <= (const uintptr_t *)&__data_end; at++) {
        if ((const void *)at >= (const void *)&heap && (const void *)at < (const void *)(&heap + 1)) continue;
        const block *target = find_block(w, *at);
        if (target == NULL) continue;
        hsc_root(w->writer,
                 &(hsc_root_record){
                     .kind = HSC_ROOT_STATIC, .label = 1, .target = target->number, .flags = HSC_ROOT_SECONDARY});
    }
}

static hsc_status open_writer(walk *w)
{
    static const hsc_allocator allocator = {.take = take_bytes, .give = give_bytes};
    const hsc_sink sink = {.write = write_out_bytes};
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "hsdiff wasm heap";
    options.runtime = "WebAssembly";
    options.process_name = heap.name == NULL ? "wasm" : heap.name;
    options.pid = 1; /* there is none: the domain tells instances apart */
    options.started_unix_ns = heap.started_ns;
    options.facts = HSC_FACT_CONSERVATIVE;
    options.identity = HSC_IDENTITY_EXACT;
    memcpy(options.domain, heap.domain, sizeof options.domain);
    options.pointer_bytes = sizeof(void *);
    options.memory_bytes = 256 << 10;
    options.compression = 0;
    options.allocator = &allocator;
    return hsc_open(&w->writer, &sink, &options);
}

static void write_blocks(walk *w, uint64_t began)
{
    static const char data[] = "data of the program";
    size_t count = 0;
    for (block *one = heap.list.after; one != &heap.list; one = one->after)
        w->sorted[count++] = one;
    qsort(w->sorted, count, sizeof *w->sorted, by_address);
    hsc_define_string(w->writer, 1, data, sizeof data - 1);
    hsc_define_label(w->writer, 1, HSC_LABEL_FIELD, 0, 0);
    write_roots(w);
    scan_data(w);
    uint64_t bytes = 0;
    for (const block *one = heap.list.after; one != &heap.list; one = one->after) {
        write_block(w, one);
        bytes += one->size;
    }
    hsc_metric(w->writer, "heap.used", "bytes", bytes);
    hsc_metric(w->writer, "heap.committed", "bytes", (uint64_t)__builtin_wasm_memory_size(0) * 65536);
    hsc_metric(w->writer, "capture.pause", "ns", now_ns() - began);
}

__attribute__((export_name("hsdiff_capture"))) int hsdiff_capture(void);

int hsdiff_capture(void)
{
    const uint64_t began = now_ns();
    begin_list();
    walk *w = __real_calloc(1, sizeof *w);
    if (w == NULL) return 1;
    hsc_status status = HSC_E_NOMEM;
    w->sorted = __real_calloc(heap.count + 1, sizeof *w->sorted);
    if (w->sorted != NULL) status = open_writer(w);
    if (status == HSC_OK) {
        write_blocks(w, began);
        status = hsc_finish(w->writer);
    }
    hsc_close(w->writer);
    __real_free(w->sorted);
    __real_free(w);
    return status == HSC_OK ? 0 : 1;
}

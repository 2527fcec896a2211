/* Tables of the file are made in one go, but for the records of nodes, which stand in their order or against it. */
#include "support/gcdump_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEGIN = 4, END = 6, NONE = 1, REFERENCE = 2, KINDS = 8, MODULES = 64 };

typedef struct writing {
    gw_bytes out;
    unsigned label_bytes;
    const char *kinds[KINDS];
    uint64_t kind_labels[KINDS];
    const char *modules[MODULES];
    uint64_t module_labels[MODULES];
} writing;

/* ---- bytes ---- */

static void put(gw_bytes *out, const void *data, size_t size)
{
    if (out->capacity - out->size < size) {
        out->capacity = (out->size + size) * 2;
        out->data = realloc(out->data, out->capacity);
        if (out->data == NULL) {
            fputs("out of memory for a gcdump\n", stderr);
            exit(1);
        }
    }
    if (size > 0) memcpy(out->data + out->size, data, size);
    out->size += size;
}

static void number(gw_bytes *out, uint64_t value, unsigned bytes)
{
    uint8_t raw[8];
    for (unsigned i = 0; i < bytes; i++)
        raw[i] = (uint8_t)(value >> (8 * i));
    put(out, raw, bytes);
}

static void byte(gw_bytes *out, unsigned value) { number(out, value, 1); }
static void i32(gw_bytes *out, uint32_t value) { number(out, value, 4); }
static void i64(gw_bytes *out, uint64_t value) { number(out, value, 8); }

static void real(gw_bytes *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    i32(out, bits);
}

/* UTF-8 as units of UTF-16, each in one to three bytes. */
static void text(gw_bytes *out, const char *value)
{
    gw_bytes units = {0};
    uint32_t count = 0;
    if (value == NULL) {
        i32(out, UINT32_MAX);
        return;
    }
    for (const uint8_t *at = (const uint8_t *)value; *at != 0; count++) {
        const size_t size = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
        if (size < 4) {
            put(&units, at, size);
        } else {
            const uint32_t c =
                ((at[0] & 7u) << 18 | (at[1] & 63u) << 12 | (at[2] & 63u) << 6 | (at[3] & 63u)) - 0x10000;
            const uint32_t halves[] = {0xd800 + (c >> 10), 0xdc00 + (c & 0x3ff)};
            for (size_t i = 0; i < 2; i++) {
                byte(&units, 0xe0 | halves[i] >> 12);
                byte(&units, 0x80 | (halves[i] >> 6 & 63));
                byte(&units, 0x80 | (halves[i] & 63));
            }
            count++;
        }
        at += size;
    }
    i32(out, count);
    put(out, units.data, units.size);
    free(units.data);
}

/* Seven bits a byte, the most significant first, with a sign, in as few as will do. */
static void packed(gw_bytes *out, int32_t value)
{
    unsigned bytes = 1;
    while (bytes < 5 && (value < -(INT64_C(1) << (7 * bytes - 1)) || value >= INT64_C(1) << (7 * bytes - 1)))
        bytes++;
    while (bytes-- > 0)
        byte(out, ((uint32_t)((int64_t)value >> (7 * bytes)) & 0x7f) | (bytes > 0 ? 0x80u : 0));
}

/* ---- objects ---- */

static void begin(writing *w, const char *kind, uint32_t version, uint32_t least)
{
    size_t i = 0;
    byte(&w->out, BEGIN);
    while (w->kinds[i] != NULL && strcmp(w->kinds[i], kind) != 0)
        i++;
    if (w->kinds[i] != NULL) {
        byte(&w->out, REFERENCE);
        number(&w->out, w->kind_labels[i], w->label_bytes);
        return;
    }
    w->kinds[i] = kind;
    w->kind_labels[i] = w->out.size;
    byte(&w->out, BEGIN);
    byte(&w->out, NONE);
    i32(&w->out, version);
    i32(&w->out, least);
    text(&w->out, kind);
    byte(&w->out, END);
}

static void end(writing *w) { byte(&w->out, END); }

/* ---- the graph ---- */

static int32_t size_of(const gw_heap *heap, const gw_node *node)
{
    const int32_t size = node->size != 0 ? node->size : heap->types[node->type].size;
    return size < 0 || node->is_untold ? 0 : size;
}

uint64_t gw_total(const gw_heap *heap)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < heap->node_count; i++)
        total += (uint64_t)size_of(heap, &heap->nodes[i]);
    return total;
}

static bool has_late_names(const gw_heap *heap)
{
    for (uint32_t i = 0; i < heap->type_count; i++)
        if (heap->types[i].name == NULL) return true;
    return false;
}

static void record(gw_bytes *blob, const gw_heap *heap, uint32_t i)
{
    const gw_node *node = &heap->nodes[i];
    const bool has_size = node->size != 0 && node->size != heap->types[node->type].size;
    packed(blob, (int32_t)(node->type << 1 | has_size));
    if (has_size) packed(blob, node->size);
    packed(blob, (int32_t)node->count);
    for (uint32_t k = 0; k < node->count; k++)
        packed(blob, (int32_t)(node->children[k] - i));
}

static void module(writing *w, const char *path)
{
    size_t i = 0;
    if (path == NULL) {
        byte(&w->out, NONE);
        return;
    }
    while (w->modules[i] != NULL && strcmp(w->modules[i], path) != 0)
        i++;
    if (w->modules[i] != NULL) {
        byte(&w->out, REFERENCE);
        number(&w->out, w->module_labels[i], w->label_bytes);
        return;
    }
    w->modules[i] = path;
    w->module_labels[i] = w->out.size;
    begin(w, "Graphs.Module", 0, 0);
    text(&w->out, path);
    for (int k = 0; k < 3; k++)
        i64(&w->out, 0x400000);
    text(&w->out, "module.pdb");
    for (int k = 0; k < 5; k++)
        i32(&w->out, 7);
    end(w);
}

static void late_names(writing *w, const gw_heap *heap)
{
    i32(&w->out, 0);
    i32(&w->out, heap->type_count);
    for (uint32_t i = 0; i < heap->type_count; i++) {
        const gw_type *type = &heap->types[i];
        i32(&w->out, type->late_id);
        module(w, type->name == NULL ? type->module : NULL);
        text(&w->out, type->suffix);
    }
    end(w);
}

static void nodes(writing *w, const gw_heap *heap)
{
    const unsigned width = heap->has_wide_counts ? 8 : 4;
    gw_bytes blob = {0};
    uint32_t *offsets = calloc(heap->node_count + 1u, sizeof *offsets);
    put(&blob, "\0\0", 2); /* of UNDEFINED: type 0, without a size, no children */
    for (uint32_t i = 0; i < heap->node_count; i++) {
        const uint32_t k = heap->is_backwards ? heap->node_count - 1 - i : i;
        offsets[k] = heap->nodes[k].is_untold ? 0 : (uint32_t)blob.size;
        if (!heap->nodes[k].is_untold) record(&blob, heap, k);
    }
    number(&w->out, heap->node_count, width);
    for (uint32_t i = 0; i < heap->node_count; i++)
        i32(&w->out, offsets[i]);
    i32(&w->out, (uint32_t)blob.size);
    put(&w->out, blob.data, blob.size);
    free(blob.data);
    free(offsets);
    if (has_late_names(heap)) late_names(w, heap);
    number(&w->out, heap->node_count, width);
    for (uint32_t i = 0; i < heap->node_count; i++)
        i64(&w->out, heap->nodes[i].address);
}

static void graph(writing *w, const gw_heap *heap)
{
    begin(w, "Graphs.MemoryGraph", 1, has_late_names(heap) ? 1 : 0);
    i64(&w->out, gw_total(heap));
    i32(&w->out, heap->root);
    i32(&w->out, heap->type_count);
    for (uint32_t i = 0; i < heap->type_count; i++) {
        text(&w->out, heap->types[i].name);
        i32(&w->out, (uint32_t)heap->types[i].size);
        text(&w->out, heap->types[i].module);
    }
    nodes(w, heap);
    byte(&w->out, 8);
    byte(&w->out, 1);
    end(w);
}

/* ---- around it ---- */

static void segments(writing *w, const gw_heap *heap)
{
    i32(&w->out, heap->segment_count);
    for (uint32_t i = 0; i < heap->segment_count; i++) {
        begin(w, "GCHeapDumpSegment", 1, 0);
        i64(&w->out, heap->segments[i].start);
        i64(&w->out, heap->segments[i].end);
        for (size_t k = 0; k < 5; k++)
            i64(&w->out, heap->segments[i].generation_end[k]);
        end(w);
    }
}

static void process(writing *w, const gw_heap *heap)
{
    text(&w->out, "collected\r\n");
    i64(&w->out, heap->taken_ticks);
    text(&w->out, "machine");
    text(&w->out, heap->process);
    i32(&w->out, heap->pid);
    i64(&w->out, 0);
    i64(&w->out, heap->resident_bytes);
}

static void interop(writing *w, bool is_there)
{
    static const uint8_t nothing[40];
    byte(&w->out, 12);
    i32(&w->out, 0);
    if (!is_there) {
        byte(&w->out, NONE);
        return;
    }
    begin(w, "InteropInfo", 0, 0);
    i32(&w->out, 2);
    for (int i = 0; i < 4; i++)
        i32(&w->out, 1);
    put(&w->out, nothing, 40);
    put(&w->out, nothing, 32);
    put(&w->out, nothing, 33);
    put(&w->out, nothing, 16);
    text(&w->out, "combase.dll");
    end(w);
}

static void new_dump(writing *w, const gw_heap *heap)
{
    byte(&w->out, 1);
    real(&w->out, heap->count_multiplier > 0 ? heap->count_multiplier : 1);
    real(&w->out, heap->size_multiplier > 0 ? heap->size_multiplier : 1);
    byte(&w->out, NONE);
    if (heap->segment_count > 0) {
        begin(w, "DotNetHeapInfo", 1, 0);
        i64(&w->out, 1 << 20);
        segments(w, heap);
        end(w);
    } else {
        byte(&w->out, NONE);
    }
    process(w, heap);
    i32(&w->out, heap->multiplier_count);
    for (uint32_t i = 0; i < heap->multiplier_count; i++)
        real(&w->out, heap->multipliers[i]);
    interop(w, heap->has_interop);
    if (heap->tool != NULL) {
        byte(&w->out, 13);
        text(&w->out, heap->tool);
    }
    if (heap->has_extras) { /* of a version to come */
        put(&w->out, "\x08\x07\x09\x07\x07\x0a\0\0\0\0\x0b\0\0\0\0\0\0\0\0\x0e\x03\0\0\0abc\x0d\x01\0\0\0z", 33);
    }
}

static void old_dump(writing *w, const gw_heap *heap)
{
    i64(&w->out, 1 << 20);
    i64(&w->out, 0);
    i64(&w->out, 0);
    byte(&w->out, 0);
    if (heap->version >= 5) process(w, heap);
    if (heap->version >= 6) segments(w, heap);
    if (heap->version >= 7) byte(&w->out, 1);
}

static void trailer(writing *w)
{
    end(w);
    const uint64_t table = w->out.size;
    i32(&w->out, 1);
    number(&w->out, table - 1, w->label_bytes);
    const uint64_t label = w->out.size;
    number(&w->out, table, w->label_bytes);
    number(&w->out, label, w->label_bytes);
}

gw_bytes gw_write(const gw_heap *heap)
{
    writing w = {.label_bytes = heap->has_wide_labels ? 8 : 4};
    text(&w.out, "!FastSerialization.1");
    if (heap->version == 0) {
        graph(&w, heap);
    } else {
        begin(&w, "GCHeapDump", heap->version, heap->version >= 9 ? 8 : 4);
        graph(&w, heap);
        if (heap->version >= 9)
            new_dump(&w, heap);
        else
            old_dump(&w, heap);
        end(&w);
    }
    trailer(&w);
    return w.out;
}

/* ---- samples: a shop with three sessions ---- */

#define CHILDREN(...)                                                                                                  \
    .children = (const uint32_t[]){__VA_ARGS__}, .count = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

static const gw_type types[] = {
    {.name = "UNDEFINED", .size = -1},
    {.name = "[.NET Roots]", .size = 0},
    {.name = "[static vars]", .size = 0},
    {.name = "[static var Shop.Registry.<Sessions>k__BackingField]", .size = 0},
    {.name = "[local vars]", .size = 0},
    {.name = "[other roots]", .size = 0},
    {.name = "[strong Handles]", .size = 0},
    {.name = "Shop.Session", .size = 32, .module = "/srv/shop.dll"},
    {.name = "System.Byte[]", .size = 25, .module = "/usr/lib/System.Private.CoreLib.dll"},
    {.name = "System.Byte[] (Bytes > 10K)", .size = 12024},
    {.name = "System.Object[] (Bytes > 1K) (Ptrs,ElemSize=8)", .size = -1},
    {.name = "System.Object[]", .size = -1},
    {.name = "System.Collections.Generic.Dictionary.Entry<System.Int32,Shop.Session>[]", .size = -1},
    {.name = "K\xc3\xa4se\xe2\x82\xac\xf0\x9f\xa7\x80", .size = 40},
};

static const gw_type late_types[] = {
    {.name = "UNDEFINED", .size = -1},
    {.name = "[.NET Roots]", .size = 0},
    {.size = 32, .module = "C:\\store\\shop.dll", .late_id = 0x1234, .suffix = ""},
    {.size = 48, .module = "C:\\store\\shop.dll", .late_id = 0x1238, .suffix = "[]"},
    {.size = 16, .module = "/srv/other.dll", .late_id = 0x10},
};

static const gw_node shop[] = {
    {.type = 1, CHILDREN(1, 2, 3)},
    {.type = 2, CHILDREN(5)},
    {.type = 4, CHILDREN(7)},
    {.type = 5, CHILDREN(4)},
    {.type = 6, CHILDREN(6)},
    {.type = 3, CHILDREN(6)},
    {.type = 10, .size = 2000, .address = 0x10000, CHILDREN(7, 8, 9, 14)},
    {.type = 7, .address = 0x20000, CHILDREN(10)},
    {.type = 7, .address = 0x20020, CHILDREN(11, 12)},
    {.type = 7, .address = 0x20040, .size = 36, CHILDREN(7)},
    {.type = 8, .address = 0x20100, .size = 100},
    {.type = 9, .address = 0x90000, .size = 12024},
    {.type = 12, .address = 0x20200, .size = 64, CHILDREN(13)},
    {.type = 13, .address = 0x20300},
    {.type = 11, .address = 0x20400, .is_untold = true},
};

static const gw_node late[] = {{.type = 1, CHILDREN(1, 2)},
                               {.type = 2, .address = 0x100, CHILDREN(3)},
                               {.type = 3, .address = 0x200},
                               {.type = 4, .address = 0x300}};

static const gw_segment parts[] = {
    {0x80000, 0xa0000, {0, 0, 0, 0xa0000, 0}},
    {0x20000, 0x30000, {0x30000, 0x20100, 0x20040, 0, 0}},
};

static const float by_type[] = {1, 1, 1, 1, 1, 1, 1, 10, 2.5F, 1, 1, 1, 1, 1};

#define SHOP                                                                                                           \
    .types = types, .type_count = sizeof types / sizeof types[0], .nodes = shop,                                       \
    .node_count = sizeof shop / sizeof shop[0]
#define LATE .types = late_types, .type_count = 5, .nodes = late, .node_count = 4
#define TOLD                                                                                                           \
    .process = "shop", .pid = 4711, .taken_ticks = 638000000000000000, .resident_bytes = 1 << 24, .segments = parts,   \
    .segment_count = 2

const gw_sample gw_samples[] = {
    {"v10", {.version = 10, SHOP, TOLD, .tool = "dotnet-gcdump", .has_interop = true, .has_extras = true}},
    {"v9", {.version = 9, SHOP, .process = "shop", .is_backwards = true}},
    {"v7", {.version = 7, SHOP, TOLD}},
    {"v6", {.version = 6, SHOP, TOLD}},
    {"v5", {.version = 5, SHOP, TOLD}},
    {"v4", {.version = 4, SHOP}},
    {"wide", {.version = 10, SHOP, .has_wide_counts = true}},
    {"sampled",
     {.version = 10,
      SHOP,
      .count_multiplier = 4,
      .size_multiplier = 3,
      .multipliers = by_type,
      .multiplier_count = 14}},
    {"graph", {SHOP, .has_wide_labels = true}},
    {"graph_old", {SHOP}},
    {"late", {.version = 10, LATE}},
    {"late_graph", {LATE, .has_wide_labels = true, .has_wide_counts = true}},
};
const size_t gw_sample_count = sizeof gw_samples / sizeof gw_samples[0];

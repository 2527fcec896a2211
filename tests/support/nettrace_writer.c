/*
 * Streams of a .NET runtime, byte by byte: see nettrace_writer.h.
 */
#include "support/nettrace_writer.h"

#include <stdlib.h>
#include <string.h>

#define THREAD   UINT64_C(4711)
#define TICKS_MS UINT64_C(1000000) /* of a clock that counts nanoseconds */

/* ---- bytes ---- */

static void put(nt_bytes *out, const void *data, size_t size)
{
    if (out->size + size > out->capacity) {
        out->capacity = (out->size + size) * 2;
        out->data = realloc(out->data, out->capacity);
        if (out->data == NULL) abort();
    }
    if (size > 0) memcpy(out->data + out->size, data, size);
    out->size += size;
}

static void number(nt_bytes *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        const uint8_t byte = (uint8_t)(value >> (8 * i));
        put(out, &byte, 1);
    }
}

static void packed(nt_bytes *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        number(out, (value & 0x7f) | 0x80, 1);
    number(out, value, 1);
}

/* UTF-8 of at most three bytes a character as UTF-16, with its NUL. */
static void text(nt_bytes *out, const char *utf8)
{
    for (const unsigned char *at = (const unsigned char *)utf8; *at != 0; at++) {
        unsigned c = *at;
        if (c >= 0xe0) {
            c = (c & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
            at += 2;
        } else if (c >= 0xc0) {
            c = (c & 0x1fu) << 6 | (at[1] & 0x3fu);
            at++;
        }
        number(out, c, 2);
    }
    number(out, 0, 2);
}

/* ---- objects of the stream ---- */

static void begin_object(nt_bytes *out, const char *kind, uint32_t version)
{
    const uint8_t tags[3] = {5, 5, 1};
    put(out, tags, sizeof tags);
    number(out, version, 4);
    number(out, version, 4);
    number(out, strlen(kind), 4);
    put(out, kind, strlen(kind));
    number(out, 6, 1);
}

static void write_block(nettrace_writer *w, const char *kind, const nt_bytes *content)
{
    begin_object(&w->out, kind, 2);
    number(&w->out, content->size, 4);
    while (w->out.size % 4 != 0)
        number(&w->out, 0, 1);
    put(&w->out, content->data, content->size);
    number(&w->out, 6, 1);
}

static void open_block(nettrace_writer *w)
{
    if (w->block.size != 0) return;
    number(&w->block, 20, 2);
    number(&w->block, w->form == NT_PACKED ? 1 : 0, 2);
    number(&w->block, 0, 8);
    number(&w->block, 0, 8);
    w->last_metadata = w->last_sequence = 0;
    w->last_ticks = 0;
}

static void write_event(nettrace_writer *w, uint32_t metadata, uint32_t sequence, const void *payload, size_t size)
{
    open_block(w);
    if (w->form == NT_PACKED) {
        const int is_new = sequence != w->last_sequence + 1 || w->last_sequence == 0;
        number(&w->block, 0x81u | (is_new && metadata != 0 ? 0x42u : 0), 1);
        packed(&w->block, metadata);
        if (is_new && metadata != 0) {
            packed(&w->block, (uint32_t)(sequence - 1 - w->last_sequence));
            packed(&w->block, THREAD);
            packed(&w->block, 1);
        }
        packed(&w->block, w->ticks - w->last_ticks);
        packed(&w->block, size);
        put(&w->block, payload, size);
        w->last_sequence = metadata == 0 ? w->last_sequence : sequence;
        w->last_ticks = w->ticks;
        return;
    }
    number(&w->block, 76 + size, 4);
    number(&w->block, metadata | UINT32_C(0x80000000), 4);
    number(&w->block, sequence, 4);
    number(&w->block, THREAD, 8);
    number(&w->block, THREAD, 8);
    number(&w->block, 1, 4);
    number(&w->block, 0, 4);
    number(&w->block, w->ticks, 8);
    for (int i = 0; i < 4; i++)
        number(&w->block, 0, 8);
    number(&w->block, size, 4);
    put(&w->block, payload, size);
    while (w->block.size % 4 != 0)
        number(&w->block, 0, 1);
}

void nt_flush(nettrace_writer *w)
{
    if (w->block.size == 0) return;
    write_block(w, "EventBlock", &w->block);
    w->block.size = 0;
}

void nt_event(nettrace_writer *w, uint32_t metadata, const void *payload, size_t size)
{
    w->ticks += 1000;
    write_event(w, metadata, ++w->sequence, payload, size);
}

void nt_drop(nettrace_writer *w, uint32_t metadata, uint32_t count)
{
    w->sequence += count;
    if (metadata >= 16 && metadata <= 19) w->indexes[metadata - 16] += count;
}

/* ---- beginning and end ---- */

static void describe(nettrace_writer *w, uint32_t kind)
{
    nt_bytes payload = {0};
    number(&payload, kind, 4);
    text(&payload, kind == 99 ? "Microsoft-Windows-DotNETRuntimeRundown" : "Microsoft-Windows-DotNETRuntime");
    number(&payload, kind, 4);
    text(&payload, "");
    number(&payload, 1, 8);
    number(&payload, 1, 4);
    number(&payload, 4, 4);
    number(&payload, 0, 4);
    write_event(w, 0, 0, payload.data, payload.size);
    free(payload.data);
}

void nt_begin(nettrace_writer *w, nt_form form, unsigned pointer_bytes)
{
    static const uint32_t kinds[] = {1, 2, 3, 4, 9, 15, 16, 17, 18, 19, 36, 38, 99};
    static const unsigned date[] = {2024, 2, 4, 29, 12, 30, 15, 250}; /* a Thursday */
    *w = (nettrace_writer){.form = form, .pointer_bytes = pointer_bytes, .ticks = 1000000};
    put(&w->out, "Nettrace", 8);
    number(&w->out, 20, 4);
    put(&w->out, "!FastSerialization.1", 20);
    begin_object(&w->out, "Trace", 4);
    for (size_t i = 0; i < 8; i++)
        number(&w->out, date[i], 2);
    number(&w->out, 0, 8);
    number(&w->out, 1000 * TICKS_MS, 8);
    number(&w->out, pointer_bytes, 4);
    number(&w->out, 77, 4);
    number(&w->out, 2, 4);
    number(&w->out, 1000000, 4);
    number(&w->out, 6, 1);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        describe(w, kinds[i]);
    write_block(w, "MetadataBlock", &w->block);
    w->block.size = 0;
    nt_bytes stacks = {0};
    number(&stacks, 1, 4);
    number(&stacks, 0, 4);
    write_block(w, "StackBlock", &stacks);
    free(stacks.data);
}

void nt_end(nettrace_writer *w)
{
    nt_bytes point = {0};
    nt_flush(w);
    number(&point, w->ticks, 8);
    number(&point, 1, 4);
    number(&point, THREAD, 8);
    number(&point, w->sequence, 4);
    write_block(w, "SPBlock", &point);
    number(&w->out, 1, 1);
    free(point.data);
}

void nt_free(nettrace_writer *w)
{
    free(w->out.data);
    free(w->block.data);
    *w = (nettrace_writer){0};
}

/* ---- events ---- */

static void send(nettrace_writer *w, uint32_t metadata, nt_bytes *payload)
{
    nt_event(w, metadata, payload->data, payload->size);
    free(payload->data);
}

static void bulk(const nettrace_writer *w, nt_bytes *payload, uint32_t metadata, size_t count)
{
    if (metadata >= 16 && metadata <= 19) number(payload, w->indexes[metadata - 16], 4);
    number(payload, count, 4);
    if (metadata == 38) number(payload, 1, 8);
    number(payload, 9, 2);
}

void nt_start(nettrace_writer *w, uint32_t collection, uint32_t depth, uint32_t type)
{
    nt_bytes p = {0};
    number(&p, collection, 4);
    number(&p, depth, 4);
    number(&p, 1, 4);
    number(&p, type, 4);
    number(&p, 0, 8);
    number(&p, 0, 2);
    send(w, 1, &p);
}

void nt_stop(nettrace_writer *w, uint32_t collection, uint32_t depth)
{
    nt_bytes p = {0};
    number(&p, collection, 4);
    number(&p, depth, 4);
    number(&p, 0, 2);
    send(w, 2, &p);
}

void nt_collection(nettrace_writer *w, uint32_t collection)
{
    const uint8_t reason[10] = {1};
    nt_event(w, 9, reason, sizeof reason);
    nt_start(w, collection, 2, 0);
}

void nt_collected(nettrace_writer *w, uint32_t collection)
{
    nt_bytes p = {0};
    nt_stop(w, collection, 2);
    for (unsigned i = 0; i < 4; i++) {
        number(&p, 100 + i, 8);
        number(&p, 0, 8);
    }
    number(&p, 0, 8);
    number(&p, 0, 8);
    number(&p, 0, 6);
    number(&p, 0, 8);
    number(&p, 104, 8);
    send(w, 4, &p);
    const uint8_t restart[2] = {0};
    w->ticks += 5 * TICKS_MS;
    nt_event(w, 3, restart, sizeof restart);
}

void nt_type(nettrace_writer *w, uint64_t id, const char *name)
{
    nt_bytes p = {0};
    number(&p, 1, 4);
    number(&p, 9, 2);
    number(&p, id, 8);
    number(&p, 5, 8);
    number(&p, 1, 4);
    number(&p, 0, 4);
    number(&p, 0x12, 1);
    text(&p, name);
    number(&p, 1, 4);
    number(&p, 0x77, 8);
    send(w, 15, &p);
}

void nt_nodes(nettrace_writer *w, const nt_node *nodes, size_t count)
{
    nt_bytes p = {0};
    bulk(w, &p, 18, count);
    for (size_t i = 0; i < count; i++) {
        number(&p, nodes[i].id, w->pointer_bytes);
        number(&p, nodes[i].size, 8);
        number(&p, nodes[i].type, 8);
        number(&p, nodes[i].edges, 8);
    }
    w->indexes[2]++;
    send(w, 18, &p);
}

void nt_edges(nettrace_writer *w, const uint64_t *targets, size_t count)
{
    nt_bytes p = {0};
    bulk(w, &p, 19, count);
    for (size_t i = 0; i < count; i++) {
        number(&p, targets[i], w->pointer_bytes);
        number(&p, 0, 4);
    }
    w->indexes[3]++;
    send(w, 19, &p);
}

void nt_roots(nettrace_writer *w, const nt_root *roots, size_t count)
{
    nt_bytes p = {0};
    bulk(w, &p, 16, count);
    for (size_t i = 0; i < count; i++) {
        number(&p, roots[i].target, w->pointer_bytes);
        number(&p, roots[i].kind, 1);
        number(&p, roots[i].flags, 4);
        number(&p, 0xabc0, w->pointer_bytes);
    }
    w->indexes[0]++;
    send(w, 16, &p);
}

void nt_static(nettrace_writer *w, uint64_t target, uint64_t type, uint32_t flags, const char *field)
{
    nt_bytes p = {0};
    bulk(w, &p, 38, 1);
    number(&p, 0x9990, 8);
    number(&p, target, 8);
    number(&p, type, 8);
    number(&p, flags, 4);
    text(&p, field);
    send(w, 38, &p);
}

void nt_dependent(nettrace_writer *w, uint64_t key, uint64_t value)
{
    nt_bytes p = {0};
    bulk(w, &p, 17, 1);
    number(&p, key, w->pointer_bytes);
    number(&p, value, w->pointer_bytes);
    number(&p, 0xdef0, w->pointer_bytes);
    w->indexes[1]++;
    send(w, 17, &p);
}

void nt_com_root(nettrace_writer *w, uint64_t target)
{
    nt_bytes p = {0};
    bulk(w, &p, 36, 1);
    number(&p, 0x8880, 8);
    number(&p, target, 8);
    number(&p, 0x10, 8);
    number(&p, 0, 8);
    number(&p, 0, 8);
    number(&p, 0, 4);
    send(w, 36, &p);
}

/* ---- a program ---- */

#define SESSIONS 40u

void nt_program(nettrace_writer *w, nt_form form, unsigned pointer_bytes)
{
    uint64_t targets[SESSIONS];
    nt_node nodes[SESSIONS];
    nt_begin(w, form, pointer_bytes);
    nt_start(w, 6, 0, 0);
    nt_stop(w, 6, 0);
    nt_collection(w, 7);
    nt_type(w, 0x10, "Shop.Session");
    nt_type(w, 0x20, "System.Collections.Generic.Dictionary`2[System.Int32,Shop.Session]");
    nt_type(w, 0x30, "Entry[System.Int32,Shop.Session][]");
    nt_static(w, 0x1000, 0x20, 0, "<Sessions>k__BackingField");
    nt_nodes(w, (nt_node[]){{0x1000, 80, 0x20, 1}, {0x1100, 24 + 8 * SESSIONS, 0x30, SESSIONS}}, 2);
    for (unsigned i = 0; i < SESSIONS; i++) {
        targets[i] = 0x2000 + 0x40 * i;
        nodes[i] = (nt_node){targets[i], 48, 0x10, i % 2};
    }
    nt_edges(w, (uint64_t[]){0x1100}, 1);
    nt_flush(w);
    nt_roots(w,
             (nt_root[]){{0x2000, 0, 0},
                         {0x2040, 1, 0},
                         {0x2080, 2, 0},
                         {0x20c0, 2, 1},
                         {0x2100, 2, 2},
                         {0x2140, 3, 0},
                         {0, 0, 0},
                         {0x2180, 2, 8}},
             8);
    nt_dependent(w, 0x1000, 0x2000);
    nt_com_root(w, 0x21c0);
    nt_edges(w, targets, SESSIONS);
    nt_nodes(w, nodes, SESSIONS);
    for (unsigned i = 0; i < SESSIONS / 2; i++)
        targets[i] = 0x1000;
    nt_edges(w, targets, SESSIONS / 2);
    nt_collected(w, 7);
    nt_event(w, 99, "names of methods", 16);
    nt_end(w);
}

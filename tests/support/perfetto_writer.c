/* Traces with heap graphs. See perfetto_writer.h. */
#include "support/perfetto_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { VARINT = 0, BYTES = 2 };

/* ---- the wire ---- */

static void append(pf_message *to, const void *data, size_t size)
{
    if (to->size + size > to->room) {
        to->room = 2 * (to->size + size) + 64;
        to->data = realloc(to->data, to->room);
        if (to->data == NULL) abort();
    }
    if (size > 0) memcpy(to->data + to->size, data, size);
    to->size += size;
}

static void varint(pf_message *to, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    append(to, bytes, size);
}

void pf_number(pf_message *to, uint32_t field, uint64_t value)
{
    varint(to, (uint64_t)field << 3 | VARINT);
    varint(to, value);
}

void pf_bytes(pf_message *to, uint32_t field, const void *data, size_t size)
{
    varint(to, (uint64_t)field << 3 | BYTES);
    varint(to, size);
    append(to, data, size);
}

void pf_text(pf_message *to, uint32_t field, const char *text) { pf_bytes(to, field, text, strlen(text)); }

void pf_numbers(pf_message *to, uint32_t field, const uint64_t *values, size_t count, bool is_packed)
{
    pf_message list = {0};
    for (size_t i = 0; i < count; i++)
        if (is_packed)
            varint(&list, values[i]);
        else
            pf_number(to, field, values[i]);
    if (is_packed) pf_bytes(to, field, list.data, list.size);
    pf_release(&list);
}

void pf_put(pf_message *to, uint32_t field, pf_message *inner)
{
    pf_bytes(to, field, inner->data, inner->size);
    inner->size = 0;
}

void pf_release(pf_message *message)
{
    free(message->data);
    *message = (pf_message){0};
}

/* ---- packets ---- */

enum { CLASS_SHOP = 1, SHOP, SESSION, BASE, OBJECTS, WEAK, REFERENCE, STRING, SOFT, OBJECT };
enum { FIELD_SESSIONS = 1, FIELD_CART, FIELD_NEXT, FIELD_SHOP, FIELD_REFERENT };

typedef struct writing {
    pf_message *trace, graph;
    const pf_heap *heap;
    unsigned objects, index;
    uint64_t last_id;
    uint32_t last_heap;
} writing;

static void end_packet(writing *w, bool continued)
{
    pf_message packet = {0};
    pf_number(&w->graph, 5, continued);
    pf_number(&w->graph, 6, w->index);
    pf_number(&packet, 8, w->heap->time_ns != 0 ? w->heap->time_ns : UINT64_C(5000000000));
    pf_put(&packet, 56, &w->graph);
    pf_number(&packet, 10, w->heap->sequence != 0 ? w->heap->sequence : 1);
    const bool is_lost = (w->heap->lost != 0 && w->index == w->heap->lost) || (w->heap->is_unfinished && !continued);
    if (!is_lost) pf_put(w->trace, 1, &packet);
    pf_release(&packet);
    w->index++;
    w->objects = 0;
    pf_number(&w->graph, 1, w->heap->pid != 0 ? w->heap->pid : 17);
}

static void put_object(writing *w, uint64_t id, uint32_t type, uint64_t bytes, const uint64_t *targets,
                       const uint64_t *field_ids, size_t count)
{
    pf_message object = {0};
    uint64_t relative[4096];
    const bool has_base = count > 0 && count < 4096 && type == OBJECTS;
    if (w->last_id != 0 && !w->heap->has_plain_ids && id > w->last_id)
        pf_number(&object, 7, id - w->last_id);
    else
        pf_number(&object, 1, id);
    w->last_id = id;
    pf_number(&object, 2, type);
    if (bytes != 0) pf_number(&object, 3, bytes);
    if (field_ids != NULL) pf_numbers(&object, 4, field_ids, count, !w->heap->is_unpacked);
    for (size_t i = 0; has_base && i < count; i++)
        relative[i] = targets[i] == 0 ? 0 : targets[i] - 0xff;
    if (count > 0) pf_numbers(&object, 5, has_base ? relative : targets, count, !w->heap->is_unpacked);
    if (has_base) pf_number(&object, 6, 0xff);
    if (type == SESSION) pf_number(&object, 8, 40);
    const uint32_t heap = id == 0x10 ? 3 : 1;
    if (heap != w->last_heap) pf_number(&object, 9, heap);
    w->last_heap = heap;
    pf_put(&w->graph, 2, &object);
    pf_release(&object);
    if (++w->objects == (w->heap->packet_objects != 0 ? w->heap->packet_objects : 10)) end_packet(w, true);
}

static void put_type(writing *w, uint32_t id, const char *name, uint64_t bytes, uint32_t superclass, unsigned kind,
                     const uint64_t *fields, size_t count)
{
    pf_message type = {0};
    pf_number(&type, 1, id);
    pf_number(&type, 2, 1);
    pf_text(&type, 3, name);
    if (bytes != 0) pf_number(&type, 4, bytes);
    if (superclass != 0) pf_number(&type, 5, superclass);
    if (count > 0) pf_numbers(&type, 6, fields, count, !w->heap->is_unpacked);
    pf_number(&type, 7, kind);
    pf_put(&w->graph, 9, &type);
    pf_release(&type);
}

static void put_types(writing *w)
{
    const uint64_t cart[] = {FIELD_CART}, base[] = {FIELD_NEXT, FIELD_SHOP}, referent[] = {FIELD_REFERENT};
    put_type(w, CLASS_SHOP, "java.lang.Class<com.shop.Shop>", 96, 0, 5, NULL, 0);
    put_type(w, SHOP, "com.shop.Shop", 16, OBJECT, 1, NULL, 0);
    put_type(w, SESSION, "com.shop.Session", 48, BASE, 1, cart, 1);
    put_type(w, BASE, "com.shop.Base", 24, OBJECT, 1, base, 2);
    put_type(w, OBJECTS, "java.lang.Object[]", 0, OBJECT, 4, NULL, 0);
    put_type(w, WEAK, "java.lang.ref.WeakReference", 24, REFERENCE, 9, NULL, 0);
    put_type(w, REFERENCE, "java.lang.ref.Reference", 24, OBJECT, 1, referent, 1);
    put_type(w, STRING, "java.lang.String", 0, OBJECT, 3, NULL, 0);
    put_type(w, SOFT, "java.lang.ref.SoftReference", 24, REFERENCE, 8, NULL, 0);
    put_type(w, OBJECT, "java.lang.Object", 8, 0, 1, NULL, 0);
}

static void put_name(writing *w, uint32_t list, uint64_t id, const char *name)
{
    pf_message text = {0};
    pf_number(&text, 1, id);
    pf_text(&text, 2, name);
    pf_put(&w->graph, list, &text);
    pf_release(&text);
}

static void put_root(writing *w, unsigned kind, const uint64_t *ids, size_t count)
{
    pf_message root = {0};
    pf_numbers(&root, 1, ids, count, !w->heap->is_unpacked);
    pf_number(&root, 2, kind);
    pf_put(&w->graph, 7, &root);
    pf_release(&root);
}

static void put_sessions(writing *w)
{
    const unsigned count = w->heap->sessions;
    const uint64_t field_ids[] = {FIELD_CART, FIELD_NEXT, FIELD_SHOP};
    uint64_t *ids = calloc(count + 1, sizeof *ids);
    if (ids == NULL) abort();
    for (unsigned i = 0; i < count; i++)
        ids[i] = 0x100 + i;
    put_object(w, 0x20, OBJECTS, 16 + 4 * (uint64_t)count, ids, NULL, count);
    free(ids);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t next = i + 1 < count && i % 10 != 9 ? 0x101 + i : 0, targets[] = {0, next, 0x10};
        put_object(w, 0x100 + i, SESSION, 0, targets, w->heap->has_field_ids ? field_ids : NULL, 3);
    }
}

void pf_add_heap(pf_message *trace, const pf_heap *heap)
{
    writing w = {.trace = trace, .heap = heap};
    const uint64_t sticky[] = {0x10}, global[] = {0x30, 0x31};
    const uint64_t sessions[] = {0x20}, static_ids[] = {FIELD_SESSIONS}, weak[] = {0x40}, soft[] = {0x41},
                   referent[] = {FIELD_REFERENT};
    pf_number(&w.graph, 1, heap->pid != 0 ? heap->pid : 17);
    put_root(&w, 5, sticky, 1);
    put_root(&w, 1, global, 2);
    put_object(&w, 0x10, CLASS_SHOP, 0, sessions, static_ids, 1);
    put_object(&w, 0x30, WEAK, 0, weak, referent, 1);
    put_object(&w, 0x31, SOFT, 0, soft, referent, 1);
    for (unsigned i = 0; i < 2; i++)
        put_object(&w, 0x40 + i, STRING, 24 + 8 * i, NULL, NULL, 0);
    put_object(&w, 0x50, STRING, 40, NULL, NULL, 0);
    put_types(&w);
    put_sessions(&w);
    put_name(&w, 4, FIELD_SESSIONS, "java.lang.Object[] com.shop.Shop.sessions");
    put_name(&w, 4, FIELD_CART, "java.lang.String com.shop.Session.cart");
    put_name(&w, 4, FIELD_NEXT, "com.shop.Base com.shop.Base.next");
    put_name(&w, 4, FIELD_SHOP, "java.lang.Class com.shop.Base.shop");
    put_name(&w, 4, FIELD_REFERENT, "java.lang.Object java.lang.ref.Reference.referent");
    put_name(&w, 8, 1, "/data/app/shop.apk");
    end_packet(&w, false);
    pf_release(&w.graph);
}

/* ---- what stands beside ---- */

static void put_clock(pf_message *snapshot, unsigned clock, uint64_t time)
{
    pf_message inner = {0};
    pf_number(&inner, 1, clock);
    pf_number(&inner, 2, time);
    pf_put(snapshot, 1, &inner);
    pf_release(&inner);
}

void pf_add_clocks(pf_message *trace)
{
    pf_message packet = {0}, snapshot = {0};
    put_clock(&snapshot, 6, UINT64_C(1000000000));
    put_clock(&snapshot, 1, UINT64_C(1700000000000000000));
    pf_put(&packet, 6, &snapshot);
    pf_number(&packet, 8, UINT64_C(1000000000));
    pf_put(trace, 1, &packet);
    pf_release(&packet);
    pf_release(&snapshot);
}

static void put_process(pf_message *tree, uint64_t pid, const char *name)
{
    pf_message process = {0};
    pf_number(&process, 1, pid);
    pf_number(&process, 2, 1);
    pf_text(&process, 3, name);
    pf_text(&process, 3, "--argument");
    pf_put(tree, 1, &process);
    pf_release(&process);
}

void pf_add_processes(pf_message *trace)
{
    pf_message packet = {0}, tree = {0};
    put_process(&tree, 17, "com.shop");
    put_process(&tree, 18, "com.bank");
    pf_put(&packet, 2, &tree);
    pf_number(&packet, 10, 3);
    pf_put(trace, 1, &packet);
    pf_release(&packet);
    pf_release(&tree);
}

void pf_compress(pf_message *trace)
{
    uLongf size = compressBound((uLong)trace->size);
    uint8_t *packed = malloc(size);
    pf_message packet = {0};
    if (packed == NULL || compress(packed, &size, trace->data, (uLong)trace->size) != Z_OK) abort();
    pf_bytes(&packet, 50, packed, size);
    trace->size = 0;
    pf_put(trace, 1, &packet);
    pf_release(&packet);
    free(packed);
}

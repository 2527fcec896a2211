/*
 * Messages are made in memory of their own, for their length stands in front of them.
 */
#include "support/firefox_writer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 0, BYTES = 2 };

static void *no_memory(void)
{
    fputs("out of memory for a snapshot\n", stderr);
    exit(1);
}

/* ---- bytes ---- */

static void put(fw_bytes *out, const void *data, size_t size)
{
    if (out->capacity - out->size < size) {
        out->capacity = (out->size + size) * 2;
        out->data = realloc(out->data, out->capacity);
        if (out->data == NULL) no_memory();
    }
    if (size > 0) memcpy(out->data + out->size, data, size);
    out->size += size;
}

static void varint(fw_bytes *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put(out, &(uint8_t){(uint8_t)(value | 0x80)}, 1);
    put(out, &(uint8_t){(uint8_t)value}, 1);
}

static void number(fw_bytes *out, unsigned field, uint64_t value)
{
    varint(out, field << 3 | NUMBER);
    varint(out, value);
}

static void bytes(fw_bytes *out, unsigned field, const void *data, size_t size)
{
    varint(out, field << 3 | BYTES);
    varint(out, size);
    put(out, data, size);
}

/* ---- texts ---- */

static uint32_t *slot_of(const fw_texts *texts, const char *text)
{
    uint32_t hash = 2166136261u;
    for (const char *at = text; *at != '\0'; at++)
        hash = (hash ^ (uint8_t)*at) * 16777619u;
    for (uint32_t i = hash;; i++) {
        uint32_t *slot = &texts->slots[i & (texts->slot_count - 1)];
        if (*slot == 0 || strcmp(texts->texts[*slot - 1], text) == 0) return slot;
    }
}

static void grow(fw_texts *texts)
{
    if (texts->count * 2 < texts->slot_count) return;
    texts->slot_count = texts->slot_count == 0 ? 64 : texts->slot_count * 2;
    free(texts->slots);
    texts->slots = calloc(texts->slot_count, sizeof *texts->slots);
    texts->texts = realloc(texts->texts, texts->slot_count * sizeof *texts->texts);
    if (texts->slots == NULL || texts->texts == NULL) no_memory();
    for (uint32_t i = 0; i < texts->count; i++)
        *slot_of(texts, texts->texts[i]) = i + 1;
}

/* Its number; *is_new if it was not met before. */
static uint32_t number_of(fw_texts *texts, const char *text, bool *is_new)
{
    grow(texts);
    uint32_t *slot = slot_of(texts, text);
    *is_new = *slot == 0;
    if (*slot == 0) {
        const size_t size = strlen(text) + 1;
        texts->texts[texts->count] = memcpy(malloc(size), text, size);
        *slot = ++texts->count;
    }
    return *slot - 1;
}

/* UTF-8 in UTF-16, little-endian. */
static void utf16(fw_bytes *out, unsigned field, const char *text)
{
    fw_bytes units = {0};
    for (const uint8_t *at = (const uint8_t *)text; *at != 0;) {
        const size_t size = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
        uint32_t c = size == 1 ? *at : *at & (0xffu >> (size + 1));
        for (size_t i = 1; i < size; i++)
            c = c << 6 | (at[i] & 0x3f);
        at += size;
        const uint32_t pair[] = {c < 0x10000 ? c : 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff)};
        for (size_t i = 0; i < (c < 0x10000 ? 1u : 2u); i++)
            put(&units, (uint8_t[]){(uint8_t)pair[i], (uint8_t)(pair[i] >> 8)}, 2);
    }
    bytes(out, field, units.data, units.size);
    free(units.data);
}

/* In `field` where it is met first, else by its number in the field behind. */
static void wide(firefox_writer *w, fw_bytes *out, unsigned field, const char *text)
{
    bool is_new;
    if (text == NULL) return;
    const uint32_t n = number_of(&w->wide, text, &is_new);
    if (is_new)
        utf16(out, field, text);
    else
        number(out, field + 1, n);
}

static void narrow(firefox_writer *w, fw_bytes *out, unsigned field, const char *text)
{
    bool is_new;
    if (text == NULL) return;
    const uint32_t n = number_of(&w->narrow, text, &is_new);
    if (is_new)
        bytes(out, field, text, strlen(text));
    else
        number(out, field + 1, n);
}

/* ---- frames ---- */

static bool was_told(firefox_writer *w, uint64_t id)
{
    for (size_t i = 0; i < w->frame_count; i++)
        if (w->frames[i] == id) return true;
    w->frames = realloc(w->frames, (w->frame_count + 1) * sizeof *w->frames);
    if (w->frames == NULL) no_memory();
    w->frames[w->frame_count++] = id;
    return false;
}

static void frame(firefox_writer *w, fw_bytes *out, const fw_frame *of)
{
    fw_bytes texts = {0}, parent = {0}, data = {0};
    if (was_told(w, of->id)) {
        number(out, 2, of->id);
        return;
    }
    wide(w, &texts, 5, of->source);
    wide(w, &texts, 7, of->function);
    number(&data, 1, of->id);
    if (of->parent != NULL) {
        frame(w, &parent, of->parent);
        bytes(&data, 2, parent.data, parent.size);
    }
    number(&data, 3, of->line);
    number(&data, 4, of->column);
    put(&data, texts.data, texts.size);
    number(&data, 9, 0);
    number(&data, 10, 0);
    bytes(out, 1, data.data, data.size);
    free(texts.data);
    free(parent.data);
    free(data.data);
}

/* ---- nodes ---- */

void fw_begin(firefox_writer *w, uint64_t moment_us)
{
    *w = (firefox_writer){0};
    number(&w->node, 1, moment_us);
    varint(&w->out, w->node.size);
    put(&w->out, w->node.data, w->node.size);
}

static void edge(firefox_writer *w, const fw_edge *of)
{
    w->edge.size = 0;
    number(&w->edge, 1, of->target);
    wide(w, &w->edge, 2, of->name);
    bytes(&w->node, 5, w->edge.data, w->edge.size);
}

void fw_put(firefox_writer *w, const fw_node *node)
{
    w->node.size = 0;
    number(&w->node, 1, node->id);
    wide(w, &w->node, 2, node->type);
    number(&w->node, 4, node->size);
    for (size_t i = 0; i < node->edge_count; i++)
        edge(w, &node->edges[i]);
    if (node->stack != NULL) {
        fw_bytes stack = {0};
        frame(w, &stack, node->stack);
        bytes(&w->node, 6, stack.data, stack.size);
        free(stack.data);
    }
    narrow(w, &w->node, 7, node->class_name);
    number(&w->node, 9, node->coarse);
    narrow(w, &w->node, 10, node->script);
    wide(w, &w->node, 12, node->description);
    number(&w->node, 77, 1); /* of a version to come */
    varint(&w->out, w->node.size);
    put(&w->out, w->node.data, w->node.size);
}

void fw_free(firefox_writer *w)
{
    fw_texts *tables[] = {&w->wide, &w->narrow};
    for (size_t k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < tables[k]->count; i++)
            free(tables[k]->texts[i]);
        free(tables[k]->texts);
        free(tables[k]->slots);
    }
    free(w->out.data);
    free(w->node.data);
    free(w->edge.data);
    free(w->frames);
    *w = (firefox_writer){0};
}

/* ---- samples ---- */

#define OBJECT(...) fw_put(w, &(fw_node){.type = "JSObject", .coarse = 1, __VA_ARGS__})

void fw_shop(firefox_writer *w)
{
    static const fw_frame outer = {0xf00, NULL, 90, 1, "resource://shop/main.js", "main"},
                          middle = {0xf10, &outer, 40, 5, "resource://shop/shop.js", "open"},
                          inner = {0xf20, &middle, 12, 9, "resource://shop/session.js", "Session"},
                          other = {0xf30, &middle, 13, 9, "resource://shop/session.js", "Payload"};
    fw_begin(w, UINT64_C(1700000000000000));
    fw_put(w, &(fw_node){.id = UINT64_C(0x7ffc08c6aff8),
                         .type = "JS::ubi::RootList",
                         .size = 1,
                         FW_EDGES({0x2000, "mCallbackGlobal, holder 0x7fa7c0ffee"}, {0x6000, "exact-Object"},
                                  {0x5000, "pinned atom"}, {0x8000, "at 0xdeadbeef of 0x12"},
                                  {0x8100, "mCallbackGlobal, holder 0x7fa7c0fff0"})});
    OBJECT(.id = 0x2000, .class_name = "Sandbox", .size = 4184,
           FW_EDGES({0x9000, "shape"}, {0x3000, "sessions"}, {0x6000, "CLASS_OBJECT(Object)"}, {0x7000, "0xface"}));
    OBJECT(.id = 0x3000, .class_name = "Array", .size = 64,
           FW_EDGES({0x9000, "shape"}, {0x4000, "objectElements[0]"}, {0x4100, "objectElements[1]"}));
    OBJECT(.id = 0x4000, .class_name = "Object", .size = 48, .stack = &inner,
           FW_EDGES({0x4200, "payload"}, {0x5000, "K\xc3\xa4se\xf0\x9f\xa7\x80"}));
    OBJECT(.id = 0x4100, .class_name = "Object", .size = 48, .stack = &inner,
           FW_EDGES({0x4300, "payload"}, {0x5000, "K\xc3\xa4se\xf0\x9f\xa7\x80"}));
    OBJECT(.id = 0x4200, .class_name = "Uint16Array", .size = 72, .stack = &other, FW_EDGES({0x9000, "shape"}));
    OBJECT(.id = 0x4300, .class_name = "Uint16Array", .size = 72, .stack = &other, FW_EDGES({0x9000, "shape"}));
    fw_put(w, &(fw_node){.id = 0x5000, .type = "JSString", .size = 32, .coarse = 3});
    OBJECT(.id = 0x6000, .class_name = "Map", .size = 96,
           FW_EDGES({0x5000, "HashableValue"}, {0x4000, "OrderedHashMapObject value"}));
    OBJECT(.id = 0x7000, .class_name = "WeakRef", .size = 40,
           FW_EDGES({0x4100, "WeakRefObject::target"}, {0xdead0, NULL}));
    fw_put(w, &(fw_node){.id = 0x8000,
                         .type = "nsIContent",
                         .size = 120,
                         .coarse = 4,
                         .description = "menuitem",
                         FW_EDGES({0x8100, "Child Node"})});
    fw_put(w, &(fw_node){.id = 0x8100, .type = "nsIContent", .size = 80, .coarse = 4, .description = "#text"});
    fw_put(w, &(fw_node){.id = 0x9000, .type = "js::Shape", .size = 32, FW_EDGES({0x9100, "base"})});
    fw_put(w, &(fw_node){.id = 0x9100, .type = "js::BaseShape", .size = 24});
    fw_put(w, &(fw_node){.id = 0x9200,
                         .type = "js::BaseScript",
                         .size = 160,
                         .coarse = 2,
                         .script = "resource://shop/shop.js",
                         FW_EDGES({0x3000, "cacheir-weak-object"})});
    OBJECT(.id = 0x9300, .class_name = "Call", .size = 40,
           FW_EDGES({0x4000, "found"}, {0x2000, "enclosing_environment"}));
}

void fw_long_array(firefox_writer *w, uint32_t count)
{
    char(*names)[32] = calloc(count + 1u, sizeof *names);
    fw_edge *edges = calloc(count + 1u, sizeof *edges);
    if (names == NULL || edges == NULL) no_memory();
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "objectElements[%u]", i);
        edges[i] = (fw_edge){UINT64_C(0x100000) + 64 * (uint64_t)i, names[i]};
    }
    fw_begin(w, UINT64_C(1700000000000000));
    fw_put(w, &(fw_node){.id = 0x10, .type = "JS::ubi::RootList", .size = 1, FW_EDGES({0x20, "persistent-Object"})});
    OBJECT(.id = 0x20, .class_name = "Array", .size = 16 + 8 * (uint64_t)count, .edges = edges, .edge_count = count);
    OBJECT(.id = 0x100000, .class_name = "Object", .size = 48);
    free(names);
    free(edges);
}

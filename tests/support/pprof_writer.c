/* Profiles of pprof, byte by byte. See pprof_writer.h. */
#include "support/pprof_writer.h"

#include <stdlib.h>
#include <string.h>

void pprof_append(pprof_bytes *out, const void *data, size_t size)
{
    if (out->size + size > out->capacity) {
        out->capacity = (out->size + size) * 2 + 64;
        out->data = realloc(out->data, out->capacity);
        if (out->data == NULL) abort();
    }
    if (size > 0) memcpy(out->data + out->size, data, size);
    out->size += size;
}

static void append_varint(pprof_bytes *out, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;
    do {
        bytes[size] = (uint8_t)(value & 0x7f);
        value >>= 7;
        if (value != 0) bytes[size] |= 0x80;
        size++;
    } while (value != 0);
    pprof_append(out, bytes, size);
}

void pprof_append_number(pprof_bytes *out, uint32_t field, uint64_t value)
{
    append_varint(out, (uint64_t)field << 3);
    append_varint(out, value);
}

void pprof_append_bytes(pprof_bytes *out, uint32_t field, const void *data, size_t size)
{
    append_varint(out, (uint64_t)field << 3 | 2);
    append_varint(out, size);
    pprof_append(out, data, size);
}

/* A message into its kind; what it was made in is given back. */
static void put(pprof_writer *w, uint32_t kind, pprof_bytes *message)
{
    pprof_append_bytes(&w->of_kind[kind], kind, message->data, message->size);
    free(message->data);
    *message = (pprof_bytes){0};
}

/* Fields of 0 are left out, as proto3 does. */
static void put_number(pprof_bytes *out, uint32_t field, uint64_t value)
{
    if (value != 0) pprof_append_number(out, field, value);
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* strcmp() reads both texts to their end under the address sanitizer: it is asked of one that is most probably equal.
 */
uint32_t pprof_put_string(pprof_writer *w, const char *text)
{
    const uint64_t hash = hash_text(text);
    if (w->string_count == 0 && text[0] != '\0') pprof_put_string(w, "");
    for (uint32_t i = 0; i < w->string_count; i++)
        if (w->hashes[i] == hash && strcmp(w->strings[i], text) == 0) return i;
    w->strings = realloc(w->strings, (w->string_count + (size_t)1) * sizeof *w->strings);
    w->hashes = realloc(w->hashes, (w->string_count + (size_t)1) * sizeof *w->hashes);
    if (w->strings == NULL || w->hashes == NULL || (w->strings[w->string_count] = strdup(text)) == NULL) abort();
    w->hashes[w->string_count] = hash;
    pprof_append_bytes(&w->of_kind[6], 6, text, strlen(text));
    return w->string_count++;
}

static void put_value_type(pprof_writer *w, uint32_t kind, const char *type, const char *unit)
{
    pprof_bytes message = {0};
    put_number(&message, 1, pprof_put_string(w, type));
    put_number(&message, 2, pprof_put_string(w, unit));
    put(w, kind, &message);
}

void pprof_put_sample_type(pprof_writer *w, const char *type, const char *unit) { put_value_type(w, 1, type, unit); }

void pprof_put_period(pprof_writer *w, const char *type, const char *unit, int64_t period)
{
    put_value_type(w, 11, type, unit);
    put_number(&w->of_kind[12], 12, (uint64_t)period);
}

void pprof_put_time(pprof_writer *w, int64_t unix_ns) { put_number(&w->of_kind[9], 9, (uint64_t)unix_ns); }

uint64_t pprof_put_mapping(pprof_writer *w, uint64_t start, uint64_t limit, uint64_t offset, const char *file,
                           const char *build_id)
{
    const uint64_t id = 3 + 1000 * w->mapping_count++;
    pprof_bytes message = {0};
    put_number(&message, 1, id);
    put_number(&message, 2, start);
    put_number(&message, 3, limit);
    put_number(&message, 4, offset);
    put_number(&message, 5, pprof_put_string(w, file));
    put_number(&message, 6, pprof_put_string(w, build_id));
    put(w, 3, &message);
    return id;
}

uint64_t pprof_put_function(pprof_writer *w, const char *name, const char *file)
{
    const uint64_t id = 7 + 9 * w->function_count++;
    pprof_bytes message = {0};
    put_number(&message, 1, id);
    put_number(&message, 2, pprof_put_string(w, name));
    put_number(&message, 3, pprof_put_string(w, name));
    put_number(&message, 4, pprof_put_string(w, file));
    put(w, 5, &message);
    return id;
}

uint64_t pprof_put_location(pprof_writer *w, uint64_t mapping, uint64_t address, const pprof_code_line *lines,
                            size_t count)
{
    const uint64_t number = w->location_count++, id = w->has_dense_ids ? 1 + number : 11 + 13 * number;
    pprof_bytes message = {0};
    put_number(&message, 1, id);
    put_number(&message, 2, mapping);
    put_number(&message, 3, address);
    for (size_t i = 0; i < count; i++) {
        pprof_bytes line = {0};
        put_number(&line, 1, lines[i].function);
        put_number(&line, 2, lines[i].line);
        pprof_append_bytes(&message, 4, line.data, line.size);
        free(line.data);
    }
    put(w, 4, &message);
    return id;
}

static void put_numbers(pprof_bytes *message, int packing, uint32_t field, const uint64_t *numbers, size_t count)
{
    const size_t packed = packing == 1 ? count : packing == 2 ? count / 2 : 0;
    pprof_bytes together = {0};
    for (size_t i = 0; i < packed; i++)
        append_varint(&together, numbers[i]);
    if (packed > 0) pprof_append_bytes(message, field, together.data, together.size);
    for (size_t i = packed; i < count; i++)
        pprof_append_number(message, field, numbers[i]);
    free(together.data);
}

static void put_label(pprof_writer *w, pprof_bytes *message, const pprof_label *label)
{
    pprof_bytes inner = {0};
    put_number(&inner, 1, pprof_put_string(w, label->key));
    if (label->text != NULL)
        put_number(&inner, 2, pprof_put_string(w, label->text));
    else
        put_number(&inner, 3, (uint64_t)label->number);
    if (label->unit != NULL) put_number(&inner, 4, pprof_put_string(w, label->unit));
    pprof_append_bytes(message, 3, inner.data, inner.size);
    free(inner.data);
}

void pprof_put_sample(pprof_writer *w, const uint64_t *locations, size_t location_count, const int64_t *values,
                      size_t value_count, const pprof_label *labels, size_t label_count)
{
    pprof_bytes message = {0};
    put_numbers(&message, w->packing, 1, locations, location_count);
    put_numbers(&message, w->packing, 2, (const uint64_t *)values, value_count);
    for (size_t i = 0; i < label_count; i++)
        put_label(w, &message, &labels[i]);
    put(w, 2, &message);
}

pprof_bytes pprof_finish(pprof_writer *w, pprof_order order)
{
    static const uint8_t orders[PPROF_ORDERS][9] = {
        {1, 2, 3, 4, 5, 6, 9, 11, 12}, {11, 12, 1, 4, 5, 2, 9, 3, 6}, {6, 5, 3, 4, 1, 11, 12, 9, 2}};
    pprof_bytes out = {0};
    for (size_t i = 0; i < 9; i++)
        pprof_append(&out, w->of_kind[orders[order][i]].data, w->of_kind[orders[order][i]].size);
    for (size_t i = 0; i < PPROF_KINDS; i++)
        free(w->of_kind[i].data);
    for (uint32_t i = 0; i < w->string_count; i++)
        free(w->strings[i]);
    free(w->strings);
    free(w->hashes);
    *w = (pprof_writer){0};
    return out;
}

/*
 * Texts to numbers, each written once; and how a class is called. The tables of what is known of the Java library are
 * the importer's of HPROF: both say the same of a heap.
 */
#include <string.h>

#include "jvm.h"
#include "jvm/known.h"

enum { FIRST_SLOTS = 4096, TEXT_MAX_BYTES = 65536 };

static uint64_t hash_text(const char *text, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ size;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

static jvm_text *find_slot(const jvm_names *names, const char *text, size_t size, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (names->slot_count - 1);
    for (;; at = (at + 1) & (names->slot_count - 1)) {
        jvm_text *slot = &names->slots[at];
        if (slot->number == 0) return slot;
        if (slot->hash == hash && slot->size == size && memcmp(slot->data, text, size) == 0) return slot;
    }
}

static bool grow_jvm_name(jvm_output *output, jvm_names *names)
{
    const jvm_names before = *names;
    const uint32_t count = before.slot_count == 0 ? FIRST_SLOTS : before.slot_count * 2;
    jvm_text *slots = hsa_arena_take(output->arena, count * sizeof *slots);
    if (slots == NULL) return false;
    names->slots = slots;
    names->slot_count = count;
    for (uint32_t i = 0; i < before.slot_count; i++)
        if (before.slots[i].number != 0)
            *find_slot(names, before.slots[i].data, before.slots[i].size, before.slots[i].hash) = before.slots[i];
    return true;
}

/* The slot of a text; its number is 0 when it is new, and the caller gives it one. NULL: no memory. */
static jvm_text *put_jvm_name(jvm_output *output, jvm_names *names, const char *text, size_t size)
{
    if (names->used * 2 >= names->slot_count && !grow_jvm_name(output, names)) {
        output->is_out_of_memory = true;
        return NULL;
    }
    const uint64_t hash = hash_text(text, size);
    jvm_text *slot = find_slot(names, text, size, hash);
    if (slot->number != 0) return slot;
    char *copy = hsa_arena_take(output->arena, size + 1);
    if (copy == NULL) {
        output->is_out_of_memory = true;
        return NULL;
    }
    memcpy(copy, text, size);
    *slot = (jvm_text){.data = copy, .size = (uint32_t)size, .hash = hash};
    names->used++;
    return slot;
}

uint32_t jvm_string(jvm_output *output, const char *text, size_t size)
{
    if (size == 0) return 0;
    if (size > TEXT_MAX_BYTES) size = TEXT_MAX_BYTES;
    jvm_text *slot = put_jvm_name(output, &output->strings, text, size);
    if (slot == NULL) return 0;
    if (slot->number == 0) {
        slot->number = jvm_promise_string(output);
        jvm_define(output, slot->number, text, size);
    }
    return slot->number;
}

uint32_t jvm_promise_string(jvm_output *output) { return ++output->string_count; }

void jvm_define(jvm_output *output, uint32_t number, const char *text, size_t size)
{
    hsc_define_string(output->writer, number, text, size);
}

uint32_t jvm_type(jvm_output *output, const char *name, size_t size)
{
    jvm_text *slot = put_jvm_name(output, &output->types, name, size);
    if (slot == NULL) return 0;
    if (slot->number == 0) {
        slot->number = output->types.used;
        hsc_define_type(output->writer, slot->number, name, size,
                        hsc_java_known_type((hsc_java_name){(const uint8_t *)name, size}));
    }
    return slot->number;
}

uint32_t jvm_label(jvm_output *output, hsc_label_kind kind, uint32_t flags, const char *name)
{
    const uint32_t key[3] = {(uint32_t)kind, flags, jvm_string(output, name, strlen(name))};
    jvm_text *slot = put_jvm_name(output, &output->labels, (const char *)key, sizeof key);
    if (slot == NULL) return 0;
    if (slot->number == 0) {
        slot->number = output->labels.used;
        hsc_define_label(output->writer, slot->number, kind, flags, key[2]);
    }
    return slot->number;
}

/* ---- how they look ---- */

static bool is_surrogate_pair(const unsigned char *at)
{
    return at[0] == 0xed && (at[1] & 0xf0) == 0xa0 && (at[2] & 0xc0) == 0x80 && at[3] == 0xed &&
           (at[4] & 0xf0) == 0xb0 && (at[5] & 0xc0) == 0x80;
}

size_t jvm_utf8(const char *text, char *out, size_t size)
{
    const unsigned char *from = (const unsigned char *)text;
    size_t used = 0;
    while (*from != 0 && used + 5 <= size) {
        if (is_surrogate_pair(from)) {
            const uint32_t point = 0x10000 + (((from[1] & 0x0fu) << 6 | (from[2] & 0x3fu)) << 10 |
                                              (from[4] & 0x0fu) << 6 | (from[5] & 0x3fu));
            out[used++] = (char)(0xf0 | point >> 18);
            out[used++] = (char)(0x80 | (point >> 12 & 0x3f));
            out[used++] = (char)(0x80 | (point >> 6 & 0x3f));
            out[used++] = (char)(0x80 | (point & 0x3f));
            from += 6;
        } else if (from[0] == 0xc0 && from[1] == 0x80) {
            out[used++] = 0;
            from += 2;
        } else {
            out[used++] = (char)*from++;
        }
    }
    while (*from != 0 && used > 0 && (*from & 0xc0) == 0x80) { /* not inside a character */
        from--;
        used--;
    }
    if (used < size) out[used] = '\0';
    return used;
}

static const char *primitive_name(char letter)
{
    static const char letters[] = "ZCFDBSIJ";
    static const char *const names[] = {"boolean", "char", "float", "double", "byte", "short", "int", "long"};
    const char *at = letter == '\0' ? NULL : strchr(letters, letter);
    return at == NULL ? NULL : names[at - letters];
}

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/* Length without the address at the end of the name of a hidden class: "+0x00007fe1", ".0x00007fe1", "/0x0800". */
static size_t without_address(const char *name, size_t size)
{
    size_t at = size;
    while (at > 0 && is_hex(name[at - 1]))
        at--;
    if (at < 4 || at == size || name[at - 1] != 'x' || name[at - 2] != '0') return size;
    const char mark = name[at - 3];
    return mark == '+' || mark == '/' || mark == '.' ? at - 3 : size;
}

size_t jvm_class_name(const char *signature, char *out, size_t size, bool *is_hidden)
{
    size_t arrays = 0;
    while (signature[arrays] == '[')
        arrays++;
    const char *rest = signature + arrays;
    const char *primitive = rest[0] != '\0' && rest[1] == '\0' ? primitive_name(rest[0]) : NULL;
    const size_t room = size - 2 * (arrays < 255 ? arrays : 255);
    size_t used = jvm_utf8(primitive != NULL ? primitive : rest[0] == 'L' ? rest + 1 : rest, out, room);
    if (primitive == NULL && rest[0] == 'L' && used > 0 && out[used - 1] == ';') used--;
    const size_t whole = used;
    used = without_address(out, used);
    *is_hidden = used < whole;
    for (size_t i = 0; i < used; i++)
        if (out[i] == '/') out[i] = '.';
    for (size_t i = 0; i < arrays && i < 255; i++) {
        out[used++] = '[';
        out[used++] = ']';
    }
    out[used < size ? used : size - 1] = '\0';
    return used;
}

/*
 * Keys that the user names: their texts, their types, and the values in previews.
 */
#include "walk/user_keys.h"

#include <inttypes.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

#define SEED        UINT64_C(0x6b65797566696c64)
#define SHOWN_BYTES 120 /* of a name in a sentence */

/* The most that a preview takes (FORMAT.md 10.6): one that is as long may have been longer. */
#define PREVIEW_MOST_BYTES 4096u

static int shown(hsd_text text) { return (int)hsd_min_u64(text.size, SHOWN_BYTES); }

/* ---- reading ---- */

static hsd_status refuse(const char *spec, hsd_error *err)
{
    hsd_fail(err, HSD_E_NOT_FOUND, "the key '%.*s' is no type and field", SHOWN_BYTES, spec);
    hsd_error_set_hint(err, "write the whole name of the type, a colon and a field that is a number, a boolean or a "
                            "char: --key com.x.User:id");
    return HSD_E_NOT_FOUND;
}

static hsd_status refuse_second(const hsd_user_key *first, const char *spec, hsd_error *err)
{
    hsd_fail(err, HSD_E_NOT_FOUND, "the key '%.*s' is the second of its type", SHOWN_BYTES, spec);
    hsd_error_set_hint(err, "one field tells the objects of a type apart: leave out this one or --key %.*s:%.*s",
                       shown(first->type), first->type.data, shown(first->field), first->field.data);
    return HSD_E_NOT_FOUND;
}

static bool is_same(hsd_text a, hsd_text b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

static const hsd_user_key *find_type(const hsd_user_keys *keys, hsd_text type)
{
    for (size_t i = 0; i < keys->count; i++)
        if (is_same(keys->items[i].type, type)) return &keys->items[i];
    return NULL;
}

static hsd_status copy(hsd_user_keys *keys, const char *text, size_t size, hsd_text *out, hsd_error *err)
{
    *out = (hsd_text){hsd_arena_copy(&keys->arena, text, size), size};
    return out->data != NULL ? HSD_OK : hsd_fail_nomem(err, "the keys");
}

static hsd_status read_one(hsd_user_keys *keys, const char *spec, hsd_error *err)
{
    const size_t type_bytes = hsd_key_type_bytes(spec);
    hsd_user_key *key = &keys->items[keys->count];
    if (type_bytes == 0) return refuse(spec, err);
    const hsd_user_key *first = find_type(keys, (hsd_text){spec, type_bytes});
    if (first != NULL) return refuse_second(first, spec, err);
    const char *field = spec + type_bytes + 1;
    HSD_TRY(copy(keys, spec, type_bytes, &key->type, err));
    HSD_TRY(copy(keys, field, strlen(field), &key->field, err));
    key->seed = hsd_hash_bytes(key->type.data, key->type.size, SEED);
    keys->count++;
    return HSD_OK;
}

hsd_status hsd_user_keys_read(hsd_user_keys *keys, const char *const *specs, size_t count, hsd_error *err)
{
    *keys = (hsd_user_keys){0};
    if (count > HSD_USER_KEYS_MOST) {
        hsd_fail(err, HSD_E_NOT_FOUND, "%zu keys are too many, '%.*s' is the first past %u", count, SHOWN_BYTES,
                 specs[HSD_USER_KEYS_MOST], HSD_USER_KEYS_MOST);
        hsd_error_set_hint(err, "name the types with the most objects: hsdiff top FILE lists them");
        return HSD_E_NOT_FOUND;
    }
    keys->items = hsd_arena_take(&keys->arena, count * sizeof *keys->items);
    if (keys->items == NULL) return hsd_fail_nomem(err, "the keys");
    for (size_t i = 0; i < count; i++)
        HSD_TRY(read_one(keys, specs[i], err));
    return HSD_OK;
}

hsd_status hsd_user_keys_resolve(hsd_user_keys *keys, const hsd_type_names *types, hsd_error *err)
{
    for (size_t i = 0; i < keys->count; i++) {
        hsd_user_key *key = &keys->items[i];
        const hsd_bytes name = {(const uint8_t *)key->type.data, key->type.size};
        const uint32_t type = hsd_names_find(&types->names, name);
        key->is_known = type != HSD_NAME_NONE;
        if (key->is_known) HSD_TRY(hsd_id_map_put(&keys->by_type, type, (uint32_t)i, err));
    }
    return HSD_OK;
}

void hsd_user_keys_release(hsd_user_keys *keys)
{
    hsd_id_map_release(&keys->by_type);
    hsd_arena_release(&keys->arena);
    *keys = (hsd_user_keys){0};
}

/* ---- previews ---- */

static bool starts_with(hsd_text text, size_t at, const char *word, size_t size)
{
    return text.size - at >= size && memcmp(text.data + at, word, size) == 0;
}

static bool ends_in_mark(hsd_text text) { return text.size >= 3 && memcmp(text.data + text.size - 3, "...", 3) == 0; }

static bool is_cut(hsd_text preview) { return ends_in_mark(preview) || preview.size >= PREVIEW_MOST_BYTES; }

/* Where the first `what` at or behind `at` stands; the end if there is none. */
static size_t find_user_key(hsd_text text, size_t at, char what)
{
    const char *found = at < text.size ? memchr(text.data + at, what, text.size - at) : NULL;
    return found != NULL ? (size_t)(found - text.data) : text.size;
}

/* Behind the quote that closes the one at `at`; 0 if there is none. */
static size_t end_of_quotes(hsd_text text, size_t at)
{
    for (at++; at < text.size; at++) {
        if (text.data[at] == '\\')
            at++;
        else if (text.data[at] == '"')
            return at + 1;
    }
    return 0;
}

/* Where the value that begins at `at` ends. Quotes that do not close take all that is left. */
static size_t end_of_value(hsd_text preview, size_t at)
{
    if (at == preview.size || preview.data[at] != '"') return find_user_key(preview, at, ' ');
    const size_t end = end_of_quotes(preview, at);
    return end != 0 ? find_user_key(preview, end, ' ') : preview.size;
}

/* What stands between its ends is a value: something, whole, and nothing behind its quotes. */
static hsd_user_value judge(hsd_text preview, hsd_text value)
{
    const bool is_last = value.data + value.size == preview.data + preview.size;
    if (is_last && is_cut(preview)) return HSD_USER_VALUE_CUT;
    if (value.size == 0) return HSD_USER_VALUE_ABSENT;
    if (value.data[0] == '"' && end_of_quotes(value, 0) != value.size) return HSD_USER_VALUE_ABSENT;
    return HSD_USER_VALUE_FOUND;
}

hsd_user_value hsd_user_value_find(hsd_text preview, hsd_text field, hsd_text *value)
{
    *value = (hsd_text){"", 0};
    for (size_t at = 0; at < preview.size;) {
        const size_t behind = at + field.size;
        const bool is_it =
            starts_with(preview, at, field.data, field.size) && behind < preview.size && preview.data[behind] == '=';
        const size_t begin = (is_it ? behind : find_user_key(preview, at, '=')) + 1;
        if (begin > preview.size) break;
        const size_t end = end_of_value(preview, begin);
        if (is_it) {
            const hsd_text found = {preview.data + begin, end - begin};
            const hsd_user_value answer = judge(preview, found);
            if (answer == HSD_USER_VALUE_FOUND) *value = found;
            return answer;
        }
        at = end + 1;
    }
    return is_cut(preview) ? HSD_USER_VALUE_CUT : HSD_USER_VALUE_ABSENT;
}

/* ---- objects ---- */

static hsd_user_value hash_value(const hsd_user_key *key, hsd_text preview, uint64_t *hash)
{
    hsd_text value;
    const hsd_user_value answer = hsd_user_value_find(preview, key->field, &value);
    if (answer != HSD_USER_VALUE_FOUND) return answer;
    *hash = hsd_hash_bytes(value.data, value.size, key->seed);
    if (*hash == 0) *hash = 1;
    return answer;
}

bool hsd_user_key_of(const hsd_user_keys *keys, uint32_t common_type, hsd_text preview, uint64_t *hash)
{
    HSD_ASSERT(common_type != HSD_ID_NONE);
    const uint32_t place = hsd_user_key_place(keys, common_type);
    return place != HSD_ID_NONE && hash_value(&keys->items[place], preview, hash) == HSD_USER_VALUE_FOUND;
}

bool hsd_user_key_take(const hsd_user_keys *keys, uint32_t common_type, hsd_text preview, hsd_user_key_count *counts,
                       uint64_t *hash)
{
    const uint32_t place = hsd_user_key_place(keys, common_type);
    if (place == HSD_ID_NONE) return false;
    const hsd_user_value answer = hash_value(&keys->items[place], preview, hash);
    counts[place].keyed += answer == HSD_USER_VALUE_FOUND;
    counts[place].without += answer != HSD_USER_VALUE_FOUND;
    counts[place].cut += answer == HSD_USER_VALUE_CUT;
    return answer == HSD_USER_VALUE_FOUND;
}

/* ---- warnings ---- */

typedef enum key_fault { NO_FAULT, NO_VALUES, NO_FIELD, IS_CUT, NOT_ALL } key_fault;

static key_fault fault_of(const hsd_user_key_side *side, const hsd_user_key_count *count)
{
    if (count->without == 0) return NO_FAULT;
    if ((side->info->facts & HSC_FACT_VALUES) == 0) return NO_VALUES;
    if (count->cut > 0) return IS_CUT;
    return count->keyed == 0 ? NO_FIELD : NOT_ALL;
}

static void warn_of(key_fault fault, const hsd_user_key *key, const char *where, const hsd_user_key_count *count,
                    hsd_diff_store *store)
{
    const int type_bytes = shown(key->type), field_bytes = shown(key->field);
    const char *type = key->type.data, *field = key->field.data;
    const uint64_t objects = count->keyed + count->without;
    switch (fault) {
    case NO_FAULT: break;
    case NO_VALUES:
        hsd_store_warn(store,
                       "%s: no value is kept, so --key %.*s:%.*s finds nothing: compare the heap dump itself, or "
                       "import it with --with-values (JVM dumps)",
                       where, type_bytes, type, field_bytes, field);
        break;
    case NO_FIELD:
        hsd_store_warn(store,
                       "%s: no %.*s carries a value of the field %.*s: there is no such field, or it is a reference, "
                       "as to a String or a Long (a key must be a number, a boolean or a char of the object itself)",
                       where, type_bytes, type, field_bytes, field);
        break;
    case IS_CUT:
        hsd_store_warn(store,
                       "%s: %" PRIu64 " of %" PRIu64 " %.*s are cut before the value of %.*s: compare the heap dump "
                       "itself, of which --key keeps more",
                       where, count->cut, objects, type_bytes, type, field_bytes, field);
        break;
    case NOT_ALL:
        hsd_store_warn(store, "%s: %" PRIu64 " of %" PRIu64 " %.*s carry no value of the field %.*s", where,
                       count->without, objects, type_bytes, type, field_bytes, field);
        break;
    }
}

static void warn_of_key(const hsd_user_keys *keys, size_t place, const hsd_user_key_side sides[2],
                        hsd_diff_store *store)
{
    const hsd_user_key *key = &keys->items[place];
    const hsd_user_key_count *before = &sides[0].counts[place], *after = &sides[1].counts[place];
    const key_fault fault = fault_of(&sides[0], before), other = fault_of(&sides[1], after);
    if (fault == other && (fault == NO_VALUES || fault == NO_FIELD)) {
        warn_of(fault, key, "both captures", before, store);
        return;
    }
    warn_of(fault, key, sides[0].info->path, before, store);
    warn_of(other, key, sides[1].info->path, after, store);
}

void hsd_user_keys_warn(const hsd_user_keys *keys, const hsd_user_key_side sides[2], hsd_diff_store *store)
{
    for (size_t i = 0; i < keys->count; i++) {
        const hsd_user_key *key = &keys->items[i];
        if (key->is_known)
            warn_of_key(keys, i, sides, store);
        else
            hsd_store_warn(store, "--key %.*s:%.*s: no capture has the type %.*s; hsdiff top FILE lists those it has",
                           shown(key->type), key->type.data, shown(key->field), key->field.data, shown(key->type),
                           key->type.data);
    }
}

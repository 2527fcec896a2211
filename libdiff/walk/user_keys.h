/*
 * Keys that the user names: "com.x.User:id" says that the value of the field `id` tells which User is which,
 * whatever addresses and ids the captures have. The value is read from the preview of the object ("id=17 age=3"), so
 * captures must carry some (fact VALUES), and the field must stand in it: numbers, booleans and chars of the object
 * itself do, with those of its superclasses behind its own; what it refers to, as a String or a boxed Long, does not.
 *
 * One key a type, and a subclass is a type of its own. After hsd_user_keys_resolve nothing here changes: two threads
 * may ask at once, each with counts of its own.
 */
#ifndef HSD_WALK_USER_KEYS_H
#define HSD_WALK_USER_KEYS_H

#include "base/arena.h"
#include "base/id_map.h"
#include "format/tables.h"
#include "walk/store.h"

#define HSD_USER_KEYS_MOST 256u

typedef struct hsd_user_key {
    hsd_text type, field; /* NUL-terminated */
    uint64_t seed;        /* hash of the type's name */
    bool is_known;        /* some capture has the type */
} hsd_user_key;

typedef struct hsd_user_keys { /* a zeroed one is valid and has no key */
    hsd_user_key *items;       /* in the order of the user */
    size_t count;
    hsd_id_map by_type; /* common type -> place in items */
    hsd_arena arena;    /* items and their texts */
} hsd_user_keys;

/*
 * Reads "Type:field" texts. HSD_E_NOT_FOUND with the text that is wrong: it is no type and field, its type has a key
 * already, there are more than HSD_USER_KEYS_MOST. HSD_E_NOMEM. Release on failure, too.
 */
hsd_status hsd_user_keys_read(hsd_user_keys *keys, const char *const *specs, size_t count, hsd_error *err);

/* Finds the types by their whole names, once the types of all captures are numbered. HSD_E_NOMEM. */
hsd_status hsd_user_keys_resolve(hsd_user_keys *keys, const hsd_type_names *types, hsd_error *err);

void hsd_user_keys_release(hsd_user_keys *keys);

/* The place of the key of a type, or HSD_ID_NONE. One look-up. */
static inline uint32_t hsd_user_key_place(const hsd_user_keys *keys, uint32_t common_type)
{
    return hsd_id_map_get(&keys->by_type, common_type);
}

/*
 * True if the type has a key and the preview a value for it. *hash is then of the type's name and the value's text, and
 * never 0: equal in all captures and on all machines, whatever the numbers of the types. Linear in the preview.
 */
bool hsd_user_key_of(const hsd_user_keys *keys, uint32_t common_type, hsd_text preview, uint64_t *hash);

/* ---- what became of them ---- */

typedef struct hsd_user_key_count { /* objects of the type of one key in one capture */
    uint64_t keyed;
    uint64_t without; /* a value */
    uint64_t cut;     /* of these: the preview ended before the field */
} hsd_user_key_count;

/* The same as hsd_user_key_of, counted: `counts` has one for each key. */
bool hsd_user_key_take(const hsd_user_keys *keys, uint32_t common_type, hsd_text preview, hsd_user_key_count *counts,
                       uint64_t *hash);

typedef struct hsd_user_key_side {
    const hsd_capture_info *info;
    const hsd_user_key_count *counts;
} hsd_user_key_side;

/*
 * Warns of types that no capture has, of captures without values, of fields that no object or not every one has. At
 * most one warning for a key and a capture, one for both where both lack the same; those that do not fit are dropped.
 */
void hsd_user_keys_warn(const hsd_user_keys *keys, const hsd_user_key_side sides[2], hsd_diff_store *store);

/* ---- previews ---- */

typedef enum hsd_user_value {
    HSD_USER_VALUE_FOUND,
    HSD_USER_VALUE_ABSENT, /* the preview is whole and has no such field, or the field has no value */
    HSD_USER_VALUE_CUT     /* the preview ends in or before the value, as far as it tells */
} hsd_user_value;

/*
 * The value of the first field of that name in "name=value name=value": up to the next blank, or in "quotes" with \
 * before what is meant as it is; as it stands there, quotes included. Borrowed from the preview, which may hold any
 * bytes; one that ends in "..." is cut there. However a preview is cut and marked so, it never has another value than
 * the whole one.
 */
hsd_user_value hsd_user_value_find(hsd_text preview, hsd_text field, hsd_text *value);

#endif

/*
 * Keys that the user names: how they are written, which previews have a value, and what is said of those that have
 * none.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "support/random.h"
#include "walk/user_keys.h"
#include <hscapture/hscapture.h>

static hsd_error err;

static hsd_text text_of(const char *text) { return (hsd_text){text, strlen(text)}; }

static hsd_status read_all(hsd_user_keys *keys, const char *const *specs, size_t count)
{
    hsd_error_init(&err);
    return hsd_user_keys_read(keys, specs, count, &err);
}

/* ---- how they are written ---- */

Test(user_keys, are_split_at_the_last_colon)
{
    static const char *const specs[] = {"com.x.User:id", "std::vector<a::b>:_size", "a:b c:d e", "x:y=z"};
    hsd_user_keys keys;
    cr_assert(read_all(&keys, specs, 4) == HSD_OK, "%s", err.text);
    cr_assert(keys.count == 4);
    cr_expect_str_eq(keys.items[0].type.data, "com.x.User");
    cr_expect_str_eq(keys.items[0].field.data, "id");
    cr_expect_str_eq(keys.items[1].type.data, "std::vector<a::b>");
    cr_expect_str_eq(keys.items[1].field.data, "_size");
    cr_expect_str_eq(keys.items[2].type.data, "a:b c");
    cr_expect_str_eq(keys.items[2].field.data, "d e");
    cr_expect_str_eq(keys.items[3].field.data, "y=z");
    hsd_user_keys_release(&keys);
}

Test(user_keys, that_are_no_type_and_field_are_refused)
{
    static const char *const wrong[] = {"", ":", "User", "User:", ":id", "std::vector", "a::", "::a"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(wrong); i++) {
        hsd_user_keys keys;
        char quoted[64];
        snprintf(quoted, sizeof quoted, "'%s'", wrong[i]);
        cr_expect(read_all(&keys, &wrong[i], 1) == HSD_E_NOT_FOUND, "%s", wrong[i]);
        cr_expect_not_null(strstr(err.text, quoted), "%s", err.text);
        cr_expect(err.hint[0] != '\0');
        hsd_user_keys_release(&keys);
    }
}

Test(user_keys, are_one_for_a_type)
{
    static const char *const specs[] = {"User:id", "Users:id", "User:name"};
    hsd_user_keys keys;
    cr_expect(read_all(&keys, specs, 3) == HSD_E_NOT_FOUND);
    cr_expect_str_eq(err.text, "the key 'User:name' is the second of its type");
    cr_expect_not_null(strstr(err.hint, "--key User:id"), "%s", err.hint);
    hsd_user_keys_release(&keys);
    cr_expect(read_all(&keys, specs, 2) == HSD_OK);
    hsd_user_keys_release(&keys);
}

Test(user_keys, have_a_most)
{
    static char texts[HSD_USER_KEYS_MOST + 1][16];
    const char *specs[HSD_USER_KEYS_MOST + 1];
    hsd_user_keys keys;
    for (size_t i = 0; i <= HSD_USER_KEYS_MOST; i++) {
        snprintf(texts[i], sizeof texts[i], "T%zu:id", i);
        specs[i] = texts[i];
    }
    cr_expect(read_all(&keys, specs, HSD_USER_KEYS_MOST + 1) == HSD_E_NOT_FOUND);
    cr_expect_not_null(strstr(err.text, "T256:id"), "%s", err.text);
    hsd_user_keys_release(&keys);
    cr_expect(read_all(&keys, specs, HSD_USER_KEYS_MOST) == HSD_OK);
    cr_expect(keys.count == HSD_USER_KEYS_MOST);
    hsd_user_keys_release(&keys);
    cr_expect(read_all(&keys, NULL, 0) == HSD_OK);
    cr_expect(hsd_user_key_place(&keys, 0) == HSD_ID_NONE);
    hsd_user_keys_release(&keys);
}

/* ---- values ---- */

#define FOUND  HSD_USER_VALUE_FOUND
#define ABSENT HSD_USER_VALUE_ABSENT
#define CUT    HSD_USER_VALUE_CUT

static const struct preview_row {
    const char *preview, *field;
    hsd_user_value answer;
    const char *value;
} preview_rows[] = {
    {"id=17 age=3", "id", FOUND, "17"},
    {"id=17 age=3", "age", FOUND, "3"},
    {"id=17 age=3", "ag", ABSENT, ""},
    {"id=17 age=3", "ge", ABSENT, ""},
    {"id=17 age=3", "17 age", ABSENT, ""},
    {"uid=17 id=5", "id", FOUND, "5"},
    {"id=-9 id=5", "id", FOUND, "-9"}, /* its own, and then that of the superclass */
    {"b=true d=1.5e-07", "d", FOUND, "1.5e-07"},
    {"", "id", ABSENT, ""},
    {"id", "id", ABSENT, ""},
    {"id=", "id", ABSENT, ""},
    {"id= age=3", "id", ABSENT, ""},
    {"id= age=3", "age", FOUND, "3"},
    {"my id=4 x=5", "my id", FOUND, "4"}, /* a name with a blank is one name */
    {"my id=4 x=5", "id", ABSENT, ""},
    {"a=b=4", "a=b", FOUND, "4"},
    {"1, 2, 3", "1", ABSENT, ""},
    /* texts */
    {"name=\"a b\" id=1", "name", FOUND, "\"a b\""},
    {"name=\"a id=9\" id=1", "id", FOUND, "1"},
    {"name=\"a\\\" id=9\" id=1", "id", FOUND, "1"},
    {"name=\"a\\\\\" id=1", "id", FOUND, "1"},
    {"name=\"\" id=1", "name", FOUND, "\"\""},
    {"name=\"a\"b id=1", "name", ABSENT, ""},
    {"name=\"a\"b id=1", "id", FOUND, "1"},
    {"name=\"a id=1", "name", ABSENT, ""},
    {"name=\"a id=1", "id", ABSENT, ""},
    {"name=\"a\\", "name", ABSENT, ""},
    {"name=\"a...\"", "name", FOUND, "\"a...\""},
    /* cut ones */
    {"id=17...", "id", CUT, ""},
    {"id=17 ...", "id", FOUND, "17"},
    {"id=17 age=...", "age", CUT, ""},
    {"id=17 a...", "age", CUT, ""},
    {"id=17 ...", "age", CUT, ""},
    {"...", "id", CUT, ""},
    {"name=\"a...", "name", CUT, ""},
    {"name=\"a\"...", "name", CUT, ""},
    {"name=\"a...", "id", CUT, ""},
};

Test(user_keys, find_the_value_of_a_field)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(preview_rows); i++) {
        const struct preview_row *row = &preview_rows[i];
        hsd_text value;
        const hsd_user_value answer = hsd_user_value_find(text_of(row->preview), text_of(row->field), &value);
        cr_expect(answer == row->answer, "%s in %s: %d", row->field, row->preview, (int)answer);
        cr_expect(value.size == strlen(row->value) && memcmp(value.data, row->value, value.size) == 0, "%s in %s: %.*s",
                  row->field, row->preview, (int)value.size, value.data);
    }
}

Test(user_keys, doubt_the_end_of_the_longest_previews)
{
    static char preview[4097];
    hsd_text value;
    memset(preview, '1', sizeof preview - 1);
    memcpy(preview, "id=5 age=", 9);
    cr_expect(hsd_user_value_find((hsd_text){preview, 4095}, text_of("age"), &value) == FOUND);
    cr_expect(hsd_user_value_find((hsd_text){preview, 4096}, text_of("age"), &value) == CUT);
    cr_expect(hsd_user_value_find((hsd_text){preview, 4096}, text_of("id"), &value) == FOUND);
    cr_expect(hsd_user_value_find((hsd_text){preview, 4096}, text_of("size"), &value) == CUT);
}

/* Cut anywhere and marked so, a preview never has another value. */
Test(user_keys, never_take_a_part_for_the_whole)
{
    static const char letters[] = "aab=  \"\\.1";
    test_random random = {4};
    for (unsigned i = 0; i < 20000; i++) {
        char whole[32], part[36];
        hsd_text value, of_part;
        const size_t size = test_below(&random, 24);
        for (size_t k = 0; k < size; k++)
            whole[k] = letters[test_below(&random, sizeof letters - 1)];
        const hsd_user_value answer = hsd_user_value_find((hsd_text){whole, size}, text_of("a"), &value);
        for (size_t cut = 0; cut < size; cut++) {
            memcpy(part, whole, cut);
            memcpy(part + cut, "...", 3);
            if (hsd_user_value_find((hsd_text){part, cut + 3}, text_of("a"), &of_part) != FOUND) continue;
            cr_assert(answer == FOUND && value.size == of_part.size &&
                          memcmp(value.data, of_part.data, value.size) == 0,
                      "%.*s cut at %zu", (int)size, whole, cut);
        }
    }
}

/* ---- objects ---- */

static uint32_t add_type(hsd_type_names *types, const char *name)
{
    uint32_t number = 0;
    cr_assert(hsd_names_put(&types->names, (hsd_bytes){(const uint8_t *)name, strlen(name)}, &number, &err) == HSD_OK);
    return number;
}

typedef struct key_case {
    hsd_type_names types;
    hsd_user_keys keys;
    uint32_t user, order, other;
    hsd_user_key_count counts[2][3];
    hsd_capture_info info[2];
    hsd_diff_store *store;
} key_case;

static void open_case(key_case *c, bool is_mirrored)
{
    static const char *const specs[] = {"User:id", "Gone:id", "Order:number"};
    memset(c, 0, sizeof *c);
    hsd_error_init(&err);
    cr_assert(hsd_type_names_init(&c->types, &err) == HSD_OK);
    if (is_mirrored) c->order = add_type(&c->types, "Order");
    c->other = add_type(&c->types, "Other");
    c->user = add_type(&c->types, "User");
    if (!is_mirrored) c->order = add_type(&c->types, "Order");
    cr_assert(read_all(&c->keys, specs, 3) == HSD_OK, "%s", err.text);
    cr_assert(hsd_user_keys_resolve(&c->keys, &c->types, &err) == HSD_OK);
    for (int side = 0; side < 2; side++)
        c->info[side].facts = HSC_FACT_VALUES;
    c->info[0].path = "a.hs";
    c->info[1].path = "b.hs";
    c->store = calloc(1, sizeof *c->store);
    cr_assert_not_null(c->store);
}

static void close_case(key_case *c)
{
    hsd_store_free(c->store);
    hsd_user_keys_release(&c->keys);
    hsd_type_names_release(&c->types);
}

static uint64_t hash_of(const key_case *c, uint32_t type, const char *preview)
{
    uint64_t hash = 0;
    const bool has_key = hsd_user_key_of(&c->keys, type, text_of(preview), &hash);
    cr_expect(has_key == (hash != 0), "%s", preview);
    return hash;
}

Test(user_keys, are_of_type_and_value_alone)
{
    key_case a, b;
    open_case(&a, false);
    open_case(&b, true);
    cr_assert(a.user != b.user);
    const uint64_t key = hash_of(&a, a.user, "id=17 age=3");
    cr_expect(key != 0);
    cr_expect(hash_of(&b, b.user, "name=5 id=17") == key);
    cr_expect(hash_of(&a, a.user, "id=18 age=3") != key);
    cr_expect(hash_of(&a, a.order, "number=17") != key);
    cr_expect(hash_of(&a, a.order, "number=17") == hash_of(&b, b.order, "number=17"));
    cr_expect(hash_of(&a, a.order, "id=17") == 0);
    cr_expect(hash_of(&a, a.user, "age=3") == 0);
    cr_expect(hash_of(&a, a.other, "id=17") == 0);
    cr_expect(hash_of(&a, 12345, "id=17") == 0);
    cr_expect(hash_of(&a, a.user, "") == 0);
    close_case(&a);
    close_case(&b);
}

static bool take(key_case *c, int side, uint32_t type, const char *preview)
{
    uint64_t hash = 0;
    return hsd_user_key_take(&c->keys, type, text_of(preview), c->counts[side], &hash);
}

Test(user_keys, are_counted)
{
    key_case c;
    open_case(&c, false);
    cr_expect(take(&c, 0, c.user, "id=17"));
    cr_expect(take(&c, 0, c.user, "id=18 ..."));
    cr_expect(!take(&c, 0, c.user, "age=1"));
    cr_expect(!take(&c, 0, c.user, "age=1 ..."));
    cr_expect(!take(&c, 0, c.other, "id=17"));
    cr_expect(!take(&c, 1, c.order, "id=17"));
    const hsd_user_key_count *user = &c.counts[0][0], *order = &c.counts[1][2];
    cr_expect(user->keyed == 2 && user->without == 2 && user->cut == 1);
    cr_expect(order->keyed == 0 && order->without == 1 && order->cut == 0);
    cr_expect(c.keys.items[0].is_known && !c.keys.items[1].is_known && c.keys.items[2].is_known);
    close_case(&c);
}

/* ---- warnings ---- */

static void warn(key_case *c)
{
    const hsd_user_key_side sides[2] = {{&c->info[0], c->counts[0]}, {&c->info[1], c->counts[1]}};
    hsd_user_keys_warn(&c->keys, sides, c->store);
}

static bool says(const key_case *c, size_t i, const char *part)
{
    return i < c->store->warning_count && strstr(c->store->warnings[i].data, part) != NULL;
}

Test(user_keys, say_what_they_did_not_find)
{
    key_case c;
    open_case(&c, false);
    warn(&c);
    cr_assert(c.store->warning_count == 1);
    cr_expect(says(&c, 0, "--key Gone:id: no capture has the type Gone"));
    close_case(&c);

    open_case(&c, false);
    take(&c, 0, c.user, "id=17");
    take(&c, 1, c.user, "age=17");
    take(&c, 0, c.order, "number=1");
    take(&c, 0, c.order, "id=1");
    take(&c, 1, c.order, "number=1");
    take(&c, 1, c.order, "id=1 ...");
    warn(&c);
    cr_assert(c.store->warning_count == 4);
    cr_expect(says(&c, 0, "b.hs: no User carries a value of the field id: there is no such field, or it is a"));
    cr_expect(says(&c, 1, "no capture has the type Gone"));
    cr_expect(says(&c, 2, "a.hs: 1 of 2 Order carry no value of the field number"));
    cr_expect(says(&c, 3, "b.hs: 1 of 2 Order are cut before the value of number"));
    close_case(&c);

    open_case(&c, false);
    c.info[1].facts = 0;
    take(&c, 0, c.user, "id=17");
    take(&c, 1, c.user, "");
    warn(&c);
    cr_assert(c.store->warning_count == 2);
    cr_expect(says(&c, 0, "b.hs: no value is kept, so --key User:id finds nothing"));
    close_case(&c);
}

Test(user_keys, say_once_what_both_captures_lack)
{
    for (int has_values = 0; has_values < 2; has_values++) {
        key_case c;
        open_case(&c, false);
        for (int side = 0; side < 2; side++) {
            c.info[side].facts = has_values ? HSC_FACT_VALUES : 0;
            take(&c, side, c.user, "");
        }
        warn(&c);
        cr_assert(c.store->warning_count == 2);
        cr_expect(says(&c, 0, has_values ? "both captures: no User carries" : "both captures: no value is kept"));
        cr_expect(says(&c, 1, "no capture has the type Gone"));
        close_case(&c);
    }
}

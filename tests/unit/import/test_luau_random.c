/*
 * Random heaps of Luau, imported, against what they were made of: each object with its size and category, each
 * reference with its kind and strength, by rules that are written down here a second time and know the whole heap.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/import_bytes.h"
#include "support/luau_writer.h"
#include "support/random.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

enum { TABLES = 40, STRINGS = 24, EDGES = 12, HEAPS = 150, MAIN = 0x10000, GLOBALS = 0x20000, REGISTRY = 0x20100 };

typedef struct table {
    uint64_t pairs[2 * EDGES], array[EDGES], metatable;
    size_t pair_count, array_count; /* of words */
    unsigned category;
} table;

typedef struct heap {
    table tables[TABLES];
    const char *strings[STRINGS];
} heap;

static const char *const words[] = {"__mode", "k",     "v",   "kv",   "__index", "__type",
                                    "name",   "owner", "x y", "Sock", "none",    "nova"};
enum { WORDS = sizeof words / sizeof words[0] };

static uint64_t table_at(uint64_t i) { return GLOBALS + 0x100 * i; }
static uint64_t string_at(uint64_t i) { return 0x90000 + 0x40 * i; }
static bool is_string(uint64_t address) { return address >= string_at(0); }

static uint64_t any(test_random *random)
{
    const uint64_t choice = test_below(random, 8);
    if (choice == 0) return 0;
    return choice < 4 ? string_at(test_below(random, STRINGS)) : table_at(test_below(random, TABLES));
}

static void fill(test_random *random, heap *h)
{
    *h = (heap){0};
    for (unsigned i = 0; i < STRINGS; i++)
        h->strings[i] = i < WORDS ? words[i] : "data";
    for (unsigned i = 0; i < TABLES; i++) {
        table *t = &h->tables[i];
        t->category = (unsigned)test_below(random, 4);
        for (uint64_t n = test_below(random, EDGES); n > 0; n--) {
            const uint64_t key = any(random), value = any(random);
            bool is_known = key == 0 && value == 0;
            for (size_t k = 0; k < t->pair_count; k += 2)
                is_known |= key != 0 && t->pairs[k] == key;
            if (is_known) continue;
            t->pairs[t->pair_count++] = key;
            t->pairs[t->pair_count++] = value;
        }
        for (uint64_t n = test_below(random, EDGES); n > 0; n--) {
            const uint64_t item = any(random);
            if (item != 0) t->array[t->array_count++] = item;
        }
        /* Some tables are metatables by what is in them, so that many are weak. */
        if (test_below(random, 4) == 0 && t->pair_count == 0) {
            t->pairs[t->pair_count++] = string_at(0);
            t->pairs[t->pair_count++] = string_at(1 + test_below(random, 3));
        }
        if (test_below(random, 2) == 0) t->metatable = table_at(test_below(random, TABLES));
    }
}

static void write_heap(test_random *random, const heap *h, luau_dump *dump)
{
    *dump = (luau_dump){.is_msvc = test_below(random, 2) == 0};
    unsigned order[TABLES + STRINGS];
    for (unsigned i = 0; i < TABLES + STRINGS; i++)
        order[i] = i;
    for (unsigned i = TABLES + STRINGS; i > 1; i--) {
        const unsigned k = (unsigned)test_below(random, i), kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
    luau_begin(dump);
    luau_thread(dump, MAIN, GLOBALS, NULL, 0, LUAU_NONE, NULL);
    for (unsigned i = 0; i < TABLES + STRINGS; i++) {
        const unsigned n = order[i];
        if (test_below(random, 20) == 0) luau_raw(dump, "\"0x77\":{\"type\":\"table\",\"cat\":\n");
        dump->category = n < TABLES ? h->tables[n].category : 0;
        if (n >= TABLES)
            luau_string(dump, string_at(n - TABLES), h->strings[n - TABLES]);
        else
            luau_table(dump, table_at(n), (luau_list){h->tables[n].pairs, h->tables[n].pair_count},
                       (luau_list){h->tables[n].array, h->tables[n].array_count}, h->tables[n].metatable);
    }
    luau_roots(dump, MAIN, REGISTRY, 1000);
    luau_end(dump);
}

/* The mode of a table, by its metatable: the value of its last "__mode". */
static const char *mode_of(const heap *h, const table *t)
{
    if (t->metatable == 0) return "";
    const table *meta = &h->tables[(t->metatable - GLOBALS) / 0x100];
    for (size_t i = 0; i < meta->pair_count; i += 2)
        if (meta->pairs[i] == string_at(0) && is_string(meta->pairs[i + 1]))
            return h->strings[(meta->pairs[i + 1] - string_at(0)) / 0x40];
    return "";
}

typedef struct expected {
    uint64_t target;
    bool is_weak;
} expected;

static size_t expect_of(const heap *h, const table *t, expected *out)
{
    const char *mode = mode_of(h, t);
    const bool weak_keys = strchr(mode, 'k') != NULL, weak_values = strchr(mode, 'v') != NULL;
    size_t count = 0;
    for (size_t i = 0; i < t->pair_count; i += 2) {
        const uint64_t key = t->pairs[i], value = t->pairs[i + 1];
        if (value != 0) out[count++] = (expected){value, weak_values};
        if (key != 0) out[count++] = (expected){key, weak_keys && !is_string(key)};
    }
    for (size_t i = 0; i < t->array_count; i++)
        out[count++] = (expected){t->array[i], weak_values};
    if (t->metatable != 0) out[count++] = (expected){t->metatable, false};
    return count;
}

static void check(const heap *h, const capture_view *view)
{
    cr_assert_eq(view->object_count, TABLES + STRINGS + 1);
    for (unsigned i = 0; i < TABLES; i++) {
        expected edges[4 * EDGES];
        const table *t = &h->tables[i];
        const size_t count = expect_of(h, t, edges);
        const view_object *object = view_find(view, table_at(i));
        cr_assert(object != NULL && object->count == count, "table %u: %zu references, not %zu", i, object->count,
                  count);
        cr_assert_eq(object->size_bytes, 48 + t->pair_count / 2 * 32 + t->array_count * 16);
        char category[16];
        snprintf(category, sizeof category, "category %u", t->category);
        cr_assert_str_eq(view_string(view, object->category), category);
        for (size_t k = 0; k < count; k++) {
            const view_reference *reference = &view->references[object->first + k];
            const bool is_weak = (view_label_of(view, reference).flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK;
            cr_assert(reference->target == edges[k].target && is_weak == edges[k].is_weak, "table %u, reference %zu", i,
                      k);
        }
    }
}

static hsd_status import(const luau_dump *dump, capture_view *view)
{
    const hsd_import_options options = {.compression = 1};
    const hsd_run run = {.memory_bytes = UINT64_C(2) << 20};
    hsd_import_result result;
    hsd_error err;
    const hsd_status status = import_bytes(dump->data, dump->size, "dump", &options, &run, &result, view, &err);
    cr_assert(status == HSD_OK, "%s", err.text);
    return status;
}

Test(luau_random, comes_out_as_it_was_made)
{
    for (uint64_t seed = 1; seed <= HEAPS; seed++) { /* of the same seed, if one is given */
        test_random random = {test_seed(seed)};
        heap h;
        luau_dump dump;
        capture_view view;
        fill(&random, &h);
        write_heap(&random, &h, &dump);
        import(&dump, &view);
        check(&h, &view);
        view_close(&view);
        luau_release(&dump);
    }
}

/*
 * Profiles of random trees as rows: sums stay whole under any floor, rows are those that are large enough, keys do not
 * depend on the capture; and a batch is written whole, or not at all whatever fails.
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <criterion/criterion.h>

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fleet/batch.h"
#include "fleet/layout.h"
#include "support/fault.h"
#include "support/random.h"

enum { PLACES = 60, TYPES = 8, TREES = 400 };

static char type_names[TYPES][16];
static hsd_place places[PLACES];
static hsd_top_type types[TYPES];
static hsd_profile profile;
static hsd_error err;

static hsd_text word(const char *text) { return (hsd_text){text, strlen(text)}; }

/* Preorder: the parent is the place before, or one above it. */
static void make_tree(test_random *random)
{
    static const char *const edges[] = {"", ".a", ".b", "[*]"};
    memset(places, 0, sizeof places);
    memset(types, 0, sizeof types);
    for (uint32_t i = 0; i < TYPES; i++) {
        snprintf(type_names[i], sizeof type_names[i], "T%u", i);
        types[i].name = word(type_names[i]);
    }
    for (uint32_t i = 1; i < PLACES; i++) {
        uint32_t parent = i - 1;
        while (parent > 0 && test_below(random, 2) == 0)
            parent = places[parent].parent;
        const uint32_t type = (uint32_t)test_below(random, TYPES);
        hsd_place *place = &places[i];
        *place = (hsd_place){.parent = parent,
                             .depth = places[parent].depth + 1,
                             .can_hold = test_below(random, 4) > 0,
                             .is_root = parent == 0 && test_below(random, 2) == 0,
                             .edge = word(edges[test_below(random, 4)]),
                             .type = word(type_names[type])};
        place->own = (hsd_amount){.objects = place->is_root ? 0 : test_below(random, 3)};
        place->own.bytes = place->own.objects * test_below(random, 100);
        types[type].live.objects += place->own.objects;
        types[type].live.bytes += place->own.bytes;
    }
    places[0].edge = word("");
    places[0].type = word("");
    for (uint32_t i = PLACES; i-- > 0;) {
        places[i].all.objects += places[i].own.objects;
        places[i].all.bytes += places[i].own.bytes;
        if (i == 0) continue;
        places[places[i].parent].all.objects += places[i].all.objects;
        places[places[i].parent].all.bytes += places[i].all.bytes;
    }
    profile =
        (hsd_profile){.has_places = true, .places = places, .place_count = PLACES, .types = types, .type_count = TYPES};
    profile.side.live = places[0].all;
}

static void add_capture(hsd_fleet_batch *batch, uint64_t number, uint64_t floor_bytes)
{
    const hsd_text none = word("");
    const hsd_fleet_capture capture = {.id = number + 1,
                                       .process = number / 3,
                                       .time_ms = 1000 * number,
                                       .service = word("s"),
                                       .version = none,
                                       .host = none,
                                       .pod = none,
                                       .runtime = none,
                                       .domain = none,
                                       .digest = none,
                                       .labels = word("{}")};
    cr_assert_eq(hsd_fleet_batch_capture(batch, &capture, &err), HSD_OK);
    cr_assert_eq(hsd_fleet_batch_profile(batch, &profile, floor_bytes, &err), HSD_OK);
}

static hsd_amount sum_of(const hsd_fleet_batch *batch, hsd_fleet_kind kind)
{
    hsd_amount sum = {0, 0};
    for (uint32_t i = 0; i < batch->row_count; i++) {
        if (batch->rows[i].kind != kind) continue;
        sum.objects += batch->rows[i].objects;
        sum.bytes += batch->rows[i].bytes;
    }
    return sum;
}

Test(rows, sums_are_whole_under_any_floor)
{
    test_random random = {test_seed(3)};
    for (unsigned tree = 0; tree < TREES; tree++) {
        hsd_fleet_batch batch = {0};
        const uint64_t floor_bytes = test_below(&random, 400);
        make_tree(&random);
        add_capture(&batch, 0, floor_bytes);
        const hsd_amount live = profile.side.live;
        for (unsigned kind = HSD_FLEET_TYPE; kind <= HSD_FLEET_PLACE; kind += 2) {
            const hsd_amount sum = sum_of(&batch, kind);
            cr_assert(sum.objects == live.objects && sum.bytes == live.bytes, "tree %u kind %u floor %llu", tree, kind,
                      (unsigned long long)floor_bytes);
        }
        for (uint32_t i = 0; i < batch.row_count; i++) {
            const hsd_fleet_row *row = &batch.rows[i];
            const hsd_fleet_name *name = hsd_fleet_batch_find(&batch, row->key);
            cr_assert_not_null(name);
            cr_assert_eq(name->kind, row->kind);
            cr_assert(row->other > 0 || name->parent == 0 || row->retained >= floor_bytes ||
                      row->kind != HSD_FLEET_PLACE);
            cr_assert(!row->is_single || row->kind == HSD_FLEET_TYPE || row->objects <= 1);
            cr_assert(row->other == 0 || !row->is_single);
            for (uint32_t j = 0; j < i; j++)
                cr_assert(batch.rows[j].key != row->key || batch.rows[j].kind != row->kind, "a key stands twice");
        }
        hsd_fleet_batch_release(&batch);
    }
}

Test(rows, nothing_is_folded_without_a_floor)
{
    test_random random = {test_seed(4)};
    hsd_fleet_batch batch = {0};
    make_tree(&random);
    add_capture(&batch, 0, 0);
    for (uint32_t i = 0; i < batch.row_count; i++)
        cr_assert_eq(batch.rows[i].other, 0);
    hsd_fleet_batch_release(&batch);
}

Test(rows, keys_are_the_same_in_every_capture)
{
    test_random random = {test_seed(5)};
    hsd_fleet_batch batch = {0};
    make_tree(&random);
    add_capture(&batch, 0, 50);
    const uint32_t rows = batch.row_count, names = batch.name_count;
    add_capture(&batch, 1, 50);
    cr_assert_eq(batch.row_count, 2 * rows);
    cr_assert_eq(batch.name_count, names);
    for (uint32_t i = 0; i < rows; i++) {
        cr_assert_eq(batch.rows[i].key, batch.rows[rows + i].key);
        cr_assert_eq(batch.rows[rows + i].capture, 1);
    }
    hsd_fleet_batch_release(&batch);
}

Test(rows, long_names_are_cut_between_characters)
{
    hsd_fleet_batch batch = {0};
    char *text = malloc(60001);
    for (unsigned i = 0; i < 20000; i++)
        memcpy(text + 3 * i, "\xe2\x82\xac", 3);
    for (size_t size = 59990; size <= 60000; size++) {
        const hsd_fleet_name name = {
            .key = size, .text = {text, size / 3 * 3}, .edge = word(""), .type = word("T"), .kind = HSD_FLEET_TYPE};
        cr_assert_eq(hsd_fleet_batch_name(&batch, &name, &err), HSD_OK);
        const hsd_fleet_name *own = hsd_fleet_batch_find(&batch, size);
        cr_assert(own->text.size <= HSD_FLEET_TEXT_BYTES);
        for (size_t i = 0; i < own->text.size; i += (uint8_t)own->text.data[i] == 0xe2 ? 3 : 1)
            cr_assert((uint8_t)own->text.data[i] == 0xe2 || own->text.data[i] == ' ' || own->text.data[i] == '.');
    }
    free(text);
    hsd_fleet_batch_release(&batch);
}

/* ---- the folder */

static char folder[] = "/tmp/hsd-fleet-XXXXXX";

static unsigned count_entries(const char *path)
{
    unsigned count = 0;
    DIR *list = opendir(path);
    cr_assert_not_null(list);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(list);
    return count;
}

static hsd_status write_batch(hsd_fleet_batch *batch, hsd_fleet_written *written)
{
    test_random random = {9};
    make_tree(&random);
    for (unsigned i = 0; i < 4; i++)
        add_capture(batch, i, 50);
    hsd_error_init(&err);
    return hsd_fleet_batch_write(batch, folder, written, &err);
}

/* All but the folder itself. */
static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind;
    return at->level == 0 ? 0 : remove(path);
}

static void remove_all(void) { cr_assert_eq(nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0); }

Test(rows, a_batch_is_whole_or_not_there)
{
    static const hsd_fault_family families[] = {HSD_FAULT_WRITE, HSD_FAULT_SYNC, HSD_FAULT_RENAME};
    hsd_fleet_written written;
    cr_assert_not_null(mkdtemp(folder));
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        bool struck = true;
        unsigned strikes = 0;
        for (uint64_t at = 1; struck && at < 60; at++) {
            hsd_fleet_batch batch = {0};
            hsd_fault_reset();
            hsd_fault_arm(families[f], at, false, ENOSPC);
            const hsd_status status = write_batch(&batch, &written);
            struck = hsd_fault_strikes() > 0;
            hsd_fault_reset();
            strikes += struck;
            /* a folder that cannot be synced keeps its names */
            cr_assert(status == HSD_OK || (struck && status == HSD_E_IO), "%s %llu: %s", hsd_fault_name(families[f]),
                      (unsigned long long)at, err.text);
            cr_assert_eq(count_entries(folder), status == HSD_OK, "%s %llu left something", hsd_fault_name(families[f]),
                         (unsigned long long)at);
            remove_all();
            hsd_fleet_batch_release(&batch);
        }
        cr_assert(strikes > 0, "%s never struck", hsd_fault_name(families[f]));
    }
    rmdir(folder);
}

Test(rows, the_same_captures_are_one_batch)
{
    hsd_fleet_written written;
    cr_assert_not_null(mkdtemp(folder));
    for (unsigned turn = 0; turn < 2; turn++) {
        hsd_fleet_batch batch = {0};
        cr_assert_eq(write_batch(&batch, &written), HSD_OK, "%s", err.text);
        cr_assert_eq(written.is_known, turn == 1);
        cr_assert_eq(count_entries(folder), 1);
        hsd_fleet_batch_release(&batch);
    }
    remove_all();
    rmdir(folder);
}

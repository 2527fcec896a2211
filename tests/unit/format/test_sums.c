/* Baselines that break a rule (FORMAT.md 6.17 to 6.19, 7.11), and what is salvaged of damaged ones. */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/header.h"
#include "unit/format/legal.h"

#define BASELINE_FACTS 0x58u

/* ---- a small legal baseline, in pieces ---- */

static void put_live(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5, 6);
    FORGE(f, HSC_COL_COUNT, 2, 0);
    FORGE(f, HSC_COL_BYTES, 32, 0);
    FORGE(f, HSC_COL_RETAINED, 32, 0);
    FORGE(f, HSC_COL_UNREACHED, 0, 1);
    FORGE(f, HSC_COL_UNREACHED_BYTES, 0, 8);
    forge_block(f, HSC_BLOCK_LIVE_TOTALS, 0, 2, 0);
}

static void put_owned(forge *f)
{
    FORGE(f, HSC_COL_FLAGS, 0, HSC_ROOT_TOTAL_SHARED);
    FORGE(f, HSC_COL_KEY, 1, 2);
    FORGE(f, HSC_COL_KIND, 1, 99);
    FORGE(f, HSC_COL_COUNT, 1, 1);
    FORGE(f, HSC_COL_BYTES, 16, 16);
    forge_block(f, HSC_BLOCK_ROOT_TOTALS, 0, 2, 0);
}

/* The heap, a root, two objects one below the other, and one beside. */
static void put_places(forge *f)
{
    FORGE(f, HSC_COL_FLAGS, 0, HSC_PLACE_IS_ROOT, HSC_PLACE_CAN_HOLD);
    FORGE(f, HSC_COL_KEY, 0, 1, 5);
    FORGE(f, HSC_COL_PARENT, 0, 0, 1);
    FORGE(f, HSC_COL_COUNT, 0, 0, 1);
    FORGE(f, HSC_COL_BYTES, 0, 0, 16);
    forge_block(f, HSC_BLOCK_PLACES, 0, 3, 0);
    FORGE(f, HSC_COL_KEY, 5);
    FORGE(f, HSC_COL_TEXT_ID, 2);
    FORGE(f, HSC_COL_PARENT, 1);
    FORGE(f, HSC_COL_COUNT, 1);
    FORGE(f, HSC_COL_BYTES, 16);
    forge_block(f, HSC_BLOCK_PLACES, 0, 1, 3);
}

static void put_tables(forge *f)
{
    legal_put_strings(f);
    FORGE(f, HSC_COL_KEY, 5, 6);
    FORGE(f, HSC_COL_TEXT_BYTES, 2, 1);
    forge_text(f, HSC_COL_TEXT, "Map");
    forge_block(f, HSC_BLOCK_TYPES, 0, 2, 0);
    f->end[HSC_END_TYPES] = 2;
}

static void put_totals(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5, 6);
    FORGE(f, HSC_COL_COUNT, 2, 1);
    FORGE(f, HSC_COL_BYTES, 32, 8);
    forge_block(f, HSC_BLOCK_TYPE_TOTALS, 0, 2, 0);
    f->end[HSC_END_COUNTED_OBJECTS] = 3;
    f->end[HSC_END_COUNTED_BYTES] = 40;
}

static void put_more_totals(forge *f, uint64_t objects, uint64_t bytes)
{
    FORGE(f, HSC_COL_KEY, 5, 6);
    FORGE(f, HSC_COL_COUNT, 2 + objects, 1);
    FORGE(f, HSC_COL_BYTES, 32 + bytes, 8);
    forge_block(f, HSC_BLOCK_TYPE_TOTALS, 0, 2, 0);
    f->end[HSC_END_COUNTED_OBJECTS] = 3 + objects;
    f->end[HSC_END_COUNTED_BYTES] = 40 + bytes;
}

static void put_totals_of_more_bytes(forge *f) { put_more_totals(f, 0, 4); }
static void put_totals_of_more_objects(forge *f) { put_more_totals(f, 1, 0); }

typedef void (*piece)(forge *f);

typedef struct pieces { /* NULL = the legal one */
    uint64_t facts;
    unsigned minor;
    piece before, live, owned, places, totals;
} pieces;

static const pieces legal = {.facts = BASELINE_FACTS, .minor = 1};

static forge baseline_with(pieces p)
{
    forge f = forge_begin();
    hsd_file_header_build(f.bytes.data, f.id, (uint16_t)p.minor);
    forge_info(&f, 0, p.facts);
    put_tables(&f);
    if (p.before != NULL) p.before(&f);
    (p.live != NULL ? p.live : put_live)(&f);
    (p.owned != NULL ? p.owned : put_owned)(&f);
    (p.places != NULL ? p.places : put_places)(&f);
    (p.totals != NULL ? p.totals : put_totals)(&f);
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

#define EXPECT(rule, is_refused, ...)                                                                                  \
    do {                                                                                                               \
        pieces p = legal;                                                                                              \
        __VA_ARGS__;                                                                                                   \
        legal_expect(baseline_with(p), rule, is_refused);                                                              \
    } while (0)

Test(sums, are_read_as_they_were_written)
{
    static const uint32_t depths[] = {0, 1, 2, 2}, parents[] = {0, 0, 1, 1}, names[] = {0, 1, 5, 5};
    hsd_capture *capture;
    hsd_record_reader *reader;
    hsd_record record;
    hsd_error err;
    forge f = baseline_with(legal);
    memfile file = forge_file(&f);
    cr_assert_str_eq(forge_verify(&f), "");
    cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "forged.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s",
                 err.text);
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    cr_assert(info->is_baseline && info->live_totals == 2 && info->root_totals == 2 && info->places == 4);
    cr_assert_eq(hsd_record_reader_open(&reader, capture, HSD_RECORD_PLACE, &err), HSD_OK);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_OK, "%s", err.text);
        const hsd_place_total *place = &record.place_total;
        cr_assert(place->number == i && place->depth == depths[i] && place->parent == parents[i] &&
                  place->name == names[i]);
    }
    cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_END);
    hsd_record_reader_close(reader);
    cr_assert_eq(hsd_record_reader_open(&reader, capture, HSD_RECORD_ROOT_TOTAL, &err), HSD_OK);
    cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_OK);
    cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_OK);
    cr_assert(record.root_total.kind == 0 && record.root_total.flags == HSC_ROOT_TOTAL_SHARED,
              "kinds that are not known read as 0");
    hsd_record_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

/* ---- types and roots ---- */

static void put_live_out_of_order(forge *f)
{
    FORGE(f, HSC_COL_KEY, 6, 5);
    FORGE(f, HSC_COL_COUNT, 1, 2);
    FORGE(f, HSC_COL_BYTES, 8, 32);
    forge_block(f, HSC_BLOCK_LIVE_TOTALS, 0, 2, 0);
}

static void put_live_twice(forge *f)
{
    for (unsigned i = 0; i < 2; i++) {
        FORGE(f, HSC_COL_KEY, 5);
        FORGE(f, HSC_COL_COUNT, 2);
        forge_block(f, HSC_BLOCK_LIVE_TOTALS, 0, 1, 0);
    }
}

static void put_live_without_type(forge *f)
{
    FORGE(f, HSC_COL_COUNT, 3);
    FORGE(f, HSC_COL_BYTES, 40);
    forge_block(f, HSC_BLOCK_LIVE_TOTALS, 0, 1, 0);
}

static void put_live_of_no_type(forge *f)
{
    FORGE(f, HSC_COL_KEY, 7);
    FORGE(f, HSC_COL_COUNT, 3);
    FORGE(f, HSC_COL_BYTES, 40);
    forge_block(f, HSC_BLOCK_LIVE_TOTALS, 0, 1, 0);
}

static void put_live_that_is_not_all(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5);
    FORGE(f, HSC_COL_COUNT, 2);
    FORGE(f, HSC_COL_BYTES, 32);
    forge_block(f, HSC_BLOCK_LIVE_TOTALS, 0, 1, 0);
}

static void put_live_with_text(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5);
    FORGE(f, HSC_COL_TEXT_ID, 1);
    forge_block(f, HSC_BLOCK_LIVE_TOTALS, 0, 1, 0);
}

static void put_live_with_flags(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5);
    forge_block(f, HSC_BLOCK_LIVE_TOTALS, 1, 1, 0);
}

static void put_live_with_ordinal(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5);
    forge_block(f, HSC_BLOCK_LIVE_TOTALS, 0, 1, 1);
}

static void put_owned_out_of_order(forge *f)
{
    FORGE(f, HSC_COL_KEY, 2, 1);
    forge_block(f, HSC_BLOCK_ROOT_TOTALS, 0, 2, 0);
}

static void put_owned_without_name(forge *f)
{
    FORGE(f, HSC_COL_COUNT, 1);
    forge_block(f, HSC_BLOCK_ROOT_TOTALS, 0, 1, 0);
}

static void put_owned_of_no_string(forge *f)
{
    FORGE(f, HSC_COL_KEY, 9);
    forge_block(f, HSC_BLOCK_ROOT_TOTALS, 0, 1, 0);
}

Test(sums, hold_the_order_of_types_and_roots)
{
    EXPECT("6.17", true, p.live = put_live_out_of_order);
    EXPECT("6.17", true, p.live = put_live_twice);
    EXPECT("6.17", true, p.live = put_live_without_type);
    EXPECT("6.3", false, p.live = put_live_of_no_type);
    EXPECT("6.17", false, p.live = put_live_that_is_not_all);
    EXPECT("6.17", false, p.totals = put_totals_of_more_bytes);
    EXPECT("6.17", false, p.totals = put_totals_of_more_objects);
    EXPECT("5.2", true, p.live = put_live_with_text);
    EXPECT("4.8", true, p.live = put_live_with_flags);
    EXPECT("4.10", true, p.live = put_live_with_ordinal);
    EXPECT("6.18", true, p.owned = put_owned_out_of_order);
    EXPECT("6.18", true, p.owned = put_owned_without_name);
    EXPECT("6.2", false, p.owned = put_owned_of_no_string);
}

/* ---- places ---- */

static void put_heap_with_a_name(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5);
    forge_block(f, HSC_BLOCK_PLACES, 0, 1, 0);
}

static void put_heap_below_itself(forge *f)
{
    FORGE(f, HSC_COL_PARENT, 1);
    forge_block(f, HSC_BLOCK_PLACES, 0, 1, 0);
}

static void put_place_without_name(forge *f)
{
    FORGE(f, HSC_COL_KEY, 0, 0);
    FORGE(f, HSC_COL_COUNT, 0, 1);
    forge_block(f, HSC_BLOCK_PLACES, 0, 2, 0);
}

static void put_place_of_no_type(forge *f)
{
    FORGE(f, HSC_COL_KEY, 0, 7);
    forge_block(f, HSC_BLOCK_PLACES, 0, 2, 0);
}

static void put_root_of_no_string(forge *f)
{
    FORGE(f, HSC_COL_FLAGS, 0, HSC_PLACE_IS_ROOT);
    FORGE(f, HSC_COL_KEY, 0, 5);
    forge_block(f, HSC_BLOCK_PLACES, 0, 2, 0);
}

static void put_edge_of_no_string(forge *f)
{
    FORGE(f, HSC_COL_KEY, 0, 5);
    FORGE(f, HSC_COL_TEXT_ID, 0, 9);
    forge_block(f, HSC_BLOCK_PLACES, 0, 2, 0);
}

static void put_place_below_itself(forge *f)
{
    FORGE(f, HSC_COL_KEY, 0, 5);
    FORGE(f, HSC_COL_PARENT, 0, 1);
    forge_block(f, HSC_BLOCK_PLACES, 0, 2, 0);
}

static void put_place_below_a_later_one(forge *f)
{
    FORGE(f, HSC_COL_KEY, 0, 5, 5);
    FORGE(f, HSC_COL_PARENT, 0, 2, 0);
    forge_block(f, HSC_BLOCK_PLACES, 0, 3, 0);
}

/* 0 has 1 and 2; 3 hangs from 1, which was left behind. */
static void put_places_out_of_order(forge *f)
{
    FORGE(f, HSC_COL_KEY, 0, 5, 5, 5);
    FORGE(f, HSC_COL_PARENT, 0, 0, 0, 1);
    forge_block(f, HSC_BLOCK_PLACES, 0, 4, 0);
}

static void put_places_with_a_gap(forge *f)
{
    FORGE(f, HSC_COL_KEY, 0, 5);
    forge_block(f, HSC_BLOCK_PLACES, 0, 2, 0);
    FORGE(f, HSC_COL_KEY, 5);
    forge_block(f, HSC_BLOCK_PLACES, 0, 1, 3);
}

static void put_places_that_do_not_begin(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5);
    forge_block(f, HSC_BLOCK_PLACES, 0, 1, 1);
}

static void put_ordinal_past_the_limit(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5);
    forge_block(f, HSC_BLOCK_PLACES, 0, 1, HSC_MAX_PLACES);
}

static void put_chain(forge *f, uint64_t deepest)
{
    uint64_t keys[300], parents[300];
    for (uint64_t i = 0; i <= deepest; i++) {
        keys[i] = i == 0 ? 0 : 5;
        parents[i] = i == 0 ? 0 : i - 1;
    }
    forge_column(f, HSC_COL_KEY, keys, deepest + 1);
    forge_column(f, HSC_COL_PARENT, parents, deepest + 1);
    forge_block(f, HSC_BLOCK_PLACES, 0, (uint32_t)deepest + 1, 0);
}

static void put_deepest(forge *f) { put_chain(f, HSC_MAX_PLACE_DEPTH); }
static void put_too_deep(forge *f) { put_chain(f, HSC_MAX_PLACE_DEPTH + 1); }

/* The heap, and `more` places below it. */
static void put_wide(forge *f, uint32_t more)
{
    static uint64_t keys[HSC_MAX_RECORDS];
    FORGE(f, HSC_COL_COUNT, 1);
    forge_block(f, HSC_BLOCK_PLACES, 0, 1, 0);
    for (size_t i = 0; i < HSC_MAX_RECORDS; i++)
        keys[i] = 5;
    for (uint32_t put = 0, count; put < more; put += count) {
        count = more - put < HSC_MAX_RECORDS ? more - put : HSC_MAX_RECORDS;
        forge_column(f, HSC_COL_KEY, keys, count);
        forge_block(f, HSC_BLOCK_PLACES, 0, count, 1 + put);
    }
}

static void put_most(forge *f) { put_wide(f, HSC_MAX_PLACES - 1); }
static void put_too_many(forge *f) { put_wide(f, HSC_MAX_PLACES); }

Test(sums, hold_the_tree_of_places)
{
    EXPECT("6.19", true, p.places = put_heap_with_a_name);
    EXPECT("6.19", true, p.places = put_heap_below_itself);
    EXPECT("6.19", true, p.places = put_place_without_name);
    EXPECT("6.3", false, p.places = put_place_of_no_type);
    EXPECT("6.2", false, p.places = put_root_of_no_string);
    EXPECT("6.2", false, p.places = put_edge_of_no_string);
    EXPECT("6.19", true, p.places = put_place_below_itself);
    EXPECT("6.19", true, p.places = put_place_below_a_later_one);
    EXPECT("6.19", true, p.places = put_places_out_of_order);
    EXPECT("4.10", true, p.places = put_places_with_a_gap);
    EXPECT("4.10", true, p.places = put_places_that_do_not_begin);
    EXPECT("10.10", true, p.places = put_ordinal_past_the_limit);
    EXPECT("", false, p.places = put_deepest);
    EXPECT("10.11", true, p.places = put_too_deep);
    EXPECT("", false, p.places = put_most);
    EXPECT("10.10", true, p.places = put_too_many);
}

/* ---- what makes a baseline ---- */

static void put_root(forge *f)
{
    FORGE(f, HSC_COL_TARGET, 7);
    forge_block(f, HSC_BLOCK_ROOTS, 0, 1, 0);
    f->end[HSC_END_ROOTS] = 1;
}

static void put_totals_with_root(forge *f)
{
    put_totals(f);
    FORGE(f, HSC_COL_KEY, 0);
    FORGE(f, HSC_COL_KIND, 1);
    FORGE(f, HSC_COL_COUNT, 1);
    forge_block(f, HSC_BLOCK_GROUP_TOTALS, 0, 1, 0);
}

static void put_objects(forge *f, bool has_reference, uint64_t first, uint64_t second)
{
    FORGE(f, HSC_COL_ID, first, second);
    FORGE(f, HSC_COL_TYPE, 5, 5);
    FORGE(f, HSC_COL_SIZE, 16, 16);
    if (has_reference) {
        FORGE(f, HSC_COL_REF_COUNT, 1, 0);
        FORGE(f, HSC_COL_REF_TARGET, second);
        f->end[HSC_END_REFERENCES] = 1;
    }
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    f->end[HSC_END_OBJECTS] = 2;
    f->end[HSC_END_BYTES] = 32;
}

static void put_legal_objects(forge *f) { put_objects(f, false, 8, 16); }
static void put_objects_that_refer(forge *f) { put_objects(f, true, 8, 16); }
static void put_objects_out_of_order(forge *f) { put_objects(f, false, 16, 8); }

static void put_totals_of_objects(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5, 6);
    FORGE(f, HSC_COL_COUNT, 2, 1);
    FORGE(f, HSC_COL_BYTES, 32, 8);
    FORGE(f, HSC_COL_BUCKET_COUNT, 1, 0);
    FORGE(f, HSC_COL_BUCKET, 5);
    FORGE(f, HSC_COL_BUCKET_OBJECTS, 2);
    FORGE(f, HSC_COL_BUCKET_BYTES, 32);
    forge_block(f, HSC_BLOCK_TYPE_TOTALS, 0, 2, 0);
    f->end[HSC_END_COUNTED_OBJECTS] = 1;
    f->end[HSC_END_COUNTED_BYTES] = 8;
}

static void put_totals_first(forge *f) { put_totals(f); }
static void put_nothing(forge *f) { (void)f; }

Test(sums, stand_in_baselines_alone)
{
    EXPECT("7.11", false, p.facts = 0x40);
    EXPECT("7.11", false, p.facts = 0);
    EXPECT("3.4", false, p.minor = 0);
    EXPECT("7.11", false, p.before = put_root; p.totals = put_totals_with_root);
    EXPECT("", false, p.before = put_legal_objects; p.totals = put_totals_of_objects);
    EXPECT("7.11", false, p.before = put_objects_that_refer; p.totals = put_totals_of_objects);
    EXPECT("7.11", false, p.before = put_objects_out_of_order; p.totals = put_totals_of_objects);
    EXPECT("2.3", false, p.before = put_totals_first; p.totals = put_nothing);
}

static void expect_told(pieces p, const char *expected)
{
    forge f = baseline_with(p);
    const char *told = forge_told(&f);
    cr_assert_str_eq(told, expected, "told:\n%snot:\n%s", told, expected);
    forge_free(&f);
}

static void put_equal_objects(forge *f) { put_objects(f, false, 8, 8); }

Test(sums, are_not_read_where_they_do_not_belong)
{
    pieces p = legal;
    expect_told(p, "");
    p.facts = 0;
    p.places = put_too_deep; /* nobody looks */
    expect_told(p, "7.11 of 3: live totals stand in a capture that is no baseline\n"
                   "7.11 of 4: root totals stand in a capture that is no baseline\n"
                   "7.11 of 5: places stand in a capture that is no baseline\n");
    p = legal;
    p.facts = 0x40;
    expect_told(p, "7.11 of 0: it is a baseline, and does not say that it has no roots and references\n");
    p = legal;
    p.before = put_equal_objects; /* they stand there twice, but in order */
    p.totals = put_totals_of_objects;
    expect_told(p, "6.6 of 3: object id 0x8 stands there twice\n");
}

/* What a reader does not use it need not believe. */
Test(sums, are_ignored_in_other_captures)
{
    hsd_capture *capture;
    hsd_record_reader *reader;
    hsd_record record;
    hsd_error err;
    pieces p = legal;
    p.facts = 0;
    p.places = put_too_deep;
    forge f = baseline_with(p);
    for (hsd_damage damage = HSD_DAMAGE_REFUSE; damage <= HSD_DAMAGE_SKIP; damage++) {
        memfile file = forge_file(&f);
        cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "forged.hs", damage, NULL, &err), HSD_OK, "%s", err.text);
        const hsd_capture_info *info = hsd_capture_get_info(capture);
        cr_assert(!info->is_baseline && info->is_complete && info->places == 0);
        cr_assert_eq(hsd_record_reader_open(&reader, capture, HSD_RECORD_PLACE, &err), HSD_OK);
        cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_END);
        hsd_record_reader_close(reader);
        hsd_capture_close(capture);
    }
    forge_free(&f);
}

/* ---- damage ---- */

static char path[64];

/* Salvages a baseline of which one byte was changed in the block with this number. */
static hsd_capture *salvage_without(uint64_t block)
{
    hsd_capture *capture;
    hsd_verify_result verified;
    hsd_error err;
    forge f = baseline_with(legal);
    for (size_t i = 0; i < f.blocks.count; i++) {
        if (f.blocks.refs[i].number == block) f.bytes.data[f.blocks.refs[i].offset_bytes + HSC_BLOCK_HEADER_BYTES] ^= 1;
    }
    memfile file = forge_file(&f);
    snprintf(path, sizeof path, "/tmp/hsdiff-sums-%d.hs", (int)getpid());
    cr_assert_eq(hsd_capture_salvage(file.path, path, true, NULL, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_verify(path, NULL, NULL, NULL, &verified, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(verified.faults, 0, "without block %llu", (unsigned long long)block);
    cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert(hsd_capture_get_info(capture)->is_baseline && hsd_capture_get_info(capture)->is_salvaged);
    cr_assert_eq(hsd_capture_get_info(capture)->version_minor, 1);
    memfile_close(&file);
    forge_free(&f);
    unlink(path);
    return capture;
}

/* Blocks: 0 info, 1 strings, 2 types, 3 live, 4 owned, 5 and 6 places. */
Test(sums, are_salvaged_but_for_places_behind_lost_ones)
{
    static const struct {
        uint64_t block, live, owned, places;
    } cases[] = {{0, 2, 2, 4}, {3, 0, 2, 4}, {4, 2, 0, 4}, {5, 2, 2, 0}, {6, 2, 2, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hsd_capture *capture = salvage_without(cases[i].block);
        const hsd_capture_info *info = hsd_capture_get_info(capture);
        cr_assert_eq(info->live_totals, cases[i].live, "block %llu", (unsigned long long)cases[i].block);
        cr_assert_eq(info->root_totals, cases[i].owned, "block %llu", (unsigned long long)cases[i].block);
        cr_assert_eq(info->places, cases[i].places, "block %llu", (unsigned long long)cases[i].block);
        if (cases[i].block == 0) cr_assert_eq(info->sums, HSC_SUMS_ROOTS | HSC_SUMS_REFERENCES | HSC_SUMS_PLACES);
        hsd_capture_close(capture);
    }
}

static unsigned told;

static void count_told(void *context, const char *rule, uint64_t offset, uint64_t block, const char *text)
{
    (void)context, (void)rule, (void)offset, (void)block, (void)text;
    told++;
}

Test(sums, tell_of_lost_places_once)
{
    hsd_verify_result verified;
    hsd_error err;
    forge f = baseline_with(legal);
    f.bytes.data[f.blocks.refs[5].offset_bytes + HSC_BLOCK_HEADER_BYTES] ^= 1;
    memfile file = forge_file(&f);
    cr_assert_eq(hsd_capture_verify(file.path, NULL, count_told, NULL, &verified, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(told, 1);
    memfile_close(&file);
    forge_free(&f);
}

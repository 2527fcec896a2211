/*
 * Baselines that are not what hsdiff writes: sums that contradict each other, names twice, objects in no order; and
 * those that keep less. One small heap, written with a change each time:
 *
 *      heap ── (main) ── Session 3 × 100 ── .items Item 5 × 10
 *          └── Item 2 × 10                          and a Session that nobody reaches
 */
#include <criterion/criterion.h>

#include "unit/diff/single_kit.h"
#include "unit/diff/test_profile_kit.h"

#define TEXT(s)                                                                                                        \
    {                                                                                                                  \
        s, sizeof(s) - 1                                                                                               \
    }

static hsd_top_type types[4];
static hsd_top_root roots[3];
static hsd_place places[8];
static hsd_profile heap;
static kit_told told[10];
static kit_list objects;

static hsd_place place(uint32_t parent, uint32_t depth, hsd_text edge, hsd_text type, uint64_t count, uint64_t bytes)
{
    return (hsd_place){
        .parent = parent, .depth = depth, .can_hold = true, .edge = edge, .type = type, .own = {count, bytes}};
}

static void begin(void)
{
    const hsd_text none = TEXT(""), session = TEXT("Session"), item = TEXT("Item"), items = TEXT(".items"),
                   name = TEXT("main");
    types[0] = (hsd_top_type){.name = session, .live = {3, 300}, .unreached = {1, 100}, .retained_bytes = 350};
    types[1] = (hsd_top_type){.name = item, .live = {7, 70}, .retained_bytes = 70};
    roots[0] = (hsd_top_root){.name = name, .kind = HSC_ROOT_STACK, .live = {8, 350}, .retained_bytes = 350};
    roots[1] = (hsd_top_root){.name = TEXT("(shared)"), .is_shared = true, .live = {2, 20}};
    places[0] = place(0, 0, none, none, 0, 0);
    places[1] = place(0, 1, none, name, 0, 0);
    places[1].is_root = true;
    places[2] = place(1, 2, none, session, 3, 300);
    places[3] = place(2, 3, items, item, 5, 50);
    places[4] = place(0, 1, none, item, 2, 20);
    heap = (hsd_profile){.side = {.has_roots = true, .has_references = true, .soft = {1, 10}, .dangling = 4},
                         .has_places = true,
                         .has_roots = true,
                         .why_no_places = none,
                         .types = types,
                         .type_count = 2,
                         .roots = roots,
                         .root_count = 2,
                         .places = places,
                         .place_count = 5};
    for (uint32_t i = 0; i < 10; i++)
        told[i] = (kit_told){.type = i < 3 ? 0 : 1, .id = 10 * i, .bytes = i < 3 ? 100 : 10};
    objects = (kit_list){.rows = told, .count = 10};
    setup();
}

TestSuite(profile_read, .init = begin, .fini = teardown);

static hsd_status make(hsd_profile **out, const hsd_profile_options *options, uint64_t memory_bytes)
{
    const hsd_run run = {.memory_bytes = memory_bytes, .threads = 1};
    hsd_capture *capture;
    *out = NULL;
    const hsd_status opened = hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, &run, &err);
    if (opened != HSD_OK) return opened;
    const hsd_status status = hsd_profile_make(out, capture, options, &run, &err);
    hsd_capture_close(capture);
    return status;
}

static hsd_profile *answer(const hsd_profile_options *options)
{
    hsd_profile *p;
    cr_assert_eq(make(&p, options, 0), HSD_OK, "%s", err.text);
    cr_assert(p->is_baseline);
    return p;
}

static void refuse(const char *text)
{
    hsd_profile *p;
    kit_write_baseline(&heap, NULL, path);
    cr_assert_eq(make(&p, NULL, 0), HSD_E_CORRUPT, "%s", text);
    cr_assert_null(p);
    cr_expect_not_null(strstr(err.text, text), "%s", err.text);
    cr_expect_not_null(strstr(err.text, "contradict"), "%s", err.text);
    cr_expect_str_eq(err.file, path);
    cr_expect_gt(strlen(err.hint), 0);
}

/* ---- what is kept ---- */

Test(profile_read, gives_what_was_kept)
{
    kit_list list = {0};
    kit_write_baseline(&heap, &objects, path);
    hsd_profile *p = answer(&(hsd_profile_options){.each = kit_take, .each_context = &list});
    cr_assert_eq(p->type_count, 2);
    cr_expect_str_eq(p->types[0].name.data, "Session");
    cr_expect_eq(p->types[0].retained_bytes, 350);
    cr_expect_eq(p->side.unreached.bytes, 100);
    cr_expect_eq(p->side.soft.bytes, 10);
    cr_expect_eq(p->side.dangling, 4);
    cr_expect_eq(p->warning_count, 0);
    cr_assert_eq(p->place_count, 5);
    cr_expect_eq(p->places[1].all.objects, 8);
    cr_expect_eq(p->places[1].all.bytes, 350);
    cr_assert_eq(list.count, 10);
    for (size_t i = 0; i < 10; i++)
        cr_expect(list.rows[i].id == 10 * i && list.rows[i].type == told[i].type);
    free(list.rows);
    hsd_profile_free(p);
}

Test(profile_read, keeps_nothing_of_an_empty_heap)
{
    kit_list list = {0};
    heap.type_count = heap.root_count = heap.place_count = 0;
    heap.has_places = heap.has_roots = heap.side.has_roots = false;
    heap.why_no_places = (hsd_text)TEXT("the capture carries no roots");
    kit_write_baseline(&heap, NULL, path);
    hsd_profile *p = answer(&(hsd_profile_options){.each = kit_take, .each_context = &list});
    cr_expect_eq(p->type_count + p->root_count + p->place_count + list.count, 0);
    cr_expect_str_eq(p->why_no_places.data, "the capture carries no roots");
    cr_expect_eq(p->warning_count, 1, "that everything counts as live");
    hsd_profile_free(p);
}

Test(profile_read, adds_up_names_that_come_twice)
{
    types[2] = types[0]; /* Session once more */
    types[0].live = (hsd_amount){1, 100};
    types[0].retained_bytes = 150;
    types[2].live = (hsd_amount){2, 200};
    types[2].unreached = (hsd_amount){0, 0};
    types[2].retained_bytes = 200;
    heap.type_count = 3;
    roots[2] = (hsd_top_root){.name = roots[0].name, .live = {0, 0}, .retained_bytes = 0, .kind = HSC_ROOT_GLOBAL};
    heap.root_count = 3;
    /* a second .items Item below a second Session below main */
    places[2].own = (hsd_amount){1, 100};
    places[3].own = (hsd_amount){2, 20};
    places[5] = places[4];
    places[4] = place(1, 2, places[2].edge, places[2].type, 2, 200);
    places[6] = places[5];
    places[5] = place(4, 3, places[3].edge, places[3].type, 3, 30);
    places[5].can_hold = false;
    heap.place_count = 7;
    kit_write_baseline(&heap, NULL, path);
    hsd_profile *p = answer(NULL);
    cr_assert_eq(p->type_count, 2);
    cr_expect_eq(p->types[0].live.bytes, 300);
    cr_expect_eq(p->types[0].retained_bytes, 350);
    cr_assert_eq(p->root_count, 2);
    cr_assert_eq(p->place_count, 5);
    cr_expect_eq(p->places[2].own.bytes, 300);
    cr_expect_eq(p->places[3].own.bytes, 50);
    cr_expect_eq(p->places[3].all.objects, 5);
    cr_expect_not(p->places[3].can_hold, "what one of them cannot both cannot");
    hsd_profile_free(p);
}

Test(profile_read, cuts_what_was_cut)
{
    heap.place_least_bytes = 15;
    kit_write_baseline(&heap, NULL, path);
    hsd_profile *p = answer(NULL);
    cr_expect_eq(p->place_least_bytes, 15);
    hsd_profile_free(p);
    p = answer(&(hsd_profile_options){.places = 3});
    cr_assert_eq(p->place_count, 3);
    cr_expect_eq(p->place_least_bytes, 51, "main and Session, not what has 50");
    cr_expect_eq(p->places[2].own.bytes, 350);
    cr_expect_eq(p->places[0].own.bytes, 20);
    hsd_profile_free(p);
}

/* heap ── (main) ── .0 Session ── … ── .252 Session: as deep as it may be. */
Test(profile_read, reads_the_deepest_way_there_is)
{
    static hsd_place way[256];
    static char edges[256][8];
    way[0] = places[0];
    way[1] = places[1];
    for (uint32_t i = 2; i < 256; i++) {
        const hsd_text edge = {edges[i], (size_t)snprintf(edges[i], sizeof edges[i], ".%u", i)};
        way[i] = place(i - 1, i, edge, types[0].name, 1, 1);
    }
    types[0].live = (hsd_amount){254, 254};
    heap.type_count = heap.root_count = 1;
    roots[0].live = types[0].live;
    roots[0].retained_bytes = types[0].retained_bytes = 254;
    heap.places = way;
    heap.place_count = 256;
    kit_write_baseline(&heap, NULL, path);
    hsd_profile *p = answer(NULL);
    cr_assert_eq(p->place_count, 256);
    cr_expect_eq(p->places[255].depth, 255);
    cr_expect_eq(p->places[255].parent, 254);
    cr_expect_eq(p->places[1].all.bytes, 254);
    hsd_profile_free(p);
}

/* ---- what is left out ---- */

Test(profile_read, without_identities_tells_of_no_object)
{
    hsd_profile *p;
    kit_write_baseline(&heap, NULL, path);
    cr_assert_eq(make(&p, &(hsd_profile_options){.each = kit_take}, 0), HSD_E_UNSUPPORTED);
    cr_assert_null(p);
    cr_expect_str_eq(err.text, "the baseline keeps sums alone: it tells of no single object");
    cr_expect_str_eq(err.file, path);
}

Test(profile_read, leaves_places_out_that_were_not_asked_for_or_do_not_fit)
{
    kit_write_baseline(&heap, NULL, path);
    hsd_profile *p = answer(&(hsd_profile_options){.no_places = true});
    cr_expect_str_eq(p->why_no_places.data, "they were not asked for");
    cr_expect_eq(p->place_count + p->types[0].retained_bytes + p->roots[0].retained_bytes + p->side.soft.bytes, 0);
    cr_expect_eq(p->root_count, 2);
    hsd_profile_free(p);
    p = answer(&(hsd_profile_options){.summary_only = true});
    cr_expect(p->is_summary);
    cr_expect_eq(p->side.live.bytes, 470);
    hsd_profile_free(p);
}

Test(profile_read, says_what_memory_many_places_need)
{
    enum { COUNT = 300000 };
    hsd_place *many = calloc(COUNT, sizeof *many);
    char(*edges)[12] = calloc(COUNT, sizeof *edges);
    hsd_profile *p;
    many[0] = places[0];
    many[1] = places[1];
    for (uint32_t i = 2; i < COUNT; i++) {
        const hsd_text edge = {edges[i], (size_t)snprintf(edges[i], sizeof edges[i], ".%u", i)};
        many[i] = place(1, 2, edge, types[0].name, 1, 1);
    }
    types[0].live = roots[0].live = (hsd_amount){COUNT - 2, COUNT - 2};
    heap.type_count = heap.root_count = 1;
    roots[0].retained_bytes = types[0].retained_bytes = COUNT - 2;
    heap.places = many;
    heap.place_count = COUNT;
    kit_write_baseline(&heap, NULL, path);
    free(many);
    free(edges);
    const hsd_profile_options options = {.places = SIZE_MAX};
    cr_assert_eq(make(&p, &options, UINT64_C(32) << 20), HSD_OK, "%s", err.text);
    cr_assert_not(p->has_places);
    const char *number = strstr(p->why_no_places.data, "too few for so many, ");
    cr_assert_not_null(number, "%s", p->why_no_places.data);
    const uint64_t suffices = strtoull(number + strlen("too few for so many, "), NULL, 10) << 20;
    hsd_profile_free(p);
    cr_assert_eq(make(&p, &options, suffices), HSD_OK, "%s", err.text);
    cr_assert(p->has_places, "%s", p->why_no_places.data);
    cr_expect_eq(p->place_count, COUNT);
    hsd_profile_free(p);
}

Test(profile_read, of_a_summary_is_one)
{
    heap.is_summary = true;
    heap.has_places = heap.has_roots = heap.side.has_roots = heap.side.has_references = false;
    heap.root_count = heap.place_count = 0;
    heap.why_no_places = (hsd_text)TEXT("totals by type alone tell of no places");
    kit_write_baseline(&heap, NULL, path);
    hsd_profile *p = answer(NULL);
    cr_expect(p->is_summary);
    cr_expect_eq(p->warning_count, 0);
    cr_expect_str_eq(p->why_no_places.data, "totals by type alone tell of no places");
    hsd_profile_free(p);
}

Test(profile_read, of_an_incomplete_one_gives_lower_bounds)
{
    hsd_profile *p;
    hsd_capture *capture;
    kit_write_baseline(&heap, &objects, path);
    FILE *file = fopen(path, "r+b");
    cr_assert_not_null(file);
    fseek(file, 0, SEEK_END);
    cr_assert_eq(ftruncate(fileno(file), ftell(file) - 1), 0);
    fclose(file);
    cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_SKIP, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_profile_make(&p, capture, &(hsd_profile_options){.partial = true}, NULL, &err), HSD_OK, "%s",
                 err.text);
    hsd_capture_close(capture);
    cr_expect(p->is_baseline);
    cr_expect_not(p->has_places);
    cr_expect_str_eq(p->why_no_places.data, "the baseline is incomplete: what was lost may hold what is left");
    cr_expect_eq(p->side.live.bytes, 370);
    cr_expect_gt(p->warning_count, 0);
    hsd_profile_free(p);
}

/* ---- sums that cannot be ---- */

Test(profile_read, refuses_roots_that_hold_something_else)
{
    roots[1].live.bytes++;
    refuse("by type 10 objects of 370 bytes are live, by root 10 of 371");
}

Test(profile_read, refuses_places_that_hold_something_else)
{
    places[3].own.objects--;
    refuse("by type 10 objects of 370 bytes are live, by place 9 of 370");
}

Test(profile_read, refuses_roots_of_a_capture_without_roots)
{
    heap.side.has_roots = false;
    refuse("it has totals by root of a capture that had no roots");
}

Test(profile_read, refuses_places_that_are_not_there)
{
    heap.place_count = 0;
    refuse("it says that it has places, and has none");
}

Test(profile_read, refuses_types_that_retain_less_than_they_have)
{
    types[0].retained_bytes = 299;
    refuse("Session retains 299 bytes and has 300");
}

Test(profile_read, refuses_roots_that_retain_more_than_there_is)
{
    roots[0].retained_bytes = 371;
    refuse("the root main retains 371 bytes of 370");
}

Test(profile_read, refuses_more_held_softly_than_is_live)
{
    heap.side.soft.bytes = 371;
    refuse("more is held softly than is live");
}

Test(profile_read, refuses_sums_past_64_bits)
{
    places[2].own.bytes = UINT64_MAX;
    refuse("they pass 64 bits");
    types[0].live.bytes = UINT64_MAX;
    refuse("they pass 64 bits");
}

/* Objects that no total counts: for these the type totals are those of the heap before the change. */
static void refuse_objects(const char *text)
{
    kit_list list = {0};
    hsd_profile *p;
    kit_write_baseline(&heap, &objects, path);
    cr_assert_eq(make(&p, &(hsd_profile_options){.each = kit_take, .each_context = &list}, 0), HSD_E_CORRUPT, "%s",
                 text);
    cr_assert_null(p);
    cr_expect_not_null(strstr(err.text, text), "%s", err.text);
    cr_expect_str_eq(err.file, path);
    free(list.rows);
}

Test(profile_read, refuses_objects_that_are_not_those_of_its_sums)
{
    told[4].bytes = 11;
    refuse_objects("the objects of Item are not those that are live");
    objects.count = 9;
    refuse_objects("11 of its objects are live or unreached, and 10 were counted");
}

Test(profile_read, refuses_objects_in_no_order)
{
    told[4].id = told[3].id;
    refuse_objects("ids of objects do not ascend");
}

Test(profile_read, refuses_objects_of_a_type_without_sums)
{
    types[2] = (hsd_top_type){.name = TEXT("Stray")};
    heap.type_count = 3;
    told[9].type = 2;
    told[9].bytes = 10;
    refuse_objects("an object is of a type that nothing live is of");
}

/* ---- a machine that fails ---- */

static hsd_status skip(void *context, const hsd_profile *profile, uint32_t type, uint64_t id, uint64_t bytes,
                       hsd_error *e)
{
    (void)context, (void)profile, (void)type, (void)id, (void)bytes, (void)e;
    return HSD_OK;
}

static hsd_status ask(const void *what, bool *is_there)
{
    hsd_profile *p;
    const hsd_status status = make(&p, what, 0);
    *is_there = p != NULL;
    hsd_profile_free(p);
    return status;
}

Test(profile_read, survives_a_machine_that_fails)
{
    const hsd_profile_options options = {.each = skip};
    kit_write_baseline(&heap, &objects, path);
    kit_fail_each_file_call(ask, &options);
    kit_fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, ask, &options);
}

/*
 * Where objects were allocated, of captures of any form against chains that are followed step by step: numbers that
 * count up or are scattered, tables in front or behind, strings and sites that are nowhere or come back on themselves,
 * names of any bytes, and more of all than memory holds.
 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "support/random.h"
#include "support/sizes.h"
#include "unit/diff/single_kit.h"
#include <hsdiff/browse.h>

TestSuite(stacks, .init = setup, .fini = teardown);

enum { MOST_SITES = 60, MOST_STRINGS = 40, ROUNDS = 150, STRING_MAIN = INT32_MAX, TYPE = 1 };

static const hsd_run run = {.memory_bytes = UINT64_C(24) << 20, .threads = 1};

static hsd_browse *open_it(hsd_capture **capture)
{
    hsd_browse *browse;
    *capture = open_capture(&run);
    cr_assert_eq(hsd_browse_open(&browse, capture, 1, NULL, &run, &err), HSD_OK, "%s", err.text);
    cr_assert_null(hsd_browse_why_not(browse, 0), "%s", hsd_browse_why_not(browse, 0));
    return browse;
}

static void close_it(hsd_browse *browse, hsd_capture *capture)
{
    hsd_browse_close(browse);
    hsd_capture_close(capture);
}

/* Object i refers to the next one and was allocated at sites[i]; a root refers to the first. */
static void put_objects(hsc_writer *w, const uint32_t *sites, uint32_t count)
{
    hsc_define_string(w, STRING_MAIN, "main", 4);
    hsc_define_type(w, TYPE, "Node", 4, 0);
    for (uint32_t i = 0; i < count; i++) {
        hsc_begin_object(w, &(hsc_object){.id = 1 + i, .type = TYPE, .size_bytes = 16, .site = sites[i]});
        if (i + 1 < count) hsc_reference(w, i + 1, 0, 0);
        hsc_end_object(w);
    }
    kit_put_root(w, STRING_MAIN, 0);
}

static hsd_browse_object *get(hsd_browse *browse, uint32_t node)
{
    hsd_browse_object *object;
    cr_assert_eq(hsd_browse_object_get(browse, 0, (hsd_browse_ref){node}, &object, &err), HSD_OK, "%s", err.text);
    return object;
}

/* ---- at random ---- */

typedef struct told { /* what a capture was told; the first of a number counts */
    hsd_site sites[MOST_SITES];
    struct {
        uint32_t id;
        char text[24];
        size_t size;
    } strings[MOST_STRINGS];
    uint32_t site_count, string_count;
    bool is_scattered;
} told;

static uint32_t number(const told *t, test_random *random, uint32_t most)
{
    const uint32_t n = 1 + (uint32_t)test_below(random, most);
    return t->is_scattered ? n * UINT32_C(30000001) % INT32_MAX : n;
}

static told tell(test_random *random)
{
    told t = {.site_count = (uint32_t)test_below(random, MOST_SITES + 1),
              .string_count = (uint32_t)test_below(random, MOST_STRINGS + 1),
              .is_scattered = test_below(random, 2) == 0};
    for (uint32_t i = 0; i < t.string_count; i++) {
        t.strings[i].id = number(&t, random, MOST_STRINGS);
        t.strings[i].size = test_below(random, sizeof t.strings[i].text);
        for (size_t k = 0; k < t.strings[i].size; k++)
            t.strings[i].text[k] = (char)test_below(random, 256);
    }
    for (uint32_t i = 0; i < t.site_count; i++) {
        t.sites[i] = (hsd_site){.id = number(&t, random, MOST_SITES),
                                .line = (uint32_t)test_below(random, 1000),
                                .column = (uint32_t)test_below(random, 3)};
        if (test_below(random, 5) > 0) t.sites[i].parent = number(&t, random, MOST_SITES);
        if (test_below(random, 5) > 0) t.sites[i].function = number(&t, random, MOST_STRINGS);
        if (test_below(random, 2) > 0) t.sites[i].file = number(&t, random, MOST_STRINGS);
    }
    return t;
}

static void write_tables(hsc_writer *w, const told *t)
{
    for (uint32_t i = 0; i < t->string_count; i++)
        hsc_define_string(w, t->strings[i].id, t->strings[i].text, t->strings[i].size);
    for (uint32_t i = 0; i < t->site_count; i++) {
        const hsd_site *site = &t->sites[i];
        hsc_define_site(w, site->id, site->parent, site->function, site->file, site->line, site->column);
    }
}

static const hsd_site *find_site(const told *t, uint32_t id)
{
    for (uint32_t i = 0; i < t->site_count; i++) {
        if (t->sites[i].id == id) return &t->sites[i];
    }
    return NULL;
}

static void check_text(const told *t, uint32_t id, hsd_text got, unsigned long seed)
{
    for (uint32_t i = 0; id != 0 && i < t->string_count; i++) {
        if (t->strings[i].id != id) continue;
        cr_assert(got.size == t->strings[i].size && memcmp(got.data, t->strings[i].text, got.size) == 0,
                  "seed %lu string %u", seed, id);
        cr_assert_eq(got.data[got.size], 0);
        return;
    }
    cr_assert_eq(got.size, 0, "seed %lu string %u is nowhere", seed, id);
}

static void check_stack(const told *t, uint32_t site, const hsd_browse_object *object, unsigned long seed)
{
    size_t depth = 0;
    for (const hsd_site *s = find_site(t, site); s != NULL && depth < HSD_BROWSE_FRAMES;
         s = find_site(t, s->parent), depth++) {
        cr_assert_lt(depth, object->frame_count, "seed %lu site %u: %zu frames", seed, site, object->frame_count);
        const hsd_site_frame *frame = &object->frames[depth];
        check_text(t, s->function, frame->function, seed);
        check_text(t, s->file, frame->file, seed);
        cr_assert(frame->line == s->line && frame->column == s->column, "seed %lu site %u", seed, site);
    }
    cr_assert_eq(object->frame_count, depth, "seed %lu site %u: %zu frames, not %zu", seed, site, object->frame_count,
                 depth);
}

Test(stacks, are_chains_that_are_followed, .timeout = 600)
{
    const uint64_t first = test_seed(1);
    for (uint64_t round = 0; round < test_size(ROUNDS, ROUNDS / 5); round++) {
        test_random random = {first + round};
        const told t = tell(&random);
        const bool are_last = test_below(&random, 2) == 0;
        uint32_t sites[MOST_SITES];
        for (uint32_t i = 0; i < MOST_SITES; i++)
            sites[i] = test_below(&random, 8) == 0 ? 0 : number(&t, &random, MOST_SITES);
        hsc_writer *w = kit_begin(HSC_IDENTITY_EXACT, true);
        if (!are_last) write_tables(w, &t);
        put_objects(w, sites, MOST_SITES);
        if (are_last) write_tables(w, &t);
        kit_end(w);
        hsd_capture *capture;
        hsd_browse *browse = open_it(&capture);
        for (uint32_t i = 0; i < MOST_SITES; i++) {
            hsd_browse_object *object = get(browse, i);
            check_stack(&t, sites[i], object, (unsigned long)(first + round));
            hsd_browse_object_free(object);
        }
        close_it(browse, capture);
    }
}

/* ---- bounds ---- */

/* Site i was called by i + 1, and has text i of as many bytes. */
static void write_chain(uint32_t frames, uint32_t texts, size_t size)
{
    const uint32_t sites[] = {1, 0};
    char *text = calloc(1, size + 1);
    hsc_writer *w = kit_begin(HSC_IDENTITY_EXACT, true);
    memset(text, 'f', size);
    put_objects(w, sites, 2);
    for (uint32_t i = 1; i <= texts; i++) {
        text[0] = (char)('a' + i % 26);
        hsc_define_string(w, i, text, size);
    }
    for (uint32_t i = 1; i <= frames; i++)
        hsc_define_site(w, i, i < frames ? i + 1 : 0, 1 + i % texts, 1 + (i + 1) % texts, i, 0);
    kit_end(w);
    free(text);
}

static void check_chain(uint32_t frames, uint32_t texts, size_t size, size_t wanted)
{
    hsd_capture *capture;
    write_chain(frames, texts, size);
    hsd_browse *browse = open_it(&capture);
    for (int again = 0; again < 2; again++) {
        hsd_browse_object *object = get(browse, 0);
        cr_assert_eq(object->frame_count, wanted, "%zu frames, not %zu", object->frame_count, wanted);
        for (uint32_t i = 0; i < wanted; i++) {
            const hsd_site_frame *frame = &object->frames[i];
            cr_assert(frame->line == i + 1 && frame->function.size == size && frame->file.size == size, "frame %u", i);
            cr_assert_eq(frame->function.data[0], (char)('a' + (1 + (i + 1) % texts) % 26), "frame %u", i);
            cr_assert_eq(frame->function.data[size - 1], size > 1 ? 'f' : frame->function.data[0]);
        }
        hsd_browse_object_free(object);
    }
    close_it(browse, capture);
}

Test(stacks, have_no_more_frames_than_the_format_says)
{
    check_chain(1, 3, 5, 1);
    check_chain(HSD_BROWSE_FRAMES, 3, 5, HSD_BROWSE_FRAMES);
    check_chain(HSD_BROWSE_FRAMES + 1, 3, 5, HSD_BROWSE_FRAMES);
    check_chain(5000, 100, 1, HSD_BROWSE_FRAMES);
}

Test(stacks, have_no_more_texts_than_an_answer)
{
    enum { LONGEST = 65536, FIT = HSD_BROWSE_FRAME_BYTES / (2 * LONGEST) };
    check_chain(FIT, 5, LONGEST, FIT);
    check_chain(100, 5, LONGEST, FIT);
    check_chain(100, 5, LONGEST - 1, FIT);
    check_chain(400, 7, 20001, HSD_BROWSE_FRAME_BYTES / 40002);
}

/* As many as do not fit the memory that sorting has, and of strings that nobody names, too. */
Test(stacks, of_more_sites_than_memory_holds, .timeout = 600)
{
    const uint32_t count = (uint32_t)test_size(600000, 100000), objects = 500;
    uint32_t sites[500];
    char text[32];
    for (int scattered = 0; scattered < 2; scattered++) {
        const uint32_t step = scattered ? 3001 : 1;
        hsc_writer *w = kit_begin(HSC_IDENTITY_EXACT, true);
        for (uint32_t i = 0; i < objects; i++)
            sites[i] = step * (1 + i * (count / objects));
        put_objects(w, sites, objects);
        for (uint32_t i = count; i > 0; i--) {
            hsc_define_site(w, step * i, step * (i / 2), i % 1000 == 1 ? step * i : 0, 0, i, 0);
            snprintf(text, sizeof text, "function %u", i);
            hsc_define_string(w, step * i, text, strlen(text));
        }
        kit_end(w);
        hsd_capture *capture;
        hsd_browse *browse = open_it(&capture);
        for (uint32_t i = 0; i < objects; i++) {
            hsd_browse_object *object = get(browse, i);
            uint32_t at = sites[i] / step;
            for (size_t k = 0; k < object->frame_count; k++, at /= 2) {
                const hsd_site_frame *frame = &object->frames[k];
                snprintf(text, sizeof text, "function %u", at);
                cr_assert_eq(frame->line, at);
                cr_assert_str_eq(frame->function.data, at % 1000 == 1 ? text : "");
            }
            cr_assert_eq(at, 0, "object %u: %zu frames", i, object->frame_count);
            hsd_browse_object_free(object);
        }
        cr_assert_leq(hsd_browse_temp_bytes_peak(browse), UINT64_C(400) << 20);
        close_it(browse, capture);
    }
}

/* Of captures without sites, and of numbers that are nowhere. */
Test(stacks, that_are_not_there_are_empty)
{
    const uint32_t sites[] = {7, 0};
    for (int has_sites = 0; has_sites < 2; has_sites++) {
        hsd_capture *capture;
        hsc_writer *w = kit_begin(HSC_IDENTITY_EXACT, true);
        put_objects(w, sites, 2);
        if (has_sites) hsc_define_site(w, 6, 0, 0, 0, 1, 1);
        kit_end(w);
        hsd_browse *browse = open_it(&capture);
        const uint64_t before = hsd_browse_temp_bytes_peak(browse);
        hsd_browse_object *object = get(browse, 0);
        cr_assert_eq(object->frame_count, 0);
        if (!has_sites) cr_assert_eq(hsd_browse_temp_bytes_peak(browse), before);
        hsd_browse_object_free(object);
        close_it(browse, capture);
    }
}

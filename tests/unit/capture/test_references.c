/*
 * References that are given many at once make the same capture, byte for byte, as one by one: of any number, with and
 * without labels and indexes, where one of them widens a column, and where a block is full. Arrays are as long as they
 * are said to be, so that the address sanitizer sees who reads past them.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/capture/memory_sink.h"

enum { ROOM = 8 << 20, PLAIN = 0, WITH_LABELS = 1, WITH_INDEXES = 2, WITH_BOTH = 3 };

static memory_sink sinks[2];
static hsc_options options;

static void set_up(void)
{
    for (size_t i = 0; i < 2; i++)
        sinks[i] = memory_sink_new(ROOM);
    hsc_options_init(&options);
    options.memory_bytes = 64 << 10;
    options.taken_unix_ns = 1;
    for (size_t i = 0; i < sizeof options.capture_id; i++)
        options.capture_id[i] = (uint8_t)(i + 1);
}

static void tear_down(void)
{
    for (size_t i = 0; i < 2; i++)
        memory_sink_free(&sinks[i]);
}

TestSuite(references, .init = set_up, .fini = tear_down);

/* The references of one object. */
typedef struct list {
    size_t count;
    uint64_t *targets, *indexes;
    uint32_t *labels;
} list;

static list list_of(size_t count, unsigned with)
{
    list l = {.count = count, .targets = malloc(count * sizeof *l.targets)};
    cr_assert_not_null(l.targets);
    if (with & WITH_LABELS) l.labels = malloc(count * sizeof *l.labels);
    if (with & WITH_INDEXES) l.indexes = malloc(count * sizeof *l.indexes);
    for (size_t i = 0; i < count; i++) {
        l.targets[i] = 1000 + 13 * i % 977;
        if (l.labels != NULL) l.labels[i] = (uint32_t)(1 + i % 7);
        if (l.indexes != NULL) l.indexes[i] = i;
    }
    return l;
}

static void list_free(list *l)
{
    free(l->targets);
    free(l->labels);
    free(l->indexes);
}

static hsc_status put(hsc_writer *w, const list *l, bool at_once)
{
    if (at_once) return hsc_references(w, l->targets, l->labels, l->indexes, l->count);
    for (size_t i = 0; i < l->count; i++) {
        const hsc_status status = hsc_reference(w, l->targets[i], l->labels != NULL ? l->labels[i] : 0,
                                                l->indexes != NULL ? l->indexes[i] : 0);
        if (status != HSC_OK) return status;
    }
    return HSC_OK;
}

/* Writes an object with two references, one with those of the list, and one with two more; `before` objects first. */
static hsc_status write_capture(memory_sink *sink, const list *l, size_t before, bool at_once)
{
    hsc_writer *w = NULL;
    hsc_status status = HSC_OK;
    sink->size = 0;
    const hsc_sink s = memory_sink_of(sink);
    cr_assert_eq(hsc_open(&w, &s, &options), HSC_OK);
    for (uint64_t i = 0; i < before + 3 && status == HSC_OK; i++) {
        cr_assert_eq(hsc_begin_object(w, &(hsc_object){.id = 8 * i + 8, .type = 1, .size_bytes = 16}), HSC_OK);
        if (i == before + 1) {
            status = put(w, l, at_once);
        } else {
            cr_assert_eq(hsc_reference(w, 8, 1, 0), HSC_OK);
            cr_assert_eq(hsc_reference(w, 16, 2, 0), HSC_OK);
        }
        if (status == HSC_OK) cr_assert_eq(hsc_end_object(w), HSC_OK);
    }
    if (status == HSC_OK) status = hsc_finish(w);
    hsc_close(w);
    return status;
}

static void expect_same(const list *l, size_t before, hsc_status expected, const char *what)
{
    cr_assert_eq(write_capture(&sinks[0], l, before, false), expected, "%s, %zu", what, l->count);
    cr_assert_eq(write_capture(&sinks[1], l, before, true), expected, "%s, %zu", what, l->count);
    if (expected != HSC_OK) return;
    cr_assert(sinks[0].size == sinks[1].size && memcmp(sinks[0].bytes, sinks[1].bytes, sinks[0].size) == 0,
              "%s, %zu references", what, l->count);
}

Test(references, of_any_number_are_the_same_at_once)
{
    static const size_t counts[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 255, 256, 257, 271, 272, 273, 511, 512, 513, 3000};
    for (unsigned with = PLAIN; with <= WITH_BOTH; with++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            list l = list_of(counts[i], with);
            expect_same(&l, 0, HSC_OK, "any number");
            list_free(&l);
        }
    }
}

/* One that does not fit its column as it is, at each place of the list. */
Test(references, that_widen_a_column_are_the_same_at_once)
{
    enum { COUNT = 40 };
    for (size_t at = 0; at < COUNT; at++) {
        list l = list_of(COUNT, WITH_BOTH);
        l.targets[at] = UINT64_C(1) << 40;
        expect_same(&l, 5, HSC_OK, "a wide target");
        l.targets[at] = 8;
        l.indexes[at] = UINT64_C(1) << 40;
        expect_same(&l, 5, HSC_OK, "a wide index");
        l.targets[at] = UINT64_MAX;
        expect_same(&l, 5, HSC_OK, "both");
        l.labels[at] = UINT32_C(1) << 31;
        expect_same(&l, 5, HSC_E_LIMIT, "a label past the limit");
        l.labels[at] = (UINT32_C(1) << 31) - 1;
        expect_same(&l, 5, HSC_OK, "the last label");
        list_free(&l);
    }
}

/* A block of any fill: the references of the list reach its end with none, one … left of it, and begin another. */
Test(references, that_fill_a_block_are_the_same_at_once)
{
    for (unsigned with = PLAIN; with <= WITH_BOTH; with++) {
        for (size_t before = 0; before <= 600; before += 37) {
            for (size_t count = 900; count < 940; count += 3) {
                list l = list_of(count, with);
                expect_same(&l, before, HSC_OK, "before the end of a block");
                list_free(&l);
            }
        }
    }
}

/* So many that the object goes on in other blocks. */
Test(references, that_go_on_in_other_blocks_are_the_same_at_once)
{
    for (unsigned with = PLAIN; with <= WITH_BOTH; with++) {
        list l = list_of(70000, with);
        expect_same(&l, 3, HSC_OK, "many");
        l.targets[69999] = UINT64_MAX;
        l.targets[40000] = UINT64_MAX;
        expect_same(&l, 3, HSC_OK, "many, and wide ones");
        list_free(&l);
    }
}

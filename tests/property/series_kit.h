/*
 * Random series: a heap that evolves over moments, each written as a capture, and the run over them.
 */
#ifndef HSD_TESTS_SERIES_KIT_H
#define HSD_TESTS_SERIES_KIT_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/heap_model.h"
#include <hsdiff/series.h>

enum { KIT_CAPTURES = 20 };

typedef struct kit_story {
    size_t count;
    model_heap heaps[KIT_CAPTURES];
    model_form forms[KIT_CAPTURES];
} kit_story;

static char kit_folder[] = "/tmp/hsdiff-series-XXXXXX";
static size_t kit_open_now, kit_open_most, kit_opened;
static hsd_error kit_err;

static inline void kit_setup(void)
{
    cr_assert_not_null(mkdtemp(kit_folder));
    hsd_error_init(&kit_err);
}

static inline const char *kit_file(size_t i)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%02zu.hs", kit_folder, i);
    return path;
}

static inline void kit_teardown(void)
{
    for (size_t i = 0; i < KIT_CAPTURES; i++)
        remove(kit_file(i));
    rmdir(kit_folder);
}

static inline uint64_t kit_later_id(uint64_t id, uint64_t moment)
{
    /* ids of model_later */
    return id >= UINT64_C(0x100001) && id < UINT64_C(0x100040) ? UINT64_C(0x10000000) * moment + id : id;
}

/* New objects of each moment get ids that no other has, a few those of objects that went. */
static inline model_heap kit_next_moment(const model_heap *heap, uint64_t moment, test_random *random)
{
    model_heap later;
    do {
        later = model_later(heap, random);
        for (uint32_t i = 0; i < later.object_count; i++) {
            model_object *object = &later.objects[i];
            object->id = kit_later_id(object->id, moment);
            for (uint32_t r = 0; r < object->reference_count; r++)
                object->references[r].target = kit_later_id(object->references[r].target, moment);
        }
        for (uint32_t i = 0; i < later.root_count; i++)
            later.roots[i].target = kit_later_id(later.roots[i].target, moment);
    } while (!model_has_graph(&later));
    return later;
}

/* False if the first heap has no graph. */
static inline bool kit_make(kit_story *story, test_random *random, size_t count)
{
    story->count = count;
    story->heaps[0] = model_random(random);
    if (!model_has_graph(&story->heaps[0])) return false;
    for (size_t k = 0; k < count; k++) {
        if (k > 0) story->heaps[k] = kit_next_moment(&story->heaps[k - 1], k, random);
        story->forms[k] = model_random_form(random);
        story->forms[k].moment = k;
        story->forms[k].domain = 7;
    }
    return true;
}

static inline void kit_write(const kit_story *story)
{
    for (size_t k = 0; k < story->count; k++)
        cr_assert(model_write(&story->heaps[k], &story->forms[k], kit_file(k)));
}

static inline hsd_status kit_open(void *context, size_t i, hsd_capture **out, hsd_error *err)
{
    (void)context;
    cr_assert_eq(i, kit_opened++);
    const hsd_status status = hsd_capture_open(out, kit_file(i), HSD_DAMAGE_REFUSE, NULL, err);
    if (status == HSD_OK && ++kit_open_now > kit_open_most) kit_open_most = kit_open_now;
    return status;
}

static inline void kit_close(void *context, size_t i, hsd_capture *capture)
{
    (void)context;
    cr_assert_str_eq(hsd_capture_get_info(capture)->path, kit_file(i));
    kit_open_now--;
    hsd_capture_close(capture);
}

static inline hsd_status kit_try(hsd_series **out, size_t count, const hsd_series_options *options, const hsd_run *run)
{
    const hsd_series_source source = {.count = count, .open = kit_open, .close = kit_close};
    kit_opened = kit_open_now = kit_open_most = 0;
    const hsd_status status = hsd_series_run(out, &source, options, run, &kit_err);
    cr_assert_eq(kit_open_now, 0);
    cr_assert_leq(kit_open_most, 3);
    return status;
}

static inline hsd_series *kit_run(size_t count, const hsd_series_options *options, const hsd_run *run)
{
    hsd_series *series;
    cr_assert_eq(kit_try(&series, count, options, run), HSD_OK, "%s: %s", kit_err.file, kit_err.text);
    return series;
}

static inline bool kit_same(hsd_amount a, hsd_amount b) { return a.objects == b.objects && a.bytes == b.bytes; }

static inline void kit_add(hsd_amount *sum, hsd_amount amount)
{
    sum->objects += amount.objects;
    sum->bytes += amount.bytes;
}

#endif

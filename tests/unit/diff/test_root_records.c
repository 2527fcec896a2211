/*
 * The roots of a capture, told several times: few from what was kept, many from the capture again, and the same each
 * time.
 */
#include <hscapture/hscapture.h>

#include "support/capture_file.h"
#include "walk/side/frame_words.h"
#include "walk/side/root_records.h"

TestSuite(root_records, .init = setup, .fini = teardown);

static void write_roots(uint32_t count)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    remove(path);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_begin_object(w, &(hsc_object){.id = 1, .size_bytes = 8});
    hsc_end_object(w);
    for (uint32_t i = 0; i < count; i++)
        hsc_root(w, &(hsc_root_record){.kind = i % 3 == 0 ? HSC_ROOT_STACK : HSC_ROOT_GLOBAL,
                                       .label = i / 5,
                                       .target = (uint64_t)i << 20,
                                       .thread = i % 4,
                                       .frame = i % 6,
                                       .flags = i % 7 == 0 ? HSC_ROOT_SECONDARY : 0});
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

typedef struct told {
    uint32_t count, most;
} told;

static hsd_status take(void *context, const hsd_root *root, hsd_error *error)
{
    told *t = context;
    (void)error;
    const uint32_t i = t->count;
    if (i == t->most) return HSD_E_CANCELLED;
    cr_assert_eq(root->kind, i % 3 == 0 ? HSC_ROOT_STACK : HSC_ROOT_GLOBAL);
    cr_assert_eq(root->label, i / 5);
    cr_assert_eq(root->target, (uint64_t)i << 20);
    cr_assert_eq(root->flags, i % 7 == 0 ? HSC_ROOT_SECONDARY : 0);
    cr_assert_eq(root->thread, i % 4);
    cr_assert_eq(root->frame, i % 6);
    t->count++;
    return HSD_OK;
}

static void check_passes(uint32_t count, bool are_kept)
{
    write_roots(count);
    hsd_capture *capture = open_capture(NULL);
    hsd_root_records records = {.capture = capture};
    for (int pass = 0; pass < 3; pass++) {
        told t = {.most = UINT32_MAX};
        cr_assert_eq(hsd_root_records_each(&records, take, &t, &err), HSD_OK);
        cr_assert_eq(t.count, count);
        cr_assert_eq(records.are_kept, are_kept);
        cr_assert_eq(records.kept == NULL, !are_kept || count == 0);
    }
    hsd_root_records_release(&records);
    hsd_capture_close(capture);
}

Test(root_records, are_kept_where_they_are_few)
{
    check_passes(0, true);
    check_passes(20, true);
    check_passes(HSD_ROOT_RECORDS_MOST, true);
}

Test(root_records, are_read_again_where_they_are_many) { check_passes(HSD_ROOT_RECORDS_MOST + 1, false); }

Test(root_records, of_a_pass_that_failed_are_told_from_the_first_again)
{
    write_roots(20);
    hsd_capture *capture = open_capture(NULL);
    hsd_root_records records = {.capture = capture};
    told cut = {.most = 7}, whole = {.most = UINT32_MAX};
    cr_assert_eq(hsd_root_records_each(&records, take, &cut, &err), HSD_E_CANCELLED);
    cr_assert_eq(hsd_root_records_each(&records, take, &whole, &err), HSD_OK);
    cr_assert_eq(whole.count, 20);
    cr_assert_eq(records.count, 20);
    hsd_root_records_release(&records);
    hsd_capture_close(capture);
}

/* Whatever a capture has in one frame, what is kept of it at once is bounded. */
Test(frame_words, of_one_frame_without_end_are_looked_at_in_parts)
{
    const uint32_t count = 3 * HSD_FRAME_WORDS_MOST;
    hsd_frame_words words = {0};
    hsd_error_init(&err);
    for (uint32_t i = 0; i < count; i++) {
        const hsd_root root = {.target = i % 2, .thread = 1, .frame = 1};
        cr_assert_eq(hsd_frame_words_add(&words, &root, i, i % HSD_FRAME_WORDS_MOST == 4, &err), HSD_OK);
        cr_assert_leq(words.count, HSD_FRAME_WORDS_MOST);
    }
    cr_assert_eq(hsd_frame_words_end(&words, &err), HSD_OK);
    cr_assert_leq(words.capacity, HSD_FRAME_WORDS_MOST);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = i % HSD_FRAME_WORDS_MOST; /* the variable at 4, and the first of the others */
        cr_assert_eq(hsd_frame_words_leave_out(&words, i), at != 4 && at != 1, "%u", i);
    }
    hsd_frame_words_release(&words);
}

/* Baselines of captures made by hand: what is kept, what is refused, what is left when something fails. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <hsdiff/profile.h>

#include "support/capture_file.h"
#include "support/fault.h"
#include "support/memfile.h"

static char out[80];

static void begin_test(void)
{
    setup();
    snprintf(out, sizeof out, "%s/base.hs", folder);
}

static void end_test(void)
{
    remove(out);
    teardown();
}

TestSuite(baseline, .init = begin_test, .fini = end_test);

/* ---- captures ---- */

static hsc_options usual(void)
{
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "test 1";
    options.runtime = "Test 1.0";
    options.process_name = "shop";
    options.source_format = "toy";
    options.pid = 17;
    options.started_unix_ns = 1000;
    options.taken_unix_ns = 2000;
    options.facts = HSC_FACT_COLLECTED;
    options.identity = HSC_IDENTITY_ADDRESS;
    options.domain[3] = 9;
    options.pointer_bytes = 8;
    return options;
}

static void put_name(hsc_writer *w, uint32_t string, const char *text)
{
    hsc_define_string(w, string, text, strlen(text));
}

/* A map that holds sessions, and one that nothing holds. */
static void put_heap(hsc_writer *w, uint64_t session_bytes)
{
    hsc_define_type(w, 1, "Map", 3, 0);
    hsc_define_type(w, 2, "Session", 7, 0);
    put_name(w, 1, "sessions");
    hsc_define_label(w, 1, HSC_LABEL_ELEMENT, 0, 0);
    hsc_begin_object(w, &(hsc_object){.id = 0x100, .type = 1, .size_bytes = 48});
    hsc_reference(w, 0x200, 1, 0);
    hsc_reference(w, 0x300, 1, 1);
    hsc_end_object(w);
    for (uint64_t id = 0x200; id <= 0x400; id += 0x100) {
        hsc_begin_object(w, &(hsc_object){.id = id, .type = 2, .size_bytes = session_bytes});
        hsc_end_object(w);
    }
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .label = 1, .target = 0x100});
    hsc_metric(w, "heap.used", "bytes", 4096);
    hsc_loss(w, "events dropped", 3);
}

static void finish(hsc_writer *w)
{
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

static void write_capture(const hsc_options *options, uint64_t session_bytes)
{
    hsc_writer *w;
    remove(path);
    cr_assert_eq(hsc_open_file(&w, path, options), HSC_OK);
    put_heap(w, session_bytes);
    finish(w);
}

static void write_usual(uint64_t session_bytes)
{
    const hsc_options options = usual();
    write_capture(&options, session_bytes);
}

static hsd_status keep(const hsd_baseline_options *options, const hsd_run *run)
{
    hsd_capture *capture = open_capture(NULL);
    hsd_error_init(&err);
    const hsd_status status = hsd_baseline_write(capture, out, options, run, NULL, &err);
    hsd_capture_close(capture);
    return status;
}

static hsd_capture *open_kept(void)
{
    hsd_capture *capture;
    cr_assert_eq(hsd_capture_open(&capture, out, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    return capture;
}

static bool is_there(void) { return access(out, F_OK) == 0; }

/* ---- what is kept ---- */

Test(baseline, says_what_the_capture_says_of_itself)
{
    write_usual(64);
    cr_assert_eq(keep(NULL, NULL), HSD_OK, "%s", err.text);
    hsd_capture *capture = open_kept();
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    cr_assert_str_eq(info->producer, "test 1");
    cr_assert_str_eq(info->runtime, "Test 1.0");
    cr_assert_str_eq(info->process_name, "shop");
    cr_assert_str_eq(info->source_format, "toy");
    cr_assert(info->pid == 17 && info->started_unix_ns == 1000 && info->taken_unix_ns == 2000);
    cr_assert(info->identity == HSD_IDENTITY_ADDRESS && info->domain[3] == 9 && info->pointer_bytes == 8);
    cr_assert_eq(info->facts, HSC_FACT_COLLECTED | HSC_FACT_BASELINE | HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES);
    cr_assert(info->is_baseline && info->is_complete && info->version_minor == 1);
    cr_assert(info->live_totals == 2 && info->root_totals == 1 && info->places == 4);
    cr_assert_eq(info->sums, HSC_SUMS_ROOTS | HSC_SUMS_REFERENCES | HSC_SUMS_PLACES);
    cr_assert(info->summary_objects == 4 && info->summary_bytes == 48 + 3 * 64 && info->objects == 0);
    cr_assert(info->metrics == 1 && info->lost == 3);
    hsd_capture_close(capture);
}

Test(baseline, does_not_take_the_moment_of_its_writing_for_that_of_the_capture)
{
    hsc_options options = usual();
    options.taken_unix_ns = UINT64_MAX;
    write_capture(&options, 64);
    cr_assert_eq(keep(NULL, NULL), HSD_OK, "%s", err.text);
    hsd_capture *capture = open_kept();
    cr_assert_eq(hsd_capture_get_info(capture)->taken_unix_ns, 0);
    hsd_capture_close(capture);
}

static uint64_t id_half(void)
{
    uint64_t half;
    hsd_capture *capture = open_kept();
    memcpy(&half, hsd_capture_get_info(capture)->capture_id, sizeof half);
    hsd_capture_close(capture);
    return half;
}

Test(baseline, has_an_id_of_its_content)
{
    const hsd_baseline_options options = {.force = true};
    write_usual(64);
    cr_assert_eq(keep(&options, NULL), HSD_OK);
    const uint64_t id = id_half();
    write_usual(64); /* another capture, and the same */
    cr_assert_eq(keep(&options, NULL), HSD_OK);
    cr_assert_eq(id_half(), id);
    write_usual(65);
    cr_assert_eq(keep(&options, NULL), HSD_OK);
    cr_assert_neq(id_half(), id);
}

Test(baseline, keeps_live_objects_where_that_is_asked_for)
{
    const hsd_baseline_options options = {.identities = true};
    hsd_object_reader *reader;
    hsd_object object;
    write_usual(64);
    cr_assert_eq(keep(&options, NULL), HSD_OK, "%s", err.text);
    hsd_capture *capture = open_kept();
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    cr_assert(info->objects == 3 && info->bytes == 48 + 2 * 64 && info->summary_objects == 1 &&
              info->summary_bytes == 64);
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err), HSD_OK);
    for (uint64_t id = 0x100; id <= 0x300; id += 0x100) {
        cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_OK);
        cr_assert(object.id == id && object.size_bytes == (id == 0x100 ? 48 : 64) && object.reference_count == 0);
    }
    cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_END);
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
}

/* More than the buffer of kept objects takes, twice. */
Test(baseline, keeps_many_objects_in_order)
{
    enum { OBJECTS = 10000 };
    const hsd_baseline_options options = {.identities = true};
    const hsc_options how = usual();
    hsd_object_reader *reader;
    hsd_object object;
    hsc_writer *w;
    cr_assert_eq(hsc_open_file(&w, path, &how), HSC_OK);
    hsc_define_type(w, 1, "Node", 4, 0);
    for (uint64_t i = OBJECTS; i-- > 0;) {
        hsc_begin_object(w, &(hsc_object){.id = 16 * i, .type = 1, .size_bytes = 16 + i % 5});
        if (i + 1 < OBJECTS) hsc_reference(w, 16 * (i + 1), 0, 0);
        hsc_end_object(w);
    }
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 0});
    finish(w);
    cr_assert_eq(keep(&options, NULL), HSD_OK, "%s", err.text);
    hsd_capture *capture = open_kept();
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err), HSD_OK);
    for (uint64_t i = 0; i < OBJECTS; i++) {
        cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_OK);
        cr_assert(object.id == 16 * i && object.size_bytes == 16 + i % 5);
    }
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
}

Test(baseline, of_a_summary_says_that_it_is_one)
{
    const hsc_options options = usual();
    hsc_writer *w;
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "string", 6, 0);
    hsc_count(w, 1, 1000, 48000);
    finish(w);
    cr_assert_eq(keep(NULL, NULL), HSD_OK, "%s", err.text);
    hsd_capture *capture = open_kept();
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    cr_assert_eq(info->sums & (HSC_SUMS_SUMMARY | HSC_SUMS_PLACES), HSC_SUMS_SUMMARY);
    cr_assert(info->why_no_places[0] != '\0' && info->places == 0 && info->summary_bytes == 48000);
    hsd_capture_close(capture);
}

Test(baseline, of_an_incomplete_capture_is_incomplete_for_the_same_reason)
{
    const hsc_options options = usual();
    const hsd_baseline_options how = {.force = true, .partial = true};
    hsc_writer *w;
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    put_heap(w, 64);
    hsc_mark_incomplete(w, "cap reached");
    finish(w);
    cr_assert_eq(keep(&how, NULL), HSD_OK, "%s", err.text);
    cr_assert_eq(rename(out, path), 0);
    cr_assert_eq(keep(&how, NULL), HSD_OK, "%s", err.text); /* and of that one */
    hsd_capture *capture = open_kept();
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    cr_assert(info->is_baseline && !info->is_complete);
    cr_assert_str_eq(info->incomplete_reason, "the producer stopped: cap reached");
    hsd_capture_close(capture);
}

/* Names past the limit of a text are cut; those that are alike then stay apart. */
Test(baseline, cuts_names_that_are_too_long)
{
    enum { LONG = 65536 };
    static char name[LONG];
    const hsc_options options = usual();
    hsd_verify_result verified;
    hsc_writer *w;
    memset(name, 'n', sizeof name);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "Class", 5, 0);
    hsc_define_type(w, 2, "Session", 7, 0);
    hsc_define_string(w, 1, name, sizeof name);
    put_name(w, 2, "a");
    put_name(w, 3, "b");
    for (uint32_t i = 1; i <= 2; i++)
        hsc_define_label(w, i, HSC_LABEL_STATIC, HSC_LABEL_NAMED_ROOT, 1 + i);
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = 1, .size_bytes = 8, .name = 1});
    hsc_reference(w, 2, 1, 0);
    hsc_reference(w, 3, 2, 0);
    hsc_end_object(w);
    for (uint64_t id = 2; id <= 3; id++) {
        hsc_begin_object(w, &(hsc_object){.id = id, .type = 2, .size_bytes = 64});
        hsc_end_object(w);
    }
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1});
    finish(w);
    cr_assert_eq(keep(NULL, NULL), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_verify(out, NULL, NULL, NULL, &verified, &err), HSD_OK);
    cr_assert_eq(verified.faults, 0);
    hsd_capture *capture = open_kept();
    cr_assert_eq(hsd_capture_get_info(capture)->root_totals, 3);
    hsd_capture_close(capture);
}

/* ---- what is refused ---- */

Test(baseline, refuses_identities_that_say_nothing)
{
    const hsd_baseline_options options = {.identities = true};
    const hsc_identity identities[] = {HSC_IDENTITY_NONE, HSC_IDENTITY_MOVING, HSC_IDENTITY_ADDRESS};
    for (size_t i = 0; i < 3; i++) {
        hsc_options how = usual();
        how.identity = identities[i];
        if (identities[i] == HSC_IDENTITY_ADDRESS) memset(how.domain, 0, sizeof how.domain);
        write_capture(&how, 64);
        cr_assert_eq(keep(&options, NULL), HSD_E_UNSUPPORTED);
        cr_assert(err.text[0] != '\0' && err.hint[0] != '\0' && !is_there());
    }
}

Test(baseline, refuses_identities_of_a_baseline_that_has_none)
{
    const hsd_baseline_options options = {.identities = true, .force = true};
    write_usual(64);
    cr_assert_eq(keep(NULL, NULL), HSD_OK);
    cr_assert_eq(rename(out, path), 0);
    cr_assert_eq(keep(&options, NULL), HSD_E_UNSUPPORTED);
    cr_assert(!is_there());
}

Test(baseline, replaces_a_file_only_when_told_to)
{
    const hsd_baseline_options force = {.force = true};
    write_usual(64);
    cr_assert_eq(keep(NULL, NULL), HSD_OK);
    cr_assert_eq(keep(NULL, NULL), HSD_E_IO);
    cr_assert_eq(err.sys_errno, EEXIST);
    cr_assert_eq(keep(&force, NULL), HSD_OK);
}

/* With fewer places than a larger budget has, the bytes would be others. */
Test(baseline, says_how_much_memory_its_places_need)
{
    enum { PLACES = 300000 };
    static const hsc_baseline sums = {.sums = HSC_SUMS_ROOTS | HSC_SUMS_REFERENCES | HSC_SUMS_PLACES};
    const hsd_run run = {.memory_bytes = HSD_MEMORY_MIN_BYTES};
    hsc_options options = usual();
    hsc_writer *w;
    options.baseline = &sums;
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    hsc_define_type(w, 1, "Session", 7, 0);
    hsc_sum_type(w, &(hsc_live_total){1, PLACES - 1, PLACES - 1, PLACES - 1, 0, 0});
    hsc_count(w, 1, PLACES - 1, PLACES - 1);
    hsc_sum_place(w, &(hsc_place){0});
    put_name(w, 1, "(shared)");
    hsc_sum_root(w, &(hsc_root_total){1, HSC_ROOT_UNKNOWN, HSC_ROOT_TOTAL_SHARED, PLACES - 1, PLACES - 1, 0});
    for (uint32_t i = 1; i < PLACES; i++) {
        char edge[16];
        snprintf(edge, sizeof edge, "e%u", i);
        put_name(w, 1 + i, edge);
        hsc_sum_place(w, &(hsc_place){.name = 1, .edge = 1 + i, .objects = 1, .bytes = 1});
    }
    finish(w);
    cr_assert_eq(keep(NULL, &run), HSD_E_OVER_BUDGET, "%s", err.text);
    cr_assert(strstr(err.text, "MiB") != NULL && err.hint[0] != '\0' && !is_there());
}

/* ---- what is left when something fails ---- */

static bool stop(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return false;
}

Test(baseline, leaves_nothing_behind_when_it_is_cancelled)
{
    const hsd_run run = {.progress = stop};
    write_usual(64);
    const hsd_status status = keep(NULL, &run);
    cr_assert(status == HSD_E_CANCELLED || status == HSD_OK, "asked at most ten times a second");
    cr_assert_eq(is_there(), status == HSD_OK);
}

static void strike(hsd_fault_family family, int error, hsd_status expected)
{
    const hsd_baseline_options options = {.identities = true};
    const hsd_run run = {.threads = 1};
    hsd_fault_reset();
    cr_assert_eq(keep(&options, &run), HSD_OK);
    const uint64_t calls = hsd_fault_calls(family);
    for (uint64_t k = 1; k <= calls; k++) {
        hsd_capture *capture = open_capture(NULL);
        remove(out);
        hsd_fault_reset();
        hsd_fault_arm(family, k, false, error);
        const hsd_status status = hsd_baseline_write(capture, out, &options, &run, NULL, &err);
        hsd_fault_reset();
        hsd_capture_close(capture);
        if (status == HSD_OK) continue;
        cr_assert(status == expected, "%s call %llu: %s", hsd_fault_name(family), (unsigned long long)k, err.text);
        cr_assert(!is_there(), "%s call %llu left a file", hsd_fault_name(family), (unsigned long long)k);
    }
    remove(out);
}

Test(baseline, leaves_nothing_behind_when_the_machine_fails, .timeout = 300)
{
    write_usual(64);
    strike(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM);
    strike(HSD_FAULT_WRITE, ENOSPC, HSD_E_IO);
    strike(HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO);
    strike(HSD_FAULT_SYNC, EIO, HSD_E_IO);
    strike(HSD_FAULT_RENAME, EIO, HSD_E_IO);
}

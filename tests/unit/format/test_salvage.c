/* Salvage: what is kept, what is written anew, what is never touched. The sweeps in tests/integrity destroy every
 * block. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/fault.h"
#include "support/make_samples.h"
#include "support/reseal.h"
#include "unit/format/legal.h"

static char path[64];
static hsd_error err;
static hsd_salvage_result result;

static void remove_path(void) { unlink(path); }

static void choose_path(void)
{
    snprintf(path, sizeof path, "/tmp/hsdiff-salvage-%d.hs", (int)getpid());
    remove_path(); /* of a process of this number that died */
}

TestSuite(salvage, .init = choose_path, .fini = remove_path);

static hsd_status salvage_bytes(const void *bytes, size_t size, bool force)
{
    memfile file = memfile_of(bytes, size);
    hsd_error_init(&err);
    const hsd_status status = hsd_capture_salvage(file.path, path, force, NULL, &result, &err);
    memfile_close(&file);
    return status;
}

static uint64_t count_faults(void)
{
    hsd_verify_result verified;
    cr_assert_eq(hsd_capture_verify(path, NULL, NULL, NULL, &verified, &err), HSD_OK, "%s", err.text);
    return verified.faults;
}

static hsd_capture *open_result(void)
{
    hsd_capture *capture;
    cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    return capture;
}

Test(salvage, copies_a_sound_capture_as_it_is)
{
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        size_t size, copied;
        uint8_t *bytes = memfile_sample(i, &size);
        cr_assert_eq(salvage_bytes(bytes, size, true), HSD_OK, "%s", err.text);
        cr_assert_eq(result.was_complete, hsd_sample_is_complete(i));
        cr_assert_eq(result.blocks_lost, 0);
        cr_assert_eq(result.bytes_skipped, 0);
        uint8_t *copy = memfile_read_all(path, &copied);
        cr_assert(copied == size && memcmp(copy, bytes, size) == 0, "sample %s", hsd_sample_name(i));
        free(copy);
        free(bytes);
    }
}

/* Room is made for all ordinals up to the last: a header that claims two thousand million must cost its own block. */
Test(salvage, a_block_whose_ordinals_leave_out_too_many_is_lost)
{
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("everything"), &size);
    static size_t offsets[4096];
    const size_t blocks = block_offsets(bytes, size, offsets, 4096);
    for (size_t i = 0; i < blocks; i++) {
        if (bytes[offsets[i] + 4] == HSC_BLOCK_OBJECTS) bytes[offsets[i] + 27] = 0x80; /* of first_ordinal, 24 to 31 */
    }
    reseal(bytes, size);
    bytes[size - 1] ^= 1; /* of the trailer, so that the index is not asked */
    memfile file = memfile_of(bytes, size);
    hsd_capture *capture;
    cr_assert_eq(hsd_capture_open(&capture, file.path, HSD_DAMAGE_SKIP, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_get_info(capture)->objects, 0);
    cr_assert(hsd_capture_get_info(capture)->damaged_blocks >= 1);
    hsd_capture_close(capture);
    memfile_close(&file);
    free(bytes);
}

Test(salvage, keeps_the_others_and_marks_the_result)
{
    forge f = legal_capture();
    const uint64_t lost = 56 + (uint64_t)f.blocks.refs[2].stored_bytes; /* types */
    f.bytes.data[f.blocks.refs[2].offset_bytes + 60] ^= 1;
    cr_assert_eq(salvage_bytes(f.bytes.data, f.bytes.size, false), HSD_OK, "%s", err.text);
    cr_assert(!result.was_complete);
    cr_assert_eq(result.blocks_kept, f.blocks.count - 1);
    cr_assert_eq(result.blocks_lost, 1);
    cr_assert_eq(result.bytes_skipped, lost);
    cr_assert_eq(result.objects, 2);
    cr_assert_eq(result.bytes, 16);
    cr_assert_eq(count_faults(), 0);
    hsd_capture *capture = open_result();
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    cr_assert(!info->is_complete && info->is_salvaged && info->has_index);
    cr_assert_str_eq(info->incomplete_reason, "it was salvaged: 1 of its blocks is damaged");
    cr_assert_eq(info->objects, 2);
    cr_assert_eq(info->types, 0);
    hsd_capture_close(capture);
    forge_free(&f);
}

/* Objects 0 to 1 lost, 2 to 3 there: their ordinals stay. */
Test(salvage, keeps_ordinals_where_objects_are_lost)
{
    hsd_object_reader *reader;
    hsd_object object;
    forge f = forge_begin();
    forge_info(&f, 1, 0);
    for (uint64_t first = 0; first < 6; first += 2) {
        FORGE(&f, HSC_COL_ID, 16 * first, 16 * first + 16);
        FORGE(&f, HSC_COL_REF_COUNT, 1, 0);
        FORGE(&f, HSC_COL_REF_TARGET, 3);
        forge_block(&f, HSC_BLOCK_OBJECTS, HSC_BLOCK_FLAG_TARGET_ORDINAL, 2, first);
    }
    f.bytes.data[f.blocks.refs[1].offset_bytes + 60] ^= 1;
    f.bytes.size -= 3; /* and the last one is cut off */
    cr_assert_eq(salvage_bytes(f.bytes.data, f.bytes.size, false), HSD_OK, "%s", err.text);
    cr_assert_eq(result.objects, 2);
    cr_assert_eq(count_faults(), 0);
    hsd_capture *capture = open_result();
    cr_assert_eq(hsd_capture_get_info(capture)->objects, 2);
    cr_assert_geq(hsd_capture_get_info(capture)->ordinals, 4);
    cr_assert(hsd_capture_get_info(capture)->targets_are_ordinals);
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err), HSD_OK);
    cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_OK);
    cr_assert_eq(object.ordinal, 2);
    cr_assert_eq(object.targets[0], 3);
    cr_assert_eq(hsd_object_reader_seek(reader, 1, &err), HSD_END);
    cr_assert_eq(hsd_object_reader_seek(reader, 3, &err), HSD_OK);
    cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_OK);
    cr_assert_eq(object.ordinal, 3);
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

Test(salvage, keeps_the_totals_of_a_summary)
{
    size_t size, offsets[64];
    uint8_t *bytes = memfile_sample(memfile_sample_index("summary"), &size);
    const size_t blocks = block_offsets(bytes, size, offsets, 64);
    hsd_capture *capture;
    memfile file = memfile_of(bytes, size);
    cr_assert_eq(hsd_capture_open(&capture, file.path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK);
    const uint64_t objects = hsd_capture_get_info(capture)->summary_objects;
    cr_assert_gt(objects, 0);
    hsd_capture_close(capture);
    memfile_close(&file);
    for (size_t lost = blocks - 2; lost < blocks; lost++) { /* INDEX, then END */
        bytes[offsets[lost] + 60] ^= 1;
        cr_assert_eq(salvage_bytes(bytes, size, true), HSD_OK, "%s", err.text);
        cr_assert_eq(count_faults(), 0);
        capture = open_result();
        cr_assert_eq(hsd_capture_get_info(capture)->summary_objects, objects);
        hsd_capture_close(capture);
        bytes[offsets[lost] + 60] ^= 1;
    }
    free(bytes);
}

Test(salvage, writes_the_info_anew_when_it_is_lost)
{
    forge f = legal_capture();
    f.bytes.data[64 + 60] ^= 1;
    cr_assert_eq(salvage_bytes(f.bytes.data, f.bytes.size, false), HSD_OK, "%s", err.text);
    cr_assert_eq(count_faults(), 0);
    hsd_capture *capture = open_result();
    cr_assert_eq(hsd_capture_get_info(capture)->identity, HSD_IDENTITY_NONE);
    cr_assert_eq(hsd_capture_get_info(capture)->facts, 4, "values may be inside");
    cr_assert_arr_eq(hsd_capture_get_info(capture)->capture_id, f.id, 16);
    hsd_capture_close(capture);
    forge_free(&f);
}

/* Found by fuzzing: a block that counted nothing decided what targets are, and the next one decided again. */
Test(salvage, takes_what_targets_are_from_the_first_block_alone)
{
    forge f = forge_begin();
    forge_info(&f, 1, 0);
    legal_put_objects(&f);
    f.bytes.data[f.blocks.refs[1].offset_bytes + 30] ^= 1; /* lost, so five objects may be missing */
    FORGE(&f, HSC_COL_ID, 7);
    FORGE(&f, HSC_COL_FLAGS, 0x80); /* its object is lost */
    forge_block(&f, HSC_BLOCK_OBJECTS, HSC_BLOCK_FLAG_TARGET_ORDINAL, 1, 5);
    FORGE(&f, HSC_COL_ID, 9);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, 1, 5);
    f.bytes.data[64 + 60] ^= 1; /* INFO is lost */
    cr_assert_eq(salvage_bytes(f.bytes.data, f.bytes.size, false), HSD_OK, "%s", err.text);
    cr_assert_eq(count_faults(), 0);
    hsd_capture *capture = open_result();
    cr_assert(hsd_capture_get_info(capture)->targets_are_ordinals);
    cr_assert_eq(hsd_capture_get_info(capture)->objects, 0);
    hsd_capture_close(capture);
    forge_free(&f);
}

/* Found by fuzzing: an INFO written anew was given the number of a block that was kept. */
Test(salvage, keeps_no_block_that_has_the_number_of_the_info)
{
    static const uint8_t types[] = {HSC_BLOCK_THREADS, 200};
    for (size_t i = 0; i < 2; i++) {
        forge f = forge_begin();
        FORGE(&f, HSC_COL_KEY, 1);
        forge_block(&f, types[i], 0, 1, 0);
        legal_put_objects(&f);
        cr_assert_eq(salvage_bytes(f.bytes.data, f.bytes.size, true), HSD_OK, "%s", err.text);
        cr_assert_eq(result.blocks_lost, 1);
        cr_assert_eq(count_faults(), 0);
        hsd_capture *capture = open_result();
        cr_assert_eq(hsd_capture_get_info(capture)->objects, 2);
        cr_assert_eq(hsd_capture_get_info(capture)->threads, 0);
        hsd_capture_close(capture);
        forge_free(&f);
    }
}

static void expect_rewritten(forge *f, const char *reason)
{
    cr_assert_eq(salvage_bytes(f->bytes.data, f->bytes.size, true), HSD_OK, "%s", err.text);
    cr_assert(!result.was_complete);
    cr_assert_eq(count_faults(), 0);
    hsd_capture *capture = open_result();
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    cr_assert(!info->is_complete && info->is_salvaged);
    cr_assert_str_eq(info->incomplete_reason, reason);
    cr_assert_eq(info->objects, result.objects);
    cr_assert_eq(info->bytes, result.bytes);
    hsd_capture_close(capture);
    forge_free(f);
}

/* Found by fuzzing: the capture was called complete and copied as it was, and the copy could not be opened. */
Test(salvage, writes_an_end_anew_that_counts_wrongly)
{
    static const uint64_t states[] = {HSC_STATE_COMPLETE, HSC_STATE_COMPLETE, HSC_STATE_SALVAGED};
    for (size_t i = 0; i < 3; i++) {
        for (unsigned key = HSC_END_OBJECTS; key <= HSC_END_COUNTED_BYTES; key++) {
            forge f = forge_begin();
            f.with_numbers = states[i] == HSC_STATE_SALVAGED;
            forge_info(&f, 0, 0);
            legal_put_tables(&f);
            legal_put_objects(&f);
            legal_put_roots(&f);
            legal_put_type_totals(&f);
            legal_put_group_totals(&f);
            f.end[key]++;
            forge_finish(&f, states[i]);
            expect_rewritten(&f, "it was salvaged: its end record is damaged");
            cr_assert_eq(result.blocks_lost, 1, "key %u", key);
            cr_assert_eq(result.objects, 2);
            cr_assert_eq(result.bytes, 16);
        }
    }
}

/* Two objects; the second goes on in the next block, where a third begins; then one that begins at `ordinal`. */
static forge with_continuation(uint64_t continued, uint64_t ordinal)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    FORGE(&f, HSC_COL_ID, 16, 32);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    FORGE(&f, HSC_COL_ID, continued, 48);
    FORGE(&f, HSC_COL_FLAGS, 0x80, 0);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, 2, 2);
    FORGE(&f, HSC_COL_ID, 64);
    forge_block(&f, HSC_BLOCK_OBJECTS, 0, 1, ordinal);
    FORGE(&f, HSC_COL_KEY, 0);
    FORGE(&f, HSC_COL_COUNT, 4);
    FORGE(&f, HSC_COL_BUCKET_COUNT, 1);
    FORGE(&f, HSC_COL_BUCKET, 0);
    FORGE(&f, HSC_COL_BUCKET_OBJECTS, 4);
    forge_block(&f, HSC_BLOCK_TYPE_TOTALS, 0, 1, 0);
    f.end[HSC_END_OBJECTS] = 4;
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

Test(salvage, calls_no_capture_complete_whose_objects_have_gaps)
{
    forge whole = with_continuation(32, 3);
    cr_assert_str_eq(forge_verify(&whole), "");
    cr_assert_eq(salvage_bytes(whole.bytes.data, whole.bytes.size, false), HSD_OK);
    cr_assert(result.was_complete);
    cr_assert_eq(count_faults(), 0);
    forge_free(&whole);
    static const char reason[] = "it was salvaged: records of its objects are missing";
    forge with_gap = with_continuation(32, 4); /* the index lets it pass: one may have gone on */
    expect_rewritten(&with_gap, reason);
    forge with_orphan = with_continuation(31, 3);
    expect_rewritten(&with_orphan, reason);
}

Test(salvage, gives_a_salvaged_capture_the_info_it_lacks)
{
    forge f = forge_begin();
    f.with_numbers = true;
    f.next_number = 1;
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_type_totals(&f);
    legal_put_group_totals(&f);
    forge_finish(&f, HSC_STATE_SALVAGED);
    expect_rewritten(&f, "it was salvaged: its info block is missing");
}

Test(salvage, can_be_salvaged_again)
{
    forge f = legal_capture();
    size_t size, again;
    f.bytes.data[f.blocks.refs[2].offset_bytes + 60] ^= 1;
    cr_assert_eq(salvage_bytes(f.bytes.data, f.bytes.size, false), HSD_OK);
    uint8_t *first = memfile_read_all(path, &size);
    cr_assert_eq(salvage_bytes(first, size, true), HSD_OK);
    cr_assert(!result.was_complete);
    uint8_t *second = memfile_read_all(path, &again);
    cr_assert(size == again && memcmp(first, second, size) == 0);
    cr_assert_eq(salvage_bytes(first, size - 40, true), HSD_OK, "cut off inside its end record");
    cr_assert_eq(result.objects, 2);
    cr_assert_eq(count_faults(), 0);
    free(first);
    free(second);
    forge_free(&f);
}

Test(salvage, never_replaces_its_input_or_what_it_was_not_told_to)
{
    forge f = legal_capture();
    f.bytes.size -= 10;
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL && fwrite(f.bytes.data, 1, f.bytes.size, file) == f.bytes.size && fclose(file) == 0);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_salvage(path, path, true, NULL, &result, &err), HSD_E_MISUSE);
    cr_assert_neq(err.hint[0], '\0');
    cr_assert_eq(salvage_bytes(f.bytes.data, f.bytes.size, false), HSD_E_IO, "it exists");
    cr_assert(strstr(err.hint, "--force") != NULL, "%s", err.hint);
    size_t size;
    uint8_t *still = memfile_read_all(path, &size);
    cr_assert(size == f.bytes.size && memcmp(still, f.bytes.data, size) == 0);
    cr_assert_eq(salvage_bytes(f.bytes.data, f.bytes.size, true), HSD_OK);
    struct stat what;
    char beside[sizeof path + 8];
    snprintf(beside, sizeof beside, "%s.too", path);
    cr_assert_eq(rename(path, beside), 0);
    cr_assert_eq(salvage_bytes(f.bytes.data, f.bytes.size, false), HSD_OK);
    cr_assert_eq(hsd_capture_salvage(beside, path, true, NULL, &result, &err), HSD_OK, "another file of the same disk");
    unlink(beside);
    cr_assert(stat(path, &what) == 0 && (what.st_mode & 0777) == 0600);
    cr_assert_eq(salvage_bytes("nothing here", 12, true), HSD_E_NOT_THIS_FORMAT);
    free(still);
    forge_free(&f);
}

static bool cancel(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context, (void)done, (void)total;
    return strcmp(stage, "salvaging") != 0;
}

Test(salvage, leaves_nothing_behind_when_it_is_cancelled_or_fails)
{
    forge f = legal_capture();
    f.bytes.size -= 10;
    const hsd_run run = {.progress = cancel};
    memfile file = forge_file(&f);
    hsd_error_init(&err);
    const hsd_status status = hsd_capture_salvage(file.path, path, false, &run, &result, &err);
    cr_assert(status == HSD_E_CANCELLED || status == HSD_OK, "asked at most ten times a second");
    if (status != HSD_OK) cr_assert_neq(access(path, F_OK), 0);
    unlink(path);
    hsd_fault_reset();
    cr_assert_eq(hsd_capture_salvage(file.path, path, true, NULL, &result, &err), HSD_OK);
    const uint64_t allocations = hsd_fault_calls(HSD_FAULT_MALLOC), writes = hsd_fault_calls(HSD_FAULT_WRITE);
    for (uint64_t k = 1; k <= allocations + writes; k++) {
        unlink(path);
        if (k <= allocations)
            hsd_fault_arm(HSD_FAULT_MALLOC, k, false, ENOMEM);
        else
            hsd_fault_arm(HSD_FAULT_WRITE, k - allocations, false, ENOSPC);
        const hsd_status failed = hsd_capture_salvage(file.path, path, false, NULL, &result, &err);
        hsd_fault_reset();
        if (failed == HSD_OK) { /* it could do without */
            cr_assert_eq(count_faults(), 0, "call %llu", (unsigned long long)k);
            continue;
        }
        cr_assert(failed == HSD_E_NOMEM || failed == HSD_E_IO, "call %llu: %s", (unsigned long long)k, err.text);
        cr_assert_neq(access(path, F_OK), 0, "call %llu left a file", (unsigned long long)k);
    }
    memfile_close(&file);
    forge_free(&f);
}

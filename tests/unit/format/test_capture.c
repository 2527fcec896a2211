/* Opening captures: what is told of them, what is refused and how, what is skipped. */
#define _GNU_SOURCE /* pipe2 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/dump.h>

#include "support/fault.h"
#include "support/make_samples.h"
#include "support/reseal.h"
#include "unit/format/legal.h"

static hsd_error err;

static hsd_status open_bytes(hsd_capture **out, const void *bytes, size_t size, hsd_damage damage, const hsd_run *run)
{
    memfile file = memfile_of(bytes, size);
    hsd_error_init(&err);
    return hsd_capture_open_fd(out, file.fd, "x.hs", damage, run, &err);
}

/* ---- info ---- */

Test(capture, tells_what_the_sample_says_of_itself)
{
    size_t size;
    hsd_capture *capture;
    uint8_t *bytes = memfile_sample(memfile_sample_index("everything"), &size);
    cr_assert(hsd_capture_probe(bytes, size) && !hsd_capture_probe(bytes + 1, size - 1) &&
              !hsd_capture_probe(bytes, 7));
    cr_assert_eq(open_bytes(&capture, bytes, size, HSD_DAMAGE_REFUSE, NULL), HSD_OK, "%s", err.text);
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    cr_assert_str_eq(info->path, "x.hs");
    cr_assert(info->runtime[0] != '\0' && info->producer[0] != '\0');
    cr_assert_eq(info->version_major, 1);
    cr_assert_eq(info->file_bytes, size);
    cr_assert(info->is_complete && info->has_index && !info->is_salvaged);
    cr_assert_str_eq(info->incomplete_reason, "");
    cr_assert_eq(info->damaged_blocks, 0);
    cr_assert_arr_eq(info->capture_id, bytes + 32, 16);
    cr_assert_eq(info->ordinals, info->objects);
    cr_assert_gt(info->objects, 0);
    hsd_capture_close(capture);
    hsd_capture_close(NULL);
    free(bytes);
}

Test(capture, opens_an_incomplete_one_and_says_why)
{
    size_t size;
    hsd_capture *capture;
    uint8_t *bytes = memfile_sample(memfile_sample_index("incomplete"), &size);
    for (hsd_damage damage = HSD_DAMAGE_REFUSE; damage <= HSD_DAMAGE_SKIP; damage++) {
        cr_assert_eq(open_bytes(&capture, bytes, size, damage, NULL), HSD_OK);
        const hsd_capture_info *info = hsd_capture_get_info(capture);
        cr_assert(!info->is_complete && info->has_index);
        cr_assert(strncmp(info->incomplete_reason, "the producer stopped: ", 22) == 0, "%s", info->incomplete_reason);
        hsd_capture_close(capture);
    }
    free(bytes);
}

Test(capture, says_the_same_of_a_sample_both_ways)
{
    for (size_t i = 0; i < hsd_sample_count(); i++) {
        size_t size;
        hsd_capture *by_index, *by_walk;
        uint8_t *bytes = memfile_sample(i, &size);
        cr_assert_eq(open_bytes(&by_index, bytes, size, HSD_DAMAGE_REFUSE, NULL), HSD_OK);
        cr_assert_eq(open_bytes(&by_walk, bytes, size, HSD_DAMAGE_SKIP, NULL), HSD_OK);
        const hsd_capture_info *a = hsd_capture_get_info(by_index), *b = hsd_capture_get_info(by_walk);
        cr_assert_eq(a->is_complete, b->is_complete);
        cr_assert_eq(a->blocks, b->blocks);
        cr_assert_eq(a->objects, b->objects);
        cr_assert_eq(a->ordinals, b->ordinals);
        cr_assert_eq(a->pseudo_objects, b->pseudo_objects);
        cr_assert_eq(a->references, b->references);
        cr_assert_eq(a->edges, b->edges);
        cr_assert_eq(a->roots, b->roots);
        cr_assert_eq(a->bytes, b->bytes);
        cr_assert_eq(a->native_bytes, b->native_bytes);
        cr_assert_eq(a->summary_objects, b->summary_objects);
        cr_assert_eq(a->lost, b->lost);
        cr_assert_eq(a->has_parts, b->has_parts);
        cr_assert_str_eq(a->incomplete_reason, b->incomplete_reason);
        hsd_capture_close(by_index);
        hsd_capture_close(by_walk);
        free(bytes);
    }
}

/* ---- refusals ---- */

static void expect_refused(const void *bytes, size_t size, hsd_status status, const char *text)
{
    hsd_capture *capture;
    cr_assert_eq(open_bytes(&capture, bytes, size, HSD_DAMAGE_REFUSE, NULL), status, "%s", err.text);
    cr_assert_null(capture);
    cr_assert_str_eq(err.text, text);
    cr_assert_str_eq(err.file, "x.hs");
}

Test(capture, refuses_with_the_place_and_the_next_command)
{
    forge f = legal_capture();
    uint8_t *bytes = f.bytes.data;
    const size_t size = f.bytes.size, roots = (size_t)f.blocks.refs[5].offset_bytes;
    char text[128];
    expect_refused("", 0, HSD_E_NOT_THIS_FORMAT, "is empty: not a heap capture");
    expect_refused("{\"snapshot\":", 12, HSD_E_NOT_THIS_FORMAT,
                   "is not a heap capture (.hs): its first bytes are others");
    expect_refused(bytes, 30, HSD_E_TRUNCATED, "was cut off at byte 30, inside the file header");
    expect_refused(bytes, 64, HSD_E_TRUNCATED, "was cut off at byte 64, behind the file header");
    snprintf(text, sizeof text, "was cut off at byte %zu, behind block 4: there is no end record", roots);
    expect_refused(bytes, roots, HSD_E_TRUNCATED, text);
    snprintf(text, sizeof text, "was cut off at byte %zu, inside block 5", roots + 20);
    expect_refused(bytes, roots + 20, HSD_E_TRUNCATED, text);
    cr_assert_str_eq(err.hint,
                     "to use what is there: --partial; to keep a clean copy: hsdiff salvage x.hs -o x-part.hs");
    cr_assert_eq(err.offset_bytes, roots + 20);
    snprintf(text, sizeof text, "was cut off at byte %zu, inside block 5", roots + 60);
    expect_refused(bytes, roots + 60, HSD_E_TRUNCATED, text);
    snprintf(text, sizeof text, "was cut off at byte %zu,%03zu, inside the trailer", (size - 1) / 1000,
             (size - 1) % 1000);
    expect_refused(bytes, size - 1, HSD_E_TRUNCATED, text);
    memset(bytes + roots, 0, size - roots);
    snprintf(text, sizeof text, "was cut off at byte %zu, before block 5: the rest of the file is zeros", roots);
    expect_refused(bytes, size, HSD_E_TRUNCATED, text);
    forge_free(&f);
}

Test(capture, refuses_what_stands_behind_the_end)
{
    forge f = legal_capture();
    cr_assert_eq(hsd_buffer_append(&f.bytes, "more", 4, NULL), HSD_OK);
    expect_refused(f.bytes.data, f.bytes.size, HSD_E_CORRUPT,
                   "damaged: 4 bytes follow the end of the capture (FORMAT.md 9.4)");
    forge_free(&f);
}

Test(capture, tells_the_first_damaged_block_when_the_end_is_gone_too)
{
    forge f = legal_capture();
    f.bytes.data[f.blocks.refs[2].offset_bytes + 20] ^= 1;
    f.bytes.data[f.bytes.size - 1] ^= 1;
    expect_refused(f.bytes.data, f.bytes.size, HSD_E_CORRUPT,
                   "block 2 is damaged: the checksum of its header does not match (FORMAT.md 4.3)");
    cr_assert_eq(err.offset_bytes, f.blocks.refs[2].offset_bytes);
    forge_free(&f);
}

Test(capture, bounds_the_list_of_blocks_by_the_memory)
{
    hsd_capture *capture;
    size_t size;
    const hsd_run run = {.memory_bytes = 8000};
    uint8_t *bytes = memfile_sample(memfile_sample_index("many-types"), &size);
    for (hsd_damage damage = HSD_DAMAGE_REFUSE; damage <= HSD_DAMAGE_SKIP; damage++) {
        cr_assert_eq(open_bytes(&capture, bytes, size, damage, &run), HSD_E_OVER_BUDGET, "%s", err.text);
        cr_assert(strncmp(err.hint, "--memory ", 9) == 0);
    }
    free(bytes);
}

/* ---- in part ---- */

typedef struct notes {
    unsigned damage;
    char last[512];
} notes;

static void note(void *context, hsd_note_level level, const char *text)
{
    notes *n = context;
    n->damage += level == HSD_NOTE_DAMAGE;
    snprintf(n->last, sizeof n->last, "%s", text);
}

Test(capture, skips_damage_and_tells_of_it_once)
{
    hsd_capture *capture;
    notes n = {0};
    const hsd_run run = {.note = note, .note_context = &n};
    forge f = legal_capture();
    f.bytes.data[f.blocks.refs[4].offset_bytes + 60] ^= 1; /* the objects */
    cr_assert_eq(open_bytes(&capture, f.bytes.data, f.bytes.size, HSD_DAMAGE_SKIP, &run), HSD_OK);
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    cr_assert(!info->is_complete);
    cr_assert_eq(info->damaged_blocks, 1);
    cr_assert_eq(info->blocks, f.blocks.count - 1);
    cr_assert_eq(info->objects, 0);
    cr_assert_eq(info->roots, 1);
    cr_assert_str_eq(info->incomplete_reason, "1 of its blocks is damaged");
    cr_assert_eq(n.damage, 2);
    cr_assert_str_eq(n.last, "x.hs is not complete: 1 of its blocks is damaged");
    hsd_object_reader *reader;
    hsd_object object;
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err), HSD_OK);
    cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_END);
    cr_assert_eq(hsd_object_reader_seek(reader, 0, &err), HSD_END);
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

Test(capture, reads_on_behind_a_damaged_header)
{
    hsd_capture *capture;
    forge f = legal_capture();
    f.bytes.data[3] ^= 1; /* the magic of the file */
    cr_assert_eq(open_bytes(&capture, f.bytes.data, f.bytes.size, HSD_DAMAGE_REFUSE, NULL), HSD_E_NOT_THIS_FORMAT);
    cr_assert_eq(open_bytes(&capture, f.bytes.data, f.bytes.size, HSD_DAMAGE_SKIP, NULL), HSD_OK);
    cr_assert_eq(hsd_capture_get_info(capture)->objects, 2);
    cr_assert_str_eq(hsd_capture_get_info(capture)->incomplete_reason, "its file header is damaged");
    hsd_capture_close(capture);
    f.bytes.data[64 + 56 + 10] ^= 1; /* and the capture id in INFO */
    cr_assert_eq(open_bytes(&capture, f.bytes.data, f.bytes.size, HSD_DAMAGE_SKIP, NULL), HSD_E_NOT_THIS_FORMAT);
    forge_free(&f);
}

Test(capture, leaves_out_references_whose_object_is_lost)
{
    size_t size, offsets[512];
    hsd_capture *capture;
    hsd_object_reader *reader;
    hsd_object object;
    uint8_t *bytes = memfile_sample(memfile_sample_index("continuation"), &size);
    const size_t blocks = block_offsets(bytes, size, offsets, 512);
    uint64_t continuations = 0;
    for (size_t i = 0; i < blocks; i++) {
        if (bytes[offsets[i] + 4] != HSC_BLOCK_OBJECTS) continue;
        bytes[offsets[i] + 60] ^= 1;
        cr_assert_eq(open_bytes(&capture, bytes, size, HSD_DAMAGE_SKIP, NULL), HSD_OK);
        const uint64_t objects = hsd_capture_get_info(capture)->objects,
                       references = hsd_capture_get_info(capture)->references;
        uint64_t seen = 0, seen_references = 0, last = UINT64_MAX;
        cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err), HSD_OK);
        while (hsd_object_reader_next(reader, &object, &err) == HSD_OK) {
            if (object.is_continuation) cr_assert_eq(object.ordinal, last, "its object came before");
            continuations += object.is_continuation;
            seen += !object.is_continuation;
            seen_references += object.reference_count;
            last = object.ordinal;
        }
        cr_assert_eq(seen, objects);
        cr_assert_eq(seen_references, references);
        hsd_object_reader_close(reader);
        hsd_capture_close(capture);
        bytes[offsets[i] + 60] ^= 1;
    }
    cr_assert_gt(continuations, 0);
    free(bytes);
}

/* ---- where a capture comes from ---- */

Test(capture, comes_through_a_pipe_too)
{
    size_t size;
    hsd_capture *capture;
    int ends[2];
    uint8_t *bytes = memfile_sample(memfile_sample_index("tiny"), &size);
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    cr_assert_eq(write(ends[1], bytes, size), (ssize_t)size);
    close(ends[1]);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_open_fd(&capture, ends[0], "-", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert(hsd_capture_get_info(capture)->is_complete);
    hsd_capture_close(capture);
    free(bytes);
}

Test(capture, comes_from_a_file_without_a_name)
{
    size_t size;
    hsd_capture *capture;
    uint8_t *bytes = memfile_sample(memfile_sample_index("tiny"), &size);
    const int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, size), (ssize_t)size, "and it stands at its end");
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_open_fd(&capture, fd, "imported", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(capture);
    cr_assert_eq(fcntl(fd, F_GETFD), -1, "it was moved in");
    free(bytes);
}

Test(capture, that_shrinks_while_it_is_read_is_an_error)
{
    size_t size;
    hsd_capture *capture;
    hsd_object_reader *reader;
    hsd_object object;
    hsd_status status;
    uint8_t *bytes = memfile_sample(memfile_sample_index("blocks"), &size);
    memfile file = memfile_of(bytes, size);
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_open(&capture, file.path, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK);
    memfile_set(&file, bytes, size / 2);
    cr_assert_eq(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err), HSD_OK);
    while ((status = hsd_object_reader_next(reader, &object, &err)) == HSD_OK)
        continue;
    cr_assert_eq(status, HSD_E_TRUNCATED);
    cr_assert_eq(hsd_object_reader_next(reader, &object, &err), HSD_E_TRUNCATED, "and stays one");
    hsd_object_reader_close(reader);
    hsd_capture_close(capture);
    memfile_close(&file);
    free(bytes);
}

/* ---- several readers at once ---- */

static void *sum_objects(void *context)
{
    hsd_object_reader *reader;
    hsd_object object;
    uint64_t *sum = malloc(sizeof *sum);
    if (sum == NULL || hsd_object_reader_open(&reader, context, HSD_WANT_ALL, NULL) != HSD_OK) return sum;
    *sum = 0;
    while (hsd_object_reader_next(reader, &object, NULL) == HSD_OK) {
        *sum = 31 * *sum + object.id + object.size_bytes;
        for (uint32_t i = 0; i < object.reference_count; i++)
            *sum = 31 * *sum + object.targets[i] + object.labels[i];
    }
    hsd_object_reader_close(reader);
    return sum;
}

Test(capture, is_read_by_several_threads_alike)
{
    size_t size;
    hsd_capture *capture;
    pthread_t threads[4];
    uint8_t *bytes = memfile_sample(memfile_sample_index("blocks"), &size);
    cr_assert_eq(open_bytes(&capture, bytes, size, HSD_DAMAGE_REFUSE, NULL), HSD_OK);
    uint64_t *expected = sum_objects(capture);
    cr_assert_neq(*expected, 0);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, sum_objects, capture), 0);
    for (size_t i = 0; i < 4; i++) {
        void *sum;
        pthread_join(threads[i], &sum);
        cr_assert_eq(*(uint64_t *)sum, *expected);
        free(sum);
    }
    free(expected);
    hsd_capture_close(capture);
    free(bytes);
}

Test(capture, refuses_a_kind_of_record_that_is_none)
{
    hsd_capture *capture;
    hsd_record_reader *reader;
    forge f = legal_capture();
    cr_assert_eq(open_bytes(&capture, f.bytes.data, f.bytes.size, HSD_DAMAGE_REFUSE, NULL), HSD_OK);
    cr_assert_eq(hsd_record_reader_open(&reader, capture, (hsd_record_kind)99, &err), HSD_E_MISUSE);
    cr_assert_null(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

/* ---- the machine fails ---- */

static hsd_status drop(void *context, const char *text, size_t size, hsd_error *e)
{
    (void)context, (void)text, (void)size, (void)e;
    return HSD_OK;
}

static bool is_taken_for_damage; /* what the machine refused */

static hsd_status use_everything(const char *path, hsd_damage damage)
{
    hsd_capture *capture;
    hsd_error_init(&err);
    hsd_status status = hsd_capture_open(&capture, path, damage, NULL, &err);
    if (status != HSD_OK) return status;
    is_taken_for_damage =
        !hsd_capture_get_info(capture)->is_complete || hsd_capture_get_info(capture)->damaged_blocks > 0;
    status = hsd_capture_dump(capture, drop, NULL, &err);
    hsd_capture_close(capture);
    if (status == HSD_OK) status = hsd_capture_verify(path, NULL, NULL, NULL, NULL, &err);
    return status;
}

static void fail_each_call(hsd_fault_family family, int error, hsd_status expected)
{
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("everything"), &size);
    memfile file = memfile_of(bytes, size);
    for (hsd_damage damage = HSD_DAMAGE_REFUSE; damage <= HSD_DAMAGE_SKIP; damage++) {
        hsd_fault_reset();
        cr_assert_eq(use_everything(file.path, damage), HSD_OK);
        const uint64_t calls = hsd_fault_calls(family);
        cr_assert_gt(calls, 0);
        hsd_fault_reset();
        for (uint64_t k = 1; k <= calls; k++) {
            hsd_fault_arm(family, k, k % 2 == 0, error);
            const hsd_status status = use_everything(file.path, damage);
            hsd_fault_reset();
            cr_assert(status == expected || (status == HSD_OK && !is_taken_for_damage), "call %llu of %llu: %s",
                      (unsigned long long)k, (unsigned long long)calls, err.text);
            if (status != HSD_OK) cr_assert_neq(err.text[0], '\0');
        }
    }
    memfile_close(&file);
    free(bytes);
}

Test(capture, survives_every_failing_allocation) { fail_each_call(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM); }
Test(capture, survives_every_failing_read) { fail_each_call(HSD_FAULT_PREAD, EIO, HSD_E_IO); }

Test(capture, reads_in_small_pieces_where_the_system_gives_no_more)
{
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("everything"), &size);
    memfile file = memfile_of(bytes, size);
    hsd_fault_reset();
    hsd_fault_arm_short(HSD_FAULT_PREAD, 1, true);
    cr_assert_eq(use_everything(file.path, HSD_DAMAGE_REFUSE), HSD_OK, "%s", err.text);
    hsd_fault_reset();
    memfile_close(&file);
    free(bytes);
}

/* What needs memory for its answer has none without it. */
Test(capture, is_not_called_right_without_the_memory_to_know)
{
    size_t size;
    uint8_t *bytes = memfile_sample(memfile_sample_index("everything"), &size);
    memfile file = memfile_of(bytes, size);
    hsd_verify_result result;
    const hsd_run run = {.memory_bytes = 64 << 20}; /* else it is asked how much there is */
    hsd_fault_reset();
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_verify(file.path, &run, NULL, NULL, &result, &err), HSD_OK);
    cr_assert_eq(result.faults, 0);
    const uint64_t calls = hsd_fault_calls(HSD_FAULT_MALLOC);
    hsd_fault_reset();
    for (uint64_t k = 1; k <= calls; k++) {
        hsd_fault_arm(HSD_FAULT_MALLOC, k, false, ENOMEM);
        hsd_error_init(&err);
        const hsd_status status = hsd_capture_verify(file.path, &run, NULL, NULL, &result, &err);
        hsd_fault_reset();
        cr_assert_eq(status, HSD_E_NOMEM, "call %llu of %llu: %s", (unsigned long long)k, (unsigned long long)calls,
                     err.text);
    }
    memfile_close(&file);
    free(bytes);
}

/* The digest of a dump: that of the file as it is, also where the importer leaves out most of it. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "io/checksum.h"
#include "unit/import/hprof_case.h"

#define RECORD_BYTES (UINT32_C(3) << 20) /* more than any window: the importer seeks past it */

/* The known heap, and behind it a record that no importer looks into. */
static hprof_writer dump_of(const heap_form *form)
{
    hprof_writer w;
    heap_write(&w, form);
    uint8_t head[9] = {0x0D,
                       0,
                       0,
                       0,
                       0,
                       (uint8_t)(RECORD_BYTES >> 24),
                       (uint8_t)(RECORD_BYTES >> 16),
                       (uint8_t)(RECORD_BYTES >> 8),
                       (uint8_t)RECORD_BYTES};
    uint8_t *all = malloc(w.size + sizeof head + RECORD_BYTES);
    cr_assert_not_null(all);
    memcpy(all, w.data, w.size);
    memcpy(all + w.size, head, sizeof head);
    for (size_t i = 0; i < RECORD_BYTES; i++)
        all[w.size + sizeof head + i] = (uint8_t)(i * 2654435761u >> 13);
    free(w.data);
    w.data = all;
    w.size += sizeof head + RECORD_BYTES;
    return w;
}

static void expect_digest(const hprof_case *c, const void *data, size_t size)
{
    hsd_digest digest;
    uint8_t wanted[HSD_DIGEST_BYTES];
    hsd_digest_begin(&digest);
    hsd_digest_add(&digest, data, size);
    hsd_digest_get(&digest, wanted);
    cr_assert_eq(c->status, HSD_OK, "%s", c->err.text);
    cr_assert(c->result.has_digest);
    cr_assert_arr_eq(c->result.digest, wanted, sizeof wanted);
}

Test(digest, is_that_of_the_file)
{
    heap_form form;
    for (size_t i = 0; heap_sample(i, &form); i++) {
        hprof_case c = {.options = {.with_digest = true, .dump_number = 1, .salvage = true}};
        hprof_writer w = dump_of(&form);
        case_import(&c, w.data, w.size);
        expect_digest(&c, w.data, w.size);
        case_close(&c);
        hw_free(&w);
    }
}

Test(digest, of_a_packed_file_is_that_of_the_packed_bytes)
{
    heap_form form;
    size_t size;
    cr_assert_not_null(heap_sample(0, &form));
    hprof_writer w = dump_of(&form);
    void *packed = case_gzip(w.data, w.size, 100000, &size);
    for (int is_summary = 0; is_summary < 2; is_summary++) {
        hprof_case c = {.options = {.with_digest = true, .dump_number = 1, .summary_only = is_summary}};
        case_import(&c, packed, size);
        expect_digest(&c, packed, size);
        case_close(&c);
    }
    free(packed);
    hw_free(&w);
}

Test(digest, comes_when_it_is_asked_for)
{
    heap_form form;
    cr_assert_not_null(heap_sample(0, &form));
    hprof_case c = {.options = {.dump_number = 1}};
    case_import_form(&c, &form);
    cr_assert_eq(c.status, HSD_OK);
    cr_assert(!c.result.has_digest);
    case_close(&c);
}

/* Site totals (FORMAT.md 6.20): read as they were written, and those that break a rule. */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <unistd.h>

#include "format/header.h"
#include "unit/format/legal.h"

typedef void (*piece)(forge *f);

static void put_tables(forge *f)
{
    legal_put_strings(f);
    FORGE(f, HSC_COL_KEY, 5, 6);
    FORGE(f, HSC_COL_TEXT_BYTES, 2, 1);
    forge_text(f, HSC_COL_TEXT, "Map");
    forge_block(f, HSC_BLOCK_TYPES, 0, 2, 0);
    f->end[HSC_END_TYPES] = 2;
    FORGE(f, HSC_COL_KEY, 1, 2);
    FORGE(f, HSC_COL_TEXT_ID, 1, 2);
    FORGE(f, HSC_COL_PARENT, 0, 1);
    forge_block(f, HSC_BLOCK_SITES, 0, 2, 0);
    f->end[HSC_END_SITES] = 2;
}

/* Type 5 has three objects, type 6 one, and one of no type. */
static void put_totals(forge *f)
{
    FORGE(f, HSC_COL_KEY, 0, 5, 6);
    FORGE(f, HSC_COL_COUNT, 1, 3, 1);
    FORGE(f, HSC_COL_BYTES, 4, 48, 8);
    forge_block(f, HSC_BLOCK_TYPE_TOTALS, 0, 3, 0);
    f->end[HSC_END_COUNTED_OBJECTS] = 5;
    f->end[HSC_END_COUNTED_BYTES] = 60;
}

static void put_sites(forge *f)
{
    FORGE(f, HSC_COL_SITE, 1, 2, 1, 1);
    FORGE(f, HSC_COL_KEY, 5, 5, 0, 5);
    FORGE(f, HSC_COL_COUNT, 1, 1, 1, 1);
    FORGE(f, HSC_COL_BYTES, 16, 16, 4, 16);
    forge_block(f, HSC_BLOCK_SITE_TOTALS, 0, 4, 0);
}

static forge profile_with(piece sites, unsigned minor)
{
    forge f = forge_begin();
    hsd_file_header_build(f.bytes.data, f.id, (uint16_t)minor);
    forge_info(&f, 0, 0);
    put_tables(&f);
    sites(&f);
    put_totals(&f);
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

Test(site_totals, are_read_as_they_were_written)
{
    hsd_capture *capture;
    hsd_record_reader *reader;
    hsd_record record;
    hsd_error err;
    forge f = profile_with(put_sites, 2);
    memfile file = forge_file(&f);
    cr_assert_str_eq(forge_verify(&f), "");
    cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "forged.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s",
                 err.text);
    cr_assert_eq(hsd_capture_get_info(capture)->site_totals, 4);
    cr_assert_eq(hsd_record_reader_open(&reader, capture, HSD_RECORD_SITE_TOTAL, &err), HSD_OK);
    static const hsd_site_total expected[] = {{5, 1, 1, 16}, {5, 2, 1, 16}, {0, 1, 1, 4}, {5, 1, 1, 16}};
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_OK, "%s", err.text);
        const hsd_site_total *got = &record.site_total;
        cr_assert(got->type == expected[i].type && got->site == expected[i].site &&
                  got->objects == expected[i].objects && got->bytes == expected[i].bytes);
    }
    cr_assert_eq(hsd_record_reader_next(reader, &record, &err), HSD_END);
    hsd_record_reader_close(reader);
    hsd_capture_close(capture);
    forge_free(&f);
}

static void put_without_site(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5);
    FORGE(f, HSC_COL_COUNT, 1);
    forge_block(f, HSC_BLOCK_SITE_TOTALS, 0, 1, 0);
}

static void put_more_objects(forge *f)
{
    FORGE(f, HSC_COL_SITE, 1, 2);
    FORGE(f, HSC_COL_KEY, 5, 5);
    FORGE(f, HSC_COL_COUNT, 2, 2);
    forge_block(f, HSC_BLOCK_SITE_TOTALS, 0, 2, 0);
}

static void put_more_bytes(forge *f)
{
    FORGE(f, HSC_COL_SITE, 1);
    FORGE(f, HSC_COL_KEY, 6);
    FORGE(f, HSC_COL_BYTES, 9);
    forge_block(f, HSC_BLOCK_SITE_TOTALS, 0, 1, 0);
}

static void put_no_such_site(forge *f)
{
    FORGE(f, HSC_COL_SITE, 7);
    FORGE(f, HSC_COL_KEY, 5);
    forge_block(f, HSC_BLOCK_SITE_TOTALS, 0, 1, 0);
}

static void put_no_such_type(forge *f)
{
    FORGE(f, HSC_COL_SITE, 1);
    FORGE(f, HSC_COL_KEY, 7);
    forge_block(f, HSC_BLOCK_SITE_TOTALS, 0, 1, 0);
}

static void put_unknown_column(forge *f)
{
    FORGE(f, HSC_COL_SITE, 1);
    FORGE(f, HSC_COL_FLAGS, 1);
    forge_block(f, HSC_BLOCK_SITE_TOTALS, 0, 1, 0);
}

Test(site_totals, are_a_part_of_what_has_no_records)
{
    legal_expect(profile_with(put_sites, 2), "", false);
    legal_expect(profile_with(put_sites, 1), "3.4", false);
    legal_expect(profile_with(put_without_site, 2), "6.20", false);
    legal_expect(profile_with(put_more_objects, 2), "6.20", false);
    legal_expect(profile_with(put_more_bytes, 2), "6.20", false);
    legal_expect(profile_with(put_no_such_site, 2), "6.5", false);
    legal_expect(profile_with(put_no_such_type, 2), "6.14", false);
    legal_expect(profile_with(put_unknown_column, 2), "5.2", true);
}

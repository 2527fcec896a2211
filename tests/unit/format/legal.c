/* A small legal capture in pieces. See legal.h. */
#include "unit/format/legal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "format/bytes.h"

void legal_put_strings(forge *f)
{
    FORGE(f, HSC_COL_KEY, 1, 2);
    FORGE(f, HSC_COL_TEXT_BYTES, 3, 4);
    forge_text(f, HSC_COL_TEXT, "rootname");
    f->payload.size -= 1; /* "rootnam": two texts of 3 and 4 bytes */
    hsd_put_u32(f->payload.data + f->payload.size - 7 - 8, 7);
    hsd_put_u32(f->payload.data + f->payload.size - 7 - 4, 7);
    forge_block(f, HSC_BLOCK_STRINGS, 0, 2, 0);
    f->end[HSC_END_STRINGS] = 2;
}

void legal_put_types(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5);
    FORGE(f, HSC_COL_TEXT_BYTES, 3);
    forge_text(f, HSC_COL_TEXT, "Map");
    forge_block(f, HSC_BLOCK_TYPES, 0, 1, 0);
    f->end[HSC_END_TYPES] = 1;
}

void legal_put_labels(forge *f)
{
    FORGE(f, HSC_COL_KEY, 9);
    FORGE(f, HSC_COL_TEXT_ID, 2);
    forge_block(f, HSC_BLOCK_LABELS, 0, 1, 0);
    f->end[HSC_END_LABELS] = 1;
}

void legal_put_tables(forge *f)
{
    legal_put_strings(f);
    legal_put_types(f);
    legal_put_labels(f);
}

/* Columns of the two objects without ID; the caller puts that first. */
void legal_put_object_columns(forge *f)
{
    FORGE(f, HSC_COL_TYPE, 5, 5);
    FORGE(f, HSC_COL_SIZE, 16, 0);
    FORGE(f, HSC_COL_REF_COUNT, 1, 0);
    FORGE(f, HSC_COL_REF_TARGET, 0x20);
    FORGE(f, HSC_COL_REF_LABEL, 9);
}

void legal_count_objects(forge *f)
{
    f->end[HSC_END_OBJECTS] = 2;
    f->end[HSC_END_REFERENCES] = 1;
    f->end[HSC_END_BYTES] = 16;
}

void legal_put_objects(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20);
    legal_put_object_columns(f);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 2, 0);
    legal_count_objects(f);
}

void legal_put_roots(forge *f)
{
    FORGE(f, HSC_COL_KIND, 2);
    FORGE(f, HSC_COL_TEXT_ID, 1);
    FORGE(f, HSC_COL_TARGET, 0x10);
    forge_block(f, HSC_BLOCK_ROOTS, 0, 1, 0);
    f->end[HSC_END_ROOTS] = 1;
}

void legal_put_type_totals(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5);
    FORGE(f, HSC_COL_COUNT, 2);
    FORGE(f, HSC_COL_BYTES, 16);
    FORGE(f, HSC_COL_BUCKET_COUNT, 2);
    FORGE(f, HSC_COL_BUCKET, 0, 5);
    FORGE(f, HSC_COL_BUCKET_OBJECTS, 1, 1);
    FORGE(f, HSC_COL_BUCKET_BYTES, 0, 16);
    forge_block(f, HSC_BLOCK_TYPE_TOTALS, 0, 1, 0);
}

void legal_put_group_totals(forge *f)
{
    FORGE(f, HSC_COL_KEY, 2);
    FORGE(f, HSC_COL_KIND, 1);
    FORGE(f, HSC_COL_COUNT, 1);
    forge_block(f, HSC_BLOCK_GROUP_TOTALS, 0, 1, 0);
}

void legal_put_end(forge *f)
{
    legal_put_type_totals(f);
    legal_put_group_totals(f);
    forge_finish(f, HSC_STATE_COMPLETE);
}

forge legal_capture(void)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    legal_put_objects(&f);
    legal_put_roots(&f);
    legal_put_end(&f);
    return f;
}

/* Builds the legal capture, but for what `objects` and `roots` put (NULL = nothing unusual). */
forge legal_with(void (*before)(forge *f), void (*objects)(forge *f), void (*after)(forge *f))
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    if (before != NULL) before(&f);
    if (objects != NULL)
        objects(&f);
    else
        legal_put_objects(&f);
    legal_put_roots(&f);
    if (after != NULL) after(&f);
    legal_put_end(&f);
    return f;
}

void legal_expect(forge f, const char *rule, bool is_refused)
{
    hsd_error err;
    const char *first = forge_verify(&f);
    cr_assert_str_eq(first, rule, "\"%s\", not \"%s\"", first, rule);
    const hsd_status status = forge_read(&f, HSD_DAMAGE_REFUSE, &err);
    if (is_refused) {
        char cited[16];
        snprintf(cited, sizeof cited, "%s)", rule);
        cr_assert_lt(status, 0, "rule %s: read without an error", rule);
        /* Where the index leads, another rule may break first. */
        const bool may_differ = (strchr("2349", rule[0]) != NULL && rule[1] == '.') ||
                                strstr(err.text, "9.1)") != NULL || strstr(err.text, "8.4)") != NULL;
        if (status == HSD_E_CORRUPT && !may_differ)
            cr_assert(strstr(err.text, cited) != NULL, "rule %s: \"%s\"", rule, err.text);
    } else {
        cr_assert_eq(status, HSD_OK, "rule %s: %s", rule, err.text);
    }
    forge_free(&f);
}

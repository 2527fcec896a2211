/* Previews: of fields, of anything else, cut ones, and those that grow past what a preview may have. */
#include "redact/values.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/layout.h"

static const hsd_redact_key key = {.bytes = {9}};

static void put_shape(char *out, hsd_bytes made)
{
    size_t used = 0;
    for (size_t at = 0; at < made.size;) {
        const bool is_one = (made.data[at] | 0x20) == 'k' && at + HSD_PSEUDONYM_CHARS <= made.size;
        out[used++] = is_one ? 'P' : (char)made.data[at];
        at += is_one ? HSD_PSEUDONYM_CHARS : 1;
    }
    out[used] = '\0';
}

static void expect_values(const char *preview, const char *shape)
{
    char got[HSC_MAX_VALUE_BYTES + 1];
    hsd_renamer r;
    hsd_buffer out = {0};
    hsd_renamer_init(&r, &key, NULL, 0);
    cr_assert_eq(hsd_rename_preview(&r, (hsd_text){preview, strlen(preview)}, &out, NULL), HSD_OK);
    put_shape(got, (hsd_bytes){out.data, out.size});
    cr_expect_str_eq(got, shape, "%s: %s, not %s", preview, got, shape);
    hsd_buffer_release(&out);
    hsd_renamer_release(&r);
}

Test(values, of_fields_keep_their_form)
{
    expect_values("id2=17 owner=\"Ann \\\"A\\\" Lee\" price=0.1 opened=true", "P=P P=P P=P P=P");
    expect_values("id2=17 ...", "P=P ...");
    expect_values("name=\"x\"", "name=P");
    expect_values("x1=", "P=");
}

Test(values, anything_else_is_one_word)
{
    expect_values("hello world", "P");
    expect_values("=x", "P");
    expect_values("a=b ", "P");
    expect_values("a=\"open", "P");
    expect_values("a=\"b\"c", "P");
    expect_values(" ", "P");
    expect_values("...", "P");
    expect_values("secret", "P");
}

Test(values, equal_values_stay_equal)
{
    hsd_renamer r;
    hsd_buffer out = {0};
    static const char preview[] = "a1=17 b1=17 c1=18";
    hsd_renamer_init(&r, &key, NULL, 0);
    cr_assert_eq(hsd_rename_preview(&r, (hsd_text){preview, strlen(preview)}, &out, NULL), HSD_OK);
    const char *at = (const char *)out.data;
    const size_t field = 2 * HSD_PSEUDONYM_CHARS + 2;
    cr_expect_arr_eq(at + HSD_PSEUDONYM_CHARS + 1, at + field + HSD_PSEUDONYM_CHARS + 1, HSD_PSEUDONYM_CHARS);
    cr_expect_neq(memcmp(at + HSD_PSEUDONYM_CHARS + 1, at + 2 * field + HSD_PSEUDONYM_CHARS + 1, HSD_PSEUDONYM_CHARS),
                  0);
    hsd_buffer_release(&out);
    hsd_renamer_release(&r);
}

Test(values, are_cut_in_front_of_a_field)
{
    char preview[HSC_MAX_VALUE_BYTES + 1];
    hsd_renamer r;
    hsd_buffer out = {0};
    hsd_renamer_init(&r, &key, NULL, 0);
    for (size_t i = 0; i < HSC_MAX_VALUE_BYTES; i++)
        preview[i] = "x=7 "[i % 4];
    for (size_t size = HSC_MAX_VALUE_BYTES - 1; size > HSC_MAX_VALUE_BYTES - 9; size--) {
        hsd_buffer_clear(&out);
        cr_assert_eq(hsd_rename_preview(&r, (hsd_text){preview, size}, &out, NULL), HSD_OK);
        cr_assert_leq(out.size, HSC_MAX_VALUE_BYTES);
        if (size % 4 == 3) cr_expect_arr_eq(out.data + out.size - 4, " ...", 4);
    }
    hsd_buffer_release(&out);
    hsd_renamer_release(&r);
}

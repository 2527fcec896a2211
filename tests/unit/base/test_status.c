/* Errors: filled by the one that finds the fault, kept and added to by those above it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <hsdiff/status.h>

Test(status, an_empty_error_has_no_offset)
{
    hsd_error err;
    memset(&err, 0x5a, sizeof err);
    hsd_error_init(&err);
    cr_assert_eq(err.status, HSD_OK);
    cr_assert_eq(err.offset_bytes, HSD_NO_OFFSET);
    cr_assert_str_empty(err.text);
    cr_assert_str_empty(err.file);
    hsd_error_init(NULL);
}

Test(status, fail_returns_its_status_and_formats)
{
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_fail(&err, HSD_E_CORRUPT, "bad %s %d", "block", 7), HSD_E_CORRUPT);
    cr_assert_eq(err.status, HSD_E_CORRUPT);
    cr_assert_str_eq(err.text, "bad block 7");
    cr_assert_eq(hsd_fail_at(&err, HSD_E_TRUNCATED, 99, "short"), HSD_E_TRUNCATED);
    cr_assert_eq(err.offset_bytes, 99);
    cr_assert_eq(hsd_fail(NULL, HSD_E_MISUSE, "nobody listens"), HSD_E_MISUSE);
    cr_assert_eq(hsd_fail_at(NULL, HSD_E_MISUSE, 1, "nobody listens"), HSD_E_MISUSE);
}

Test(status, errno_is_told_in_words)
{
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_fail_errno(&err, ENOSPC, "cannot write"), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOSPC);
    cr_assert_str_eq(err.text, "cannot write: No space left on device");
    cr_assert_eq(hsd_fail_errno(&err, 99999, "cannot write"), HSD_E_IO);
    cr_assert(strncmp(err.text, "cannot write: ", 14) == 0 && strlen(err.text) > 14);
    cr_assert_eq(hsd_fail_errno(NULL, EIO, "cannot write"), HSD_E_IO);
}

Test(status, a_second_failure_keeps_the_file_and_forgets_the_rest)
{
    hsd_error err;
    hsd_error_init(&err);
    hsd_fail_errno(&err, EIO, "cannot read");
    hsd_error_set_file(&err, "a.hs");
    hsd_error_set_hint(&err, "try %s", "again");
    cr_assert_str_eq(err.hint, "try again");
    hsd_error_set_file(&err, "b.hs");
    hsd_fail(&err, HSD_E_NOMEM, "out of memory");
    cr_assert_str_eq(err.file, "a.hs");
    cr_assert_str_empty(err.hint);
    cr_assert_eq(err.sys_errno, 0);
    cr_assert_eq(err.offset_bytes, HSD_NO_OFFSET);
}

Test(status, a_sentence_may_quote_the_one_before)
{
    hsd_error err;
    hsd_error_init(&err);
    hsd_fail(&err, HSD_E_CORRUPT, "bad sum");
    hsd_fail(&err, HSD_E_CORRUPT, "block 4: %s", err.text);
    cr_assert_str_eq(err.text, "block 4: bad sum");
    hsd_error_set_hint(&err, "use --partial");
    hsd_error_set_hint(&err, "%s or salvage", err.hint);
    cr_assert_str_eq(err.hint, "use --partial or salvage");
}

Test(status, what_is_too_long_is_cut_and_ends)
{
    hsd_error err;
    hsd_error_init(&err);
    char wide[2000];
    memset(wide, 'x', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    hsd_fail_errno(&err, EIO, "%s", wide);
    hsd_error_set_file(&err, wide);
    hsd_error_set_hint(&err, "%s", wide);
    cr_assert_eq(strlen(err.text), sizeof err.text - 1);
    cr_assert_eq(strlen(err.file), sizeof err.file - 1);
    cr_assert_eq(strlen(err.hint), sizeof err.hint - 1);
}

Test(status, naming_nothing_changes_nothing)
{
    hsd_error err;
    hsd_error_init(&err);
    hsd_error_set_file(&err, NULL);
    hsd_error_set_file(NULL, "a.hs");
    hsd_error_set_hint(NULL, "x");
    cr_assert_str_empty(err.file);
}

static hsd_status forwards(hsd_status status)
{
    HSD_TRY(status);
    return HSD_E_MISUSE;
}

Test(status, try_forwards_everything_but_ok)
{
    cr_assert_eq(forwards(HSD_OK), HSD_E_MISUSE);
    cr_assert_eq(forwards(HSD_END), HSD_END);
    cr_assert_eq(forwards(HSD_E_IO), HSD_E_IO);
}

Test(status, every_status_has_a_name_of_its_own)
{
    for (int a = HSD_E_MISUSE; a <= HSD_END; a++) {
        const char *name = hsd_status_name((hsd_status)a);
        cr_assert_str_neq(name, "unknown");
        for (int b = HSD_E_MISUSE; b < a; b++)
            cr_assert_str_neq(name, hsd_status_name((hsd_status)b));
    }
    cr_assert_str_eq(hsd_status_name((hsd_status)-99), "unknown");
}

/* A result that is a folder: whole or not there, and nothing of others is lost for it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/folder.h"
#include "unit/io/scratch.h"

TestSuite(folder, .init = scratch_make, .fini = scratch_remove);

static hsd_error err;

static hsd_status add(hsd_folder *folder, const char *name, const char *text)
{
    hsd_output *output;
    HSD_TRY(hsd_folder_add(folder, name, &output, &err));
    return hsd_output_write(output, text, strlen(text), &err);
}

static hsd_status make(const char *path, bool force, const char *text)
{
    hsd_folder folder;
    hsd_status status = hsd_folder_open(&folder, path, ".part", force, &err);
    if (status == HSD_OK) status = add(&folder, "one.part", text);
    if (status == HSD_OK) status = add(&folder, "two.part", "");
    if (status == HSD_OK) status = hsd_folder_finish(&folder, &err);
    hsd_folder_close(&folder);
    return status;
}

static void check_text(const char *name, const char *wanted)
{
    size_t size = 0;
    char *text = scratch_read(name, &size);
    cr_assert(text != NULL, "%s is not there", name);
    cr_assert_str_eq(text, wanted);
    free(text);
}

Test(folder, is_there_whole)
{
    struct stat info;
    cr_assert_eq(make(scratch_path("out"), false, "first"), HSD_OK, "%s", err.text);
    check_text("out/one.part", "first");
    check_text("out/two.part", "");
    cr_assert_eq(stat(scratch_path("out"), &info), 0);
    cr_assert_eq(info.st_mode & 07777, 0700);
    cr_assert_eq(stat(scratch_path("out/one.part"), &info), 0);
    cr_assert_eq(info.st_mode & 07777, 0600);
    cr_assert_eq(scratch_count(), 1);
    cr_assert_eq(make(scratch_path("slash/"), false, "x"), HSD_OK, "%s", err.text);
    check_text("slash/one.part", "x");
}

Test(folder, is_replaced_by_force_alone)
{
    cr_assert_eq(make(scratch_path("out"), false, "first"), HSD_OK);
    scratch_write("out/old.part", "old", 3);
    cr_assert_eq(make(scratch_path("out"), false, "second"), HSD_E_IO);
    cr_assert_eq(err.sys_errno, EEXIST);
    check_text("out/one.part", "first");
    cr_assert_eq(make(scratch_path("out"), true, "second"), HSD_OK, "%s", err.text);
    check_text("out/one.part", "second");
    cr_assert_neq(access(scratch_path("out/old.part"), F_OK), 0, "a table of the old result stands among the new ones");
    cr_assert_eq(scratch_count(), 1);
}

Test(folder, holds_nothing_of_others)
{
    cr_assert_eq(make(scratch_path("out"), false, "first"), HSD_OK);
    scratch_write("out/letter.txt", "dear", 4);
    cr_assert_eq(make(scratch_path("out"), true, "second"), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOTEMPTY);
    check_text("out/letter.txt", "dear");
    check_text("out/one.part", "first");
    scratch_write("file", "text", 4);
    cr_assert_eq(make(scratch_path("file"), true, "second"), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOTDIR);
    check_text("file", "text");
    cr_assert_eq(symlink(scratch_path("out"), scratch_path("link")), 0);
    cr_assert_eq(make(scratch_path("link"), true, "second"), HSD_E_IO);
    check_text("out/one.part", "first");
}

/* What stands beside it under the names of its files is none of its business. */
Test(folder, has_names_of_its_own)
{
    cr_assert_eq(mkdir(scratch_path("one.part"), 0700), 0);
    cr_assert_eq(mkfifo(scratch_path("two.part"), 0600), 0);
    cr_assert_eq(make(scratch_path("out"), false, "text"), HSD_OK, "%s", err.text);
    check_text("out/one.part", "text");
    cr_assert_eq(scratch_count(), 3);
}

Test(folder, leaves_nothing_when_dropped)
{
    hsd_folder folder;
    cr_assert_eq(hsd_folder_open(&folder, scratch_path("out"), ".part", false, &err), HSD_OK);
    cr_assert_eq(add(&folder, "one.part", "text"), HSD_OK);
    cr_assert_eq(scratch_count(), 0, "a name before the end");
    hsd_folder_close(&folder);
    cr_assert_eq(scratch_count(), 0);
    hsd_folder_close(&(hsd_folder){.path = NULL});
}

Test(folder, came_to_be_meanwhile)
{
    hsd_folder folder;
    cr_assert_eq(hsd_folder_open(&folder, scratch_path("out"), ".part", false, &err), HSD_OK);
    cr_assert_eq(add(&folder, "one.part", "text"), HSD_OK);
    cr_assert_eq(mkdir(scratch_path("out"), 0700), 0);
    cr_assert_eq(hsd_folder_finish(&folder, &err), HSD_E_IO);
    hsd_folder_close(&folder);
    cr_assert_eq(scratch_count(), 1);
    cr_assert_eq(rmdir(scratch_path("out")), 0, "files in a folder of others");
}

Test(folder, has_a_most)
{
    hsd_folder folder;
    hsd_output *output;
    cr_assert_eq(hsd_folder_open(&folder, scratch_path("out"), ".part", false, &err), HSD_OK);
    for (unsigned i = 0; i < HSD_FOLDER_FILES_MOST; i++) {
        char name[32];
        snprintf(name, sizeof name, "%u.part", i);
        cr_assert_eq(hsd_folder_add(&folder, name, &output, &err), HSD_OK);
    }
    cr_assert_eq(hsd_folder_add(&folder, "more.part", &output, &err), HSD_E_MISUSE);
    hsd_folder_close(&folder);
}

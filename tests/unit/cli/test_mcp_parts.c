/*
 * Parts of the server of the Model Context Protocol: JSON, pages, and files beneath folders, with openat2 and without.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcp/folders.h"
#include "mcp/json.h"
#include "mcp/pages.h"

/* ---- JSON */

static hsd_status read_text(mcp_message *message, char *bytes, hsd_error *err)
{
    hsd_error_init(err);
    return mcp_message_read(message, bytes, strlen(bytes), err);
}

Test(mcp_json, lays_values_flat_with_their_ends)
{
    char text[] = "{\"a\": [1, \"b\\u00e9\"], \"c\": {\"d\": null}}";
    mcp_message message;
    hsd_error err;
    cr_assert_eq(read_text(&message, text, &err), HSD_OK);
    cr_assert_eq(message.count, 9);
    const mcp_json *a = mcp_json_member(&message, &message.values[0], "a");
    cr_assert_eq(a->kind, MCP_JSON_ARRAY);
    const mcp_json *one = mcp_json_first(&message, a), *b = mcp_json_next(&message, a, one);
    cr_assert_eq(one->kind, MCP_JSON_NUMBER);
    cr_assert(mcp_json_is(b, "b\xc3\xa9"));
    cr_assert_null(mcp_json_next(&message, a, b));
    const mcp_json *c = mcp_json_member(&message, &message.values[0], "c");
    cr_assert_eq(mcp_json_member(&message, c, "d")->kind, MCP_JSON_NULL);
    cr_assert_null(mcp_json_member(&message, c, "a"));
    cr_assert_null(mcp_json_member(&message, NULL, "a"));
    mcp_message_release(&message);
}

Test(mcp_json, says_what_is_wrong_and_where)
{
    static const struct {
        const char *text;
        uint64_t at;
    } cases[] = {{"", 0},      {"[1,]", 3},     {"[1 2]", 3},    {"{\"a\" 1}", 5},
                 {"{1:2}", 1}, {"\"a", 0},      {"\"\\x\"", 2},  {"01", 1},
                 {"1.", 0},    {"1e", 0},       {"-", 0},        {"tru", 0},
                 {"[1] 2", 4}, {"\"\x01\"", 1}, {"\"\xff\"", 1}, {"[\"\xc0\xaf\"]", 2},
                 {"nul", 0},   {"\"\\u12\"", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        mcp_message message;
        hsd_error err;
        snprintf(text, sizeof text, "%s", cases[i].text);
        cr_assert_eq(read_text(&message, text, &err), HSD_E_CORRUPT, "%s", cases[i].text);
        cr_assert_eq(err.offset_bytes, cases[i].at, "%s: %llu", cases[i].text, (unsigned long long)err.offset_bytes);
        mcp_message_release(&message);
    }
}

/* ---- pages */

Test(mcp_pages, go_on_below_the_heading_and_lose_nothing)
{
    mcp_pages pages = {0};
    mcp_text text = {0}, page = {0};
    unsigned lines = 0;
    mcp_put(&text, "Sentence.\n\nNAME  BYTES\n");
    for (unsigned i = 0; i < 100; i++)
        mcp_put_format(&text, "row%02u  %u\n", i, i);
    unsigned handle = mcp_pages_begin(&pages, &text, 300, &page);
    cr_assert_neq(handle, 0);
    while (true) {
        cr_assert_leq(mcp_string_bytes(page.data, page.size), 300);
        cr_assert_not_null(strstr(page.data, "NAME  BYTES\n"));
        for (const char *at = page.data; (at = strstr(at, "row")) != NULL; at++)
            lines++;
        mcp_text_release(&page);
        if (handle == 0) break;
        handle = mcp_pages_next(mcp_pages_find(&pages, handle), 300, &page);
    }
    cr_assert_eq(lines, 100);
    cr_assert_null(mcp_pages_find(&pages, 1));
    mcp_pages_release(&pages);
}

/* ---- folders */

static char folder[] = "/tmp/hsdiff-mcp-XXXXXX";

static void make_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_link(const char *target, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert_eq(symlink(target, path), 0);
}

static void make_folder(void)
{
    char path[256];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/allowed", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/allowed/sub", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    make_file("secret", "secret");
    make_file("allowed/file", "file");
    make_file("allowed/sub/deep", "deep");
    make_link("../secret", "allowed/out");
    make_link("/etc", "allowed/etc");
    make_link("sub/deep", "allowed/in");
    make_link("sub", "allowed/sublink");
    snprintf(path, sizeof path, "%s/allowed/pipe", folder);
    cr_assert_eq(mkfifo(path, 0600), 0);
}

static void remove_folder(void)
{
    static const char *const names[] = {"secret",      "allowed/file", "allowed/sub/deep", "allowed/out",
                                        "allowed/etc", "allowed/in",   "allowed/sublink",  "allowed/pipe"};
    static const char *const folders[] = {"allowed/sub", "allowed", ""};
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        cr_assert_eq(unlink(path), 0, "%s", path);
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        cr_assert_eq(rmdir(path), 0, "%s", path);
    }
}

static bool can_open(const mcp_folders *folders, const char *path)
{
    struct stat what;
    hsd_error err;
    int fd;
    hsd_error_init(&err);
    const bool is_open = mcp_folders_open_file(folders, path, &fd, &what, &err) == HSD_OK;
    cr_assert(is_open == (fd >= 0));
    cr_assert(is_open || (err.text[0] && err.hint[0] && err.file[0]), "%s", path);
    if (is_open) close(fd);
    return is_open;
}

static void check_folders(bool steps_alone)
{
    char allowed[256], path[300];
    hsd_error err;
    mcp_folders folders;
    hsd_error_init(&err);
    snprintf(allowed, sizeof allowed, "%s/allowed", folder);
    cr_assert_eq(mcp_folders_open(&folders, (const char *const[]){allowed}, 1, &err), HSD_OK, "%s", err.text);
    folders.steps_alone = steps_alone;
    static const char *const fine[] = {"file", "sub/deep", "./file", "sub//deep", "./sub/./deep"};
    static const char *const wrong[] = {
        "out", "etc/passwd",  "../secret", "sub/../../secret",  "pipe",   "sub", ".",
        "..",  "/etc/passwd", "none",      "/proc/self/status", "file/x", "/",   "sub/none"};
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
        cr_assert(can_open(&folders, fine[i]), "%s", fine[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_assert_not(can_open(&folders, wrong[i]), "%s", wrong[i]);
    cr_assert_eq(can_open(&folders, "in"), !steps_alone); /* a link that stays inside needs the kernel's help */
    cr_assert_eq(can_open(&folders, "sublink/deep"), !steps_alone);
    snprintf(path, sizeof path, "%s/file", allowed);
    cr_assert(can_open(&folders, path));
    snprintf(path, sizeof path, "%sx/file", allowed);
    cr_assert_not(can_open(&folders, path));
    snprintf(path, sizeof path, "%s/../secret", allowed);
    cr_assert_not(can_open(&folders, path));
    mcp_folders_close(&folders);
}

Test(mcp_folders, lead_nowhere_else)
{
    make_folder();
    check_folders(false);
    check_folders(true);
    remove_folder();
}

Test(mcp_folders, take_new_files_beneath_them_alone)
{
    hsd_error err;
    mcp_folders folders;
    const char *name;
    int fd;
    hsd_error_init(&err);
    make_folder();
    char allowed[256];
    snprintf(allowed, sizeof allowed, "%s/allowed", folder);
    cr_assert_eq(mcp_folders_open(&folders, (const char *const[]){allowed}, 1, &err), HSD_OK);
    cr_assert_eq(mcp_folders_open_parent(&folders, "sub/new.hs", &fd, &name, &err), HSD_OK);
    cr_assert_str_eq(name, "new.hs");
    close(fd);
    cr_assert_eq(mcp_folders_open_parent(&folders, "new.hs", &fd, &name, &err), HSD_OK);
    close(fd);
    static const char *const wrong[] = {"../new.hs", "etc/new.hs", "/tmp/new.hs", "none/new.hs",
                                        "sub/",      "..",         "-o.hs",       "file/new.hs"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_assert_neq(mcp_folders_open_parent(&folders, wrong[i], &fd, &name, &err), HSD_OK, "%s", wrong[i]);
    mcp_folders_close(&folders);
    remove_folder();
}

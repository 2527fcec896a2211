/*
 * list_captures: the files below the allowed folders that hsdiff can read, the youngest first.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/import.h>
#include <hsdiff/report.h>

#include "tools.h"

#define FOUND_MOST   500u
#define ENTRIES_MOST 20000u
#define DEPTH_MOST   4u
#define FOLDERS_LEFT 256u /* folders that wait to be looked into */

typedef struct found_file {
    char *path; /* owned */
    uint64_t bytes;
    int64_t changed_ns;
} found_file;

typedef struct search {
    mcp_call *call;
    size_t folder;
    const char *text; /* that a name must have, "" = any */
    char *waiting[FOLDERS_LEFT];
    size_t waiting_count, entries;
    found_file found[FOUND_MOST];
    size_t count;
    bool is_cut;
} search;

/* ---- which files */

static bool has_suffix(const char *name, const char *suffix, size_t size)
{
    const size_t length = strlen(name);
    return size > 0 && length > size && memcmp(name + length - size, suffix, size) == 0;
}

/* By the suffix that importers name: which of them it is, its bytes say when it is opened. */
static bool has_known_suffix(const char *name)
{
    static const char own[] = ".hs .sqlite .core";
    const char *suffixes = own;
    for (size_t i = 0; suffixes; i++) {
        for (const char *at = suffixes; *at;) {
            const size_t size = strcspn(at, " ");
            if (has_suffix(name, at, size)) return true;
            at += size + strspn(at + size, " ");
        }
        suffixes = hsd_importer_get(i) ? hsd_importer_get(i)->suffixes : NULL;
    }
    return strncmp(name, "core.", 5) == 0;
}

static bool joins_path(char *path, size_t capacity, const char *folder, const char *name)
{
    const int size = snprintf(path, capacity, "%s%s%s", folder, *folder ? "/" : "", name);
    return size > 0 && (size_t)size < capacity;
}

/* Files of the first folder are told as they can be given: from there on; of others from the root on. */
static void take_file(search *s, const char *path, const struct stat *what)
{
    const mcp_folders *folders = &s->call->state->folders;
    char whole[MCP_PATH_BYTES];
    if (s->count == FOUND_MOST) {
        s->is_cut = true;
        return;
    }
    if (s->folder > 0 && !joins_path(whole, sizeof whole, folders->list[s->folder].real, path)) return;
    char *copy = strdup(s->folder > 0 ? whole : path);
    if (!copy) return;
    s->found[s->count++] =
        (found_file){copy, (uint64_t)what->st_size, (int64_t)what->st_mtim.tv_sec * 1000000000 + what->st_mtim.tv_nsec};
}

static void take_entry(search *s, int fd, const char *folder, const char *name)
{
    char path[MCP_PATH_BYTES];
    struct stat what;
    if (!joins_path(path, sizeof path, folder, name)) return;
    if (fstatat(fd, name, &what, AT_SYMLINK_NOFOLLOW) != 0) return;
    size_t depth = 0;
    for (const char *at = path; *at; at++)
        depth += *at == '/';
    if (S_ISDIR(what.st_mode) && depth < DEPTH_MOST) {
        if (s->waiting_count == FOLDERS_LEFT)
            s->is_cut = true;
        else if ((s->waiting[s->waiting_count] = strdup(path)) != NULL)
            s->waiting_count++;
    }
    if (S_ISREG(what.st_mode) && has_known_suffix(name) && strstr(path, s->text)) take_file(s, path, &what);
}

static void look_into(search *s, const char *folder)
{
    const int fd = mcp_folders_open_below(&s->call->state->folders, s->folder, folder);
    DIR *listing = fd >= 0 ? fdopendir(fd) : NULL;
    if (!listing) {
        if (fd >= 0) close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        if (++s->entries > ENTRIES_MOST) {
            s->is_cut = true;
            break;
        }
        /* nor what is hidden: it is no place for captures, and often large */
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "node_modules") != 0)
            take_entry(s, dirfd(listing), folder, entry->d_name);
    }
    closedir(listing);
}

static void search_folders(search *s)
{
    for (s->folder = 0; s->folder < s->call->state->folders.count; s->folder++) {
        look_into(s, "");
        while (s->waiting_count > 0) {
            char *folder = s->waiting[--s->waiting_count];
            look_into(s, folder);
            free(folder);
        }
    }
}

/* ---- the answer */

static int compare_files(const void *a, const void *b)
{
    const found_file *one = a, *other = b;
    if (one->changed_ns != other->changed_ns) return one->changed_ns < other->changed_ns ? 1 : -1;
    return strcmp(one->path, other->path);
}

static void put_files(mcp_call *call, const search *s)
{
    char size[HSD_NUMBER_CHARS], time[HSD_NUMBER_CHARS];
    mcp_put_format(&call->text, "%s%zu file%s that hsdiff may be able to read, the youngest first.%s\n\n",
                   s->is_cut ? "More than " : "", s->count, s->count == 1 ? "" : "s",
                   s->is_cut ? " Not all was looked at: give text, a part of the name." : "");
    if (s->count > 0) mcp_put(&call->text, "CHANGED                    BYTES  FILE\n");
    for (size_t i = 0; i < s->count; i++) {
        mcp_put_format(&call->text, "%s  %10s  ", hsd_format_time(time, (uint64_t)s->found[i].changed_ns),
                       hsd_format_bytes(size, s->found[i].bytes));
        mcp_put_name(&call->text, (hsd_text){s->found[i].path, strlen(s->found[i].path)}, MCP_PATH_BYTES);
        mcp_put(&call->text, "\n");
    }
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The youngest before the first that has another name: sums of a capture (hsdiff watch) have the name of the capture.
 */
static size_t find_other(const search *s)
{
    for (size_t i = 1; i < s->count; i++)
        if (strcmp(name_of(s->found[i].path), name_of(s->found[0].path)) != 0) return i;
    return 0;
}

static void put_next_comparison(mcp_call *call, const search *s)
{
    mcp_text pair = {.most = 600};
    const size_t other = find_other(s);
    if (other == 0) {
        if (mcp_captures_are_allowed(call)) mcp_put_next(call, "list_processes", NULL, "what can be captured");
        return;
    }
    mcp_put_captures(&pair, (const char *const[]){s->found[other].path, s->found[0].path}, 2);
    if (!pair.is_cut) mcp_put_next(call, "compare", &pair, "if these are of one program, the older first");
    mcp_text_release(&pair);
}

static const char *const arguments[] = {"text", NULL};

static hsd_status run_list_captures(mcp_call *call, hsd_error *err)
{
    const char *text;
    HSD_TRY(mcp_take_text(call, "text", false, &text, err));
    search *s = calloc(1, sizeof *s);
    if (!s) return hsd_fail(err, HSD_E_NOMEM, "out of memory: a list of files");
    s->call = call;
    s->text = text ? text : "";
    search_folders(s);
    qsort(s->found, s->count, sizeof s->found[0], compare_files);
    put_files(call, s);
    mcp_put_fact_number(call, "files", (int64_t)s->count);
    put_next_comparison(call, s);
    for (size_t i = 0; i < s->count; i++)
        free(s->found[i].path);
    free(s);
    return HSD_OK;
}

const mcp_tool mcp_tool_list_captures = {
    .name = "list_captures",
    .title = "List captures and heap dumps",
    .description = "Lists the files that can be compared, below the folders that this server may read, the youngest "
                   "first. Names are given to the other tools as they stand there.",
    .schema = "\"text\":{\"type\":\"string\",\"description\":\"only files whose path has this in it\"}}",
    .arguments = arguments,
    .next = "list_captures {}",
    .run = run_list_captures,
};

/*
 * Captures that are kept open: three heaps at most, the one that was asked least recently makes room.
 */
#include "heaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX_BYTES 100 /* enough to know a database */

/* ---- one file */

static bool is_database(int fd)
{
    char prefix[PREFIX_BYTES];
    return pread(fd, prefix, sizeof prefix, 0) == (ssize_t)sizeof prefix && hsd_sql_probe(prefix, sizeof prefix);
}

/* What a core names besides itself. */
static int open_named(void *context, const char *path)
{
    struct stat what;
    hsd_error refused;
    int fd;
    hsd_error_init(&refused);
    if (mcp_folders_open_file(context, path, &fd, &what, &refused) == HSD_OK) return fd;
    errno = refused.sys_errno != 0 ? refused.sys_errno : EACCES;
    return -1;
}

hsd_status mcp_heap_file_open(mcp_heaps *heaps, mcp_heap_file *file, const char *path, bool partial, hsd_error *err)
{
    const hsd_import_options import = {.struct_bytes = sizeof import,
                                       .salvage = partial,
                                       .compression = 1,
                                       .with_digest = true,
                                       .open_file = open_named,
                                       .open_context = heaps->folders};
    const hsd_open_options options = {.damage = partial ? HSD_DAMAGE_SKIP : HSD_DAMAGE_REFUSE, .import = &import};
    hsd_import_result imported;
    *file = (mcp_heap_file){.fd = -1};
    HSD_TRY(mcp_folders_open_file(heaps->folders, path, &file->fd, &file->what, err));
    file->path = strdup(path);
    hsd_status status = file->path ? HSD_OK : hsd_fail(err, HSD_E_NOMEM, "out of memory: the name of a file");
    if (status == HSD_OK && !is_database(file->fd))
        status = hsd_open_fd(&file->capture, file->fd, file->path, &options, heaps->run, &imported, err);
    if (status == HSD_OK) return HSD_OK;
    hsd_error_set_file(err, path);
    mcp_heap_file_close(file);
    return status;
}

void mcp_heap_file_close(mcp_heap_file *file)
{
    hsd_capture_close(file->capture);
    if (file->fd > 0) close(file->fd); /* 0 is standard input */
    free(file->path);
    *file = (mcp_heap_file){.fd = -1};
}

/* ---- those that are kept */

static void close_heap(mcp_heap *heap)
{
    hsd_sql_close(heap->sql);
    hsd_browse_close(heap->browse);
    for (size_t i = 0; i < heap->count; i++)
        mcp_heap_file_close(&heap->files[i]);
    *heap = (mcp_heap){0};
}

void mcp_heaps_close(mcp_heaps *heaps)
{
    for (size_t i = 0; i < MCP_HEAPS_KEPT; i++)
        close_heap(&heaps->list[i]);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* A pair that has the file may stand for it: the younger side first. */
static bool finds_heap(mcp_heap *heap, const struct stat *whats, size_t count, bool partial, bool may_be_side,
                       mcp_heap_view *out)
{
    if (heap->count < count || heap->is_partial != partial || (heap->count > count && !may_be_side)) return false;
    out->heap = heap;
    if (count == 2) {
        out->side = 1;
        return is_same_file(&whats[0], &heap->files[0].what) && is_same_file(&whats[1], &heap->files[1].what);
    }
    for (size_t side = heap->count; side-- > 0;) {
        out->side = side;
        if (is_same_file(&whats[0], &heap->files[side].what)) return true;
    }
    return false;
}

static bool finds_any(mcp_heaps *heaps, const struct stat *whats, size_t count, bool partial, bool may_be_side,
                      mcp_heap_view *out)
{
    for (size_t exact = 0; exact < 2; exact++) /* one by itself before a side of a pair */
        for (size_t i = 0; i < MCP_HEAPS_KEPT; i++)
            if ((exact == 1 || heaps->list[i].count == count) &&
                finds_heap(&heaps->list[i], whats, count, partial, may_be_side, out))
                return true;
    return false;
}

static mcp_heap *make_place(mcp_heaps *heaps)
{
    mcp_heap *oldest = &heaps->list[0];
    for (size_t i = 0; i < MCP_HEAPS_KEPT; i++) {
        if (heaps->list[i].count == 0) return &heaps->list[i];
        if (heaps->list[i].used < oldest->used) oldest = &heaps->list[i];
    }
    close_heap(oldest);
    return oldest;
}

hsd_status mcp_heaps_open(mcp_heaps *heaps, const char *const *paths, size_t count, bool partial, bool may_be_side,
                          mcp_heap_view *out, hsd_error *err)
{
    struct stat whats[2];
    int fd;
    for (size_t i = 0; i < count; i++) {
        HSD_TRY(mcp_folders_open_file(heaps->folders, paths[i], &fd, &whats[i], err));
        close(fd);
    }
    if (!finds_any(heaps, whats, count, partial, may_be_side, out)) {
        mcp_heap *heap = make_place(heaps);
        heap->is_partial = partial;
        for (size_t i = 0; i < count; i++) {
            const hsd_status status = mcp_heap_file_open(heaps, &heap->files[i], paths[i], partial, err);
            if (status != HSD_OK) {
                close_heap(heap);
                return status;
            }
            heap->count = i + 1;
        }
        *out = (mcp_heap_view){heap, count - 1};
    }
    out->heap->used = ++heaps->clock;
    return HSD_OK;
}

/* ---- what is asked of them */

static hsd_status refuse_database(const mcp_heap_file *file, hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "is a database that hsdiff exported: it can only be asked in SQL");
    hsd_error_set_file(err, file->path);
    hsd_error_set_hint(err, "use the tool sql");
    return HSD_E_UNSUPPORTED;
}

hsd_status mcp_heaps_browse(mcp_heaps *heaps, mcp_heap *heap, hsd_error *err)
{
    const hsd_diff_options diff = {.partial = heap->is_partial};
    const hsd_browse_options wanted = {.diff = &diff};
    hsd_capture *captures[2] = {heap->files[0].capture, heap->files[1].capture};
    if (heap->browse) return HSD_OK;
    for (size_t i = 0; i < heap->count; i++)
        if (!captures[i]) return refuse_database(&heap->files[i], err);
    return hsd_browse_open(&heap->browse, captures, heap->count, &wanted, heaps->run, err);
}

hsd_status mcp_heaps_ask(mcp_heaps *heaps, mcp_heap *heap, hsd_error *err)
{
    const hsd_sql_options options = {.partial = heap->is_partial};
    mcp_heap_file *last = &heap->files[heap->count - 1];
    if (heap->sql) return HSD_OK;
    if (!last->capture && heap->count == 1) return hsd_sql_open_file(&heap->sql, last->fd, last->path, heaps->run, err);
    for (size_t i = 0; i < heap->count; i++)
        if (!heap->files[i].capture) return refuse_database(&heap->files[i], err);
    return hsd_sql_open(&heap->sql, heap->count > 1 ? heap->files[0].capture : NULL, last->capture, &options,
                        heaps->run, err);
}

/*
 * A series of captures.
 */
#include "series.h"

#define MOST_OPEN 3u

typedef struct opened { /* by the rest of their places */
    mcp_heaps *heaps;
    const char *const *paths;
    bool partial;
    mcp_heap_file files[MOST_OPEN];
} opened;

static hsd_status need_capture(mcp_heap_file *file, hsd_error *err)
{
    if (file->capture) return HSD_OK;
    mcp_heap_file_close(file);
    hsd_fail(err, HSD_E_UNSUPPORTED, "a database that hsdiff exported can only be asked in SQL");
    hsd_error_set_hint(err, "use the tool sql");
    return HSD_E_UNSUPPORTED;
}

static hsd_status open_one_capture(void *context, size_t i, hsd_capture **out, hsd_error *err)
{
    opened *all = context;
    mcp_heap_file *file = &all->files[i % MOST_OPEN];
    HSD_TRY(mcp_heap_file_open(all->heaps, file, all->paths[i], all->partial, err));
    HSD_TRY(need_capture(file, err));
    *out = file->capture;
    return HSD_OK;
}

static void close_one_capture(void *context, size_t i, hsd_capture *capture)
{
    opened *all = context;
    (void)capture;
    mcp_heap_file_close(&all->files[i % MOST_OPEN]);
}

/* Before hours of work: what is not there at all. */
static hsd_status find_captures(mcp_call *call, const char *const *paths, size_t count, hsd_error *err)
{
    for (size_t i = 0; i < count; i++) {
        mcp_heap_file file = {.fd = -1};
        HSD_TRY(mcp_folders_open_file(&call->state->folders, paths[i], &file.fd, &file.what, err));
        mcp_heap_file_close(&file);
    }
    return HSD_OK;
}

hsd_status mcp_series_run(mcp_call *call, const char *const *paths, size_t count, uint32_t warmup, bool partial,
                          uint64_t noise_bytes, hsd_series **out, hsd_error *err)
{
    opened all = {.heaps = &call->state->heaps, .paths = paths, .partial = partial};
    const hsd_series_source source = {
        .count = count, .open = open_one_capture, .close = close_one_capture, .context = &all};
    const hsd_series_options wanted = {.warmup = warmup, .noise_bytes = noise_bytes, .partial = partial};
    HSD_TRY(find_captures(call, paths, count, err));
    const hsd_status status = hsd_series_run(out, &source, &wanted, &call->state->run, err);
    for (size_t i = 0; i < 2; i++)
        mcp_heap_file_close(&all.files[i]);
    return status;
}

hsd_status mcp_series_ask(mcp_call *call, hsd_series *series, const char *const *paths, bool partial, hsd_error *err)
{
    const hsd_diff_options wanted = {.partial = partial};
    mcp_heap_file files[2] = {{.fd = -1}, {.fd = -1}};
    size_t places[2];
    hsd_diff *pair = NULL;
    hsd_error failed;
    hsd_error_init(&failed);
    if (!hsd_series_find_pair(series, &places[0], &places[1])) return HSD_OK;
    hsd_status status = HSD_OK;
    for (size_t i = 0; i < 2 && status == HSD_OK; i++)
        status = mcp_heap_file_open(&call->state->heaps, &files[i], paths[places[i]], partial, &failed);
    if (status == HSD_OK)
        status = hsd_diff_run(&pair, files[0].capture, files[1].capture, &wanted, &call->state->run, &failed);
    for (size_t i = 0; i < 2; i++)
        mcp_heap_file_close(&files[i]);
    if (status == HSD_OK) return hsd_series_take_pair(series, pair, places[0], places[1], err);
    if (status == HSD_E_CANCELLED || status == HSD_E_NOMEM) {
        if (err) *err = failed;
        return status;
    }
    mcp_put_format(&call->state->notes, "Note: who holds what grows was not asked: %s\n", failed.text);
    return HSD_OK;
}

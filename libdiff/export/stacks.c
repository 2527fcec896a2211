/* A heap as weighted stacks: which kind, read, put in order. See stacks.h. */
#include "export/stacks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "export/stacks_tables.h"

/* of the memory, for what is gathered; putting it in order takes less than as much again */
#define TABLE_SHARE 3u

static bool has_sites(hsd_capture *capture) { return capture != NULL && hsd_capture_get_info(capture)->sites > 0; }

static hsd_status choose_export_stack(hsd_export *x, bool *are_paths, hsd_error *err)
{
    const bool has_any = has_sites(x->before) || has_sites(x->after);
    const hsd_export_stacks wanted = x->options->stacks;
    *are_paths = wanted == HSD_STACKS_PATHS || (wanted == HSD_STACKS_AUTO && !has_any);
    if (*are_paths || has_any) return HSD_OK;
    hsd_error_set_file(err, hsd_capture_get_info(x->after)->path);
    hsd_fail(err, HSD_E_UNSUPPORTED, "it does not say where objects were allocated");
    hsd_error_set_hint(err, "make stacks of what holds the objects instead: --stacks paths");
    return HSD_E_UNSUPPORTED;
}

static hsd_status gather_export_stack(hsd_stacks *stacks, hsd_export *x, hsd_error *err)
{
    hsd_stack_tables *tables = stacks->tables;
    if (stacks->are_paths)
        return stacks->is_growth ? hsd_stacks_of_grown_paths(tables, x, err) : hsd_stacks_of_paths(tables, x, err);
    if (stacks->is_growth) HSD_TRY(hsd_stacks_of_sites(tables, x, x->before, HSD_STACK_BEFORE, err));
    return hsd_stacks_of_sites(tables, x, x->after, HSD_STACK_AFTER, err);
}

static hsd_status make_export_stack(hsd_stacks *stacks, hsd_export *x, const hsd_stacks_form *form, hsd_error *err)
{
    HSD_TRY(choose_export_stack(x, &stacks->are_paths, err));
    HSD_TRY(hsd_stack_tables_init(stacks->tables, form, x->memory_bytes / TABLE_SHARE, err));
    HSD_TRY(gather_export_stack(stacks, x, err));
    return hsd_stack_tables_order(stacks->tables, stacks, err);
}

hsd_status hsd_stacks_make(hsd_stacks **out, hsd_export *x, const hsd_stacks_form *form, hsd_error *err)
{
    hsd_stacks *stacks = calloc(1, sizeof *stacks);
    *out = NULL;
    if (stacks != NULL) stacks->tables = calloc(1, sizeof *stacks->tables);
    if (stacks == NULL || stacks->tables == NULL) {
        free(stacks);
        return hsd_fail_nomem(err, "stacks");
    }
    stacks->is_growth = x->before != NULL;
    const hsd_status status = make_export_stack(stacks, x, form, err);
    if (status == HSD_OK)
        *out = stacks;
    else
        hsd_stacks_free(stacks);
    return status;
}

void hsd_stacks_free(hsd_stacks *stacks)
{
    if (stacks == NULL) return;
    hsd_stack_tables_release(stacks->tables);
    free(stacks->tables);
    free(stacks->texts);
    free(stacks->frames);
    free(stacks->nodes);
    free(stacks->samples);
    free(stacks);
}

int64_t hsd_stack_growth(uint64_t before, uint64_t after)
{
    const uint64_t change = before < after ? after - before : before - after;
    const int64_t size = (int64_t)hsd_min_u64(change, INT64_MAX);
    return before < after ? size : -size;
}

uint32_t hsd_stack_unwind(const hsd_stacks *stacks, uint32_t node, uint32_t *frames)
{
    const uint32_t depth = stacks->nodes[node].depth;
    for (uint32_t at = depth; at > 0; at--) {
        frames[at - 1] = stacks->nodes[node].frame;
        node = stacks->nodes[node].parent;
    }
    return depth;
}

hsd_status hsd_stack_frame_name(const hsd_stacks *stacks, uint32_t frame, hsd_buffer *out, hsd_error *err)
{
    static const char unknown[] = "(unknown)";
    const hsd_stack_frame *f = &stacks->frames[frame];
    const hsd_bytes function = stacks->texts[f->function], file = stacks->texts[f->file];
    char line[16];
    if (function.size > 0) return hsd_buffer_append(out, function.data, function.size, err);
    if (file.size == 0) return hsd_buffer_append(out, unknown, sizeof unknown - 1, err);
    HSD_TRY(hsd_buffer_append(out, file.data, file.size, err));
    const int size = snprintf(line, sizeof line, ":%u", f->line);
    return f->line == 0 ? HSD_OK : hsd_buffer_append(out, line, (size_t)size, err);
}

void hsd_stacks_tell(uint64_t rows, hsd_export_result *result)
{
    result->rows = rows;
    result->row_name = "stack";
}

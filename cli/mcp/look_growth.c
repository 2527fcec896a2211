/*
 * Holders of a pair, and the ways to all objects of a type.
 */
#include <inttypes.h>
#include <string.h>

#include <hsdiff/report.h>
#include <hsdiff/top.h>

#include "look.h"
#include "words.h"

#define WIDTH 110u

/* ---- holders */

static void put_holder_line(mcp_text *text, const hsd_holder *holder, int64_t growth)
{
    char bytes[HSD_NUMBER_CHARS], objects[HSD_NUMBER_CHARS];
    const int64_t share = growth > 0 ? holder->growth_bytes * 100 / growth : 0;
    mcp_put_format(text, "%12s  %10s  %4" PRId64 "%%  ", hsd_format_bytes_signed(bytes, holder->growth_bytes),
                   hsd_format_count_signed(objects, holder->net_objects), share);
    mcp_put_holder(text, holder);
    mcp_put(text, "\n");
    for (size_t i = 0; i < holder->type_count && i < 3; i++) {
        mcp_put_format(text, "%14s%s  %s ", "", hsd_format_count_signed(objects, holder->types[i].net_objects),
                       hsd_format_bytes_signed(bytes, holder->types[i].net_bytes));
        mcp_put_name(text, holder->types[i].type, MCP_NAME_BYTES);
        mcp_put(text, "\n");
    }
}

hsd_status mcp_look_holders(const mcp_look *look, hsd_error *err)
{
    const hsd_diff *diff = hsd_browse_diff(look->browse);
    mcp_text *text = &look->call->text;
    if (!diff || look->path_count < 2) {
        hsd_fail(err, HSD_E_MISUSE, "holders are of two captures: what holds the growth between them");
        hsd_error_set_hint(err, "give two captures; of one, look with \"what\":\"roots\"");
        return HSD_E_MISUSE;
    }
    if (!diff->has_holders)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "nothing can be said of holders: %.*s", (int)diff->why_no_holders.size,
                        diff->why_no_holders.data);
    const size_t from = look->from < diff->holder_count ? (size_t)look->from : diff->holder_count;
    const size_t left = diff->holder_count - from, count = look->count < left ? (size_t)look->count : left;
    const int64_t growth = (int64_t)(diff->total.after.bytes - diff->total.before.bytes);
    mcp_put_format(text, "%zu holders, those that hold most of the growth first; these are from %zu on.\n\n",
                   diff->holder_count, from + 1);
    mcp_put(text, "GROWTH          OBJECTS  SHARE  HOLDER, AND BELOW IT THE TYPES THAT IT HOLDS MORE OF\n");
    for (size_t i = from; i < from + count; i++)
        put_holder_line(text, &diff->holders[i], growth);
    mcp_put_fact_number(look->call, "total", (int64_t)diff->holder_count);
    return HSD_OK;
}

/* ---- paths */

static hsd_status tell_paths(const mcp_look *look, const hsd_paths *paths, hsd_error *err)
{
    const hsd_report_options options = {.top = (size_t)look->count, .width = WIDTH};
    mcp_text report = {0};
    HSD_TRY(hsd_report_format_find("text")->write_paths(paths, &options, mcp_text_write, &report, err));
    const hsd_status status = mcp_put_report(look->call, &report, NULL);
    mcp_text_release(&report);
    mcp_put_fact_number(look->call, "paths", (int64_t)(paths->row_count + paths->other_rows));
    mcp_put_fact_number(look->call, "objects", (int64_t)paths->live.objects);
    return status;
}

hsd_status mcp_look_paths(const mcp_look *look, hsd_error *err)
{
    hsd_paths *paths;
    const hsd_paths_options options = {.type = look->type,
                                       .id = look->id,
                                       .is_id = look->is_id,
                                       .most = (size_t)look->count,
                                       .partial = look->heap->is_partial};
    if (!look->type && !look->is_id) {
        hsd_fail(err, HSD_E_MISUSE, "paths to what? the argument type or id is missing");
        hsd_error_set_hint(err, "type is a name or a pattern with *; id is that of an object, such as 0x1f");
        return HSD_E_MISUSE;
    }
    HSD_TRY(hsd_paths_run(&paths, look->heap->files[look->side].capture, &options, &look->call->state->run, err));
    const hsd_status status = tell_paths(look, paths, err);
    hsd_paths_free(paths);
    return status;
}

/*
 * compare: what grew from one capture to the next, or over many, and what keeps it in memory.
 */
#include <stdio.h>
#include <string.h>

#include <hsdiff/report.h>

#include "series.h"
#include "tools.h"
#include "words.h"

#define ROWS  6u
#define WIDTH 110u

static const hsd_report_format *text_format(void) { return hsd_report_format_find("text"); }

/* ---- two */

static int64_t percent_of(int64_t part, int64_t whole) { return whole > 0 ? (part * 100 + whole / 2) / whole : 0; }

static void put_holder_facts(mcp_call *call, const hsd_diff *diff)
{
    const hsd_holder *held[HSD_MOST_HELD];
    const int64_t growth = (int64_t)(diff->total.after.bytes - diff->total.before.bytes);
    const size_t count = hsd_diff_most_held(diff, growth, held);
    mcp_put_fact(call, "holders");
    mcp_put(&call->facts, "[");
    for (size_t i = 0; i < count && i < 2; i++) {
        mcp_text place = {.most = 400};
        mcp_put_holder(&place, held[i]);
        mcp_put(&call->facts, i > 0 ? ",{\"place\":" : "{\"place\":");
        mcp_put_string(&call->facts, place.data ? place.data : "", place.size < 120 ? place.size : 120);
        mcp_put_format(&call->facts, ",\"growth_bytes\":%lld,\"share_percent\":%lld}", (long long)held[i]->growth_bytes,
                       (long long)percent_of(held[i]->growth_bytes, growth));
        mcp_text_release(&place);
    }
    mcp_put(&call->facts, "]");
}

static void put_diff_facts(mcp_call *call, const hsd_diff *diff)
{
    mcp_put_fact_number(call, "before_bytes", (int64_t)diff->total.before.bytes);
    mcp_put_fact_number(call, "after_bytes", (int64_t)diff->total.after.bytes);
    mcp_put_fact_number(call, "growth_objects", (int64_t)(diff->total.after.objects - diff->total.before.objects));
    if (diff->has_holders) put_holder_facts(call, diff);
}

/* The type that a holder keeps most new objects of; what grew most where holders say nothing. */
static hsd_text type_to_look_at(const hsd_diff *diff)
{
    const hsd_holder *held[HSD_MOST_HELD];
    const int64_t growth = (int64_t)(diff->total.after.bytes - diff->total.before.bytes);
    const bool has_one = hsd_diff_most_held(diff, growth, held) > 0;
    for (size_t i = 0; has_one && i < held[0]->edge_count; i++) /* elements of a container, the first below it */
        if (held[0]->edges[i].after.objects > held[0]->edges[i].before.objects) return held[0]->edges[i].type;
    return has_one && held[0]->type_count > 0 ? held[0]->types[0].type
           : diff->type_count > 0             ? diff->types[0].name
                                              : (hsd_text){"", 0};
}

static void put_next_calls(mcp_call *call, const hsd_diff *diff, const char *const *paths)
{
    const hsd_text type = type_to_look_at(diff);
    mcp_text arguments = {.most = 600};
    mcp_put_captures(&arguments, paths, 2);
    mcp_put(&arguments, ",\"what\":\"objects\",\"type\":");
    mcp_put_string(&arguments, type.data, type.size);
    if (hsd_new_is_known(diff)) mcp_put(&arguments, ",\"state\":\"new\"");
    if (diff->has_holders && type.size > 0 && !arguments.is_cut)
        mcp_put_next(call, "look", &arguments, "objects to look at, with ids");
    mcp_text_release(&arguments);
    mcp_put_captures(&arguments, paths, 2);
    mcp_put(&arguments, ",\"what\":\"holders\"");
    if (diff->has_holders && diff->holder_count > 1 && !arguments.is_cut)
        mcp_put_next(call, "look", &arguments, "all holders");
    mcp_text_release(&arguments);
}

/* The younger one first: what came looks freed. */
static bool turns_captures(mcp_call *call, const mcp_heap *heap, const char *const *paths)
{
    mcp_text turned = {.most = 600};
    if (!hsd_capture_is_younger(hsd_capture_get_info(heap->files[0].capture),
                                hsd_capture_get_info(heap->files[1].capture)))
        return false;
    mcp_put_captures(&turned, (const char *const[]){paths[1], paths[0]}, 2);
    if (!turned.is_cut)
        mcp_put_next(call, "compare", &turned, "the first was taken after the second: the older one comes first");
    mcp_text_release(&turned);
    return true;
}

static hsd_status compare_two(mcp_call *call, const char *const *paths, bool partial, hsd_error *err)
{
    const hsd_report_options options = {.top = ROWS, .width = WIDTH};
    mcp_heaps *heaps = &call->state->heaps;
    mcp_heap_view view;
    mcp_text report = {0};
    HSD_TRY(mcp_heaps_open(heaps, paths, 2, partial, false, &view, err));
    HSD_TRY(mcp_heaps_browse(heaps, view.heap, err));
    const hsd_diff *diff = hsd_browse_diff(view.heap->browse);
    hsd_status status = text_format()->write_diff(diff, &options, mcp_text_write, &report, err);
    if (status == HSD_OK) status = mcp_put_report(call, &report, "WHAT KEEPS IT ALIVE");
    mcp_text_release(&report);
    put_diff_facts(call, diff);
    if (!turns_captures(call, view.heap, paths)) put_next_calls(call, diff, paths);
    return status;
}

/* ---- more than two */

static void put_series_facts(mcp_call *call, const hsd_series *series)
{
    const hsd_trend *trend = &series->total.trend;
    const char *verdict = hsd_verdict_name(trend->verdict);
    mcp_put_fact_text(call, "verdict", verdict, strlen(verdict));
    mcp_put_fact_number(call, "growth_bytes", trend->growth);
    mcp_put_fact_number(call, "bytes_per_step", trend->per_step);
}

static void put_pair_call(mcp_call *call, const hsd_series *series, const char *const *paths)
{
    const char *pair[2];
    size_t from, to;
    mcp_text arguments = {.most = 600};
    if (!hsd_series_find_pair(series, &from, &to)) return;
    pair[0] = paths[from];
    pair[1] = paths[to];
    mcp_put_captures(&arguments, pair, 2);
    if (!arguments.is_cut) mcp_put_next(call, "compare", &arguments, "object by object: what holds the growth");
    mcp_text_release(&arguments);
}

static hsd_status compare_many(mcp_call *call, const char *const *paths, size_t count, uint32_t warmup, bool partial,
                               hsd_error *err)
{
    const hsd_report_options options = {.top = ROWS, .width = WIDTH};
    hsd_series *series = NULL;
    mcp_text report = {0};
    HSD_TRY(mcp_series_run(call, paths, count, warmup, partial, 0, &series, err));
    hsd_status status = hsd_series_wants_pair(series) ? mcp_series_ask(call, series, paths, partial, err) : HSD_OK;
    if (status == HSD_OK) status = text_format()->write_series(series, &options, mcp_text_write, &report, err);
    if (status == HSD_OK) status = mcp_put_report(call, &report, "WHAT KEEPS IT ALIVE");
    mcp_text_release(&report);
    if (status == HSD_OK) {
        put_series_facts(call, series);
        put_pair_call(call, series, paths);
    }
    hsd_series_free(series);
    return status;
}

static const char *const arguments[] = {"captures", "warmup", "partial", NULL};

static hsd_status run_compare(mcp_call *call, hsd_error *err)
{
    const char *paths[MCP_SERIES_MOST];
    size_t count;
    uint64_t warmup = 0;
    bool partial = false;
    HSD_TRY(mcp_take_texts(call, "captures", 2, MCP_SERIES_MOST, paths, &count, err));
    HSD_TRY(mcp_take_count(call, "warmup", MCP_SERIES_MOST, &warmup, err));
    HSD_TRY(mcp_take_flag(call, "partial", &partial, err));
    if (warmup + 2 > count) return hsd_fail(err, HSD_E_MISUSE, "warmup leaves fewer than two of %zu captures", count);
    return count == 2 ? compare_two(call, paths, partial, err)
                      : compare_many(call, paths, count, (uint32_t)warmup, partial, err);
}

const mcp_tool mcp_tool_compare = {
    .name = "compare",
    .title = "Compare heaps",
    .description =
        "Says what grew between two captures of a program's heap, and WHAT KEEPS IT ALIVE: the root and the references "
        "that hold the growth (global.sessions: Map -> [*]: Session -> .cart). Start here. Take the captures at the "
        "same point of the program's work, some rounds apart. With three or more it tells what grows in every step "
        "and what levelled off. The holder is where to look in the code: something is put there and never taken out.",
    .schema =
        "\"captures\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":2,\"maxItems\":100,"
        "\"description\":\"files, oldest first: .hs captures or heap dumps (.heapsnapshot, .hprof, .gcdump, ...)\"},"
        "\"warmup\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"three or more captures: so many at the "
        "start do not count\"},"
        "\"partial\":{\"type\":\"boolean\",\"description\":\"also read what is damaged or cut off\"}},"
        "\"required\":[\"captures\"]",
    .arguments = arguments,
    .next = "compare {\"captures\":[\"before.hs\",\"after.hs\"]}; list_captures {} lists files",
    .run = run_compare,
};

/*
 * Hand-built diffs for the tests of reports: the numbers of the manual's first screen, and small ones to
 * change at will. Everything points at static data; nothing is freed.
 */
#ifndef TESTS_UNIT_REPORT_SAMPLE_H
#define TESTS_UNIT_REPORT_SAMPLE_H

#include <stdlib.h>
#include <string.h>

#include <hsdiff/report.h>

#define MIB UINT64_C(1048576)

static inline hsd_text sample_text(const char *text) { return (hsd_text){text, strlen(text)}; }

/* A row by growth: new covers growth, freed the rest. Objects are a hundred bytes each. */
static inline hsd_type_row sample_type(const char *name, uint64_t before, uint64_t after)
{
    hsd_type_row row = {.name = sample_text(name)};
    row.live.before = (hsd_amount){before / 100, before};
    row.live.after = (hsd_amount){after / 100, after};
    if (after > before) row.live.new_ = (hsd_amount){after / 100 - before / 100, after - before};
    if (before > after) row.live.freed = (hsd_amount){before / 100 - after / 100, before - after};
    row.live.kept = before < after ? row.live.before : row.live.after;
    return row;
}

static inline hsd_root_row sample_root(const char *name, uint64_t before, uint64_t after)
{
    const hsd_type_row type = sample_type(name, before, after);
    return (hsd_root_row){.name = type.name, .live = type.live, .kind = 1, .is_shared = name[0] == '('};
}

static inline void sample_add(hsd_amount *sum, hsd_amount part)
{
    sum->objects += part.objects;
    sum->bytes += part.bytes;
}

/* Makes the totals of a diff those of its types. */
static inline void sample_total(hsd_diff *diff)
{
    diff->total = (hsd_change){0};
    for (size_t i = 0; i < diff->type_count; i++) {
        const hsd_change *row = &diff->types[i].live;
        sample_add(&diff->total.before, row->before);
        sample_add(&diff->total.after, row->after);
        sample_add(&diff->total.new_, row->new_);
        sample_add(&diff->total.freed, row->freed);
        sample_add(&diff->total.kept, row->kept);
        diff->total.resized_bytes += row->resized_bytes;
        diff->total.resized_objects += row->resized_objects;
    }
    diff->before.live = diff->total.before;
    diff->after.live = diff->total.after;
}

static inline hsd_side sample_side(const char *path, uint64_t taken_unix_s)
{
    hsd_side side = {.has_roots = true, .has_references = true};
    side.info = (hsd_capture_info){.path = path,
                                   .producer = "test",
                                   .runtime = "V8 11.3",
                                   .process_name = "checkout-api",
                                   .source_format = "",
                                   .pid = 4121,
                                   .taken_unix_ns = taken_unix_s * 1000000000u,
                                   .identity = HSD_IDENTITY_EXACT,
                                   .is_complete = true,
                                   .has_index = true,
                                   .incomplete_reason = ""};
    memset(side.info.domain, 7, 16);
    return side;
}

/* A complete pair with the given tables. */
static inline hsd_diff sample_diff(hsd_type_row *types, size_t type_count, hsd_root_row *roots, size_t root_count)
{
    hsd_diff diff = {.before = sample_side("before.hs", 1795166042),
                     .after = sample_side("after.hs", 1795169645),
                     .identity_is_known = true,
                     .types = types,
                     .type_count = type_count,
                     .roots = roots,
                     .root_count = root_count};
    sample_total(&diff);
    diff.match = (hsd_match){.exact = diff.total.kept.objects,
                             .unmatched_before = diff.total.freed.objects,
                             .unmatched_after = diff.total.new_.objects};
    return diff;
}

/* ---- who holds it ---- */

static inline hsd_step sample_step(const char *edge, const char *type)
{
    return (hsd_step){.edge = sample_text(edge), .type = sample_text(type), .repeat = 1};
}

/* An object that holds `bytes` of new objects of a hundred bytes each, and nothing that was freed. */
static inline hsd_holder sample_holder(const char *root, const hsd_step *path, size_t path_count, int64_t bytes)
{
    hsd_holder holder = {.root = sample_text(root),
                         .root_kind = 1,
                         .path = path,
                         .path_count = path_count,
                         .has_id = path_count > 0,
                         .id = path_count > 0 ? 0x1f40 : 0,
                         .net_objects = bytes / 100,
                         .net_bytes = bytes,
                         .growth_bytes = bytes};
    holder.type = path_count > 0 ? path[path_count - 1].type : sample_text("");
    if (bytes > 0) holder.new_ = (hsd_amount){(uint64_t)bytes / 100, (uint64_t)bytes};
    if (bytes < 0) holder.freed = (hsd_amount){(uint64_t)-bytes / 100, (uint64_t)-bytes};
    return holder;
}

static inline void sample_hold(hsd_diff *diff, hsd_holder *holders, size_t count)
{
    diff->has_holders = true;
    diff->holders = holders;
    diff->holder_count = count;
}

static inline hsd_growth_edge sample_edge(uint32_t depth, const char *edge, const char *type, uint64_t before,
                                          uint64_t after, int64_t growth_bytes)
{
    hsd_growth_edge result = {.depth = depth,
                              .edge = sample_text(edge),
                              .type = sample_text(type),
                              .before = {before, before * 100},
                              .after = {after, after * 100},
                              .growth_bytes = growth_bytes};
    if (after > before) result.new_ = (hsd_amount){after - before, (after - before) * 100};
    if (before > after) result.freed = (hsd_amount){before - after, (before - after) * 100};
    return result;
}

/* Collects what a report writes; fails at a byte when asked to. */
typedef struct sample_sink {
    char *text;
    size_t size, capacity;
    size_t fail_at; /* 0 = never */
} sample_sink;

static inline hsd_status sample_write(void *context, const void *data, size_t size, hsd_error *err)
{
    sample_sink *sink = context;
    if (sink->fail_at > 0 && sink->size + size >= sink->fail_at) return hsd_fail_errno(err, 28, "cannot write");
    if (sink->size + size + 1 > sink->capacity) {
        sink->capacity = 2 * (sink->size + size + 1);
        sink->text = realloc(sink->text, sink->capacity);
    }
    memcpy(sink->text + sink->size, data, size);
    sink->size += size;
    sink->text[sink->size] = 0;
    return HSD_OK;
}

/* The report as a string; the caller frees it. */
static inline char *sample_report(const char *format, const hsd_diff *diff, const hsd_report_options *options)
{
    sample_sink sink = {0};
    hsd_error err;
    hsd_error_init(&err);
    sample_write(&sink, "", 0, &err);
    if (hsd_report_format_find(format)->write_diff(diff, options, sample_write, &sink, &err) != HSD_OK) abort();
    return sink.text;
}

#endif

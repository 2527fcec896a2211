/*
 * Hand-built answers about one capture: the shop of the manual, and small ones to change at will. Everything points
 * at static data; nothing is freed.
 */
#ifndef TESTS_UNIT_REPORT_TOP_SAMPLE_H
#define TESTS_UNIT_REPORT_TOP_SAMPLE_H

#include "unit/report/sample.h"
#include <hsdiff/report.h>

/* Objects of a hundred bytes each, none of them unreached. */
static inline hsd_top_type sample_top_type(const char *name, uint64_t bytes, uint64_t retained)
{
    return (hsd_top_type){.name = sample_text(name), .live = {bytes / 100, bytes}, .retained_bytes = retained};
}

static inline hsd_top_root sample_top_root(const char *name, uint64_t bytes, uint64_t retained)
{
    return (hsd_top_root){.name = sample_text(name),
                          .kind = 1,
                          .is_shared = name[0] == '(',
                          .live = {bytes / 100, bytes},
                          .retained_bytes = retained};
}

static inline hsd_top_object sample_top_object(const char *root, const hsd_step *path, size_t count, uint64_t retained)
{
    return (hsd_top_object){.type = path[count - 1].type,
                            .id = 7001,
                            .bytes = 64,
                            .retained_bytes = retained,
                            .retained_objects = retained / 100,
                            .root = sample_text(root),
                            .path = path,
                            .path_count = count};
}

static inline hsd_top sample_top(hsd_top_type *types, size_t type_count, hsd_top_root *roots, size_t root_count)
{
    hsd_top top = {.side = sample_side("after.hs", 1795169645),
                   .has_retained = true,
                   .why_no_retained = {"", 0},
                   .types = types,
                   .type_count = type_count,
                   .roots = roots,
                   .root_count = root_count};
    for (size_t i = 0; i < type_count; i++) {
        sample_add(&top.side.live, types[i].live);
        sample_add(&top.side.unreached, types[i].unreached);
    }
    return top;
}

static inline hsd_path_row sample_path(const char *root, const hsd_step *steps, size_t count, uint64_t objects)
{
    return (hsd_path_row){.root = sample_text(root),
                          .root_kind = 1,
                          .steps = steps,
                          .step_count = count,
                          .length = count,
                          .objects = {objects, objects * 100}};
}

static inline hsd_paths sample_paths(const char *type, hsd_path_row *rows, size_t count)
{
    hsd_paths paths = {
        .side = sample_side("after.hs", 1795169645), .type = sample_text(type), .rows = rows, .row_count = count};
    for (size_t i = 0; i < count; i++)
        sample_add(&paths.live, rows[i].objects);
    paths.side.live = (hsd_amount){4902377, 704542310};
    return paths;
}

/* In which format, and how. */
typedef struct single_options {
    const char *format;
    hsd_report_options report;
} single_options;

/* Of an hsd_top or hsd_paths. */
typedef hsd_status (*single_report)(const void *answer, const single_options *options, hsd_write_fn write,
                                    void *context, hsd_error *err);

static inline hsd_status report_top(const void *answer, const single_options *options, hsd_write_fn write,
                                    void *context, hsd_error *err)
{
    return hsd_report_format_find(options->format)->write_top(answer, &options->report, write, context, err);
}

static inline hsd_status report_paths(const void *answer, const single_options *options, hsd_write_fn write,
                                      void *context, hsd_error *err)
{
    return hsd_report_format_find(options->format)->write_paths(answer, &options->report, write, context, err);
}

/* The report as a string; the caller frees it. */
static inline char *sample_single(single_report report, const void *answer, const single_options *options)
{
    sample_sink sink = {0};
    hsd_error err;
    hsd_error_init(&err);
    sample_write(&sink, "", 0, &err);
    if (report(answer, options, sample_write, &sink, &err) != HSD_OK) abort();
    return sink.text;
}

static inline char *sample_top_report(const hsd_top *top, const single_options *options)
{
    return sample_single(report_top, top, options);
}

static inline char *sample_paths_report(const hsd_paths *paths, const single_options *options)
{
    return sample_single(report_paths, paths, options);
}

#endif

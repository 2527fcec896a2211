/*
 * Prints reports about one capture with the names that standard input gives, for a test that reads them back: each name
 * after its length in four little-endian bytes. usage: top_names top|paths FORMAT [plain | roots | objects] < NAMES
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/report/top_sample.h"

#define NAMES_MAX 1000

static hsd_status to_stdout(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size ? HSD_OK : hsd_fail(err, HSD_E_IO, "cannot write");
}

static size_t read_names(hsd_text *names)
{
    unsigned char head[4];
    size_t count = 0;
    while (count < NAMES_MAX && fread(head, 1, 4, stdin) == 4) {
        const size_t size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
        char *name = malloc(size + 1);
        if (!name || fread(name, 1, size, stdin) != size) exit(2);
        name[size] = 0;
        names[count++] = (hsd_text){name, size};
    }
    return count;
}

/* Each name is a type, a root, and the type and the reference of an object that it leads to. */
static hsd_status print_top(const hsd_text *names, size_t count, const single_options *options)
{
    static hsd_top_type types[NAMES_MAX];
    static hsd_top_root roots[NAMES_MAX];
    static hsd_top_object objects[NAMES_MAX];
    static hsd_step steps[NAMES_MAX][2];
    for (size_t i = 0; i < count; i++) {
        types[i] = sample_top_type("", 1000 * (i + 1), 1000 * (i + 1));
        roots[i] = sample_top_root("", 1000 * (i + 1), 1000 * (i + 1));
        types[i].name = roots[i].name = names[i];
        steps[i][0] = (hsd_step){.edge = {"", 0}, .type = {"Start", 5}, .repeat = 1};
        steps[i][1] = (hsd_step){.edge = names[i], .type = names[i], .repeat = 1};
        objects[i] = sample_top_object("", steps[i], 2, 1000);
        objects[i].root = names[i];
    }
    hsd_top top = sample_top(types, count, roots, count);
    hsd_text warning = names[1];
    top.objects = objects;
    top.object_count = count;
    top.side.info.process_name = names[1].data; /* free text too */
    top.side.info.runtime = names[2].data;
    top.warnings = &warning;
    top.warning_count = 1;
    return report_top(&top, options, to_stdout, NULL, NULL);
}

static hsd_status print_paths(const hsd_text *names, size_t count, const single_options *options)
{
    static hsd_path_row rows[NAMES_MAX];
    static hsd_step steps[NAMES_MAX][2];
    for (size_t i = 0; i < count; i++) {
        steps[i][0] = (hsd_step){.edge = names[i], .type = names[i], .repeat = 1};
        steps[i][1] = (hsd_step){.edge = {"", 0}, .type = names[i], .repeat = 1};
        rows[i] = sample_path("", steps[i], 2, 1);
        rows[i].root = names[i];
    }
    hsd_paths paths = sample_paths("", rows, count);
    paths.type = names[1];
    return report_paths(&paths, options, to_stdout, NULL, NULL);
}

int main(int argc, char **argv)
{
    static hsd_text names[NAMES_MAX];
    const char *what = argc > 3 ? argv[3] : "";
    if (argc < 3 || !hsd_report_format_find(argv[2])) return 2;
    const single_options options = {.format = argv[2],
                                    .report = {.top = HSD_TOP_ALL,
                                               .sort_by = HSD_SORT_RETAINED,
                                               .use_utf8 = true,
                                               .plain = strcmp(what, "plain") == 0,
                                               .table = strcmp(what, "roots") == 0     ? HSD_TABLE_ROOTS
                                                        : strcmp(what, "objects") == 0 ? HSD_TABLE_OBJECTS
                                                                                       : HSD_TABLE_TYPES}};
    const size_t count = read_names(names);
    if (count < 3) return 2;
    const hsd_status status =
        strcmp(argv[1], "top") == 0 ? print_top(names, count, &options) : print_paths(names, count, &options);
    return status == HSD_OK && fflush(stdout) == 0 ? 0 : 4;
}

/*
 * What can be read and written, from the registries.
 */
#include "help/formats.h"

#include <stdio.h>

#include <hsdiff/export.h>
#include <hsdiff/import.h>

static const struct {
    const char *name;
    unsigned bit;
} columns[] = {
    {"objects", HSD_CARRIES_OBJECTS},  {"types", HSD_CARRIES_TYPES},   {"edges", HSD_CARRIES_EDGES},
    {"names", HSD_CARRIES_EDGE_NAMES}, {"roots", HSD_CARRIES_ROOTS},   {"sites", HSD_CARRIES_SITES},
    {"ids", HSD_CARRIES_IDENTITY},     {"values", HSD_CARRIES_VALUES},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

const char cli_format_words[] = "yes: every file has it, if the heap had it. some: it depends on the producer, its "
                                "version or its settings. -: the format cannot say it.\n\n"
                                "objects: single objects; where there are none, sums are compared by type and site. "
                                "types: their names. edges: which object refers to "
                                "which; without them and without roots everything counts as live, and there are no "
                                "holders. names: by what field, index or key. roots: what "
                                "keeps objects alive. sites: where objects were allocated. ids: which object is the "
                                "same in another capture; without, objects are "
                                "recognised by structure (hsdiff help diff). values: contents, which are read and "
                                "written with --with-values alone.";

static void print_row(cli_out *out, const char *name, hsd_carries carries)
{
    cli_out_format(out, "  %-13s", name);
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *word = carries.always & columns[i].bit ? "yes" : carries.sometimes & columns[i].bit ? "some" : "-";
        cli_out_format(out, i + 1 < COLUMNS ? " %-7s" : " %s", word);
    }
    cli_out_text(out, "\n");
}

static void print_head(cli_out *out, const char *what)
{
    cli_out_format(out, "  %-13s", what);
    for (size_t i = 0; i < COLUMNS; i++)
        cli_out_format(out, i + 1 < COLUMNS ? " %-7s" : " %s", columns[i].name);
    cli_out_text(out, "\n");
}

void cli_print_format_tables(cli_out *out)
{
    print_head(out, "read");
    for (size_t i = 0; hsd_importer_get(i); i++)
        print_row(out, hsd_importer_get(i)->name, hsd_importer_get(i)->carries);
    cli_out_text(out, "\n");
    print_head(out, "written");
    for (size_t i = 0; hsd_exporter_get(i); i++)
        print_row(out, hsd_exporter_get(i)->name, hsd_exporter_get(i)->carries);
}

void cli_each_import_format(cli_out *out, cli_format_fn tell)
{
    char text[768];
    for (size_t i = 0; hsd_importer_get(i); i++) {
        const hsd_importer_info *info = hsd_importer_get(i);
        snprintf(text, sizeof text, "%s (%s)%s%s", info->summary, info->suffixes ? info->suffixes : "any name",
                 info->lacks ? ". Lacks: " : "", info->lacks ? info->lacks : "");
        tell(out, info->name, text);
    }
}

void cli_each_export_format(cli_out *out, cli_format_fn tell)
{
    char text[768];
    for (size_t i = 0; hsd_exporter_get(i); i++) {
        const hsd_exporter_info *info = hsd_exporter_get(i);
        snprintf(text, sizeof text, "%s (%s), opened by %s%s%s%s", info->summary, info->suffix, info->opened_by,
                 info->takes_pair ? "; also the growth between two captures" : "", info->lacks ? ". Lacks: " : "",
                 info->lacks ? info->lacks : "");
        tell(out, info->name, text);
    }
}

/*
 * hsdiff dump: the records of a capture as text, one a line, in the order of the format's kinds. For
 * people who look into a capture, and for tests that compare two.
 */
#include <stdlib.h>
#include <string.h>

#include <hscapture/hscapture.h>

#include "info_words.h"
#include "input.h"
#include "options/common.h"
#include "options/values.h"
#include "out.h"
#include "progress.h"
#include "report_error.h"

typedef struct dump_job {
    cli_out *out;
    cli_app *cli;
    hsd_capture *capture;
    hsd_error *err;
    uint64_t limit; /* records of a kind */
} dump_job;

static void put_name(const dump_job *dump, const char *key, hsd_text text)
{
    cli_out_format(dump->out, " %s=\"", key);
    cli_out_escaped(dump->out, HSD_ESCAPE_JSON, text.data, text.size);
    cli_out_text(dump->out, "\"");
}

static void put_count(const dump_job *dump, const char *key, uint64_t value)
{
    if (value != 0) cli_out_format(dump->out, " %s=%llu", key, (unsigned long long)value);
}

static void put_target(const dump_job *dump, const char *key, uint64_t target)
{
    const bool is_ordinal = hsd_capture_get_info(dump->capture)->targets_are_ordinals;
    cli_out_format(dump->out, is_ordinal ? " %s=#%llu" : " %s=0x%llx", key, (unsigned long long)target);
}

/* ---- one function for each kind of record ---- */

static void put_string(const dump_job *dump, const hsd_record *r)
{
    cli_out_format(dump->out, "string %u", r->string.id);
    put_name(dump, "text", r->string.text);
}

static void put_type(const dump_job *dump, const hsd_record *r)
{
    cli_out_format(dump->out, "type %u", r->type.id);
    if (r->type.flags) cli_out_format(dump->out, " flags=0x%x", r->type.flags);
    put_name(dump, "name", r->type.name);
}

static void put_label(const dump_job *dump, const hsd_record *r)
{
    static const char *const kinds[] = {"field", "element", "variable", "static", "key", "value", "internal", "class"};
    cli_out_format(dump->out, "label %u kind=%s", r->label.id, r->label.kind < 8 ? kinds[r->label.kind] : "unknown");
    if (r->label.flags) cli_out_format(dump->out, " flags=0x%x", r->label.flags);
    put_count(dump, "name", r->label.name);
}

static void put_site(const dump_job *dump, const hsd_record *r)
{
    cli_out_format(dump->out, "site %u", r->site.id);
    put_count(dump, "parent", r->site.parent);
    put_count(dump, "function", r->site.function);
    put_count(dump, "file", r->site.file);
    put_count(dump, "line", r->site.line);
    put_count(dump, "column", r->site.column);
}

static void put_thread(const dump_job *dump, const hsd_record *r)
{
    cli_out_format(dump->out, "thread %u", r->thread.id);
    put_count(dump, "name", r->thread.name);
}

static void put_frame(const dump_job *dump, const hsd_record *r)
{
    cli_out_format(dump->out, "frame thread=%u depth=%u", r->frame.thread, r->frame.depth);
    put_count(dump, "function", r->frame.function);
    put_count(dump, "file", r->frame.file);
    put_count(dump, "line", r->frame.line);
}

static void put_metric(const dump_job *dump, const hsd_record *r)
{
    cli_out_format(dump->out, "metric %llu", (unsigned long long)r->metric.value);
    put_name(dump, "name", r->metric.name);
    put_name(dump, "unit", r->metric.unit);
}

static void put_loss(const dump_job *dump, const hsd_record *r)
{
    cli_out_format(dump->out, "loss %llu", (unsigned long long)r->loss.count);
    put_name(dump, "what", r->loss.what);
}

static void put_edge(const dump_job *dump, const hsd_record *r)
{
    cli_out_format(dump->out, r->edge.source_is_ordinal ? "edge source=#%llu" : "edge source=0x%llx",
                   (unsigned long long)r->edge.source);
    put_target(dump, "target", r->edge.target);
    put_count(dump, "label", r->edge.label);
    put_count(dump, "index", r->edge.index);
}

static const char *root_kind(uint32_t kind)
{
    static const char *const kinds[] = {"unknown", "global",   "static",    "stack",   "thread",  "handle",
                                        "class",   "interned", "finalizer", "monitor", "runtime", "register"};
    return kind < 12 ? kinds[kind] : "unknown";
}

static void put_root(const dump_job *dump, const hsd_record *r)
{
    cli_out_format(dump->out, "root %s", root_kind(r->root.kind));
    if (r->root.flags) cli_out_format(dump->out, " flags=0x%x", r->root.flags);
    put_target(dump, "target", r->root.target);
    put_count(dump, "label", r->root.label);
    put_count(dump, "thread", r->root.thread);
    put_count(dump, "frame", r->root.frame);
}

static void put_type_total(const dump_job *dump, const hsd_record *r)
{
    const hsd_type_total *total = &r->type_total;
    cli_out_format(dump->out, "total type=%u objects=%llu bytes=%llu", total->type, (unsigned long long)total->objects,
                   (unsigned long long)total->bytes);
    put_count(dump, "native", total->native_bytes);
    for (uint32_t i = 0; i < total->bucket_count; i++)
        cli_out_format(dump->out, " 2^%u:%llu", total->buckets[i], (unsigned long long)total->bucket_objects[i]);
}

static void put_live_total(const dump_job *dump, const hsd_record *r)
{
    const hsd_live_total *total = &r->live_total;
    cli_out_format(dump->out, "live type=%u objects=%llu bytes=%llu", total->type, (unsigned long long)total->objects,
                   (unsigned long long)total->bytes);
    put_count(dump, "retained", total->retained_bytes);
    put_count(dump, "unreached", total->unreached_objects);
    put_count(dump, "unreached-bytes", total->unreached_bytes);
}

static void put_root_total(const dump_job *dump, const hsd_record *r)
{
    const hsd_root_total *total = &r->root_total;
    cli_out_format(dump->out, "owned %s name=%u", root_kind(total->kind), total->name);
    if (total->flags) cli_out_format(dump->out, " flags=0x%x", total->flags);
    cli_out_format(dump->out, " objects=%llu bytes=%llu", (unsigned long long)total->objects,
                   (unsigned long long)total->bytes);
    put_count(dump, "retained", total->retained_bytes);
}

static void put_place(const dump_job *dump, const hsd_record *r)
{
    const hsd_place_total *place = &r->place_total;
    const bool is_root = (place->flags & HSC_PLACE_IS_ROOT) != 0;
    cli_out_format(dump->out, "place #%u parent=#%u", place->number, place->parent);
    put_count(dump, "edge", place->edge);
    put_count(dump, is_root ? "root" : "type", place->name);
    if (place->flags) cli_out_format(dump->out, " flags=0x%x", place->flags);
    cli_out_format(dump->out, " objects=%llu bytes=%llu", (unsigned long long)place->objects,
                   (unsigned long long)place->bytes);
}

static void put_site_total(const dump_job *dump, const hsd_record *r)
{
    const hsd_site_total *total = &r->site_total;
    cli_out_format(dump->out, "allocated type=%u site=%u objects=%llu bytes=%llu", total->type, total->site,
                   (unsigned long long)total->objects, (unsigned long long)total->bytes);
}

static void put_group_total(const dump_job *dump, const hsd_record *r)
{
    cli_out_format(dump->out, "group %s=%u count=%llu bytes=%llu", r->group_total.kind == 0 ? "category" : "root-kind",
                   r->group_total.key, (unsigned long long)r->group_total.count,
                   (unsigned long long)r->group_total.bytes);
}

/* ---- objects ---- */

static void put_object_line(const dump_job *dump, const hsd_object *object)
{
    cli_out_format(dump->out, "object #%llu id=0x%llx type=%u size=%llu", (unsigned long long)object->ordinal,
                   (unsigned long long)object->id, object->type, (unsigned long long)object->size_bytes);
    put_count(dump, "native", object->native_bytes);
    put_count(dump, "elements", object->elements);
    put_count(dump, "site", object->site);
    put_count(dump, "age", object->age);
    put_count(dump, "name", object->name);
    put_count(dump, "category", object->category);
    if (object->flags) cli_out_format(dump->out, " flags=0x%x", object->flags);
    if (object->value.size > 0) put_name(dump, "value", object->value);
    cli_out_text(dump->out, "\n");
}

static hsd_status put_objects(const dump_job *dump)
{
    hsd_object_reader *reader;
    hsd_object object;
    hsd_status status;
    uint64_t count = 0;
    HSD_TRY(hsd_object_reader_open(&reader, dump->capture, HSD_WANT_ALL, dump->err));
    while ((status = hsd_object_reader_next(reader, &object, dump->err)) == HSD_OK) {
        if (!object.is_continuation && count++ == dump->limit) break;
        if (!object.is_continuation) put_object_line(dump, &object);
        for (uint32_t i = 0; i < object.reference_count; i++) {
            cli_out_text(dump->out, "  ->");
            put_target(dump, "target", object.targets[i]);
            put_count(dump, "label", object.labels[i]);
            put_count(dump, "index", object.indexes[i]);
            cli_out_text(dump->out, "\n");
        }
        if (dump->out->status != HSD_OK || !cli_progress_tell(NULL, "printing objects", 0, 0)) break;
    }
    hsd_object_reader_close(reader);
    return status < 0 ? status : HSD_OK;
}

/* ---- all kinds ---- */

typedef struct dump_kind {
    const char *name; /* for --only */
    hsd_record_kind record;
    void (*put)(const dump_job *dump, const hsd_record *record);
} dump_kind;

static const dump_kind kinds[] = {
    {"strings", HSD_RECORD_STRING, put_string},
    {"types", HSD_RECORD_TYPE, put_type},
    {"labels", HSD_RECORD_LABEL, put_label},
    {"sites", HSD_RECORD_SITE, put_site},
    {"threads", HSD_RECORD_THREAD, put_thread},
    {"frames", HSD_RECORD_FRAME, put_frame},
    {"metrics", HSD_RECORD_METRIC, put_metric},
    {"losses", HSD_RECORD_LOSS, put_loss},
    {"objects", HSD_RECORD_STRING, NULL},
    {"edges", HSD_RECORD_EDGE, put_edge},
    {"roots", HSD_RECORD_ROOT, put_root},
    {"totals", HSD_RECORD_TYPE_TOTAL, put_type_total},
    {"groups", HSD_RECORD_GROUP_TOTAL, put_group_total},
    {"live", HSD_RECORD_LIVE_TOTAL, put_live_total},
    {"owned", HSD_RECORD_ROOT_TOTAL, put_root_total},
    {"places", HSD_RECORD_PLACE, put_place},
    {"allocated", HSD_RECORD_SITE_TOTAL, put_site_total},
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

static const char *names_of_kinds(void)
{
    static char names[256];
    names[0] = '\0';
    for (size_t i = 0; i < KIND_COUNT; i++)
        cli_add_choice(names, sizeof names, kinds[i].name);
    return names;
}

static hsd_status put_records(const dump_job *dump, const dump_kind *kind)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status = HSD_OK;
    HSD_TRY(hsd_record_reader_open(&reader, dump->capture, kind->record, dump->err));
    for (uint64_t i = 0; i < dump->limit && dump->out->status == HSD_OK; i++) {
        status = hsd_record_reader_next(reader, &record, dump->err);
        if (status != HSD_OK) break;
        kind->put(dump, &record);
        cli_out_text(dump->out, "\n");
    }
    hsd_record_reader_close(reader);
    return status < 0 ? status : HSD_OK;
}

/* True if `name` is one of the words of --only. */
static bool is_wanted_dump(const char *only, const char *name)
{
    const size_t size = strlen(name);
    for (const char *word = only; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL)
        if (strncmp(word, name, size) == 0 && (word[size] == ',' || word[size] == 0)) return true;
    return !only;
}

static bool are_known(const char *only)
{
    size_t words = only ? 1 : 0, known = 0;
    for (const char *at = only; at && *at; at++)
        words += *at == ',';
    for (size_t i = 0; i < KIND_COUNT; i++)
        known += only && is_wanted_dump(only, kinds[i].name);
    return known == words;
}

static hsd_status put_whole_dump(const dump_job *dump)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (!is_wanted_dump(dump->cli->options.dump.only, kinds[i].name)) continue;
        HSD_TRY(kinds[i].put ? put_records(dump, &kinds[i]) : put_objects(dump));
    }
    return HSD_OK;
}

static int run_dump(cli_app *cli)
{
    cli_input input = {.path = cli->inputs[0]};
    cli_out out;
    hsd_error err;
    int result = CLI_DONE;
    hsd_error_init(&err);
    if (!are_known(cli->options.dump.only)) {
        cli_complain("--only takes kinds of records separated by commas, not '%s'.", cli->options.dump.only);
        return CLI_USAGE;
    }
    if (!cli_out_open(&out, cli, &result)) return result;
    hsd_status status = cli_inputs_open(&input, 1, cli, false, cli_damage_wanted(cli), &err);
    if (status == HSD_OK) {
        const dump_job dump = {.out = &out,
                               .cli = cli,
                               .capture = input.capture,
                               .err = &err,
                               .limit = cli->options.top > 0 ? cli->options.top : UINT64_MAX};
        status = put_whole_dump(&dump);
    }
    cli_inputs_close(&input, 1);
    if (status != HSD_OK) {
        hsd_error_set_file(&err, cli->inputs[0]);
        result = cli_report_error(cli, &err);
    }
    return cli_out_close(&out, cli, result);
}

static const cli_example examples[] = {
    {"hsdiff dump after.hs | less", "every record"},
    {"hsdiff dump after.hs --only objects --top 10", "the first ten objects with their references"},
    {"hsdiff dump after.hs --only types,totals", "types and their totals"},
    {0},
};

static const cli_option *const options[] = {
    &(const cli_option){.name = "top",
                        .value = "N",
                        .kind = CLI_OTHER,
                        .set = cli_set_top,
                        .told = CLI_TOLD,
                        .help = "print the first N records of each kind, or all of them (all), which is the default"},
    &cli_option_partial,
    &(const cli_option){.name = "only",
                        .value = "KINDS",
                        .kind = CLI_TEXT,
                        .offset = CLI_FIELD(dump.only),
                        .list_choices = names_of_kinds,
                        .told = CLI_LEFT_OUT,
                        .help = "the kinds of records to print, separated by commas"},
    CLI_OPTIONS_OF_DUMPS,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_dump = {
    .name = "dump",
    .synopsis = "FILE",
    .summary = "print the records of a capture as text, one a line",
    .description = "Prints the records of a capture: strings, types, labels, sites, threads, "
                   "frames, metrics, losses, objects with "
                   "their references, edges, roots, totals by type and by group, and of a baseline "
                   "its sums (live, owned, places), and of a profile where what it counts was allocated (allocated). "
                   "Numbers of tables are those of the capture; "
                   "0x1000 is an id and #17 the place of an object in the stream. FORMAT.md "
                   "explains every field.",
    .examples = examples,
    .options = options,
    .inputs_min = 1,
    .inputs_max = 1,
    .tells_indexes = true,
    .run = run_dump,
};

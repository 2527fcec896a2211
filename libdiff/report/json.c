/*
 * JSON, schema hsdiff.diff/1: the contract that scripts rely on. Names are fixed, fields may be added.
 * Sizes and counts are exact integers; arrays are sorted by growth and complete unless --top was given,
 * and then "others" carries the rest. One row a line, so that two reports can be compared with diff(1).
 *
 * What is not known is null: new, freed, kept and resized when single objects cannot be recognised
 * ("identity_known": false), freed when a capture is partial, new when the one before is.
 */
#include <string.h>

#include "report/formats.h"
#include "report/out.h"
#include "report/rank.h"

typedef struct json {
    hsd_out out;
    const hsd_diff *diff;
    const hsd_report_options *options;
} json;

/* ---- pieces; each begins with the separator it is given ---- */

static void put_string(json *j, const char *key, hsd_text text)
{
    hsd_out_format(&j->out, "%s\"", key);
    hsd_out_escaped(&j->out, HSD_ESCAPE_JSON, text);
    hsd_out_text(&j->out, "\"");
}

static void put_text(json *j, const char *key, const char *text)
{
    put_string(j, key, (hsd_text){text ? text : "", text ? strlen(text) : 0});
}

static void put_count(json *j, const char *key, uint64_t value)
{
    hsd_out_format(&j->out, "%s%llu", key, (unsigned long long)value);
}

static void put_signed(json *j, const char *key, int64_t value)
{
    hsd_out_format(&j->out, "%s%lld", key, (long long)value);
}

static void put_bool(json *j, const char *key, bool value)
{
    hsd_out_format(&j->out, "%s%s", key, value ? "true" : "false");
}

static void put_amount(json *j, const char *key, hsd_amount amount)
{
    hsd_out_format(&j->out, "%s{\"objects\": %llu, \"bytes\": %llu}", key,
                   (unsigned long long)amount.objects, (unsigned long long)amount.bytes);
}

/* An amount, or null where the diff cannot know it. */
static void put_known(json *j, bool is_known, const char *key, hsd_amount amount)
{
    if (is_known)
        put_amount(j, key, amount);
    else
        hsd_out_format(&j->out, "%snull", key);
}

static void put_resized(json *j, const hsd_change *change)
{
    if (!j->diff->identity_is_known) {
        hsd_out_text(&j->out, ", \"resized_bytes\": null, \"resized_objects\": null");
        return;
    }
    put_signed(j, ", \"resized_bytes\": ", change->resized_bytes);
    put_count(j, ", \"resized_objects\": ", change->resized_objects);
}

static void put_change(json *j, const hsd_change *change)
{
    const bool is_known = j->diff->identity_is_known;
    put_amount(j, "\"before\": ", change->before);
    put_amount(j, ", \"after\": ", change->after);
    put_signed(j, ", \"growth\": {\"objects\": ", hsd_change_objects(change));
    put_signed(j, ", \"bytes\": ", hsd_change_bytes(change));
    hsd_out_text(&j->out, "}");
    put_known(j, hsd_new_is_known(j->diff), ", \"new\": ", change->new_);
    put_known(j, hsd_freed_is_known(j->diff), ", \"freed\": ", change->freed);
    put_known(j, is_known, ", \"kept\": ", change->kept);
    put_resized(j, change);
}

/* ---- captures ---- */

static const char *identity_word(hsd_identity identity)
{
    switch (identity) {
    case HSD_IDENTITY_EXACT: return "exact";
    case HSD_IDENTITY_ADDRESS: return "address";
    case HSD_IDENTITY_MOVING: return "moving";
    case HSD_IDENTITY_NONE: break;
    }
    return "none";
}

static bool is_known(const uint8_t id[16])
{
    for (size_t i = 0; i < 16; i++)
        if (id[i] != 0) return true;
    return false;
}

/* What a capture does not know is left out. */
static void put_process(json *j, const hsd_capture_info *info)
{
    char time[HSD_NUMBER_CHARS];
    if (info->process_name && info->process_name[0])
        put_text(j, ", \"process\": ", info->process_name);
    if (info->pid > 0) put_count(j, ", \"pid\": ", info->pid);
    if (info->started_unix_ns > 0)
        put_text(j, ", \"started\": ", hsd_format_time(time, info->started_unix_ns));
    if (info->taken_unix_ns > 0)
        put_text(j, ", \"taken\": ", hsd_format_time(time, info->taken_unix_ns));
    if (!is_known(info->domain)) return;
    hsd_out_text(&j->out, ", \"domain\": \"");
    for (size_t i = 0; i < 16; i++)
        hsd_out_format(&j->out, "%02x", info->domain[i]);
    hsd_out_text(&j->out, "\"");
}

static void put_capture(json *j, const hsd_side *side)
{
    const hsd_capture_info *info = &side->info;
    const bool is_foreign = info->source_format && info->source_format[0];
    put_text(j, "    {\"path\": ", info->path);
    put_text(j, ", \"runtime\": ", info->runtime);
    put_text(j, ", \"format\": ", is_foreign ? info->source_format : "hs");
    put_bool(j, ", \"complete\": ", info->is_complete);
    if (!info->is_complete) put_text(j, ", \"incomplete_reason\": ", info->incomplete_reason);
    put_text(j, ", \"identity\": ", identity_word(info->identity));
    put_process(j, info);
    put_count(j, ", \"objects\": ", side->live.objects);
    put_count(j, ", \"bytes\": ", side->live.bytes);
    put_amount(j, ", \"unreached\": ", side->unreached);
    put_bool(j, ", \"has_roots\": ", side->has_roots);
    put_bool(j, ", \"has_references\": ", side->has_references);
    put_count(j, ", \"dangling_references\": ", side->dangling);
    put_count(j, ", \"lost\": ", info->lost);
    put_count(j, ", \"damaged_blocks\": ", info->damaged_blocks);
    hsd_out_text(&j->out, "}");
}

static void put_match(json *j)
{
    const hsd_match *match = &j->diff->match;
    put_count(j, "  \"match\": {\"exact\": ", match->exact);
    put_count(j, ", \"address\": ", match->address);
    put_count(j, ", \"structure\": ", match->structure);
    put_count(j, ", \"unmatched_before\": ", match->unmatched_before);
    put_count(j, ", \"unmatched_after\": ", match->unmatched_after);
    put_count(j, ", \"ambiguous\": ", match->ambiguous);
    hsd_out_text(&j->out, ", \"warnings\": [");
    for (size_t i = 0; i < j->diff->warning_count; i++)
        put_string(j, i > 0 ? ", " : "", j->diff->warnings[i]);
    hsd_out_text(&j->out, "]},\n");
}

/* ---- tables ---- */

static const char *root_kind_word(uint32_t kind)
{
    static const char *const words[] = {"unknown",   "global",  "static",  "stack",
                                        "thread",    "handle",  "class",   "interned",
                                        "finalizer", "monitor", "runtime", "register"};
    return words[kind < sizeof words / sizeof words[0] ? kind : 0];
}

static void put_row(json *j, const hsd_rank_row *row)
{
    put_string(j, row->type ? "    {\"type\": " : "    {\"root\": ", row->name);
    if (row->root)
        put_text(j,
                 ", \"kind\": ", row->root->is_shared ? "shared" : root_kind_word(row->root->kind));
    hsd_out_text(&j->out, ", ");
    put_change(j, row->change);
    if (row->type) {
        put_amount(j, ", \"unreached\": {\"before\": ", row->type->unreached_before);
        put_amount(j, ", \"after\": ", row->type->unreached_after);
        hsd_out_text(&j->out, "}");
        put_known(j, hsd_new_is_known(j->diff), ", \"revived\": ", row->type->revived);
        put_known(j, hsd_freed_is_known(j->diff), ", \"dropped\": ", row->type->dropped);
    } else {
        put_known(j, j->diff->identity_is_known, ", \"moved_in\": ", row->root->moved_in);
        put_known(j, j->diff->identity_is_known, ", \"moved_out\": ", row->root->moved_out);
    }
    hsd_out_text(&j->out, "}");
}

static void put_table(json *j, const char *key, const hsd_ranking *ranking)
{
    hsd_out_format(&j->out, "  \"%s\": [", key);
    for (size_t i = 0; i < ranking->shown; i++) {
        hsd_out_text(&j->out, i > 0 ? ",\n" : "\n");
        put_row(j, &ranking->rows[i]);
    }
    hsd_out_text(&j->out, ranking->shown > 0 ? "\n  ]" : "]");
}

static void put_rest(json *j, const char *key, const hsd_ranking *ranking)
{
    hsd_out_format(&j->out, "%s{\"rows\": %llu, ", key,
                   (unsigned long long)(ranking->count - ranking->shown));
    put_change(j, &ranking->others);
    hsd_out_text(&j->out, "}");
}

static void put_tables(json *j, const hsd_ranking *types, const hsd_ranking *roots)
{
    put_table(j, "types", types);
    hsd_out_text(&j->out, ",\n");
    put_table(j, "roots", roots);
    if (j->options->top > 0 && j->options->top != HSD_TOP_ALL) {
        hsd_out_text(&j->out, ",\n  \"others\": {");
        put_rest(j, "\"types\": ", types);
        put_rest(j, ",\n    \"roots\": ", roots);
        hsd_out_text(&j->out, "}");
    }
    hsd_out_text(&j->out, "\n}\n");
}

static void put_head(json *j)
{
    hsd_out_text(&j->out, "{\n  \"schema\": \"hsdiff.diff/1\",\n  \"captures\": [\n");
    put_capture(j, &j->diff->before);
    hsd_out_text(&j->out, ",\n");
    put_capture(j, &j->diff->after);
    hsd_out_text(&j->out, "\n  ],\n");
    put_match(j);
    put_bool(j, "  \"identity_known\": ", j->diff->identity_is_known);
    put_bool(j, ",\n  \"partial\": ", j->diff->is_partial);
    put_bool(j, ",\n  \"summary\": ", j->diff->is_summary);
    hsd_out_text(&j->out, ",\n  \"total\": {");
    put_change(j, &j->diff->total);
    hsd_out_text(&j->out, "},\n");
}

static hsd_status write_json(const hsd_diff *diff, const hsd_report_options *options,
                             hsd_write_fn write, void *context, hsd_error *err)
{
    json j = {.diff = diff, .options = options};
    hsd_ranking types = {0}, roots = {0};
    const size_t top = options->top ? options->top : HSD_TOP_ALL;
    HSD_TRY(hsd_ranking_init(&types, diff, HSD_TABLE_TYPES, options->sort_by, top, 0, err));
    const hsd_status status =
        hsd_ranking_init(&roots, diff, HSD_TABLE_ROOTS, options->sort_by, top, 0, err);
    if (status != HSD_OK) {
        hsd_ranking_release(&types);
        return status;
    }
    hsd_out_init(&j.out, write, context, err);
    put_head(&j);
    put_tables(&j, &types, &roots);
    hsd_ranking_release(&types);
    hsd_ranking_release(&roots);
    return hsd_out_finish(&j.out);
}

const hsd_report_format hsd_report_json = {
    .name = "json",
    .summary = "everything, for programs; schema hsdiff.diff/1",
    .write_diff = write_json,
};

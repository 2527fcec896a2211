/*
 * JSON, schema hsdiff.top/1: names are fixed, fields may be added, sizes and counts are exact integers. Arrays are
 * complete unless --top was given, and then "others" carries the rest. Retained sizes are null where they are not
 * known: of everything without dominators ("why_no_retained" tells why), and of what several roots share.
 */
#include "report/json_pieces.h"
#include "report/top_formats.h"
#include "report/top_rows.h"

static void put_row(hsd_out *out, const hsd_top *top, const hsd_top_row *row)
{
    hsd_json_string(out, row->root ? "    {\"root\": " : "    {\"type\": ", row->name);
    if (row->root && row->root->is_shared)
        hsd_json_text(out, ", \"kind\": ", "shared");
    else if (row->root)
        hsd_json_root_kind(out, ", \"kind\": ", row->root->kind);
    hsd_json_amount(out, ", \"live\": ", row->live);
    if (!row->root) hsd_json_amount(out, ", \"unreached\": ", row->unreached);
    if (hsd_top_row_retains(top, row))
        hsd_json_count(out, ", \"retained_bytes\": ", row->retained_bytes);
    else
        hsd_out_text(out, ", \"retained_bytes\": null");
    hsd_out_text(out, "}");
}

static void put_rows(hsd_out *out, const hsd_top *top, const char *key,
                     const hsd_top_ranking *ranking)
{
    hsd_out_format(out, ",\n  \"%s\": [", key);
    for (size_t i = 0; i < ranking->shown; i++) {
        hsd_out_text(out, i > 0 ? ",\n" : "\n");
        put_row(out, top, &ranking->rows[i]);
    }
    hsd_out_text(out, ranking->shown > 0 ? "\n  ]" : "]");
}

static void put_object(hsd_out *out, const hsd_top_object *object)
{
    hsd_json_id(out, "    {\"object\": ", object->id);
    hsd_json_string(out, ", \"type\": ", object->type);
    hsd_json_count(out, ", \"bytes\": ", object->bytes);
    hsd_json_amount(
        out, ", \"retained\": ", (hsd_amount){object->retained_objects, object->retained_bytes});
    hsd_json_string(out, ", \"root\": ", object->root);
    hsd_json_steps(out, ", \"path\": ", object->path, object->path_count);
    if (object->path_cut > 0) hsd_json_count(out, ", \"path_cut\": ", object->path_cut);
    hsd_out_text(out, "}");
}

static void put_objects(hsd_out *out, const hsd_top *top)
{
    if (!top->has_retained) {
        hsd_out_text(out, ",\n  \"objects\": null");
        hsd_json_string(out, ",\n  \"why_no_retained\": ", top->why_no_retained);
        return;
    }
    hsd_out_text(out, ",\n  \"objects\": [");
    for (size_t i = 0; i < top->object_count; i++) {
        hsd_out_text(out, i > 0 ? ",\n" : "\n");
        put_object(out, &top->objects[i]);
    }
    hsd_out_text(out, top->object_count > 0 ? "\n  ]" : "]");
}

static void put_rest(hsd_out *out, const char *key, const hsd_top_ranking *ranking, bool is_types)
{
    hsd_out_format(out, "%s{\"rows\": %llu", key,
                   (unsigned long long)(ranking->count - ranking->shown));
    hsd_json_amount(out, ", \"live\": ", ranking->others);
    if (is_types) hsd_json_amount(out, ", \"unreached\": ", ranking->others_unreached);
    hsd_out_text(out, "}");
}

static void put_all(hsd_out *out, const hsd_top *top, const hsd_top_ranking *types,
                    const hsd_top_ranking *roots, bool is_cut)
{
    hsd_out_text(out, "{\n  \"schema\": \"hsdiff.top/1\",\n  \"captures\": [\n");
    hsd_json_side(out, &top->side, top->has_retained);
    hsd_out_text(out, "\n  ]");
    hsd_json_texts(out, ",\n  \"warnings\": ", top->warnings, top->warning_count);
    put_rows(out, top, "types", types);
    put_rows(out, top, "roots", roots);
    put_objects(out, top);
    if (is_cut) {
        put_rest(out, ",\n  \"others\": {\"types\": ", types, true);
        put_rest(out, ",\n    \"roots\": ", roots, false);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "\n}\n");
}

hsd_status hsd_top_write_json(const hsd_top *top, const hsd_single_options *options,
                              hsd_write_fn write, void *context, hsd_error *err)
{
    hsd_top_ranking types, roots;
    hsd_out out;
    const size_t most = options->top ? options->top : HSD_TOP_ALL;
    HSD_TRY(hsd_top_ranking_init(&types, top, true, options->sort_by, most, err));
    const hsd_status status = hsd_top_ranking_init(&roots, top, false, options->sort_by, most, err);
    if (status != HSD_OK) {
        hsd_top_ranking_release(&types);
        return status;
    }
    hsd_out_init(&out, write, context, err);
    put_all(&out, top, &types, &roots, most != HSD_TOP_ALL);
    hsd_top_ranking_release(&types);
    hsd_top_ranking_release(&roots);
    return hsd_out_finish(&out);
}

/*
 * What a report of one capture says, schema hsdiff.top/1: what is in it by type and by root, and the objects that
 * retain most. What is retained is null where nobody knows it, and of what several roots share; it overlaps and has no
 * total.
 */
#include "report/model/columns.h"
#include "report/model/open.h"
#include "report/model/say.h"
#include "report/model/top_rows.h"
#include "report/sentences/place.h"
#include "report/text/capture.h"
#include "report/words/number.h"

#define OBJECTS_SHOWN 3 /* however small */

typedef struct top_model {
    hsd_model model;
    hsd_capture_row capture;
    hsd_top_ranking types, roots;
    hsd_top_row other_types, other_roots, total;
} top_model;

static const hsd_top *top_of(const hsd_scope *scope) { return scope->result; }
static const hsd_top_row *row_of(const hsd_scope *scope) { return scope->row; }
static bool knows_retained(const hsd_scope *scope)
{
    return !scope->is_rest && hsd_top_row_retains(top_of(scope), row_of(scope));
}

static hsd_value kind_of(const hsd_scope *scope)
{
    const hsd_top_root *root = row_of(scope)->root;
    return hsd_value_string(root->is_shared ? "shared" : hsd_root_kind_word(root->kind));
}

/* ---- what people read ---- */

static bool has_retained(const hsd_scope *scope) { return top_of(scope)->has_retained; }
static hsd_value retained_share(const hsd_scope *scope)
{
    return hsd_value_share(row_of(scope)->retained_bytes, top_of(scope)->side.live.bytes);
}

static const hsd_column amount_columns[] = {
    {"bytes", HSD_KIND_BYTES, HSD_AT(hsd_top_row, live.bytes), .title = "Bytes", .flags = HSD_TO_THE_LAST},
    {"objects", HSD_KIND_COUNT, HSD_AT(hsd_top_row, live.objects), .title = "Objects"},
    {"retained_bytes", HSD_KIND_BYTES, HSD_AT(hsd_top_row, retained_bytes), .title = "Retained", .has = has_retained,
     .is_known = knows_retained, .flags = HSD_TO_THE_LAST},
    {NULL, HSD_KIND_SHARE, .title = "Of heap", .get = retained_share, .has = has_retained, .is_known = knows_retained},
    {0},
};

/* ---- types and roots ---- */

static const hsd_column type_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_top_row, name), .in = HSD_IN_JSON},
    {"name", HSD_KIND_TEXT, HSD_AT(hsd_top_row, name), .in = HSD_IN_CSV},
    {"live", HSD_KIND_AMOUNT, HSD_AT(hsd_top_row, live), .in = HSD_IN_JSON},
    {"unreached", HSD_KIND_AMOUNT, HSD_AT(hsd_top_row, unreached), .in = HSD_IN_JSON},
    {"objects", HSD_KIND_COUNT, HSD_AT(hsd_top_row, live.objects), .in = HSD_IN_CSV},
    {"bytes", HSD_KIND_COUNT, HSD_AT(hsd_top_row, live.bytes), .in = HSD_IN_CSV},
    {"retained_bytes", HSD_KIND_COUNT, HSD_AT(hsd_top_row, retained_bytes), .in = HSD_IN_PROGRAMS,
     .is_known = knows_retained},
    {"unreached", HSD_KIND_AMOUNT, HSD_AT(hsd_top_row, unreached), .in = HSD_IN_CSV},
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_top_row, name), .in = HSD_IN_TABLES, .title = "Type"},
    {NULL, HSD_KIND_SPREAD, .in = HSD_IN_TABLES, .columns = amount_columns},
    {0},
};

static const hsd_column root_columns[] = {
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_top_row, name), .in = HSD_IN_JSON},
    {"name", HSD_KIND_TEXT, HSD_AT(hsd_top_row, name), .in = HSD_IN_CSV},
    {"kind", HSD_KIND_STRING, .in = HSD_IN_JSON, .get = kind_of},
    {"live", HSD_KIND_AMOUNT, HSD_AT(hsd_top_row, live), .in = HSD_IN_JSON},
    {"objects", HSD_KIND_COUNT, HSD_AT(hsd_top_row, live.objects), .in = HSD_IN_CSV},
    {"bytes", HSD_KIND_COUNT, HSD_AT(hsd_top_row, live.bytes), .in = HSD_IN_CSV},
    {"retained_bytes", HSD_KIND_COUNT, HSD_AT(hsd_top_row, retained_bytes), .in = HSD_IN_PROGRAMS,
     .is_known = knows_retained},
    {"unreached", HSD_KIND_AMOUNT, HSD_AT(hsd_top_row, unreached), .in = HSD_IN_PLAIN},
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_top_row, name), .in = HSD_IN_TABLES, .title = "Root"},
    {NULL, HSD_KIND_SPREAD, .in = HSD_IN_TABLES, .columns = amount_columns},
    {0},
};

static const hsd_column other_type_columns[] = {
    {"live", HSD_KIND_AMOUNT, HSD_AT(hsd_top_row, live)},
    {"unreached", HSD_KIND_AMOUNT, HSD_AT(hsd_top_row, unreached)},
    {0},
};

static const hsd_column other_root_columns[] = {{"live", HSD_KIND_AMOUNT, HSD_AT(hsd_top_row, live)}, {0}};

/* ---- objects ---- */

static hsd_value retained_of(const hsd_scope *scope)
{
    const hsd_top_object *object = scope->row;
    return hsd_value_amount((hsd_amount){object->retained_objects, object->retained_bytes});
}

static hsd_status place_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return hsd_top_object_append(text, scope->row, ": ", "", err);
}

static const hsd_top_object *object_of(const hsd_scope *scope) { return scope->row; }
static hsd_value share_of_object(const hsd_scope *scope)
{
    return hsd_value_share(object_of(scope)->retained_bytes, top_of(scope)->side.live.bytes);
}

static hsd_value written_id(const hsd_scope *scope)
{
    hsd_value value = {.kind = HSD_KIND_HEX};
    hsd_format_id(value.hex, &top_of(scope)->side.info, object_of(scope)->id);
    return value;
}

static const hsd_column object_columns[] = {
    {"object", HSD_KIND_ID, HSD_AT(hsd_top_object, id), .in = HSD_IN_PROGRAMS},
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_top_object, type), .in = HSD_IN_PROGRAMS},
    {"bytes", HSD_KIND_COUNT, HSD_AT(hsd_top_object, bytes), .in = HSD_IN_PROGRAMS},
    {"retained", HSD_KIND_AMOUNT, .in = HSD_IN_PROGRAMS, .get = retained_of},
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_top_object, root), .in = HSD_IN_PROGRAMS},
    {"path", HSD_KIND_LIST, HSD_LIST_AT(hsd_top_object, path, path_count, hsd_step), .in = HSD_IN_JSON,
     .columns = hsd_step_columns},
    {"path_cut", HSD_KIND_COUNT, HSD_AT(hsd_top_object, path_cut), .in = HSD_IN_JSON, .flags = HSD_IF_ANY},
    {"place", HSD_KIND_WORDS, .in = HSD_IN_CSV, .words = place_of},
    {"id", HSD_KIND_HEX, .in = HSD_IN_PLAIN, .get = written_id},
    {"place", HSD_KIND_WORDS, .in = HSD_IN_TABLES, .title = "Biggest object", .words = place_of},
    {"retained_bytes", HSD_KIND_BYTES, HSD_AT(hsd_top_object, retained_bytes), .in = HSD_IN_TABLES, .title = "Retained",
     .flags = HSD_TO_THE_LAST},
    {NULL, HSD_KIND_SHARE, .in = HSD_IN_TABLES, .title = "Of heap", .get = share_of_object},
    {"retained_objects", HSD_KIND_COUNT, HSD_AT(hsd_top_object, retained_objects), .in = HSD_IN_TABLES,
     .title = "Objects"},
    {"object", HSD_KIND_HEX, .in = HSD_IN_TABLES, .title = "ID", .get = written_id, .flags = HSD_TO_THE_LAST},
    {0},
};

/* ---- sentences ---- */

static const hsd_top *top_in(const hsd_model *model) { return model->result; }
static hsd_status say_answer(hsd_buffer *text, const hsd_model *model, hsd_error *err)
{
    return hsd_say_size(text, model, &top_in(model)->side, err);
}
static hsd_status say_capture(hsd_buffer *text, const hsd_model *model, hsd_error *err)
{
    return hsd_say_capture(text, &top_in(model)->side, err);
}

#define PART_OF_AN_ANSWER 10u /* of the heap: less is no answer */

/* As a sentence says it: from the class that has it, where it is far from its root. */
static hsd_status say_object(hsd_buffer *text, const hsd_top_object *object, hsd_error *err)
{
    const hsd_spot place = {object->root, object->path, object->path_count, object->path_cut};
    bool is_near;
    HSD_TRY(hsd_place_append_near(text, &place, " (", ")", &is_near, err));
    return is_near ? HSD_OK : hsd_top_object_append(text, object, " (", ")", err);
}

/* " of the heap hangs from one place: global.sessions (Map), 950 objects." */
static hsd_status say_place(hsd_buffer *text, const hsd_top_object *place, hsd_error *err)
{
    char count[HSD_NUMBER_CHARS];
    const bool is_itself = place->bytes > place->retained_bytes / 4 * 3;
    HSD_TRY(hsd_say(text, is_itself ? " of the heap is one object: " : " of the heap hangs from one place: ", err));
    HSD_TRY(say_object(text, place, err));
    if (!is_itself) {
        HSD_TRY(hsd_say(text, ", ", err));
        HSD_TRY(hsd_say(text, hsd_format_count(count, place->retained_objects), err));
        HSD_TRY(hsd_say(text, " objects", err));
    }
    return hsd_say(text, ".", err);
}

/* Where most comes together, or that it comes together nowhere. */
static hsd_status say_accumulation(hsd_buffer *text, const hsd_model *model, hsd_error *err)
{
    const hsd_top *top = model->result;
    const hsd_top_object *place = top->accumulation;
    char share[HSD_NUMBER_CHARS];
    if (!place || top->side.live.bytes == 0) return HSD_OK;
    hsd_format_share(share, place->retained_bytes, top->side.live.bytes);
    if (place->retained_bytes >= top->side.live.bytes / PART_OF_AN_ANSWER) {
        HSD_TRY(hsd_say(text, share, err));
        return say_place(text, place, err);
    }
    HSD_TRY(hsd_say(text, "No place holds a tenth of the heap; the largest, ", err));
    HSD_TRY(say_object(text, place, err));
    HSD_TRY(hsd_say(text, ", holds ", err));
    HSD_TRY(hsd_say(text, share, err));
    return hsd_say(text, ".", err);
}

static hsd_status say_why(hsd_buffer *text, const hsd_model *model, hsd_error *err)
{
    const hsd_top *top = model->result;
    if (top->has_retained) return HSD_OK;
    HSD_TRY(hsd_say(text, "What is retained is not known: ", err));
    HSD_TRY(hsd_buffer_append(text, top->why_no_retained.data, top->why_no_retained.size, err));
    return hsd_say(text, ".", err);
}

/* What the screen says before its tables, and what it cannot say. */
static hsd_status say_all(hsd_buffer *text, const hsd_model *model, hsd_error *err)
{
    HSD_TRY(say_answer(text, model, err));
    HSD_TRY(hsd_say(text, " ", err));
    HSD_TRY(say_accumulation(text, model, err));
    HSD_TRY(hsd_say(text, " ", err));
    return say_why(text, model, err);
}

static hsd_status say_soft(hsd_buffer *text, const hsd_model *model, hsd_error *err)
{
    const hsd_top *top = model->result;
    return top->has_retained ? hsd_say_amount(text, model, "Kept by soft references alone", top->side.soft, err)
                             : HSD_OK;
}

static hsd_status say_unreached(hsd_buffer *text, const hsd_model *model, hsd_error *err)
{
    return hsd_say_amount(text, model, "Unreached, not counted", top_in(model)->side.unreached, err);
}

static void add_sentence(hsd_model *model, hsd_part_kind kind,
                         hsd_status (*say)(hsd_buffer *, const hsd_model *, hsd_error *))
{
    hsd_model_add(model, (hsd_part){.kind = kind, .in = HSD_IN_PEOPLE, .say = say});
}

/* ---- head and foot of a screen ---- */

static void tell_capture(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    hsd_text_capture(out, model->options, form, &top_in(model)->side);
}

/* Of the types with several objects the one that retains most: one object has its path above. */
static hsd_text type_to_look_at(const hsd_top *top)
{
    for (size_t i = 0; i < top->type_count; i++)
        if (top->types[i].live.objects > 1) return top->types[i].name;
    return top->type_count > 0 ? top->types[0].name : (hsd_text){"", 0};
}

static void tell_next(hsd_out *out, const hsd_model *model, hsd_escape_form form)
{
    hsd_next list[4];
    size_t count = 0;
    const hsd_top *top = model->result;
    const hsd_text type = type_to_look_at(top);
    (void)form;
    if (top->side.has_roots && type.size > 0)
        list[count++] = (hsd_next){"hsdiff paths", "", type, "how they are reached"};
    if (model->has_folded) list[count++] = (hsd_next){"hsdiff top", "--top all", {"", 0}, "every type and root"};
    if (top->has_retained)
        list[count++] = (hsd_next){"hsdiff top", "--retained objects.csv", {"", 0}, "what each object retains"};
    hsd_text_suggest_import(model->options, list, &count);
    hsd_text_next(out, model->options, list, count);
}

/* ---- parts ---- */

static hsd_status add_ranked(top_model *m, const hsd_top *top, const hsd_model_request *request, bool is_types)
{
    const size_t most = is_types ? request->most->types : request->most->roots;
    hsd_top_ranking *ranking = is_types ? &m->types : &m->roots;
    hsd_top_row *others = is_types ? &m->other_types : &m->other_roots;
    if (m->model.format == HSD_IN_CSV && request->options->table != (is_types ? HSD_TABLE_TYPES : HSD_TABLE_ROOTS))
        return HSD_OK;
    HSD_TRY(hsd_top_ranking_init(ranking, top, is_types, request->options->sort_by, most, request->err));
    *others = (hsd_top_row){.name = {"", 0}, .live = ranking->others, .unreached = ranking->others_unreached};
    if (ranking->count == 0 && (m->model.format & HSD_IN_TABLES)) return HSD_OK;
    m->model.has_folded |= ranking->others.objects > 0;
    hsd_model_add(&m->model,
                  (hsd_part){.kind = HSD_PART_TABLE,
                             .in = HSD_IN_ALL,
                             .names = is_types ? "type, root" : NULL,
                             .others_record = is_types ? "others-type" : "others-root",
                             .title = is_types ? "Live heap by type" : "Live heap by root",
                             .one = is_types ? "type" : "root",
                             .many = is_types ? "types" : "roots",
                             .member = is_types ? "types" : "roots",
                             .record = is_types ? "type" : "root",
                             .first = "row",
                             .plain = "name bytes objects unreached_bytes unreached_objects retained_bytes",
                             .columns = is_types ? type_columns : root_columns,
                             .sheet = {.rows = {ranking->rows, ranking->shown, sizeof *ranking->rows, false},
                                       .other_count = ranking->count - ranking->shown,
                                       .others = others,
                                       .other_columns = is_types ? other_type_columns : other_root_columns,
                                       .total = &m->total,
                                       .others_in = most != HSD_TOP_ALL ? HSD_OTHERS_ALWAYS : HSD_OTHERS_NONE}});
    return HSD_OK;
}

/* For people with --top all of them; else those that retain a hundredth of the heap, and a few in any case. */
static size_t objects_shown(const hsd_model *model, const hsd_top *top)
{
    const uint64_t least = top->side.live.bytes / 100;
    size_t shown = 0;
    if (model->format == HSD_IN_GAUGES && top->object_count > HSD_GAUGES_MOST) return HSD_GAUGES_MOST;
    if ((model->format & HSD_IN_PEOPLE) == 0 || model->options->top > 0) return top->object_count;
    while (shown < top->object_count && (shown < OBJECTS_SHOWN || top->objects[shown].retained_bytes >= least))
        shown++;
    return shown;
}

static void add_objects(top_model *m, const hsd_top *top, const hsd_model_request *request)
{
    const size_t shown = objects_shown(&m->model, top);
    const uint64_t left_out = m->model.format == HSD_IN_GAUGES ? top->object_count - shown : 0;
    if (shown == 0 && (m->model.format & (HSD_IN_TABLES | HSD_IN_PLAIN))) return;
    if (m->model.format == HSD_IN_CSV && request->options->table != HSD_TABLE_OBJECTS) return;
    hsd_model_add(&m->model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = HSD_IN_ALL,
                                        .names = "object",
                                        .title = "Objects that retain most",
                                        .one = "object",
                                        .many = "objects",
                                        .member = "objects",
                                        .record = "object",
                                        .first = "row",
                                        .columns = object_columns,
                                        .has_ids = true,
                                        .plain = "id type bytes retained_bytes retained_objects place",
                                        .sheet = {.rows = {top->objects, shown, sizeof *top->objects, false},
                                                  .other_count = left_out,
                                                  .is_unknown = !top->has_retained,
                                                  .why = top->why_no_retained,
                                                  .why_member = "why_no_retained"}});
}

static void release_top_model(hsd_model *model)
{
    top_model *m = (top_model *)(void *)model;
    hsd_top_ranking_release(&m->types);
    hsd_top_ranking_release(&m->roots);
}

const size_t hsd_model_top_bytes = sizeof(top_model);

hsd_status hsd_model_top(hsd_model *model, const hsd_top *top, const hsd_model_request *request)
{
    top_model *m = (top_model *)(void *)model;
    model->schema = "hsdiff.top/1";
    model->result = top;
    model->others_key = "of";
    model->release = release_top_model;
    m->capture = (hsd_capture_row){.side = &top->side, .has_soft = top->has_retained};
    m->total = (hsd_top_row){.name = {"", 0}, .live = top->side.live};
    add_sentence(model, HSD_PART_ANSWER, say_answer);
    hsd_model_add(model, hsd_answer_part(NULL, say_all));
    add_sentence(model, HSD_PART_RELATION, say_capture);
    if (model->format != HSD_IN_PLAIN) hsd_model_add(model, hsd_captures_part(&m->capture, 1, NULL));
    hsd_model_add(model, hsd_warnings_part(top->warnings, top->warning_count));
    if (model->format == HSD_IN_PLAIN) hsd_model_add(model, hsd_captures_part(&m->capture, 1, HSD_PLAIN_CAPTURE));
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_LINES, .in = HSD_IN_TEXT, .tell = tell_capture});
    add_sentence(model, HSD_PART_SENTENCE, say_accumulation);
    if (!top->has_retained)
        hsd_model_add(model, (hsd_part){.kind = HSD_PART_TEXTS,
                                        .in = HSD_IN_PLAIN,
                                        .record = "no-retained",
                                        .texts = &top->why_no_retained,
                                        .text_count = 1});
    if (top->accumulation)
        hsd_model_add(model, (hsd_part){.kind = HSD_PART_RECORD,
                                        .in = HSD_IN_JSON,
                                        .member = "accumulation",
                                        .record = "accumulation",
                                        .columns = object_columns,
                                        .row = top->accumulation});
    HSD_TRY(add_ranked(m, top, request, true));
    HSD_TRY(add_ranked(m, top, request, false));
    add_objects(m, top, request);
    add_sentence(model, HSD_PART_SENTENCE, say_why);
    add_sentence(model, HSD_PART_SENTENCE, say_soft);
    hsd_model_add(model,
                  (hsd_part){.kind = HSD_PART_SENTENCE, .in = HSD_IN_PEOPLE, .say = say_unreached, .is_close = true});
    hsd_model_add(model, (hsd_part){.kind = HSD_PART_LINES, .in = HSD_IN_TEXT, .tell = tell_next});
    return HSD_OK;
}

/*
 * /api/object: one object or root, and all that is known of it.
 */
#include "view/answers.h"

static void put_fields(hsd_json_writer *json, const hsd_browse_object *object)
{
    hsd_json_open_list(json, "fields", HSD_JSON_INLINE);
    for (size_t i = 0; i < object->field_count; i++) {
        hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
        hsd_json_put_text(json, "name", object->fields[i].name);
        hsd_json_put_text(json, "value", object->fields[i].value);
        hsd_json_close(json);
    }
    hsd_json_close(json);
}

static void put_frames(hsd_json_writer *json, const hsd_browse_object *object)
{
    hsd_json_open_list(json, "frames", HSD_JSON_INLINE);
    for (size_t i = 0; i < object->frame_count; i++) {
        const hsd_site_frame *frame = &object->frames[i];
        hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
        hsd_json_put_text(json, "function", frame->function);
        hsd_json_put_text(json, "file", frame->file);
        hsd_json_put_count(json, "line", frame->line);
        hsd_json_put_count(json, "column", frame->column);
        hsd_json_close(json);
    }
    hsd_json_close(json);
}

static void put_other(hsd_json_writer *json, const hsd_view_asked *asked, const hsd_browse_object *object)
{
    if (!object->is_on_other_side) {
        hsd_json_put_null(json, "other");
        return;
    }
    hsd_json_open_object(json, "other", HSD_JSON_INLINE);
    hsd_json_put_string(json, "side", hsd_view_side_word(asked->browse, 1 - asked->side));
    hsd_json_put_id(json, "of", object->other_id);
    hsd_json_put_id(json, "id", object->other_id);
    hsd_json_put_count(json, "bytes", object->other_bytes);
    hsd_json_close(json);
}

hsd_status hsd_view_answer_object(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err)
{
    hsd_browse_ref ref;
    hsd_browse_object *object = NULL;
    HSD_TRY(hsd_view_find(asked, &ref, err));
    HSD_TRY(hsd_browse_object_get(asked->browse, asked->side, ref, &object, err));
    hsd_view_put_node(json, "node", &object->node);
    if (object->has_length)
        hsd_json_put_count(json, "length", object->length);
    else
        hsd_json_put_null(json, "length");
    hsd_json_put_text(json, "owner", object->owner);
    hsd_json_put_count(json, "referents", object->referents);
    hsd_json_put_count(json, "referrers", object->referrers);
    hsd_json_put_count(json, "dominated", object->dominated);
    put_fields(json, object);
    put_frames(json, object);
    put_other(json, asked, object);
    hsd_browse_object_free(object);
    return HSD_OK;
}

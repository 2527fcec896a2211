/*
 * /api/object: one object or root, and all that is known of it.
 */
#include "report/json_pieces.h"
#include "view/answers.h"

static void put_fields(hsd_out *out, const hsd_browse_object *object)
{
    hsd_out_text(out, ", \"fields\": [");
    for (size_t i = 0; i < object->field_count; i++) {
        hsd_json_string(out, i > 0 ? ", {\"name\": " : "{\"name\": ", object->fields[i].name);
        hsd_json_string(out, ", \"value\": ", object->fields[i].value);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

static void put_frames(hsd_out *out, const hsd_browse_object *object)
{
    hsd_out_text(out, ", \"frames\": [");
    for (size_t i = 0; i < object->frame_count; i++) {
        const hsd_site_frame *frame = &object->frames[i];
        hsd_json_string(out, i > 0 ? ", {\"function\": " : "{\"function\": ", frame->function);
        hsd_json_string(out, ", \"file\": ", frame->file);
        hsd_json_count(out, ", \"line\": ", frame->line);
        hsd_json_count(out, ", \"column\": ", frame->column);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

static void put_other(hsd_out *out, const hsd_view_asked *asked, const hsd_browse_object *object)
{
    if (!object->is_on_other_side) {
        hsd_out_text(out, ", \"other\": null");
        return;
    }
    hsd_json_text(out, ", \"other\": {\"side\": ", hsd_view_side_word(asked->browse, 1 - asked->side));
    hsd_json_id(out, ", \"of\": ", object->other_id);
    hsd_json_id(out, ", \"id\": ", object->other_id);
    hsd_json_count(out, ", \"bytes\": ", object->other_bytes);
    hsd_out_text(out, "}");
}

hsd_status hsd_view_answer_object(const hsd_view_asked *asked, hsd_out *out, hsd_error *err)
{
    hsd_browse_ref ref;
    hsd_browse_object *object = NULL;
    HSD_TRY(hsd_view_find(asked, &ref, err));
    HSD_TRY(hsd_browse_object_get(asked->browse, asked->side, ref, &object, err));
    hsd_view_put_node(out, "{\"node\": ", &object->node);
    if (object->has_length)
        hsd_json_count(out, ", \"length\": ", object->length);
    else
        hsd_out_text(out, ", \"length\": null");
    hsd_json_string(out, ", \"owner\": ", object->owner);
    hsd_json_count(out, ", \"referents\": ", object->referents);
    hsd_json_count(out, ", \"referrers\": ", object->referrers);
    hsd_json_count(out, ", \"dominated\": ", object->dominated);
    put_fields(out, object);
    put_frames(out, object);
    put_other(out, asked, object);
    hsd_out_text(out, "}");
    hsd_browse_object_free(object);
    return HSD_OK;
}

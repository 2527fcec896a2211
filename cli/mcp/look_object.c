/*
 * One object and all around it in one answer: the path that keeps it, where it was allocated, how it fares in the pair,
 * what it holds, who refers to it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <hsdiff/report.h>

#include "look.h"
#include "words.h"

#define AROUND      5u
#define FRAMES_MOST 12u

static void put_object_head(const mcp_look *look, const hsd_browse_object *object)
{
    char bytes[HSD_NUMBER_CHARS], retained[HSD_NUMBER_CHARS], objects[HSD_NUMBER_CHARS];
    mcp_text *text = &look->call->text;
    const char *state = mcp_state_word(object->node.state);
    mcp_put_name(text, object->node.type, MCP_NAME_BYTES);
    mcp_put(text, " ");
    mcp_put_id(text, &object->node);
    if (object->node.name.size > 0) {
        mcp_put(text, " ");
        mcp_put_name(text, object->node.name, MCP_NAME_BYTES);
    }
    mcp_put_format(text, ": %s itself, keeps %s in %s objects in memory%s%s.",
                   hsd_format_bytes(bytes, object->node.bytes), hsd_format_bytes(retained, object->node.retained_bytes),
                   hsd_format_count(objects, object->node.retained_objects), *state ? ", " : "", state);
    if (object->owner.size > 0) {
        mcp_put(text, " Its root: ");
        mcp_put_name(text, object->owner, MCP_NAME_BYTES);
        mcp_put(text, ".");
    }
    if (object->has_length) mcp_put_format(text, " Length %" PRIu64 ".", object->length);
    if (object->is_on_other_side)
        mcp_put_format(text, " In the other capture: 0x%" PRIx64 ", %s.", object->other_id,
                       hsd_format_bytes(bytes, object->other_bytes));
    mcp_put(text, "\n");
    mcp_put_fact_number(look->call, "bytes", (int64_t)object->node.bytes);
    mcp_put_fact_number(look->call, "retained_bytes", (int64_t)object->node.retained_bytes);
    if (*state) mcp_put_fact_text(look->call, "state", state, strlen(state));
}

static void put_object_fields(mcp_text *text, const hsd_browse_object *object)
{
    for (size_t i = 0; i < object->field_count; i++) {
        mcp_put(text, "Value: ");
        mcp_put_name(text, object->fields[i].name, MCP_NAME_BYTES);
        mcp_put(text, object->fields[i].name.size > 0 ? " = " : "");
        mcp_put_name(text, object->fields[i].value, 400);
        mcp_put(text, "\n");
    }
}

static void put_object_frames(mcp_text *text, const hsd_browse_object *object)
{
    if (object->frame_count > 0) mcp_put(text, "\nALLOCATED BY\n");
    for (size_t i = 0; i < object->frame_count && i < FRAMES_MOST; i++) {
        const hsd_site_frame *frame = &object->frames[i];
        mcp_put(text, "  ");
        mcp_put_name(text, frame->function, MCP_NAME_BYTES);
        if (frame->file.size > 0) {
            mcp_put(text, "  ");
            mcp_put_name(text, frame->file, 200);
            if (frame->line > 0) mcp_put_format(text, ":%u", frame->line);
        }
        mcp_put(text, "\n");
    }
}

static void put_object_path(mcp_text *text, const hsd_browse_list *path)
{
    mcp_put(text, path->count == 0 ? "\nNo root leads to it: it is garbage.\n" : "\nPATH THAT KEEPS IT\n");
    mcp_put_way(text, path);
}

static void put_around(const mcp_look *look, const char *heading, hsd_browse_list *list)
{
    mcp_text *text = &look->call->text;
    if (list->count > 0) {
        mcp_put_format(text, "\n%s, %zu of %" PRIu64 ":\n", heading, list->count, list->total);
        mcp_put_nodes(text, list, true, AROUND);
    }
    hsd_browse_list_free(list);
}

static hsd_status put_neighbours(const mcp_look *look, hsd_error *err)
{
    hsd_browse_list *list;
    HSD_TRY(hsd_browse_path(look->browse, look->side, look->ref, &list, err));
    put_object_path(&look->call->text, list);
    hsd_browse_list_free(list);
    HSD_TRY(hsd_browse_referrers(look->browse, look->side, look->ref, 0, AROUND, &list, err));
    put_around(look, "Referred to by", list);
    HSD_TRY(hsd_browse_dominated(look->browse, look->side, look->ref, 0, AROUND, &list, err));
    put_around(look, "Keeps alive, directly", list);
    return HSD_OK;
}

static hsd_status tell_object(const mcp_look *look, const hsd_browse_object *object, hsd_error *err)
{
    put_object_head(look, object);
    put_object_fields(&look->call->text, object);
    HSD_TRY(put_neighbours(look, err));
    put_object_frames(&look->call->text, object);
    if (object->referrers > AROUND) mcp_put_next_object(look, "referrers", &object->node, "all that refer to it");
    mcp_put_next_object(look, "dominators", &object->node, "where a cut would free it");
    return HSD_OK;
}

hsd_status mcp_look_object(const mcp_look *look, hsd_error *err)
{
    hsd_browse_object *object;
    if (!look->has_ref) {
        hsd_fail(err, HSD_E_MISUSE, "the argument id is missing: 0x1f");
        hsd_error_set_hint(err, "look with \"what\":\"objects\" and a type lists objects with their ids");
        return HSD_E_MISUSE;
    }
    HSD_TRY(hsd_browse_object_get(look->browse, look->side, look->ref, &object, err));
    const hsd_status status = tell_object(look, object, err);
    hsd_browse_object_free(object);
    return status;
}

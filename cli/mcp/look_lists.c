/*
 * Lists: types, roots, objects, what refers to one and what it refers to.
 */
#include <string.h>

#include <hsdiff/report.h>

#include "look.h"
#include "words.h"

#define SIFTED_MOST 50000u /* objects that are looked at for a state */

/* How many there are, and how to get the others. `what`: "Referrers". */
static void put_extent(const mcp_look *look, const char *what, uint64_t from, size_t count, uint64_t total,
                       bool is_known)
{
    char number[HSD_NUMBER_CHARS];
    mcp_text *text = &look->call->text;
    mcp_put_format(text, "%s: %s%s", what, is_known ? "" : "at least ", hsd_format_count(number, total));
    if (count < total)
        mcp_put_format(text, "; these are %llu to %llu, others by \"from\"", (unsigned long long)from + 1,
                       (unsigned long long)(from + count));
    mcp_put(text, ".\n\n");
    mcp_put_fact_number(look->call, "total", (int64_t)total);
    mcp_put_fact_number(look->call, "from", (int64_t)from);
    mcp_put_fact_number(look->call, "count", (int64_t)count);
}

/* ---- types */

static void put_types(mcp_text *text, const hsd_browse_types *types)
{
    char bytes[HSD_NUMBER_CHARS], objects[HSD_NUMBER_CHARS], retained[HSD_NUMBER_CHARS];
    if (types->count > 0) mcp_put(text, "OBJECTS         BYTES    RETAINED  TYPE\n");
    for (size_t i = 0; i < types->count; i++) {
        const hsd_browse_type *type = &types->types[i];
        mcp_put_format(text, "%-11s%10s  %10s  ", hsd_format_count(objects, type->live.objects),
                       hsd_format_bytes(bytes, type->live.bytes), hsd_format_bytes(retained, type->retained_bytes));
        mcp_put_name(text, type->name, MCP_NAME_BYTES);
        mcp_put(text, "\n");
    }
}

static void put_next_of_types(const mcp_look *look, const hsd_browse_types *types)
{
    mcp_text arguments = {.most = 600};
    if (types->count == 0) return;
    mcp_put_same(look, &arguments, "objects");
    mcp_put(&arguments, ",\"type\":");
    mcp_put_string(&arguments, types->types[0].name.data, types->types[0].name.size);
    if (!arguments.is_cut) mcp_put_next(look->call, "look", &arguments, "its objects, with ids");
    mcp_text_release(&arguments);
}

hsd_status mcp_look_types(const mcp_look *look, hsd_error *err)
{
    const char *part = look->text ? look->text : "";
    hsd_browse_types *types;
    HSD_TRY(hsd_browse_types_get(look->browse, look->side, (hsd_text){part, strlen(part)},
                                 (hsd_browse_type_order)look->order, look->from, (size_t)look->count, &types, err));
    put_extent(look, "Types", types->from, types->count, types->total, true);
    put_types(&look->call->text, types);
    put_next_of_types(look, types);
    hsd_browse_types_free(types);
    return HSD_OK;
}

/* ---- objects and roots */

static hsd_status tell_list(const mcp_look *look, hsd_browse_list *list, const char *what, bool has_edges,
                            const char *next, const char *why)
{
    put_extent(look, what, list->from, list->count, list->total, list->is_total_known);
    mcp_put_nodes(&look->call->text, list, has_edges, list->count);
    if (list->count > 0 && next) mcp_put_next_object(look, next, &list->nodes[0], why);
    hsd_browse_list_free(list);
    return HSD_OK;
}

hsd_status mcp_look_roots(const mcp_look *look, hsd_error *err)
{
    hsd_browse_list *list;
    HSD_TRY(hsd_browse_dominated(look->browse, look->side, (hsd_browse_ref){HSD_BROWSE_ALL}, look->from,
                                 (size_t)look->count, &list, err));
    return tell_list(look, list, "Roots, and objects that no root holds alone", false, "dominated",
                     "what it keeps in memory");
}

static hsd_status ask_objects(const mcp_look *look, uint64_t from, size_t count, hsd_browse_list **list, hsd_error *err)
{
    const hsd_status status = hsd_browse_objects(look->browse, look->side, (hsd_text){look->type, strlen(look->type)},
                                                 from, count, list, err);
    if (status == HSD_E_NOT_FOUND)
        hsd_error_set_hint(err, "look with \"what\":\"types\" and \"text\": a part of the name finds the exact one");
    return status;
}

/* Keeps those in the wanted state. */
static void sift_objects(const mcp_look *look, hsd_browse_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if ((unsigned)list->nodes[i].state == look->state) list->nodes[kept++] = list->nodes[i];
    list->count = kept;
}

/* The first part of the list, of at most SIFTED_MOST, in which there are objects in the wanted state. */
static hsd_status find_in_state(const mcp_look *look, hsd_browse_list **list, uint64_t *at, hsd_error *err)
{
    for (*at = look->from;; *at += HSD_BROWSE_MOST) {
        HSD_TRY(ask_objects(look, *at, HSD_BROWSE_MOST, list, err));
        const bool is_last = *at + (*list)->count >= (*list)->total || *at - look->from >= SIFTED_MOST;
        sift_objects(look, *list);
        if ((*list)->count > 0 || is_last) return HSD_OK;
        hsd_browse_list_free(*list);
    }
}

static hsd_status tell_in_state(const mcp_look *look, hsd_error *err)
{
    hsd_browse_list *list;
    uint64_t at;
    mcp_text *text = &look->call->text;
    const char *state = mcp_state_word((hsd_browse_state)look->state);
    HSD_TRY(find_in_state(look, &list, &at, err));
    mcp_put_format(
        text,
        "Objects that are %s, among those from %llu on, by what they keep in memory; there are %llu in all states.\n\n",
        state, (unsigned long long)at, (unsigned long long)list->total);
    if (list->count == 0) mcp_put(text, "None was found there.\n");
    mcp_put_nodes(text, list, false, (size_t)look->count);
    mcp_put_fact_number(look->call, "total", (int64_t)list->total);
    if (list->count > 0) mcp_put_next_object(look, "object", &list->nodes[0], "its path from a root, what holds it");
    hsd_browse_list_free(list);
    return HSD_OK;
}

hsd_status mcp_look_objects(const mcp_look *look, hsd_error *err)
{
    hsd_browse_list *list;
    if (!look->type) return hsd_fail(err, HSD_E_MISUSE, "the argument type is missing: the exact name of a type");
    if (look->state != HSD_BROWSE_LIVE) return tell_in_state(look, err);
    HSD_TRY(ask_objects(look, look->from, (size_t)look->count, &list, err));
    return tell_list(look, list, "Objects", false, "object", "its path from a root, what holds it, its other side");
}

/* ---- around one object */

static hsd_status need_id(const mcp_look *look, hsd_error *err)
{
    if (look->has_ref) return HSD_OK;
    hsd_fail(err, HSD_E_MISUSE, "the argument id is missing: 0x1f, or root:3");
    hsd_error_set_hint(err, "look with \"what\":\"objects\" and a type lists objects with their ids");
    return HSD_E_MISUSE;
}

hsd_status mcp_look_referrers(const mcp_look *look, hsd_error *err)
{
    hsd_browse_list *list;
    HSD_TRY(need_id(look, err));
    HSD_TRY(hsd_browse_referrers(look->browse, look->side, look->ref, look->from, (size_t)look->count, &list, err));
    return tell_list(look, list, "Objects and roots that refer to it", true, "object", "the first of them");
}

hsd_status mcp_look_referents(const mcp_look *look, hsd_error *err)
{
    hsd_browse_list *list;
    HSD_TRY(need_id(look, err));
    HSD_TRY(hsd_browse_referents(look->browse, look->side, look->ref, look->from, (size_t)look->count, &list, err));
    return tell_list(look, list, "Objects that it refers to", true, "object", "the first of them");
}

hsd_status mcp_look_dominated(const mcp_look *look, hsd_error *err)
{
    hsd_browse_list *list;
    HSD_TRY(need_id(look, err));
    HSD_TRY(hsd_browse_dominated(look->browse, look->side, look->ref, look->from, (size_t)look->count, &list, err));
    return tell_list(look, list, "Objects that it alone keeps in memory, directly", true, "object",
                     "the largest of them");
}

hsd_status mcp_look_dominators(const mcp_look *look, hsd_error *err)
{
    hsd_browse_list *list;
    mcp_text *text = &look->call->text;
    HSD_TRY(need_id(look, err));
    HSD_TRY(hsd_browse_dominators(look->browse, look->side, look->ref, &list, err));
    mcp_put(text, "Dominators, the root first: all ways to the object lead through each of them, so a cut above any of "
                  "them frees it.\n\n");
    if (list->count == 0) mcp_put(text, "There are none: several roots reach it, or none does.\n");
    mcp_put_way(text, list);
    mcp_put_fact_number(look->call, "total", (int64_t)list->total);
    hsd_browse_list_free(list);
    return HSD_OK;
}

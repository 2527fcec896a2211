/*
 * Lists: types, objects of a type, and what lies around a node.
 */
#include "view/answers.h"

hsd_status hsd_view_answer_types(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err)
{
    const hsd_view_question *question = asked->question;
    hsd_browse_types *types = NULL;
    HSD_TRY(hsd_browse_types_get(asked->browse, asked->side, question->text, question->order, question->from,
                                 question->count, &types, err));
    hsd_json_put_count(json, "from", types->from);
    hsd_json_put_count(json, "total", types->total);
    hsd_view_put_types(json, "types", types);
    hsd_browse_types_free(types);
    return HSD_OK;
}

typedef hsd_status (*range_fn)(hsd_browse *browse, size_t side, hsd_browse_ref ref, uint64_t from, size_t count,
                               hsd_browse_list **out, hsd_error *err);

/* What lies around a node: a part of a list; NULL for what is answered whole. */
static const range_fn ranges[HSD_VIEW_ROUTES] = {[HSD_VIEW_DOMINATED] = hsd_browse_dominated,
                                                 [HSD_VIEW_REFERENTS] = hsd_browse_referents,
                                                 [HSD_VIEW_REFERRERS] = hsd_browse_referrers};

static hsd_status ask_heap_answer(const hsd_view_asked *asked, hsd_browse_list **list, hsd_error *err)
{
    const hsd_view_question *question = asked->question;
    hsd_browse *browse = asked->browse;
    const size_t side = asked->side;
    const range_fn range = ranges[question->route];
    hsd_browse_ref ref;
    if (question->route == HSD_VIEW_OBJECTS)
        return hsd_browse_objects(browse, side, question->type, question->from, question->count, list, err);
    HSD_TRY(hsd_view_find(asked, &ref, err));
    if (range) return range(browse, side, ref, question->from, question->count, list, err);
    return question->route == HSD_VIEW_PATH ? hsd_browse_path(browse, side, ref, list, err)
                                            : hsd_browse_dominators(browse, side, ref, list, err);
}

hsd_status hsd_view_answer_nodes(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err)
{
    hsd_browse_list *list = NULL;
    HSD_TRY(ask_heap_answer(asked, &list, err));
    hsd_json_put_count(json, "from", list->from);
    hsd_json_put_count(json, "total", list->total);
    hsd_json_put_flag(json, "total_known", list->is_total_known);
    hsd_view_put_nodes(json, "nodes", list);
    hsd_browse_list_free(list);
    return HSD_OK;
}

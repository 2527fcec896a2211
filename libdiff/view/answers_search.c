/*
 * /api/search: what a word may mean: an object, if it is an id; types and roots with it in their name.
 */
#include <string.h>

#include "view/answers.h"

enum { FOUND_MOST = 10, ROOTS_LOOKED_AT = 1000 };

/* "0x1f", or "@31" as commands show ids of V8. */
static bool is_id(hsd_text text, uint64_t *id)
{
    const bool is_hex = text.size > 2 && text.data[0] == '0' && (text.data[1] == 'x' || text.data[1] == 'X');
    const bool is_number = text.size > 1 && text.data[0] == '@';
    const unsigned base = is_hex ? 16 : 10;
    if (!is_hex && !is_number) return false;
    *id = 0;
    for (size_t i = is_hex ? 2 : 1; i < text.size; i++) {
        const char c = (char)(text.data[i] >= 'A' && text.data[i] <= 'F' ? text.data[i] + 32 : text.data[i]);
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                      : base;
        if (digit >= base || __builtin_mul_overflow(*id, base, id) || __builtin_add_overflow(*id, digit, id))
            return false;
    }
    return true;
}

static hsd_status put_object(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err)
{
    uint64_t id;
    hsd_browse_ref ref;
    hsd_browse_object *object = NULL;
    hsd_status status = HSD_E_NOT_FOUND;
    if (is_id(asked->question->text, &id)) status = hsd_browse_find(asked->browse, asked->side, id, &ref, err);
    if (status == HSD_OK) status = hsd_browse_object_get(asked->browse, asked->side, ref, &object, err);
    if (status == HSD_OK)
        hsd_view_put_node(json, "object", &object->node);
    else
        hsd_json_put_null(json, "object");
    hsd_browse_object_free(object);
    return status == HSD_E_NOT_FOUND ? HSD_OK : status;
}

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c); }

static bool has_text(hsd_text name, hsd_text text)
{
    for (size_t at = 0; at + text.size <= name.size; at++) {
        size_t same = 0;
        while (same < text.size && lower(name.data[at + same]) == lower(text.data[same]))
            same++;
        if (same == text.size) return true;
    }
    return false;
}

/* Among the roots that retain most. */
static hsd_status put_roots(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err)
{
    const hsd_browse_ref all = {HSD_BROWSE_ALL};
    hsd_browse_list *list = NULL;
    size_t found = 0;
    HSD_TRY(hsd_browse_dominated(asked->browse, asked->side, all, 0, ROOTS_LOOKED_AT, &list, err));
    hsd_json_open_list(json, "roots", HSD_JSON_BELOW);
    for (size_t i = 0; i < list->count && found < FOUND_MOST; i++)
        if (list->nodes[i].is_root && has_text(list->nodes[i].type, asked->question->text))
            hsd_view_put_node(json, NULL, &list->nodes[i]), found++;
    hsd_json_close(json);
    hsd_browse_list_free(list);
    return HSD_OK;
}

hsd_status hsd_view_answer_search(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err)
{
    hsd_browse_types *types = NULL;
    HSD_TRY(hsd_browse_types_get(asked->browse, asked->side, asked->question->text, HSD_BROWSE_BY_RETAINED, 0,
                                 FOUND_MOST, &types, err));
    hsd_view_put_types(json, "types", types);
    hsd_browse_types_free(types);
    HSD_TRY(put_roots(asked, json, err));
    return put_object(asked, json, err);
}

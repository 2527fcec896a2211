/*
 * Nodes, lists of nodes and types as JSON: what the answers are made of.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/model/model.h"
#include "view/answers.h"

void hsd_view_say_error(char sentence[HSD_VIEW_SENTENCE_BYTES], const hsd_error *error)
{
    const char *file = strcmp(error->file, "-") == 0 ? "standard input" : error->file;
    snprintf(sentence, HSD_VIEW_SENTENCE_BYTES, "%s%s%s", file, file[0] ? ": " : "",
             error->text[0] ? error->text : hsd_status_name(error->status));
}

static const char *state_word(hsd_browse_state state)
{
    switch (state) {
    case HSD_BROWSE_KEPT: return "kept";
    case HSD_BROWSE_NEW: return "new";
    case HSD_BROWSE_FREED: return "freed";
    case HSD_BROWSE_UNREACHED: return "unreached";
    case HSD_BROWSE_LIVE: break;
    }
    return "live";
}

/* How it is asked about: objects by id, roots by number. */
static void put_of(hsd_json_writer *json, const hsd_browse_node *node)
{
    char root[32];
    snprintf(root, sizeof root, "root:%" PRIu64, node->ref.node);
    if (node->ref.node == HSD_BROWSE_ALL || node->is_root)
        hsd_json_put_string(json, "of", node->ref.node == HSD_BROWSE_ALL ? "all" : root);
    else
        hsd_json_put_id(json, "of", node->id);
}

static void put_identity(hsd_json_writer *json, const hsd_browse_node *node)
{
    hsd_json_put_flag(json, "is_root", node->is_root);
    if (node->is_root) {
        hsd_json_put_string(json, "kind", hsd_root_kind_word(node->root_kind));
        hsd_json_put_null(json, "id");
    } else {
        hsd_json_put_null(json, "kind");
        hsd_json_put_id(json, "id", node->id);
    }
}

void hsd_view_put_node(hsd_json_writer *json, const char *key, const hsd_browse_node *node)
{
    hsd_json_open_object(json, key, HSD_JSON_INLINE);
    put_of(json, node);
    put_identity(json, node);
    hsd_json_put_text(json, "type", node->type);
    if (node->name.size > 0) hsd_json_put_text(json, "name", node->name);
    hsd_json_put_text(json, "edge", node->edge);
    hsd_json_put_count(json, "bytes", node->bytes);
    hsd_json_put_count(json, "retained", node->retained_bytes);
    hsd_json_put_count(json, "retained_objects", node->retained_objects);
    hsd_json_put_string(json, "state", state_word(node->state));
    hsd_json_put_flag(json, "weak", node->is_weak);
    hsd_json_put_flag(json, "part", node->is_part);
    hsd_json_close(json);
}

void hsd_view_put_nodes(hsd_json_writer *json, const char *key, const hsd_browse_list *list)
{
    hsd_json_open_list(json, key, HSD_JSON_BELOW);
    for (size_t i = 0; i < list->count; i++)
        hsd_view_put_node(json, NULL, &list->nodes[i]);
    hsd_json_close(json);
}

void hsd_view_put_types(hsd_json_writer *json, const char *key, const hsd_browse_types *types)
{
    hsd_json_open_list(json, key, HSD_JSON_BELOW);
    for (size_t i = 0; i < types->count; i++) {
        const hsd_browse_type *type = &types->types[i];
        hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
        hsd_json_put_text(json, "name", type->name);
        hsd_json_put_count(json, "objects", type->live.objects);
        hsd_json_put_count(json, "bytes", type->live.bytes);
        hsd_json_put_count(json, "retained", type->retained_bytes);
        hsd_json_close(json);
    }
    hsd_json_close(json);
}

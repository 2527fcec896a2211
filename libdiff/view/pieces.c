/*
 * Nodes, lists of nodes and types as JSON: what the answers are made of.
 */
#include <stdio.h>
#include <string.h>

#include "report/json_pieces.h"
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
static void put_of(hsd_out *out, const hsd_browse_node *node)
{
    if (node->ref.node == HSD_BROWSE_ALL)
        hsd_json_text(out, "{\"of\": ", "all");
    else if (node->is_root)
        hsd_out_format(out, "{\"of\": \"root:%lu\"", (unsigned long)node->ref.node);
    else
        hsd_json_id(out, "{\"of\": ", node->id);
}

static void put_identity(hsd_out *out, const hsd_browse_node *node)
{
    hsd_json_bool(out, ", \"is_root\": ", node->is_root);
    if (node->is_root) {
        hsd_json_root_kind(out, ", \"kind\": ", node->root_kind);
        hsd_out_text(out, ", \"id\": null");
    } else {
        hsd_out_text(out, ", \"kind\": null");
        hsd_json_id(out, ", \"id\": ", node->id);
    }
}

void hsd_view_put_node(hsd_out *out, const char *key, const hsd_browse_node *node)
{
    hsd_out_text(out, key);
    put_of(out, node);
    put_identity(out, node);
    hsd_json_string(out, ", \"type\": ", node->type);
    if (node->name.size > 0) hsd_json_string(out, ", \"name\": ", node->name);
    hsd_json_string(out, ", \"edge\": ", node->edge);
    hsd_json_count(out, ", \"bytes\": ", node->bytes);
    hsd_json_count(out, ", \"retained\": ", node->retained_bytes);
    hsd_json_count(out, ", \"retained_objects\": ", node->retained_objects);
    hsd_json_text(out, ", \"state\": ", state_word(node->state));
    hsd_json_bool(out, ", \"weak\": ", node->is_weak);
    hsd_json_bool(out, ", \"part\": ", node->is_part);
    hsd_out_text(out, "}");
}

void hsd_view_put_nodes(hsd_out *out, const char *key, const hsd_browse_list *list)
{
    hsd_out_format(out, "%s[", key);
    for (size_t i = 0; i < list->count; i++)
        hsd_view_put_node(out, i > 0 ? ",\n" : "\n", &list->nodes[i]);
    hsd_out_text(out, "]");
}

void hsd_view_put_types(hsd_out *out, const char *key, const hsd_browse_types *types)
{
    hsd_out_format(out, "%s[", key);
    for (size_t i = 0; i < types->count; i++) {
        const hsd_browse_type *type = &types->types[i];
        hsd_json_string(out, i > 0 ? ",\n{\"name\": " : "\n{\"name\": ", type->name);
        hsd_json_count(out, ", \"objects\": ", type->live.objects);
        hsd_json_count(out, ", \"bytes\": ", type->live.bytes);
        hsd_json_count(out, ", \"retained\": ", type->retained_bytes);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

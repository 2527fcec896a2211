/*
 * Tables of objects, and the calls that follow.
 */
#include <inttypes.h>
#include <string.h>

#include <hsdiff/report.h>

#include "look.h"
#include "words.h"

#define WAY_HEAD 12u /* lines of a long way at its front, and at its end */
#define WAY_TAIL 24u

static void put_node_name(mcp_text *text, const hsd_browse_node *node)
{
    mcp_put_name(text, node->type, MCP_NAME_BYTES);
    if (node->name.size == 0) return;
    mcp_put(text, " ");
    mcp_put_name(text, node->name, MCP_NAME_BYTES);
}

static void put_node_line(mcp_text *text, const hsd_browse_node *node, bool has_edge)
{
    char bytes[HSD_NUMBER_CHARS], retained[HSD_NUMBER_CHARS];
    const size_t begin = text->size;
    mcp_put_id(text, node);
    mcp_put_column(text, begin, 18);
    mcp_put_format(text, "%10s  %10s  %-9s  ", hsd_format_bytes(bytes, node->bytes),
                   hsd_format_bytes(retained, node->retained_bytes), mcp_state_word(node->state));
    if (has_edge && node->edge.size > 0) {
        mcp_put_name(text, node->edge, MCP_NAME_BYTES);
        mcp_put(text, ": ");
    }
    put_node_name(text, node);
    if (node->is_root) mcp_put(text, "  (root)");
    if (node->is_weak) mcp_put(text, "  (weak)");
    mcp_put(text, "\n");
}

void mcp_put_nodes(mcp_text *text, const hsd_browse_list *list, bool has_edges, size_t most)
{
    if (list->count > 0) mcp_put(text, "ID                     BYTES    RETAINED  STATE      OBJECT\n");
    for (size_t i = 0; i < list->count && i < most; i++)
        put_node_line(text, &list->nodes[i], has_edges);
}

/* ---- ways */

static bool is_alike(const hsd_browse_node *a, const hsd_browse_node *b)
{
    return !a->is_root && !b->is_root && a->edge.size == b->edge.size && a->type.size == b->type.size &&
           memcmp(a->edge.data, b->edge.data, a->edge.size) == 0 &&
           memcmp(a->type.data, b->type.data, a->type.size) == 0;
}

/* The place behind the steps that read like step `i`. */
static size_t end_of_run(const hsd_browse_list *way, size_t i)
{
    const size_t gap = way->total > way->count ? (size_t)way->from : way->count;
    size_t end = i + 1;
    while (end < way->count && end != gap && is_alike(&way->nodes[i], &way->nodes[end]))
        end++;
    return end;
}

static void put_step(mcp_text *text, const hsd_browse_node *node, size_t repeat)
{
    const char *state = mcp_state_word(node->state);
    mcp_put(text, "  ");
    if (node->edge.size > 0) {
        mcp_put_name(text, node->edge, MCP_NAME_BYTES);
        if (repeat > 1) mcp_put_format(text, "{x%zu}", repeat);
        mcp_put(text, ": ");
    }
    put_node_name(text, node);
    mcp_put(text, node->is_root ? "  (root)" : "  ");
    if (!node->is_root) mcp_put_id(text, node);
    if (*state && !node->is_root) mcp_put_format(text, "  %s", state);
    mcp_put(text, "\n");
}

void mcp_put_way(mcp_text *text, const hsd_browse_list *way)
{
    size_t lines = 0, line = 0;
    for (size_t i = 0; i < way->count; i = end_of_run(way, i))
        lines++;
    for (size_t i = 0, end; i < way->count; i = end, line++) {
        end = end_of_run(way, i);
        if (way->total > way->count && way->from == i)
            mcp_put_format(text, "  ... %" PRIu64 " more ...\n", way->total - way->count);
        if (lines > WAY_HEAD + WAY_TAIL && line == WAY_HEAD)
            mcp_put_format(text, "  ... %zu more lines ...\n", lines - WAY_HEAD - WAY_TAIL);
        if (lines > WAY_HEAD + WAY_TAIL && line >= WAY_HEAD && line < lines - WAY_TAIL) continue;
        put_step(text, &way->nodes[end - 1], end - i);
    }
}

/* ---- calls that follow */

void mcp_put_same(const mcp_look *look, mcp_text *arguments, const char *what)
{
    mcp_put_captures(arguments, look->paths, look->path_count);
    if (look->path_count > 1 && look->side == 0) mcp_put(arguments, ",\"side\":\"before\"");
    mcp_put_format(arguments, ",\"what\":\"%s\"", what);
}

void mcp_put_next_object(const mcp_look *look, const char *what, const hsd_browse_node *node, const char *why)
{
    mcp_text arguments = {.most = 600};
    mcp_put_same(look, &arguments, what);
    mcp_put(&arguments, ",\"id\":\"");
    mcp_put_id(&arguments, node);
    mcp_put(&arguments, "\"");
    if (!arguments.is_cut) mcp_put_next(look->call, "look", &arguments, why);
    mcp_text_release(&arguments);
}

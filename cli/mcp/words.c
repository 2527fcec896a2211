/*
 * What the tools say alike.
 */
#include "words.h"

#include <hsdiff/report.h>
#include <inttypes.h>

void mcp_put_place(mcp_text *text, hsd_text root, const hsd_step *path, size_t count, uint64_t cut)
{
    mcp_put_name(text, root, MCP_NAME_BYTES);
    for (size_t i = 0; i < count; i++) {
        if (cut > 0 && i == count / 2) mcp_put_format(text, "...%llu more...", (unsigned long long)cut);
        mcp_put_name(text, path[i].edge, MCP_NAME_BYTES);
        if (path[i].repeat > 1) mcp_put_format(text, "{x%u}", path[i].repeat);
    }
    if (count == 0) return;
    mcp_put(text, ": ");
    mcp_put_name(text, path[count - 1].type, MCP_NAME_BYTES);
    if (path[count - 1].name.size == 0) return;
    mcp_put(text, " ");
    mcp_put_name(text, path[count - 1].name, MCP_NAME_BYTES);
}

void mcp_put_holder(mcp_text *text, const hsd_holder *holder)
{
    if (holder->is_code) {
        mcp_put(text, "(program code)");
        return;
    }
    if (holder->by_count == 0) mcp_put_place(text, holder->root, holder->path, holder->path_count, holder->path_cut);
    for (size_t i = 0; i < holder->by_count && i < 4; i++) {
        const hsd_co_holder *by = &holder->by[i];
        mcp_put(text, i > 0 ? " and " : "");
        mcp_put_place(text, by->root, by->path, by->path_count, by->path_cut);
    }
    if (holder->by_count > 1) mcp_put(text, ", together");
}

void mcp_put_id(mcp_text *text, const hsd_browse_node *node)
{
    if (node->ref.node == HSD_BROWSE_ALL)
        mcp_put(text, "all");
    else if (node->is_root)
        mcp_put_format(text, "root:%" PRIu64, node->ref.node);
    else
        mcp_put_format(text, "0x%llx", (unsigned long long)node->id);
}

const char *mcp_state_word(hsd_browse_state state)
{
    switch (state) {
    case HSD_BROWSE_LIVE: return "";
    case HSD_BROWSE_KEPT: return "kept";
    case HSD_BROWSE_NEW: return "new";
    case HSD_BROWSE_FREED: return "freed";
    case HSD_BROWSE_UNREACHED: return "unreached";
    }
    return "";
}

void mcp_put_column(mcp_text *text, size_t begin, size_t columns)
{
    static const char blanks[] = "                                                                                ";
    size_t used = 0;
    for (size_t i = begin; i < text->size; i++)
        used += ((unsigned char)text->data[i] & 0xc0) != 0x80;
    const size_t wanted = used + 2 > columns ? 2 : columns - used;
    mcp_put_bytes(text, blanks, wanted < sizeof blanks ? wanted : sizeof blanks - 1);
}

/*
 * The table of tools, in the order in which clients show them.
 */
#include "tools.h"

#define ROW(name) &mcp_tool_##name,

static const mcp_tool *const tools[] = {MCP_TOOLS(ROW)};

const mcp_tool *mcp_tool_get(size_t i) { return i < sizeof tools / sizeof tools[0] ? tools[i] : NULL; }

/*
 * The tools: each a row in its own tool_*.c, listed in tools.c.
 */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include "call.h"

#define MCP_TOOLS(X)       X(list_captures) X(compare) X(check) X(look) X(sql) X(more) X(list_processes) X(take_capture)
#define MCP_TOOL_ROW(name) extern const mcp_tool mcp_tool_##name;
MCP_TOOLS(MCP_TOOL_ROW)
#undef MCP_TOOL_ROW

#endif

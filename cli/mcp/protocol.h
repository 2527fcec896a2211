/*
 * What is asked of the protocol itself: which revision is spoken, who the server is, which tools there are.
 */
#ifndef MCP_PROTOCOL_H
#define MCP_PROTOCOL_H

#include "server.h"

/* Which kind of client asks, by the request's _meta. False when that was wrong, and was answered. */
bool mcp_take_revision(mcp_server *server, mcp_request *request);

void mcp_send_initialized(mcp_server *server, const mcp_request *request);
void mcp_send_discovered(mcp_server *server, const mcp_request *request);
void mcp_send_tools(mcp_server *server, const mcp_request *request);
void mcp_send_empty(mcp_server *server, const char *id);

#endif

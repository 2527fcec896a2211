/*
 * What is asked of the protocol itself: which revision is spoken, who the server is, which tools there are.
 */
#ifndef MCP_PROTOCOL_H
#define MCP_PROTOCOL_H

#include "server.h"

void mcp_send_initialized(mcp_server *server, const char *id, const mcp_message *message, const mcp_json *params);
void mcp_send_tools(mcp_server *server, const char *id);
void mcp_send_empty(mcp_server *server, const char *id);

#endif

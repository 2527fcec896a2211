/*
 * What the tools say alike: places, ids, how a heap fares.
 */
#ifndef MCP_WORDS_H
#define MCP_WORDS_H

#include <hsdiff/browse.h>

#include "text.h"

#define MCP_NAME_BYTES 120u /* of a name in a table */

/* global.sessions.entries: Entry[] */
void mcp_put_place(mcp_text *text, hsd_text root, const hsd_step *path, size_t count, uint64_t cut);

/* The place of a holder, or of all that hold together. */
void mcp_put_holder(mcp_text *text, const hsd_holder *holder);

/* 0x1f, as every tool takes it; root:3 of a root; all. */
void mcp_put_id(mcp_text *text, const hsd_browse_node *node);

/* "new", "kept", "freed", "unreached"; "" where nothing is known of that. */
const char *mcp_state_word(hsd_browse_state state);

/* Pads the line that begins at `begin` to so many columns, two blanks at least. */
void mcp_put_column(mcp_text *text, size_t begin, size_t columns);

#endif

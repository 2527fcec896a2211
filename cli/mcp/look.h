/*
 * What the tool look says: one function for each thing that it can be asked for.
 */
#ifndef MCP_LOOK_H
#define MCP_LOOK_H

#include "call.h"

#define MCP_LOOK_COUNT 20u  /* rows by default */
#define MCP_LOOK_MOST  200u /* and at most */

typedef struct mcp_look {
    mcp_call *call;
    const char *paths[2];
    size_t path_count;
    mcp_heap *heap;
    hsd_browse *browse;
    size_t side;
    hsd_browse_ref ref; /* with has_ref: what id names */
    bool has_ref;
    uint64_t id;
    bool is_id;              /* of an object */
    const char *type, *text; /* NULL = not given */
    unsigned order;
    unsigned state; /* of hsd_browse_state that objects must have; HSD_BROWSE_LIVE = any */
    uint64_t from, count;
} mcp_look;

hsd_status mcp_look_types(const mcp_look *look, hsd_error *err);
hsd_status mcp_look_roots(const mcp_look *look, hsd_error *err);
hsd_status mcp_look_holders(const mcp_look *look, hsd_error *err);
hsd_status mcp_look_objects(const mcp_look *look, hsd_error *err);
hsd_status mcp_look_paths(const mcp_look *look, hsd_error *err);
hsd_status mcp_look_referrers(const mcp_look *look, hsd_error *err);
hsd_status mcp_look_referents(const mcp_look *look, hsd_error *err);
hsd_status mcp_look_dominators(const mcp_look *look, hsd_error *err);
hsd_status mcp_look_dominated(const mcp_look *look, hsd_error *err);
hsd_status mcp_look_object(const mcp_look *look, hsd_error *err);

/* ---- parts of these */

/* A table of nodes; `has_edges`: with the reference that leads to each. */
void mcp_put_nodes(mcp_text *text, const hsd_browse_list *list, bool has_edges, size_t most);

/* A way from a root, a step a line; steps that repeat are one line, and of a very long way the middle is left out. */
void mcp_put_way(mcp_text *text, const hsd_browse_list *way);

/* "captures":[...],"side":"before","what":"<what>" of the call that is answered, open for more. */
void mcp_put_same(const mcp_look *look, mcp_text *arguments, const char *what);

/* A next call about one object. */
void mcp_put_next_object(const mcp_look *look, const char *what, const hsd_browse_node *node, const char *why);

#endif

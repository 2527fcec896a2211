/*
 * Named owners of a JavaScript heap, found by structure.
 *
 * A program keeps its data in properties of the global object and in variables of its modules. Both
 * are told apart from all other objects here, so that growth can be laid at the door of
 * `global.sessions` or `app.js.cache`, where otherwise everything is reachable from everywhere.
 *
 *   global object    type object, 30 properties or more, and an internal reference to an object of
 *                    the program or the embedder, which turns out to be called "global_proxy" when the
 *                    names come
 *   module, script   a context (type object, its first reference is a variable) that refers to no
 *                    other object as V8's own, so its scope is the outermost; and no second context
 *                    was made of the same scope: then it is a function's, which runs many times
 *   its file         closure ─shared─► function ─script─► script, for a closure whose context it is, or else for one
 *                    whose context is inside: of a module that has classes alone, or that does all in an async function,
 *                    no function that is left has the outermost. The first context of each scope is remembered with the
 *                    one around it, "previous"
 *   its blocks       a context of a block (blocks.h), the only one of its scope, around which is that of the module, or
 *                    another such block: `if (isMainThread) { const jobs = new Map(); … }`. Where the module has no
 *                    variable that a closure needs, no context is around, and the block's is the outermost
 *
 * All of this was checked on node 12 to 26 and Chromium 156. Where a name does not turn out as expected, nothing is
 * named, and the capture is as good as without.
 */
#ifndef HSD_IMPORT_V8_SCOPES_H
#define HSD_IMPORT_V8_SCOPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/id_map.h"
#include "import/v8/functions.h"
#include "import/v8/names.h"

#define HSD_V8_NO_SCOPE     UINT32_MAX
#define HSD_V8_MOST_SCOPES  (UINT32_C(1) << 16)
#define HSD_V8_MOST_GLOBALS 256u /* and what looks like one */
#define HSD_V8_MOST_PROXIES 3u

typedef struct hsd_v8_scope { /* a context of a module or script */
    uint32_t ordinal;
    uint32_t function; /* one whose closure has this context, or HSD_V8_NO_FUNCTION */
    uint32_t file;     /* its file, or HSD_V8_NO_FILE; from settle on */
    uint32_t proof;    /* entry that must prove PREVIOUS, if the closure's context is inside; else HSD_V8_NO_ENTRY */
    uint32_t line;     /* of a block as of one that is inside */
    bool is_block, is_repeated;
    bool is_copy; /* of a module that is there several times; from hsd_v8_find_copies on */
} hsd_v8_scope;

typedef struct hsd_v8_inner { /* a context inside another */
    uint32_t ordinal, around;
    uint32_t proof; /* entry that must prove PREVIOUS */
    uint32_t scope; /* the module's, if this is one of its blocks, from resolve on; else HSD_V8_NO_SCOPE */
    uint32_t line;  /* the least of the functions of its closures, where its file has several blocks; 0 = not known */
    bool is_block, is_repeated;
} hsd_v8_inner;

typedef struct hsd_v8_context_node {
    uint32_t ordinal, home; /* home: its scope info */
    hsd_v8_link around;     /* of one that is inside */
    bool is_block;
} hsd_v8_context_node;

typedef struct hsd_v8_global {
    uint64_t id; /* V8's, which grow */
    uint32_t ordinal;
    uint32_t proofs[HSD_V8_MOST_PROXIES]; /* entries one of which must prove PROXY */
    hsd_bytes name;                       /* once it is known */
} hsd_v8_global;

typedef struct hsd_v8_global_node {
    uint64_t id;
    uint32_t ordinal, class_name; /* the string of its class */
} hsd_v8_global_node;

typedef struct hsd_v8_scopes {
    hsd_v8_scope *scopes;
    uint32_t scope_count, scope_capacity;
    hsd_v8_global globals[HSD_V8_MOST_GLOBALS];
    uint32_t global_count;
    hsd_id_map homes; /* scope info -> context */
    hsd_v8_inner *inner;
    uint32_t inner_count, inner_capacity;
    hsd_id_map inner_homes; /* scope info -> number of the first context of it that is inside another */
    hsd_arena arena;
} hsd_v8_scopes;

/* Names of the references that may be a global object's to its proxy. */
typedef struct hsd_v8_proxies {
    uint32_t names[HSD_V8_MOST_PROXIES];
    unsigned count;
} hsd_v8_proxies;

/* An outermost context with its scope info; `is_block` as below. *out is its number, or HSD_V8_NO_SCOPE when it is no
 * module's, or one too many. */
hsd_status hsd_v8_scopes_context(hsd_v8_scopes *scopes, const hsd_v8_context_node *node, uint32_t *out, hsd_error *err);

/* A context with its scope info, and the one around it. */
hsd_status hsd_v8_scopes_inner(hsd_v8_scopes *scopes, hsd_v8_names *names, const hsd_v8_context_node *node,
                               hsd_error *err);

/* What may be a global object; likewise. */
hsd_status hsd_v8_scopes_global(hsd_v8_scopes *scopes, hsd_v8_names *names, const hsd_v8_global_node *node,
                                const hsd_v8_proxies *proxies, uint32_t *out, hsd_error *err);

/* All nodes were seen: finds a function of each context, and the blocks of modules. */
hsd_status hsd_v8_scopes_resolve(hsd_v8_scopes *scopes, const hsd_v8_functions *functions, hsd_error *err);

/* The string that a WAIT_GLOBAL entry waited for. */
hsd_status hsd_v8_scopes_class(hsd_v8_scopes *scopes, uint32_t global, hsd_bytes text, hsd_error *err);

/* All strings were seen: finds the files, drops names without proof, and numbers globals of one name. */
hsd_status hsd_v8_scopes_settle(hsd_v8_scopes *scopes, const hsd_v8_names *names, const hsd_v8_functions *functions,
                                hsd_error *err);

/* Files have their names: finds lines of blocks where a file has several. */
hsd_status hsd_v8_scopes_lines(hsd_v8_scopes *scopes, const hsd_v8_names *names, const hsd_v8_functions *functions,
                               const hsd_v8_files *files, hsd_error *err);

void hsd_v8_scopes_release(hsd_v8_scopes *scopes);

#endif

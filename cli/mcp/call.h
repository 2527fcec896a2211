/*
 * One call of a tool: its arguments, what it works with, and its answer in parts, which become a page in the end:
 *
 *      text    what a reader is told: first the sentence, then the tables
 *      facts   members of a small JSON object, for programs: structuredContent
 *      next    lines that say which call helps now
 */
#ifndef MCP_CALL_H
#define MCP_CALL_H

#include "heaps.h"
#include "json.h"
#include "mcp.h"
#include "pages.h"
#include "text.h"

/* What the tools work with; one call at a time. */
typedef struct mcp_state {
    const mcp_options *options;
    hsd_run run; /* tells of progress, asks whether to stop */
    mcp_folders folders;
    mcp_heaps heaps;
    mcp_pages pages;
    mcp_text notes; /* what the library notes of the call that runs */
} mcp_state;

typedef struct mcp_call {
    mcp_state *state;
    const mcp_message *message;
    const mcp_json *arguments; /* NULL = none */
    mcp_text text, facts, next;
    mcp_text notes_of_error; /* what else is said of a failure */
    unsigned page;           /* handle of an answer whose next page is wanted; 0 = text is the answer */
} mcp_call;

/* ---- arguments. Each fails with HSD_E_MISUSE, in words for the one who called */

/* HSD_E_MISUSE names an argument that is not one of `names`, which ends with NULL. */
hsd_status mcp_check_arguments(const mcp_call *call, const char *const *names, hsd_error *err);

/* A text, borrowed until the end of the call, without NUL inside; *out is NULL when it is not there. */
hsd_status mcp_take_text(const mcp_call *call, const char *name, bool is_needed, const char **out, hsd_error *err);

/* A list of texts, or a single one for a list of one; `least` to `most` of them, in `out`. */
hsd_status mcp_take_texts(const mcp_call *call, const char *name, size_t least, size_t most, const char **out,
                          size_t *count, hsd_error *err);

/* A whole number up to `most`; *out stays when it is not there. */
hsd_status mcp_take_count(const mcp_call *call, const char *name, uint64_t most, uint64_t *out, hsd_error *err);

/* One of "a|b|c", as its place; *out stays when it is not there. */
hsd_status mcp_take_choice(const mcp_call *call, const char *name, const char *choices, unsigned *out, hsd_error *err);

hsd_status mcp_take_flag(const mcp_call *call, const char *name, bool *out, hsd_error *err);

/* ---- the answer */

bool mcp_captures_are_allowed(const mcp_call *call);

/* "name":  in front of a fact; the value follows. */
void mcp_put_fact(mcp_call *call, const char *name);
void mcp_put_fact_number(mcp_call *call, const char *name, int64_t value);
void mcp_put_fact_text(mcp_call *call, const char *name, const char *text, size_t size);

/* A line of `next`: the call as it is to be made, and what it is for. `arguments` is JSON without its braces. */
void mcp_put_next(mcp_call *call, const char *tool, const mcp_text *arguments, const char *what);

/* "captures":["a.hs","b.hs"] */
void mcp_put_captures(mcp_text *arguments, const char *const *paths, size_t count);

/* Puts a text report into the answer: its sentences first, then the block that begins with `first` (NULL = none), then
 * the others. */
hsd_status mcp_put_report(mcp_call *call, mcp_text *report, const char *first);

/* ---- a tool */

typedef struct mcp_tool {
    const char *name, *title, *description;
    const char *schema;           /* members of "properties", and what follows them */
    const char *const *arguments; /* their names, ending with NULL */
    const char *next;             /* what to do when a call was wrong, and the error does not say */
    bool captures;                /* only with --allow-capture */
    bool changes;                 /* it is more than reading */
    hsd_status (*run)(mcp_call *call, hsd_error *err);
} mcp_tool;

/* Row i; NULL past the end. */
const mcp_tool *mcp_tool_get(size_t i);

#endif

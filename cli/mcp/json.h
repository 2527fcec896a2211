/*
 * A message as JSON (RFC 8259), from somebody who may mean harm: values in one flat array, in the order in which they
 * stand, each with the place behind it. Nothing recurs, and depth and number of values have a bound.
 *
 *      {"a": [1, "b"]}   ->   OBJECT end 5 | STRING a end 2 | ARRAY end 5 | NUMBER 1 end 4 | STRING b end 5
 *
 * Why not a library: what is needed is this one file, a library would be one more thing that packages and the
 * relocatable archive must carry, and what is said of the offending byte would be its words.
 */
#ifndef MCP_JSON_H
#define MCP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

typedef enum mcp_json_kind {
    MCP_JSON_NULL,
    MCP_JSON_FALSE,
    MCP_JSON_TRUE,
    MCP_JSON_NUMBER,
    MCP_JSON_STRING,
    MCP_JSON_ARRAY,
    MCP_JSON_OBJECT
} mcp_json_kind;

typedef struct mcp_json {
    mcp_json_kind kind;
    uint32_t end; /* place behind this value and all that is in it, from the first value of the message */
    /* of a string, its escapes resolved and a NUL behind it; of a number as it was written */
    const char *text;
    size_t size;
} mcp_json;

#define MCP_JSON_DEPTH  32u
#define MCP_JSON_VALUES 4096u

typedef struct mcp_message {
    mcp_json *values; /* owned; the first is the whole */
    size_t count;
} mcp_message;

/*
 * Reads one JSON text. `bytes` are changed, since escapes are resolved in place, and must live as long as `out`, which
 * is released by the caller in any case. HSD_E_CORRUPT for what is no JSON, no UTF-8, too deep, or of too many values:
 * with the byte; HSD_E_NOMEM. Half of a pair of surrogates becomes U+FFFD.
 */
hsd_status mcp_message_read(mcp_message *out, char *bytes, size_t size, hsd_error *err);

void mcp_message_release(mcp_message *message);

/* The member of that name of an object, the first if there are several; NULL when there is none, or `of` is NULL or no
 * object. */
const mcp_json *mcp_json_member(const mcp_message *message, const mcp_json *of, const char *name);

/* The first value in an array or object (there a name); NULL for an empty one. Then the one behind `value`. */
const mcp_json *mcp_json_first(const mcp_message *message, const mcp_json *of);
const mcp_json *mcp_json_next(const mcp_message *message, const mcp_json *of, const mcp_json *value);

bool mcp_json_is(const mcp_json *value, const char *text);

#endif

/*
 * Arguments of a call, and the parts of its answer.
 */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments */

static const mcp_json *argument_of(const mcp_call *call, const char *name)
{
    const mcp_json *value = mcp_json_member(call->message, call->arguments, name);
    return value && value->kind == MCP_JSON_NULL ? NULL : value;
}

hsd_status mcp_check_arguments(const mcp_call *call, const char *const *names, hsd_error *err)
{
    if (!call->arguments || call->arguments->kind == MCP_JSON_NULL) return HSD_OK;
    if (call->arguments->kind != MCP_JSON_OBJECT) return hsd_fail(err, HSD_E_MISUSE, "arguments must be an object");
    for (const mcp_json *key = mcp_json_first(call->message, call->arguments); key;) {
        char list[300] = "";
        size_t used = 0, i = 0;
        for (; names[i] && !mcp_json_is(key, names[i]); i++)
            if (used + strlen(names[i]) + 3 < sizeof list)
                used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", names[i]);
        if (!names[i])
            return hsd_fail(err, HSD_E_MISUSE, "there is no argument '%.60s'; there are %s", key->text,
                            used > 0 ? list : "none");
        key = mcp_json_next(call->message, call->arguments, &call->message->values[key->end]);
    }
    return HSD_OK;
}

static hsd_status copy_text(const mcp_json *value, const char *name, const char **out, hsd_error *err)
{
    if (value->kind != MCP_JSON_STRING) return hsd_fail(err, HSD_E_MISUSE, "%s must be a string", name);
    if (value->size == 0) return hsd_fail(err, HSD_E_MISUSE, "%s is empty", name);
    if (memchr(value->text, 0, value->size)) return hsd_fail(err, HSD_E_MISUSE, "%s has a NUL in it", name);
    *out = value->text;
    return HSD_OK;
}

hsd_status mcp_take_text(const mcp_call *call, const char *name, bool is_needed, const char **out, hsd_error *err)
{
    const mcp_json *value = argument_of(call, name);
    *out = NULL;
    if (value) return copy_text(value, name, out, err);
    return is_needed ? hsd_fail(err, HSD_E_MISUSE, "the argument %s is missing", name) : HSD_OK;
}

hsd_status mcp_take_texts(const mcp_call *call, const char *name, size_t least, size_t most, const char **out,
                          size_t *count, hsd_error *err)
{
    const mcp_json *list = argument_of(call, name);
    *count = 0;
    if (!list) return hsd_fail(err, HSD_E_MISUSE, "the argument %s is missing", name);
    if (list->kind == MCP_JSON_STRING) {
        HSD_TRY(copy_text(list, name, &out[0], err));
        *count = 1;
    } else if (list->kind != MCP_JSON_ARRAY) {
        return hsd_fail(err, HSD_E_MISUSE, "%s must be a list of strings", name);
    } else {
        for (const mcp_json *one = mcp_json_first(call->message, list); one;
             one = mcp_json_next(call->message, list, one)) {
            if (*count == most) return hsd_fail(err, HSD_E_MISUSE, "%s takes at most %zu", name, most);
            HSD_TRY(copy_text(one, name, &out[(*count)++], err));
        }
    }
    if (*count >= least) return HSD_OK;
    return hsd_fail(err, HSD_E_MISUSE, "%s takes %zu or more, and %zu %s given", name, least, *count,
                    *count == 1 ? "was" : "were");
}

hsd_status mcp_take_count(const mcp_call *call, const char *name, uint64_t most, uint64_t *out, hsd_error *err)
{
    const mcp_json *value = argument_of(call, name);
    char digits[24];
    if (!value) return HSD_OK;
    bool is_whole = value->kind == MCP_JSON_NUMBER && value->size < 20;
    for (size_t i = 0; is_whole && i < value->size; i++)
        is_whole = value->text[i] >= '0' && value->text[i] <= '9';
    if (!is_whole) return hsd_fail(err, HSD_E_MISUSE, "%s must be a whole number from 0 on", name);
    memcpy(digits, value->text, value->size);
    digits[value->size] = 0;
    const uint64_t number = strtoull(digits, NULL, 10);
    if (number > most) return hsd_fail(err, HSD_E_MISUSE, "%s is at most %llu", name, (unsigned long long)most);
    *out = number;
    return HSD_OK;
}

hsd_status mcp_take_choice(const mcp_call *call, const char *name, const char *choices, unsigned *out, hsd_error *err)
{
    const mcp_json *value = argument_of(call, name);
    const char *at = choices;
    if (!value) return HSD_OK;
    for (unsigned i = 0; value->kind == MCP_JSON_STRING; i++) {
        const size_t size = strcspn(at, "|");
        if (value->size == size && memcmp(value->text, at, size) == 0) {
            *out = i;
            return HSD_OK;
        }
        if (at[size] == 0) break;
        at += size + 1;
    }
    return hsd_fail(err, HSD_E_MISUSE, "%s must be one of %s", name, choices);
}

hsd_status mcp_take_flag(const mcp_call *call, const char *name, bool *out, hsd_error *err)
{
    const mcp_json *value = argument_of(call, name);
    if (!value) return HSD_OK;
    if (value->kind != MCP_JSON_TRUE && value->kind != MCP_JSON_FALSE)
        return hsd_fail(err, HSD_E_MISUSE, "%s must be true or false", name);
    *out = value->kind == MCP_JSON_TRUE;
    return HSD_OK;
}

/* ---- the answer */

bool mcp_captures_are_allowed(const mcp_call *call) { return call->state->options->allow_capture; }

void mcp_put_fact(mcp_call *call, const char *name)
{
    mcp_put_format(&call->facts, "%s\"%s\":", call->facts.size > 0 ? "," : "", name);
}

void mcp_put_fact_number(mcp_call *call, const char *name, int64_t value)
{
    mcp_put_fact(call, name);
    mcp_put_format(&call->facts, "%lld", (long long)value);
}

void mcp_put_fact_text(mcp_call *call, const char *name, const char *text, size_t size)
{
    mcp_put_fact(call, name);
    mcp_put_string(&call->facts, text, size);
}

void mcp_put_next(mcp_call *call, const char *tool, const mcp_text *arguments, const char *what)
{
    mcp_put_format(&call->next, "%s%s {", call->next.size == 0 ? "Next: " : "      ", tool);
    if (arguments) mcp_put_bytes(&call->next, arguments->data ? arguments->data : "", arguments->size);
    mcp_put_format(&call->next, "}  %s\n", what);
}

void mcp_put_captures(mcp_text *arguments, const char *const *paths, size_t count)
{
    mcp_put(arguments, "\"captures\":[");
    for (size_t i = 0; i < count; i++) {
        mcp_put(arguments, i > 0 ? "," : "");
        mcp_put_string(arguments, paths[i], strlen(paths[i]));
    }
    mcp_put(arguments, "]");
}

/* A block of a report, and the blank line behind it. */
typedef struct block {
    const char *text;
    size_t size;
} block;

#define BLOCKS_MOST 64u

static size_t split_report(const char *text, block *blocks)
{
    size_t count = 0;
    while (*text && count < BLOCKS_MOST) {
        const char *blank = count + 1 < BLOCKS_MOST ? strstr(text, "\n\n") : NULL;
        const size_t size = blank ? (size_t)(blank - text) + 1 : strlen(text);
        blocks[count++] = (block){text, size};
        text += size + (blank != NULL);
    }
    return count;
}

/* Begins as a sentence does; tables begin with words in capitals, and what was compared with a small letter. */
static bool is_sentence(const block *one)
{
    const char *text = one->text;
    return text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z';
}

static void put_block(mcp_call *call, const block *one)
{
    mcp_put_bytes(&call->text, one->text, one->size);
    mcp_put(&call->text, one->text[one->size - 1] == '\n' ? "\n" : "\n\n");
}

hsd_status mcp_put_report(mcp_call *call, mcp_text *report, const char *first)
{
    block blocks[BLOCKS_MOST];
    const size_t count = split_report(report->data ? report->data : "", blocks);
    size_t lead = 0, table = count;
    while (lead < count && !is_sentence(&blocks[lead]))
        lead++;
    for (size_t i = 0; first && i < count && table == count; i++)
        if (strncmp(blocks[i].text, first, strlen(first)) == 0) table = i;
    if (lead < count) put_block(call, &blocks[lead]);
    if (table < count) put_block(call, &blocks[table]);
    for (size_t i = 0; i < count; i++)
        if (i != lead && i != table) put_block(call, &blocks[i]);
    return report->has_no_room ? HSD_E_NOMEM : HSD_OK;
}

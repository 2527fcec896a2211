/*
 * Reading a message: one pass over bytes that were found to be UTF-8 before, with the open arrays and objects on a
 * stack of MCP_JSON_DEPTH places.
 */
#include "json.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    char *begin, *at, *end;
    mcp_message *out;
    size_t capacity;
    uint32_t open[MCP_JSON_DEPTH];
    unsigned depth;
    hsd_error *err;
} reader;

static hsd_status refuse_json(const reader *r, const char *at, const char *why)
{
    return hsd_fail_at(r->err, HSD_E_CORRUPT, (uint64_t)(at - r->begin), "%s", why);
}

/* ---- UTF-8 */

/* Bytes of the character that begins there; 0 if it is none: too long, a surrogate, past U+10FFFF, cut off. */
static size_t character_bytes(const unsigned char *at, size_t left)
{
    const unsigned char c = at[0];
    const size_t size = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (size == 0 || size > left) return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if ((c == 0xe0 && at[1] < 0xa0) || (c == 0xed && at[1] > 0x9f)) return 0;
    if ((c == 0xf0 && at[1] < 0x90) || (c == 0xf4 && at[1] > 0x8f)) return 0;
    return size;
}

static hsd_status check_utf8(const reader *r)
{
    for (const char *at = r->begin; at < r->end;) {
        const size_t size = character_bytes((const unsigned char *)at, (size_t)(r->end - at));
        if (size == 0) return refuse_json(r, at, "the message is no UTF-8");
        at += size;
    }
    return HSD_OK;
}

/* ---- values */

static hsd_status add_value(reader *r, mcp_json_kind kind, const char *text, size_t size)
{
    mcp_message *out = r->out;
    if (out->count == MCP_JSON_VALUES) return refuse_json(r, r->at, "the message has more than 4,096 values");
    if (out->count == r->capacity) {
        const size_t capacity = r->capacity > 0 ? r->capacity * 2 : 64;
        mcp_json *grown = realloc(out->values, capacity * sizeof *grown);
        if (!grown) return hsd_fail(r->err, HSD_E_NOMEM, "out of memory: a message");
        out->values = grown;
        r->capacity = capacity;
    }
    const uint32_t place = (uint32_t)out->count++;
    out->values[place] = (mcp_json){.kind = kind, .end = place + 1, .text = text, .size = size};
    return HSD_OK;
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'))
        r->at++;
}

static bool took_byte(reader *r, char byte)
{
    if (r->at == r->end || *r->at != byte) return false;
    r->at++;
    return true;
}

/* ---- strings */

static bool read_unit(reader *r, uint32_t *unit)
{
    if (r->end - r->at < 4) return false;
    *unit = 0;
    for (size_t i = 0; i < 4; i++) {
        const char c = *r->at++;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return false;
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

/* Behind \u: four digits, or twelve of a pair. */
static bool read_code(reader *r, uint32_t *code)
{
    uint32_t low;
    if (!read_unit(r, code)) return false;
    if (*code < 0xd800 || *code > 0xdfff) return true;
    char *behind = r->at;
    if (*code < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u') {
        r->at += 2;
        if (!read_unit(r, &low)) return false;
        if (low >= 0xdc00 && low <= 0xdfff) {
            *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
            return true;
        }
        r->at = behind;
    }
    *code = 0xfffd;
    return true;
}

static char *put_code(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* What stands behind a backslash; no escape is shorter than what it stands for. */
static hsd_status read_escape(reader *r, char **to)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *begin = r->at;
    const char c = r->at < r->end ? *r->at++ : 0;
    uint32_t code;
    const char *found = c != 0 ? strchr(names, c) : NULL;
    if (found)
        *(*to)++ = values[found - names];
    else if (c == 'u' && read_code(r, &code))
        *to = put_code(*to, code);
    else
        return refuse_json(r, begin, "a string of the message has an escape that is none");
    return HSD_OK;
}

/* At its first quote. */
static hsd_status read_string(reader *r)
{
    const char *quote = r->at++;
    char *const text = r->at, *to = r->at;
    while (r->at < r->end && *r->at != '"') {
        if ((unsigned char)*r->at < ' ')
            return refuse_json(r, r->at, "a string of the message has a control character");
        if (*r->at != '\\') {
            *to++ = *r->at++;
            continue;
        }
        r->at++;
        HSD_TRY(read_escape(r, &to));
    }
    if (!took_byte(r, '"')) return refuse_json(r, quote, "a string of the message has no end");
    *to = 0; /* where the closing quote was, or before it */
    return add_value(r, MCP_JSON_STRING, text, (size_t)(to - text));
}

/* ---- numbers and words */

static bool took_digits(reader *r)
{
    const char *begin = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return r->at > begin;
}

static hsd_status read_number(reader *r)
{
    const char *begin = r->at;
    (void)took_byte(r, '-');
    bool is_one = took_byte(r, '0') || took_digits(r);
    if (is_one && took_byte(r, '.')) is_one = took_digits(r);
    if (is_one && (took_byte(r, 'e') || took_byte(r, 'E'))) {
        if (!took_byte(r, '+')) (void)took_byte(r, '-');
        is_one = took_digits(r);
    }
    if (!is_one) return refuse_json(r, begin, "the message has something that is no JSON");
    return add_value(r, MCP_JSON_NUMBER, begin, (size_t)(r->at - begin));
}

static hsd_status read_word(reader *r, const char *word, mcp_json_kind kind)
{
    const size_t size = strlen(word);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0)
        return refuse_json(r, r->at, "the message has something that is no JSON");
    r->at += size;
    return add_value(r, kind, "", 0);
}

/* ---- arrays and objects */

static hsd_status open_container(reader *r, mcp_json_kind kind)
{
    if (r->depth == MCP_JSON_DEPTH) return refuse_json(r, r->at, "the message is deeper than 32 levels");
    r->open[r->depth++] = (uint32_t)r->out->count;
    HSD_TRY(add_value(r, kind, "", 0));
    r->at++;
    return HSD_OK;
}

/* A whole value, or the beginning of an array or object. */
static hsd_status read_beginning(reader *r)
{
    skip_blanks(r);
    if (r->at == r->end) return refuse_json(r, r->at, "the message ends too early");
    switch (*r->at) {
    case '{': return open_container(r, MCP_JSON_OBJECT);
    case '[': return open_container(r, MCP_JSON_ARRAY);
    case '"': return read_string(r);
    case 't': return read_word(r, "true", MCP_JSON_TRUE);
    case 'f': return read_word(r, "false", MCP_JSON_FALSE);
    case 'n': return read_word(r, "null", MCP_JSON_NULL);
    default: return read_number(r);
    }
}

static hsd_status read_name(reader *r)
{
    if (r->at == r->end || *r->at != '"') return refuse_json(r, r->at, "an object of the message lacks a name");
    HSD_TRY(read_string(r));
    skip_blanks(r);
    return took_byte(r, ':') ? HSD_OK : refuse_json(r, r->at, "a name in the message has no colon behind it");
}

/* The next value of the innermost open array or object, or its end. */
static hsd_status go_on_reading(reader *r)
{
    const uint32_t place = r->open[r->depth - 1];
    const bool is_object = r->out->values[place].kind == MCP_JSON_OBJECT;
    skip_blanks(r);
    if (took_byte(r, is_object ? '}' : ']')) {
        r->out->values[place].end = (uint32_t)r->out->count;
        r->depth--;
        return HSD_OK;
    }
    if (r->out->count > place + 1 && !took_byte(r, ','))
        return refuse_json(r, r->at, "a comma or a closing bracket is missing in the message");
    skip_blanks(r);
    if (is_object) HSD_TRY(read_name(r));
    return read_beginning(r);
}

hsd_status mcp_message_read(mcp_message *out, char *bytes, size_t size, hsd_error *err)
{
    reader r = {.begin = bytes, .at = bytes, .end = bytes + size, .out = out, .err = err};
    *out = (mcp_message){0};
    HSD_TRY(check_utf8(&r));
    HSD_TRY(read_beginning(&r));
    while (r.depth > 0)
        HSD_TRY(go_on_reading(&r));
    skip_blanks(&r);
    return r.at == r.end ? HSD_OK : refuse_json(&r, r.at, "something stands behind the message");
}

void mcp_message_release(mcp_message *message)
{
    free(message->values);
    *message = (mcp_message){0};
}

/* ---- looking into it */

const mcp_json *mcp_json_first(const mcp_message *message, const mcp_json *of)
{
    const size_t place = (size_t)(of - message->values) + 1;
    return (of->kind == MCP_JSON_ARRAY || of->kind == MCP_JSON_OBJECT) && place < of->end ? &message->values[place]
                                                                                          : NULL;
}

const mcp_json *mcp_json_next(const mcp_message *message, const mcp_json *of, const mcp_json *value)
{
    return value->end < of->end ? &message->values[value->end] : NULL;
}

const mcp_json *mcp_json_member(const mcp_message *message, const mcp_json *of, const char *name)
{
    if (!of || of->kind != MCP_JSON_OBJECT) return NULL;
    for (const mcp_json *key = mcp_json_first(message, of); key;) {
        const mcp_json *value = &message->values[key->end];
        if (mcp_json_is(key, name)) return value;
        key = mcp_json_next(message, of, value);
    }
    return NULL;
}

bool mcp_json_is(const mcp_json *value, const char *text)
{
    return value && value->kind == MCP_JSON_STRING && value->size == strlen(text) &&
           memcmp(value->text, text, value->size) == 0;
}

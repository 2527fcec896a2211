/*
 * The parser byte by byte: one state, one word that is expected, one piece of text that fills. See json_events.h.
 */
#include "live/node/json_events.h"

#include <string.h>

enum {
    VALUE,       /* a value must begin */
    FIRST_VALUE, /* … or its array ends */
    FIRST_KEY,   /* a key must begin, or its object ends */
    KEY,         /* a key must begin */
    COLON,
    AFTER, /* comma, or what closes */
    STRING,
    ESCAPE,
    UNICODE,
    NUMBER,
    WORD /* true, false, null */
};

void hsd_json_init(hsd_json *json, const hsd_json_receiver *to)
{
    const hsd_json_receiver receiver = *to;
    memset(json, 0, offsetof(hsd_json, piece));
    json->to = receiver;
    json->state = VALUE;
}

bool hsd_json_is_at(const hsd_json *json, const char *outer, const char *inner)
{
    if (json->depth != (inner == NULL ? 1U : 2U) || strcmp(json->keys[1], outer) != 0) return false;
    return inner == NULL || strcmp(json->keys[2], inner) == 0;
}

static hsd_status refuse_json_event(const hsd_json *json, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, json->offset, "no JSON: %s", what);
}

static bool in_object(const hsd_json *json)
{
    return json->depth > 0 && (json->is_object >> (json->depth - 1) & 1) != 0;
}

static void value_ends(hsd_json *json)
{
    json->state = AFTER;
    if (json->depth == 0) json->is_done = true;
}

static hsd_status open_level(hsd_json *json, bool is_object, hsd_error *err)
{
    if (json->depth == HSD_JSON_DEPTH) return refuse_json_event(json, "more than 64 levels", err);
    const uint64_t bit = UINT64_C(1) << json->depth++;
    json->is_object = is_object ? json->is_object | bit : json->is_object & ~bit;
    if (json->depth <= HSD_JSON_KEYS) json->keys[json->depth][0] = '\0';
    json->state = is_object ? FIRST_KEY : FIRST_VALUE;
    return HSD_OK;
}

static hsd_status close_level(hsd_json *json, bool is_object, hsd_error *err)
{
    if (json->depth == 0 || in_object(json) != is_object)
        return refuse_json_event(json, "a bracket closes nothing", err);
    if (json->to.close != NULL) HSD_TRY(json->to.close(json->to.context, json, err));
    json->depth--;
    value_ends(json);
    return HSD_OK;
}

static void open_string(hsd_json *json, bool is_key)
{
    json->is_key = is_key;
    json->key_size = json->piece_size = 0;
    json->high = 0;
    json->state = STRING;
}

static hsd_status put_json_event(hsd_json *json, char byte, hsd_error *err)
{
    if (json->is_key) {
        if (json->depth <= HSD_JSON_KEYS && json->key_size < HSD_JSON_KEY_BYTES - 1)
            json->keys[json->depth][json->key_size++] = byte;
        return HSD_OK;
    }
    if (json->piece_size == HSD_JSON_PIECE) {
        HSD_TRY(json->to.text(json->to.context, json, json->piece, json->piece_size, false, err));
        json->piece_size = 0;
    }
    json->piece[json->piece_size++] = byte;
    return HSD_OK;
}

static hsd_status put_point(hsd_json *json, unsigned point, hsd_error *err)
{
    if (point < 0x80) return put_json_event(json, (char)point, err);
    if (point < 0x800) {
        HSD_TRY(put_json_event(json, (char)(0xC0 | point >> 6), err));
    } else {
        if (point < 0x10000) {
            HSD_TRY(put_json_event(json, (char)(0xE0 | point >> 12), err));
        } else {
            HSD_TRY(put_json_event(json, (char)(0xF0 | point >> 18), err));
            HSD_TRY(put_json_event(json, (char)(0x80 | (point >> 12 & 0x3F)), err));
        }
        HSD_TRY(put_json_event(json, (char)(0x80 | (point >> 6 & 0x3F)), err));
    }
    return put_json_event(json, (char)(0x80 | (point & 0x3F)), err);
}

/* A first half that no second followed. */
static hsd_status drop_half(hsd_json *json, hsd_error *err)
{
    if (json->high == 0) return HSD_OK;
    json->high = 0;
    return put_point(json, 0xFFFD, err);
}

static hsd_status put_unit(hsd_json *json, unsigned unit, hsd_error *err)
{
    if (unit >= 0xDC00 && unit <= 0xDFFF && json->high != 0) {
        const unsigned point = 0x10000 + ((json->high - 0xD800) << 10) + (unit - 0xDC00);
        json->high = 0;
        return put_point(json, point, err);
    }
    HSD_TRY(drop_half(json, err));
    if (unit >= 0xD800 && unit <= 0xDBFF) {
        json->high = unit;
        return HSD_OK;
    }
    return put_point(json, unit >= 0xDC00 && unit <= 0xDFFF ? 0xFFFD : unit, err);
}

static hsd_status close_string(hsd_json *json, hsd_error *err)
{
    HSD_TRY(drop_half(json, err));
    if (json->is_key) {
        if (json->depth <= HSD_JSON_KEYS) json->keys[json->depth][json->key_size] = '\0';
        json->state = COLON;
        return HSD_OK;
    }
    HSD_TRY(json->to.text(json->to.context, json, json->piece, json->piece_size, true, err));
    value_ends(json);
    return HSD_OK;
}

static hsd_status in_string(hsd_json *json, char byte, hsd_error *err)
{
    if (byte == '"') return close_string(json, err);
    if (byte == '\\') {
        json->state = ESCAPE;
        return HSD_OK;
    }
    if ((unsigned char)byte < 0x20) return refuse_json_event(json, "a control character in a string", err);
    HSD_TRY(drop_half(json, err));
    return put_json_event(json, byte, err);
}

static hsd_status in_escape(hsd_json *json, char byte, hsd_error *err)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (byte == 'u') {
        json->unit = json->escape_digits = 0;
        json->state = UNICODE;
        return HSD_OK;
    }
    const char *at = byte == '\0' ? NULL : strchr(from, byte);
    if (at == NULL) return refuse_json_event(json, "an escape that there is not", err);
    json->state = STRING;
    HSD_TRY(drop_half(json, err));
    return put_json_event(json, to[at - from], err);
}

static hsd_status in_unicode(hsd_json *json, char byte, hsd_error *err)
{
    const unsigned lower = (unsigned)(unsigned char)byte | 0x20;
    const unsigned digit = byte >= '0' && byte <= '9'     ? (unsigned)(byte - '0')
                           : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                          : 16;
    if (digit == 16) return refuse_json_event(json, "an escape that there is not", err);
    json->unit = json->unit << 4 | digit;
    if (++json->escape_digits < 4) return HSD_OK;
    json->state = STRING;
    return put_unit(json, json->unit, err);
}

static hsd_status begin_value(hsd_json *json, char byte, hsd_error *err)
{
    static const char *const words[] = {"true", "false", "null"};
    if (byte == '{' || byte == '[') return open_level(json, byte == '{', err);
    if (byte == '"') {
        open_string(json, false);
        return HSD_OK;
    }
    if (byte == '-' || (byte >= '0' && byte <= '9')) {
        json->state = NUMBER;
        json->is_integer = byte != '-';
        json->value = byte == '-' ? 0 : (uint64_t)(byte - '0');
        return HSD_OK;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (byte == words[i][0]) {
            json->word = words[i];
            json->word_at = 1;
            json->state = WORD;
            return HSD_OK;
        }
    return refuse_json_event(json, "a value should stand here", err);
}

static hsd_status number_ends(hsd_json *json, hsd_error *err)
{
    value_ends(json);
    return json->is_integer ? json->to.number(json->to.context, json, json->value, err) : HSD_OK;
}

/* *again: the byte belongs to what follows the number. */
static hsd_status in_number(hsd_json *json, char byte, bool *again, hsd_error *err)
{
    if (byte >= '0' && byte <= '9') {
        if (__builtin_mul_overflow(json->value, 10U, &json->value) ||
            __builtin_add_overflow(json->value, (uint64_t)(byte - '0'), &json->value))
            json->is_integer = false;
        return HSD_OK;
    }
    if (byte == '.' || byte == 'e' || byte == 'E' || byte == '+' || byte == '-') {
        json->is_integer = false;
        return HSD_OK;
    }
    *again = true;
    return number_ends(json, err);
}

static hsd_status in_word(hsd_json *json, char byte, hsd_error *err)
{
    if (json->word[json->word_at++] != byte) return refuse_json_event(json, "a word that there is not", err);
    if (json->word[json->word_at] == '\0') value_ends(json);
    return HSD_OK;
}

static hsd_status after_value(hsd_json *json, char byte, hsd_error *err)
{
    if (byte == '}' || byte == ']') return close_level(json, byte == '}', err);
    if (byte != ',' || json->depth == 0) return refuse_json_event(json, "something behind a value", err);
    json->state = in_object(json) ? KEY : VALUE;
    return HSD_OK;
}

static hsd_status between(hsd_json *json, char byte, hsd_error *err)
{
    switch (json->state) {
    case FIRST_VALUE: return byte == ']' ? close_level(json, false, err) : begin_value(json, byte, err);
    case FIRST_KEY:
        if (byte == '}') return close_level(json, true, err);
        /* fall through */
    case KEY:
        if (byte != '"') return refuse_json_event(json, "a key should stand here", err);
        open_string(json, true);
        return HSD_OK;
    case COLON:
        if (byte != ':') return refuse_json_event(json, "a colon should stand here", err);
        json->state = VALUE;
        return HSD_OK;
    case AFTER: return after_value(json, byte, err);
    default: return begin_value(json, byte, err);
    }
}

static hsd_status one_byte(hsd_json *json, char byte, hsd_error *err)
{
    switch (json->state) {
    case STRING: return in_string(json, byte, err);
    case ESCAPE: return in_escape(json, byte, err);
    case UNICODE: return in_unicode(json, byte, err);
    case WORD: return in_word(json, byte, err);
    case NUMBER: {
        bool again = false;
        HSD_TRY(in_number(json, byte, &again, err));
        if (!again) return HSD_OK;
        break;
    }
    default: break;
    }
    if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') return HSD_OK;
    return between(json, byte, err);
}

/* Whole runs of a string that need no look at each byte: nine tenths of what arrives. */
static size_t plain_run(const hsd_json *json, const char *bytes, size_t size)
{
    const size_t room = HSD_JSON_PIECE - json->piece_size;
    if (json->state != STRING || json->is_key || json->high != 0) return 0;
    if (size > room) size = room;
    size_t n = 0;
    while (n < size && bytes[n] != '"' && bytes[n] != '\\' && (unsigned char)bytes[n] >= 0x20)
        n++;
    return n;
}

hsd_status hsd_json_feed(hsd_json *json, const void *bytes, size_t size, hsd_error *err)
{
    const char *at = bytes, *const end = at + size;
    while (at < end) {
        const size_t run = plain_run(json, at, (size_t)(end - at));
        if (run > 0) {
            memcpy(json->piece + json->piece_size, at, run);
            json->piece_size += run;
        } else {
            HSD_TRY(one_byte(json, *at, err));
        }
        at += run > 0 ? run : 1;
        json->offset += run > 0 ? run : 1;
    }
    return HSD_OK;
}

hsd_status hsd_json_end(hsd_json *json, hsd_error *err)
{
    hsd_status status = HSD_OK;
    if (json->state == NUMBER && json->depth == 0) status = number_ends(json, err);
    if (status == HSD_OK && !json->is_done)
        status = hsd_fail_at(err, HSD_E_TRUNCATED, json->offset, "JSON ends within a value");
    const hsd_json_receiver to = json->to;
    hsd_json_init(json, &to);
    return status;
}

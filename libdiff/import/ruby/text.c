/*
 * Tokens of a line, in the window of the source: nothing needs a whole line in memory.
 */
#include <string.h>

#include "base/mix.h"
#include "import/ruby/ruby.h"

enum { NEXT_KEY_BYTES = 64, STALE_BYTES = 6, ESCAPE_BYTES = 6 };

hsd_status hsd_ruby_fill(ruby *rb, size_t want, hsd_error *err)
{
    hsd_source *source = rb->source;
    const hsd_status status = hsd_source_fill(source, want, err);
    if (status < 0) return status;
    if (hsd_source_ahead(source) > 0) return HSD_OK;
    return hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(source), "the heap dump ends inside a line");
}

/* ---- texts ---- */

static void begin_text(ruby_text *text)
{
    text->size = 0;
    text->bytes = text->word = 0;
    text->hash = 1;
}

static inline void put_byte(ruby_text *text, uint8_t byte)
{
    if (text->size < RUBY_TEXT_BYTES) text->data[text->size++] = byte;
    text->word = text->word << 8 | byte;
    if ((++text->bytes & 7) == 0) {
        text->hash = hsd_mix(text->hash, text->word);
        text->word = 0;
    }
}

static void end_text(ruby_text *text)
{
    text->hash = hsd_mix(hsd_mix(text->hash, text->word), text->bytes);
    if (text->hash == 0) text->hash = 1;
}

/* One more than the digit, 0 = none. */
static const uint8_t digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static inline int hex_of(uint8_t byte) { return digits[byte] - 1; }

/* \u00XX is a byte; past 255 UTF-8, which only other programs write. */
static hsd_status put_unicode(ruby *rb, ruby_text *text, hsd_error *err)
{
    uint32_t code = 0;
    HSD_TRY(hsd_ruby_look(rb, ESCAPE_BYTES + 1, err));
    if (hsd_source_ahead(rb->source) < ESCAPE_BYTES) return HSD_END;
    for (unsigned i = 2; i < ESCAPE_BYTES; i++) {
        const int digit = hex_of(rb->source->at[i]);
        if (digit < 0) return HSD_END;
        code = code << 4 | (uint32_t)digit;
    }
    hsd_source_take(rb->source, ESCAPE_BYTES);
    if (code == 0xff && hsd_source_ahead(rb->source) > 0 && *rb->source->at == 0) {
        HSD_TRY(hsd_ruby_look(rb, STALE_BYTES, err));
        hsd_source_take(rb->source,
                        hsd_source_ahead(rb->source) < STALE_BYTES ? hsd_source_ahead(rb->source) : STALE_BYTES);
        code = '?';
    }
    if (text == NULL) return HSD_OK;
    if (code < 0x100) {
        put_byte(text, (uint8_t)code);
    } else {
        if (code >= 0x800) put_byte(text, (uint8_t)(0xe0 | code >> 12));
        put_byte(text, (uint8_t)(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6));
        put_byte(text, (uint8_t)(0x80 | (code & 0x3f)));
    }
    return HSD_OK;
}

static hsd_status put_escape(ruby *rb, ruby_text *text, hsd_error *err)
{
    static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    HSD_TRY(hsd_ruby_look(rb, 2, err));
    if (hsd_source_ahead(rb->source) < 2) {
        hsd_source_take(rb->source, 1);
        return hsd_ruby_look(rb, 1, err);
    }
    const uint8_t byte = rb->source->at[1];
    if (byte == 'u') return put_unicode(rb, text, err);
    for (size_t i = 0; escapes[i] != '\0'; i += 2)
        if ((uint8_t)escapes[i] == byte) {
            hsd_source_take(rb->source, 2);
            if (text != NULL) put_byte(text, (uint8_t)escapes[i + 1]);
            return HSD_OK;
        }
    return HSD_END;
}

/* A newline with the next line behind it: then the text has no end, and the newline stays for who skips the line. */
static hsd_status put_newline(ruby *rb, ruby_text *text, hsd_error *err)
{
    HSD_TRY(hsd_ruby_look(rb, 3, err));
    if (hsd_source_ahead(rb->source) >= 3 && rb->source->at[1] == '{' && rb->source->at[2] == '"') return HSD_END;
    hsd_source_take(rb->source, 1);
    if (text != NULL) put_byte(text, '\n');
    return HSD_OK;
}

/* Takes bytes that mean themselves. */
static void put_plain(hsd_source *source, ruby_text *text)
{
    const uint8_t *at = source->at;
    if (text == NULL)
        while (at < source->end && *at != '"' && *at != '\\' && *at != '\n')
            at++;
    else
        while (at < source->end && *at != '"' && *at != '\\' && *at != '\n')
            put_byte(text, *at++);
    hsd_source_take(source, (size_t)(at - source->at));
}

hsd_status hsd_ruby_read_text(ruby *rb, ruby_text *text, hsd_error *err)
{
    if (text != NULL) begin_text(text);
    HSD_TRY(hsd_ruby_look(rb, 1, err));
    if (*rb->source->at != '"') return HSD_END;
    hsd_source_take(rb->source, 1);
    for (;;) {
        put_plain(rb->source, text);
        HSD_TRY(hsd_ruby_look(rb, 1, err));
        switch (*rb->source->at) {
        case '"':
            hsd_source_take(rb->source, 1);
            if (text != NULL) end_text(text);
            return HSD_OK;
        case '\\': HSD_TRY(put_escape(rb, text, err)); break;
        case '\n': HSD_TRY(put_newline(rb, text, err)); break;
        default: break;
        }
    }
}

/* Whether the quote ahead is followed by a key or by the end of the line. */
static hsd_status ends_raw(ruby *rb, bool *ends, hsd_error *err)
{
    HSD_TRY(hsd_ruby_look(rb, NEXT_KEY_BYTES, err));
    const uint8_t *at = rb->source->at + 1;
    const size_t ahead = hsd_source_ahead(rb->source);
    const uint8_t *end = rb->source->at + (ahead < NEXT_KEY_BYTES ? ahead : NEXT_KEY_BYTES);
    *ends = false;
    if (end - at >= 2 && at[0] == '}') *ends = at[1] == '\n' || at[1] == '\r';
    if (end - at < 2 || at[0] != ',') return HSD_OK;
    at += at[1] == ' ' ? 2 : 1;
    if (at == end || *at++ != '"') return HSD_OK;
    const uint8_t *key = at;
    while (at < end && ((*at >= 'a' && *at <= 'z') || *at == '_'))
        at++;
    *ends = at > key && end - at >= 2 && at[0] == '"' && at[1] == ':';
    return HSD_OK;
}

hsd_status hsd_ruby_read_raw(ruby *rb, ruby_text *text, hsd_error *err)
{
    bool ends = false;
    begin_text(text);
    HSD_TRY(hsd_ruby_look(rb, 1, err));
    if (*rb->source->at != '"') return HSD_END;
    hsd_source_take(rb->source, 1);
    for (;;) {
        put_plain(rb->source, text);
        HSD_TRY(hsd_ruby_look(rb, 1, err));
        const uint8_t byte = *rb->source->at;
        if (byte == '\n') {
            HSD_TRY(put_newline(rb, text, err));
            continue;
        }
        if (byte == '"') HSD_TRY(ends_raw(rb, &ends, err));
        hsd_source_take(rb->source, 1);
        if (ends) break;
        put_byte(text, byte);
    }
    end_text(text);
    return HSD_OK;
}

/* ---- numbers ---- */

hsd_status hsd_ruby_read_address(ruby *rb, uint64_t *address, hsd_error *err)
{
    enum { LONGEST = 20 }; /* "0x" and 16 digits in quotes */
    *address = 0;
    HSD_TRY(hsd_ruby_look(rb, LONGEST, err));
    const uint8_t *at = rb->source->at;
    const size_t ahead = hsd_source_ahead(rb->source), most = ahead < LONGEST ? ahead : LONGEST;
    if (most < 4 || at[0] != '"' || at[1] != '0' || at[2] != 'x') return hsd_ruby_read_text(rb, NULL, err);
    uint64_t value = 0;
    for (size_t i = 3; i < most; i++) {
        const int digit = hex_of(at[i]);
        if (digit >= 0) {
            value = value << 4 | (uint64_t)digit;
            continue;
        }
        if (at[i] != '"') break;
        hsd_source_take(rb->source, i + 1);
        *address = value;
        return HSD_OK;
    }
    return hsd_ruby_read_text(rb, NULL, err);
}

/* A value without quotes or brackets. */
static hsd_status skip_word(ruby *rb, hsd_error *err)
{
    for (size_t taken = 0;; taken++) {
        HSD_TRY(hsd_ruby_look(rb, 1, err));
        const uint8_t byte = *rb->source->at;
        if (byte == ',' || byte == '}' || byte == ']' || byte == '\n' || byte == ' ' || byte == '\r')
            return taken > 0 ? HSD_OK : HSD_END;
        if (byte == '"' || byte == '{' || byte == '[') return HSD_END;
        hsd_source_take(rb->source, 1);
    }
}

hsd_status hsd_ruby_read_number(ruby *rb, uint64_t *number, hsd_error *err)
{
    uint64_t value = 0;
    *number = 0;
    HSD_TRY(hsd_ruby_look(rb, 1, err));
    if (*rb->source->at < '0' || *rb->source->at > '9') return hsd_ruby_skip_value(rb, err);
    for (;;) {
        HSD_TRY(hsd_ruby_look(rb, 1, err));
        const uint8_t byte = *rb->source->at;
        if (byte < '0' || byte > '9') {
            *number = value;
            return byte == ',' || byte == '}' || byte == ' ' ? HSD_OK : skip_word(rb, err);
        }
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, (uint64_t)(byte - '0'), &value))
            value = UINT64_MAX / 10 + 1; /* and each digit behind it ends here again */
        hsd_source_take(rb->source, 1);
    }
}

/* Brackets are counted: no kind of value is known to have more than one level of them. */
static hsd_status skip_nested(ruby *rb, hsd_error *err)
{
    for (uint64_t depth = 0;;) {
        HSD_TRY(hsd_ruby_look(rb, 1, err));
        const uint8_t byte = *rb->source->at;
        if (byte == '\n') return HSD_END;
        if (byte == '"') {
            HSD_TRY(hsd_ruby_read_text(rb, NULL, err));
            continue;
        }
        hsd_source_take(rb->source, 1);
        if (byte == '{' || byte == '[') depth++;
        if ((byte == '}' || byte == ']') && --depth == 0) return HSD_OK;
    }
}

hsd_status hsd_ruby_skip_value(ruby *rb, hsd_error *err)
{
    HSD_TRY(hsd_ruby_look(rb, 1, err));
    switch (*rb->source->at) {
    case '"': return hsd_ruby_read_text(rb, NULL, err);
    case '{':
    case '[': return skip_nested(rb, err);
    default: return skip_word(rb, err);
    }
}

hsd_status hsd_ruby_skip_line(ruby *rb, hsd_error *err)
{
    for (;;) {
        HSD_TRY(hsd_ruby_look(rb, 1, err));
        const size_t ahead = hsd_source_ahead(rb->source);
        const uint8_t *newline = memchr(rb->source->at, '\n', ahead);
        hsd_source_take(rb->source, newline == NULL ? ahead : (size_t)(newline - rb->source->at) + 1);
        if (newline != NULL) return HSD_OK;
    }
}

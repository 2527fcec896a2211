/*
 * The one place where foreign text becomes part of an output. Each form is a loop over characters
 * that decides how one character is shown; a writer with a capacity makes measuring and writing the
 * same code.
 *
 * The marks can be read back: a backslash in a name is doubled exactly where it would otherwise
 * start something that looks like a mark, and PHP's App\Model stays as it is.
 */
#include "report/escape.h"

#include <string.h>

#include "report/utf8.h"
#include <hsdiff/report.h>

typedef struct writer {
    char *out;
    size_t capacity;
    size_t stored; /* bytes in `out` */
    size_t length; /* bytes that the whole needs */
} writer;

/* All of a piece or nothing, and nothing after the first that did not fit. */
static void put(writer *w, const char *bytes, size_t size)
{
    if (w->stored == w->length && w->stored + size < w->capacity) {
        memcpy(w->out + w->stored, bytes, size);
        w->stored += size;
    }
    w->length += size;
}

static void put_char(writer *w, char c) { put(w, &c, 1); }

static void put_hex(writer *w, uint32_t value, unsigned digits)
{
    while (digits-- > 0)
        put_char(w, "0123456789abcdef"[value >> (4 * digits) & 15u]);
}

/* ---- characters that are not what they seem ---- */

typedef struct range {
    uint32_t first, last;
} range;

static const range hidden[] = {
    {0x00, 0x1F},       /* C0 */
    {0x7F, 0x9F},       /* DEL, C1 */
    {0xAD, 0xAD},       /* soft hyphen */
    {0x34F, 0x34F},     /* combining grapheme joiner */
    {0x61C, 0x61C},     /* Arabic letter mark */
    {0x115F, 0x1160},   /* Hangul fillers */
    {0x17B4, 0x17B5},   /* Khmer inherent vowels */
    {0x180B, 0x180F},   /* Mongolian selectors and vowel separator */
    {0x200B, 0x200F},   /* zero-width, direction marks */
    {0x2028, 0x202E},   /* line and paragraph separator, embeddings, overrides */
    {0x2060, 0x206F},   /* word joiner, isolates, deprecated format characters */
    {0x3164, 0x3164},   /* Hangul filler */
    {0xFE00, 0xFE0F},   /* variation selectors */
    {0xFEFF, 0xFEFF},   /* zero-width no-break space */
    {0xFFA0, 0xFFA0},   /* half-width Hangul filler */
    {0xFFF0, 0xFFFB},   /* interlinear annotation */
    {0xFFFE, 0xFFFF},   /* no characters */
    {0x1D173, 0x1D17A}, /* musical format characters */
    {0xE0000, 0xE0FFF}, /* tags, more variation selectors */
};

bool hsd_escape_is_hidden(uint32_t code)
{
    if (code >= 0x20 && code < 0x7F) return false;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (code >= hidden[i].first && code <= hidden[i].last) return true;
    return false;
}

/* ---- marks: TERMINAL, ASCII, CSV ---- */

static void put_mark(writer *w, uint32_t code)
{
    const bool is_long = code > 0xFFFF;
    const unsigned digits = code < 0x80 ? 2 : is_long ? 8 : 4;
    put(w, code < 0x80 ? "\\x" : is_long ? "\\U" : "\\u", 2);
    put_hex(w, code, digits);
}

static void put_bad(writer *w, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        put(w, "\\x", 2);
        put_hex(w, (unsigned char)bytes[i], 2);
    }
}

/* "::" that only blanks stand before, and "##": where build servers look for commands. */
static bool looks_like_command(const char *text, size_t size, size_t at)
{
    if (at + 1 >= size || text[at] != text[at + 1]) return false;
    if (text[at] == '#') return true;
    if (text[at] != ':') return false;
    for (size_t i = 0; i < at; i++)
        if (text[i] != ' ') return false;
    return true;
}

static bool needs_mark(bool ascii_only, const char *text, size_t size, size_t at, uint32_t code)
{
    if (code == HSD_UTF8_BAD || hsd_escape_is_hidden(code)) return true;
    return looks_like_command(text, size, at) || (ascii_only && code > 0x7E);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* x and two hexadecimal digits, u and four, U and eight. */
static bool looks_like_mark(const char *text, size_t size)
{
    const size_t digits = text[0] == 'x' ? 2 : text[0] == 'u' ? 4 : text[0] == 'U' ? 8 : 0;
    if (digits == 0 || size <= digits) return false;
    for (size_t i = 1; i <= digits; i++)
        if (!is_hex(text[i])) return false;
    return true;
}

/* True if a backslash at `at` would be read together with what follows it. */
static bool is_ambiguous_backslash(bool ascii_only, const char *text, size_t size, size_t at)
{
    if (at + 1 >= size) return false;
    uint32_t code;
    hsd_utf8_next(text + at + 1, size - at - 1, &code);
    return code == '\\' || looks_like_mark(text + at + 1, size - at - 1) ||
           needs_mark(ascii_only, text, size, at + 1, code);
}

static void put_visible(writer *w, bool ascii_only, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t code;
        const size_t step = hsd_utf8_next(text + at, size - at, &code);
        if (code == HSD_UTF8_BAD) {
            put_bad(w, text + at, step);
        } else if (needs_mark(ascii_only, text, size, at, code)) {
            put_mark(w, code);
        } else {
            if (code == '\\' && is_ambiguous_backslash(ascii_only, text, size, at))
                put_char(w, '\\');
            put(w, text + at, step);
        }
        at += step;
    }
}

/* ---- CSV ---- */

static bool starts_formula(const char *text, size_t size)
{
    static const char *const starts[] = {
        "=", "+", "-", "@", "'", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        const size_t length = strlen(starts[i]);
        if (size >= length && memcmp(text, starts[i], length) == 0) return true;
    }
    return false;
}

static void put_csv(writer *w, const char *text, size_t size)
{
    const bool is_formula = starts_formula(text, size);
    const bool is_quoted = is_formula || memchr(text, ',', size) || memchr(text, '"', size) ||
                           (size > 0 && (text[0] == ' ' || text[size - 1] == ' '));
    if (is_quoted) put_char(w, '"');
    if (is_formula) put_char(w, '\'');
    for (size_t at = 0; at < size;) { /* piece by piece around the quotes, which are doubled */
        const char *quote = memchr(text + at, '"', size - at);
        const size_t end = quote ? (size_t)(quote - text) + 1 : size;
        put_visible(w, false, text + at, end - at);
        if (quote) put_char(w, '"');
        at = end;
    }
    if (is_quoted) put_char(w, '"');
}

/* ---- JSON ---- */

static void put_json_unit(writer *w, uint32_t unit)
{
    put(w, "\\u", 2);
    put_hex(w, unit, 4);
}

static void put_json_hidden(writer *w, uint32_t code)
{
    static const char letters[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    if (code < sizeof letters && letters[code] != 0) {
        put_char(w, '\\');
        put_char(w, letters[code]);
    } else if (code > 0xFFFF) {
        put_json_unit(w, 0xD800 + ((code - 0x10000) >> 10));
        put_json_unit(w, 0xDC00 + ((code - 0x10000) & 0x3FF));
    } else {
        put_json_unit(w, code);
    }
}

static void put_json(writer *w, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t code;
        const size_t step = hsd_utf8_next(text + at, size - at, &code);
        if (code == HSD_UTF8_BAD) {
            put(w, "\xEF\xBF\xBD", 3);
        } else if (hsd_escape_is_hidden(code) || looks_like_command(text, size, at)) {
            put_json_hidden(w, code);
        } else {
            if (code == '"' || code == '\\') put_char(w, '\\');
            put(w, text + at, step);
        }
        at += step;
    }
}

/* ---- SHELL ---- */

static bool has_hidden(const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t code;
        at += hsd_utf8_next(text + at, size - at, &code);
        if (code == HSD_UTF8_BAD || hsd_escape_is_hidden(code)) return true;
    }
    return false;
}

static bool is_plain_word(const char *text, size_t size)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    for (size_t i = 0; i < size; i++)
        if (text[i] == 0 || strchr(plain, text[i]) == NULL) return false;
    return size > 0;
}

/* $'…': every byte that is not plain ASCII stands in hexadecimal. */
static void put_dollar_quoted(writer *w, const char *text, size_t size)
{
    put(w, "$'", 2);
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte < 0x20 || byte > 0x7E) {
            put_bad(w, text + i, 1);
        } else {
            if (byte == '\'' || byte == '\\') put_char(w, '\\');
            put_char(w, text[i]);
        }
    }
    put_char(w, '\'');
}

static void put_shell(writer *w, const char *text, size_t size)
{
    if (size > 1 && text[0] == '-') put(w, "./", 2); /* a file, not an option */
    if (is_plain_word(text, size)) {
        put(w, text, size);
        return;
    }
    if (has_hidden(text, size)) {
        put_dollar_quoted(w, text, size);
        return;
    }
    put_char(w, '\'');
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\'')
            put(w, "'\\''", 4);
        else
            put_char(w, text[i]);
    }
    put_char(w, '\'');
}

/* ---- */

size_t hsd_escape(hsd_escape_form form, const char *text, size_t size, char *out, size_t capacity)
{
    writer w = {.out = out, .capacity = capacity};
    if (size == 0) text = "";
    switch (form) {
    case HSD_ESCAPE_TERMINAL: put_visible(&w, false, text, size); break;
    case HSD_ESCAPE_ASCII: put_visible(&w, true, text, size); break;
    case HSD_ESCAPE_JSON: put_json(&w, text, size); break;
    case HSD_ESCAPE_CSV: put_csv(&w, text, size); break;
    case HSD_ESCAPE_SHELL: put_shell(&w, text, size); break;
    }
    if (capacity > 0) out[w.stored] = 0;
    return w.length;
}

size_t hsd_escape_terminal(char *out, size_t capacity, const char *text, size_t size)
{
    return hsd_escape(HSD_ESCAPE_TERMINAL, text, size, out, capacity);
}

size_t hsd_quote_shell(char *out, size_t capacity, const char *text, size_t size)
{
    return hsd_escape(HSD_ESCAPE_SHELL, text, size, out, capacity);
}

hsd_status hsd_escape_append(hsd_buffer *out, hsd_escape_form form, const char *text, size_t size,
                             hsd_error *err)
{
    const size_t needed = hsd_escape(form, text, size, NULL, 0);
    HSD_TRY(hsd_buffer_reserve(out, needed + 1, err));
    hsd_escape(form, text, size, (char *)out->data + out->size, needed + 1);
    out->size += needed;
    return HSD_OK;
}

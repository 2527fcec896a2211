/*
 * The one place where foreign text becomes part of an output. Each form is a loop over characters
 * that decides how one character is shown; a writer with a capacity makes measuring and writing the
 * same code. Formats with a syntax of their own get the marks of a terminal, with what the syntax
 * would obey replaced behind them.
 *
 * The marks can be read back: a backslash in a name is doubled exactly where it would otherwise
 * start something that looks like a mark, and PHP's App\Model stays as it is.
 */
#include "report/words/escape.h"

#include <string.h>

#include "report/words/utf8.h"
#include <hsdiff/report.h>

typedef struct substitute {
    char character; /* ASCII */
    const char *instead;
} substitute;

typedef struct writer {
    char *out;
    size_t capacity;
    size_t stored;                 /* bytes in `out` */
    size_t length;                 /* bytes that the whole needs */
    const substitute *substitutes; /* of what is put; ends with one for 0. NULL = none */
} writer;

/* All of a piece or nothing, and nothing after the first that did not fit. */
static void store(writer *w, const char *bytes, size_t size)
{
    if (w->stored == w->length && w->stored + size < w->capacity) {
        memcpy(w->out + w->stored, bytes, size);
        w->stored += size;
    }
    w->length += size;
}

static void put_substituted(writer *w, const char *bytes, size_t size)
{
    if ((unsigned char)bytes[0] >= 0x80) { /* a character, whole */
        store(w, bytes, size);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        const substitute *s = w->substitutes;
        while (s->character != 0 && s->character != bytes[i])
            s++;
        if (s->character != 0)
            store(w, s->instead, strlen(s->instead));
        else
            store(w, bytes + i, 1);
    }
}

static void put_escape(writer *w, const char *bytes, size_t size)
{
    if (w->substitutes && size > 0)
        put_substituted(w, bytes, size);
    else
        store(w, bytes, size);
}

static void put_char(writer *w, char c) { put_escape(w, &c, 1); }

/* Most names are made of these alone: in no form does one of them mean anything, wherever it stands. */
static bool is_plain_byte(char c)
{
    static const bool plain[256] = {
        ['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1, ['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1, ['i'] = 1, ['j'] = 1,
        ['k'] = 1, ['l'] = 1, ['m'] = 1, ['n'] = 1, ['o'] = 1, ['p'] = 1, ['q'] = 1, ['r'] = 1, ['s'] = 1, ['t'] = 1,
        ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1, ['y'] = 1, ['z'] = 1, ['A'] = 1, ['B'] = 1, ['C'] = 1, ['D'] = 1,
        ['E'] = 1, ['F'] = 1, ['G'] = 1, ['H'] = 1, ['I'] = 1, ['J'] = 1, ['K'] = 1, ['L'] = 1, ['M'] = 1, ['N'] = 1,
        ['O'] = 1, ['P'] = 1, ['Q'] = 1, ['R'] = 1, ['S'] = 1, ['T'] = 1, ['U'] = 1, ['V'] = 1, ['W'] = 1, ['X'] = 1,
        ['Y'] = 1, ['Z'] = 1, ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1,
        ['8'] = 1, ['9'] = 1, ['.'] = 1, ['/'] = 1, ['$'] = 1, ['_'] = 1, ['['] = 1, [']'] = 1, [';'] = 1,
    };
    return plain[(unsigned char)c];
}

static size_t plain_bytes(const char *text, size_t size)
{
    size_t count = 0;
    while (count < size && is_plain_byte(text[count]))
        count++;
    return count;
}

/* Character by character where the room ends, so that what fits of them is there. */
static void put_plain(writer *w, const char *text, size_t size)
{
    if (w->length + size < w->capacity || w->capacity == 0) {
        store(w, text, size);
        return;
    }
    for (size_t i = 0; i < size; i++)
        store(w, text + i, 1);
}

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

/* ---- marks: TERMINAL, ASCII, CSV, and what stands on them ---- */

/* What gets a mark besides what is hidden. */
typedef enum marked { MARK_HIDDEN, MARK_NON_ASCII, MARK_PIPES } marked;

static void put_mark(writer *w, uint32_t code)
{
    const bool is_long = code > 0xFFFF;
    const unsigned digits = code < 0x80 ? 2 : is_long ? 8 : 4;
    put_escape(w, code < 0x80 ? "\\x" : is_long ? "\\U" : "\\u", 2);
    put_hex(w, code, digits);
}

static void put_bad(writer *w, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        put_escape(w, "\\x", 2);
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

static bool needs_mark(marked what, const char *text, size_t size, size_t at, uint32_t code)
{
    if (code == HSD_UTF8_BAD || hsd_escape_is_hidden(code)) return true;
    return looks_like_command(text, size, at) || (what == MARK_NON_ASCII && code > 0x7E) ||
           (what == MARK_PIPES && code == '|');
}

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

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
static bool is_ambiguous_backslash(marked what, const char *text, size_t size, size_t at)
{
    if (at + 1 >= size) return false;
    uint32_t code;
    hsd_utf8_next(text + at + 1, size - at - 1, &code);
    return code == '\\' || looks_like_mark(text + at + 1, size - at - 1) || needs_mark(what, text, size, at + 1, code);
}

static void put_visible(writer *w, marked what, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        const size_t plain = plain_bytes(text + at, size - at);
        if (plain > 0) {
            put_plain(w, text + at, plain);
            at += plain;
            continue;
        }
        uint32_t code;
        const size_t step = hsd_utf8_next(text + at, size - at, &code);
        if (code == HSD_UTF8_BAD) {
            put_bad(w, text + at, step);
        } else if (needs_mark(what, text, size, at, code)) {
            put_mark(w, code);
        } else {
            if (code == '\\' && is_ambiguous_backslash(what, text, size, at)) put_char(w, '\\');
            put_escape(w, text + at, step);
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
    if (plain_bytes(text, size) == size) {
        put_plain(w, text, size);
        return;
    }
    const bool is_formula = starts_formula(text, size);
    const bool is_quoted = is_formula || memchr(text, ',', size) || memchr(text, '"', size) ||
                           (size > 0 && (text[0] == ' ' || text[size - 1] == ' '));
    if (is_quoted) put_char(w, '"');
    if (is_formula) put_char(w, '\'');
    for (size_t at = 0; at < size;) { /* piece by piece around the quotes, which are doubled */
        const char *quote = memchr(text + at, '"', size - at);
        const size_t end = quote ? (size_t)(quote - text) + 1 : size;
        put_visible(w, MARK_HIDDEN, text + at, end - at);
        if (quote) put_char(w, '"');
        at = end;
    }
    if (is_quoted) put_char(w, '"');
}

/* ---- JSON ---- */

static void put_json_unit(writer *w, uint32_t unit)
{
    put_escape(w, "\\u", 2);
    put_hex(w, unit, 4);
}

static void put_json_hidden(writer *w, uint32_t code)
{
    static const char letters[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
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
        const size_t plain = plain_bytes(text + at, size - at);
        if (plain > 0) {
            put_plain(w, text + at, plain);
            at += plain;
            continue;
        }
        uint32_t code;
        const size_t step = hsd_utf8_next(text + at, size - at, &code);
        if (code == HSD_UTF8_BAD) {
            put_escape(w, "\xEF\xBF\xBD", 3);
        } else if (hsd_escape_is_hidden(code) || looks_like_command(text, size, at)) {
            put_json_hidden(w, code);
        } else {
            if (code == '"' || code == '\\') put_char(w, '\\');
            put_escape(w, text + at, step);
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
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    for (size_t i = 0; i < size; i++)
        if (text[i] == 0 || strchr(plain, text[i]) == NULL) return false;
    return size > 0;
}

/* $'…': every byte that is not plain ASCII stands in hexadecimal. */
static void put_dollar_quoted(writer *w, const char *text, size_t size)
{
    put_escape(w, "$'", 2);
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
    if (size > 1 && text[0] == '-') put_escape(w, "./", 2); /* a file, not an option */
    if (is_plain_word(text, size)) {
        put_escape(w, text, size);
        return;
    }
    if (has_hidden(text, size)) {
        put_dollar_quoted(w, text, size);
        return;
    }
    put_char(w, '\'');
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\'')
            put_escape(w, "'\\''", 4);
        else
            put_char(w, text[i]);
    }
    put_char(w, '\'');
}

/* ---- MARKDOWN ---- */

static size_t longest_run(const char *text, size_t size, char c)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < size; i++) {
        run = text[i] == c ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

/* A span takes one blank from each end if both have one and there is something else; what begins or ends with ` needs
 * one. */
static bool span_needs_blanks(const char *text, size_t size)
{
    const char first = text[0], last = text[size - 1];
    if (first == '`' || last == '`') return true;
    return first == ' ' && last == ' ' && longest_run(text, size, ' ') < size;
}

static void put_code_span(writer *w, const char *text, size_t size)
{
    if (size == 0) return;
    const size_t fence = longest_run(text, size, '`') + 1;
    const bool has_blanks = span_needs_blanks(text, size);
    for (size_t i = 0; i < fence; i++)
        put_char(w, '`');
    if (has_blanks) put_char(w, ' ');
    put_visible(w, MARK_PIPES, text, size);
    if (has_blanks) put_char(w, ' ');
    for (size_t i = 0; i < fence; i++)
        put_char(w, '`');
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A list item's number ("3." and "3)"), or what may be the name of a commit. */
static bool looks_like_number(const char *word, size_t size)
{
    size_t digits = 0, hex = 0;
    while (digits < size && is_digit(word[digits]))
        digits++;
    while (hex < size && is_hex(word[hex]))
        hex++;
    return (digits > 0 && digits + 1 == size && strchr(".)", word[digits])) || (hex >= 7 && hex == size);
}

static bool is_plain_in_prose(const char *word, size_t size, size_t at)
{
    const char c = word[at];
    const bool has_next = at + 1 < size;
    if (is_letter(c) || is_digit(c) || (unsigned char)c >= 0x80) return true;
    if (c == ':') return !has_next;
    if (c == '-') return at > 0 && has_next && is_letter(word[at - 1]) && is_letter(word[at + 1]);
    if (c == '+') return has_next && is_digit(word[at + 1]);
    /* else a milestone of GitLab */
    if (c == '%') return at > 0 && is_digit(word[at - 1]) && (!has_next || strchr(",.;:)", word[at + 1]));
    return c != 0 && strchr(",.;'\"()?/", c) != NULL;
}

/* True for what reads the same as Markdown: no emphasis, link, mention, number of an issue, entity, mark. */
static bool is_plain_prose(const char *word, size_t size)
{
    if (has_hidden(word, size) || looks_like_number(word, size)) return false;
    if (size >= 4 && (word[0] | 32) == 'w' && (word[1] | 32) == 'w' && (word[2] | 32) == 'w') return false;
    for (size_t i = 0; i < size; i++)
        if (!is_plain_in_prose(word, size, i)) return false;
    return true;
}

/* Bytes of a word without what only ends it in a sentence: a comma, a colon or a semicolon behind something else. */
static size_t size_without_mark(const char *word, size_t size)
{
    const bool has_mark = size > 1 && word[size - 1] != 0 && strchr(",:;", word[size - 1]) != NULL;
    return has_mark && strchr(",:;", word[size - 2]) == NULL ? size - 1 : size;
}

/* What is no plain word is code, but for the mark behind it. */
static void put_odd_word(writer *w, const char *word, size_t size)
{
    const size_t code = size_without_mark(word, size);
    put_code_span(w, word, code);
    put_escape(w, word + code, size - code);
}

/* Word by word, with one blank between: several would be code at the start of a line, and a break at its end. */
static void put_prose(writer *w, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        const char *blank = memchr(text + at, ' ', size - at);
        const size_t end = blank ? (size_t)(blank - text) : size;
        if (end > at && w->length > 0) put_char(w, ' ');
        if (is_plain_prose(text + at, end - at))
            put_escape(w, text + at, end - at);
        else
            put_odd_word(w, text + at, end - at);
        at = end + (blank != NULL);
    }
}

/* ---- XML, OPENMETRICS, GITHUB ---- */

static const substitute *substitutes_of(hsd_escape_form form)
{
    static const substitute xml[] = {{'&', "&amp;"},  {'<', "&lt;"},    {'>', "&gt;"},
                                     {'"', "&quot;"}, {'\'', "&apos;"}, {0, NULL}};
    static const substitute label[] = {{'\\', "\\\\"}, {'"', "\\\""}, {0, NULL}};
    static const substitute data[] = {{'%', "%25"}, {0, NULL}};
    static const substitute property[] = {{'%', "%25"}, {':', "%3A"}, {',', "%2C"}, {0, NULL}};
    if (form == HSD_ESCAPE_XML) return xml;
    if (form == HSD_ESCAPE_OPENMETRICS) return label;
    return form == HSD_ESCAPE_GITHUB_DATA ? data : property;
}

/* ---- */

size_t hsd_escape(hsd_escape_form form, const char *text, size_t size, char *out, size_t capacity)
{
    writer w = {.out = out, .capacity = capacity};
    if (size == 0) text = "";
    switch (form) {
    case HSD_ESCAPE_TERMINAL: put_visible(&w, MARK_HIDDEN, text, size); break;
    case HSD_ESCAPE_ASCII: put_visible(&w, MARK_NON_ASCII, text, size); break;
    case HSD_ESCAPE_JSON: put_json(&w, text, size); break;
    case HSD_ESCAPE_CSV: put_csv(&w, text, size); break;
    case HSD_ESCAPE_SHELL: put_shell(&w, text, size); break;
    case HSD_ESCAPE_MARKDOWN: put_code_span(&w, text, size); break;
    case HSD_ESCAPE_MARKDOWN_PROSE: put_prose(&w, text, size); break;
    case HSD_ESCAPE_XML:
    case HSD_ESCAPE_OPENMETRICS:
    case HSD_ESCAPE_GITHUB_DATA:
    case HSD_ESCAPE_GITHUB_PROPERTY:
        w.substitutes = substitutes_of(form);
        put_visible(&w, MARK_HIDDEN, text, size);
        break;
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

hsd_status hsd_escape_append(hsd_buffer *out, hsd_escape_form form, const char *text, size_t size, hsd_error *err)
{
    const size_t needed = hsd_escape(form, text, size, NULL, 0);
    HSD_TRY(hsd_buffer_reserve(out, needed + 1, err));
    hsd_escape(form, text, size, (char *)out->data + out->size, needed + 1);
    out->size += needed;
    return HSD_OK;
}

/*
 * The pull reader of json.h. Strings are the greater part of what passes here: those that nobody
 * wants are skipped sixteen bytes at a time, the others are decoded run by run between their escapes.
 */
#include "import/json.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define KEY_LIMIT_BYTES ((size_t)256)

static const char *what_of(const hsd_import_json *json) { return json->what == NULL ? "snapshot" : json->what; }

static hsd_status fail_truncated(const hsd_import_json *json, hsd_error *err)
{
    const uint64_t offset = hsd_source_offset(json->source) + hsd_source_ahead(json->source);
    return hsd_fail_at(err, HSD_E_TRUNCATED, offset, "the %s ends inside its %s", what_of(json), json->where);
}

static hsd_status fail_corrupt(const hsd_import_json *json, const char *wanted, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(json->source),
                       "not a valid heap %s: %s should stand here, in the %s", what_of(json), wanted, json->where);
}

/* At least one byte ahead. */
static hsd_status need_byte(hsd_import_json *json, hsd_error *err)
{
    if (json->source->at < json->source->end) return HSD_OK;
    const hsd_status status = hsd_source_fill(json->source, 1, err);
    return status == HSD_END ? fail_truncated(json, err) : status;
}

static bool is_space(uint8_t c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

hsd_status hsd_import_json_look(hsd_import_json *json, uint8_t *byte, hsd_error *err)
{
    hsd_source *source = json->source;
    do {
        while (source->at < source->end && is_space(*source->at))
            source->at++;
        HSD_TRY(need_byte(json, err));
    } while (is_space(*source->at));
    *byte = *source->at;
    return HSD_OK;
}

hsd_status hsd_import_json_expect(hsd_import_json *json, uint8_t byte, hsd_error *err)
{
    uint8_t found;
    const char wanted[] = {'\'', (char)byte, '\'', '\0'};
    HSD_TRY(hsd_import_json_look(json, &found, err));
    if (found != byte) return fail_corrupt(json, wanted, err);
    hsd_source_take(json->source, 1);
    return HSD_OK;
}

/* ---- strings ---- */

/* The first byte of [at, end) that ends a run of plain bytes: a quote or a backslash. */
static const uint8_t *find_special(const uint8_t *at, const uint8_t *end)
{
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    for (; end - at >= 16; at += 16) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
        const int found = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)));
        if (found != 0) return at + __builtin_ctz((unsigned)found);
    }
#endif
    while (at < end && *at != '"' && *at != '\\')
        at++;
    return at;
}

/* Appends what fits; once something did not, nothing more is appended. */
static hsd_status append_json(hsd_import_json *json, const void *data, size_t size, size_t limit, hsd_error *err)
{
    if (json->is_cut || size > limit - json->text.size) {
        json->is_cut = true;
        return HSD_OK;
    }
    return hsd_buffer_append(&json->text, data, size, err);
}

static hsd_status append_character(hsd_import_json *json, uint32_t c, size_t limit, hsd_error *err)
{
    uint8_t utf8[4];
    size_t size = 0;
    if (c < 0x80) {
        utf8[size++] = (uint8_t)c;
    } else if (c < 0x800) {
        utf8[size++] = (uint8_t)(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        utf8[size++] = (uint8_t)(0xe0 | c >> 12);
        utf8[size++] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    } else {
        utf8[size++] = (uint8_t)(0xf0 | c >> 18);
        utf8[size++] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
        utf8[size++] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    }
    if (c >= 0x80) utf8[size++] = (uint8_t)(0x80 | (c & 0x3f));
    return append_json(json, utf8, size, limit, err);
}

/* Length of the UTF-8 character at `at`, 0 if there is none (`end` cuts it off, or it is invalid). */
static size_t utf8_length(const uint8_t *at, const uint8_t *end)
{
    const uint8_t c = *at;
    const size_t length = c < 0x80                ? 1
                          : c >= 0xc2 && c < 0xe0 ? 2
                          : (c & 0xf0) == 0xe0    ? 3
                          : c >= 0xf0 && c < 0xf5 ? 4
                                                  : 0;
    if (length == 0 || (size_t)(end - at) < length) return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if (c == 0xe0 && at[1] < 0xa0) return 0;
    if (c == 0xed && at[1] > 0x9f) return 0;
    if (c == 0xf0 && at[1] < 0x90) return 0;
    if (c == 0xf4 && at[1] > 0x8f) return 0;
    return length;
}

/* Appends bytes that hold no escape, as valid UTF-8. V8 writes ASCII alone; others may not. */
static hsd_status append_plain(hsd_import_json *json, const uint8_t *at, const uint8_t *end, size_t limit,
                               hsd_error *err)
{
    while (at < end && !json->is_cut) {
        const uint8_t *p = at;
        while (p < end && *p < 0x80)
            p++;
        const size_t room = limit - json->text.size;
        const size_t run = (size_t)(p - at) < room ? (size_t)(p - at) : room;
        if (run > 0) HSD_TRY(append_json(json, at, run, limit, err));
        if (run < (size_t)(p - at)) json->is_cut = true;
        at = p;
        if (at == end) break;
        const size_t length = utf8_length(at, end);
        if (length == 0)
            HSD_TRY(append_character(json, 0xfffd, limit, err));
        else
            HSD_TRY(append_json(json, at, length, limit, err));
        at += length == 0 ? 1 : length;
    }
    return HSD_OK;
}

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* The four hexadecimal digits at `at`, or -1. */
static int32_t parse_unit(const uint8_t *at)
{
    int32_t unit = 0;
    for (unsigned i = 0; i < 4; i++) {
        const int digit = hex_value(at[i]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

/* At least `size` bytes ahead, or the input ends inside the string. */
static hsd_status need_bytes(hsd_import_json *json, size_t size, hsd_error *err)
{
    const hsd_status status = hsd_source_peek(json->source, size, err);
    return status == HSD_END ? fail_truncated(json, err) : status;
}

/* What stands behind "\u"; a high surrogate takes the low one that follows. */
static hsd_status append_unit(hsd_import_json *json, size_t limit, hsd_error *err)
{
    hsd_source *source = json->source;
    HSD_TRY(need_bytes(json, 4, err));
    const int32_t unit = parse_unit(source->at);
    if (unit < 0) return fail_corrupt(json, "four hexadecimal digits", err);
    hsd_source_take(source, 4);
    uint32_t c = (uint32_t)unit;
    if (c >= 0xd800 && c < 0xdc00) {
        const hsd_status status = hsd_source_peek(source, 6, err);
        if (status < 0) return status;
        const bool is_pair = status == HSD_OK && source->at[0] == '\\' && source->at[1] == 'u';
        const int32_t low = is_pair ? parse_unit(source->at + 2) : -1;
        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
            hsd_source_take(source, 6);
        }
    }
    if (c >= 0xd800 && c < 0xe000) c = 0xfffd;
    return append_character(json, c, limit, err);
}

/* The escape at the backslash ahead. */
static hsd_status append_escape(hsd_import_json *json, size_t limit, hsd_error *err)
{
    static const char letters[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    HSD_TRY(need_bytes(json, 2, err));
    const uint8_t letter = json->source->at[1];
    hsd_source_take(json->source, 2);
    if (letter == 'u') return append_unit(json, limit, err);
    const char *found = letter == '\0' ? NULL : strchr(letters, letter);
    if (found == NULL) return fail_corrupt(json, "a known escape", err);
    return append_character(json, (uint8_t)meaning[found - letters], limit, err);
}

/* How many bytes before `end` begin a character that is not whole. */
static size_t incomplete_tail(const uint8_t *at, const uint8_t *end)
{
    for (size_t back = 1; back <= 3 && back <= (size_t)(end - at); back++) {
        const uint8_t c = end[-(ptrdiff_t)back];
        if (c < 0x80) return 0;
        if (c >= 0xc0) return (c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u) > back ? back : 0;
    }
    return 0;
}

/* Takes the next run without escapes. HSD_END when a quote or backslash stands ahead. */
static hsd_status take_run(hsd_import_json *json, size_t limit, hsd_error *err)
{
    hsd_source *source = json->source;
    HSD_TRY(need_byte(json, err));
    const uint8_t *stop = find_special(source->at, source->end);
    const bool is_special = stop < source->end;
    if (!is_special) stop -= incomplete_tail(source->at, stop);
    if (stop == source->at && !is_special) return need_bytes(json, hsd_source_ahead(source) + 1, err);
    HSD_TRY(append_plain(json, source->at, stop, limit, err));
    source->at = stop;
    return is_special ? HSD_END : HSD_OK;
}

hsd_status hsd_import_json_string(hsd_import_json *json, size_t limit, hsd_error *err)
{
    hsd_buffer_clear(&json->text);
    json->is_cut = false;
    HSD_TRY(hsd_buffer_reserve(&json->text, 1, err)); /* empty text is no NULL */
    HSD_TRY(hsd_import_json_expect(json, '"', err));
    for (;;) {
        const hsd_status status = take_run(json, limit, err);
        if (status == HSD_OK) continue;
        if (status != HSD_END) return status;
        if (*json->source->at == '"') break;
        HSD_TRY(append_escape(json, limit, err));
    }
    hsd_source_take(json->source, 1);
    return HSD_OK;
}

hsd_status hsd_import_json_skip_string(hsd_import_json *json, hsd_error *err)
{
    hsd_source *source = json->source;
    HSD_TRY(hsd_import_json_expect(json, '"', err));
    for (;;) {
        HSD_TRY(need_byte(json, err));
        source->at = find_special(source->at, source->end);
        if (source->at == source->end) continue;
        if (*source->at == '"') break;
        HSD_TRY(need_bytes(json, 2, err));
        hsd_source_take(source, 2);
    }
    hsd_source_take(source, 1);
    return HSD_OK;
}

bool hsd_import_json_is(const hsd_import_json *json, const char *text)
{
    return json->text.size == strlen(text) && memcmp(json->text.data, text, json->text.size) == 0;
}

/* ---- other values ---- */

hsd_status hsd_import_json_number(hsd_import_json *json, uint64_t *out, hsd_error *err)
{
    uint8_t byte;
    uint64_t value = 0;
    HSD_TRY(hsd_import_json_look(json, &byte, err));
    if ((uint8_t)(byte - '0') > 9) return fail_corrupt(json, "a whole number", err);
    while ((uint8_t)(byte - '0') < 10) {
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, (uint64_t)(byte - '0'), &value))
            return fail_corrupt(json, "a number below 2^64", err);
        hsd_source_take(json->source, 1);
        HSD_TRY(need_byte(json, err));
        byte = *json->source->at;
    }
    if (byte == '.' || byte == 'e' || byte == 'E') return fail_corrupt(json, "a whole number", err);
    *out = value;
    return HSD_OK;
}

/* Takes the letters and digits of a number, true, false, null. */
static hsd_status skip_scalar(hsd_import_json *json, hsd_error *err)
{
    static const char other[] = "+-.";
    hsd_source *source = json->source;
    bool is_empty = true;
    for (;;) {
        HSD_TRY(need_byte(json, err));
        const uint8_t c = *source->at;
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_letter && (c == '\0' || strchr(other, c) == NULL)) break;
        hsd_source_take(source, 1);
        is_empty = false;
    }
    return is_empty ? fail_corrupt(json, "a value", err) : HSD_OK;
}

/* Moves to the next bracket, brace or quote inside a nested value. */
static void skip_flat(hsd_source *source)
{
    static const bool stops[256] = {['['] = true, [']'] = true, ['{'] = true, ['}'] = true, ['"'] = true};
    while (source->at < source->end && !stops[*source->at])
        source->at++;
}

hsd_status hsd_import_json_skip(hsd_import_json *json, hsd_error *err)
{
    hsd_source *source = json->source;
    uint64_t depth = 0;
    uint8_t byte;
    HSD_TRY(hsd_import_json_look(json, &byte, err));
    do {
        if (byte == '"') {
            HSD_TRY(hsd_import_json_skip_string(json, err));
        } else if (byte == '[' || byte == '{') {
            depth++;
            hsd_source_take(source, 1);
        } else if ((byte == ']' || byte == '}') && depth > 0) {
            depth--;
            hsd_source_take(source, 1);
        } else if (depth == 0) {
            return skip_scalar(json, err);
        }
        if (depth == 0) break;
        do {
            HSD_TRY(need_byte(json, err));
            skip_flat(source);
        } while (source->at == source->end);
        byte = *source->at;
    } while (true);
    return HSD_OK;
}

static hsd_status next_json(hsd_import_json *json, bool *is_first, uint8_t open, uint8_t close, hsd_error *err)
{
    uint8_t byte;
    const bool was_first = *is_first;
    if (was_first) HSD_TRY(hsd_import_json_expect(json, open, err));
    *is_first = false;
    HSD_TRY(hsd_import_json_look(json, &byte, err));
    if (byte == close) {
        hsd_source_take(json->source, 1);
        return HSD_END;
    }
    return was_first ? HSD_OK : hsd_import_json_expect(json, ',', err);
}

hsd_status hsd_import_json_next_key(hsd_import_json *json, bool *is_first, hsd_error *err)
{
    const hsd_status status = next_json(json, is_first, '{', '}', err);
    if (status != HSD_OK) return status;
    HSD_TRY(hsd_import_json_string(json, KEY_LIMIT_BYTES, err));
    return hsd_import_json_expect(json, ':', err);
}

hsd_status hsd_import_json_next_item(hsd_import_json *json, bool *is_first, hsd_error *err)
{
    return next_json(json, is_first, '[', ']', err);
}

void hsd_import_json_release(hsd_import_json *json) { hsd_buffer_release(&json->text); }

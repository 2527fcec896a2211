/*
 * Lines, and the tokens of a line. A line that fits into the window is looked at where it lies; of a longer one a part
 * at a time.
 */
#include <string.h>

#include "base/mix.h"
#include "import/luau/luau.h"

enum { ADDRESS_DIGITS = 16, NEXT_KEY_BYTES = 24 };

/* ---- lines ---- */

/* The newline in what is ahead, or the end of that. */
static void find_end(luau *lu)
{
    const hsd_source *source = lu->source;
    const uint8_t *newline = memchr(lu->at, '\n', (size_t)(source->end - lu->at));
    lu->end = newline == NULL ? source->end : newline;
    if (newline != NULL) lu->line.is_long = false;
}

static bool has_newline(const luau *lu) { return lu->end < lu->source->end; }

hsd_status hsd_luau_more(luau *lu, size_t want, hsd_error *err)
{
    hsd_source *source = lu->source;
    (void)want;
    hsd_source_take(source, (size_t)(lu->at - source->at));
    const hsd_status status = hsd_source_fill(source, source->window_bytes, err);
    if (status < 0) return status;
    lu->at = source->at;
    find_end(lu);
    if (status == HSD_END && !has_newline(lu)) {
        lu->line.is_long = false;
        lu->line.is_cut = true;
    }
    return HSD_OK;
}

static hsd_status end_line(luau *lu, hsd_error *err)
{
    while (lu->line.is_long) {
        lu->at = lu->end;
        HSD_TRY(hsd_luau_more(lu, 1, err));
    }
    hsd_source_take(lu->source, (size_t)(lu->end - lu->source->at) + has_newline(lu));
    lu->at = NULL;
    return HSD_OK;
}

hsd_status hsd_luau_next_line(luau *lu, hsd_error *err)
{
    hsd_source *source = lu->source;
    if (lu->at != NULL) HSD_TRY(end_line(lu, err));
    lu->line = (luau_line){0};
    if (hsd_source_offset(source) >= lu->end_offset) return HSD_END;
    HSD_TRY(hsd_source_peek(source, 1, err));
    lu->at = source->at;
    find_end(lu);
    if (has_newline(lu)) return HSD_OK;
    lu->line.is_long = true;
    return hsd_luau_more(lu, 1, err);
}

/* ---- tokens ---- */

/* One more than the digit, 0 = none. */
static const uint8_t digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

const uint8_t *hsd_luau_address_at(const uint8_t *at, const uint8_t *end, uint64_t *address)
{
    if (end - at < 3 || *at != '"') return NULL;
    at++;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) at += 2;
    const uint8_t *first = at;
    if (end - at > ADDRESS_DIGITS + 1) end = at + ADDRESS_DIGITS + 1;
    uint64_t value = 0;
    for (; at < end && digits[*at] != 0; at++)
        value = value << 4 | (uint64_t)(digits[*at] - 1);
    if (at == first || at - first > ADDRESS_DIGITS || at == end || *at != '"') return NULL;
    *address = value;
    return at + 1;
}

bool hsd_luau_take_number(luau *lu, int64_t *number)
{
    const uint8_t *at = lu->at;
    const bool is_negative = at < lu->end && *at == '-';
    int64_t value = 0;
    at += is_negative;
    const uint8_t *first = at;
    for (; at < lu->end && *at >= '0' && *at <= '9' && at - first < 18; at++)
        value = value * 10 + (*at - '0');
    if (at == first) return false;
    lu->at = at;
    *number = is_negative ? -value : value;
    return true;
}

/* ---- texts ---- */

/* Whether what stands behind a quote makes it the end of a text that is printed as it is. */
static bool ends_text(const uint8_t *at, const uint8_t *end, luau_ending ending)
{
    if (at == end) return true;
    if (ending == LUAU_BEFORE_ITEM) return *at == ']' || (*at == ',' && end - at > 1 && (at[1] == '"' || at[1] == 'n'));
    if (*at == '}') return at + 1 == end || (at[1] == ',' && at + 2 == end);
    if (*at != ',' || end - at < 3 || at[1] != '"') return false;
    for (at += 2; at < end && *at >= 'a' && *at <= 'z';)
        at++;
    return end - at > 1 && at[0] == '"' && at[1] == ':';
}

static void put_bytes(uint8_t into[LUAU_TEXT_BYTES], size_t *size, const uint8_t *from, size_t count)
{
    const size_t room = LUAU_TEXT_BYTES - *size;
    if (count > room) count = room;
    memcpy(into + *size, from, count);
    *size += count;
}

hsd_status hsd_luau_read_text(luau *lu, luau_ending ending, uint8_t into[LUAU_TEXT_BYTES], hsd_bytes *text,
                              hsd_error *err)
{
    size_t size = 0;
    if (!hsd_luau_take(lu, '"')) return HSD_END;
    for (;;) {
        HSD_TRY(hsd_luau_look(lu, NEXT_KEY_BYTES, err));
        if (lu->at == lu->end) return HSD_END;
        /* Of a line that goes on, the last bytes of the window wait for what follows. */
        const uint8_t *quote = memchr(lu->at, '"', (size_t)(lu->end - lu->at));
        if (quote == NULL || quote > lu->at) {
            const uint8_t *to = quote == NULL ? lu->end : quote;
            put_bytes(into, &size, lu->at, (size_t)(to - lu->at));
            lu->at = to;
            continue;
        }
        lu->at++;
        if (ending == LUAU_AT_QUOTE || ends_text(lu->at, lu->end, ending)) break;
        put_bytes(into, &size, quote, 1);
    }
    *text = (hsd_bytes){into, size};
    return HSD_OK;
}

/* Words of eight bytes, wherever the window ends. */
static uint64_t hash_words(uint64_t hash, const uint8_t *at, size_t count)
{
    uint64_t word;
    for (; count >= sizeof word; at += sizeof word, count -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = hsd_mix(hash, word);
    }
    if (count == 0) return hash;
    word = 0;
    memcpy(&word, at, count);
    return hsd_mix(hash, word);
}

hsd_status hsd_luau_read_data(luau *lu, hsd_error *err)
{
    luau_line *line = &lu->line;
    uint64_t hash = 1;
    size_t size = 0;
    if (!hsd_luau_take(lu, '"')) return HSD_END;
    for (;;) {
        HSD_TRY(hsd_luau_look(lu, sizeof(uint64_t), err));
        const uint8_t *quote = memchr(lu->at, '"', (size_t)(lu->end - lu->at));
        if (quote == NULL && !line->is_long) return HSD_END;
        size_t count = (size_t)((quote == NULL ? lu->end : quote) - lu->at);
        if (quote == NULL) count -= count % sizeof(uint64_t);
        hash = hash_words(hash, lu->at, count);
        line->data_bytes += count;
        if (quote != NULL && line->data_bytes == count) {
            line->data = (hsd_bytes){lu->at, count < LUAU_TEXT_BYTES ? count : LUAU_TEXT_BYTES};
        } else {
            put_bytes(lu->data_text, &size, lu->at, count);
            line->data = (hsd_bytes){lu->data_text, size};
        }
        lu->at += count;
        if (quote != NULL) break;
    }
    lu->at++;
    hash = hsd_mix(hash, line->data_bytes);
    line->data_hash = hash == 0 ? 1 : hash;
    return HSD_OK;
}

/* Numbers, texts, lists of such; braces do not occur. */
hsd_status hsd_luau_skip_value(luau *lu, hsd_error *err)
{
    hsd_bytes ignored;
    HSD_TRY(hsd_luau_look(lu, NEXT_KEY_BYTES, err));
    if (lu->at == lu->end) return HSD_END;
    if (*lu->at == '"') return hsd_luau_read_text(lu, LUAU_AT_QUOTE, lu->data_text, &ignored, err);
    if (*lu->at == '[') {
        for (;;) {
            HSD_TRY(hsd_luau_look(lu, 1, err));
            if (lu->at == lu->end) return HSD_END;
            const uint8_t *close = memchr(lu->at, ']', (size_t)(lu->end - lu->at));
            lu->at = close == NULL ? lu->end : close + 1;
            if (close != NULL) return HSD_OK;
        }
    }
    while (lu->at < lu->end && *lu->at != ',' && *lu->at != '}')
        lu->at++;
    return HSD_OK;
}

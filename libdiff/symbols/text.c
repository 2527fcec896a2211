#define _GNU_SOURCE /* memrchr */
/*
 * Unresolved names in texts. See text.h.
 *
 *      libshop.so+0x1af0{3fa4…}          the brace is looked for first, then digits and "+0x" in front of it, then the module
 */
#include "symbols/text.h"

#include <string.h>

enum { MOST_OFFSET_DIGITS = 9 };

static bool is_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

static uint64_t digit_value(char c) { return (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10); }

static hsd_text part(hsd_text text, size_t from, size_t end) { return (hsd_text){text.data + from, end - from}; }

/* What stands in front of the brace at `brace`: *plus is where "+0x" begins. */
static bool parse_offset(hsd_text text, size_t from, size_t brace, size_t *plus, uint64_t *offset)
{
    size_t at = brace;
    while (at > from && is_digit(text.data[at - 1]))
        at--;
    const size_t digits = brace - at;
    /* The 0 of "0x" is no digit of the number: an x stands between. */
    if (digits == 0 || digits > 16 || (digits > 1 && text.data[at] == '0')) return false;
    if (at < from + 3 || memcmp(text.data + at - 3, "+0x", 3) != 0) return false;
    *plus = at - 3;
    *offset = 0;
    for (; at < brace; at++)
        *offset = *offset << 4 | digit_value(text.data[at]);
    return true;
}

/* A space does where the module may hold some, unless a colon before it ends what stands around: "stack of main: my
 * shop+0x1{}". */
static bool belongs_to_module(hsd_text text, size_t from, size_t at, bool has_spaces)
{
    const char c = text.data[at];
    if (c == ' ') return has_spaces && (at == from || text.data[at - 1] != ':');
    return c != '+' && c != '{' && c != '}';
}

/* The name whose build id begins behind the brace at `brace`, its module at the earliest at `from`. */
static bool parse_at(hsd_text text, size_t from, size_t brace, bool has_spaces, hsd_unresolved *out)
{
    size_t plus, end = brace + 1, begin;
    while (end < text.size && is_digit(text.data[end]))
        end++;
    if (end == text.size || text.data[end] != '}' || end - brace - 1 > HSD_BUILD_ID_DIGITS) return false;
    if (!parse_offset(text, from, brace, &plus, &out->offset)) return false;
    begin = plus;
    while (begin > from && belongs_to_module(text, from, begin - 1, has_spaces))
        begin--;
    if (begin == plus || plus - begin > HSD_MODULE_BYTES || memchr(text.data + begin, '/', plus - begin) != NULL)
        return false;
    out->whole = part(text, begin, end + 1);
    out->module = part(text, begin, plus);
    out->build_id = part(text, brace + 1, end);
    return true;
}

bool hsd_unresolved_parse(hsd_text text, hsd_unresolved *out)
{
    const char *brace = text.size > 0 ? memchr(text.data, '{', text.size) : NULL;
    return brace != NULL && parse_at(text, 0, (size_t)(brace - text.data), true, out) && out->whole.size == text.size;
}

bool hsd_unresolved_find(hsd_text text, size_t from, hsd_unresolved *out)
{
    for (size_t at = from; at < text.size; at++) {
        const char *brace = memchr(text.data + at, '{', text.size - at);
        if (brace == NULL) return false;
        at = (size_t)(brace - text.data);
        if (parse_at(text, from, at, false, out)) return true;
    }
    return false;
}

/* ---- marked texts ---- */

static bool take_prefix(hsd_text *text, const char *prefix)
{
    const size_t size = strlen(prefix);
    if (text->size < size || memcmp(text->data, prefix, size) != 0) return false;
    *text = part(*text, size, text->size);
    return true;
}

/* Where `word` stands in the text first; its size if nowhere. */
static size_t find_text(hsd_text text, const char *word)
{
    const size_t size = strlen(word);
    for (size_t at = 0; at + size <= text.size; at++) {
        if (memcmp(text.data + at, word, size) == 0) return at;
    }
    return text.size;
}

static void parse_allocated(hsd_text text, hsd_marked *out)
{
    size_t at = find_text(text, " at ");
    out->kind = HSD_MARKED_ALLOCATED;
    out->size = part(text, 0, at);
    for (at += 4; at < text.size && out->name_count < HSD_ALLOCATED_NAMES;) {
        const hsd_text rest = part(text, at, text.size);
        const size_t size = find_text(rest, " < ");
        out->names[out->name_count++] = part(rest, 0, size);
        at += size + 3;
    }
}

/* "NAME" or "NAME 7Session". */
static void parse_vtable(hsd_text text, hsd_marked *out)
{
    const char *space = text.size > 0 ? memrchr(text.data, ' ', text.size) : NULL;
    const size_t at = space != NULL ? (size_t)(space - text.data) : text.size;
    const bool has_type = space != NULL && at > 0 && (text.data[at - 1] == '}' || text.data[at - 1] == ')');
    out->kind = HSD_MARKED_VTABLE;
    out->name = has_type ? part(text, 0, at) : text;
    out->type_name = has_type ? part(text, at + 1, text.size) : (hsd_text){"", 0};
}

/* Of at most nine digits; false: there is none. */
static bool take_number(hsd_text *text, uint64_t *number)
{
    size_t at = 0;
    *number = 0;
    for (; at < text->size && at < MOST_OFFSET_DIGITS && text->data[at] >= '0' && text->data[at] <= '9'; at++)
        *number = 10 * *number + (uint64_t)(text->data[at] - '0');
    *text = part(*text, at, text->size);
    return at > 0;
}

/* "120 40 stack of worker: NAME". */
static bool parse_local(hsd_text text, hsd_marked *out)
{
    hsd_unresolved name;
    uint64_t below, above;
    if (!take_number(&text, &below) || !take_prefix(&text, " ") || !take_number(&text, &above) ||
        !take_prefix(&text, " ") || !hsd_unresolved_find(text, 0, &name))
        return false;
    *out = (hsd_marked){.kind = HSD_MARKED_LOCAL, .name = name.whole, .whole = text, .below = below, .above = above};
    return true;
}

/* "3 stack of worker: NAME". */
static bool parse_register(hsd_text text, hsd_marked *out)
{
    hsd_unresolved name;
    uint64_t number;
    if (!take_number(&text, &number) || !take_prefix(&text, " ") || !hsd_unresolved_find(text, 0, &name)) return false;
    *out = (hsd_marked){.kind = HSD_MARKED_REGISTER, .name = name.whole, .whole = text, .offset = number};
    return true;
}

/* "+16 {member} TYPE". */
static bool parse_member(hsd_text text, hsd_marked *out)
{
    hsd_text rest = text;
    uint64_t offset;
    if (!take_prefix(&rest, "+") || !take_number(&rest, &offset)) return false;
    const size_t at = text.size - rest.size;
    if (!take_prefix(&rest, " {member} ")) return false;
    *out = (hsd_marked){.kind = HSD_MARKED_MEMBER, .place = part(text, 0, at), .type = rest, .offset = offset};
    return true;
}

void hsd_marked_parse(hsd_text text, hsd_marked *out)
{
    *out = (hsd_marked){.kind = HSD_MARKED_NOT};
    if (parse_member(text, out)) return;
    if (take_prefix(&text, "{allocated} ")) {
        parse_allocated(text, out);
    } else if (take_prefix(&text, "{vtable} ")) {
        parse_vtable(text, out);
    } else if (take_prefix(&text, "{variable} ")) {
        out->kind = HSD_MARKED_VARIABLE;
        out->name = text;
    } else if (take_prefix(&text, "{local} ")) {
        parse_local(text, out);
    } else if (take_prefix(&text, "{register} ")) {
        parse_register(text, out);
    } else if (take_prefix(&text, "{thread-local} ")) {
        out->kind = HSD_MARKED_THREAD_LOCAL;
        out->name = text;
    }
}

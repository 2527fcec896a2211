/*
 * From an address to a question.
 */
#include "view/routes.h"

#include <string.h>

enum {
    TAKES_SIDE = 1,
    TAKES_OF = 2,
    TAKES_TYPE = 4,
    TAKES_TEXT = 8,
    TAKES_ORDER = 16,
    TAKES_FROM = 32,
    TAKES_COUNT = 64
};
enum { TAKES_RANGE = TAKES_FROM | TAKES_COUNT };

static const struct route {
    const char *path;
    unsigned takes, needs;
} routes[HSD_VIEW_ROUTES] = {
    [HSD_VIEW_PAGE] = {"/", 0, 0},
    [HSD_VIEW_STATE] = {"/api/state", 0, 0},
    [HSD_VIEW_REPORT] = {"/api/report", 0, 0},
    [HSD_VIEW_TYPES] = {"/api/types", TAKES_SIDE | TAKES_TEXT | TAKES_ORDER | TAKES_RANGE, 0},
    [HSD_VIEW_OBJECTS] = {"/api/objects", TAKES_SIDE | TAKES_TYPE | TAKES_RANGE, TAKES_TYPE},
    [HSD_VIEW_DOMINATED] = {"/api/dominated", TAKES_SIDE | TAKES_OF | TAKES_RANGE, TAKES_OF},
    [HSD_VIEW_REFERENTS] = {"/api/referents", TAKES_SIDE | TAKES_OF | TAKES_RANGE, TAKES_OF},
    [HSD_VIEW_REFERRERS] = {"/api/referrers", TAKES_SIDE | TAKES_OF | TAKES_RANGE, TAKES_OF},
    [HSD_VIEW_PATH] = {"/api/path", TAKES_SIDE | TAKES_OF, TAKES_OF},
    [HSD_VIEW_DOMINATORS] = {"/api/dominators", TAKES_SIDE | TAKES_OF, TAKES_OF},
    [HSD_VIEW_OBJECT] = {"/api/object", TAKES_SIDE | TAKES_OF, TAKES_OF},
    [HSD_VIEW_SEARCH] = {"/api/search", TAKES_SIDE | TAKES_TEXT, TAKES_TEXT},
};

const char *hsd_view_route_path(hsd_view_route route) { return routes[route].path; }

/* ---- values ---- */

/* Digits of that base and nothing else. */
static bool parse_number(hsd_text text, unsigned base, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                               : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                      : base;
        if (digit >= base || __builtin_mul_overflow(*number, base, number) ||
            __builtin_add_overflow(*number, digit, number))
            return false;
    }
    return text.size > 0;
}

static bool is_word(hsd_text text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

/* What stands behind `prefix`, if that is how it begins. */
static bool strip(hsd_text text, const char *prefix, hsd_text *rest)
{
    const size_t size = strlen(prefix);
    if (text.size < size || memcmp(text.data, prefix, size) != 0) return false;
    *rest = (hsd_text){text.data + size, text.size - size};
    return true;
}

static bool take_side(hsd_view_question *question, hsd_text value)
{
    question->side = is_word(value, "before") ? HSD_VIEW_BEFORE : HSD_VIEW_AFTER;
    return question->side == HSD_VIEW_BEFORE || is_word(value, "after");
}

static bool take_of(hsd_view_question *question, hsd_text value)
{
    hsd_text rest;
    if (is_word(value, "all")) {
        question->of = HSD_VIEW_OF_ALL;
        return true;
    }
    if (strip(value, "0x", &rest)) {
        question->of = HSD_VIEW_OF_ID;
        return parse_number(rest, 16, &question->of_number);
    }
    question->of = HSD_VIEW_OF_NODE;
    return strip(value, "root:", &rest) && parse_number(rest, 10, &question->of_number) &&
           question->of_number < HSD_BROWSE_ALL;
}

static bool take_type(hsd_view_question *question, hsd_text value)
{
    question->type = value;
    return true;
}

static bool take_text(hsd_view_question *question, hsd_text value)
{
    question->text = value;
    return true;
}

static bool take_order(hsd_view_question *question, hsd_text value)
{
    static const char *const words[] = {[HSD_BROWSE_BY_RETAINED] = "retained",
                                        [HSD_BROWSE_BY_BYTES] = "bytes",
                                        [HSD_BROWSE_BY_OBJECTS] = "objects",
                                        [HSD_BROWSE_BY_NAME] = "name"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        question->order = (hsd_browse_type_order)i;
        if (is_word(value, words[i])) return true;
    }
    return false;
}

static bool take_from(hsd_view_question *question, hsd_text value) { return parse_number(value, 10, &question->from); }

static bool take_count(hsd_view_question *question, hsd_text value)
{
    uint64_t count;
    if (!parse_number(value, 10, &count)) return false;
    question->count = count < HSD_BROWSE_MOST ? (size_t)count : HSD_BROWSE_MOST;
    return true;
}

static const struct parameter {
    const char *name, *wanted;
    unsigned bit;
    bool (*take)(hsd_view_question *question, hsd_text value);
} parameters[] = {
    {"side", "before or after", TAKES_SIDE, take_side},
    {"of", "0x and hexadecimal digits, root:NUMBER, or all", TAKES_OF, take_of},
    {"type", "the name of a type", TAKES_TYPE, take_type},
    {"text", "a part of a name, or an id", TAKES_TEXT, take_text},
    {"order", "retained, bytes, objects or name", TAKES_ORDER, take_order},
    {"from", "a number", TAKES_FROM, take_from},
    {"count", "a number", TAKES_COUNT, take_count},
};

/* ---- the query ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Decodes a part of the query to *to, which moves on. False: a percent sign without two digits, or a NUL. */
static bool decode(const char *from, size_t size, char **to)
{
    for (size_t i = 0; i < size; i++) {
        char c = from[i];
        if (c == '+') c = ' ';
        if (c == '%') {
            const int high = i + 2 < size ? hex_digit(from[i + 1]) : -1,
                      low = i + 2 < size ? hex_digit(from[i + 2]) : -1;
            if (high < 0 || low < 0 || (high == 0 && low == 0)) return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        *(*to)++ = c;
    }
    return true;
}

static const struct parameter *find_parameter(hsd_text name, unsigned takes)
{
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        if ((parameters[i].bit & takes) && is_word(name, parameters[i].name)) return &parameters[i];
    return NULL;
}

/* One "name=value". */
static hsd_status take_pair(hsd_view_question *question, const char *pair, size_t size, char **storage, unsigned *seen,
                            hsd_error *err)
{
    const struct route *route = &routes[question->route];
    const char *equals = memchr(pair, '=', size);
    const hsd_text name = {pair, equals ? (size_t)(equals - pair) : size};
    const struct parameter *parameter = find_parameter(name, route->takes);
    if (!parameter || !equals) return hsd_fail(err, HSD_E_MISUSE, "%s does not take this parameter", route->path);
    if (*seen & parameter->bit) return hsd_fail(err, HSD_E_MISUSE, "%s stands there twice", parameter->name);
    *seen |= parameter->bit;
    char *begin = *storage;
    if (!decode(equals + 1, size - name.size - 1, storage))
        return hsd_fail(err, HSD_E_MISUSE, "%s is not encoded as an address is", parameter->name);
    if (parameter->take(question, (hsd_text){begin, (size_t)(*storage - begin)})) return HSD_OK;
    return hsd_fail(err, HSD_E_MISUSE, "%s is %s", parameter->name, parameter->wanted);
}

static hsd_status take_query(hsd_view_question *question, const char *query, hsd_error *err)
{
    const unsigned needs = routes[question->route].needs;
    char *storage = question->decoded;
    unsigned seen = 0;
    while (*query) {
        const size_t size = strcspn(query, "&");
        if (size > 0) HSD_TRY(take_pair(question, query, size, &storage, &seen, err));
        query += size + (query[size] == '&');
    }
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        if (parameters[i].bit & needs & ~seen) return hsd_fail(err, HSD_E_MISUSE, "%s is missing", parameters[i].name);
    return HSD_OK;
}

hsd_status hsd_view_parse(hsd_view_question *question, const char *target, hsd_error *err)
{
    const size_t path_size = strcspn(target, "?");
    const char *query = target[path_size] == '?' ? target + path_size + 1 : "";
    question->side = HSD_VIEW_ONLY_SIDE;
    question->of = HSD_VIEW_OF_NONE;
    question->of_number = question->from = 0;
    question->text = question->type = (hsd_text){question->decoded, 0};
    question->order = HSD_BROWSE_BY_RETAINED;
    question->count = HSD_VIEW_COUNT;
    if (strnlen(target, HSD_VIEW_TARGET_BYTES + 1) > HSD_VIEW_TARGET_BYTES)
        return hsd_fail(err, HSD_E_MISUSE, "the address is longer than 8 KiB");
    for (size_t i = 0; i < HSD_VIEW_ROUTES; i++) {
        if (!is_word((hsd_text){target, path_size}, routes[i].path)) continue;
        question->route = (hsd_view_route)i;
        return take_query(question, query, err);
    }
    return hsd_fail(err, HSD_E_NOT_FOUND, "the viewer has no such page");
}

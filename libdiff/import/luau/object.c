/*
 * One line: its keys in any order, but that what names its type stands in front of its first list.
 */
#include <string.h>

#include "import/luau/luau.h"

enum { TOKEN_BYTES = 64 };

/* ---- head ---- */

static luau_kind take_kind(luau *lu)
{
#define KIND(name, kind)                                                                                               \
    {                                                                                                                  \
        name "\"", sizeof name, kind                                                                                   \
    }
    static const struct {
        const char *name;
        size_t size;
        luau_kind kind;
    } kinds[] = {
        KIND("string", LUAU_STRING),   KIND("table", LUAU_TABLE),       KIND("function", LUAU_FUNCTION),
        KIND("upvalue", LUAU_UPVALUE), KIND("userdata", LUAU_USERDATA), KIND("proto", LUAU_PROTO),
        KIND("buffer", LUAU_BUFFER),   KIND("thread", LUAU_THREAD),     KIND("object", LUAU_OBJECT),
        KIND("class", LUAU_CLASS),     KIND("vector", LUAU_VECTOR),
    };
#undef KIND
    const size_t ahead = (size_t)(lu->end - lu->at);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].size <= ahead && kinds[i].name[0] == (char)*lu->at &&
            memcmp(kinds[i].name, lu->at, kinds[i].size) == 0) {
            lu->at += kinds[i].size;
            return kinds[i].kind;
        }
    while (lu->at < lu->end && *lu->at != '"')
        lu->at++;
    hsd_luau_take(lu, '"');
    return LUAU_UNKNOWN;
}

/* A build whose vectors are of doubles says nothing at all of them. */
static hsd_status take_vector(luau *lu)
{
    if (lu->at == lu->end || *lu->at != ',') return HSD_END;
    lu->line.kind = LUAU_VECTOR;
    lu->line.size_bytes = LUAU_VECTOR_BYTES;
    lu->line.category = LUAU_CATEGORIES;
    lu->at = lu->end;
    return HSD_OK;
}

hsd_status hsd_luau_read_head(luau *lu, hsd_error *err)
{
    luau_line *line = &lu->line;
    int64_t category, size;
    HSD_TRY(hsd_luau_look(lu, TOKEN_BYTES * 2, err));
    if (!hsd_luau_take_address(lu, &line->address) || !hsd_luau_take(lu, ':')) return HSD_END;
    if (!hsd_luau_take(lu, '{')) return take_vector(lu);
    if (!HSD_LUAU_TAKE(lu, "\"type\":\"")) return HSD_END;
    line->kind = take_kind(lu);
    if (!HSD_LUAU_TAKE(lu, ",\"cat\":") || !hsd_luau_take_number(lu, &category)) return HSD_END;
    if (!HSD_LUAU_TAKE(lu, ",\"size\":") || !hsd_luau_take_number(lu, &size)) return HSD_END;
    if (category < 0 || category >= LUAU_CATEGORIES) return HSD_END;
    line->category = (uint32_t)category;
    line->is_wrapped = size < 0;
    line->size_bytes = size < 0 ? (uint64_t)(uint32_t)size : (uint64_t)size;
    return HSD_OK;
}

/* ---- lists ---- */

/* A reference or null; HSD_END for anything else. */
static hsd_status read_reference(luau *lu, uint64_t *target, hsd_error *err)
{
    HSD_TRY(hsd_luau_look(lu, TOKEN_BYTES, err));
    *target = 0;
    return hsd_luau_take_address(lu, target) || HSD_LUAU_TAKE(lu, "null") ? HSD_OK : HSD_END;
}

static hsd_status read_pairs(luau *lu, const luau_visit *visit, hsd_error *err)
{
    uint64_t key, value;
    if (!hsd_luau_take(lu, '[')) return HSD_END;
    if (hsd_luau_take(lu, ']')) return HSD_OK;
    do {
        HSD_TRY(read_reference(lu, &key, err));
        if (!hsd_luau_take(lu, ',')) return HSD_END;
        HSD_TRY(read_reference(lu, &value, err));
        HSD_TRY(visit->pair(lu, key, value, err));
    } while (hsd_luau_take(lu, ','));
    return hsd_luau_take(lu, ']') ? HSD_OK : HSD_END;
}

/* The list of static members is never closed: the next key ends it. */
static hsd_status read_list(luau *lu, luau_edge list, const luau_visit *visit, hsd_error *err)
{
    uint64_t target;
    if (visit->item == NULL && list != LUAU_STATICS) return hsd_luau_skip_value(lu, err);
    if (!hsd_luau_take(lu, '[')) return HSD_END;
    if (hsd_luau_take(lu, ']')) return HSD_OK;
    for (bool is_first = true;; is_first = false) {
        HSD_TRY(hsd_luau_look(lu, TOKEN_BYTES, err));
        if (list == LUAU_STATICS && HSD_LUAU_TAKE(lu, ",\"instancemetatable\"")) {
            lu->at -= sizeof ",\"instancemetatable\"" - 1;
            return HSD_OK;
        }
        if (!is_first && !hsd_luau_take(lu, ',')) break;
        HSD_TRY(read_reference(lu, &target, err));
        if (target != 0 && visit->item != NULL) HSD_TRY(visit->item(lu, list, target, err));
    }
    return hsd_luau_take(lu, ']') ? HSD_OK : HSD_END;
}

/* ---- keys ---- */

typedef enum key_kind {
    KEY_UNKNOWN,
    KEY_PAIRS,
    KEY_LIST,
    KEY_EDGE,
    KEY_NAME,
    KEY_SOURCE,
    KEY_LINE,
    KEY_DATA,
    KEY_STACK_NAMES
} key_kind;

typedef struct key_row {
    const char *name;
    size_t size;
    key_kind kind;
    luau_edge edge;
} key_row;

static const key_row *take_key(luau *lu)
{
#define KEY(name, kind, edge)                                                                                          \
    {                                                                                                                  \
        "\"" name "\":", sizeof name + 2, kind, edge                                                                   \
    }
    static const key_row rows[] = {
        KEY("data", KEY_DATA, 0),
        KEY("pairs", KEY_PAIRS, 0),
        KEY("array", KEY_LIST, LUAU_ARRAY),
        KEY("metatable", KEY_EDGE, LUAU_METATABLE),
        KEY("env", KEY_EDGE, LUAU_ENV),
        KEY("name", KEY_NAME, 0),
        KEY("proto", KEY_EDGE, LUAU_PROTO_OF),
        KEY("upvalues", KEY_LIST, LUAU_UPVALUES),
        KEY("object", KEY_EDGE, LUAU_VALUE),
        KEY("source", KEY_SOURCE, 0),
        KEY("line", KEY_LINE, 0),
        KEY("constants", KEY_LIST, LUAU_CONSTANTS),
        KEY("protos", KEY_LIST, LUAU_PROTOS),
        KEY("stack", KEY_LIST, LUAU_STACK),
        KEY("stacknames", KEY_STACK_NAMES, 0),
        KEY("class", KEY_EDGE, LUAU_CLASS_OF),
        KEY("members", KEY_LIST, LUAU_MEMBERS),
        KEY("super", KEY_EDGE, LUAU_SUPER),
        KEY("membernames", KEY_LIST, LUAU_MEMBER_NAMES),
        KEY("staticmembers", KEY_LIST, LUAU_STATICS),
        KEY("instancemetatable", KEY_EDGE, LUAU_INSTANCES),
        KEY("memberstooffset", KEY_EDGE, LUAU_OFFSETS),
    };
    static const key_row unknown = {"", 0, KEY_UNKNOWN, 0};
#undef KEY
    const size_t ahead = (size_t)(lu->end - lu->at);
    if (ahead < 3 || lu->at[0] != '"') return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].size <= ahead && rows[i].name[1] == (char)lu->at[1] &&
            memcmp(rows[i].name, lu->at, rows[i].size) == 0) {
            lu->at += rows[i].size;
            return &rows[i];
        }
    for (lu->at++; lu->at < lu->end && ((*lu->at >= 'a' && *lu->at <= 'z') || *lu->at == '_');)
        lu->at++;
    return HSD_LUAU_TAKE(lu, "\":") ? &unknown : NULL;
}

/* Of a class: up to the next key, without quotes. */
static hsd_status read_bare_name(luau *lu)
{
    static const char next[] = ",\"super\":";
    const uint8_t *first = lu->at;
    for (; lu->at < lu->end; lu->at++)
        if (*lu->at == ',' && (size_t)(lu->end - lu->at) >= sizeof next - 1 &&
            memcmp(lu->at, next, sizeof next - 1) == 0)
            break;
    const size_t size = (size_t)(lu->at - first);
    if (lu->at == lu->end || size > LUAU_TEXT_BYTES) return HSD_END;
    memcpy(lu->name_text, first, size);
    lu->line.name = (hsd_bytes){lu->name_text, size};
    return HSD_OK;
}

static hsd_status read_line_number(luau *lu)
{
    int64_t number;
    if (!hsd_luau_take_number(lu, &number)) return HSD_END;
    lu->line.line = number < 0 ? 0 : (uint64_t)number;
    return HSD_OK;
}

static hsd_status begin_once(luau *lu, const luau_visit *visit, bool *is_begun, hsd_error *err)
{
    if (*is_begun) return HSD_OK;
    *is_begun = true;
    return visit->begin == NULL ? HSD_OK : visit->begin(lu, err);
}

static hsd_status read_value(luau *lu, const key_row *key, const luau_visit *visit, bool *is_begun, hsd_error *err)
{
    switch (key->kind) {
    case KEY_PAIRS:
        if (visit->pair == NULL) return hsd_luau_skip_value(lu, err);
        HSD_TRY(begin_once(lu, visit, is_begun, err));
        return read_pairs(lu, visit, err);
    case KEY_LIST: HSD_TRY(begin_once(lu, visit, is_begun, err)); return read_list(lu, key->edge, visit, err);
    case KEY_EDGE: return read_reference(lu, &lu->line.edges[key->edge], err);
    case KEY_NAME:
        if (lu->line.kind == LUAU_CLASS && lu->at < lu->end && *lu->at != '"') return read_bare_name(lu);
        return hsd_luau_read_text(lu, LUAU_BEFORE_KEY, lu->name_text, &lu->line.name, err);
    case KEY_SOURCE: return hsd_luau_read_text(lu, LUAU_AT_QUOTE, lu->source_text, &lu->line.source, err);
    case KEY_LINE: return read_line_number(lu);
    case KEY_DATA: return hsd_luau_read_data(lu, err);
    case KEY_STACK_NAMES:
        if (visit->names != NULL) return visit->names(lu, err);
        break;
    case KEY_UNKNOWN: break;
    }
    return hsd_luau_skip_value(lu, err);
}

static hsd_status read_all_keys(luau *lu, const luau_visit *visit, bool *is_begun, hsd_error *err)
{
    for (;;) {
        HSD_TRY(hsd_luau_look(lu, TOKEN_BYTES, err));
        if (!hsd_luau_take(lu, ',')) break;
        const key_row *key = take_key(lu);
        if (key == NULL) return HSD_END;
        HSD_TRY(hsd_luau_look(lu, TOKEN_BYTES, err));
        HSD_TRY(read_value(lu, key, visit, is_begun, err));
    }
    if (!hsd_luau_take(lu, '}') && lu->line.kind != LUAU_VECTOR) return HSD_END;
    HSD_TRY(begin_once(lu, visit, is_begun, err));
    return visit->end == NULL ? HSD_OK : visit->end(lu, err);
}

/* Where a line is damaged behind its head the object is there all the same, whoever looks. */
hsd_status hsd_luau_read_keys(luau *lu, const luau_visit *visit, hsd_error *err)
{
    bool is_begun = false;
    const hsd_status status = read_all_keys(lu, visit, &is_begun, err);
    if (status == HSD_END) HSD_TRY(begin_once(lu, visit, &is_begun, err));
    return status;
}

/* Its line ends in `"metatable":"0x7f…"},`. */
uint64_t hsd_luau_peek_metatable(const luau *lu)
{
    static const char key[] = "\"metatable\":";
    const uint8_t *end = lu->end, *first;
    uint64_t address = 0;
    if (end > lu->at && end[-1] == ',') end--;
    if (end - lu->at < 20 || end[-1] != '}' || end[-2] != '"') return 0;
    for (first = end - 3; first > lu->at && *first != '"';)
        first--;
    if ((size_t)(first - lu->at) < sizeof key - 1 || memcmp(first - (sizeof key - 1), key, sizeof key - 1) != 0)
        return 0;
    return hsd_luau_address_at(first, end, &address) != NULL ? address : 0;
}

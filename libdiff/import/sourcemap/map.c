/*
 * The two passes of map.h. Mappings are differences in base 64 of variable length: 5 bits a letter, the lowest of the
 * first is the sign; "," ends a mapping, ";" a line.
 */
#include "import/sourcemap/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/search.h"
#include "import/json.h"

#define MOST_FIELDS 5u
#define MOST_NUMBER (INT64_C(1) << 31)

typedef struct mapping { /* line and column in the script, and what stands there */
    uint32_t line, column, source, name, source_line, source_column;
    bool is_there;
} mapping;

typedef struct map_reader {
    hsd_sourcemap *map;
    hsd_import_json json;
    bool is_second; /* pass */
    bool has_sections;
    uint32_t source_count, name_count; /* of the maps before this one */
    uint32_t sources_here, names_here; /* of this one so far */
    uint32_t line, column;             /* where this one begins in the script */
    mapping last;                      /* the one before */
    size_t place;                      /* the first that is not answered */
    int64_t fields[MOST_FIELDS];       /* sums: column, source, line, column there, name */
    hsd_buffer root;                   /* sourceRoot of this one */
} map_reader;

static hsd_status fail_map(const map_reader *r, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(r->json.source), "not a valid source map: %s", what);
}

/* ---- places ---- */

static bool is_before(const hsd_sourcemap_place *place, uint32_t line, uint32_t column)
{
    return place->line != line ? place->line < line : place->column < column;
}

/* Places before this one have what the mapping before them says, if that is in their line. */
static void answer_before(map_reader *r, uint32_t line, uint32_t column)
{
    for (; r->place < r->map->place_count && is_before(&r->map->places[r->place], line, column); r->place++) {
        hsd_sourcemap_place *place = &r->map->places[r->place];
        if (!r->last.is_there || r->last.line != place->line) continue;
        place->is_exact = r->last.column == place->column;
        place->source = r->last.source;
        place->name = place->is_exact ? r->last.name : HSD_SOURCEMAP_NONE;
        place->source_line = r->last.source_line;
        place->source_column = r->last.source_column;
    }
}

/* ---- mappings ---- */

static int digit_of(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The end of a mapping of so many fields. */
static hsd_status end_mapping(map_reader *r, unsigned fields, hsd_error *err)
{
    if (fields == 0) return HSD_OK;
    if (fields != 1 && fields != 4 && fields != 5) return fail_map(r, "a mapping is cut off", err);
    for (unsigned i = 0; i < fields; i++)
        if (r->fields[i] < 0 || r->fields[i] >= MOST_NUMBER)
            return fail_map(r, "a mapping leads out of what it is of", err);
    const uint32_t column = (uint32_t)r->fields[0];
    if (r->last.is_there && r->last.line == r->line && column < r->last.column)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "a source map whose mappings do not ascend");
    r->map->mappings++;
    if (r->map->is_misfit != NULL) r->map->misfits += r->map->is_misfit(r->map->context, r->line, column);
    answer_before(r, r->line, column);
    r->last = (mapping){
        .line = r->line, .column = column, .source = HSD_SOURCEMAP_NONE, .name = HSD_SOURCEMAP_NONE, .is_there = true};
    if (fields == 1) return HSD_OK;
    r->last.source = r->source_count + (uint32_t)r->fields[1];
    r->last.source_line = (uint32_t)r->fields[2];
    r->last.source_column = (uint32_t)r->fields[3];
    if (fields == 5) r->last.name = r->name_count + (uint32_t)r->fields[4];
    return HSD_OK;
}

typedef struct mapping_state {
    unsigned fields, shift;
    uint64_t number;
} mapping_state;

static hsd_status take_letter(map_reader *r, mapping_state *s, uint8_t c, hsd_error *err)
{
    if (c == ',' || c == ';') {
        if (s->shift > 0) return fail_map(r, "a number of its mappings is cut off", err);
        HSD_TRY(end_mapping(r, s->fields, err));
        s->fields = 0;
        if (c == ';') {
            if (r->line == UINT32_MAX) return fail_map(r, "it has too many lines", err);
            r->line++;
            r->fields[0] = 0;
        }
        return HSD_OK;
    }
    const int digit = digit_of(c);
    if (digit < 0) return fail_map(r, "its mappings are not written in base 64", err);
    if (s->fields == MOST_FIELDS || s->shift > 30) return fail_map(r, "a number of its mappings is too large", err);
    s->number |= (uint64_t)(digit & 31) << s->shift;
    if ((digit & 32) != 0) {
        s->shift += 5;
        return HSD_OK;
    }
    const int64_t value = (int64_t)(s->number >> 1);
    r->fields[s->fields++] += (s->number & 1) != 0 ? -value : value;
    s->number = 0;
    s->shift = 0;
    return HSD_OK;
}

static hsd_status read_mappings(map_reader *r, hsd_error *err)
{
    hsd_source *source = r->json.source;
    mapping_state state = {0};
    HSD_TRY(hsd_import_json_expect(&r->json, '"', err));
    memset(r->fields, 0, sizeof r->fields);
    r->fields[0] = r->column;
    for (;;) {
        const hsd_status status = hsd_source_peek(source, 1, err);
        if (status == HSD_END) return hsd_fail(err, HSD_E_TRUNCATED, "a source map ends inside its mappings");
        HSD_TRY(status);
        const uint8_t c = *source->at;
        hsd_source_take(source, 1);
        if (c == '"') break;
        HSD_TRY(take_letter(r, &state, c, err));
    }
    if (state.shift > 0) return fail_map(r, "a number of its mappings is cut off", err);
    HSD_TRY(end_mapping(r, state.fields, err));
    return HSD_OK;
}

/* ---- sources and names ---- */

static hsd_sourcemap_text *find_text(hsd_sourcemap_text *texts, size_t count, uint32_t number)
{
    size_t low;
    HSD_LOWER_BOUND(low, 0, count, texts[low].number, number);
    return low < count && texts[low].number == number ? &texts[low] : NULL;
}

/* The text of a string that is wanted, behind `root`. */
static hsd_status take_text(map_reader *r, hsd_sourcemap_text *wanted, hsd_bytes root, hsd_error *err)
{
    HSD_TRY(hsd_import_json_string(&r->json, HSD_SOURCEMAP_TEXT_BYTES, err));
    const bool needs_slash = root.size > 0 && root.data[root.size - 1] != '/';
    const size_t size = root.size + needs_slash + r->json.text.size;
    char *text = hsd_arena_take(&r->map->arena, size + 1);
    if (text == NULL) return hsd_fail_nomem(err, "names of a source map");
    if (root.size > 0) memcpy(text, root.data, root.size);
    if (needs_slash) text[root.size] = '/';
    if (r->json.text.size > 0) memcpy(text + size - r->json.text.size, r->json.text.data, r->json.text.size);
    wanted->text = (hsd_bytes){(const uint8_t *)text, size};
    return HSD_OK;
}

/* An array of strings, some of which may be null. */
static hsd_status read_texts(map_reader *r, hsd_sourcemap_text *texts, size_t count, uint32_t base, hsd_bytes root,
                             uint32_t *seen, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    *seen = 0;
    while ((status = hsd_import_json_next_item(&r->json, &is_first, err)) == HSD_OK) {
        uint8_t byte;
        if (*seen == (uint32_t)MOST_NUMBER - 1) return fail_map(r, "it has too many names", err);
        hsd_sourcemap_text *wanted = r->is_second ? find_text(texts, count, base + *seen) : NULL;
        ++*seen;
        HSD_TRY(hsd_import_json_look(&r->json, &byte, err));
        if (byte != '"' || wanted == NULL)
            HSD_TRY(hsd_import_json_skip(&r->json, err));
        else
            HSD_TRY(take_text(r, wanted, root, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_root(map_reader *r, hsd_error *err)
{
    uint8_t byte;
    hsd_buffer_clear(&r->root);
    HSD_TRY(hsd_import_json_look(&r->json, &byte, err));
    if (byte != '"') return hsd_import_json_skip(&r->json, err);
    HSD_TRY(hsd_import_json_string(&r->json, HSD_SOURCEMAP_TEXT_BYTES, err));
    return hsd_buffer_append(&r->root, r->json.text.data, r->json.text.size, err);
}

/* ---- the map ---- */

static hsd_status read_sections(map_reader *r, hsd_error *err);

/* A key of a map was read: its value. */
static hsd_status read_value(map_reader *r, bool is_inner, hsd_error *err)
{
    hsd_sourcemap *map = r->map;
    const hsd_bytes root = {r->root.data, r->root.size}, none = {NULL, 0};
    if (hsd_import_json_is(&r->json, "sources"))
        return read_texts(r, map->sources, map->source_text_count, r->source_count, root, &r->sources_here, err);
    if (hsd_import_json_is(&r->json, "names"))
        return read_texts(r, map->names, map->name_text_count, r->name_count, none, &r->names_here, err);
    if (hsd_import_json_is(&r->json, "mappings") && !r->is_second) return read_mappings(r, err);
    if (hsd_import_json_is(&r->json, "sourceRoot")) return read_root(r, err);
    if (hsd_import_json_is(&r->json, "sections") && !is_inner) return read_sections(r, err);
    return hsd_import_json_skip(&r->json, err);
}

/* Places that were answered with numbers that the map does not have stay without. */
static void drop_unknown(map_reader *r, size_t from)
{
    for (size_t i = from; i < r->place; i++) {
        hsd_sourcemap_place *place = &r->map->places[i];
        if (place->source != HSD_SOURCEMAP_NONE && place->source - r->source_count >= r->sources_here)
            place->source = HSD_SOURCEMAP_NONE;
        if (place->name != HSD_SOURCEMAP_NONE && place->name - r->name_count >= r->names_here)
            place->name = HSD_SOURCEMAP_NONE;
    }
}

/* What this one told is done: the mapping that stands last counts until the next map begins. */
static hsd_status end_one_map(map_reader *r, size_t from, hsd_error *err)
{
    if (!r->is_second) {
        drop_unknown(r, from);
        if (r->last.source != HSD_SOURCEMAP_NONE && r->last.source - r->source_count >= r->sources_here)
            r->last.source = HSD_SOURCEMAP_NONE;
        if (r->last.name != HSD_SOURCEMAP_NONE && r->last.name - r->name_count >= r->names_here)
            r->last.name = HSD_SOURCEMAP_NONE;
    }
    if (r->sources_here > UINT32_MAX / 2 - r->source_count || r->names_here > UINT32_MAX / 2 - r->name_count)
        return fail_map(r, "it has too many names", err);
    r->source_count += r->sources_here;
    r->name_count += r->names_here;
    return HSD_OK;
}

/* A map that begins at r->line and r->column of the script. */
static hsd_status read_one_map(map_reader *r, bool is_inner, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    r->sources_here = r->names_here = 0;
    hsd_buffer_clear(&r->root);
    answer_before(r, r->line, r->column);
    r->last = (mapping){.source = HSD_SOURCEMAP_NONE, .name = HSD_SOURCEMAP_NONE};
    const size_t from = r->place;
    while ((status = hsd_import_json_next_key(&r->json, &is_first, err)) == HSD_OK)
        HSD_TRY(read_value(r, is_inner, err));
    if (status != HSD_END) return status;
    return r->has_sections && !is_inner ? HSD_OK : end_one_map(r, from, err);
}

static hsd_status read_offset(map_reader *r, hsd_error *err)
{
    uint64_t line = 0, column = 0;
    bool is_first = true;
    hsd_status status;
    while ((status = hsd_import_json_next_key(&r->json, &is_first, err)) == HSD_OK) {
        uint64_t *number = hsd_import_json_is(&r->json, "line")     ? &line
                           : hsd_import_json_is(&r->json, "column") ? &column
                                                                    : NULL;
        HSD_TRY(number == NULL ? hsd_import_json_skip(&r->json, err) : hsd_import_json_number(&r->json, number, err));
    }
    if (status != HSD_END) return status;
    if (line >= (uint64_t)MOST_NUMBER || column >= (uint64_t)MOST_NUMBER || line < r->line)
        return fail_map(r, "its sections do not ascend", err);
    r->line = (uint32_t)line;
    r->column = (uint32_t)column;
    return HSD_OK;
}

/* A part of an index map: its place stands before its map. */
static hsd_status read_section(map_reader *r, hsd_error *err)
{
    bool is_first = true, has_offset = false;
    hsd_status status;
    while ((status = hsd_import_json_next_key(&r->json, &is_first, err)) == HSD_OK) {
        const bool is_offset = hsd_import_json_is(&r->json, "offset"), is_map = hsd_import_json_is(&r->json, "map");
        if (is_map && !has_offset) return fail_map(r, "a section does not say where it begins", err);
        has_offset |= is_offset;
        HSD_TRY(is_map      ? read_one_map(r, true, err)
                : is_offset ? read_offset(r, err)
                            : hsd_import_json_skip(&r->json, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_sections(map_reader *r, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    r->has_sections = true;
    r->line = 0;
    while ((status = hsd_import_json_next_item(&r->json, &is_first, err)) == HSD_OK)
        HSD_TRY(read_section(r, err));
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_pass(map_reader *r, bool is_second, hsd_error *err)
{
    r->is_second = is_second;
    r->has_sections = false;
    r->line = r->column = r->source_count = r->name_count = 0;
    HSD_TRY(read_one_map(r, false, err));
    if (!is_second) answer_before(r, UINT32_MAX, UINT32_MAX);
    return HSD_OK;
}

/* ---- what is wanted ---- */

static int compare_texts(const void *a, const void *b)
{
    const hsd_sourcemap_text *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* The numbers that places have, ascending, each once. */
static hsd_status want_texts(const hsd_sourcemap *map, bool is_name, hsd_sourcemap_text **out, size_t *count,
                             hsd_error *err)
{
    size_t all = 0;
    hsd_sourcemap_text *texts = calloc(map->place_count + 1, sizeof *texts);
    if (texts == NULL) return hsd_fail_nomem(err, "names of a source map");
    for (size_t i = 0; i < map->place_count; i++) {
        const uint32_t number = is_name ? map->places[i].name : map->places[i].source;
        if (number != HSD_SOURCEMAP_NONE) texts[all++].number = number;
    }
    if (all > 0) qsort(texts, all, sizeof *texts, compare_texts);
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (i == 0 || texts[i].number != texts[i - 1].number) texts[(*count)++].number = texts[i].number;
    *out = texts;
    return HSD_OK;
}

static hsd_status read_both(map_reader *r, hsd_source *source, hsd_error *err)
{
    hsd_sourcemap *map = r->map;
    HSD_TRY(read_pass(r, false, err));
    map->source_count = r->source_count;
    HSD_TRY(want_texts(map, false, &map->sources, &map->source_text_count, err));
    HSD_TRY(want_texts(map, true, &map->names, &map->name_text_count, err));
    HSD_TRY(hsd_source_rewind(source, err));
    return read_pass(r, true, err);
}

hsd_status hsd_sourcemap_read(hsd_sourcemap *map, hsd_source *source, hsd_error *err)
{
    map_reader r = {.map = map, .json = {.source = source, .where = "outermost part", .what = "source map"}};
    for (size_t i = 0; i < map->place_count; i++) {
        hsd_sourcemap_place *place = &map->places[i];
        place->source = place->name = HSD_SOURCEMAP_NONE;
        place->source_line = place->source_column = 0;
        place->is_exact = false;
    }
    const hsd_status status = read_both(&r, source, err);
    hsd_import_json_release(&r.json);
    hsd_buffer_release(&r.root);
    return status;
}

static hsd_bytes text_of(hsd_sourcemap_text *texts, size_t count, uint32_t number)
{
    const hsd_sourcemap_text *text = number == HSD_SOURCEMAP_NONE ? NULL : find_text(texts, count, number);
    return text == NULL ? (hsd_bytes){NULL, 0} : text->text;
}

hsd_bytes hsd_sourcemap_source(const hsd_sourcemap *map, uint32_t number)
{
    return text_of(map->sources, map->source_text_count, number);
}

hsd_bytes hsd_sourcemap_name(const hsd_sourcemap *map, uint32_t number)
{
    return text_of(map->names, map->name_text_count, number);
}

void hsd_sourcemap_release(hsd_sourcemap *map)
{
    free(map->sources);
    free(map->names);
    hsd_arena_release(&map->arena);
    map->sources = map->names = NULL;
    map->source_text_count = map->name_text_count = 0;
}

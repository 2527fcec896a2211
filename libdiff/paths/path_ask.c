/*
 * What a question for paths names: a type by its exact name, types by a pattern, or one object by its id. And what to
 * say when there is no such thing: names that come close, ids on either side.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "paths/paths.h"

#define CLOSE_MOST     3
#define SHOWN_BYTES    120 /* of a name in a sentence */
#define MEASURED_BYTES 64u
#define ID_CHARS       24

/* ---- patterns ---- */

bool hsd_glob_fits(const char *pattern, hsd_bytes name)
{
    const char *star = NULL; /* the last *, and where in the name what follows it is tried */
    size_t at = 0, tried = 0;
    while (at < name.size) {
        if (*pattern == '*') {
            star = pattern++;
            tried = at;
        } else if (*pattern != 0 && (*pattern == '?' || (uint8_t)*pattern == name.data[at])) {
            pattern++;
            at++;
        } else if (star != NULL) {
            pattern = star + 1;
            at = ++tried;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == 0;
}

static bool is_pattern(const char *type) { return strpbrk(type, "*?") != NULL; }

/* ---- names that come close ---- */

static uint8_t lower(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + 32) : byte; }

static bool equals_ignoring_case(hsd_bytes a, hsd_bytes b)
{
    if (a.size != b.size) return false;
    for (size_t i = 0; i < a.size; i++)
        if (lower(a.data[i]) != lower(b.data[i])) return false;
    return true;
}

static bool contains_ignoring_case(hsd_bytes text, hsd_bytes part)
{
    for (size_t i = 0; part.size > 0 && i + part.size <= text.size; i++)
        if (equals_ignoring_case((hsd_bytes){text.data + i, part.size}, part)) return true;
    return false;
}

/* What stands behind the last separator of a qualified name. */
static hsd_bytes last_part(hsd_bytes name)
{
    size_t begin = name.size;
    while (begin > 0 && memchr(".$/:+ ", name.data[begin - 1], 6) == NULL)
        begin--;
    if (begin == name.size) begin = 0;
    return (hsd_bytes){name.data + begin, name.size - begin};
}

/* How many bytes must be changed, added, taken away: Levenshtein's distance, of short names. */
static uint32_t path_ask_distance(hsd_bytes a, hsd_bytes b)
{
    uint32_t row[MEASURED_BYTES + 1];
    if (a.size > MEASURED_BYTES || b.size > MEASURED_BYTES) return UINT32_MAX;
    for (uint32_t j = 0; j <= b.size; j++)
        row[j] = j;
    for (uint32_t i = 1; i <= a.size; i++) {
        uint32_t diagonal = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= b.size; j++) {
            const uint32_t changed = diagonal + (lower(a.data[i - 1]) != lower(b.data[j - 1]));
            const uint32_t shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = changed < shorter + 1 ? changed : shorter + 1;
        }
    }
    return row[b.size];
}

#define NOT_CLOSE UINT32_MAX

static uint32_t closeness(hsd_bytes asked, hsd_bytes name)
{
    const hsd_bytes short_name = last_part(name), short_asked = last_part(asked);
    const uint32_t most = 1 + (uint32_t)hsd_min_u64(short_asked.size / 4, 3);
    if (equals_ignoring_case(asked, name)) return 0;
    if (equals_ignoring_case(short_asked, short_name)) return 1;
    if (contains_ignoring_case(name, asked)) return 2;
    const uint32_t found = path_ask_distance(short_asked, short_name);
    return found <= most && found < short_asked.size ? 2 + found : NOT_CLOSE;
}

typedef struct close_name {
    hsd_bytes name;
    uint32_t closeness;
} close_name;

static bool is_closer(const close_name *a, const close_name *b)
{
    if (a->closeness != b->closeness) return a->closeness < b->closeness;
    const size_t shorter = a->name.size < b->name.size ? a->name.size : b->name.size;
    const int order = memcmp(a->name.data, b->name.data, shorter);
    return order != 0 ? order < 0 : a->name.size < b->name.size;
}

/* Keeps the closest ones, closest first. */
static int keep_close(close_name *kept, int count, close_name name)
{
    int at = count;
    if (count == CLOSE_MOST) {
        if (!is_closer(&name, &kept[count - 1])) return count;
        at = --count;
    }
    for (; at > 0 && is_closer(&name, &kept[at - 1]); at--)
        kept[at] = kept[at - 1];
    kept[at] = name;
    return count + 1;
}

static int find_close(const hsd_names *names, const char *type, close_name kept[CLOSE_MOST])
{
    const hsd_bytes asked = {(const uint8_t *)type, strlen(type)};
    int count = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        const close_name name = {hsd_names_get(names, i), closeness(asked, hsd_names_get(names, i))};
        if (i != HSD_TYPE_UNDEFINED && name.closeness != NOT_CLOSE) count = keep_close(kept, count, name);
    }
    return count;
}

hsd_status hsd_path_ask_fail(const hsd_side_walk *side, const hsd_paths_options *options, hsd_error *err)
{
    close_name close[CLOSE_MOST];
    char text[CLOSE_MOST * (SHOWN_BYTES + 8)] = "";
    size_t used = 0;
    hsd_fail(err, HSD_E_NOT_FOUND, "the capture holds no object %s %.*s",
             is_pattern(options->type) ? "whose type fits" : "of type", SHOWN_BYTES, options->type);
    const int count = find_close(&side->request->type_names->names, options->type, close);
    for (int i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : " or ",
                                 (int)hsd_min_u64(close[i].name.size, SHOWN_BYTES), (const char *)close[i].name.data);
    }
    if (count > 0)
        hsd_error_set_hint(err, "did you mean %s?", text);
    else
        hsd_error_set_hint(err, "hsdiff top %s lists its types", side->info->path);
    return HSD_E_NOT_FOUND;
}

/* ---- types ---- */

static hsd_status find_types(hsd_path_ask *ask, const hsd_side_walk *side, const hsd_paths_options *options,
                             hsd_error *err)
{
    const hsd_names *names = &side->request->type_names->names;
    const uint32_t exact = hsd_names_find(names, (hsd_bytes){(const uint8_t *)options->type, strlen(options->type)});
    uint32_t found = exact != HSD_NAME_NONE;
    ask->is_type = calloc((size_t)names->count + 1, 1);
    if (ask->is_type == NULL) return hsd_fail_nomem(err, "paths");
    if (exact != HSD_NAME_NONE) ask->is_type[exact] = 1;
    for (uint32_t i = 0; i < names->count && exact == HSD_NAME_NONE && is_pattern(options->type); i++) {
        ask->is_type[i] = hsd_glob_fits(options->type, hsd_names_get(names, i));
        found += ask->is_type[i];
    }
    return found > 0 ? HSD_OK : hsd_path_ask_fail(side, options, err);
}

/* ---- one object ---- */

typedef struct id_search {
    uint64_t id, below, above; /* the nearest on either side */
    bool has_below, has_above, is_found;
    hsd_node ordinal;
} id_search;

static void look_at_path_ask(id_search *s, const hsd_object *object)
{
    if (object->id == s->id) {
        s->is_found = true;
        s->ordinal = (hsd_node)object->ordinal;
    } else if (object->id < s->id && (!s->has_below || object->id > s->below)) {
        s->has_below = true;
        s->below = object->id;
    } else if (object->id > s->id && (!s->has_above || object->id < s->above)) {
        s->has_above = true;
        s->above = object->id;
    }
}

static hsd_status search_objects(id_search *s, const hsd_side_walk *side, hsd_error *err)
{
    hsd_object_reader *reader;
    HSD_TRY(hsd_object_reader_open(&reader, side->request->capture, HSD_WANT_IDS, err));
    hsd_status status = HSD_OK;
    while (status == HSD_OK && !s->is_found) {
        hsd_object object;
        status = hsd_object_reader_next(reader, &object, err);
        if (status == HSD_OK) look_at_path_ask(s, &object);
    }
    hsd_object_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* "@123" where ids are never reused, "0x7b" where they are addresses: as reports show them. */
static const char *id_text(char text[ID_CHARS], uint64_t id, const hsd_capture_info *info)
{
    const bool is_exact = info->identity == HSD_IDENTITY_EXACT;
    snprintf(text, ID_CHARS, is_exact ? "@%" PRIu64 : "0x%" PRIx64, id);
    return text;
}

static hsd_status say_nearest(const id_search *s, const hsd_capture_info *info, hsd_error *err)
{
    char asked[ID_CHARS], below[ID_CHARS], above[ID_CHARS];
    id_text(asked, s->id, info);
    id_text(below, s->below, info);
    id_text(above, s->above, info);
    hsd_fail(err, HSD_E_NOT_FOUND, "the capture holds no object with the id %s", asked);
    if (s->has_below && s->has_above)
        hsd_error_set_hint(err, "the nearest ids are %s and %s", below, above);
    else if (s->has_below || s->has_above)
        hsd_error_set_hint(err, "the nearest id is %s", s->has_below ? below : above);
    return HSD_E_NOT_FOUND;
}

static hsd_status find_object(hsd_path_ask *ask, const hsd_side_walk *side, uint64_t id, hsd_error *err)
{
    id_search s = {.id = id};
    HSD_TRY(search_objects(&s, side, err));
    ask->ordinal = s.ordinal;
    if (s.is_found) return HSD_OK;
    return say_nearest(&s, side->info, err);
}

hsd_status hsd_path_ask_find(hsd_path_ask *ask, const hsd_side_walk *side, const hsd_paths_options *options,
                             hsd_error *err)
{
    ask->is_id = options->is_id;
    if (options->is_id) return find_object(ask, side, options->id, err);
    if (options->type == NULL) return hsd_fail(err, HSD_E_MISUSE, "paths to what?");
    return find_types(ask, side, options, err);
}

void hsd_path_ask_release(hsd_path_ask *ask)
{
    free(ask->is_type);
    ask->is_type = NULL;
}

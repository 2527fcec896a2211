/*
 * Passes that look at little of what they pass: at short strings, and once at the end of the dump.
 */
#include <string.h>

#include "base/check.h"
#include "import/luau/luau.h"

enum { SHORT_BYTES = 256, ADDRESS_BYTES = 20, PROGRESS_EVERY = 16384 };

static hsd_status skim_progress(luau *lu, uint64_t lines, hsd_error *err)
{
    if (lines % PROGRESS_EVERY != 0) return HSD_OK;
    return hsd_progress(lu->import->reporter, "reading names", hsd_source_offset(lu->source), lu->source->total_bytes,
                        err);
}

/* Whether these words stand behind the address. */
static inline bool has_behind(const luau *lu, const char *words, size_t size)
{
    if ((size_t)(lu->end - lu->at) < ADDRESS_BYTES + 1 + size || *lu->at != '"') return false;
    const uint8_t *quote = memchr(lu->at + 1, '"', ADDRESS_BYTES);
    return quote != NULL && memcmp(quote, words, size) == 0;
}

#define IS_KIND(lu, kind) has_behind((lu), "\":{\"type\":\"" kind "\",", sizeof "\":{\"type\":\"" kind "\"," - 1)

bool hsd_luau_is_string(const luau *lu) { return IS_KIND(lu, "string"); }

static hsd_status skim_string(luau *lu, luau_string_fn tell, hsd_error *err)
{
    HSD_TRY(hsd_luau_read_head(lu, err));
    if (!HSD_LUAU_TAKE(lu, ",\"data\":\"")) return HSD_END;
    const size_t ahead = (size_t)(lu->end - lu->at);
    const uint8_t *quote = memchr(lu->at, '"', ahead < SHORT_BYTES ? ahead : SHORT_BYTES);
    if (quote != NULL) tell(lu, lu->line.address, (hsd_bytes){lu->at, (size_t)(quote - lu->at)});
    return HSD_OK;
}

hsd_status hsd_luau_skim(luau *lu, luau_string_fn tell, hsd_error *err)
{
    hsd_status status;
    lu->at = NULL;
    HSD_TRY(hsd_source_rewind(lu->source, err));
    for (uint64_t lines = 0; (status = hsd_luau_next_line(lu, err)) == HSD_OK; lines++) {
        HSD_TRY(skim_progress(lu, lines, err));
        status = hsd_luau_is_string(lu) ? skim_string(lu, tell, err) : HSD_OK;
        if (status < 0) return status;
    }
    return status == HSD_END ? HSD_OK : status;
}

/* ---- the survey ---- */

static void see_special(luau *lu, uint64_t address, hsd_bytes data)
{
    const struct {
        const char *words;
        uint64_t *address;
    } special[] = {
        {"__mode", &lu->mode_key}, {"__type", &lu->type_key}, {"__name", &lu->name_key}, {"__index", &lu->index_key}};
    if (data.size < 6 || data.size > 7 || data.data[0] != '_') return;
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (strlen(special[i].words) == data.size && memcmp(special[i].words, data.data, data.size) == 0)
            *special[i].address = address;
}

/*
 * The main thread is the first object, and its environment the table of globals. Others may have one of their own, as
 * scripts in a sandbox do: what is in there has names as well.
 */
static hsd_status read_thread(luau *lu, hsd_error *err)
{
    uint64_t env;
    uint32_t ignored;
    HSD_TRY(hsd_luau_read_head(lu, err));
    const bool is_main = lu->main_thread == 0;
    if (is_main) lu->main_thread = lu->line.address;
    if (!HSD_LUAU_TAKE(lu, ",\"env\":") || !hsd_luau_take_address(lu, &env)) return HSD_END;
    if (is_main) lu->globals = env;
    if (env == lu->globals || lu->environments.count >= LUAU_KEYS_MOST) return HSD_OK;
    HSD_TRY(hsd_id_table_put(&lu->environments, env, &ignored, err));
    return hsd_luau_check_memory(lu, err);
}

/* `"3":{"name":"cat "5"", "size":17},`, or without a name. The name is printed as it is. */
static hsd_status read_category(luau *lu, hsd_error *err)
{
    static const char behind[] = "\", \"size\":";
    enum { BEHIND = sizeof behind - 1 };
    int64_t number;
    if (!hsd_luau_take(lu, '"') || !hsd_luau_take_number(lu, &number) || number < 0 || number >= LUAU_CATEGORIES)
        return HSD_END;
    luau_category *category = &lu->categories[number];
    if (!HSD_LUAU_TAKE(lu, "\":{")) return HSD_END;
    if (HSD_LUAU_TAKE(lu, "\"name\":\"")) {
        if (lu->end - lu->at < BEHIND) return HSD_END;
        const uint8_t *last = lu->end - BEHIND;
        while (last > lu->at && memcmp(last, behind, BEHIND) != 0)
            last--;
        if (memcmp(last, behind, BEHIND) != 0) return HSD_END;
        const size_t size = (size_t)(last - lu->at);
        HSD_TRY(hsd_luau_put_string(lu, (hsd_bytes){lu->at, size < LUAU_TEXT_BYTES ? size : LUAU_TEXT_BYTES},
                                    &category->name, err));
        lu->at = last + BEHIND;
    } else if (!HSD_LUAU_TAKE(lu, "\"size\":")) {
        return HSD_END;
    }
    if (!hsd_luau_take_number(lu, &category->stated)) return HSD_END;
    category->is_stated = true;
    return HSD_OK;
}

/* A line behind the objects. */
static hsd_status read_ending(luau *lu, hsd_error *err)
{
    HSD_TRY(hsd_luau_look(lu, SHORT_BYTES, err));
    if (HSD_LUAU_TAKE(lu, "\"mainthread\":")) {
        if (!hsd_luau_take_address(lu, &lu->main_thread) || !HSD_LUAU_TAKE(lu, ",\"registry\":")) return HSD_END;
        if (!hsd_luau_take_address(lu, &lu->registry)) return HSD_END;
        lu->has_roots = true;
        return HSD_OK;
    }
    if (HSD_LUAU_TAKE(lu, "\"size\":")) {
        lu->has_size = hsd_luau_take_number(lu, &lu->stated_bytes);
        return HSD_OK;
    }
    if (HSD_LUAU_TAKE(lu, "}}")) lu->is_whole = lu->has_roots;
    if (HSD_LUAU_TAKE(lu, "\"categories\"") || HSD_LUAU_TAKE(lu, "\"none\"")) return HSD_OK;
    return lu->at < lu->end && *lu->at == '"' ? read_category(lu, err) : HSD_OK;
}

static hsd_status survey_line(luau *lu, uint64_t *objects_end, hsd_error *err)
{
    if (lu->at == lu->end) return HSD_OK;
    if (*objects_end != UINT64_MAX) return read_ending(lu, err);
    if (hsd_luau_is_string(lu)) return skim_string(lu, see_special, err);
    if (IS_KIND(lu, "thread")) return read_thread(lu, err);
    if (HSD_LUAU_TAKE(lu, "},\"roots\":{")) *objects_end = hsd_source_offset(lu->source);
    return HSD_OK;
}

/* A line that the input ends in is read like any other, but by a gzip file that is cut off it is not even shown. */
hsd_status hsd_luau_survey(luau *lu, hsd_error *err)
{
    uint64_t objects_end = UINT64_MAX;
    hsd_status status;
    lu->end_offset = UINT64_MAX;
    for (uint64_t lines = 0; (status = hsd_luau_next_line(lu, err)) == HSD_OK; lines++) {
        HSD_TRY(skim_progress(lu, lines, err));
        status = survey_line(lu, &objects_end, err);
        if (status < 0) return status;
    }
    lu->end_offset = hsd_min_u64(objects_end, hsd_source_offset(lu->source));
    return status == HSD_END ? HSD_OK : status;
}

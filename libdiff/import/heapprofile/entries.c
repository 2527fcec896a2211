/*
 * What the lines of a heap profile say. A line is taken apart from its start: each step passes over what it has read,
 * or says that it is not there.
 */
#include <string.h>

#include "base/check.h"
#include "import/heapprofile/heapprofile.h"

static const char jemalloc_head[] = "heap_v2/", text_head[] = "heap profile: ", maps_head[] = "MAPPED_LIBRARIES:",
                  stats_head[] = "# runtime.MemStats";

static bool begins_with(const char *at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0;
}

unsigned hsd_hp_probe(const uint8_t *prefix, size_t size)
{
    const char *at = (const char *)prefix, *end = at + size;
    if (begins_with(at, end, jemalloc_head)) return 8 * (sizeof jemalloc_head - 1);
    return begins_with(at, end, text_head) ? 8 * (sizeof text_head - 1) : 0;
}

/* ---- parts of a line ---- */

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* A decimal number; it stays at its most. False where none stands. */
static bool take_number(const char **at, const char *end, uint64_t *out)
{
    const char *from = skip_blanks(*at, end), *to = from;
    uint64_t number = 0;
    for (; to < end && *to >= '0' && *to <= '9'; to++)
        if (__builtin_mul_overflow(number, 10, &number) || !hsd_add_u64(number, (uint64_t)(*to - '0'), &number))
            number = UINT64_MAX;
    if (to == from) return false;
    *at = to;
    *out = number;
    return true;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "0x5568", of at most 16 digits. */
static bool take_address(const char **at, const char *end, uint64_t *out)
{
    const char *from = skip_blanks(*at, end);
    if (end - from < 3 || from[0] != '0' || from[1] != 'x') return false;
    const char *to = from += 2;
    uint64_t number = 0;
    for (int digit; to < end && (digit = hex_value(*to)) >= 0; to++)
        number = number << 4 | (uint64_t)digit;
    if (to == from || to - from > 16) return false;
    *at = to;
    *out = number;
    return true;
}

static bool take_word(const char **at, const char *end, const char *word)
{
    const char *from = skip_blanks(*at, end);
    if (!begins_with(from, end, word)) return false;
    *at = from + strlen(word);
    return true;
}

/* "5000: 960000 [5000: 960000]": what is in use, and what ever was, which nobody asks for. */
static bool take_sums(const char **at, const char *end, uint64_t *objects, uint64_t *bytes)
{
    uint64_t passed;
    return take_number(at, end, objects) && take_word(at, end, ":") && take_number(at, end, bytes) &&
           take_word(at, end, "[") && take_number(at, end, &passed) && take_word(at, end, ":") &&
           take_number(at, end, &passed) && take_word(at, end, "]");
}

/* ---- the head ---- */

static hsd_status refuse_kind(const char *at, const char *end, hsd_error *err)
{
    const int size = (int)(end - at < 64 ? end - at : 64);
    hsd_fail(err, HSD_E_UNSUPPORTED, "this profile is of another kind than of what a heap has in use: %.*s", size, at);
    hsd_error_set_hint(err, "heapprofile, heap, heap_v2 and heapz_v2 are read");
    return HSD_E_UNSUPPORTED;
}

/* Behind "@": what the profile is of, and how it was sampled. */
static hsd_status take_kind(hp *p, const char *at, hsd_error *err)
{
    const char *end = p->line_end, *from = at = skip_blanks(at, end);
    uint64_t period = 0;
    while (at < end && *at != '/' && *at != ' ')
        at++;
    const size_t size = (size_t)(at - from);
    const bool is_v2 =
                   (size == 7 && memcmp(from, "heap_v2", 7) == 0) || (size == 8 && memcmp(from, "heapz_v2", 8) == 0),
               is_go = size == 4 && memcmp(from, "heap", 4) == 0;
    if (!is_v2 && !is_go && !(size == 11 && memcmp(from, "heapprofile", 11) == 0)) return refuse_kind(from, end, err);
    if (at < end && *at == '/') {
        at++;
        take_number(&at, end, &period);
    }
    p->kind = is_go ? HP_GO : HP_GPERFTOOLS;
    p->period = is_go ? (double)period / 2 : is_v2 ? (double)period : 0;
    return HSD_OK;
}

static hsd_status read_head(hp *p, hsd_error *err)
{
    uint64_t objects, bytes, period;
    HSD_TRY(hsd_hp_next_line(p, err));
    const char *at = p->line;
    if (take_word(&at, p->line_end, jemalloc_head) && take_number(&at, p->line_end, &period)) {
        p->kind = HP_JEMALLOC;
        p->period = (double)period;
    } else if (at = p->line, take_word(&at, p->line_end, text_head) && take_sums(&at, p->line_end, &objects, &bytes)) {
        p->kind = HP_GPERFTOOLS;
        if (take_word(&at, p->line_end, "@")) HSD_TRY(take_kind(p, at, err));
    } else {
        return hsd_fail_at(err, HSD_E_CORRUPT, 0, "the first line of this heap profile is not what it should be");
    }
    if (p->period <= 1) p->period = 0; /* each byte is sampled */
    return HSD_OK;
}

/* ---- stacks and their sums ---- */

static hsd_status take_stack(hp *p, const char *at, hsd_error *err)
{
    uint64_t address;
    p->has_stack = true;
    while (take_address(&at, p->line_end, &address))
        HSD_TRY(hsd_hp_push_address(p, address, err));
    if (skip_blanks(at, p->line_end) != p->line_end) p->unreadable++;
    return HSD_OK;
}

/* 1 - exp(-x), x >= 0: by its series where x is small, and from there by 1 - exp(-2x) = s (2 - s). */
static double drawn_share(double x)
{
    int doublings = 0;
    if (x > 40) return 1;
    for (; x > 1.0 / 64; doublings++)
        x /= 2;
    double s = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6)))));
    while (doublings-- > 0)
        s *= 2 - s;
    return s;
}

static void wait_with(hp *p, uint64_t objects, uint64_t bytes)
{
    double scale = 1;
    if (objects > 0 && p->period > 0) {
        const double drawn = drawn_share((double)bytes / (double)objects / p->period);
        if (drawn > 0) scale = 1 / drawn;
    }
    p->entry[0] = (double)objects * scale;
    p->entry[1] = (double)bytes * scale;
}

/* jemalloc: "t*: 5000: 240000 [0: 0]" behind its stack. */
static hsd_status take_thread(hp *p, const char *at, hsd_error *err)
{
    uint64_t objects, bytes;
    if (!take_word(&at, p->line_end, "*:")) return HSD_OK; /* by thread */
    if (!take_sums(&at, p->line_end, &objects, &bytes)) {
        p->unreadable++;
        return HSD_OK;
    }
    if (!p->has_stack) return HSD_OK; /* of all stacks */
    wait_with(p, objects, bytes);
    return hsd_hp_end_stack(p, err);
}

/* gperftools and Go: "5000: 960000 [5000: 960000] @ 0x… 0x…". */
static hsd_status take_entry(hp *p, const char *at, hsd_error *err)
{
    uint64_t objects, bytes;
    HSD_TRY(hsd_hp_end_stack(p, err));
    if (!take_sums(&at, p->line_end, &objects, &bytes) || !take_word(&at, p->line_end, "@")) {
        p->unreadable++;
        return HSD_OK;
    }
    wait_with(p, objects, bytes);
    return take_stack(p, at, err);
}

/* Go: "#  0x47a5d5  main.fill+0x55    /srv/shop/main.go:13". What else a comment says is passed over. */
static hsd_status take_comment(hp *p, const char *at, hsd_error *err)
{
    const char *end = p->line_end;
    uint64_t address, line = 0;
    if (!p->has_stack || !take_address(&at, end, &address)) return HSD_OK;
    const char *function = skip_blanks(at, end), *plus = NULL, *file, *colon = NULL;
    for (at = function; at < end && *at != '\t'; at++)
        if (*at == '+') plus = at;
    const char *function_end = plus != NULL ? plus : at;
    file = skip_blanks(at, end);
    for (at = file; at < end; at++)
        if (*at == ':') colon = at;
    if (function == function_end) return HSD_OK;
    if (colon != NULL && (at = colon + 1, take_number(&at, end, &line)) && at == end) end = colon;
    return hsd_hp_push_name(p, (hsd_bytes){(const uint8_t *)function, (size_t)(function_end - function)},
                            (hsd_bytes){(const uint8_t *)file, (size_t)(end - file)},
                            (uint32_t)hsd_min_u64(line, INT32_MAX), err);
}

/* ---- all lines ---- */

static hsd_status take_line(hp *p, hsd_error *err)
{
    const char *at = skip_blanks(p->line, p->line_end), *end = p->line_end;
    if (p->is_in_maps) return hsd_hp_put_mapping(p, err);
    if (at == end) return HSD_OK;
    if (begins_with(at, end, maps_head)) {
        p->is_in_maps = p->has_end = true;
        return hsd_hp_end_stack(p, err);
    }
    if (*at == '#') {
        p->has_end = p->has_end || begins_with(at, end, stats_head);
        return take_comment(p, at + 1, err);
    }
    if (p->kind != HP_JEMALLOC) return take_entry(p, at, err);
    if (*at == 't') return take_thread(p, at + 1, err);
    if (*at != '@') {
        p->unreadable++;
        return HSD_OK;
    }
    p->stack_count = 0; /* one without sums has none */
    return take_stack(p, at + 1, err);
}

static hsd_status fail_cut(const hp *p, hsd_error *err)
{
    hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(p->source), "this heap profile ends before its end");
    hsd_import_hint_partial(err);
    return HSD_E_TRUNCATED;
}

hsd_status hsd_hp_read(hp *p, hsd_error *err)
{
    hsd_status status;
    HSD_TRY(read_head(p, err));
    while ((status = hsd_hp_next_line(p, err)) == HSD_OK)
        if (p->is_whole_line || p->is_in_maps) HSD_TRY(take_line(p, err)); /* else half of a number may be missing */
    if (status < 0) return status;
    HSD_TRY(hsd_hp_end_stack(p, err));
    return p->has_end ? HSD_OK : fail_cut(p, err);
}

/*
 * Patterns over names. The glob keeps one place to go back to, the last star: O(name x pattern) at worst and no memory.
 */
#define _GNU_SOURCE
#include "check/pattern.h"

#include <locale.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

/* ---- globs ---- */

static bool matches_glob(hsd_text glob, hsd_text name)
{
    size_t g = 0, n = 0, star = SIZE_MAX, resume = 0;
    while (n < name.size) {
        const size_t step = hsd_check_character(name.data + n, name.size - n);
        if (g < glob.size && glob.data[g] == '*') {
            star = g++;
            resume = n;
        } else if (g < glob.size && glob.data[g] == '?') {
            g++;
            n += step;
        } else if (g < glob.size && glob.data[g] == name.data[n]) {
            g++;
            n++;
        } else if (star != SIZE_MAX) { /* the star takes one character more */
            resume += hsd_check_character(name.data + resume, name.size - resume);
            g = star + 1;
            n = resume;
        } else {
            return false;
        }
    }
    while (g < glob.size && glob.data[g] == '*')
        g++;
    return g == glob.size;
}

/* ---- how large a regular expression becomes ---- */

#define GROUPS_MOST 64u
#define STATES_MOST 20000u

typedef struct estimate {
    uint64_t sizes[GROUPS_MOST + 1]; /* of the groups that are open */
    uint64_t last[GROUPS_MOST + 1];  /* of the last atom in each */
    size_t depth;
} estimate;

static void add_atom(estimate *e, uint64_t size)
{
    e->sizes[e->depth] = hsd_add_saturating(e->sizes[e->depth], size);
    e->last[e->depth] = size;
}

static void repeat_last(estimate *e, uint64_t times)
{
    uint64_t size;
    if (times < 2) return;
    if (!hsd_mul_u64(e->last[e->depth], times, &size)) size = UINT64_MAX;
    add_atom(e, size); /* one more than needed: an estimate from above */
}

/* A group becomes one atom of the group around it. */
static void close_group(estimate *e)
{
    const uint64_t size = e->depth > 0 ? e->sizes[e->depth] : 1;
    if (e->depth > 0) e->depth--;
    add_atom(e, size);
}

/* The bracket that closes [...]; a ] right at the start is one of the set, and so is what stands in [: :]. */
static size_t skip_set(hsd_text text, size_t at)
{
    at++;
    if (at < text.size && text.data[at] == '^') at++;
    if (at < text.size && text.data[at] == ']') at++;
    while (at < text.size && text.data[at] != ']') {
        const bool is_class = text.data[at] == '[' && at + 1 < text.size && strchr(":.=", text.data[at + 1]) != NULL;
        if (is_class) {
            const char kind = text.data[at + 1];
            for (at += 2; at + 1 < text.size && !(text.data[at] == kind && text.data[at + 1] == ']');)
                at++;
            at++;
        }
        at++;
    }
    return at;
}

/* The larger of the two numbers of {m,n}; {m,} one more than m. `at` is behind the brace. */
static uint64_t read_bounds(hsd_text text, size_t at)
{
    uint64_t most = 0, number = 0;
    for (; at < text.size && text.data[at] != '}'; at++) {
        const char c = text.data[at];
        if (c >= '0' && c <= '9' && number < 100000) number = number * 10 + (uint64_t)(c - '0');
        if (c == ',') most = number + 1, number = 0;
    }
    return hsd_max_u64(most, number);
}

/* NULL, or why the expression cannot be taken. */
static const char *find_excess(hsd_text text)
{
    estimate e = {0};
    for (size_t at = 0; at < text.size && e.sizes[e.depth] <= STATES_MOST; at++) {
        switch (text.data[at]) {
        case '\\':
            if (++at < text.size && text.data[at] >= '1' && text.data[at] <= '9') return "it refers back (\\1)";
            add_atom(&e, 1);
            break;
        case '[':
            at = skip_set(text, at);
            add_atom(&e, 1);
            break;
        case '(':
            if (e.depth == GROUPS_MOST) return "its groups are nested too deeply";
            e.depth++;
            e.sizes[e.depth] = e.last[e.depth] = 1;
            break;
        case ')': close_group(&e); break;
        case '{': repeat_last(&e, read_bounds(text, at + 1)); break;
        case '+': repeat_last(&e, 2); break;
        case '*':
        case '?':
        case '|': break;
        default: add_atom(&e, 1);
        }
    }
    return e.sizes[e.depth] > STATES_MOST ? "it repeats too much" : NULL;
}

/* ---- regular expressions ---- */

/* The "C" locale for this thread, and back. */
static locale_t enter_c(locale_t *made)
{
    *made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return *made != (locale_t)0 ? uselocale(*made) : (locale_t)0;
}

static void leave_c(locale_t made, locale_t before)
{
    if (made == (locale_t)0) return;
    uselocale(before);
    freelocale(made);
}

static hsd_status refuse_regex(const char *why, hsd_error *err)
{
    hsd_fail(err, HSD_E_CORRUPT, "is no regular expression: %s", why);
    hsd_error_set_hint(err, "POSIX extended ones are known, between slashes: /^Session[0-9]+$/. A plain text with * "
                            "and ? is a glob and needs no slashes.");
    return HSD_E_CORRUPT;
}

static hsd_status compile(hsd_pattern *out, hsd_text text, hsd_error *err)
{
    char source[HSD_PATTERN_MOST + 1], why[160];
    if (text.size == 0) return refuse_regex("it is empty", err);
    if (memchr(text.data, 0, text.size) != NULL) return refuse_regex("it holds a NUL", err);
    const char *excess = find_excess(text);
    if (excess != NULL) return refuse_regex(excess, err);
    memcpy(source, text.data, text.size);
    source[text.size] = '\0';
    locale_t made;
    const locale_t before = enter_c(&made);
    const int code = regcomp(&out->regex, source, REG_EXTENDED | REG_NOSUB);
    if (code != 0) regerror(code, &out->regex, why, sizeof why);
    leave_c(made, before);
    out->is_regex = true;
    if (code == 0) return HSD_OK;
    if (code == REG_ESPACE) return hsd_fail_nomem(err, "a regular expression");
    return refuse_regex(why, err);
}

static hsd_status matches_regex(const hsd_pattern *pattern, hsd_text name, hsd_buffer *scratch, bool *out,
                                hsd_error *err)
{
    hsd_buffer_clear(scratch);
    HSD_TRY(hsd_buffer_append(scratch, name.data, name.size, err));
    for (size_t i = 0; i < scratch->size; i++)
        if (scratch->data[i] == 0) scratch->data[i] = ' ';
    HSD_TRY(hsd_buffer_append(scratch, "", 1, err));
    const int code = regexec(&pattern->regex, (const char *)scratch->data, 0, NULL, 0);
    if (code == REG_ESPACE) return hsd_fail_nomem(err, "a regular expression");
    *out = code == 0;
    return HSD_OK;
}

/* ---- both ---- */

hsd_status hsd_pattern_make(hsd_pattern *out, hsd_text text, bool is_old_form, hsd_error *err)
{
    *out = (hsd_pattern){.glob = text};
    if (text.size == 0 || text.size > HSD_PATTERN_MOST) {
        hsd_fail(err, HSD_E_CORRUPT, "%s", text.size == 0 ? "is empty" : "is longer than 2,000 bytes");
        hsd_error_set_hint(err, "Write a name, with * for any characters: 'com.x.*Cache'. '*' alone is every name.");
        return HSD_E_CORRUPT;
    }
    if (text.size >= 2 && text.data[0] == '/' && text.data[text.size - 1] == '/')
        return compile(out, (hsd_text){text.data + 1, text.size - 2}, err);
    if (is_old_form && (text.data[0] == '^' || text.data[text.size - 1] == '$')) return compile(out, text, err);
    return HSD_OK;
}

void hsd_pattern_release(hsd_pattern *pattern)
{
    if (pattern->is_regex) regfree(&pattern->regex);
    *pattern = (hsd_pattern){0};
}

hsd_status hsd_pattern_match(const hsd_pattern *pattern, hsd_text name, hsd_buffer *scratch, bool *out, hsd_error *err)
{
    if (pattern->is_regex) return matches_regex(pattern, name, scratch, out, err);
    *out = matches_glob(pattern->glob, name);
    return HSD_OK;
}

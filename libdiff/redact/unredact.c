/*
 * The pseudonyms in a report turned back. What they stand for cannot be computed, so it is looked up:
 *
 *      1  every pseudonym in the report, once each, ascending           a list of numbers of 62 bits
 *      2  the originals are redacted again, into nothing; each name
 *         that becomes one of the list is written down beside it        see_name
 *      3  the report is written, each pseudonym with a name by it
 *
 * So memory grows with the report and not with the captures, and nothing that could be stolen is kept anywhere: the key
 * and the originals are all there is.
 */
#include <hsdiff/redact.h>

#include <stdlib.h>
#include <string.h>

#include <hsdiff/report.h>

#include "base/fail.h"
#include "base/search.h"
#include "redact/redacting.h"

#define NO_NAME UINT32_MAX
#define MARK    "_malloc" /* stands behind the pseudonym of a function that allocates: rename.h */

typedef enum report_form { FORM_TEXT, FORM_JSON, FORM_XML } report_form;

typedef struct wanted_name {
    uint64_t number;
    uint32_t offset, size; /* in `names`; NO_NAME: not found */
} wanted_name;

typedef struct unredacting {
    const char *report;
    size_t size;
    report_form form;
    wanted_name *wanted;
    size_t count, capacity;
    hsd_buffer names;
    uint64_t memory_bytes;
    hsd_unredact_write_fn write;
    void *write_context;
    hsd_buffer escaped;
    hsd_unredact_result result;
} unredacting;

/* ---- pseudonyms in a text ---- */

/* The number that a pseudonym says. */
static bool read_pseudonym(const char *text, uint64_t *number)
{
    *number = 0;
    if (*text != 'k' && *text != 'K') return false;
    for (unsigned i = 1; i < HSD_PSEUDONYM_CHARS; i++) {
        const char *digit = memchr(hsd_pseudonym_alphabet, text[i], HSD_PSEUDONYM_LETTERS);
        if (digit == NULL) return false;
        *number = *number * HSD_PSEUDONYM_LETTERS + (uint64_t)(digit - hsd_pseudonym_alphabet);
    }
    return true;
}

/* The next place from `at` on where a pseudonym can stand; `size` where there is none. It may stand in the middle of a
 * word: what is in front may be the end of an escape. */
static size_t next_pseudonym(const unredacting *u, size_t at, uint64_t *number)
{
    for (; at + HSD_PSEUDONYM_CHARS <= u->size; at++)
        if (read_pseudonym(u->report + at, number)) return at;
    return u->size;
}

static int compare_wanted(const void *a, const void *b)
{
    const wanted_name *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static hsd_status want_name(unredacting *u, uint64_t number, hsd_error *err)
{
    if (u->count == u->capacity) {
        const size_t capacity = u->capacity == 0 ? 1024 : 2 * u->capacity;
        if (capacity * sizeof *u->wanted > u->memory_bytes) {
            return hsd_fail(err, HSD_E_OVER_BUDGET,
                            "the names of a report of %zu bytes take more than half of the memory", u->size);
        }
        wanted_name *more = realloc(u->wanted, capacity * sizeof *more);
        if (more == NULL) return hsd_fail_nomem(err, "the names of a report");
        u->wanted = more;
        u->capacity = capacity;
    }
    u->wanted[u->count++] = (wanted_name){.number = number, .offset = NO_NAME};
    return HSD_OK;
}

static void keep_one_each(unredacting *u)
{
    size_t kept = 0;
    if (u->count > 1) qsort(u->wanted, u->count, sizeof *u->wanted, compare_wanted);
    for (size_t i = 0; i < u->count; i++)
        if (kept == 0 || u->wanted[kept - 1].number != u->wanted[i].number) u->wanted[kept++] = u->wanted[i];
    u->count = kept;
}

static hsd_status list_wanted(unredacting *u, hsd_error *err)
{
    uint64_t number;
    size_t listed = 0;
    for (size_t at = next_pseudonym(u, 0, &number); at < u->size; at = next_pseudonym(u, at + 1, &number)) {
        HSD_TRY(want_name(u, number, err));
        if (u->count < 2 * listed + 4096) continue;
        keep_one_each(u); /* reports say the same names over and over */
        listed = u->count;
    }
    keep_one_each(u);
    return HSD_OK;
}

static wanted_name *find_wanted_pseudonym(unredacting *u, uint64_t number)
{
    size_t at;
    HSD_LOWER_BOUND(at, 0, u->count, u->wanted[at].number, number);
    return at < u->count && u->wanted[at].number == number ? &u->wanted[at] : NULL;
}

/* ---- names of the originals ---- */

static hsd_status see_name(void *context, hsd_text name, const char pseudonym[HSD_PSEUDONYM_CHARS], hsd_error *err)
{
    unredacting *u = context;
    uint64_t number = 0;
    wanted_name *wanted = read_pseudonym(pseudonym, &number) ? find_wanted_pseudonym(u, number) : NULL;
    if (wanted == NULL || wanted->offset != NO_NAME) return HSD_OK;
    if (u->names.size + name.size > u->memory_bytes || u->names.size > NO_NAME - name.size)
        return hsd_fail(err, HSD_E_OVER_BUDGET, "the names of a report take more than half of the memory");
    wanted->offset = (uint32_t)u->names.size;
    wanted->size = (uint32_t)name.size;
    u->result.found++;
    return hsd_buffer_append(&u->names, name.data, name.size, err);
}

static hsd_status read_original(unredacting *u, int original, const hsd_redact_key *key, const hsd_run *run,
                                hsd_error *err)
{
    redacting x;
    hsd_status status = hsd_redacting_begin(&x, key, NULL, 0, err);
    x.renamer.told = see_name;
    x.renamer.told_context = u;
    if (status == HSD_OK)
        status = hsd_rewrite_all(original, -1, hsd_redacting_text, hsd_redacting_block, &x, run, NULL, err);
    hsd_redacting_end(&x);
    return status;
}

static hsd_status read_originals(unredacting *u, const int *originals, size_t count, const hsd_redact_key *key,
                                 const hsd_run *run, hsd_error *err)
{
    hsd_status status = HSD_OK;
    for (size_t i = 0; status == HSD_OK && i < count; i++)
        status = read_original(u, originals[i], key, run, err);
    return status;
}

/* ---- the report again ---- */

static report_form form_of(const char *report, size_t size)
{
    size_t at = size >= 3 && memcmp(report, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size && (report[at] == ' ' || report[at] == '\n' || report[at] == '\r' || report[at] == '\t'))
        at++;
    if (at == size) return FORM_TEXT;
    return report[at] == '{' || report[at] == '[' ? FORM_JSON : report[at] == '<' ? FORM_XML : FORM_TEXT;
}

/* A page packs its tables, where no pseudonym can be seen. */
static bool is_page(const char *report, size_t size)
{
    static const char mark[] = "<script type=\"application/octet-stream\" id=\"data\">";
    for (size_t at = 0; at + sizeof mark - 1 <= size; at++) {
        const char *next = memchr(report + at, '<', size - at);
        if (next == NULL) return false;
        at = (size_t)(next - report);
        if (size - at >= sizeof mark - 1 && memcmp(next, mark, sizeof mark - 1) == 0) return true;
    }
    return false;
}

static hsd_status write_name(unredacting *u, const wanted_name *wanted, hsd_error *err)
{
    static const hsd_escape_form forms[] = {
        [FORM_TEXT] = HSD_ESCAPE_TERMINAL, [FORM_JSON] = HSD_ESCAPE_JSON, [FORM_XML] = HSD_ESCAPE_XML};
    const char *name = (const char *)u->names.data + wanted->offset;
    const size_t size = hsd_escape(forms[u->form], name, wanted->size, NULL, 0);
    hsd_buffer_clear(&u->escaped);
    HSD_TRY(hsd_buffer_reserve(&u->escaped, size + 1, err));
    hsd_escape(forms[u->form], name, wanted->size, (char *)u->escaped.data, size + 1);
    u->result.changed++;
    return u->write(u->write_context, u->escaped.data, size, err);
}

static hsd_status write_report(unredacting *u, hsd_error *err)
{
    uint64_t number;
    size_t from = 0;
    for (size_t at = next_pseudonym(u, 0, &number); at < u->size; at = next_pseudonym(u, at, &number)) {
        const wanted_name *wanted = find_wanted_pseudonym(u, number);
        if (wanted == NULL || wanted->offset == NO_NAME) {
            at++;
            continue;
        }
        HSD_TRY(u->write(u->write_context, u->report + from, at - from, err));
        HSD_TRY(write_name(u, wanted, err));
        at += HSD_PSEUDONYM_CHARS;
        if (u->size - at >= sizeof MARK - 1 && memcmp(u->report + at, MARK, sizeof MARK - 1) == 0)
            at += sizeof MARK - 1;
        from = at;
    }
    return u->write(u->write_context, u->report + from, u->size - from, err);
}

hsd_status hsd_unredact(const char *report, size_t size, const int *originals, size_t original_count,
                        const hsd_redact_key *key, const hsd_run *run, hsd_unredact_write_fn write, void *write_context,
                        hsd_unredact_result *result, hsd_error *err)
{
    const uint64_t memory = run != NULL && run->memory_bytes != 0 ? run->memory_bytes : hsd_run_default_memory();
    unredacting u = {.report = report,
                     .size = size,
                     .form = form_of(report, size),
                     .memory_bytes = memory / 4,
                     .write = write,
                     .write_context = write_context};
    if (u.form == FORM_XML && is_page(report, size))
        return hsd_fail(err, HSD_E_UNSUPPORTED, "is a page, whose tables are packed: turn back its JSON instead");
    hsd_status status = list_wanted(&u, err);
    u.result.names = u.count;
    if (status == HSD_OK && u.count > 0) status = read_originals(&u, originals, original_count, key, run, err);
    if (status == HSD_OK && u.count > 0 && u.result.found == 0) {
        status =
            hsd_fail(err, HSD_E_NOT_FOUND, "none of its %zu pseudonyms is of this key and these captures", u.count);
    }
    if (status == HSD_OK) status = write_report(&u, err);
    if (status == HSD_OK && result != NULL) *result = u.result;
    free(u.wanted);
    hsd_buffer_release(&u.names);
    hsd_buffer_release(&u.escaped);
    return status;
}

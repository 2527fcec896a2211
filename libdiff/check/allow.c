/*
 * Growth that is known and accepted.
 */
#include "check/allow.h"

#include "check/amount.h"

/* ---- the text of a holder ---- */

static hsd_status append_word(hsd_buffer *out, hsd_text word, hsd_error *err)
{
    if (word.size == 0) return HSD_OK;
    if (out->size > 0) HSD_TRY(hsd_buffer_append(out, " ", 1, err));
    return hsd_buffer_append(out, word.data, word.size, err);
}

hsd_status hsd_fact_text(const hsd_fact *fact, hsd_subject subject, hsd_buffer *buffer, hsd_text *out, hsd_error *err)
{
    *out = subject == HSD_SUBJECT_SITE ? fact->place : fact->name;
    if (subject != HSD_SUBJECT_HOLDER) return HSD_OK;
    hsd_buffer_clear(buffer);
    HSD_TRY(append_word(buffer, fact->root, err));
    for (size_t i = 0; i < fact->path_count; i++) {
        HSD_TRY(append_word(buffer, fact->path[i].edge, err));
        HSD_TRY(append_word(buffer, fact->path[i].type, err));
    }
    *out = (hsd_text){(const char *)buffer->data, buffer->size};
    return HSD_OK;
}

/* ".next"; what has no name is told by its type. The root names the first object. */
static hsd_status append_step(hsd_buffer *out, const hsd_step *step, bool is_first, hsd_error *err)
{
    if (step->edge.size > 0) return hsd_buffer_append(out, step->edge.data, step->edge.size, err);
    if (is_first) return HSD_OK;
    HSD_TRY(hsd_buffer_append(out, " -> ", 4, err));
    return hsd_buffer_append(out, step->type.data, step->type.size, err);
}

hsd_status hsd_fact_place(const hsd_fact *fact, hsd_subject subject, hsd_buffer *buffer, hsd_text *out, hsd_error *err)
{
    if (subject != HSD_SUBJECT_HOLDER) return hsd_fact_text(fact, subject, buffer, out, err);
    hsd_buffer_clear(buffer);
    HSD_TRY(hsd_buffer_append(buffer, fact->root.data, fact->root.size, err));
    for (size_t i = 0; i < fact->path_count; i++)
        HSD_TRY(append_step(buffer, &fact->path[i], i == 0, err));
    const hsd_step *last = fact->path_count > 0 ? &fact->path[fact->path_count - 1] : NULL;
    const bool is_told = last == NULL || last->type.size == 0 || (last->edge.size == 0 && fact->path_count > 1);
    if (!is_told && buffer->size + last->type.size + 3 <= HSD_CHECK_SHOWN) {
        HSD_TRY(hsd_buffer_append(buffer, " (", 2, err));
        HSD_TRY(hsd_buffer_append(buffer, last->type.data, last->type.size, err));
        HSD_TRY(hsd_buffer_append(buffer, ")", 1, err));
    }
    *out = (hsd_text){(const char *)buffer->data, buffer->size};
    return HSD_OK;
}

static size_t put_word(char *out, size_t capacity, size_t used, hsd_text word)
{
    if (word.size == 0) return used;
    for (size_t i = used > 0 ? 0 : 1; i <= word.size; i++, used++)
        if (used + 1 < capacity) out[used] = i == 0 ? ' ' : word.data[i - 1];
    return used;
}

size_t hsd_check_holder_text(char *out, size_t capacity, hsd_text root, const hsd_step *path, size_t path_count)
{
    size_t used = put_word(out, capacity, 0, root);
    for (size_t i = 0; i < path_count; i++) {
        used = put_word(out, capacity, used, path[i].edge);
        used = put_word(out, capacity, used, path[i].type);
    }
    if (capacity > 0) out[used < capacity ? used : capacity - 1] = '\0';
    return used;
}

/* ---- allowances ---- */

hsd_status hsd_allowed_open(hsd_allowed *allowed, const hsd_check_config *config, int32_t today, hsd_check_store *store,
                            hsd_error *err)
{
    void *patterns;
    *allowed = (hsd_allowed){.config = config, .today = today};
    HSD_TRY(hsd_check_take(store, config->allow_count, sizeof *allowed->patterns, &patterns, err));
    allowed->patterns = patterns;
    for (; allowed->count < config->allow_count; allowed->count++)
        HSD_TRY(hsd_pattern_make(&allowed->patterns[allowed->count], config->allow[allowed->count].pattern, false,
                                 err));
    return HSD_OK;
}

void hsd_allowed_release(hsd_allowed *allowed)
{
    for (size_t i = 0; i < allowed->count; i++)
        hsd_pattern_release(&allowed->patterns[i]);
    hsd_buffer_release(&allowed->scratch);
    hsd_buffer_release(&allowed->name);
    *allowed = (hsd_allowed){0};
}

static bool has_run_out(const hsd_allowed *allowed, const hsd_allowance *allowance)
{
    return allowance->until_day < allowed->today;
}

/* ---- of a row ---- */

/* What hangs from a row of a series several may hold: a rule asks who holds most of it, an allowance all of them. */
typedef enum name_of_held { OF_MOST, OF_ALL } name_of_held;

typedef struct name_match {
    const hsd_pattern *pattern;
    hsd_buffer *name, *scratch;
} name_match;

/* A row by the name that rules know it by; a holder also as people read it. */
static hsd_status has_name(const name_match *m, hsd_subject subject, const hsd_fact *fact, bool *out, hsd_error *err)
{
    hsd_text text;
    HSD_TRY(hsd_fact_text(fact, subject, m->name, &text, err));
    HSD_TRY(hsd_pattern_match(m->pattern, text, m->scratch, out, err));
    if (*out || subject != HSD_SUBJECT_HOLDER) return HSD_OK;
    HSD_TRY(hsd_fact_place(fact, subject, m->name, &text, err));
    return hsd_pattern_match(m->pattern, text, m->scratch, out, err);
}

static hsd_status is_place(const name_match *m, hsd_text root, const hsd_step *path, size_t count, bool *out,
                           hsd_error *err)
{
    const hsd_fact place = {.root = root, .path = path, .path_count = count};
    return has_name(m, HSD_SUBJECT_HOLDER, &place, out, err);
}

/* The holder itself, or one of those by which it is held together. */
static hsd_status is_holder(const name_match *m, const hsd_holder *holder, bool *out, hsd_error *err)
{
    HSD_TRY(is_place(m, holder->root, holder->path, holder->path_count, out, err));
    for (size_t i = 0; i < holder->by_count && !*out; i++)
        HSD_TRY(is_place(m, holder->by[i].root, holder->by[i].path, holder->by[i].path_count, out, err));
    return HSD_OK;
}

/* Half of the growth of the row, or more, is held by it. */
static bool holds_half(const hsd_fact *fact, const hsd_holder *holder)
{
    double all = 0; /* sums of what captures say need not fit an integer */
    for (size_t i = 0; i < fact->held_count; i++)
        all += (double)fact->held[i]->growth_bytes;
    return holder->growth_bytes > 0 && 2 * (double)holder->growth_bytes >= all;
}

static hsd_status is_row(const name_match *m, hsd_subject subject, const hsd_fact *fact, name_of_held which, bool *out,
                         hsd_error *err)
{
    HSD_TRY(has_name(m, subject, fact, out, err));
    if (*out || subject != HSD_SUBJECT_HOLDER) return HSD_OK;
    if (fact->holder != NULL) return is_holder(m, fact->holder, out, err);
    const bool is_for_all = which == OF_ALL;
    bool is_match = is_for_all && fact->held_count > 0;
    for (size_t i = 0; i < fact->held_count && is_match == is_for_all; i++) {
        if (!is_for_all && !holds_half(fact, fact->held[i])) continue;
        HSD_TRY(is_holder(m, fact->held[i], &is_match, err));
    }
    *out = is_match;
    return HSD_OK;
}

hsd_status hsd_fact_matches(const hsd_fact *fact, hsd_subject subject, const hsd_pattern *pattern, hsd_buffer *name,
                            hsd_buffer *scratch, bool *out, hsd_error *err)
{
    const name_match m = {pattern, name, scratch};
    return is_row(&m, subject, fact, OF_MOST, out, err);
}

static hsd_status may_be_allowed(hsd_allowed *allowed, const hsd_pattern *pattern, hsd_subject subject,
                                 const hsd_fact *fact, bool *out, hsd_error *err)
{
    const name_match m = {pattern, &allowed->name, &allowed->scratch};
    return is_row(&m, subject, fact, OF_ALL, out, err);
}

hsd_status hsd_allowed_find(hsd_allowed *allowed, hsd_subject subject, const hsd_fact *fact, int64_t bytes,
                            const hsd_allowance **out, hsd_error *err)
{
    *out = NULL;
    for (size_t i = 0; i < allowed->count && *out == NULL; i++) {
        const hsd_allowance *allowance = &allowed->config->allow[i];
        bool is_match;
        if (allowance->subject != subject || has_run_out(allowed, allowance)) continue;
        if (bytes > 0 && (uint64_t)bytes > allowance->up_to_bytes) continue;
        HSD_TRY(may_be_allowed(allowed, &allowed->patterns[i], subject, fact, &is_match, err));
        if (is_match) *out = allowance;
    }
    return HSD_OK;
}

/* ---- notes ---- */

static hsd_status matches_any(hsd_allowed *allowed, size_t i, const hsd_facts *facts, hsd_fact_table table, bool *out,
                              hsd_error *err)
{
    for (size_t row = 0; row < hsd_facts_rows(facts, table) && !*out; row++) {
        hsd_fact fact;
        hsd_facts_name(facts, table, row, &fact);
        HSD_TRY(may_be_allowed(allowed, &allowed->patterns[i], allowed->config->allow[i].subject, &fact, out, err));
    }
    return HSD_OK;
}

static const char *subject_word(hsd_subject subject)
{
    static const char *const words[] = {"heap", "type", "root", "holder", "site"};
    return words[subject];
}

hsd_status hsd_allowed_note(hsd_allowed *allowed, const hsd_facts *facts, hsd_check_store *store, hsd_check_list *notes,
                            hsd_error *err)
{
    for (size_t i = 0; i < allowed->count; i++) {
        const hsd_allowance *allowance = &allowed->config->allow[i];
        const hsd_fact_table table = hsd_facts_table(facts, allowance->subject, HSD_MEASURE_BYTES);
        const int shown = hsd_check_shown(allowance->pattern);
        const char *subject = subject_word(allowance->subject);
        hsd_text note = {"", 0};
        char day[16];
        bool is_used = has_run_out(allowed, allowance);
        if (is_used) {
            hsd_amount_write_day(day, allowance->until_day);
            HSD_TRY(hsd_check_say(store, &note, err,
                                  "growth of %s %.*s was allowed until %s and is no longer (line %u)", subject, shown,
                                  allowance->pattern.data, day, allowance->line));
        } else {
            HSD_TRY(matches_any(allowed, i, facts, table, &is_used, err));
            if (!is_used)
                HSD_TRY(hsd_check_say(store, &note, err,
                                      "growth of %s %.*s is allowed, and no %s has that name (line %u)", subject, shown,
                                      allowance->pattern.data, subject, allowance->line));
        }
        if (note.size > 0) HSD_TRY(hsd_check_add(store, notes, note, err));
    }
    return HSD_OK;
}

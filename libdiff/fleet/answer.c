/*
 * Lines of an answer.
 */
#define _DEFAULT_SOURCE /* strsep */
#include "fleet/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "fleet/postgres.h"

hsd_status hsd_answer_fail(hsd_error *err)
{
    return hsd_fail(err, HSD_E_CORRUPT, "the engine's answer is not what was asked for: is another program called so?");
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

hsd_status hsd_answer_text(const hsd_answer_line *line, unsigned field, hsd_arena *arena, hsd_text *text,
                           hsd_error *err)
{
    const char *digits = line->fields[field] + (line->fields[field][0] == 'x');
    const size_t size = strlen(digits) / 2;
    char *bytes = hsd_arena_take(arena, size + 1);
    if (bytes == NULL) return hsd_fail_nomem(err, "the texts of an answer");
    for (size_t i = 0; i < size; i++) {
        const int high = digit(digits[2 * i]), low = digit(digits[2 * i + 1]);
        if (high < 0 || low < 0) return hsd_answer_fail(err);
        bytes[i] = (char)(high << 4 | low);
    }
    *text = (hsd_text){bytes, size};
    return HSD_OK;
}

hsd_status hsd_answer_numbers(const hsd_answer_line *line, unsigned first, unsigned count, int64_t *numbers,
                              hsd_error *err)
{
    for (unsigned i = 0; i < count; i++) {
        const char *text = line->fields[first + i];
        char *end;
        numbers[i] = strtoll(text, &end, 10);
        if (end == text || *end != '\0') return hsd_answer_fail(err);
    }
    return HSD_OK;
}

static hsd_status take_whole_line(hsd_answer *answer, char *text, hsd_error *err)
{
    hsd_answer_line line = {.count = 0};
    char *at = text;
    if (text[0] == '\0') return HSD_OK;
    while (at != NULL && line.count < HSD_ANSWER_FIELDS)
        line.fields[line.count++] = strsep(&at, "|");
    return at == NULL ? answer->take(answer->context, &line, err) : hsd_answer_fail(err);
}

hsd_status hsd_answer_take(void *context, const char *data, size_t size, hsd_error *err)
{
    hsd_answer *answer = context;
    while (size > 0) {
        const char *end = memchr(data, '\n', size);
        const size_t taken = end != NULL ? (size_t)(end - data) : size;
        HSD_TRY(hsd_buffer_append(&answer->line, data, taken, err));
        if (end == NULL) return HSD_OK;
        HSD_TRY(hsd_buffer_append(&answer->line, "", 1, err));
        HSD_TRY(take_whole_line(answer, (char *)answer->line.data, err));
        hsd_buffer_clear(&answer->line);
        data += taken + 1;
        size -= taken + 1;
    }
    return HSD_OK;
}

hsd_status hsd_answer_ask(hsd_answer *answer, const char *store, const hsd_buffer *sql, const hsd_run *run,
                          hsd_error *err)
{
    const hsd_engine engine = {.store = store, .mode = "-list", .run = run, .take = hsd_answer_take, .context = answer};
    const hsd_psql psql = {.store = store, .run = run, .take = hsd_answer_take, .context = answer};
    const hsd_status status = hsd_fleet_where_is(store) == HSD_FLEET_DATABASE ? hsd_psql_ask(&psql, sql, err)
                                                                              : hsd_engine_run(&engine, sql, err);
    hsd_buffer_release(&answer->line);
    return status;
}

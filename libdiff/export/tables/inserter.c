/*
 * Rows held in memory until some can be put together.
 */
#include "export/tables/inserter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

#define ROWS_HELD     HSD_ROWS_HELD
#define TEXTS_HELD    ((size_t)256 << 10)
#define ROWS_PER_TURN 4096u

hsd_status hsd_inserter_open(hsd_inserter *in, hsd_sink *sink, const char *prefix, const char *table, uint64_t expected,
                             hsd_error *err)
{
    *in = (hsd_inserter){.sink = sink, .expected = expected};
    snprintf(in->name, sizeof in->name, "%s%s", prefix, table);
    HSD_TRY(sink->kind->open(sink, prefix, table, &in->rows, &in->columns, err));
    in->cells = malloc(ROWS_HELD * in->columns * sizeof *in->cells);
    return in->cells != NULL ? HSD_OK : hsd_fail_nomem(err, "rows of a table");
}

static hsd_status put_held_inserter(hsd_inserter *in, hsd_error *err)
{
    const unsigned held = in->held;
    if (held == 0) return HSD_OK;
    in->held = in->at = 0;
    const hsd_status status = in->sink->kind->put(in->sink, in->rows, in->cells, held, in->texts.data, err);
    hsd_buffer_clear(&in->texts);
    return status;
}

hsd_status hsd_inserter_close(hsd_inserter *in, hsd_status status, hsd_error *err)
{
    if (status == HSD_OK) status = put_held_inserter(in, err);
    if (in->sink != NULL) status = in->sink->kind->close(in->sink, in->rows, status, err);
    free(in->cells);
    hsd_buffer_release(&in->texts);
    *in = (hsd_inserter){.sink = NULL};
    return status;
}

/* ---- columns */

static void put_inserter(hsd_inserter *in, hsd_cell cell)
{
    if (in->at < (in->held + 1) * in->columns)
        in->cells[in->at++] = cell;
    else
        in->status = HSD_E_MISUSE;
}

void hsd_put_null(hsd_inserter *in) { put_inserter(in, (hsd_cell){.kind = HSD_CELL_NULL}); }
void hsd_put_signed(hsd_inserter *in, int64_t number)
{
    put_inserter(in, (hsd_cell){.kind = HSD_CELL_NUMBER, .number = number});
}
void hsd_put_id(hsd_inserter *in, uint64_t id) { hsd_put_signed(in, (int64_t)id); }
void hsd_put_count(hsd_inserter *in, uint64_t count)
{
    hsd_put_signed(in, count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

void hsd_put_some(hsd_inserter *in, uint64_t number)
{
    if (number == 0)
        hsd_put_null(in);
    else
        hsd_put_count(in, number);
}

void hsd_put_text(hsd_inserter *in, hsd_text text)
{
    const size_t begin = in->texts.size;
    const hsd_status status = text.size > 0 ? hsd_buffer_append(&in->texts, text.data, text.size, NULL) : HSD_OK;
    if (status != HSD_OK) in->status = status;
    put_inserter(in, (hsd_cell){.kind = hsd_is_text(text.data, text.size) ? HSD_CELL_TEXT : HSD_CELL_BYTES,
                                .number = (int64_t)begin,
                                .size = status == HSD_OK ? text.size : 0});
}

void hsd_put_text_or_null(hsd_inserter *in, hsd_text text)
{
    if (text.size == 0)
        hsd_put_null(in);
    else
        hsd_put_text(in, text);
}

void hsd_put_word(hsd_inserter *in, const char *word)
{
    if (word == NULL)
        hsd_put_null(in);
    else
        hsd_put_text(in, (hsd_text){.data = word, .size = strlen(word)});
}

static hsd_status put_some_of_many(hsd_inserter *in, hsd_error *err)
{
    if (in->held == ROWS_HELD || in->texts.size > TEXTS_HELD) HSD_TRY(put_held_inserter(in, err));
    if (in->count - in->told < ROWS_PER_TURN) return HSD_OK;
    in->told = in->count;
    if (in->sink->is_told_by_others) return HSD_OK;
    return hsd_progress(in->sink->reporter, "filling tables", in->count, in->expected, err);
}

hsd_status hsd_put_row(hsd_inserter *in, hsd_error *err)
{
    in->held++;
    in->count++;
    if (in->status == HSD_E_NOMEM) return hsd_fail_nomem(err, "a text of a table");
    if (in->status != HSD_OK || in->at != in->held * in->columns)
        return hsd_fail(err, HSD_E_MISUSE, "a row of %s with other columns", in->name);
    return put_some_of_many(in, err);
}

/* ---- what is text */

/* Bytes of the character at `at`, of `left` that are there; 0 if it is none. Shortest forms alone, no surrogates, up to
 * U+10FFFF. */
static size_t character(const uint8_t *at, size_t left)
{
    const uint8_t first = at[0];
    const size_t size = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
    if (size == 0 || size > left || first == 0) return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if (first == 0xe0 && at[1] < 0xa0) return 0;
    if (first == 0xed && at[1] > 0x9f) return 0;
    if (first == 0xf0 && at[1] < 0x90) return 0;
    if (first == 0xf4 && at[1] > 0x8f) return 0;
    return size;
}

bool hsd_is_text(const void *data, size_t size)
{
    const uint8_t *at = data;
    while (size > 0) {
        const size_t taken = character(at, size);
        if (taken == 0) return false;
        at += taken;
        size -= taken;
    }
    return true;
}

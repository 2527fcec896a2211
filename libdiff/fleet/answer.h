/*
 * An answer of the engine as lines of fields: numbers and texts in hexadecimal digits, so that no name can be taken for
 * anything else. The first field is a letter that says what the line is.
 */
#ifndef HSD_FLEET_ANSWER_H
#define HSD_FLEET_ANSWER_H

#include "base/arena.h"
#include "fleet/engine.h"

#define HSD_ANSWER_FIELDS 20u

typedef struct hsd_answer_line {
    char *fields[HSD_ANSWER_FIELDS]; /* borrowed for the call */
    unsigned count;
} hsd_answer_line;

typedef struct hsd_answer {
    hsd_status (*take)(void *context, const hsd_answer_line *line, hsd_error *err);
    void *context;
    hsd_buffer line; /* the beginning of one; of hsd_answer_ask */
} hsd_answer;

/* Asks the store, DuckDB or psql, and gives every line to answer->take. As hsd_engine_run fails; HSD_E_CORRUPT for what
 * is no such line. */
hsd_status hsd_answer_ask(hsd_answer *answer, const char *store, const hsd_buffer *sql, const hsd_run *run,
                          hsd_error *err);

/* Takes a piece of what an engine prints, for hsd_engine and hsd_psql; `context` is a hsd_answer, whose line the caller
 * releases. */
hsd_status hsd_answer_take(void *context, const char *data, size_t size, hsd_error *err);

/* `count` numbers from field `first` on. HSD_E_CORRUPT. */
hsd_status hsd_answer_numbers(const hsd_answer_line *line, unsigned first, unsigned count, int64_t *numbers,
                              hsd_error *err);

/* A text, in the arena; an x in front of its digits is no part of it. HSD_E_CORRUPT, HSD_E_NOMEM. */
hsd_status hsd_answer_text(const hsd_answer_line *line, unsigned field, hsd_arena *arena, hsd_text *text,
                           hsd_error *err);

/* HSD_E_CORRUPT: the engine said something else than what it was asked. */
hsd_status hsd_answer_fail(hsd_error *err);

#endif

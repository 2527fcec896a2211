/*
 * Growth that is known and accepted. An allowance covers a row of its table when the name matches, its day has not
 * passed and the row's growth in bytes is within it; the first one that does, counts.
 */
#ifndef HSD_CHECK_ALLOW_H
#define HSD_CHECK_ALLOW_H

#include "check/facts.h"

typedef struct hsd_allowed { /* the allowances of a configuration, compiled */
    const hsd_check_config *config;
    hsd_pattern *patterns;
    size_t count; /* of patterns that are compiled */
    int32_t today;
    hsd_buffer scratch, name;
} hsd_allowed;

/* Release it whatever is returned. */
hsd_status hsd_allowed_open(hsd_allowed *allowed, const hsd_check_config *config, int32_t today, hsd_check_store *store,
                            hsd_error *err);
void hsd_allowed_release(hsd_allowed *allowed);

/* The allowance that covers a row which grew by `bytes`; *out is NULL if none does. */
hsd_status hsd_allowed_find(hsd_allowed *allowed, hsd_subject subject, const hsd_fact *fact, int64_t bytes,
                            const hsd_allowance **out, hsd_error *err);

/* Notes about those that have run out, or that match no row. */
hsd_status hsd_allowed_note(hsd_allowed *allowed, const hsd_facts *facts, hsd_check_store *store, hsd_check_list *notes,
                            hsd_error *err);

/* The text of a row that patterns are held against; borrowed from `buffer` for holders. */
hsd_status hsd_fact_text(const hsd_fact *fact, hsd_subject subject, hsd_buffer *buffer, hsd_text *out, hsd_error *err);

/* Does the row have a name that the pattern fits: as the rules know it or, of a holder, as people are told it. What
 * several hold together has the name of each of them; a row of a series that of who holds half of its growth. */
hsd_status hsd_fact_matches(const hsd_fact *fact, hsd_subject subject, const hsd_pattern *pattern, hsd_buffer *name,
                            hsd_buffer *scratch, bool *out, hsd_error *err);

/* The text of a row with a holder as people read it, "app.bus.handlers (Array)", without its type where that does not
 * fit in what is shown of a name. */
hsd_status hsd_fact_place(const hsd_fact *fact, hsd_subject subject, hsd_buffer *buffer, hsd_text *out, hsd_error *err);

#endif

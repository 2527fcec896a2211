/*
 * The first stage of a report, in SQL that DuckDB and PostgreSQL both take: which places may grow, by least squares
 * from sums that merge, and the values of those alone. ask.c writes the statements, report.c reads what comes back:
 *
 *      V id before processes captures judged began service version    a version; texts in hexadecimal digits
 *      W number version kind key single text                          a place or type that may grow there
 *      U key parent                                                   what is above the places among them
 *      P number side process time value                               a value; side 1 = the version, 0 = the one before
 */
#ifndef HSD_FLEET_ASK_H
#define HSD_FLEET_ASK_H

#include "fleet/engine.h"

#define HSD_FLEET_SURVIVORS_MOST 256u
#define HSD_FLEET_NOISE          UINT64_C(65536)

/* What DuckDB and PostgreSQL write differently; all else of the statements is the same text. */
typedef struct hsd_dialect hsd_dialect;
extern const hsd_dialect hsd_dialect_duckdb, hsd_dialect_postgres;

/* The tables of a folder or a bucket as views, for DuckDB. HSD_E_NOMEM. */
hsd_status hsd_fleet_ask_views(hsd_buffer *sql, const hsd_fleet_list *list, hsd_error *err);

/* The questions, to tables captures, rows, names and states; without has_states the latter is known to be empty.
 * HSD_E_NOMEM. */
hsd_status hsd_fleet_ask(hsd_buffer *sql, const hsd_dialect *dialect, const hsd_fleet_report_options *options,
                         bool has_states, hsd_error *err);

#endif

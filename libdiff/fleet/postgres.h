/*
 * A store in a PostgreSQL server, by the user's own psql ($HSDIFF_PSQL, else `psql` from PATH): a schema hsdiff_fleet
 * with the tables of a folder, and `store`, whose row says the version. psql and libpq read what they always read:
 * ~/.pgpass, ~/.pg_service.conf, PGPASSWORD, PGSSLMODE.
 */
#ifndef HSD_FLEET_POSTGRES_H
#define HSD_FLEET_POSTGRES_H

#include "fleet/batch.h"
#include "fleet/child.h"
#include "fleet/store.h"

typedef struct hsd_psql {
    const char *store;
    const hsd_run *run;
    hsd_child_take_fn take; /* gets what it prints, as it comes */
    void *context;
} hsd_psql;

/* Runs statements of ours: fields with a bar between, no header. What asking a store returns; what `take` returned. */
hsd_status hsd_psql_ask(const hsd_psql *psql, const hsd_buffer *sql, hsd_error *err);

/* Runs one statement of the user. HSD_E_UNSUPPORTED: the server refuses it. */
hsd_status hsd_psql_ask_for_user(const hsd_psql *psql, const char *statement, size_t size, hsd_fleet_form form,
                                 hsd_error *err);

/* Appends what every script begins with: whether there is a store, and of this version. HSD_E_NOMEM. */
hsd_status hsd_psql_put_head(hsd_buffer *sql, hsd_error *err);

/* ---- adding ---- */

typedef struct hsd_psql_writer hsd_psql_writer;

/* Connects, makes the store where there is none, and waits for rows. What asking a store returns. */
hsd_status hsd_psql_writer_open(hsd_psql_writer **out, const char *store, const hsd_run *run, hsd_error *err);

/* Sends what a batch holds. HSD_E_IO, HSD_E_NOMEM. */
hsd_status hsd_psql_writer_put(hsd_psql_writer *writer, const hsd_fleet_batch *batch, hsd_error *err);

/* Lets the server take over all that was sent, a transaction each capture, and ends psql. */
hsd_status hsd_psql_writer_finish(hsd_psql_writer *writer, hsd_fleet_added *added, hsd_error *err);

/* Drops what was not finished. NULL is accepted. */
void hsd_psql_writer_close(hsd_psql_writer *writer);

/* ---- compacting ---- */

/* Of days before `keep_ms` rows become states, a transaction each day of a service. */
hsd_status hsd_psql_compact(const char *store, uint64_t keep_ms, const hsd_run *run, hsd_fleet_compacted *done,
                            hsd_error *err);

/* ---- between the files of this module ---- */

/* How psql is started for a store: words and environment, which live as long as this does. */
typedef struct hsd_psql_call {
    hsd_fleet_address address;
    char *password; /* PGPASSWORD=… */
    const char *words[48], *environment[6];
    unsigned word_count;
    hsd_child_words how;
} hsd_psql_call;

/* Further words are put behind with hsd_psql_call_word. Release it also when this failed. */
hsd_status hsd_psql_call_begin(hsd_psql_call *call, const char *store, hsd_error *err);
void hsd_psql_call_word(hsd_psql_call *call, const char *word);
void hsd_psql_call_release(hsd_psql_call *call);

/* What became of it: HSD_OK, or why not, in words. `store` as the user gave it. */
hsd_status hsd_psql_judge(hsd_child *child, const hsd_psql_call *call, const char *store, bool is_of_user,
                          hsd_error *err);

/* Appends text as a field of COPY. HSD_E_NOMEM. */
hsd_status hsd_psql_put_field(hsd_buffer *line, hsd_text text, hsd_error *err);

#define HSD_FLEET_STORE_VERSION_TEXT "1"

/* Queries of the catalog: what a backend remembers of names may be older than the lock that it has got. */
#define HSD_PSQL_HAS_TABLES                                                                                            \
    "EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'hsdiff_fleet' " \
    "AND c.relkind = 'r')"
#define HSD_PSQL_HAS_STORE                                                                                             \
    "EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'hsdiff_fleet' " \
    "AND c.relname = 'store')"

/* Ends with an error of its own where the server is older than 11, or the store is none, or of another version. */
#define HSD_PSQL_CHECK_SERVER                                                                                          \
    " IF current_setting('server_version_num')::int < 110000 THEN RAISE EXCEPTION 'the server has version %, and "     \
    "11 is the oldest that will do', current_setting('server_version') USING ERRCODE = 'HSD04'; END IF;"
#define HSD_PSQL_CHECK_VERSION                                                                                         \
    " IF (SELECT max(version) FROM hsdiff_fleet.store) IS DISTINCT FROM " HSD_FLEET_STORE_VERSION_TEXT                 \
    " THEN RAISE EXCEPTION 'the store has version %', (SELECT max(version) FROM hsdiff_fleet.store) USING ERRCODE = "  \
    "'HSD02'; END IF;"

#endif

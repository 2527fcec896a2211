/*
 * Compacting a database: nothing has to be put together there, so what is done is --keep. Rows of days before become
 * states, and go: a transaction each service and day, which is whole or not at all. A report that runs meanwhile sees
 * one or the other.
 */
#include <inttypes.h>

#include "base/fail.h"
#include "fleet/answer.h"
#include "fleet/postgres.h"

#define VALUE     "CASE WHEN r.kind = 'place' THEN coalesce(r.retained, r.bytes) ELSE r.bytes END"
#define SUM(what) "least(sum(" what "), 9223372036854775807)::bigint"

typedef struct counting {
    int64_t first[2], last[2], partitions;
    unsigned times;
} counting;

static hsd_status take_sizes(void *context, const hsd_answer_line *line, hsd_error *err)
{
    counting *c = context;
    if (line->count == 2 && line->fields[0][0] == 'D') return hsd_answer_numbers(line, 1, 1, &c->partitions, err);
    if (line->count != 3 || line->fields[0][0] != 'B') return hsd_answer_fail(err);
    return hsd_answer_numbers(line, 1, 2, c->times++ == 0 ? c->first : c->last, err);
}

static hsd_status put_sizes(hsd_buffer *sql, hsd_error *err)
{
    return hsd_sql_put(sql, err,
                       "SELECT 'B', (SELECT count(DISTINCT capture) FROM rows), (SELECT "
                       "coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c JOIN pg_namespace n ON "
                       "n.oid = c.relnamespace WHERE n.nspname = 'hsdiff_fleet' AND c.relkind = 'r');\n");
}

/* A day at a time; one who compacts keeps others out, as the lock of a folder does. Names of columns hide none of the
 * variables: those begin with the_. */
static hsd_status put_days(hsd_buffer *sql, uint64_t keep_ms, hsd_error *err)
{
    const uint64_t day_ms = 86400000;
    HSD_TRY(hsd_sql_put(
        sql, err,
        "CREATE TEMP TABLE days AS SELECT DISTINCT service, time / 86400000 AS day FROM captures WHERE time < %" PRIu64
        " AND EXISTS (SELECT 1 FROM rows r WHERE r.capture = captures.capture);\n"
        "DO $hsd$ DECLARE the_service text; the_day bigint; BEGIN\n"
        "IF NOT pg_try_advisory_lock(7598263021187036) THEN RAISE EXCEPTION 'somebody else compacts it' USING ERRCODE "
        "= "
        "'HSD05'; END IF;\n"
        "FOR the_service, the_day IN SELECT service, day FROM days ORDER BY service, day LOOP\n"
        "CREATE TEMP TABLE gone ON COMMIT DROP AS SELECT capture, process, time FROM captures WHERE service = "
        "the_service AND time / 86400000 = the_day AND EXISTS (SELECT 1 FROM rows r WHERE r.capture = "
        "captures.capture);\n",
        keep_ms / day_ms * day_ms));
    HSD_TRY(hsd_sql_put(
        sql, err,
        "INSERT INTO states SELECT process, kind, key, the_day * 86400, count(*), " SUM("t") ", " SUM("v") ", " SUM(
            "t::numeric * v") ", " SUM("t * t") ", min(v), max(v), (array_agg(t ORDER BY moment, capture))[1], "
                                                "(array_agg(t ORDER BY moment DESC, capture DESC))[1], "
                                                "(array_agg(v ORDER BY moment, capture))[1], (array_agg(v ORDER BY "
                                                "moment DESC, capture DESC))[1], min(single) FROM (SELECT g.process, "
                                                "r.kind, r.key, r.single, g.capture, g.time AS moment, g.time %% "
                                                "86400000 / 1000 AS t, " VALUE " AS v FROM gone g JOIN rows r USING "
                                                "(capture) WHERE r.other = 0 AND r.kind <> 'root') a GROUP BY process, "
                                                "kind, key;\n"));
    return hsd_sql_put(sql, err,
                       "DELETE FROM rows WHERE capture IN (SELECT capture FROM gone);\n"
                       "COMMIT;\nEND LOOP;\nPERFORM pg_advisory_unlock(7598263021187036);\nEND $hsd$;\n"
                       "SELECT 'D', count(*) FROM days;\nVACUUM rows;\nVACUUM states;\n");
}

hsd_status hsd_psql_compact(const char *store, uint64_t keep_ms, const hsd_run *run, hsd_fleet_compacted *done,
                            hsd_error *err)
{
    counting c = {.times = 0};
    hsd_answer answer = {.take = take_sizes, .context = &c};
    const hsd_psql psql = {.store = store, .run = run, .take = hsd_answer_take, .context = &answer};
    hsd_buffer sql = {0};
    hsd_status status = hsd_psql_put_head(&sql, err);
    if (status == HSD_OK) status = put_sizes(&sql, err);
    if (status == HSD_OK && keep_ms > 0) status = put_days(&sql, keep_ms, err);
    if (status == HSD_OK) status = put_sizes(&sql, err);
    if (status == HSD_OK) status = hsd_psql_ask(&psql, &sql, err);
    if (status == HSD_OK && c.times != 2) status = hsd_answer_fail(err);
    hsd_buffer_release(&sql);
    hsd_buffer_release(&answer.line);
    HSD_TRY(status);
    *done = (hsd_fleet_compacted){.partitions = (uint64_t)c.partitions,
                                  .batches_before = (uint64_t)c.first[0],
                                  .batches_after = (uint64_t)c.last[0],
                                  .bytes_before = (uint64_t)c.first[1],
                                  .bytes_after = (uint64_t)c.last[1]};
    return HSD_OK;
}

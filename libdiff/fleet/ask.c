/*
 * The statements of a report.
 *
 * A value is what a place retains, and the bytes of a type. Of each process and key these sums are enough for the slope
 * of least squares, and they add: n, the sums of t, v, tv and tt, least and most, first and last moment. Batches that
 * were compacted have them; of others they are made from rows. Moments are seconds from one origin.
 */
#include "fleet/ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

#define VALUE "CASE WHEN r.kind = 'place' THEN coalesce(r.retained, r.bytes) ELSE r.bytes END"

static hsd_text text_of(const char *text) { return (hsd_text){text, strlen(text)}; }

/* ---- views */

/* Batches have rows, or sums that were made of them. */
static hsd_status put_views(hsd_buffer *sql, const hsd_fleet_list *list, hsd_error *err)
{
    bool *with = calloc(list->count + 1, sizeof *with);
    if (with == NULL) return hsd_fail_nomem(err, "a list of batches");
    for (size_t i = 0; i < list->count; i++)
        with[i] = list->batches[i].has_states;
    hsd_status status = hsd_sql_put_view(sql, "captures", HSD_FLEET_CAPTURES, list, NULL, err);
    if (status == HSD_OK) status = hsd_sql_put_view(sql, "rows", HSD_FLEET_ROWS, list, NULL, err);
    if (status == HSD_OK) status = hsd_sql_put_view(sql, "names", HSD_FLEET_NAMES, list, NULL, err);
    if (status == HSD_OK) status = hsd_sql_put_view(sql, "states", HSD_FLEET_STATES, list, with, err);
    free(with);
    return status;
}

/* ---- who there is */

static hsd_status put_captures(hsd_buffer *sql, const hsd_fleet_report_options *options, hsd_error *err)
{
    HSD_TRY(
        hsd_sql_put(sql, err,
                    "CREATE TEMP TABLE c AS SELECT capture, any_value(process) AS process, any_value(service) AS "
                    "service, any_value(version) AS version, any_value(time) AS time FROM captures WHERE time >= %llu",
                    (unsigned long long)(options->since_unix_ns / 1000000u)));
    if (options->service != NULL) {
        HSD_TRY(hsd_sql_put(sql, err, " AND service = "));
        HSD_TRY(hsd_sql_put_literal(sql, text_of(options->service), err));
    }
    return hsd_sql_put(sql, err, " GROUP BY capture;\n");
}

/* Versions in the order in which the middle one of their processes began; p: processes by small numbers. */
static hsd_status put_versions(hsd_buffer *sql, const hsd_fleet_report_options *options, hsd_error *err)
{
    HSD_TRY(hsd_sql_put(
        sql, err,
        "CREATE TEMP TABLE q AS SELECT service, version, process, min(time) AS began, count(DISTINCT time) AS n FROM c "
        "GROUP BY ALL;\n"
        "CREATE TEMP TABLE u AS SELECT row_number() OVER (ORDER BY service, began, version) - 1 AS id, * FROM (SELECT "
        "service, version, count(*) AS processes, sum(n)::BIGINT AS captures, count(*) FILTER (n >= 3) AS judged, "
        "quantile_disc(began, 0.5) AS began FROM q GROUP BY service, version);\n"
        "CREATE TEMP TABLE v AS SELECT id, "));
    if (options->baseline != NULL) {
        HSD_TRY(hsd_sql_put(sql, err, "coalesce(max(CASE WHEN version = "));
        HSD_TRY(hsd_sql_put_literal(sql, text_of(options->baseline), err));
        HSD_TRY(hsd_sql_put(sql, err, " THEN id END) OVER (PARTITION BY service), id)"));
    } else {
        HSD_TRY(hsd_sql_put(sql, err, "coalesce(lag(id) OVER (PARTITION BY service ORDER BY id), id)"));
    }
    HSD_TRY(
        hsd_sql_put(sql, err,
                    " AS before, service, version, processes, captures, judged, began FROM u;\n"
                    "CREATE TEMP TABLE p AS SELECT process, id AS version, row_number() OVER () - 1 AS number FROM q "
                    "JOIN v USING (service, version);\n"));
    return hsd_sql_put(sql, err,
                       "SELECT 'V', id, before, processes, captures, judged, began, hex(encode(service)), "
                       "hex(encode(version)) FROM v ORDER BY id;\n");
}

/* ---- what may grow */

static hsd_status put_sums(hsd_buffer *sql, hsd_error *err)
{
    HSD_TRY(hsd_sql_put(sql, err,
                        "SET VARIABLE origin = (SELECT coalesce(min(time), 0) // 86400000 * 86400 FROM c);\n"
                        "CREATE TEMP TABLE s AS SELECT process, kind, key, sum(n) AS n, sum(st) AS st, sum(sv) "
                        "AS sv, sum(stv) AS stv, sum(stt) AS stt, min(least) AS least, max(most) AS most, "
                        "min(t_first) AS t_first, max(t_last) AS t_last, min(single) AS single FROM (\n"));
    HSD_TRY(
        hsd_sql_put(sql, err,
                    "SELECT process, kind, key, n, st + n * d AS st, sv::DOUBLE AS sv, stv + d * sv::DOUBLE AS stv, "
                    "stt + 2 * d * st + n * d * d AS stt, least, most, t_first + d AS t_first, t_last + d AS t_last, "
                    "single FROM (SELECT process, kind, key, n::DOUBLE AS n, st::DOUBLE AS st, sv, stv::DOUBLE AS stv, "
                    "stt::DOUBLE AS stt, least, most, t_first, t_last, single, (origin - "
                    "getvariable('origin'))::DOUBLE AS d FROM states)\nUNION ALL BY NAME\n"));
    return hsd_sql_put(
        sql, err,
        "SELECT process, kind, key, count(*)::DOUBLE AS n, sum(t) AS st, sum(v) AS sv, sum(t * v) AS stv, "
        "sum(t * t) AS stt, min(v)::BIGINT AS least, max(v)::BIGINT AS most, min(t) AS t_first, max(t) AS "
        "t_last, min(single) AS single FROM (SELECT c.process, r.kind, r.key, r.single, (c.time // 1000 - "
        "getvariable('origin'))::DOUBLE AS t, (" VALUE ")::DOUBLE AS v FROM rows r JOIN c USING (capture) "
        "WHERE r.other = 0 AND r.kind <> 'root') GROUP BY ALL\n) GROUP BY process, kind, key;\n");
}

/* A process grows there if its line rises by more than noise, and by half of what lies between its least and its most.
 */
static hsd_status put_screen(hsd_buffer *sql, const hsd_fleet_report_options *options, hsd_error *err)
{
    const uint64_t noise = options->noise_bytes > 0 ? options->noise_bytes : HSD_FLEET_NOISE;
    HSD_TRY(hsd_sql_put(
        sql, err,
        "CREATE TEMP TABLE g AS SELECT version, kind, key, min(single) AS single, count(*) FILTER (grows) AS growers, "
        "sum(slope) FILTER (grows) AS total FROM (SELECT p.version, s.*, (n * stv - st * sv) / nullif(n * stt - st * "
        "st, 0) "
        "AS slope, n >= 3 AND slope * (t_last - t_first) > %llu AND slope * (t_last - t_first) * 2 >= most - least AS "
        "grows "
        "FROM s JOIN p USING (process)) GROUP BY ALL HAVING growers > 0;\n",
        (unsigned long long)noise));
    HSD_TRY(hsd_sql_put(
        sql, err,
        "CREATE TEMP TABLE w AS SELECT row_number() OVER (ORDER BY total DESC, version, kind, key) - 1 AS "
        "number, * FROM (SELECT g.version, g.kind, g.key, g.single, g.total, v.before FROM g JOIN v ON g.version "
        "= v.id JOIN v b ON b.id = v.before LEFT JOIN g h ON h.version = b.id AND h.kind = g.kind AND h.key = "
        "g.key WHERE g.growers * 2 > v.judged AND (b.id = v.id OR coalesce(h.growers, 0) * 2 <= b.judged)"));
    if (options->version != NULL) {
        HSD_TRY(hsd_sql_put(sql, err, " AND v.version = "));
        HSD_TRY(hsd_sql_put_literal(sql, text_of(options->version), err));
    }
    return hsd_sql_put(sql, err, " ORDER BY g.total DESC, g.version, g.kind, g.key LIMIT %u);\n",
                       HSD_FLEET_SURVIVORS_MOST);
}

/* ---- the survivors, with all their values */

static hsd_status put_survivors(hsd_buffer *sql, hsd_error *err)
{
    HSD_TRY(hsd_sql_put(
        sql, err,
        "CREATE TEMP TABLE m AS SELECT key, kind, min(text) AS text, min(parent) AS parent FROM names GROUP "
        "BY key, kind;\n"
        "SELECT 'W', number, version, w.kind, w.key, w.single, hex(encode(coalesce(m.text, ''))) FROM w LEFT "
        "JOIN m ON m.key = w.key AND m.kind = w.kind ORDER BY number;\n"));
    HSD_TRY(hsd_sql_put(
        sql, err,
        "WITH RECURSIVE up(key, parent) AS (SELECT m.key, m.parent FROM m JOIN w ON m.key = w.key AND "
        "m.kind = w.kind WHERE m.kind = 'place' AND m.parent IS NOT NULL UNION SELECT m.key, m.parent FROM m "
        "JOIN up ON m.key = up.parent WHERE m.kind = 'place' AND m.parent IS NOT NULL) SELECT 'U', key, parent "
        "FROM up ORDER BY key;\n"));
    /* of days whose rows went there are the first value, the mean at the mean moment, and the last */
    return hsd_sql_put(
        sql, err,
        "SELECT 'P', w.number, (p.version = w.version)::INT, p.number, x.time, max(x.v) FROM w JOIN p ON p.version = "
        "w.version OR "
        "p.version = w.before JOIN (SELECT c.process, r.kind, r.key, c.time, " VALUE
        " AS v FROM rows r JOIN c USING (capture) "
        "WHERE r.key IN (SELECT key FROM w) UNION ALL SELECT process, kind, key, (origin + t_first) * 1000, first FROM "
        "states "
        "WHERE key IN (SELECT key FROM w) UNION ALL SELECT process, kind, key, (origin + st // n) * 1000, sv // n FROM "
        "states WHERE n > 2 AND key IN "
        "(SELECT key FROM w) UNION ALL SELECT process, kind, key, (origin + t_last) * 1000, last FROM states WHERE "
        "key IN (SELECT key FROM w)) x ON x.process = p.process AND x.kind = w.kind AND x.key = w.key GROUP BY ALL "
        "ORDER BY "
        "ALL;\n");
}

hsd_status hsd_fleet_ask(hsd_buffer *sql, const hsd_fleet_list *list, const hsd_fleet_report_options *options,
                         const hsd_run *run, hsd_error *err)
{
    HSD_TRY(hsd_sql_put_settings(sql, run, err));
    HSD_TRY(put_views(sql, list, err));
    HSD_TRY(put_captures(sql, options, err));
    HSD_TRY(put_versions(sql, options, err));
    HSD_TRY(put_sums(sql, err));
    HSD_TRY(put_screen(sql, options, err));
    return put_survivors(sql, err);
}

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

/* What the two engines write differently. */
struct hsd_dialect {
    const char *hex, *hex_end; /* around a text: its digits */
    const char *over;          /* division of integers that are not negative */
    const char *set_origin, *origin;
    bool has_planner; /* that wants to look at tables once they are filled */
};

const hsd_dialect hsd_dialect_duckdb = {
    .hex = "hex(encode(",
    .hex_end = "))",
    .over = "//",
    .set_origin = "SET VARIABLE origin = (SELECT coalesce(min(time), 0) // 86400000 * 86400 FROM c);\n",
    .origin = "getvariable('origin')",
};

const hsd_dialect hsd_dialect_postgres = {
    .hex = "upper(encode(convert_to(",
    .hex_end = ", 'UTF8'), 'hex'))",
    .over = "/",
    .set_origin = "CREATE TEMP TABLE o AS SELECT coalesce(min(time), 0) / 86400000 * 86400 AS origin FROM c;\n",
    .origin = "(SELECT origin FROM o)",
    .has_planner = true,
};

static hsd_status look_at(hsd_buffer *sql, const hsd_dialect *d, const char *tables, hsd_error *err)
{
    return d->has_planner ? hsd_sql_put(sql, err, "ANALYZE %s;\n", tables) : HSD_OK;
}

#define VALUE "CASE WHEN r.kind = 'place' THEN coalesce(r.retained, r.bytes) ELSE r.bytes END"

static hsd_text text_of(const char *text) { return (hsd_text){text, strlen(text)}; }

/* ---- views */

/* Batches have rows, or sums that were made of them. */
hsd_status hsd_fleet_ask_views(hsd_buffer *sql, const hsd_fleet_list *list, hsd_error *err)
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

static hsd_status put_captures(hsd_buffer *sql, const hsd_dialect *d, const hsd_fleet_report_options *options,
                               hsd_error *err)
{
    HSD_TRY(hsd_sql_put(sql, err,
                        "CREATE TEMP TABLE c AS SELECT capture, min(process) AS process, min(service) AS service, "
                        "min(version) AS version, min(time) AS time FROM captures WHERE time >= %llu",
                        (unsigned long long)(options->since_unix_ns / 1000000u)));
    if (options->service != NULL) {
        HSD_TRY(hsd_sql_put(sql, err, " AND service = "));
        HSD_TRY(hsd_sql_put_literal(sql, text_of(options->service), err));
    }
    HSD_TRY(hsd_sql_put(sql, err, " GROUP BY capture;\n%s", d->set_origin));
    return look_at(sql, d, "c", err);
}

/* Versions in the order in which the middle one of their processes began; p: processes by small numbers. */
static hsd_status put_versions(hsd_buffer *sql, const hsd_dialect *d, const hsd_fleet_report_options *options,
                               hsd_error *err)
{
    HSD_TRY(hsd_sql_put(
        sql, err,
        "CREATE TEMP TABLE q AS SELECT service, version, process, min(time) AS began, count(DISTINCT time) AS n FROM c "
        "GROUP BY service, version, process;\n"
        "CREATE TEMP TABLE u AS SELECT row_number() OVER (ORDER BY service, began, version) - 1 AS id, x.* FROM "
        "(SELECT service, version, count(*) AS processes, sum(n)::BIGINT AS captures, count(*) FILTER (WHERE n >= 3) "
        "AS judged, percentile_disc(0.5) WITHIN GROUP (ORDER BY began) AS began FROM q GROUP BY service, version) x;\n"
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
    HSD_TRY(look_at(sql, d, "v, p", err));
    return hsd_sql_put(sql, err,
                       "SELECT 'V', id, before, processes, captures, judged, began, %sservice%s, "
                       "%sversion%s FROM v ORDER BY id;\n",
                       d->hex, d->hex_end, d->hex, d->hex_end);
}

/* ---- what may grow */

/* k: captures by small numbers of their processes, and their moments: what is grouped by is to be short. */
static hsd_status put_moments(hsd_buffer *sql, const hsd_dialect *d, hsd_error *err)
{
    HSD_TRY(hsd_sql_put(sql, err,
                        "CREATE TEMP TABLE k AS SELECT c.capture, p.number, (c.time %s 1000 - %s)::FLOAT8 AS t FROM c "
                        "JOIN p USING (process);\n",
                        d->over, d->origin));
    return look_at(sql, d, "k", err);
}

/* Sums of each process and key, as a query. */
static hsd_status put_sums_of_rows(hsd_buffer *sql, hsd_error *err)
{
    return hsd_sql_put(sql, err,
                       "SELECT number, is_place, key, count(*)::FLOAT8 AS n, sum(t) AS st, sum(v) AS sv, sum(t * v) AS "
                       "stv, sum(t * t) AS stt, min(v) AS least, max(v) AS most, min(t) AS t_first, max(t) AS t_last, "
                       "min(single) AS single FROM (SELECT k.number, r.kind = 'place' AS is_place, r.key, r.single, "
                       "k.t, (" VALUE ")::FLOAT8 AS v FROM rows r JOIN k USING (capture) WHERE r.other = 0 AND r.kind "
                       "<> 'root') b GROUP BY number, is_place, key");
}

static hsd_status put_sums(hsd_buffer *sql, const hsd_dialect *d, bool has_states, hsd_error *err)
{
    if (!has_states) return put_sums_of_rows(sql, err);
    HSD_TRY(hsd_sql_put(sql, err,
                        "SELECT number, is_place, key, sum(n) AS n, sum(st) AS st, sum(sv) AS sv, sum(stv) AS stv, "
                        "sum(stt) AS stt, min(least) AS least, max(most) AS most, min(t_first) AS t_first, max(t_last) "
                        "AS t_last, min(single) AS single FROM (\n"));
    HSD_TRY(hsd_sql_put(
        sql, err,
        "SELECT number, is_place, key, n, st + n * d AS st, sv, stv + d * sv AS stv, stt + 2 * d * st + n * d * d AS "
        "stt, least, most, t_first + d AS t_first, t_last + d AS t_last, single FROM (SELECT p.number, z.kind = "
        "'place' AS is_place, z.key, z.n::FLOAT8 AS n, z.st::FLOAT8 AS st, z.sv::FLOAT8 AS sv, z.stv::FLOAT8 AS stv, "
        "z.stt::FLOAT8 AS stt, z.least::FLOAT8 AS least, z.most::FLOAT8 AS most, z.t_first::FLOAT8 AS t_first, "
        "z.t_last::FLOAT8 AS t_last, z.single, (z.origin - %s)::FLOAT8 AS d FROM states z JOIN p USING (process)) "
        "a\nUNION ALL\n",
        d->origin));
    HSD_TRY(put_sums_of_rows(sql, err));
    return hsd_sql_put(sql, err, "\n) x GROUP BY number, is_place, key");
}

/* A process grows there if its line rises by more than noise, and by half of what lies between its least and its most.
 * The sums themselves are kept nowhere: there are as many as processes times places. */
static hsd_status put_growers(hsd_buffer *sql, const hsd_dialect *d, const hsd_fleet_report_options *options,
                              bool has_states, hsd_error *err)
{
    const uint64_t noise = options->noise_bytes > 0 ? options->noise_bytes : HSD_FLEET_NOISE;
    HSD_TRY(hsd_sql_put(
        sql, err,
        "CREATE TEMP TABLE g AS SELECT version, CASE WHEN is_place THEN 'place' ELSE 'type' END AS kind, key, "
        "min(single) AS single, count(*) FILTER (WHERE grows) AS growers, sum(slope) FILTER (WHERE grows) AS total "
        "FROM "
        "(SELECT *, n >= 3 AND slope * (t_last - t_first) > %llu AND slope * (t_last - t_first) * 2 >= most - least AS "
        "grows FROM (SELECT p.version, s.*, (n * stv - st * sv) / nullif(n * stt - st * st, 0) AS slope FROM (\n",
        (unsigned long long)noise));
    HSD_TRY(put_sums(sql, d, has_states, err));
    return hsd_sql_put(
        sql, err,
        "\n) s JOIN p USING (number)) e) f GROUP BY version, is_place, key HAVING count(*) FILTER (WHERE "
        "grows) > 0;\n");
}

static hsd_status put_screen(hsd_buffer *sql, const hsd_dialect *d, const hsd_fleet_report_options *options,
                             bool has_states, hsd_error *err)
{
    HSD_TRY(put_growers(sql, d, options, has_states, err));
    HSD_TRY(look_at(sql, d, "g", err));
    HSD_TRY(hsd_sql_put(
        sql, err,
        "CREATE TEMP TABLE w AS SELECT row_number() OVER (ORDER BY total DESC, version, kind, key) - 1 AS "
        "number, x.* FROM (SELECT g.version, g.kind, g.key, g.single, g.total, v.before FROM g JOIN v ON g.version "
        "= v.id JOIN v b ON b.id = v.before LEFT JOIN g h ON h.version = b.id AND h.kind = g.kind AND h.key = "
        "g.key WHERE g.growers * 2 > v.judged AND (b.id = v.id OR coalesce(h.growers, 0) * 2 <= b.judged)"));
    if (options->version != NULL) {
        HSD_TRY(hsd_sql_put(sql, err, " AND v.version = "));
        HSD_TRY(hsd_sql_put_literal(sql, text_of(options->version), err));
    }
    HSD_TRY(hsd_sql_put(sql, err, " ORDER BY g.total DESC, g.version, g.kind, g.key LIMIT %u) x;\n",
                        HSD_FLEET_SURVIVORS_MOST));
    return look_at(sql, d, "w", err);
}

/* ---- the survivors, with all their values */

static hsd_status put_survivors(hsd_buffer *sql, const hsd_dialect *d, hsd_error *err)
{
    HSD_TRY(hsd_sql_put(sql, err,
                        "CREATE TEMP TABLE m AS SELECT key, kind, min(text) AS text, min(parent) AS parent FROM names "
                        "GROUP BY key, kind;\n"));
    HSD_TRY(look_at(sql, d, "m", err));
    HSD_TRY(hsd_sql_put(sql, err,
                        "SELECT 'W', number, version, w.kind, w.key, w.single, %scoalesce(m.text, '')%s FROM w LEFT "
                        "JOIN m ON m.key = w.key AND m.kind = w.kind ORDER BY number;\n",
                        d->hex, d->hex_end));
    HSD_TRY(hsd_sql_put(
        sql, err,
        "WITH RECURSIVE up(key, parent) AS (SELECT m.key, m.parent FROM m JOIN w ON m.key = w.key AND "
        "m.kind = w.kind WHERE m.kind = 'place' AND m.parent IS NOT NULL UNION SELECT m.key, m.parent FROM m "
        "JOIN up ON m.key = up.parent WHERE m.kind = 'place' AND m.parent IS NOT NULL) SELECT 'U', key, parent "
        "FROM up ORDER BY key;\n"));
    /* of days whose rows went there are the first value, the mean at the mean moment, and the last */
    return hsd_sql_put(
        sql, err,
        "SELECT 'P', w.number, (p.version = w.version)::INT AS side, p.number, x.time, max(x.v) FROM w JOIN p ON "
        "p.version = w.version OR p.version = w.before JOIN (SELECT c.process, r.kind, r.key, c.time, " VALUE
        " AS v FROM rows r JOIN c USING (capture) WHERE r.key IN (SELECT key FROM w) UNION ALL SELECT process, kind, "
        "key, (origin + t_first) * 1000, first FROM states WHERE key IN (SELECT key FROM w) UNION ALL SELECT process, "
        "kind, key, (origin + st %s n) * 1000, sv %s n FROM states WHERE n > 2 AND key IN (SELECT key FROM w) UNION "
        "ALL SELECT process, kind, key, (origin + t_last) * 1000, last FROM states WHERE key IN (SELECT key FROM w)) x "
        "ON x.process = p.process AND x.kind = w.kind AND x.key = w.key GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, "
        "5;\n",
        d->over, d->over);
}

/* ---- the whole */

hsd_status hsd_fleet_ask(hsd_buffer *sql, const hsd_dialect *dialect, const hsd_fleet_report_options *options,
                         bool has_states, hsd_error *err)
{
    HSD_TRY(put_captures(sql, dialect, options, err));
    HSD_TRY(put_versions(sql, dialect, options, err));
    HSD_TRY(put_moments(sql, dialect, err));
    HSD_TRY(put_screen(sql, dialect, options, has_states, err));
    return put_survivors(sql, dialect, err);
}

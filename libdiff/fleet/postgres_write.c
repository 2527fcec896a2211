/*
 * Adding to a database. psql runs a script that stands in its command line and cannot be changed any more, and copies
 * what comes through its pipe into a temporary table; the last words of the script take that over, capture by capture:
 *
 *      batches ──lines──► COPY hsdiff_in ──end──► names, all at once; then captures with their rows, a transaction each
 *
 * A capture that the store has already is left out whole. So whoever adds twice, or is ended in between and begins
 * anew, adds once; and who feeds the pipe can put in rows, but no statement.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "export/tables/inserter.h"
#include "fleet/answer.h"
#include "fleet/postgres.h"

#define PIECE_BYTES ((size_t)65536)

#define CREATE "; CREATE TABLE hsdiff_fleet."
#define NUMBER " bigint NOT NULL, "
#define TEXT   " text COLLATE \"C\" NOT NULL, "
#define MAYBE  " text COLLATE \"C\", "

/* Columns as of the files of a folder. */
static const char make_tables[] =
    " CREATE SCHEMA IF NOT EXISTS hsdiff_fleet" CREATE "captures (capture bigint PRIMARY KEY, time" NUMBER
    "process" NUMBER "service" TEXT "version" TEXT "host" TEXT "pod" TEXT "pid bigint, uptime bigint, runtime" TEXT
    "domain" MAYBE "complete" NUMBER "places" NUMBER "live" NUMBER "live_objects" NUMBER "unreached" NUMBER
    "digest" MAYBE "labels text COLLATE \"C\" NOT NULL)" CREATE "rows (capture" NUMBER "kind" TEXT "key" NUMBER
    "objects" NUMBER "bytes" NUMBER "retained bigint, single" NUMBER "other" NUMBER
    "PRIMARY KEY (capture, kind, key)); CREATE INDEX rows_key ON hsdiff_fleet.rows (key)" CREATE "names (key" NUMBER
    "kind" TEXT "text" TEXT "parent bigint, edge" MAYBE "type" TEXT "PRIMARY KEY (kind, key))" CREATE
    "states (process" NUMBER "kind" TEXT "key" NUMBER "origin" NUMBER "n" NUMBER "st" NUMBER "sv" NUMBER "stv" NUMBER
    "stt" NUMBER "least" NUMBER "most" NUMBER "t_first" NUMBER "t_last" NUMBER "first" NUMBER "last" NUMBER
    "single bigint NOT NULL); CREATE INDEX states_key ON hsdiff_fleet.states (key)" CREATE
    "store (version int NOT NULL); INSERT INTO hsdiff_fleet.store VALUES (" HSD_FLEET_STORE_VERSION_TEXT ");";

/* Who makes a store has a lock meanwhile: others wait, and find it. */
static const char before_tables[] =
    "DO $hsd$ BEGIN SET LOCAL client_min_messages = error;" HSD_PSQL_CHECK_SERVER " IF NOT " HSD_PSQL_HAS_STORE
    " THEN PERFORM pg_advisory_xact_lock(7598263021187035); IF NOT " HSD_PSQL_HAS_STORE " THEN IF " HSD_PSQL_HAS_TABLES
    " THEN RAISE EXCEPTION 'it has tables, and no table store' USING ERRCODE = 'HSD01'; END IF;";
static const char behind_tables[] = " END IF; END IF;" HSD_PSQL_CHECK_VERSION " END $hsd$";

/* a to h are numbers, u to z and s, t texts; which column each is differs from tag to tag. */
static const char *const script[] = {
    "SET statement_timeout = 0",
    "CREATE TEMP TABLE hsdiff_in (tag \"char\", a bigint, b bigint, c bigint, d bigint, e bigint, f bigint, g bigint, "
    "h "
    "bigint, i bigint, j bigint, s text, t text, u text, v text, w text, x text, y text, z text)",
    "COPY hsdiff_in FROM STDIN",
    "CREATE INDEX ON hsdiff_in (tag, a)",
    "ANALYZE hsdiff_in",
    "CREATE TEMP TABLE hsdiff_out (captures bigint, rows bigint, known bigint)",
    /* in one order everywhere: two writers never wait for each other */
    "INSERT INTO hsdiff_fleet.names SELECT DISTINCT ON (s, a) a, s, t, b, u, v FROM hsdiff_in WHERE tag = 'N' ORDER BY "
    "s, a ON CONFLICT DO NOTHING",
    "DO $hsd$ DECLARE one bigint; taken bigint; BEGIN"
    " FOR one IN SELECT DISTINCT a FROM hsdiff_in WHERE tag = 'C' ORDER BY a LOOP"
    " INSERT INTO hsdiff_fleet.captures SELECT a, b, c, s, t, u, v, d, e, w, x, f, g, h, i, j, y, z FROM hsdiff_in "
    "WHERE tag = 'C' AND a = one LIMIT 1 ON CONFLICT DO NOTHING;"
    " IF FOUND THEN"
    " INSERT INTO hsdiff_fleet.rows SELECT a, s, b, c, d, e, f, g FROM hsdiff_in WHERE tag = 'R' AND a = one ON "
    "CONFLICT DO NOTHING;"
    " GET DIAGNOSTICS taken = ROW_COUNT;"
    " INSERT INTO hsdiff_out VALUES (1, taken, 0);"
    " ELSE INSERT INTO hsdiff_out VALUES (0, 0, 1); END IF;"
    " COMMIT; END LOOP; END $hsd$",
    "SELECT 'A', coalesce(sum(captures), 0), coalesce(sum(rows), 0), coalesce(sum(known), 0) FROM hsdiff_out",
};

struct hsd_psql_writer {
    char *store;
    const hsd_run *run;
    hsd_psql_call call;
    hsd_child child;
    hsd_buffer lines, text;
    uint64_t bytes;
    int64_t told[3]; /* captures, rows, known */
    bool is_told;
};

static hsd_status take_count(void *context, const hsd_answer_line *line, hsd_error *err)
{
    hsd_psql_writer *writer = context;
    if (line->count != 4 || line->fields[0][0] != 'A') return hsd_answer_fail(err);
    writer->is_told = true;
    return hsd_answer_numbers(line, 1, 3, writer->told, err);
}

hsd_status hsd_psql_writer_open(hsd_psql_writer **out, const char *store, const hsd_run *run, hsd_error *err)
{
    hsd_psql_writer *writer = calloc(1, sizeof *writer);
    *out = writer;
    if (writer != NULL) writer->store = strdup(store);
    if (writer == NULL || writer->store == NULL) return hsd_fail_nomem(err, "a fleet store");
    writer->run = run;
    HSD_TRY(hsd_psql_call_begin(&writer->call, store, err));
    static const char *const words[] = {"-A", "-t", "-F", "|"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hsd_psql_call_word(&writer->call, words[i]);
    HSD_TRY(hsd_sql_put(&writer->text, err, "%s%s%s", before_tables, make_tables, behind_tables));
    hsd_psql_call_word(&writer->call, "-c");
    hsd_psql_call_word(&writer->call, (const char *)writer->text.data);
    for (size_t i = 0; i < sizeof script / sizeof script[0]; i++) {
        hsd_psql_call_word(&writer->call, "-c");
        hsd_psql_call_word(&writer->call, script[i]);
    }
    return hsd_child_start(&writer->child, &writer->call.how, -1, err);
}

void hsd_psql_writer_close(hsd_psql_writer *writer)
{
    if (writer == NULL) return;
    hsd_child_kill(&writer->child);
    hsd_psql_call_release(&writer->call);
    hsd_buffer_release(&writer->lines);
    hsd_buffer_release(&writer->text);
    free(writer->store);
    free(writer);
}

/* ---- what psql says in the end */

static hsd_status take_nothing(void *context, const char *data, size_t size, hsd_error *err)
{
    (void)context, (void)data, (void)size, (void)err;
    return HSD_OK;
}

/* It has closed the pipe, or does not listen: why, as it says. */
static hsd_status fail_broken(hsd_psql_writer *writer, hsd_error *err)
{
    HSD_TRY(hsd_child_listen(&writer->child, writer->run, "adding to the fleet", take_nothing, NULL, err));
    HSD_TRY(hsd_psql_judge(&writer->child, &writer->call, writer->store, false, err));
    return hsd_fail(err, HSD_E_IO, "psql ended before it had all rows");
}

static hsd_status send_lines(hsd_psql_writer *writer, hsd_error *err)
{
    writer->bytes += writer->lines.size;
    const hsd_status status = hsd_child_write(&writer->child, writer->lines.data, writer->lines.size, err);
    hsd_buffer_clear(&writer->lines);
    return status == HSD_OK ? HSD_OK : fail_broken(writer, err);
}

hsd_status hsd_psql_writer_finish(hsd_psql_writer *writer, hsd_fleet_added *added, hsd_error *err)
{
    hsd_answer answer = {.take = take_count, .context = writer};
    HSD_TRY(send_lines(writer, err));
    hsd_status status =
        hsd_child_listen(&writer->child, writer->run, "adding to the fleet", hsd_answer_take, &answer, err);
    hsd_buffer_release(&answer.line);
    if (status == HSD_OK) status = hsd_psql_judge(&writer->child, &writer->call, writer->store, false, err);
    if (status == HSD_OK && !writer->is_told) status = hsd_answer_fail(err);
    HSD_TRY(status);
    added->captures += (uint64_t)writer->told[0];
    added->rows += (uint64_t)writer->told[1];
    added->known += (uint64_t)writer->told[2];
    if (writer->told[0] > 0) added->bytes += writer->bytes;
    return HSD_OK;
}

/* ---- lines */

/* As text stands in the tables of a folder: what is no UTF-8 has \xNN for each such byte. */
hsd_status hsd_psql_put_field(hsd_buffer *line, hsd_text text, hsd_error *err)
{
    const bool is_text = hsd_is_text(text.data, text.size);
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];
        char code[8];
        if (!is_text && (c == 0 || (unsigned char)c >= 0x80)) {
            snprintf(code, sizeof code, "\\\\x%02x", (unsigned char)c);
            HSD_TRY(hsd_buffer_append(line, code, strlen(code), err));
        } else if (c == '\\') {
            HSD_TRY(hsd_buffer_append(line, "\\\\", 2, err));
        } else if (c == '\t' || c == '\n' || c == '\r') {
            HSD_TRY(hsd_buffer_append(line, c == '\t' ? "\\t" : c == '\n' ? "\\n" : "\\r", 2, err));
        } else {
            HSD_TRY(hsd_buffer_append(line, &c, 1, err));
        }
    }
    return HSD_OK;
}

typedef struct fields {
    hsd_psql_writer *writer;
    unsigned numbers, texts;
    hsd_status status;
    hsd_error *err;
} fields;

static void put_bytes(fields *f, const char *data, size_t size)
{
    if (f->status == HSD_OK) f->status = hsd_buffer_append(&f->writer->lines, data, size, f->err);
}

static void begin_line(fields *f, char tag)
{
    f->numbers = f->texts = 0;
    put_bytes(f, &tag, 1);
}

static void put_number(fields *f, uint64_t number)
{
    char digits[32];
    snprintf(digits, sizeof digits, "\t%" PRId64, (int64_t)number);
    put_bytes(f, digits, strlen(digits));
    f->numbers++;
}

static void put_null(fields *f, bool is_number)
{
    put_bytes(f, "\t\\N", 3);
    *(is_number ? &f->numbers : &f->texts) += 1;
}

static void put_number_or_null(fields *f, uint64_t number, bool is_known)
{
    if (is_known)
        put_number(f, number);
    else
        put_null(f, true);
}

/* Numbers stand before texts. */
static void put_field_text(fields *f, hsd_text text)
{
    while (f->numbers < 10)
        put_null(f, true);
    put_bytes(f, "\t", 1);
    if (f->status == HSD_OK) f->status = hsd_psql_put_field(&f->writer->lines, text, f->err);
    f->texts++;
}

static void put_text_or_null(fields *f, hsd_text text)
{
    while (f->numbers < 10)
        put_null(f, true);
    if (text.size > 0)
        put_field_text(f, text);
    else
        put_null(f, false);
}

static hsd_status end_line(fields *f)
{
    while (f->numbers < 10)
        put_null(f, true);
    while (f->texts < 8)
        put_null(f, false);
    put_bytes(f, "\n", 1);
    if (f->status == HSD_OK && f->writer->lines.size >= PIECE_BYTES) f->status = send_lines(f->writer, f->err);
    return f->status;
}

static hsd_text kind_text(unsigned kind)
{
    const char *name = hsd_fleet_kind_name((hsd_fleet_kind)kind);
    return (hsd_text){name, strlen(name)};
}

static hsd_status put_capture_line(fields *f, const hsd_fleet_capture *c)
{
    begin_line(f, 'C');
    put_number(f, c->id);
    put_number(f, c->time_ms);
    put_number(f, c->process);
    put_number_or_null(f, c->pid, c->pid != 0);
    put_number_or_null(f, c->uptime_ms, c->uptime_ms != 0);
    put_number(f, c->is_complete);
    put_number(f, c->has_places);
    put_number(f, c->live.bytes);
    put_number(f, c->live.objects);
    put_number(f, c->unreached.bytes);
    const hsd_text texts[] = {c->service, c->version, c->host, c->pod, c->runtime};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        put_field_text(f, texts[i]);
    put_text_or_null(f, c->domain);
    put_text_or_null(f, c->digest);
    put_field_text(f, c->labels);
    return end_line(f);
}

static hsd_status put_row_line(fields *f, const hsd_fleet_batch *batch, const hsd_fleet_row *row)
{
    begin_line(f, 'R');
    put_number(f, batch->captures[row->capture].id);
    put_number(f, row->key);
    put_number(f, row->objects);
    put_number(f, row->bytes);
    put_number_or_null(f, row->retained, row->has_retained && row->retained != row->bytes);
    put_number(f, row->is_single);
    put_number(f, row->other);
    put_field_text(f, kind_text(row->kind));
    return end_line(f);
}

static hsd_status put_name_line(fields *f, const hsd_fleet_name *name)
{
    begin_line(f, 'N');
    put_number(f, name->key);
    put_number_or_null(f, name->parent, name->parent != 0);
    put_field_text(f, kind_text(name->kind));
    put_field_text(f, name->text);
    put_text_or_null(f, name->edge);
    put_field_text(f, name->type);
    return end_line(f);
}

hsd_status hsd_psql_writer_put(hsd_psql_writer *writer, const hsd_fleet_batch *batch, hsd_error *err)
{
    fields f = {.writer = writer, .err = err};
    for (uint32_t i = 0; i < batch->capture_count; i++)
        HSD_TRY(put_capture_line(&f, &batch->captures[i]));
    for (uint32_t i = 0; i < batch->name_count; i++)
        HSD_TRY(put_name_line(&f, &batch->names[i]));
    for (uint32_t i = 0; i < batch->row_count; i++)
        HSD_TRY(put_row_line(&f, batch, &batch->rows[i]));
    return HSD_OK;
}

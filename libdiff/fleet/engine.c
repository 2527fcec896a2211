/*
 * Running DuckDB's command.
 */
#define _GNU_SOURCE /* memfd_create */
#include "fleet/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "fleet/child.h"
#include "fleet/store.h"

static const hsd_program duckdb = {
    .called = "DuckDB's command",
    .name = "duckdb",
    .variable = "HSDIFF_DUCKDB",
    .hint = "get it with pip install duckdb-cli, or say where it is with HSDIFF_DUCKDB=/path/to/duckdb",
};

static hsd_status write_question(int *fd, const hsd_buffer *sql, hsd_error *err)
{
    *fd = memfd_create("hsdiff-sql", MFD_CLOEXEC);
    if (*fd < 0) return hsd_fail_errno(err, errno, "cannot ask DuckDB");
    for (size_t at = 0; at < sql->size;) {
        const ssize_t got = write(*fd, sql->data + at, sql->size - at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return hsd_fail_errno(err, errno, "cannot ask DuckDB");
        at += (size_t)got;
    }
    return lseek(*fd, 0, SEEK_SET) == 0 ? HSD_OK : hsd_fail_errno(err, errno, "cannot ask DuckDB");
}

/* ---- the end */

static const char *said_by(hsd_child *child, bool is_of_user)
{
    static const char *const secrets[] = {"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID"};
    const char *said = child->said;
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++)
        hsd_child_hide(child, getenv(secrets[i]));
    said += strspn(said, " ");
    char *statement = strstr(child->said, " LINE 1: "); /* ours, which says nothing to a reader */
    if (statement != NULL && !is_of_user) *statement = '\0';
    if (strlen(said) > 400) child->said[said - child->said + 400] = '\0';
    return said[0] != '\0' ? said : "it ended without a word";
}

/* A bucket: what the network and its owner refuse is told apart from what is wrong with the store. */
static hsd_status fail_bucket(const char *said, hsd_error *err)
{
    if (strstr(said, "403") != NULL || strstr(said, "401") != NULL) {
        hsd_fail(err, HSD_E_IO, "the bucket refuses: %s", said);
        hsd_error_set_hint(
            err, "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION say who asks, or a secret that DuckDB keeps");
        return HSD_E_IO;
    }
    if (strstr(said, "INSTALL") != NULL || strstr(said, "duckdb_extension") != NULL) {
        hsd_fail(err, HSD_E_NOT_FOUND, "DuckDB cannot load its extension httpfs, which reads buckets: %s", said);
        hsd_error_set_hint(err, "duckdb -c 'INSTALL httpfs' gets it, once for each version of DuckDB");
        return HSD_E_NOT_FOUND;
    }
    if (strstr(said, "NoSuchBucket") != NULL)
        return hsd_fail(err, HSD_E_NOT_FOUND, "there is no such bucket: %s", said);
    if (strstr(said, "onnect") != NULL || strstr(said, "IO Error") != NULL || strstr(said, "HTTP") != NULL) {
        hsd_fail(err, HSD_E_IO, "the bucket cannot be reached: %s", said);
        hsd_error_set_hint(err, "AWS_ENDPOINT_URL names the server, if it is not Amazon's");
        return HSD_E_IO;
    }
    return HSD_OK;
}

/* HSD_OK if what it says is not of what it had to work with. */
static hsd_status fail_means(const char *said, hsd_error *err)
{
    hsd_status status = HSD_OK;
    if (strstr(said, HSD_ENGINE_FOLDER) != NULL) {
        status = hsd_fail(err, HSD_E_IO, "DuckDB has no room for temporary files: %s", said);
        hsd_error_set_hint(err, "name a folder with more room with --temp-dir DIR");
    } else if (strncmp(said, "Out of Memory", 13) == 0) {
        const char *advice = strstr(said, " Possible solutions"); /* of words that this command does not take */
        const int size = advice != NULL ? (int)(advice - said) : (int)strlen(said);
        status = hsd_fail(err, HSD_E_OVER_BUDGET, "DuckDB: %.*s", size, said);
        hsd_error_set_hint(err, "--memory 512M");
    }
    return status;
}

/* The first lines of what it said, in one. */
static hsd_status fail_answer(const hsd_engine *engine, hsd_child *child, hsd_error *err)
{
    char name[HSD_STORE_NAME_CHARS];
    const char *said = said_by(child, engine->is_of_user);
    hsd_status status = HSD_OK;
    if (hsd_fleet_where_is(engine->store) == HSD_FLEET_BUCKET) status = fail_bucket(said, err);
    if (status == HSD_OK && engine->is_of_user)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "DuckDB refuses the statement: %s", said);
    if (status == HSD_OK) status = fail_means(said, err);
    if (status == HSD_OK) {
        status = hsd_fail(err, HSD_E_CORRUPT, "DuckDB cannot read the store: %s", said);
        hsd_error_set_hint(err, "if it names a file, move that out of the store; DuckDB 1.0 and later read it");
    }
    hsd_fleet_store_name(name, sizeof name, engine->store);
    hsd_error_set_file(err, name);
    return status;
}

hsd_status hsd_engine_run(const hsd_engine *engine, const hsd_buffer *sql, hsd_error *err)
{
    const char *const words[] = {"-init",      "/dev/null",
                                 "-batch",     "-bail",
                                 engine->mode, engine->has_header ? "-header" : "-noheader",
                                 "-nullvalue", engine->has_header && strcmp(engine->mode, "-csv") != 0 ? "NULL" : "",
                                 NULL};
    const bool is_folder = hsd_fleet_where_is(engine->store) == HSD_FLEET_FOLDER;
    const hsd_child_words how = {.program = &duckdb,
                                 .words = words,
                                 .folder = is_folder                ? engine->store
                                           : engine->folder != NULL ? engine->folder
                                                                    : "/"};
    hsd_child child = {.pid = 0};
    int question;
    hsd_status status = write_question(&question, sql, err);
    if (status == HSD_OK) status = hsd_child_start(&child, &how, question, err);
    if (status == HSD_OK)
        status = hsd_child_listen(&child, engine->run, "asking the fleet", engine->take, engine->context, err);
    if (question >= 0) close(question);
    if (status != HSD_OK) return status;
    return WIFEXITED(child.status) && WEXITSTATUS(child.status) == 0 ? HSD_OK : fail_answer(engine, &child, err);
}

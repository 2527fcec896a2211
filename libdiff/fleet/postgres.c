/*
 * Starting psql, and what is wrong when it ends otherwise than it should. The server says by a code (SQLSTATE) what it
 * refuses, in whatever language it speaks; codes that begin with HSD are those of our own checks.
 */
#define _GNU_SOURCE /* memfd_create */
#include "fleet/postgres.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "fleet/engine.h"

#define STATEMENT_MOST     ((size_t)100000) /* of the user; a word of a command line has at most 131,071 bytes */
#define EXIT_NO_CONNECTION 2

static const hsd_program program = {
    .called = "PostgreSQL's psql",
    .name = "psql",
    .variable = "HSDIFF_PSQL",
    .hint = "get it with apt install postgresql-client, or say where it is with HSDIFF_PSQL=/path/to/psql",
};

/* ---- starting */

hsd_status hsd_psql_call_begin(hsd_psql_call *call, const char *store, hsd_error *err)
{
    static const char password[] = "PGPASSWORD=";
    unsigned names = 0;
    *call = (hsd_psql_call){.word_count = 0};
    HSD_TRY(hsd_fleet_address_read(&call->address, store, err));
    if (call->address.password != NULL) {
        const size_t room = sizeof password + strlen(call->address.password);
        call->password = malloc(room);
        if (call->password == NULL) return hsd_fail_nomem(err, "an address");
        snprintf(call->password, room, "%s%s", password, call->address.password);
        call->environment[names++] = call->password;
    }
    call->environment[names++] = "PGCLIENTENCODING=UTF8";
    call->environment[names++] = "PGAPPNAME=hsdiff";
    if (getenv("PGCONNECT_TIMEOUT") == NULL) call->environment[names++] = "PGCONNECT_TIMEOUT=15";
    static const char *const words[] = {"-X", "-w",        "-q", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose",
                                        "-P", "pager=off", "-d"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hsd_psql_call_word(call, words[i]);
    hsd_psql_call_word(call, call->address.url);
    call->how =
        (hsd_child_words){.program = &program, .words = call->words, .environment = call->environment, .folder = "/"};
    return HSD_OK;
}

void hsd_psql_call_word(hsd_psql_call *call, const char *word)
{
    if (call->word_count + 1 < sizeof call->words / sizeof call->words[0]) call->words[call->word_count++] = word;
}

void hsd_psql_call_release(hsd_psql_call *call)
{
    if (call->password != NULL) explicit_bzero(call->password, strlen(call->password));
    free(call->password);
    hsd_fleet_address_release(&call->address);
    *call = (hsd_psql_call){.word_count = 0};
}

/* ---- what is wrong */

/* "psql:<stdin>:3: ERROR:  42501: permission denied … LOCATION:  aclcheck_error, aclchk.c:3650": code and words. */
static const char *find_code(char *said, char code[6])
{
    code[0] = '\0';
    char *at = strstr(said, ":  ");
    for (; at != NULL; at = strstr(at + 1, ":  ")) {
        const size_t size = strspn(at + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
        if (size != 5 || strncmp(at + 8, ": ", 2) != 0) continue;
        memcpy(code, at + 3, 5);
        code[5] = '\0';
        char *end = strstr(at + 10, "LOCATION:");
        char *context = strstr(at + 10, "CONTEXT:");
        if (context != NULL && (end == NULL || context < end)) end = context;
        if (end != NULL) *end = '\0';
        return at + 10;
    }
    return said;
}

typedef struct refusal {
    const char *code; /* the beginning of it */
    hsd_status status;
    const char *what, *hint;
} refusal;

static const refusal refusals[] = {
    {"HSD01", HSD_E_NOT_THIS_FORMAT, "its schema hsdiff_fleet is no fleet store", "name another database"},
    {"HSD02", HSD_E_TOO_NEW, "is a fleet store of a version that this hsdiff does not know",
     "use the hsdiff that made it, or a later one"},
    {"HSD03", HSD_E_NOT_FOUND, "there is no fleet store in this database", "hsdiff fleet add makes one"},
    {"HSD04", HSD_E_UNSUPPORTED, "the server is too old for a fleet store", "PostgreSQL 11 and later will do"},
    {"HSD05", HSD_E_IO, "is being compacted by somebody else", NULL},
    {"42501", HSD_E_IO, "the server does not let this user do it",
     "adding takes the right to create a schema in the database, or to insert into the tables of hsdiff_fleet; asking "
     "takes "
     "select on them, and temporary tables"},
    {"28", HSD_E_IO, "the server does not let this user in", "~/.pgpass or PGPASSWORD has the password"},
    {"08", HSD_E_IO, "the connection to the server was lost", NULL},
    {"57", HSD_E_IO, "the server ended it", NULL},
    {"53", HSD_E_IO, "the server has no room", NULL},
    {"25", HSD_E_IO, "the server lets nobody write",
     "a report makes temporary tables: ask the primary server, not a copy of it"},
};

static hsd_status fail_refused(const char *code, const char *said, bool is_of_user, hsd_error *err)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *r = &refusals[i];
        if (strncmp(code, r->code, strlen(r->code)) != 0) continue;
        hsd_fail(err, r->status, "%s: %s", r->what, said);
        if (r->hint != NULL) hsd_error_set_hint(err, "%s", r->hint);
        return r->status;
    }
    if (is_of_user) return hsd_fail(err, HSD_E_UNSUPPORTED, "PostgreSQL refuses the statement: %s", said);
    hsd_fail(err, HSD_E_CORRUPT, "PostgreSQL cannot answer: %s", said);
    hsd_error_set_hint(err, "the tables of the schema hsdiff_fleet are to be as hsdiff fleet add made them");
    return HSD_E_CORRUPT;
}

static void cut_spaces(char *text)
{
    for (size_t size = strlen(text); size > 0 && text[size - 1] == ' ';)
        text[--size] = '\0';
}

hsd_status hsd_psql_judge(hsd_child *child, const hsd_psql_call *call, const char *store, bool is_of_user,
                          hsd_error *err)
{
    char code[6], name[HSD_STORE_NAME_CHARS];
    if (WIFEXITED(child->status) && WEXITSTATUS(child->status) == 0) return HSD_OK;
    hsd_child_hide(child, call->address.password);
    hsd_child_hide(child, getenv("PGPASSWORD"));
    const char *said = find_code(child->said, code);
    said += strspn(said, " ");
    cut_spaces(child->said);
    if (strlen(said) > 400) child->said[said - child->said + 400] = '\0';
    if (said[0] == '\0') said = "psql ended without a word";
    hsd_status status;
    if (code[0] == '\0' && WIFEXITED(child->status) && WEXITSTATUS(child->status) == EXIT_NO_CONNECTION) {
        status = hsd_fail(err, HSD_E_IO, "cannot connect: %s", said);
        hsd_error_set_hint(err, "try psql with the same address; ~/.pgpass or PGPASSWORD has the password");
    } else {
        status = fail_refused(code, said, is_of_user, err);
    }
    hsd_error_set_file(err, hsd_fleet_store_name(name, sizeof name, store));
    return status;
}

/* ---- asking */

static hsd_status run_call(const hsd_psql *psql, const hsd_psql_call *call, int input, bool is_of_user, hsd_error *err)
{
    hsd_child child;
    HSD_TRY(hsd_child_start(&child, &call->how, input, err));
    HSD_TRY(hsd_child_listen(&child, psql->run, "asking the fleet", psql->take, psql->context, err));
    return hsd_psql_judge(&child, call, psql->store, is_of_user, err);
}

static hsd_status write_script(int *fd, const hsd_buffer *sql, hsd_error *err)
{
    *fd = memfd_create("hsdiff-sql", MFD_CLOEXEC);
    for (size_t at = 0; *fd >= 0 && at < sql->size;) {
        const ssize_t got = write(*fd, sql->data + at, sql->size - at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return hsd_fail_errno(err, errno, "cannot ask PostgreSQL");
        at += (size_t)got;
    }
    return *fd >= 0 && lseek(*fd, 0, SEEK_SET) == 0 ? HSD_OK : hsd_fail_errno(err, errno, "cannot ask PostgreSQL");
}

hsd_status hsd_psql_put_head(hsd_buffer *sql, hsd_error *err)
{
    static const char *const head[] = {
        "SET standard_conforming_strings = on; SET statement_timeout = 0; SET client_min_messages = error;",
        "SET extra_float_digits = 3;\n",
        "DO $hsd$ BEGIN" HSD_PSQL_CHECK_SERVER,
        " IF NOT " HSD_PSQL_HAS_STORE,
        " THEN RAISE EXCEPTION 'it has no table hsdiff_fleet.store' USING ERRCODE = 'HSD03'; END IF;",
        HSD_PSQL_CHECK_VERSION " END $hsd$;\n",
        "SET search_path = hsdiff_fleet;\n",
    };
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        HSD_TRY(hsd_buffer_append(sql, head[i], strlen(head[i]), err));
    return HSD_OK;
}

hsd_status hsd_psql_ask(const hsd_psql *psql, const hsd_buffer *sql, hsd_error *err)
{
    hsd_psql_call call;
    int script = -1;
    hsd_status status = hsd_psql_call_begin(&call, psql->store, err);
    static const char *const words[] = {"-A", "-t", "-F", "|"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hsd_psql_call_word(&call, words[i]);
    if (status == HSD_OK) status = write_script(&script, sql, err);
    if (status == HSD_OK) status = run_call(psql, &call, script, false, err);
    if (script >= 0) close(script);
    hsd_psql_call_release(&call);
    return status;
}

/* ---- the user's statement: a word of the command line, since psql has commands of its own in scripts */

/* Of JSON a query gets around it; semicolons at its end would be in the way. */
static hsd_status put_statement(hsd_buffer *out, const char *statement, size_t size, hsd_fleet_form form,
                                hsd_error *err)
{
    while (size > 0 && strchr("; \t\n\r", statement[size - 1]) != NULL)
        size--;
    if (form != HSD_FLEET_JSON) return hsd_sql_put(out, err, " %.*s", (int)size, statement);
    return hsd_sql_put(out, err, " SELECT coalesce(json_agg(x), '[]') FROM (\n%.*s\n) x", (int)size, statement);
}

hsd_status hsd_psql_ask_for_user(const hsd_psql *psql, const char *statement, size_t size, hsd_fleet_form form,
                                 hsd_error *err)
{
    static const char *const of_box[] = {"-P", "border=2",   "-P", "linestyle=unicode", "-P", "null=NULL",
                                         "-P", "footer=off", NULL};
    static const char *const of_csv[] = {"--csv", NULL}, *const of_json[] = {"-A", "-t", NULL};
    const char *const *const forms[] = {[HSD_FLEET_BOX] = of_box, [HSD_FLEET_CSV] = of_csv, [HSD_FLEET_JSON] = of_json};
    hsd_buffer head = {0}, text = {0};
    hsd_psql_call call;
    if (size > STATEMENT_MOST || memchr(statement, '\0', size) != NULL)
        return hsd_fail(err, HSD_E_UNSUPPORTED,
                        "a statement for PostgreSQL has at most %zu bytes, and no zero among them", STATEMENT_MOST);
    hsd_status status = hsd_psql_call_begin(&call, psql->store, err);
    if (status == HSD_OK) status = hsd_psql_put_head(&head, err);
    if (status == HSD_OK) status = hsd_buffer_append(&head, "", 1, err);
    if (status == HSD_OK) status = put_statement(&text, statement, size, form, err);
    if (status == HSD_OK) {
        for (const char *const *word = forms[form]; *word != NULL; word++)
            hsd_psql_call_word(&call, *word);
        hsd_psql_call_word(&call, "-c");
        hsd_psql_call_word(&call, (const char *)head.data);
        hsd_psql_call_word(&call, "-c");
        hsd_psql_call_word(&call, (const char *)text.data);
        const int nothing = memfd_create("hsdiff-sql", MFD_CLOEXEC);
        status = nothing < 0 ? hsd_fail_errno(err, errno, "cannot ask PostgreSQL")
                             : run_call(psql, &call, nothing, true, err);
        if (nothing >= 0) close(nothing);
    }
    hsd_buffer_release(&head);
    hsd_buffer_release(&text);
    hsd_psql_call_release(&call);
    return status;
}

/*
 * Objects of a bucket by DuckDB. What is listed comes as texts in hexadecimal digits, sorted, so that all files of a
 * batch stand together.
 */
#define _GNU_SOURCE /* mkdtemp */
#include "fleet/bucket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "fleet/answer.h"
#include "fleet/listing.h"
#include "fleet/store.h"
#include "fleet/tidy.h"
#include "io/temp.h"

/* ---- reaching it */

/* "http://127.0.0.1:9000": a server of one's own, which has no name for each bucket. */
static hsd_status put_endpoint(hsd_buffer *sql, const char *url, hsd_error *err)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:[]-";
    const bool is_plain = strncmp(url, "http://", 7) == 0, is_safe = strncmp(url, "https://", 8) == 0;
    const char *host = url + (is_safe ? 8 : 7);
    size_t size = is_plain || is_safe ? strspn(host, allowed) : 0;
    if (size == 0 || (host[size] != '\0' && strcmp(host + size, "/") != 0)) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "AWS_ENDPOINT_URL is no address of a server");
        hsd_error_set_hint(err, "it is http://host:port or https://host:port");
        return HSD_E_UNSUPPORTED;
    }
    return hsd_sql_put(sql, err, "SET s3_endpoint='%.*s'; SET s3_use_ssl=%s; SET s3_url_style='path';\n", (int)size,
                       host, is_safe ? "true" : "false");
}

hsd_status hsd_bucket_put_settings(hsd_buffer *sql, hsd_error *err)
{
    const char *own = getenv("AWS_ENDPOINT_URL_S3"), *common = getenv("AWS_ENDPOINT_URL");
    const char *url = own != NULL && own[0] != '\0' ? own : common;
    HSD_TRY(hsd_sql_put(sql, err, "LOAD httpfs;\n"));
    return url != NULL && url[0] != '\0' ? put_endpoint(sql, url, err) : HSD_OK;
}

/* ---- what is there */

typedef struct objects {
    hsd_listing listing;
    hsd_arena arena;
    hsd_buffer texts; /* of SQL: names of what is to be read */
    const char *url;  /* "s3://bucket/prefix/" */
    bool has_mark, has_others;
} objects;

static hsd_status note_text(objects *o, const char *name, hsd_error *err)
{
    return hsd_sql_put(&o->texts, err, "%s'%s%s'", o->texts.size > 0 ? ", " : "", o->url, name);
}

static hsd_status take_found(objects *o, const char *name, hsd_error *err)
{
    static const char replaces[] = "/" HSD_FLEET_REPLACES;
    const size_t size = strlen(name), tail = sizeof replaces - 1;
    if (size == 0) return HSD_OK;
    if (strcmp(name, HSD_FLEET_MARK) == 0) {
        o->has_mark = true;
        return note_text(o, name, err);
    }
    o->has_others |= name[0] != '.' && name[size - 1] != '/';
    HSD_TRY(hsd_listing_object(&o->listing, name, err)); /* refuses all names that could harm SQL */
    return size > tail && name[0] != '.' && strcmp(name + size - tail, replaces) == 0 ? note_text(o, name, err)
                                                                                      : HSD_OK;
}

static hsd_status take_object(void *context, const hsd_answer_line *line, hsd_error *err)
{
    objects *o = context;
    const size_t prefix = strlen(o->url);
    hsd_text name, content;
    if (line->count < 2) return hsd_answer_fail(err);
    HSD_TRY(hsd_answer_text(line, 1, &o->arena, &name, err));
    if (name.size < prefix || memcmp(name.data, o->url, prefix) != 0) return hsd_answer_fail(err);
    const char *relative = hsd_arena_copy(&o->arena, name.data + prefix, name.size - prefix);
    if (relative == NULL) return hsd_fail_nomem(err, "a list of batches");
    if (line->fields[0][0] != 'T' || line->count != 3) return take_found(o, relative, err);
    HSD_TRY(hsd_answer_text(line, 2, &o->arena, &content, err));
    return strcmp(relative, HSD_FLEET_MARK) == 0 ? hsd_fleet_judge_mark(content, err)
                                                 : hsd_listing_replaces(&o->listing, relative, content, err);
}

static hsd_status ask_objects(objects *o, hsd_buffer *sql, const hsd_run *run, hsd_error *err)
{
    hsd_answer answer = {.take = take_object, .context = o};
    return hsd_answer_ask(&answer, o->listing.store, sql, run, err);
}

/* All objects below the prefix, or of one service, and the mark. */
static hsd_status put_glob(hsd_buffer *sql, const objects *o, const hsd_run *run, const char *part, hsd_error *err)
{
    HSD_TRY(hsd_sql_put_settings(sql, o->listing.store, run, err));
    return hsd_sql_put(sql, err,
                       "SELECT 'F', hex(encode(file)) FROM (SELECT file FROM glob('%s%s%s**') UNION SELECT file FROM "
                       "glob('%s" HSD_FLEET_MARK "*')) ORDER BY file;\n",
                       o->url, part != NULL ? part : "", part != NULL ? "/" : "", o->url);
}

static hsd_status put_reading(hsd_buffer *sql, const objects *o, const hsd_run *run, hsd_error *err)
{
    HSD_TRY(hsd_sql_put_settings(sql, o->listing.store, run, err));
    return hsd_sql_put(sql, err, "SELECT 'T', hex(encode(filename)), hex(encode(content)) FROM read_text([%.*s]);\n",
                       (int)o->texts.size, (const char *)o->texts.data);
}

/* What is there, and the contents of the mark and of lists of batches. */
static hsd_status look_at_objects(objects *o, const char *store, const hsd_run *run, const char *part, hsd_error *err)
{
    hsd_buffer sql = {0};
    o->listing.store = store;
    hsd_buffer_clear(&o->texts);
    hsd_status status = put_glob(&sql, o, run, part, err);
    if (status == HSD_OK) status = ask_objects(o, &sql, run, err);
    hsd_buffer_clear(&sql);
    if (status == HSD_OK && o->has_mark) {
        status = put_reading(&sql, o, run, err);
        if (status == HSD_OK) status = ask_objects(o, &sql, run, err);
    }
    hsd_buffer_release(&sql);
    return status;
}

static hsd_status fail_missing(const objects *o, hsd_error *err)
{
    hsd_status status = HSD_OK;
    if (!o->has_mark && o->has_others) {
        status = hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "is no fleet store, and holds other things");
        hsd_error_set_hint(err, "name a prefix of its own: one below which there is nothing");
    } else if (!o->has_mark) {
        status = hsd_fail(err, HSD_E_NOT_FOUND, "there is no such fleet store");
        hsd_error_set_hint(err, "hsdiff fleet add makes one");
    }
    return status;
}

static void release_objects(objects *o)
{
    hsd_arena_release(&o->arena);
    hsd_buffer_release(&o->texts);
    hsd_listing_release(&o->listing);
}

/* What is wrong is said of the store, unless it is said of something in it. */
static hsd_status name_store(const char *store, hsd_status status, hsd_error *err)
{
    char name[HSD_STORE_NAME_CHARS];
    if (status != HSD_OK && err != NULL && err->file[0] == '\0')
        hsd_error_set_file(err, hsd_fleet_store_name(name, sizeof name, store));
    return status;
}

hsd_status hsd_bucket_list(hsd_fleet_list *list, const char *store, const hsd_run *run, const char *service_part,
                           const char *date_part, hsd_error *err)
{
    objects o = {.listing = {.list = list, .date_part = date_part}};
    hsd_fleet_address address;
    *list = (hsd_fleet_list){.batches = NULL};
    hsd_status status = hsd_fleet_address_read(&address, store, err);
    o.url = address.url;
    if (status == HSD_OK) status = look_at_objects(&o, store, run, service_part, err);
    /* in a prefix that is no store something else is no part of one, and it is none */
    if ((status == HSD_OK || status == HSD_E_CORRUPT) && !o.has_mark) {
        o.has_others |= status == HSD_E_CORRUPT;
        status = fail_missing(&o, err);
    }
    if (status == HSD_OK) status = hsd_listing_finish(&o.listing, err);
    if (status == HSD_OK) {
        list->base = address.url;
        address.url = NULL;
    }
    release_objects(&o);
    hsd_fleet_address_release(&address);
    return name_store(store, status, err);
}

/* ---- putting */

static hsd_status run_put(const char *store, const char *folder, const hsd_buffer *sql, const hsd_run *run,
                          hsd_error *err)
{
    hsd_answer nothing = {.take = NULL};
    const hsd_engine engine = {
        .store = store, .folder = folder, .mode = "-list", .run = run, .take = hsd_answer_take, .context = &nothing};
    const hsd_status status = hsd_engine_run(&engine, sql, err);
    hsd_buffer_release(&nothing.line);
    return status;
}

static hsd_status put_mark(const char *store, const char *url, const hsd_run *run, hsd_error *err)
{
    hsd_buffer sql = {0};
    hsd_status status = hsd_sql_put_settings(&sql, store, run, err);
    if (status == HSD_OK)
        status = hsd_sql_put(&sql, err,
                             "COPY (SELECT ('" HSD_FLEET_MARK_TEXT "%d' || chr(10))::BLOB) TO '%s" HSD_FLEET_MARK
                             "' (FORMAT blob);\n",
                             HSD_FLEET_VERSION, url);
    if (status == HSD_OK) status = run_put(store, NULL, &sql, run, err);
    hsd_buffer_release(&sql);
    return status;
}

hsd_status hsd_bucket_make(const char *store, const hsd_run *run, hsd_error *err)
{
    hsd_fleet_list list = {.batches = NULL};
    objects o = {.listing = {.list = &list}};
    hsd_fleet_address address;
    hsd_status status = hsd_fleet_address_read(&address, store, err);
    o.url = address.url;
    /* the mark alone at first: a large store is not listed for it */
    if (status == HSD_OK) status = look_at_objects(&o, store, run, HSD_FLEET_MARK ".none", err);
    if (status == HSD_OK && !o.has_mark) {
        status = look_at_objects(&o, store, run, NULL, err);
        if (status == HSD_E_CORRUPT || (status == HSD_OK && o.has_others)) {
            o.has_others = true;
            status = fail_missing(&o, err);
        } else if (status == HSD_OK) {
            status = put_mark(store, o.url, run, err);
        }
    }
    release_objects(&o);
    hsd_fleet_list_release(&list);
    hsd_fleet_address_release(&address);
    return name_store(store, status, err);
}

/* ---- drafts */

hsd_status hsd_bucket_draft_open(hsd_bucket_draft *draft, const hsd_run *run, hsd_error *err)
{
    static const char name[] = "/hsdiff-batch-XXXXXX";
    hsd_temp_space space;
    *draft = (hsd_bucket_draft){.folder = NULL};
    hsd_temp_space_init(&space, run != NULL ? run->temp_dir : NULL);
    const size_t room = strlen(space.directory) + sizeof name;
    char *folder = malloc(room);
    if (folder == NULL) return hsd_fail_nomem(err, "the name of a folder");
    snprintf(folder, room, "%s%s", space.directory, name);
    if (mkdtemp(folder) == NULL) {
        const int error = errno;
        hsd_fail_errno(err, error, "cannot make a folder for a batch");
        hsd_error_set_file(err, space.directory);
        free(folder);
        return HSD_E_IO;
    }
    draft->folder = realpath(folder, NULL);
    if (draft->folder == NULL) rmdir(folder);
    free(folder);
    return draft->folder != NULL ? HSD_OK : hsd_fail_nomem(err, "the name of a folder");
}

void hsd_bucket_draft_close(hsd_bucket_draft *draft)
{
    if (draft->folder == NULL) return;
    hsd_fleet_remove_draft(draft->folder);
    free(draft->folder);
    *draft = (hsd_bucket_draft){.folder = NULL};
}

typedef struct presence {
    bool is_there;
} presence;

static hsd_status take_presence(void *context, const hsd_answer_line *line, hsd_error *err)
{
    (void)err;
    ((presence *)context)->is_there |= line->fields[0][0] == 'F';
    return HSD_OK;
}

static hsd_status is_there(const char *store, const char *url, const char *part, const char *name, bool *is_known,
                           const hsd_run *run, hsd_error *err)
{
    presence p = {.is_there = false};
    hsd_answer answer = {.take = take_presence, .context = &p};
    hsd_buffer sql = {0};
    hsd_status status = hsd_sql_put_settings(&sql, store, run, err);
    if (status == HSD_OK)
        status = hsd_sql_put(&sql, err, "SELECT 'F' FROM glob('%s%s/%s/captures.*');\n", url, part, name);
    if (status == HSD_OK) status = hsd_answer_ask(&answer, store, &sql, run, err);
    hsd_buffer_release(&sql);
    *is_known = p.is_there;
    return status;
}

/* captures.parquet last: it makes a batch of the others. */
static hsd_status put_files(hsd_buffer *sql, const hsd_bucket_draft *draft, const char *url, const char *name,
                            hsd_error *err)
{
    static const char *const files[] = {"names" HSD_FLEET_SUFFIX, "rows" HSD_FLEET_SUFFIX, "states" HSD_FLEET_SUFFIX,
                                        HSD_FLEET_REPLACES, "captures" HSD_FLEET_SUFFIX};
    char path[4096];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", draft->folder, name, files[i]);
        if (access(path, F_OK) != 0) continue;
        HSD_TRY(hsd_sql_put(sql, err, "COPY (SELECT content FROM read_blob('%s/%s')) TO '%s%s/%s/%s' (FORMAT blob);\n",
                            name, files[i], url, draft->part, name, files[i]));
    }
    return HSD_OK;
}

hsd_status hsd_bucket_draft_put(const hsd_bucket_draft *draft, const char *store, const char *name, bool *is_known,
                                const hsd_run *run, hsd_error *err)
{
    hsd_fleet_address address;
    hsd_buffer sql = {0};
    *is_known = false;
    hsd_status status = hsd_fleet_address_read(&address, store, err);
    if (status == HSD_OK) status = is_there(store, address.url, draft->part, name, is_known, run, err);
    if (status == HSD_OK && !*is_known) {
        status = hsd_sql_put_settings(&sql, store, run, err);
        if (status == HSD_OK) status = put_files(&sql, draft, address.url, name, err);
        if (status == HSD_OK) status = run_put(store, draft->folder, &sql, run, err);
    }
    hsd_buffer_release(&sql);
    hsd_fleet_address_release(&address);
    return status;
}

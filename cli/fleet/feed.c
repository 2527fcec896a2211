/*
 * A queue of captures, a thread that adds them to a store, and what is told of each. See fleet_feed.h.
 */
#include "fleet/feed.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/report.h"
#include "fleet/labels.h"
#include "progress.h"
#include "report_error.h"

enum { HOST_BYTES = 256 };

typedef struct arrival {
    struct arrival *next;
    hsd_status status;
    hsd_error error;
    uint64_t rows, bytes;
    bool is_known;   /* the store had it already */
    bool is_deleted; /* it is in the store, and its file is gone */
    char path[];
} arrival;

typedef struct arrivals { /* first come, first served */
    arrival *first, **last;
} arrivals;

struct cli_fleet_feed {
    cli_app *cli;
    cli_app adding; /* as `cli`, without progress: the thread of the receiver has it */
    const char *store;
    bool keeps_captures;
    cli_fleet_labels labels;
    char shown[512]; /* the store, without a password */
    char host[HOST_BYTES];
    hsd_fleet_writer *writer; /* the thread's */
    hsd_fleet_added added;    /* the thread's: what the store got until now */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t came;
    arrivals waiting, done;
    bool is_ending;
    int exit_status; /* the caller's: of the first failure that was told */
};

/* ---- the queue ---- */

static void push_arrival(arrivals *queue, arrival *one)
{
    one->next = NULL;
    *queue->last = one;
    queue->last = &one->next;
}

static arrival *pop_arrival(arrivals *queue)
{
    arrival *one = queue->first;
    if (!one) return NULL;
    queue->first = one->next;
    if (!queue->first) queue->last = &queue->first;
    return one;
}

/* The next one, once it is there; NULL when no more will come. */
static arrival *wait_for_arrival(cli_fleet_feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    while (!feed->waiting.first && !feed->is_ending)
        pthread_cond_wait(&feed->came, &feed->lock);
    arrival *one = pop_arrival(&feed->waiting);
    pthread_mutex_unlock(&feed->lock);
    return one;
}

/* ---- adding ---- */

static hsd_status add_to_store(cli_fleet_feed *feed, arrival *one)
{
    if (!feed->writer) HSD_TRY(hsd_fleet_writer_open(&feed->writer, feed->store, &feed->adding.run, &one->error));
    HSD_TRY(cli_fleet_add_capture(feed->writer, &feed->adding, one->path, &feed->labels, &one->error));
    return hsd_fleet_writer_finish(feed->writer, &feed->added, &one->error);
}

static void add_arrival(cli_fleet_feed *feed, arrival *one)
{
    const hsd_fleet_added before = feed->added;
    hsd_error_init(&one->error);
    one->status = add_to_store(feed, one);
    if (one->status != HSD_OK) { /* what it holds of this one must not come with the next */
        hsd_fleet_writer_close(feed->writer);
        feed->writer = NULL;
        feed->added = (hsd_fleet_added){0};
        return;
    }
    one->rows = feed->added.rows - before.rows;
    one->bytes = feed->added.bytes - before.bytes;
    one->is_known = feed->added.known > before.known;
    one->is_deleted = !feed->keeps_captures && unlink(one->path) == 0;
}

static void *run_feed(void *context)
{
    cli_fleet_feed *feed = context;
    arrival *one;
    while ((one = wait_for_arrival(feed)) != NULL) {
        add_arrival(feed, one);
        pthread_mutex_lock(&feed->lock);
        push_arrival(&feed->done, one);
        pthread_mutex_unlock(&feed->lock);
    }
    return NULL;
}

/* ---- telling ---- */

static void tell_json(const cli_fleet_feed *feed, const arrival *one)
{
    putchar('{');
    cli_put_json_text("fleet", feed->shown);
    cli_put_json_text("path", one->path);
    cli_put_json_text("error", one->error.text);
    printf("\"rows\": %" PRIu64 ", \"output_bytes\": %" PRIu64 ", \"known\": %s, \"deleted\": %s}\n", one->rows,
           one->bytes, one->is_known ? "true" : "false", one->is_deleted ? "true" : "false");
}

static void tell_text(const cli_fleet_feed *feed, const arrival *one)
{
    char rows[HSD_NUMBER_CHARS], size[HSD_NUMBER_CHARS];
    if (one->is_known)
        cli_note(feed->cli, "%s had %s already%s", feed->shown, one->path, one->is_deleted ? "; it is deleted" : "");
    else
        cli_note(feed->cli, "%s is in %s: %s rows, %s%s", one->path, feed->shown, hsd_format_count(rows, one->rows),
                 hsd_format_bytes(size, one->bytes), one->is_deleted ? "; the capture itself is deleted" : "");
}

static void tell_arrival(cli_fleet_feed *feed, const arrival *one, bool as_json)
{
    cli_progress_clear();
    if (as_json) tell_json(feed, one);
    if (one->status != HSD_OK) {
        const int status = cli_report_error(feed->cli, &one->error);
        if (feed->exit_status == CLI_DONE) feed->exit_status = status;
        cli_note(feed->cli, "%s stays where it is", one->path);
    } else if (!as_json) {
        tell_text(feed, one);
    }
}

bool cli_fleet_feed_tell(cli_fleet_feed *feed, bool as_json)
{
    pthread_mutex_lock(&feed->lock);
    arrival *one = feed->done.first;
    feed->done = (arrivals){.last = &feed->done.first};
    pthread_mutex_unlock(&feed->lock);
    for (arrival *next; one; one = next) {
        next = one->next;
        tell_arrival(feed, one, as_json);
        free(one);
    }
    return !as_json || (fflush(stdout) == 0 && !ferror(stdout));
}

/* ---- the whole ---- */

bool cli_fleet_feed_put(cli_fleet_feed *feed, const char *path)
{
    const size_t size = strlen(path) + 1;
    arrival *one = calloc(1, sizeof *one + size);
    if (!one) {
        cli_complain("out of memory: %s is not added to %s.", path, feed->shown);
        return false;
    }
    memcpy(one->path, path, size);
    pthread_mutex_lock(&feed->lock);
    push_arrival(&feed->waiting, one);
    pthread_cond_signal(&feed->came);
    pthread_mutex_unlock(&feed->lock);
    return true;
}

static void free_feed(cli_fleet_feed *feed)
{
    hsd_fleet_writer_close(feed->writer);
    cli_fleet_labels_release(&feed->labels);
    pthread_mutex_destroy(&feed->lock);
    pthread_cond_destroy(&feed->came);
    free(feed);
}

static int start_feed(cli_fleet_feed *feed)
{
    hsd_error err;
    hsd_error_init(&err);
    if (gethostname(feed->host, sizeof feed->host - 1) != 0) feed->host[0] = 0;
    if (!cli_fleet_labels_read(&feed->labels, feed->cli, feed->host)) return CLI_USAGE;
    if (hsd_fleet_writer_open(&feed->writer, feed->store, &feed->adding.run, &err) != HSD_OK)
        return cli_report_error(feed->cli, &err);
    if (hsd_fleet_where_is(feed->store) == HSD_FLEET_DATABASE) { /* no connection while nothing comes */
        const hsd_status status = hsd_fleet_writer_finish(feed->writer, NULL, &err);
        if (status != HSD_OK) return cli_report_error(feed->cli, &err);
    }
    const int failed = pthread_create(&feed->thread, NULL, run_feed, feed);
    if (failed == 0) return CLI_DONE;
    hsd_fail_errno(&err, failed, "cannot start a thread");
    return cli_report_error(feed->cli, &err);
}

cli_fleet_feed *cli_fleet_feed_begin(cli_app *cli, const char *store, bool keeps_captures, int *exit_status)
{
    cli_fleet_feed *feed = calloc(1, sizeof *feed);
    if (!feed) {
        cli_complain("out of memory.");
        *exit_status = CLI_SYSTEM;
        return NULL;
    }
    feed->cli = cli;
    feed->adding = *cli;
    feed->adding.run.progress = NULL;
    if (cli->options.memory_bytes == 0 && cli->run.memory_bytes > CLI_FLEET_MEMORY_BYTES)
        feed->adding.run.memory_bytes = CLI_FLEET_MEMORY_BYTES;
    feed->store = store;
    hsd_fleet_store_name(feed->shown, sizeof feed->shown, store);
    feed->keeps_captures = keeps_captures;
    feed->waiting.last = &feed->waiting.first;
    feed->done.last = &feed->done.first;
    pthread_mutex_init(&feed->lock, NULL);
    pthread_cond_init(&feed->came, NULL);
    *exit_status = start_feed(feed);
    if (*exit_status == CLI_DONE) return feed;
    free_feed(feed);
    return NULL;
}

int cli_fleet_feed_end(cli_fleet_feed *feed, bool as_json)
{
    if (!feed) return CLI_DONE;
    pthread_mutex_lock(&feed->lock);
    feed->is_ending = true;
    pthread_cond_signal(&feed->came);
    pthread_mutex_unlock(&feed->lock);
    pthread_join(feed->thread, NULL);
    if (!cli_fleet_feed_tell(feed, as_json) && feed->exit_status == CLI_DONE) feed->exit_status = CLI_SYSTEM;
    const int status = feed->exit_status;
    free_feed(feed);
    return status;
}

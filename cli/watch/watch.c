/*
 * The loop of hsdiff watch: waits, looks how much memory is left, captures, adds up, tells.
 */
#include "watch/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "info_words.h"
#include "input.h"
#include "launch.h"
#include "progress.h"
#include "report_error.h"
#include "signals.h"
#include "watch/rules.h"

enum {
    EVERY_MS = 5 * 60 * 1000,
    TICK_MS = 1000,
    BUDGET_PERMILLE = 20,
    NEAR_PERCENT = 90,
    RELIEF_PERCENT = 10,
    MOST_FAILURES = 3,
    LEAST_FOR_VERDICT = 3
};

#define NS_A_MS UINT64_C(1000000)

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 * NS_A_MS + (uint64_t)now.tv_nsec;
}

/* ---- looking ---- */

/* What is lost is no part of the live heap. */
static bool is_proven(const cli_watch *watch)
{
    const uint64_t least = watch->cli->options.watch.until_growth_bytes;
    const hsd_series *series = watch->series;
    if (least == 0 || series == NULL) return false;
    return cli_watch_is_proven(&series->total.trend, least) ||
           (series->lost.is_known && cli_watch_is_proven(&series->unreached.trend, least));
}

static unsigned used_percent(const hsd_live_memory *memory)
{
    return memory->limit_bytes == 0 ? 0 : (unsigned)((double)memory->used_bytes * 100.0 / (double)memory->limit_bytes);
}

/* ---- telling ---- */

static const char *bound_word(const hsd_live_memory *memory)
{
    return memory->is_group ? "its control group" : "the machine";
}

static void clock_time(char out[HSD_NUMBER_CHARS])
{
    char whole[HSD_NUMBER_CHARS];
    hsd_format_time(whole, (uint64_t)time(NULL) * 1000 * NS_A_MS);
    snprintf(out, HSD_NUMBER_CHARS, "%s", strlen(whole) > 11 ? whole + 11 : whole);
}

/* "+2.10 MiB since the first that counts, in each step" */
static void say_growth(char *out, size_t size, const hsd_series *series)
{
    char growth[HSD_NUMBER_CHARS], lost[HSD_NUMBER_CHARS], limit[HSD_NUMBER_CHARS], full[HSD_NUMBER_CHARS];
    const hsd_trend *trend = &series->total.trend;
    const hsd_forecast *forecast = &series->forecast;
    int used =
        snprintf(out, size, ", %s", trend->growth == 0 ? "no more" : hsd_format_bytes_signed(growth, trend->growth));
    if (trend->step_count >= LEAST_FOR_VERDICT && used > 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, " (%s)", hsd_verdict_name(trend->verdict));
    if (series->lost.is_known && series->unreached.trend.growth > 0 && used > 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, ", and %s lost",
                         hsd_format_bytes_signed(lost, series->unreached.trend.growth));
    if (forecast->full_unix_ns > 0 && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, ", at this rate %s are full in %s",
                 hsd_format_bytes(limit, forecast->limit_bytes),
                 hsd_format_duration(full, forecast->full_unix_ns -
                                               series->points[series->point_count - 1].side.info.taken_unix_ns));
}

static void tell_taken(const cli_watch *watch, const hsd_live_result *result)
{
    char at[HSD_NUMBER_CHARS], live[HSD_NUMBER_CHARS], pause[HSD_NUMBER_CHARS], rss[HSD_NUMBER_CHARS], growth[240] = "",
                                                                                                       still[64] = "";
    const hsd_series *series = watch->series;
    clock_time(at);
    if (series != NULL) say_growth(growth, sizeof growth, series);
    if (result->pause_ns > 0)
        snprintf(still, sizeof still, "; it stood still for %s", cli_format_short_time(pause, result->pause_ns));
    cli_note(watch->cli, "%s  capture %" PRIu64 ": %s%s%s; RSS %s%s", at, watch->shelf.taken,
             hsd_format_bytes(live,
                              series == NULL ? result->bytes : series->total.values[series->point_count - 1].bytes),
             series == NULL ? " captured" : " live", growth, hsd_format_bytes(rss, watch->memory.rss_bytes), still);
}

static void tell_budget(const cli_watch *watch, uint64_t cost_ns)
{
    char every[HSD_NUMBER_CHARS], cost[HSD_NUMBER_CHARS];
    const unsigned budget = watch->cli->options.watch.budget_permille;
    cli_note(watch->cli, "that took %s, so the next comes after %s: --budget allows %g %%",
             cli_format_short_time(cost, cost_ns), hsd_format_duration(every, watch->every_ns), (double)budget / 10);
}

static void tell_near(const cli_watch *watch)
{
    char used[HSD_NUMBER_CHARS], limit[HSD_NUMBER_CHARS];
    cli_note(watch->cli, "%s of the %s of %s are in use: a capture at once, before the kernel ends something",
             hsd_format_bytes(used, watch->memory.used_bytes), hsd_format_bytes(limit, watch->memory.limit_bytes),
             bound_word(&watch->memory));
}

static void draw_watch(cli_watch *watch)
{
    char head[1024], name[256], watched[HSD_NUMBER_CHARS], left[HSD_NUMBER_CHARS], rss[HSD_NUMBER_CHARS],
        limit[HSD_NUMBER_CHARS], bound[160] = "";
    const uint64_t now = now_ns(), rest = watch->due_ns > now ? watch->due_ns - now : 0;
    if (!watch->screen.is_wanted) return;
    hsd_escape_terminal(name, sizeof name, watch->process.name, strlen(watch->process.name));
    if (watch->memory.limit_bytes > 0)
        snprintf(bound, sizeof bound, "; %u %% of the %s of %s in use", used_percent(&watch->memory),
                 hsd_format_bytes(limit, watch->memory.limit_bytes), bound_word(&watch->memory));
    snprintf(head, sizeof head,
             "\n%s (pid %ld, %s): %s watched, %" PRIu64
             " capture%s, the next in %s. Ctrl-C ends it with the answer.\nRSS %s%s\n",
             name, watch->process.pid, watch->process.runtime, hsd_format_duration(watched, now - watch->began_ns),
             watch->shelf.taken, watch->shelf.taken == 1 ? "" : "s", hsd_format_duration(left, rest),
             hsd_format_bytes(rss, watch->memory.rss_bytes), bound);
    cli_watch_screen_draw(&watch->screen, head);
}

/* ---- adding up ---- */

static hsd_status open_sums(void *context, size_t i, hsd_capture **out, hsd_error *err)
{
    const cli_watch *watch = context;
    return hsd_capture_open(out, watch->shelf.rows[i].sums, HSD_DAMAGE_REFUSE, &watch->cli->run, err);
}

static void close_sums(void *context, size_t i, hsd_capture *capture)
{
    (void)context, (void)i;
    hsd_capture_close(capture);
}

static hsd_status add_up_watch(cli_watch *watch, hsd_error *err)
{
    const cli_shelf *shelf = &watch->shelf;
    const hsd_series_source source = {.count = shelf->count, .open = open_sums, .close = close_sums, .context = watch};
    const size_t warmup =
        shelf->warmup + HSD_SERIES_LEAST <= shelf->count ? shelf->warmup : shelf->count - HSD_SERIES_LEAST;
    const hsd_series_options options = {.struct_bytes = sizeof options,
                                        .warmup = (uint32_t)warmup,
                                        .noise_bytes = watch->cli->options.noise_bytes,
                                        .cohorts = HSD_COHORTS_NEVER,
                                        .limit_bytes = watch->memory.is_group ? watch->memory.limit_bytes : 0};
    hsd_series *series = NULL;
    HSD_TRY(hsd_series_run(&series, &source, &options, &watch->cli->run, err));
    hsd_series_free(watch->series);
    watch->series = series;
    cli_watch_screen_take(&watch->screen, series);
    return HSD_OK;
}

static hsd_status keep_sums(const cli_watch *watch, const cli_shelved *next, hsd_error *err)
{
    hsd_capture *capture = NULL;
    HSD_TRY(hsd_capture_open(&capture, next->capture, HSD_DAMAGE_REFUSE, &watch->cli->run, err));
    const hsd_status status = hsd_baseline_write(capture, next->sums, NULL, &watch->cli->run, NULL, err);
    hsd_capture_close(capture);
    return status;
}

/* ---- a capture ---- */

static uint64_t processor_ns(void)
{
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    const struct timeval times[] = {self.ru_utime, self.ru_stime, children.ru_utime, children.ru_stime};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        sum += (uint64_t)times[i].tv_sec * 1000 * NS_A_MS + (uint64_t)times[i].tv_usec * 1000;
    return sum;
}

/* The process that was looked at first, and no other that has its pid by now. It may have executed another program
 * since, to which another way leads. */
static bool watch_is_there(cli_watch *watch)
{
    hsd_process now;
    hsd_status status = hsd_process_look(&now, watch->process.pid, watch->process.way, NULL);
    if (status != HSD_OK) status = hsd_process_look(&now, watch->process.pid, watch->cli->options.way, NULL);
    if (status != HSD_OK || now.started_unix_ns != watch->process.started_unix_ns) return false;
    watch->process = now;
    return true;
}

static hsd_status capture_watch(cli_watch *watch, cli_shelved *next, hsd_live_result *result, hsd_error *err)
{
    const cli_options *options = &watch->cli->options;
    const hsd_live_options wanted = {.way = options->way,
                                     .with_values = options->with_values,
                                     .open_inspector = options->open_inspector,
                                     .timeout_seconds = (unsigned)((options->timeout_ms + 999) / 1000),
                                     .compression = options->has_level ? (int)options->level : 1,
                                     .symbol_directories = options->symbols,
                                     .symbol_directory_count = options->symbol_count};
    next->taken_ns = now_ns();
    HSD_TRY(hsd_live_capture(&watch->process, next->capture, false, &wanted, &watch->cli->run, result, err));
    const hsd_status status = keep_sums(watch, next, err);
    if (status != HSD_OK) {
        unlink(next->capture);
        return status;
    }
    cli_shelf_add(&watch->shelf, next);
    return watch->shelf.count < HSD_SERIES_LEAST ? HSD_OK : add_up_watch(watch, err);
}

/* One that failed is tried again when the next is due, a few times; the first must not fail. */
static cli_watch_end take_failure(cli_watch *watch, const hsd_error *err)
{
    if (cli_signal_seen() != 0) return CLI_WATCH_STOPPED;
    if (!watch_is_there(watch)) return CLI_WATCH_ENDED;
    watch->result = cli_report_error(watch->cli, err);
    if (watch->shelf.taken == 0 || ++watch->failures >= MOST_FAILURES) return CLI_WATCH_FAILED;
    cli_note(watch->cli, "the next capture is tried when it is due");
    return CLI_WATCH_GOES_ON;
}

/* What it has cost decides when the next may come. */
static void plan_next(cli_watch *watch, uint64_t began_ns, uint64_t cost_ns)
{
    const cli_options *options = &watch->cli->options;
    const uint64_t asked = options->every_ms * NS_A_MS, before = watch->every_ns;
    watch->every_ns = cli_watch_interval(asked, cost_ns, options->watch.budget_permille);
    watch->due_ns = began_ns + watch->every_ns;
    if (watch->every_ns > asked && watch->every_ns > before + before / 4) tell_budget(watch, cost_ns);
}

static uint64_t larger_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

static cli_watch_end take_one(cli_watch *watch)
{
    hsd_live_result result = {0};
    cli_shelved next;
    hsd_error err;
    hsd_error_init(&err);
    cli_watch_screen_clear(&watch->screen);
    if (watch->shelf.taken > 0 && !watch_is_there(watch)) return CLI_WATCH_ENDED;
    if (!cli_shelf_name(&watch->shelf, watch->cli, &watch->process, &next)) {
        watch->result = CLI_USAGE;
        return CLI_WATCH_FAILED;
    }
    const uint64_t began_ns = now_ns(), used_ns = processor_ns();
    const hsd_status status = capture_watch(watch, &next, &result, &err);
    cli_progress_clear();
    const uint64_t cost_ns = larger_of(processor_ns() - used_ns, result.pause_ns);
    if (status == HSD_OK) tell_taken(watch, &result);
    plan_next(watch, began_ns, cost_ns);
    if (status != HSD_OK) return take_failure(watch, &err);
    watch->failures = 0;
    if (is_proven(watch)) return CLI_WATCH_PROVEN;
    return watch->cli->options.count > 0 && watch->shelf.taken >= watch->cli->options.count ? CLI_WATCH_COUNTED
                                                                                            : CLI_WATCH_GOES_ON;
}

/* ---- the loop ---- */

/* True when memory has run short since the last capture. */
static bool came_near(cli_watch *watch)
{
    const unsigned percent = used_percent(&watch->memory), near = watch->cli->options.watch.near_percent;
    if (percent + RELIEF_PERCENT < near) watch->is_near = false;
    if (percent < near || watch->is_near) return false;
    watch->is_near = true;
    return true;
}

/* Until a capture is due, or something happens. */
static cli_watch_end wait_for_next(cli_watch *watch)
{
    for (;;) {
        if (hsd_live_memory_read(&watch->memory, watch->process.pid, NULL) != HSD_OK) return CLI_WATCH_ENDED;
        if (came_near(watch)) {
            cli_watch_screen_clear(&watch->screen);
            tell_near(watch);
            return CLI_WATCH_GOES_ON;
        }
        draw_watch(watch);
        const uint64_t now = now_ns();
        if (now >= watch->due_ns) return CLI_WATCH_GOES_ON;
        const uint64_t rest_ms = (watch->due_ns - now + NS_A_MS - 1) / NS_A_MS;
        if (!cli_child_sleep(NULL, rest_ms < TICK_MS ? rest_ms : TICK_MS)) return CLI_WATCH_STOPPED;
    }
}

static void fill_defaults(cli_options *options)
{
    if (options->every_ms == 0) options->every_ms = EVERY_MS;
    if (options->watch.budget_permille == 0) options->watch.budget_permille = BUDGET_PERMILLE;
    if (options->watch.near_percent == 0) options->watch.near_percent = NEAR_PERCENT;
}

cli_watch_end cli_watch_run(cli_watch *watch)
{
    fill_defaults(&watch->cli->options);
    cli_watch_screen_begin(&watch->screen, watch->cli);
    watch->began_ns = watch->due_ns = now_ns();
    watch->every_ns = watch->cli->options.every_ms * NS_A_MS;
    watch->is_near = hsd_live_memory_read(&watch->memory, watch->process.pid, NULL) == HSD_OK &&
                     used_percent(&watch->memory) >= watch->cli->options.watch.near_percent;
    cli_watch_end end = CLI_WATCH_GOES_ON;
    while (end == CLI_WATCH_GOES_ON) {
        end = wait_for_next(watch);
        if (end == CLI_WATCH_GOES_ON) end = take_one(watch);
    }
    cli_watch_screen_end(&watch->screen);
    return end;
}

void cli_watch_release(cli_watch *watch)
{
    hsd_series_free(watch->series);
    watch->series = NULL;
    cli_shelf_close(&watch->shelf);
}

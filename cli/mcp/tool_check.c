/*
 * check: a verdict by rules, as hsdiff check gives it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hsdiff/check.h>
#include <hsdiff/report.h>

#include "series.h"
#include "tools.h"

#define ROWS          8u
#define WIDTH         110u
#define SITE_TYPES    64u
#define LITTLE_BYTES  4096u
#define SECONDS_A_DAY 86400
#define RULES_NAME    ".hsdiff.yml"

typedef struct check_job {
    mcp_call *call;
    const char *paths[MCP_SERIES_MOST];
    size_t count;
    bool partial;
    hsd_check_config *config;
    hsd_series *series;
    mcp_heap *heap;
    hsd_profile *totals[2];
    hsd_sites *sites;
    hsd_check *check;
} check_job;

static const hsd_diff *diff_of(const check_job *job) { return job->heap ? hsd_browse_diff(job->heap->browse) : NULL; }

/* ---- rules */

static hsd_status read_rules_from(check_job *job, int fd, const char *path, hsd_error *err)
{
    char *text = malloc(HSD_CHECK_CONFIG_MOST + 1);
    size_t size = 0;
    ssize_t got = 1;
    if (!text) return hsd_fail(err, HSD_E_NOMEM, "out of memory for the rules");
    while (got > 0 && size <= HSD_CHECK_CONFIG_MOST) {
        got = read(fd, text + size, HSD_CHECK_CONFIG_MOST + 1 - size);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            size += (size_t)got;
    }
    const hsd_status status = got < 0 ? hsd_fail_errno(err, errno, "cannot be read")
                                      : hsd_check_config_read(&job->config, text, size, path, err);
    free(text);
    hsd_error_set_file(err, path);
    return status;
}

/* Those that are named; else .hsdiff.yml of an allowed folder; else those that are built in. */
static hsd_status read_rules(check_job *job, const char *path, hsd_error *err)
{
    const mcp_folders *folders = &job->call->state->folders;
    struct stat what;
    hsd_error found;
    int fd;
    hsd_error_init(&found);
    hsd_status status = mcp_folders_open_file(folders, path ? path : RULES_NAME, &fd, &what, &found);
    if (status != HSD_OK && !path && status == HSD_E_IO && found.sys_errno == ENOENT)
        return hsd_check_config_default(&job->config, job->count > 2, err);
    if (status != HSD_OK) {
        if (err) *err = found;
        return status;
    }
    status = read_rules_from(job, fd, path ? path : RULES_NAME, err);
    close(fd);
    return status;
}

/* ---- what is judged */

static hsd_status look_at_series(check_job *job, hsd_error *err)
{
    uint32_t warmup;
    const uint64_t noise = job->config->has_min && job->config->min_bytes > 0 ? job->config->min_bytes : LITTLE_BYTES;
    HSD_TRY(hsd_check_warmup(job->config, job->count, &warmup, err));
    return mcp_series_run(job->call, job->paths, job->count, warmup, job->partial, noise, &job->series, err);
}

static hsd_status look_at_pair(check_job *job, hsd_error *err)
{
    mcp_heaps *heaps = &job->call->state->heaps;
    mcp_heap_view view;
    HSD_TRY(mcp_heaps_open(heaps, job->paths, 2, job->partial, false, &view, err));
    HSD_TRY(mcp_heaps_browse(heaps, view.heap, err));
    job->heap = view.heap;
    return HSD_OK;
}

static bool wants_metrics(const hsd_check_config *config)
{
    for (size_t i = 0; i < config->rule_count; i++)
        if (config->rules[i].measure == HSD_MEASURE_CAPTURE && config->rules[i].level != HSD_LEVEL_OFF) return true;
    return false;
}

static hsd_status measure_pair(check_job *job, hsd_error *err)
{
    const hsd_profile_options wanted = {.summary_only = true, .no_places = true, .partial = job->partial};
    for (size_t i = 0; job->heap && wants_metrics(job->config) && i < 2; i++)
        HSD_TRY(hsd_profile_make(&job->totals[i], job->heap->files[i].capture, &wanted, &job->call->state->run, err));
    return HSD_OK;
}

static int32_t day_of_today(void) { return (int32_t)(time(NULL) / SECONDS_A_DAY); }

static hsd_status judge_rules(check_job *job, hsd_error *err)
{
    hsd_check_options options = {.today = day_of_today(), .allow_incomplete = job->partial, .sites = job->sites};
    for (size_t i = 0; i < 2; i++)
        if (job->totals[i])
            options.metrics[i] = (hsd_check_metrics){job->totals[i]->metrics, job->totals[i]->metric_count};
    hsd_check_free(job->check);
    job->check = NULL;
    return hsd_check_run(&job->check, job->config, diff_of(job), job->series, &options, err);
}

/* Again where something failed and the captures say who holds it, or where it was allocated. */
static hsd_status judge_captures(check_job *job, hsd_error *err)
{
    hsd_text types[SITE_TYPES];
    HSD_TRY(measure_pair(job, err));
    HSD_TRY(judge_rules(job, err));
    if (job->series &&
        (job->check->failed + job->check->warned > 0 || hsd_check_wants_pair(job->config, job->series))) {
        HSD_TRY(mcp_series_ask(job->call, job->series, job->paths, job->partial, err));
        return job->series->pair ? judge_rules(job, err) : HSD_OK;
    }
    const size_t count = job->heap ? hsd_check_types_wanted(job->check, types, SITE_TYPES) : 0;
    if (count == 0) return HSD_OK;
    HSD_TRY(hsd_sites_run(&job->sites, job->heap->files[0].capture, job->heap->files[1].capture, types, count,
                          &job->call->state->run, err));
    return job->sites->are_known ? judge_rules(job, err) : HSD_OK;
}

/* ---- the answer */

static void put_verdict(check_job *job)
{
    const int result = hsd_check_exit(job->check);
    const char *verdict = result == 0 ? "passed" : result == 1 ? "failed" : "cannot be judged";
    mcp_call *call = job->call;
    mcp_put_format(&call->text, "The check %s: %zu of %zu rules failed.\n\n",
                   result == 3 ? "cannot judge all" : verdict, job->check->failed, job->check->row_count);
    mcp_put_fact_text(call, "verdict", verdict, strlen(verdict));
    mcp_put_fact_number(call, "failed", (int64_t)job->check->failed);
    mcp_put_fact_number(call, "warned", (int64_t)job->check->warned);
    mcp_put_fact_number(call, "passed", (int64_t)job->check->passed);
}

static void put_comparison(check_job *job)
{
    const char *ends[2] = {job->paths[0], job->paths[job->count - 1]};
    mcp_text arguments = {.most = 600};
    mcp_put_captures(&arguments, ends, 2);
    if (job->check->failed + job->check->warned > 0 && !arguments.is_cut)
        mcp_put_next(job->call, "compare", &arguments, "all that grew, and what holds it");
    mcp_text_release(&arguments);
}

static hsd_status answer_check(check_job *job, const char *rules, hsd_error *err)
{
    const hsd_report_options options = {.top = ROWS, .width = WIDTH};
    mcp_text report = {0};
    HSD_TRY(read_rules(job, rules, err));
    HSD_TRY(job->count > 2 ? look_at_series(job, err) : look_at_pair(job, err));
    HSD_TRY(judge_captures(job, err));
    put_verdict(job);
    hsd_status status = hsd_report_format_find("text")->write_check(job->check, &options, mcp_text_write, &report, err);
    if (status == HSD_OK) status = mcp_put_report(job->call, &report, NULL);
    mcp_text_release(&report);
    put_comparison(job);
    return status;
}

static void release_check_job(check_job *job)
{
    hsd_check_free(job->check);
    hsd_sites_free(job->sites);
    for (size_t i = 0; i < 2; i++)
        hsd_profile_free(job->totals[i]);
    hsd_series_free(job->series);
    hsd_check_config_free(job->config);
}

static const char *const arguments[] = {"captures", "rules", "partial", NULL};

static hsd_status run_check(mcp_call *call, hsd_error *err)
{
    check_job job = {.call = call};
    const char *rules;
    HSD_TRY(mcp_take_texts(call, "captures", 2, MCP_SERIES_MOST, job.paths, &job.count, err));
    HSD_TRY(mcp_take_text(call, "rules", false, &rules, err));
    HSD_TRY(mcp_take_flag(call, "partial", &job.partial, err));
    const hsd_status status = answer_check(&job, rules, err);
    release_check_job(&job);
    return status;
}

const mcp_tool mcp_tool_check = {
    .name = "check",
    .title = "Judge growth by rules",
    .description =
        "Passes or fails the growth between two captures, or over a series of rounds, by rules: those of .hsdiff.yml, "
        "else built-in ones. Use it to tell a leak from a cache that fills up (six captures or more, the same work "
        "between each two), and to prove that a fix works: it must fail before the fix and pass after it.",
    .schema = "\"captures\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":2,\"maxItems\":100,"
              "\"description\":\"files, oldest first\"},"
              "\"rules\":{\"type\":\"string\",\"description\":\"a file of rules; by default .hsdiff.yml if it is "
              "there\"},"
              "\"partial\":{\"type\":\"boolean\",\"description\":\"also judge what is damaged or cut off\"}},"
              "\"required\":[\"captures\"]",
    .arguments = arguments,
    .next = "check {\"captures\":[\"before.hs\",\"after.hs\"]}; list_captures {} lists files",
    .run = run_check,
};

/*
 * Two threads besides the one that answers:
 *
 *      main    listens, prints the address, waits ──────────────────────────► stops the server ─► frees
 *      work       opens, imports ─► compares ─► report ─► index ─► done, or what failed
 *
 * Ctrl-C, TERM and HUP are the usual end of a viewer: once there is no more work they are dealt with, and the exit
 * status is that of the work. Work that fails before anybody has looked ends it as well.
 */
#include "viewer.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/output.h>
#include <hsdiff/view.h>

#include "browser.h"
#include "out.h"
#include "outlets.h"
#include "progress.h"
#include "report_error.h"
#include "sandbox/sandbox.h"
#include "series.h"
#include "signals.h"

enum { IDLE_SECONDS = 30 * 60 };

typedef struct viewer {
    cli_app *cli;
    hsd_view *view;
    cli_input *captured; /* NULL = the inputs of the command line */
    cli_input inputs[2];
    size_t input_count;
    hsd_browse *browse;
    hsd_series *series;
    cli_browser browser;
    hsd_status status; /* of the work, valid once its thread ended */
    int result;        /* and as an exit status */
} viewer;

/* ---- the work ---- */

static hsd_status take_report(void *context, const hsd_diff *diff, const hsd_top *top, hsd_error *err)
{
    const viewer *all = context;
    (void)top; /* the page asks for types and roots of a single capture */
    return diff ? hsd_view_set_report(all->view, diff, NULL, err) : HSD_OK;
}

static hsd_status open_inputs(viewer *all, hsd_error *err)
{
    cli_app *cli = all->cli;
    if (all->captured) {
        all->inputs[0] = *all->captured;
        return HSD_OK;
    }
    for (size_t i = 0; i < all->input_count; i++)
        all->inputs[i] = (cli_input){.path = cli->inputs[i]};
    return cli_inputs_open(all->inputs, all->input_count, cli, false, cli_damage_wanted(cli), err);
}

static hsd_status browse_inputs(viewer *all, hsd_error *err)
{
    const cli_options *options = &all->cli->options;
    const hsd_diff_options diff = {.partial = options->partial,
                                   .match_by = (hsd_match_by)options->match,
                                   .keys = options->keys,
                                   .key_count = options->key_count};
    const hsd_browse_options wanted = {.diff = &diff, .report = take_report, .report_context = all};
    HSD_TRY(open_inputs(all, err));
    hsd_capture *captures[2] = {all->inputs[0].capture, all->inputs[1].capture};
    HSD_TRY(hsd_browse_open(&all->browse, captures, all->input_count, &wanted, &all->cli->run, err));
    cli_out_tell_space(all->cli, hsd_browse_temp_bytes_peak(all->browse));
    hsd_view_set_browse(all->view, all->browse, NULL);
    return HSD_OK;
}

static hsd_status add_up_inputs(viewer *all, hsd_error *err)
{
    HSD_TRY(cli_series_run(&all->series, all->cli, 0, all->cli->options.noise_bytes, NULL, err));
    cli_out_tell_space(all->cli, all->series->temp_bytes_peak);
    HSD_TRY(hsd_view_set_report(all->view, NULL, all->series, err));
    hsd_view_set_browse(
        all->view, NULL,
        "more than two captures are compared by their sums; to browse objects, view one or two of them");
    return HSD_OK;
}

static void *work(void *context)
{
    viewer *all = context;
    hsd_error err;
    hsd_error_init(&err);
    all->status = all->input_count > 2 ? add_up_inputs(all, &err) : browse_inputs(all, &err);
    cli_progress_clear();
    if (all->status == HSD_OK) return NULL;
    hsd_view_set_error(all->view, &err);
    all->result = cli_report_error(all->cli, &err);
    return NULL;
}

/* ---- begin, wait, end ---- */

static hsd_view_options view_options(const cli_app *cli, const hsd_report_options *report)
{
    const cli_options *options = &cli->options;
    return (hsd_view_options){.port = (uint16_t)options->port,
                              .use_ipv6 = options->ipv6,
                              .idle_seconds = options->never_idle    ? 0
                                              : options->idle_ms > 0 ? (unsigned)((options->idle_ms + 999) / 1000)
                                                                     : IDLE_SECONDS,
                              .report = report};
}

static hsd_status name_captures(const viewer *all, hsd_error *err)
{
    if (!all->captured) return hsd_view_set_captures(all->view, all->cli->inputs, all->input_count, err);
    return hsd_view_set_captures(all->view, &all->captured->path, 1, err);
}

/* One line, at once: programs wait for it. -o of a capture is the capture's. */
static hsd_status print_address(const viewer *all, hsd_error *err)
{
    const cli_options *options = &all->cli->options;
    const char *address = hsd_view_address(all->view);
    hsd_result_file *file;
    HSD_TRY(hsd_result_file_open(&file, options->output && !all->captured ? options->output : "-", options->force,
                                 err));
    hsd_status status = hsd_result_file_write(file, address, strlen(address), err);
    if (status == HSD_OK) status = hsd_result_file_write(file, "\n", 1, err);
    if (status == HSD_OK) status = hsd_result_file_finish(file, err);
    hsd_result_file_close(file);
    return status;
}

/* What failed is told here, at once, unless a page shows it: one that was opened, or is about to be. */
static bool is_asked_to_stop(void *context)
{
    viewer *all = context;
    cli_browser_look(&all->browser, all->cli);
    return cli_signal_seen() != 0 || (!all->cli->options.open && hsd_view_failed_unseen(all->view));
}

static hsd_status serve_viewer(viewer *all, hsd_error *err)
{
    pthread_t thread;
    HSD_TRY(name_captures(all, err));
    HSD_TRY(print_address(all, err));
    cli_progress_share(hsd_view_progress, all->view);
    cli_sandbox_end_listening(all->cli);
    const int error = pthread_create(&thread, NULL, work, all);
    if (error != 0) return hsd_fail_errno(err, error, "no thread can be started");
    if (all->cli->options.open) cli_browser_open(&all->browser, all->cli, hsd_view_address(all->view));
    const bool ended_idle = hsd_view_wait(all->view, is_asked_to_stop, all);
    pthread_join(thread, NULL);
    if (ended_idle) cli_note(all->cli, "nobody has asked for a while, and the viewer ends (--idle)");
    if (all->status != HSD_E_CANCELLED) cli_signals_take();
    return HSD_OK;
}

static void close_all(viewer *all)
{
    hsd_view_stop(all->view);
    hsd_browse_close(all->browse);
    hsd_series_free(all->series);
    if (!all->captured) cli_inputs_close(all->inputs, all->input_count > 2 ? 0 : all->input_count);
}

/* A name that was mistyped is told before there is an address to open. */
static hsd_status find_inputs(const viewer *all, hsd_error *err)
{
    for (size_t i = 0; !all->captured && i < all->input_count; i++) {
        const char *path = all->cli->inputs[i];
        if (strcmp(path, "-") == 0 || access(path, R_OK) == 0) continue;
        hsd_fail_errno(err, errno, "cannot be opened");
        hsd_error_set_file(err, path);
        return HSD_E_IO;
    }
    return HSD_OK;
}

/* What the sandbox does not give later is got before: the library of the server, and who opens a browser. */
static void give_up_rights(viewer *all)
{
    if (all->cli->options.open) cli_browser_prepare(&all->browser);
    (void)hsd_view_is_known();
    if (cli_sandbox_is_late(all->cli)) cli_sandbox_enter(all->cli);
}

int cli_viewer_run(cli_app *cli, cli_input *captured)
{
    viewer all = {
        .cli = cli, .captured = captured, .input_count = captured ? 1 : cli->input_count, .browser = {.address = -1}};
    hsd_report_options report = cli_report_options(cli, true);
    report.tree = true;
    const hsd_view_options options = view_options(cli, &report);
    hsd_error err;
    hsd_error_init(&err);
    hsd_status status = find_inputs(&all, &err);
    if (status == HSD_OK) give_up_rights(&all);
    if (status == HSD_OK) status = hsd_view_start(&all.view, &options, &err);
    if (status == HSD_OK) status = serve_viewer(&all, &err);
    cli_browser_forget(&all.browser);
    cli_progress_share(NULL, NULL);
    if (status != HSD_OK) all.result = cli_report_error(cli, &err);
    close_all(&all);
    return all.result;
}

/* ---- usage ---- */

static size_t standard_inputs(const cli_app *cli)
{
    size_t count = 0;
    for (size_t i = 0; i < cli->input_count; i++)
        count += strcmp(cli->inputs[i], "-") == 0;
    return count;
}

bool cli_viewer_is_usable(const cli_app *cli)
{
    if (cli->input_count > 2) return cli_series_is_usable(cli);
    if (standard_inputs(cli) > 1)
        cli_complain("only one of the two inputs can be standard input.");
    else
        return true;
    return false;
}

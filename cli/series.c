/*
 * Captures of the command line as a source for the library: each is opened when its turn comes, of small ones two at
 * once, or the first three, and closed before the one behind the next, so a thousand foreign dumps need the temporary
 * space of two, or three small ones; and of the two that a diff may ask for in the end, where they are small.
 */
#include "series.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"
#include "report_error.h"

static hsd_cohort_wish cohorts_wanted(const cli_options *options)
{
    if (options->no_cohorts) return HSD_COHORTS_NEVER;
    return options->cohorts || options->survivors ? HSD_COHORTS_ALWAYS : HSD_COHORTS_IF_CHEAP;
}

/* ---- the source ---- */

#define KEPT_OBJECTS UINT64_C(1000000) /* at most, of a capture that stays open */

#define MOST_OPEN 3u

typedef struct opened { /* by the rest of their places */
    cli_app *cli;
    cli_input inputs[MOST_OPEN];
    cli_input_ahead ahead[CLI_INPUT_MOST_NEXT]; /* those behind the last one that were opened beside it */
    size_t first;                               /* the one that a diff would begin with */
    cli_input *kept; /* that and the last one, once they are through; NULL = there will be none */
} opened;

static hsd_status open_or_take(opened *all, size_t i, cli_input *input, hsd_error *err)
{
    const cli_options *options = &all->cli->options;
    const hsd_damage damage = cli_damage_wanted(all->cli);
    if (all->ahead[0].input.path) {
        const hsd_status status = cli_input_take(input, &all->ahead[0], all->cli, err);
        all->ahead[0] = all->ahead[1];
        all->ahead[1] = (cli_input_ahead){.status = HSD_OK};
        return status;
    }
    *input = (cli_input){.path = all->cli->inputs[i]};
    const size_t count = all->cli->input_count;
    const bool is_odd = count % 2 == 1 && count > 3;
    if (i + 1 == count || cohorts_wanted(options) == HSD_COHORTS_ALWAYS)
        return cli_inputs_open(input, 1, all->cli, options->summary, damage, err);
    return cli_input_open_with_next(input, &all->cli->inputs[i + 1], is_odd && i == 0 ? 2 : 1, all->ahead, all->cli,
                                    options->summary, damage, err);
}

static hsd_status open_one(void *context, size_t i, hsd_capture **out, hsd_error *err)
{
    opened *all = context;
    cli_input *input = &all->inputs[i % MOST_OPEN];
    HSD_TRY(open_or_take(all, i, input, err));
    *out = input->capture;
    return HSD_OK;
}

static bool stays_open(const opened *all, size_t i, const cli_input *input)
{
    if (!all->kept || all->cli->options.summary) return false;
    if (i != all->first && i + 1 != all->cli->input_count) return false;
    return hsd_capture_get_info(input->capture)->objects <= KEPT_OBJECTS;
}

static void close_one(void *context, size_t i, hsd_capture *capture)
{
    opened *all = context;
    cli_input *input = &all->inputs[i % MOST_OPEN];
    (void)capture;
    if (stays_open(all, i, input))
        all->kept[i != all->first] = *input;
    else
        cli_inputs_close(input, 1);
    *input = (cli_input){0};
}

/* Before hours of work: what is not there at all. */
static hsd_status look_for_all(const cli_app *cli, hsd_error *err)
{
    struct stat what;
    for (size_t i = 0; i < cli->input_count; i++) {
        const char *path = cli->inputs[i];
        if (strcmp(path, "-") == 0 || stat(path, &what) == 0) continue;
        hsd_fail_errno(err, errno, "cannot be opened");
        hsd_error_set_file(err, path);
        return err->status;
    }
    return HSD_OK;
}

hsd_status cli_series_run(hsd_series **out, cli_app *cli, uint32_t warmup, uint64_t noise_bytes, cli_input inputs[2],
                          hsd_error *err)
{
    const cli_options *options = &cli->options;
    opened all = {.cli = cli, .first = warmup, .kept = inputs};
    const hsd_series_source source = {.count = cli->input_count,
                                      .open = open_one,
                                      .close = close_one,
                                      .context = &all,
                                      .labels = options->label_count > 0 ? options->labels : NULL};
    const hsd_series_options wanted = {.struct_bytes = sizeof wanted,
                                       .before_count = cli->first_group,
                                       .warmup = warmup,
                                       .noise_bytes = noise_bytes,
                                       .cohorts = cohorts_wanted(options),
                                       .no_places = options->no_holders,
                                       .summary_only = options->summary,
                                       .partial = options->partial,
                                       .limit_bytes = options->limit_bytes,
                                       .asks_pair = cli->first_group == 0};
    HSD_TRY(look_for_all(cli, err));
    const hsd_status status = hsd_series_run(out, &source, &wanted, &cli->run, err);
    for (size_t i = 0; i < CLI_INPUT_MOST_NEXT; i++)
        cli_inputs_close(&all.ahead[i].input, 1);
    return status;
}

/* ---- who holds it ---- */

bool cli_can_be_read_again(const char *path)
{
    struct stat what;
    const int failed = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &what) : stat(path, &what);
    return failed || S_ISREG(what.st_mode);
}

/* What there is to say of opening them was said the first time. */
static hsd_status open_again(cli_input inputs[2], cli_app *cli, hsd_error *err)
{
    const bool is_quiet = cli->options.quiet;
    cli->options.quiet = true;
    const hsd_status status = cli_inputs_open(inputs, 2, cli, false, cli_damage_wanted(cli), err);
    cli->options.quiet = is_quiet;
    return status;
}

/* What was walked of captures that are still open is not walked again. */
static hsd_status compare_series(hsd_diff **out, const hsd_series *series, cli_app *cli, cli_input inputs[2],
                                 hsd_error *err)
{
    hsd_diff_options wanted = {.struct_bytes = sizeof wanted, .partial = cli->options.partial};
    if (inputs[0].capture)
        wanted.walked = series->walked;
    else
        HSD_TRY(open_again(inputs, cli, err));
    return hsd_diff_run(out, inputs[0].capture, inputs[1].capture, &wanted, &cli->run, err);
}

static bool is_input_of(const cli_input *input, const char *path) { return input->capture && input->path == path; }

hsd_status cli_series_ask(hsd_series *series, cli_app *cli, cli_input inputs[2], hsd_error *err)
{
    hsd_diff *pair;
    hsd_error failed;
    size_t from, to;
    hsd_error_init(&failed);
    if (!hsd_series_find_pair(series, &from, &to)) return HSD_OK;
    const char *paths[] = {cli->inputs[from], cli->inputs[to]};
    const bool are_open = is_input_of(&inputs[0], paths[0]) && is_input_of(&inputs[1], paths[1]);
    for (size_t i = 0; i < 2; i++) {
        if (strcmp(paths[i], "-") == 0 || !cli_can_be_read_again(paths[i])) return HSD_OK;
        if (are_open) continue;
        cli_inputs_close(&inputs[i], 1);
        inputs[i] = (cli_input){.path = paths[i]};
    }
    const hsd_status status = compare_series(&pair, series, cli, inputs, &failed);
    if (status == HSD_OK) return hsd_series_take_pair(series, pair, from, to, err);
    cli_progress_clear();
    if (status == HSD_E_CANCELLED || status == HSD_E_NOMEM) {
        *err = failed;
        return status;
    }
    cli_note(cli, "who holds what grows was not asked: %s%s%s", failed.file, failed.file[0] ? ": " : "", failed.text);
    return HSD_OK;
}

/* ---- usage ---- */

static size_t standard_inputs(const cli_app *cli)
{
    size_t count = 0;
    for (size_t i = 0; i < cli->input_count; i++)
        count += strcmp(cli->inputs[i], "-") == 0;
    return count;
}

/* Options of two captures that say nothing about a series; NULL when none was given. */
static const char *option_of_two(const cli_options *options)
{
    return options->diff.objects                     ? "--objects"
           : options->key_count > 0                  ? "--key"
           : options->diff.tree                      ? "--tree"
           : options->match != 0                     ? "--match"
           : options->diff.sort != 0                 ? "--sort"
           : options->table == HSD_TABLE_TREE        ? "--table tree"
           : options->table == HSD_TABLE_UNCOLLECTED ? "--table uncollected"
                                                     : NULL;
}

bool cli_series_is_usable(const cli_app *cli)
{
    const cli_options *options = &cli->options;
    const size_t count = cli->input_count;
    if (count > HSD_SERIES_MOST)
        cli_complain("a series has at most 1,000 captures, and %zu were given.", count);
    else if (standard_inputs(cli) > 1)
        cli_complain("only one of the inputs can be standard input.");
    else if (option_of_two(options))
        cli_complain("%s is for two captures, and %zu were given.", option_of_two(options), count);
    else if (options->label_count > 0 && options->label_count != count)
        cli_complain("--label was given %zu time%s for %zu captures: give it once for each, in their order.",
                     options->label_count, options->label_count == 1 ? "" : "s", count);
    else if (count > 2 && options->dump_numbers[0] != options->dump_numbers[1])
        cli_complain("--dump N,M is for two captures, and %zu were given: --dump N takes the same one of each.", count);
    else if (options->has_warmup && options->warmup + 2 > count)
        cli_complain("--warmup %llu leaves fewer than two of %zu captures.", (unsigned long long)options->warmup,
                     count);
    else if (options->survivors && count != 3)
        cli_complain("--survivors takes three captures (a baseline, a target and a final one), and %zu were given.",
                     count);
    else if (options->survivors && cli->first_group > 0)
        cli_complain("--survivors takes one series and no groups.");
    else if (options->no_cohorts && (options->cohorts || options->survivors))
        cli_complain("%s and --no-cohorts exclude each other.", options->cohorts ? "--cohorts" : "--survivors");
    else
        return true;
    return false;
}

/* ---- hsdiff series ---- */

static hsd_status write_report(const hsd_report_format *format, const hsd_report_options *options, const void *what,
                               hsd_write_fn write, void *context, hsd_error *err)
{
    return format->write_series(what, options, write, context, err);
}

static int run_series_with(cli_app *cli, cli_outlets *outlets)
{
    hsd_series *series = NULL;
    hsd_error err;
    hsd_error_init(&err);
    cli_input inputs[2] = {0};
    hsd_status status =
        cli_series_run(&series, cli, (uint32_t)cli->options.warmup, cli->options.noise_bytes, inputs, &err);
    if (status == HSD_OK && hsd_series_wants_pair(series)) status = cli_series_ask(series, cli, inputs, &err);
    cli_inputs_close(inputs, 2);
    cli_progress_clear();
    if (status == HSD_OK) {
        cli_out_tell_space(cli, series->temp_bytes_peak);
        status = cli_outlets_write(outlets, cli, write_report, series, &err);
    }
    hsd_series_free(series);
    return status == HSD_OK ? CLI_DONE : cli_report_error(cli, &err);
}

int cli_run_series(cli_app *cli)
{
    if (!cli_series_is_usable(cli)) return CLI_USAGE;
    return cli_outlets_run(cli, HSD_HOLDS_SERIES, run_series_with);
}

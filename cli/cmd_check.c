/*
 * hsdiff check BEFORE AFTER [MORE…]: rules about growth, for a build server.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options/common.h"
#include "options/config.h"
#include "progress.h"
#include "report_error.h"
#include "series.h"
#include <hsdiff/profile.h>

#define SITE_TYPES_MOST 64u
#define LITTLE_BYTES    4096u

typedef struct check_job { /* everything that lives until the report is written */
    cli_app *cli;
    cli_outlets *outlets; /* NULL with --init */
    hsd_check_config *config;
    cli_input inputs[2];
    hsd_diff *diff;
    hsd_series *series;
    hsd_profile *totals[2]; /* with rules about what the captures measured themselves */
    hsd_sites *sites;
    hsd_check *check;
} check_job;

static bool is_series(const cli_app *cli) { return cli->input_count > 2; }

static hsd_status warmup_of(const check_job *job, uint32_t *out, hsd_error *err)
{
    const cli_app *cli = job->cli;
    *out = (uint32_t)cli->options.warmup;
    if (cli->options.has_warmup) return HSD_OK;
    if (job->config) return hsd_check_warmup(job->config, cli->input_count, out, err);
    *out = cli->input_count >= 4 ? 1 : 0;
    return HSD_OK;
}

/* ---- the captures ---- */

static hsd_status compare_two(check_job *job, hsd_error *err)
{
    cli_app *cli = job->cli;
    const cli_options *options = &cli->options;
    const hsd_diff_options wanted = {
        .summary_only = options->summary, .no_holders = options->no_holders, .partial = options->partial};
    for (size_t i = 0; i < 2; i++)
        job->inputs[i].path = cli->inputs[i];
    HSD_TRY(cli_inputs_open(job->inputs, 2, cli, options->summary, cli_damage_wanted(cli), err));
    return hsd_diff_run(&job->diff, job->inputs[0].capture, job->inputs[1].capture, &wanted, &cli->run, err);
}

/* Rules say what matters, so little is left to noise. */
static uint64_t noise_of(const check_job *job)
{
    if (job->cli->options.noise_bytes > 0) return job->cli->options.noise_bytes;
    return job->config && job->config->has_min && job->config->min_bytes > 0 ? job->config->min_bytes : LITTLE_BYTES;
}

static hsd_status look_at_captures(check_job *job, hsd_error *err)
{
    uint32_t warmup;
    if (!is_series(job->cli)) return compare_two(job, err);
    HSD_TRY(warmup_of(job, &warmup, err));
    return cli_series_run(&job->series, job->cli, warmup, noise_of(job), job->inputs, err);
}

/* ---- what the captures measured themselves ---- */

static bool asks_for_metrics(const hsd_check_config *config)
{
    for (size_t i = 0; i < config->rule_count; i++)
        if (config->rules[i].measure == HSD_MEASURE_CAPTURE && config->rules[i].level != HSD_LEVEL_OFF) return true;
    return false;
}

/* What --partial takes may end before all that a profile is made of: then it measured nothing. */
static bool is_bearable(const check_job *job, hsd_status status)
{
    return job->cli->options.partial &&
           (status == HSD_E_CORRUPT || status == HSD_E_TRUNCATED || status == HSD_E_UNSUPPORTED);
}

static hsd_status read_metrics(check_job *job, hsd_error *err)
{
    const hsd_profile_options wanted = {.summary_only = true, .no_places = true, .partial = job->cli->options.partial};
    if (!job->diff || !asks_for_metrics(job->config)) return HSD_OK;
    for (size_t i = 0; i < 2; i++) {
        const hsd_status status =
            hsd_profile_make(&job->totals[i], job->inputs[i].capture, &wanted, &job->cli->run, err);
        if (status != HSD_OK && !is_bearable(job, status)) return status;
    }
    return HSD_OK;
}

/* ---- judging ---- */

static hsd_status judge_once(check_job *job, hsd_error *err)
{
    hsd_check_options options = {
        .today = cli_today(), .allow_incomplete = job->cli->options.partial, .sites = job->sites};
    for (size_t i = 0; i < 2; i++)
        if (job->totals[i])
            options.metrics[i] = (hsd_check_metrics){job->totals[i]->metrics, job->totals[i]->metric_count};
    hsd_check_free(job->check);
    job->check = NULL;
    return hsd_check_run(&job->check, job->config, job->diff, job->series, &options, err);
}

/* Of a series that fails: who holds what grew, by a diff of two of its captures. What passes costs nothing more, unless
 * a rule names a holder. */
static hsd_status ask_who_holds_it(check_job *job, hsd_error *err)
{
    if (!job->series || job->cli->options.no_holders) return HSD_OK;
    const bool is_asked = job->check->failed + job->check->warned > 0 || hsd_check_wants_pair(job->config, job->series);
    if (!is_asked) return HSD_OK;
    HSD_TRY(cli_series_ask(job->series, job->cli, job->inputs, err));
    return job->series->pair ? judge_once(job, err) : HSD_OK;
}

/* Again where something failed and the captures say who holds it, or where it was allocated. */
static hsd_status judge_captures(check_job *job, hsd_error *err)
{
    hsd_text types[SITE_TYPES_MOST];
    HSD_TRY(read_metrics(job, err));
    HSD_TRY(judge_once(job, err));
    HSD_TRY(ask_who_holds_it(job, err));
    if (!job->diff && !job->series->pair) return HSD_OK;
    const size_t count = hsd_check_types_wanted(job->check, types, SITE_TYPES_MOST);
    if (count == 0) return HSD_OK;
    HSD_TRY(hsd_sites_run(&job->sites, job->inputs[0].capture, job->inputs[1].capture, types, count, &job->cli->run,
                          err));
    return job->sites->are_known ? judge_once(job, err) : HSD_OK;
}

/* With what to type next, unless -q. */
static hsd_status write_report(const hsd_report_format *format, const hsd_report_options *options, const void *what,
                               hsd_write_fn write, void *context, hsd_error *err)
{
    const check_job *job = what;
    hsd_report_options report = *options;
    if (!job->cli->options.quiet) {
        report.before_command = job->cli->inputs[0];
        report.after_command = job->cli->inputs[job->cli->input_count - 1];
    }
    return format->write_check(job->check, &report, write, context, err);
}

/* ---- baselines ---- */

static bool is_baseline(const cli_app *cli, const char *path)
{
    hsd_capture *capture = NULL;
    hsd_error ignored;
    hsd_error_init(&ignored);
    if (hsd_capture_open(&capture, path, HSD_DAMAGE_SKIP, &cli->run, &ignored) != HSD_OK) return false;
    const bool is_one = hsd_capture_get_info(capture)->is_baseline;
    hsd_capture_close(capture);
    return is_one;
}

/* A dump that is replaced by sums is gone: only baselines are, unless --force says otherwise. */
static hsd_status protect_captures(const check_job *job, hsd_error *err)
{
    const cli_app *cli = job->cli;
    const char *path = cli->inputs[0];
    struct stat what;
    if (!cli->options.check.update_baseline || cli->options.force) return HSD_OK;
    /* if missing: said later */
    if (stat(path, &what) != 0 || (S_ISREG(what.st_mode) && is_baseline(cli, path))) return HSD_OK;
    hsd_fail(err, HSD_E_NOT_FOUND, "is no baseline: --update-baseline would put sums in the place of a whole capture");
    hsd_error_set_file(err, path);
    hsd_error_set_hint(
        err,
        "make a baseline beside it (hsdiff baseline CAPTURE -o base.hs), or use --force to replace it all the same");
    return err->status;
}

static hsd_status write_baseline(const check_job *job, hsd_capture *capture, hsd_error *err)
{
    const cli_options *options = &job->cli->options;
    const hsd_baseline_options wanted = {
        .places = (size_t)options->places, .identities = options->identities, .force = true};
    return hsd_baseline_write(capture, job->cli->inputs[0], &wanted, &job->cli->run, NULL, err);
}

/* The sums of the last capture in the place of the first. Of two it is open still; --summary did not read all of it. */
static hsd_status update_baseline(check_job *job, hsd_error *err)
{
    cli_app *cli = job->cli;
    cli_input last = {.path = cli->inputs[cli->input_count - 1]};
    if (job->inputs[1].capture && !cli->options.summary) {
        HSD_TRY(write_baseline(job, job->inputs[1].capture, err));
    } else {
        HSD_TRY(cli_inputs_open(&last, 1, cli, false, HSD_DAMAGE_REFUSE, err));
        const hsd_status status = write_baseline(job, last.capture, err);
        cli_inputs_close(&last, 1);
        HSD_TRY(status);
    }
    cli_note(cli, "%s now holds the sums of %s.%s", cli->inputs[0],
             strcmp(last.path, "-") == 0 ? "standard input" : last.path,
             cli->options.check.signed_by ? " Its signature is of what it held before: sign it again." : "");
    return HSD_OK;
}

/* What to do about a baseline that is not there yet. */
static void suggest_baseline(const cli_app *cli, hsd_error *err)
{
    const bool is_missing = err->status == HSD_E_IO && err->sys_errno == ENOENT && !err->hint[0];
    if (is_missing && strcmp(err->file, cli->inputs[0]) == 0)
        hsd_error_set_hint(err, "hsdiff baseline CAPTURE -o %s   makes one of a capture that is good", cli->inputs[0]);
}

/* A gate that passes while the process grows, in memory that no rule of its looks at, says so. */
static void tell_unseen(const check_job *job)
{
    hsd_series_unseen unseen;
    char grown[HSD_NUMBER_CHARS], before[HSD_NUMBER_CHARS], after[HSD_NUMBER_CHARS];
    if (!job->series || hsd_check_exit(job->check) != CLI_DONE || asks_for_metrics(job->config) ||
        !hsd_series_find_unseen(job->series, &unseen))
        return;
    cli_note(job->cli,
             "the process grew in every round (resident memory, %s -> %s), by %s more than its heap: a C library, "
             "memory that is mapped directly, or an allocator has it, and no rule looks at that; one with the metric "
             "metric:process.rss does.",
             hsd_format_bytes(before, unseen.resident_before), hsd_format_bytes(after, unseen.resident_after),
             hsd_format_bytes(grown, unseen.bytes));
}

/* ---- the command ---- */

static hsd_status check_captures(check_job *job, hsd_error *err)
{
    cli_app *cli = job->cli;
    HSD_TRY(protect_captures(job, err));
    HSD_TRY(look_at_captures(job, err));
    HSD_TRY(judge_captures(job, err));
    cli_progress_clear();
    cli_out_tell_space(cli, job->diff ? job->diff->temp_bytes_peak : job->series->temp_bytes_peak);
    HSD_TRY(cli_outlets_write(job->outlets, cli, write_report, job, err));
    tell_unseen(job);
    if (!cli->options.check.update_baseline) return HSD_OK;
    if (hsd_check_exit(job->check) != CLI_DAMAGED) return update_baseline(job, err);
    cli_note(cli, "%s was left as it is: captures that cannot be judged make no baseline.", cli->inputs[0]);
    return HSD_OK;
}

static void release_check(check_job *job)
{
    hsd_check_free(job->check);
    hsd_sites_free(job->sites);
    for (size_t i = 0; i < 2; i++)
        hsd_profile_free(job->totals[i]);
    hsd_diff_free(job->diff);
    hsd_series_free(job->series);
    cli_inputs_close(job->inputs, 2);
    hsd_check_config_free(job->config);
}

static int exit_of(const check_job *job)
{
    const int result = hsd_check_exit(job->check);
    return result == CLI_FAILED && job->cli->options.check.update_baseline ? CLI_DONE : result;
}

static int run_rules(check_job *job)
{
    cli_outlets outlets;
    int result = CLI_DONE;
    hsd_error err;
    hsd_error_init(&err);
    if (!cli_config_open(&job->config, job->cli, is_series(job->cli), &result)) return result;
    if (!cli_outlets_open(&outlets, job->cli, HSD_HOLDS_CHECK, &result)) return result;
    job->outlets = &outlets;
    const hsd_status status = check_captures(job, &err);
    suggest_baseline(job->cli, &err);
    cli_progress_clear();
    return cli_outlets_close(&outlets, job->cli, status == HSD_OK ? exit_of(job) : cli_report_error(job->cli, &err));
}

static void tell_rules(cli_app *cli, const char *path, size_t left_out)
{
    if (left_out == 0)
        cli_note(cli, "%s: rules that these captures pass. Look at them, then commit them.", path);
    else
        cli_note(cli,
                 "%s: first rules. %s, since what %s about grew in every round, as leaks do: hsdiff check fails until "
                 "that is mended or allowed.",
                 path, left_out == 1 ? "A limit is commented out" : "Limits are commented out",
                 left_out == 1 ? "it is" : "they are");
}

/* --init: a configuration that these captures pass, but for what grew in every round. */
static int run_init(check_job *job)
{
    cli_app *cli = job->cli;
    const char *path = cli->options.output ? cli->options.output : CLI_CONFIG_NAME;
    hsd_result_file *file = NULL;
    size_t left_out = 0;
    hsd_error err;
    hsd_error_init(&err);
    hsd_status status = hsd_result_file_open(&file, path, cli->options.force, &err);
    if (status == HSD_OK) status = look_at_captures(job, &err);
    if (status == HSD_OK && job->series && hsd_series_wants_pair(job->series))
        status = cli_series_ask(job->series, cli, job->inputs, &err);
    cli_progress_clear();
    if (status == HSD_OK)
        status = hsd_check_config_suggest(job->diff, job->series, hsd_result_file_write, file, &left_out, &err);
    if (status == HSD_OK) status = hsd_result_file_finish(file, &err);
    hsd_result_file_close(file);
    if (status != HSD_OK) return cli_report_error(cli, &err);
    if (strcmp(path, "-") != 0) tell_rules(cli, path, left_out);
    return CLI_DONE;
}

static bool takes_stdin(const cli_app *cli)
{
    for (size_t i = 0; i < cli->input_count; i++)
        if (strcmp(cli->inputs[i], "-") == 0) return true;
    return false;
}

/* --update-baseline opens the last capture again where the rules did not read all of it, or it was closed behind its
 * turn. */
static bool is_opened_again(const cli_app *cli)
{
    return cli->options.check.update_baseline && (cli->options.summary || is_series(cli));
}

static bool is_usable_check(const cli_app *cli)
{
    const cli_options *options = &cli->options;
    const char *last = cli->inputs[cli->input_count - 1];
    if (cli->first_group > 0)
        cli_complain("hsdiff check takes one series and no groups.");
    else if (options->check.init &&
             (options->check.config || options->also_count > 0 || options->html || options->format))
        cli_complain("--init writes a configuration: leave out %s.", options->check.config ? "--config"
                                                                     : options->format     ? "--format"
                                                                     : options->html       ? "--html"
                                                                                           : "--also");
    else if (options->check.init && options->check.update_baseline)
        cli_complain("--init and --update-baseline exclude each other.");
    else if (options->check.update_baseline && strcmp(cli->inputs[0], "-") == 0)
        cli_complain("--update-baseline needs a file to write to, and BEFORE is standard input.");
    else if (!options->check.update_baseline && (options->identities || options->places > 0))
        cli_complain("%s is for the baseline that --update-baseline writes.",
                     options->identities ? "--identities" : "--places");
    else if (options->check.signed_by && strcmp(cli->inputs[0], "-") == 0)
        cli_complain("--signed-by needs a file with a signature beside it, and BEFORE is standard input.");
    else if (options->check.config && strcmp(options->check.config, "-") == 0 && takes_stdin(cli))
        cli_complain("--config and a capture cannot both be standard input.");
    else if (is_opened_again(cli) && !cli_can_be_read_again(last))
        cli_complain(
            "--update-baseline reads the last capture a second time here, and %s can be read once: give it as a file.",
            strcmp(last, "-") == 0 ? "standard input" : last);
    else if (options->check.update_baseline && options->partial)
        cli_complain("--update-baseline takes whole captures: leave out --partial.");
    else
        return cli_series_is_usable(cli);
    return false;
}

static int run_check(cli_app *cli)
{
    check_job job = {.cli = cli};
    if (!is_usable_check(cli)) return CLI_USAGE;
    const int result = cli->options.check.init ? run_init(&job) : run_rules(&job);
    release_check(&job);
    return result;
}

static const cli_example examples[] = {
    {"hsdiff check base.hs new.hs", "by .hsdiff.yml, or by the rules that are built in"},
    {"hsdiff check --init base.hs new.hs", "write a first .hsdiff.yml from what is seen"},
    {"hsdiff check warm.hs r1.hs r2.hs r3.hs r4.hs r5.hs", "what grows in every round, without flaking"},
    {"hsdiff check base.hs new.hs --also junit=leaks.xml --also sarif=leaks.sarif", "and files for the build server"},
    {"hsdiff check base.hs new.hs --html hsdiff-report.html", "a page to look closer, as an artifact of the job"},
    {"hsdiff check base.hs new.hs --format github", "annotations on GitHub"},
    {"hsdiff check base.hs new.hs --update-baseline", "accept what grew: base.hs gets the sums of new.hs"},
    {0},
};

static const cli_option *const options[] = {
    &(const cli_option){.name = "format",
                        .value = "FORMAT",
                        .list_choices = cli_formats_of_checks,
                        .kind = CLI_TEXT,
                        .offset = CLI_FIELD(format),
                        .told = CLI_LEFT_OUT,
                        .help = "text for people (the default), json, ndjson or csv for programs, markdown for a "
                                "summary, junit, sarif, openmetrics, annotations for "
                                "github, or html for a browser"},
    &cli_option_html,
    &cli_option_also,
    &(const cli_option){.name = "config",
                        .value = "FILE",
                        .kind = CLI_FILE,
                        .offset = CLI_FIELD(check.config),
                        .told = CLI_TOLD,
                        .help = "read the rules there and not in .hsdiff.yml"},
    &(const cli_option){.name = "init",
                        .kind = CLI_FLAG,
                        .offset = CLI_FIELD(check.init),
                        .told = CLI_LEFT_OUT,
                        .help =
                            "judge nothing: write a first .hsdiff.yml (or -o FILE) whose rules these captures pass"},
    &(const cli_option){.name = "update-baseline",
                        .kind = CLI_FLAG,
                        .offset = CLI_FIELD(check.update_baseline),
                        .told = CLI_LEFT_OUT,
                        .help = "accept what grew: replace BEFORE by the sums of the last capture, and end with 0"},
    &(const cli_option){.name = "signed-by",
                        .value = "KEY",
                        .kind = CLI_TEXT,
                        .offset = CLI_FIELD(check.signed_by),
                        .told = CLI_LEFT_OUT,
                        .help = "judge nothing unless BEFORE is signed by KEY, a public key of minisign (RW...) or its "
                                "file; the signature is BEFORE.minisig"},
    &cli_option_warmup,
    &cli_option_label,
    &cli_option_survivors,
    &cli_option_cohorts,
    &cli_option_no_cohorts,
    &cli_option_identities,
    &cli_option_places,
    &cli_option_max_bytes,
    &cli_option_top,
    &cli_option_summary,
    &cli_option_no_holders,
    &cli_option_partial,
    &cli_option_min,
    CLI_OPTIONS_OF_TABLES,
    CLI_OPTIONS_OF_DUMPS,
    CLI_OPTIONS_OF_READING,
    NULL,
};

const cli_command cli_command_check = {
    .name = "check",
    .synopsis = "BEFORE AFTER [MORE...]",
    .summary = "fail a build when a program's heap grows more than rules allow",
    .description =
        "Compares the growth between two captures, or over a series of captures, with the limits in rules. It prints "
        "what is over its limit, and what holds it. The exit status is 1 when a rule of level error failed. A capture "
        "may be a .hs file, a baseline, or a foreign dump.\n"
        "\n"
        "With two captures a rule fails when the growth is over its limit. With more captures, the program should do "
        "the same amount of work between one capture and the next; that is a round. A rule then fails only if "
        "something grew in every round and is over its limit. A cache that fills up and then stays passes, and so do a "
        "heap that grows and shrinks, and a single jump. A limit per round must be exceeded in every round. From four "
        "captures on, the first one is warm-up and does not count (--warmup). Take six captures or more: five rounds "
        "after the warm-up find leaks of a thousandth of the heap per round. Two rounds find only leaks of a "
        "hundredth.\n"
        "\n"
        "A failure names what holds the growth. For this, with three or more captures, hsdiff compares the first and "
        "the last one that count object by object. It reads these two again, so they must be files and not pipes. It "
        "does so for a rule with a holder by name, too: a pattern may be any name that hsdiff prints of a holder, such "
        "as 'server.pool*' or '*.busy'.\n"
        "\n"
        "If a capture is incomplete, or the captures cannot be compared as a rule asks, the exit status is 3 and the "
        "check does not pass. So it is if they are in the wrong order, if one is given twice, if the program was "
        "started again in between, or if captures of two processes are mixed. Captures that are each of a run of its "
        "own compare. --partial judges incomplete captures all the same.\n"
        "\n"
        "hsdiff reads the rules from the file of --config, else from .hsdiff.yml in the current folder. If there is "
        "neither, it uses its built-in rules. --init writes a first file. An example with everything that it may "
        "have:\n"
        "\n"
        "  check:\n"
        "    ignore: ['^luv\\.timer']      # types left out of every rule\n"
        "    min: 64 KiB                  # below this a change is noise\n"
        "    warmup: 1                    # captures at the start that do not count\n"
        "    one_off: 1 MiB               # accept growth that levelled off, up to this\n"
        "  rules:\n"
        "    - name: whole heap\n"
        "      metric: total.bytes\n"
        "      max_growth: [16 MiB, 5 %]  # each must hold\n"
        "      level: error               # or warn, off\n"
        "    - name: sessions are released\n"
        "      type: Session              # or root:, holder:, site:; a glob, or /regex/\n"
        "      metric: objects\n"
        "      max_growth: 0\n"
        "    - name: no holder leaks\n"
        "      holder: '*'\n"
        "      max_growth: auto           # or 64 KiB per round, 0.1 % per round\n"
        "  allow:\n"
        "    - type: CacheEntry\n"
        "      reason: filled once, on purpose\n"
        "      up_to: 2 MiB\n"
        "      until: 2027-03-31\n"
        "\n"
        "metric is bytes (the default), objects, new.bytes, new.objects, new.types, unreached.bytes, "
        "unreached.objects, survived.bytes, survived.objects, lost.bytes or lost.objects. For the whole heap, "
        "total.bytes and total.objects mean the same as bytes and objects. metric:NAME is a number that the captures "
        "measured, such as metric:process.rss. Lost memory is memory of C and C++ programs to which no pointer leads "
        "any more. It counts for the block at its head, and site: names the function that allocated this block, as "
        "'*Parser::field*'.\n"
        "\n"
        "A rule on types or roots compares the sum of all that match with the limit; with each: true it compares each "
        "of them. Holders are always compared one by one. A percentage refers to the value before, and a percentage "
        "per round to the whole heap. If the value before is 0, any growth breaks such a rule. auto is a percentage of "
        "the heap per round, which falls as rounds are added: 10 % with two captures, 1 % with 2 rounds, 0.3 % with 3, "
        "0.1 % with 4, 0.03 % from 5 on.\n"
        "\n"
        "A glob (with * and ?) must match the whole name; a /regex/ (POSIX extended) may match any part of it. A "
        "holder is named by its root, and then by the edge and the type of each step: global sessions SessionCache "
        ".entries Map. If several objects hold something together, allow: takes the names of these objects too. '*' "
        "alone does not match program code, because that grows with what is compiled. Each entry of allow: needs a "
        "reason. After the day of until: the growth fails again.\n"
        "\n"
        "These are the built-in rules. With two captures, the whole heap may grow by 10 %, or by 1 MiB if that is "
        "more. With more captures, the whole heap may grow by 1 % per round; holders and types have the limit auto, "
        "and types only warn. If the captures tell what is lost, that may grow by 64 KiB, or by 0.01 % of the heap if "
        "that is more.\n"
        "\n"
        "The JSON has the schema hsdiff.check/1: rules with outcome, found, limit, over and findings; problems, notes, "
        "captures.",
    .examples = examples,
    .options = options,
    .inputs_min = 2,
    .inputs_max = HSD_SERIES_MOST,
    .run = run_check,
};

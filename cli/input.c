/*
 * Opening inputs by hsdiff/open.h: all are opened before any is looked at, and two foreign dumps are imported side by
 * side.
 */
#include "input.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache.h"
#include "progress.h"
#include "report_error.h"

#define SIDE_BY_SIDE_MIN_BYTES (UINT64_C(128) << 20)
#define AHEAD_MOST_BYTES       (UINT64_C(64) << 20) /* and so small a part of the memory: */
#define AHEAD_PART             32u

/* ---- one input ---- */

typedef struct input_job {
    cli_input *input;
    cli_app *cli;
    hsd_run run;
    hsd_open_options options;
    hsd_import_options import;
    hsd_status status;
    hsd_error error;
    cli_progress progress;
    int fd;            /* what was looked at */
    atomic_bool *stop; /* set by the one that fails while both are opened */
    uint64_t elapsed_ns;
} input_job;

static const char *name_of(const cli_input *input)
{
    return strcmp(input->path, "-") == 0 ? "standard input" : input->path;
}

static bool open_input(input_job *opening)
{
    return hsd_open_path(&opening->fd, opening->input->path, &opening->error) == HSD_OK;
}

static bool fits_cache(const input_job *opening)
{
    struct stat what;
    return fstat(opening->fd, &what) == 0 && S_ISREG(what.st_mode) &&
           cli_cache_has_room(&opening->cli->cache, opening->fd, (uint64_t)what.st_size);
}

/* Once it is known to be a dump. */
static void tell_room(const input_job *opening)
{
    const cli_cache *cache = &opening->cli->cache;
    char room[HSD_NUMBER_CHARS];
    if (!opening->cli->options.verbose || opening->options.content != HSD_CONTENT_FOREIGN) return;
    fprintf(stderr, "  %s: its temporary capture is %s (%s%s has room for %s as it is)\n", name_of(opening->input),
            opening->import.compression == 0 ? "written as it is" : "packed", cache->folder,
            cache->is_memory ? ", which is memory," : "", hsd_format_bytes(room, cache->bytes));
}

static bool look_input(input_job *opening)
{
    if (fits_cache(opening)) opening->import.compression = 0;
    if (hsd_look(&opening->options.content, opening->fd, name_of(opening->input), &opening->run, &opening->error) !=
        HSD_OK)
        return false;
    tell_room(opening);
    return true;
}

/* ---- opening what it is ---- */

hsd_damage cli_damage_wanted(const cli_app *cli) { return cli->options.partial ? HSD_DAMAGE_SKIP : HSD_DAMAGE_REFUSE; }

static hsd_status open_as_it_is(input_job *opening)
{
    cli_input *input = opening->input;
    struct timespec began, ended;
    input->is_foreign = opening->options.content == HSD_CONTENT_FOREIGN;
    clock_gettime(CLOCK_MONOTONIC, &began);
    HSD_TRY(hsd_open_fd(&input->capture, opening->fd, input->path, &opening->options, &opening->cli->run,
                        &input->imported, &opening->error));
    clock_gettime(CLOCK_MONOTONIC, &ended);
    opening->elapsed_ns =
        (uint64_t)(ended.tv_sec - began.tv_sec) * 1000000000u + (uint64_t)ended.tv_nsec - (uint64_t)began.tv_nsec;
    return HSD_OK;
}

static void *run_opening(void *context)
{
    input_job *opening = context;
    opening->status = open_as_it_is(opening);
    if (opening->status == HSD_OK) return NULL;
    hsd_error_set_file(&opening->error, opening->input->path);
    if (opening->stop && opening->status != HSD_E_OVER_BUDGET) atomic_store(opening->stop, true);
    return NULL;
}

static void tell_of_import(const cli_app *cli, const cli_input *input, uint64_t elapsed_ns)
{
    const hsd_import_result *result = &input->imported;
    char objects[HSD_NUMBER_CHARS], size[HSD_NUMBER_CHARS], time[HSD_NUMBER_CHARS];
    if (!input->is_foreign) return;
    cli_note(cli, "%s: imported (%s): %s objects, %s read in %s%s", name_of(input), result->format,
             hsd_format_count(objects, result->objects), hsd_format_bytes(size, result->input_bytes),
             hsd_format_duration(time, elapsed_ns), result->is_complete ? "" : "; it is not complete");
}

/*
 * The types of --key, whose values an import keeps: one block, pointers first, that the caller frees. NULL when there
 * are none, or no memory.
 */
static const char **types_of_keys(const cli_options *options)
{
    size_t bytes = 0;
    for (size_t i = 0; i < options->key_count; i++)
        bytes += sizeof(char *) + hsd_key_type_bytes(options->keys[i]) + 1;
    const char **types = bytes > 0 ? malloc(bytes) : NULL;
    if (!types) return NULL;
    char *text = (char *)(types + options->key_count);
    for (size_t i = 0; i < options->key_count; i++) {
        const size_t size = hsd_key_type_bytes(options->keys[i]);
        types[i] = memcpy(text, options->keys[i], size);
        text[size] = 0;
        text += size + 1;
    }
    return types;
}

static void prepare_input(input_job *opening, cli_input *input, cli_app *cli, size_t place, bool summary_only,
                          hsd_damage damage, const char *const *types)
{
    const cli_options *options = &cli->options;
    *opening =
        (input_job){.input = input, .cli = cli, .run = cli->run, .fd = -1, .progress = {.slot = (unsigned)place}};
    opening->run.progress_context = &opening->progress;
    opening->options.damage = damage;
    opening->options.import_run = &opening->run;
    opening->options.import = &opening->import;
    opening->import = (hsd_import_options){.struct_bytes = sizeof opening->import,
                                           .format = options->from,
                                           .executable = options->executable,
                                           .dump_number = options->dump_numbers[place],
                                           .summary_only = summary_only,
                                           .value_types = types,
                                           .value_type_count = options->key_count,
                                           .salvage = damage == HSD_DAMAGE_SKIP,
                                           .final_is_strong = options->final_is_strong,
                                           .with_values = options->with_values,
                                           .with_digest = !summary_only,
                                           .without_indexes = !cli->command->tells_indexes,
                                           .compression = 1};
    hsd_error_init(&opening->error);
}

/* Opens it, or looks what it is. True when that is done. */
static bool is_done(input_job *opening, bool (*step)(input_job *opening))
{
    if (step(opening)) return true;
    opening->status = opening->error.status;
    hsd_error_set_file(&opening->error, opening->input->path);
    return false;
}

/* All are opened before any is looked at: one writer may write to two pipes, and wait for the reader of the second. */
static bool find_kinds(input_job *openings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_done(&openings[i], open_input)) return false;
    for (size_t i = 0; i < count; i++)
        if (!is_done(&openings[i], look_input)) return false;
    return true;
}

/* ---- one after the other, or all at once ---- */

static bool may_run_together(const input_job *one, const input_job *other, const cli_app *cli)
{
    if (one->options.content != HSD_CONTENT_FOREIGN || other->options.content != HSD_CONTENT_FOREIGN) return false;
    if (cli->run.threads == 1 || sysconf(_SC_NPROCESSORS_ONLN) < 2) return false;
    return cli->run.memory_bytes >= SIDE_BY_SIDE_MIN_BYTES;
}

static bool can_be_read_again(const input_job *opening)
{
    struct stat what;
    return fstat(opening->fd, &what) == 0 && S_ISREG(what.st_mode);
}

/*
 * True if all were tried, two or three. Where all are needed and one fails, the others are stopped, unless what failed
 * is too little memory: then that one is tried again, alone and with all of it.
 */
static bool run_together(input_job *openings, size_t count, bool all_are_needed)
{
    pthread_t beside[CLI_INPUT_MOST_NEXT];
    size_t begun = 0;
    atomic_bool stop = false;
    const unsigned threads =
        openings[0].run.threads > 0 ? openings[0].run.threads : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    for (size_t i = 0; i < count; i++) {
        openings[i].run.memory_bytes /= count;
        openings[i].run.threads = threads > count ? threads / (unsigned)count : 1;
        openings[i].stop = all_are_needed ? &stop : NULL;
        openings[i].progress.stop = openings[i].stop;
    }
    while (begun + 1 < count && pthread_create(&beside[begun], NULL, run_opening, &openings[begun + 1]) == 0)
        begun++;
    if (begun == 0) return false;
    run_opening(&openings[0]);
    for (size_t i = begun + 1; i < count; i++) /* no thread was to be had */
        run_opening(&openings[i]);
    for (size_t i = 0; i < begun; i++)
        pthread_join(beside[i], NULL);
    for (size_t i = 0; i < count && !stop; i++) {
        if (openings[i].status != HSD_E_OVER_BUDGET || !can_be_read_again(&openings[i])) continue;
        openings[i].run.memory_bytes *= count;
        hsd_error_init(&openings[i].error);
        run_opening(&openings[i]);
    }
    return true;
}

/* The first that failed by itself; else one that was only stopped; `count` when none failed. */
static size_t find_failed(const input_job *openings, size_t count)
{
    size_t failed = count;
    for (size_t i = count; i-- > 0;) {
        const bool is_stopped = openings[i].status == HSD_E_CANCELLED;
        if (openings[i].status != HSD_OK && (!is_stopped || failed == count)) failed = i;
    }
    return failed;
}

static void run_all(input_job *openings, size_t count, const cli_app *cli)
{
    if (count == 2 && may_run_together(&openings[0], &openings[1], cli) && run_together(openings, 2, true)) return;
    for (size_t i = 0; i < count; i++) {
        openings[i].run.memory_bytes = cli->run.memory_bytes;
        openings[i].run.threads = cli->run.threads;
        openings[i].progress.stop = NULL;
        run_opening(&openings[i]);
        if (openings[i].status != HSD_OK) return;
    }
}

/* Whatever they are called: a name typed twice. Two dumps of one file are two captures. */
static void tell_same(const cli_input *inputs, const cli_app *cli)
{
    const hsd_capture_info *before = hsd_capture_get_info(inputs[0].capture),
                           *after = hsd_capture_get_info(inputs[1].capture);
    if (hsd_capture_is_same(before, after))
        cli_note(cli, "before and after are one capture: %s has the same content as %s.", inputs[0].path,
                 inputs[1].path);
}

/* The younger one first: what grew looks freed then. */
static void tell_order(const cli_input *inputs, const cli_app *cli)
{
    const hsd_capture_info *before = hsd_capture_get_info(inputs[0].capture),
                           *after = hsd_capture_get_info(inputs[1].capture);
    if (hsd_capture_is_younger(before, after))
        cli_note(cli, "%s was taken after %s: what came between them is told as freed. The older one comes first.",
                 inputs[0].path, inputs[1].path);
}

hsd_status cli_inputs_open(cli_input *inputs, size_t count, cli_app *cli, bool summary_only, hsd_damage damage,
                           hsd_error *err)
{
    input_job openings[2];
    const char **types = types_of_keys(&cli->options);
    if (!types && cli->options.key_count > 0) return hsd_fail(err, HSD_E_NOMEM, "out of memory for the types of --key");
    for (size_t i = 0; i < count; i++)
        prepare_input(&openings[i], &inputs[i], cli, i, summary_only, damage, types);
    if (find_kinds(openings, count)) run_all(openings, count, cli);
    const size_t failed = find_failed(openings, count);
    for (size_t i = 0; i < count; i++) {
        if (failed == count) tell_of_import(cli, &inputs[i], openings[i].elapsed_ns);
        if (openings[i].fd > STDERR_FILENO) close(openings[i].fd);
    }
    free(types);
    if (failed == count && count == 2) {
        tell_same(inputs, cli);
        tell_order(inputs, cli);
    }
    if (failed == count) return HSD_OK;
    *err = openings[failed].error;
    return openings[failed].status;
}

/* ---- one, and the next ones beside it ---- */

static bool is_small_input(const input_job *opening)
{
    struct stat what;
    const uint64_t part = opening->cli->run.memory_bytes / AHEAD_PART,
                   most = part < AHEAD_MOST_BYTES ? part : AHEAD_MOST_BYTES;
    return fstat(opening->fd, &what) == 0 && S_ISREG(what.st_mode) && (uint64_t)what.st_size <= most;
}

/* What is wrong with one of the next ones waits for its turn. */
static bool may_open_next(const input_job *first, input_job *opening, const cli_app *cli)
{
    struct stat what;
    const char *path = opening->input->path;
    if (strcmp(path, "-") == 0 || stat(path, &what) != 0 || !S_ISREG(what.st_mode) || !open_input(opening))
        return false;
    return is_small_input(opening) && look_input(opening) && may_run_together(first, opening, cli);
}

hsd_status cli_input_open_with_next(cli_input *input, const char *const *next, size_t count, cli_input_ahead *ahead,
                                    cli_app *cli, bool summary_only, hsd_damage damage, hsd_error *err)
{
    input_job openings[1 + CLI_INPUT_MOST_NEXT];
    const char **types = types_of_keys(&cli->options);
    size_t together = 1;
    if (!types && cli->options.key_count > 0) return hsd_fail(err, HSD_E_NOMEM, "out of memory for the types of --key");
    for (size_t i = 0; i <= count; i++) {
        if (i > 0) ahead[i - 1] = (cli_input_ahead){.input = {.path = next[i - 1]}};
        prepare_input(&openings[i], i > 0 ? &ahead[i - 1].input : input, cli, 0, summary_only, damage, types);
        openings[i].progress.slot = i > 0;
    }
    const bool is_there = find_kinds(openings, 1);
    if (is_there && is_small_input(&openings[0]))
        while (together <= count && may_open_next(&openings[0], &openings[together], cli))
            together++;
    if (together > 1 && !run_together(openings, together, false)) together = 1;
    if (is_there && together == 1) run_all(openings, 1, cli);
    for (size_t i = 0; i <= count; i++)
        if (openings[i].fd > STDERR_FILENO) close(openings[i].fd);
    free(types);
    for (size_t i = 0; i < count; i++) {
        ahead[i].status = openings[i + 1].status;
        ahead[i].error = openings[i + 1].error;
        ahead[i].elapsed_ns = openings[i + 1].elapsed_ns;
        if (i + 1 >= together) ahead[i].input = (cli_input){0};
    }
    if (openings[0].status != HSD_OK)
        *err = openings[0].error;
    else
        tell_of_import(cli, input, openings[0].elapsed_ns);
    return openings[0].status;
}

hsd_status cli_input_take(cli_input *input, cli_input_ahead *ahead, const cli_app *cli, hsd_error *err)
{
    const hsd_status status = ahead->status;
    *input = ahead->input;
    if (status != HSD_OK)
        *err = ahead->error;
    else
        tell_of_import(cli, input, ahead->elapsed_ns);
    ahead->input = (cli_input){0};
    return status;
}

void cli_inputs_close(cli_input *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hsd_capture_close(inputs[i].capture);
}

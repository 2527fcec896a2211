/*
 * hsdiff receive: saves the captures that programs send by themselves.
 */
#include <string.h>
#include <sys/stat.h>

#include "capture/names.h"
#include "capture/report.h"
#include "fleet/feed.h"
#include "options/common.h"
#include "progress.h"
#include "report_error.h"
#include <hsdiff/signing.h>

typedef struct receiving {
    const cli_app *cli;
    const char *folder;
    cli_fleet_feed *feed; /* NULL without --fleet */
    bool as_json;
    uint64_t kept;
    bool is_told; /* that it listens */
    bool has_failed;
} receiving;

static void take_received(void *context, const hsd_received *one)
{
    receiving *self = context;
    self->kept += one->path != NULL;
    self->has_failed |= !cli_tell_received(self->cli, one);
    if (one->path && self->feed) self->has_failed |= !cli_fleet_feed_put(self->feed, one->path);
}

/* Asked often by the library, and first when it listens: a signal, enough captures, or an answer that cannot be told
 * end it. */
static bool goes_on(void *context, const char *stage, uint64_t done, uint64_t total)
{
    receiving *self = context;
    if (!self->is_told)
        cli_note(self->cli, "waiting for captures at %s; they go to %s", self->cli->inputs[0], self->folder);
    self->is_told = true;
    if (self->feed) self->has_failed |= !cli_fleet_feed_tell(self->feed, self->as_json);
    const uint64_t wanted = self->cli->options.count;
    return !self->has_failed && !(wanted > 0 && self->kept >= wanted) && cli_progress_tell(NULL, stage, done, total);
}

static int receive_all(cli_app *cli, receiving *self)
{
    const cli_options *options = &cli->options;
    const hsd_live_options live = {.keep_cut = options->partial,
                                   .timeout_seconds = (unsigned)((options->timeout_ms + 999) / 1000)};
    hsd_run run = cli->run;
    hsd_error err;
    hsd_error_init(&err);
    run.progress = goes_on;
    run.progress_context = self;
    const hsd_status status = hsd_receive(cli->inputs[0], self->folder, &live, &run, take_received, self, &err);
    cli_progress_clear();
    const bool has_enough = options->count > 0 && self->kept >= options->count;
    if (self->has_failed) return CLI_SYSTEM;
    if (status == HSD_OK || (status == HSD_E_CANCELLED && has_enough)) return CLI_DONE;
    return cli_report_error(cli, &err);
}

static bool knows_options(const cli_app *cli)
{
    const cli_options *options = &cli->options;
    const char *where = cli->inputs[0];
    if (!cli_knows_capture_format(cli)) return false;
    if (strncmp(where, "unix:", 5) != 0 && strncmp(where, "tcp:", 4) != 0) {
        cli_complain("'%s' is no address; did you mean %s%s?", where, strchr(where, '/') ? "unix:" : "tcp:", where);
        return false;
    }
    if (!options->receive.store && (options->label_count > 0 || options->receive.keeps_captures)) {
        cli_complain("%s is of --fleet.", options->label_count > 0 ? "--label" : "--keep-captures");
        return false;
    }
    return true;
}

static bool is_folder(const char *folder)
{
    struct stat what;
    if (stat(folder, &what) == 0 && S_ISDIR(what.st_mode)) return true;
    cli_complain("-o takes a folder that exists, or a name that ends in / and is made; '%s' is none.", folder);
    return false;
}

static int run_receive(cli_app *cli)
{
    const cli_options *options = &cli->options;
    receiving self = {.cli = cli,
                      .folder = options->output ? options->output : ".",
                      .as_json = options->format && strcmp(options->format, "json") == 0};
    int status;
    if (!knows_options(cli)) return CLI_USAGE;
    status = cli_make_folder(cli);
    if (status != CLI_DONE) return status;
    if (!is_folder(self.folder)) return CLI_USAGE;
    if (options->receive.store) {
        self.feed = cli_fleet_feed_begin(cli, options->receive.store, options->receive.keeps_captures, &status);
        if (!self.feed) return status;
    }
    hsd_crypt_read_again(cli->keys); /* each is looked at when it is whole */
    status = receive_all(cli, &self);
    const int fed = cli_fleet_feed_end(self.feed, self.as_json);
    return status != CLI_DONE ? status : fed;
}

static const cli_example examples[] = {
    {"hsdiff receive unix:/run/user/1000/heaps.sock -o run/", "until it is interrupted"},
    {"hsdiff receive tcp:127.0.0.1:9178 --count 10", "ten captures, then it ends"},
    {"hsdiff receive unix:/run/heaps.sock -o run/ --fleet fleet --label version=2.4.1",
     "sums of each capture into a fleet"},
    {0},
};

static const cli_option option_fleet = {
    .name = "fleet",
    .value = "STORE",
    .kind = CLI_TEXT,
    .offset = CLI_FIELD(receive.store),
    .told = CLI_LEFT_OUT,
    .help = "add each capture to a store, as hsdiff fleet add does, and then delete it",
};

static const cli_option option_keep_captures = {
    .name = "keep-captures",
    .kind = CLI_FLAG,
    .offset = CLI_FIELD(receive.keeps_captures),
    .told = CLI_LEFT_OUT,
    .help = "with --fleet: do not delete them",
};

static const cli_option *const options[] = {
    &option_fleet,
    &cli_option_label_of_fleet,
    &option_keep_captures,
    &cli_option_format_of_captures,
    &(const cli_option){.name = "count",
                        .value = "N",
                        .kind = CLI_COUNT,
                        .offset = CLI_FIELD(count),
                        .told = CLI_LEFT_OUT,
                        .help = "end after N captures, of all processes together; by default not at all"},
    &(const cli_option){.name = "timeout",
                        .value = "TIME",
                        .kind = CLI_DURATION,
                        .offset = CLI_FIELD(timeout_ms),
                        .told = CLI_LEFT_OUT,
                        .help = "give up a capture of which nothing has arrived for TIME; by default 60s"},
    &cli_option_partial_capture,
    &cli_option_encrypt_to,
    CLI_OPTIONS_OF_WORK,
    NULL,
};

const cli_command cli_command_receive = {
    .name = "receive",
    .synopsis = "unix:PATH|tcp:HOST:PORT",
    .summary = "save the captures that programs send over a network",
    .description =
        "Listens on a Unix socket, or on a TCP port of the loopback, and saves every capture that a program with an "
        "agent sends there, as NAME-PID-0001.hs in the folder of -o, which is made if its name ends in /. Several "
        "programs may send at once. A capture that "
        "is cut off in the middle is dropped; with --partial it is kept, and marked as incomplete.\n"
        "\n"
        "With --fleet the sums of each capture go into a store (hsdiff fleet), and the capture is deleted when they "
        "are "
        "on the disk; one that cannot be added stays. The service is the name of the program, and the host this "
        "machine, "
        "unless --label says otherwise. Programs that send do not wait for the store.\n"
        "\n"
        "Programs send by themselves when their environment says so:\n"
        "\n"
        "  HSDIFF_TO=unix:/run/user/1000/heaps.sock HSDIFF_EVERY=60",
    .examples = examples,
    .options = options,
    .is_of_processes = true,
    .inputs_min = 1,
    .inputs_max = 1,
    .run = run_receive,
};

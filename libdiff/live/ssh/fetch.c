/*
 * The near end of a capture over ssh:
 *
 *      connect ──► frames ──► file ──► E: is it whole? ──► its name
 *         ▲           │
 *         └─ broken ──┘   from the byte behind the last that came, up to TRIES times in a row without a new byte
 *
 * What arrives goes straight into the file that gets its name at the end; standard output gets it from a temporary file
 * then, whole or not at all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/note.h"
#include "base/options.h"
#include "io/fd.h"
#include "io/output.h"
#include "io/temp.h"
#include "live/finish.h"
#include "live/kept.h"
#include "live/ssh/connection.h"
#include "live/ssh/frames.h"

enum { TRIES = 6, TURN_MS = 100, FIRST_PAUSE_MS = 500, DEFAULT_SECONDS = 60, TOKEN_BYTES = 16, TICKET_BYTES = 64 };
#define PIECE_BYTES ((size_t)64 << 10)
#define SECOND_NS   UINT64_C(1000000000)

typedef struct fetch {
    const hsd_remote *at;
    const hsd_remote_options *options;
    hsd_remote_answer *answer;
    hsd_run quiet;
    hsd_reporter reporter;
    hsd_temp_space space;
    hsd_temp temp; /* in front of standard output */
    hsd_kept kept; /* in its place, where the output is encrypted */
    hsd_output output;
    bool is_open; /* the output */
    int fd;       /* where bytes go */
    uint64_t received, heard_ns;
    char token[2 * TOKEN_BYTES + 1];
    hsd_error failure; /* of a taker; HSD_OK = it has enough, or nothing is wrong */
    hsd_frames frames;
    uint8_t piece[PIECE_BYTES];
} fetch;

/* ---- what arrives ---- */

static hsd_status open_output(fetch *f, hsd_error *err)
{
    const char *path = f->options->name_it(f->options->context, &f->answer->process);
    if (path == NULL) return hsd_fail(err, HSD_E_CANCELLED, "the capture has no name");
    HSD_TRY(hsd_output_open(&f->output, path, f->options->force, err));
    f->is_open = true;
    if (hsd_crypt_has_recipients(f->quiet.crypt)) {
        HSD_TRY(hsd_output_encrypt(&f->output, f->quiet.crypt, err));
        HSD_TRY(hsd_kept_begin(&f->kept, &f->space, f->quiet.crypt, err));
        f->fd = hsd_kept_target(&f->kept);
        return HSD_OK;
    }
    f->fd = f->output.fd;
    if (!f->output.is_in_place) return HSD_OK;
    HSD_TRY(hsd_temp_open(&f->temp, &f->space, err));
    f->fd = f->temp.fd;
    return HSD_OK;
}

static bool take_process(void *context, char *text)
{
    fetch *f = context;
    if (f->is_open) return true; /* told again behind a break */
    hsd_frames_read_process(text, f->answer);
    return open_output(f, &f->failure) == HSD_OK;
}

static bool take_data(void *context, const uint8_t *data, size_t size)
{
    fetch *f = context;
    if (!f->is_open)
        return hsd_fail(&f->failure, HSD_E_CORRUPT, "the other end sends what is no part of a capture") == HSD_OK;
    const int error = hsd_fd_write(f->fd, data, size, HSD_FD_HERE);
    if (error != 0) return hsd_fail_errno(&f->failure, error, "cannot write the capture") == HSD_OK;
    f->received += size;
    return true;
}

static void take_end(void *context, char *text)
{
    fetch *f = context;
    hsd_frames_read_end(text, f->answer);
}

/* ---- one connection ---- */

static hsd_status open_connection(fetch *f, hsd_ssh *ssh, hsd_error *err)
{
    char ticket[TICKET_BYTES];
    const char **words = calloc(f->options->word_count + 4, sizeof *words);
    snprintf(ticket, sizeof ticket, "%s:%llu", f->token, (unsigned long long)f->received);
    if (words == NULL) return hsd_fail_nomem(err, "the words for ssh");
    size_t count = 0;
    words[count++] = "capture";
    words[count++] = "--serve";
    words[count++] = ticket;
    for (size_t i = 0; i < f->options->word_count; i++)
        words[count++] = f->options->words[i];
    words[count++] = f->at->name;
    char *line = hsd_remote_line(f->options->command == NULL ? "hsdiff" : f->options->command, words, count);
    free(words);
    const hsd_status status =
        line == NULL ? hsd_fail_nomem(err, "the words for ssh") : hsd_ssh_open(ssh, f->at, line, err);
    free(line);
    return status;
}

static bool is_silent(const fetch *f)
{
    const unsigned seconds = f->options->timeout_seconds == 0 ? DEFAULT_SECONDS : f->options->timeout_seconds;
    return hsd_now_ns() - f->heard_ns > seconds * SECOND_NS;
}

/* Reads until the end has come (HSD_END), the connection is over (HSD_OK), or something is wrong here. */
static hsd_status read_frames(fetch *f, hsd_ssh *ssh, hsd_error *err)
{
    const hsd_frames_taker taker = {.process = take_process, .data = take_data, .end = take_end, .context = f};
    f->heard_ns = hsd_now_ns();
    for (;;) {
        size_t got = 0;
        bool is_over = false;
        HSD_TRY(hsd_progress(&f->reporter, "receiving the capture", f->received, 0, err));
        HSD_TRY(hsd_ssh_read(ssh, f->piece, sizeof f->piece, TURN_MS, &got, &is_over, err));
        if (is_over || is_silent(f)) return HSD_OK;
        if (got > 0) f->heard_ns = hsd_now_ns();
        const hsd_status status = hsd_frames_take(&f->frames, f->piece, got, &taker, err);
        if (f->failure.status != HSD_OK) {
            if (err != NULL) *err = f->failure;
            return f->failure.status;
        }
        if (status != HSD_OK) return status;
        if (f->frames.has_ended) return HSD_END;
    }
}

/* As read_frames; *exit_status is ssh's where the connection is over. */
static hsd_status use_connection(fetch *f, hsd_ssh *ssh, int *exit_status, hsd_error *err)
{
    memset(&f->frames, 0, sizeof f->frames);
    HSD_TRY(open_connection(f, ssh, err));
    const hsd_status status = read_frames(f, ssh, err);
    const bool has_died = status == HSD_OK && is_silent(f);
    if (status == HSD_END) hsd_ssh_say(ssh, HSD_FRAME_ARRIVED);
    if (status < 0) hsd_ssh_say(ssh, HSD_FRAME_UNWANTED);
    *exit_status = hsd_ssh_close(ssh, has_died);
    return status;
}

/* ---- all connections ---- */

static hsd_status pause_before_next(fetch *f, unsigned tries, hsd_error *err)
{
    const struct timespec turn = {.tv_nsec = TURN_MS * 1000000L};
    const unsigned pause_ms = (unsigned)FIRST_PAUSE_MS << (tries - 1);
    for (unsigned waited = 0; waited < pause_ms; waited += TURN_MS) {
        HSD_TRY(hsd_progress(&f->reporter, "waiting to connect again", f->received, 0, err));
        nanosleep(&turn, NULL);
    }
    return HSD_OK;
}

/* With what came and is of no use without the rest, or of some (keep_cut). */
static hsd_status give_up(const fetch *f, const hsd_error *last, hsd_error *err)
{
    char whom[sizeof f->at->user + sizeof f->at->host + 1];
    hsd_remote_call(f->at, whom, sizeof whom);
    hsd_fail(err, HSD_E_TRUNCATED,
             "the connection to %s broke behind %llu bytes and could not be taken up again: %.200s", whom,
             (unsigned long long)f->received, last->text);
    hsd_error_set_hint(err, "nothing was kept; with --partial what came is");
    return HSD_E_TRUNCATED;
}

/* All has arrived, and the other end may not have heard that: once more, so that nothing is kept there for longer than
 * it must. */
static void thank_again(fetch *f, hsd_ssh *ssh)
{
    int exit_status = 0;
    hsd_error unwanted;
    hsd_error_init(&unwanted);
    use_connection(f, ssh, &exit_status, &unwanted);
}

static hsd_status fetch_all(fetch *f, hsd_ssh *ssh, hsd_error *err)
{
    const char *command = f->options->command == NULL ? "hsdiff" : f->options->command;
    hsd_error why;
    bool has_begun = false;
    for (unsigned tries = 0;;) {
        int exit_status = 0;
        const uint64_t before = f->received;
        hsd_status status = use_connection(f, ssh, &exit_status, err);
        if (status == HSD_END && exit_status != 0) thank_again(f, ssh);
        if (status == HSD_END) return HSD_OK;
        if (status != HSD_OK) return status;
        has_begun |= f->frames.has_begun;
        hsd_error_init(&why);
        status = hsd_ssh_blame(ssh, f->at, command, exit_status, &why);
        tries = f->received > before ? 1 : tries + 1;
        if (!has_begun || exit_status == 2) { /* never there, or the other end says that it is gone */
            if (has_begun) return give_up(f, &why, err);
            if (err != NULL) *err = why;
            return status;
        }
        if (tries > TRIES) return give_up(f, &why, err);
        hsd_note(&f->reporter, HSD_NOTE_DETAIL, "%s; connecting again behind %llu bytes", why.text,
                 (unsigned long long)f->received);
        HSD_TRY(pause_before_next(f, tries, err));
        f->answer->resumed++;
    }
}

/* ---- the end ---- */

static hsd_status pass_piece(void *context, const void *data, size_t size, hsd_error *err)
{
    fetch *f = context;
    return hsd_output_write(&f->output, data, size, err);
}

static hsd_status pass_on_fetch(fetch *f, hsd_error *err)
{
    return hsd_kept_read(f->fd, f->quiet.crypt, pass_piece, f, err);
}

static hsd_status keep_fetch(fetch *f, hsd_error *err)
{
    hsd_live_result *result = &f->answer->result;
    if (f->output.is_sealed) {
        HSD_TRY(hsd_kept_end(&f->kept, err));
        f->fd = f->kept.temp.fd;
    }
    HSD_TRY(hsd_capture_measure(f->fd, "the capture", f->options->keep_cut, &f->quiet, result, err));
    result->output_bytes = f->received;
    if (f->output.is_in_place || f->output.is_sealed) HSD_TRY(pass_on_fetch(f, err));
    return hsd_output_finish(&f->output, err);
}

static hsd_status fetch_and_keep(fetch *f, hsd_error *err)
{
    hsd_ssh ssh = {.in = -1, .out = -1, .errors = -1};
    hsd_error cut;
    const uint64_t started_ns = hsd_now_ns();
    hsd_error_init(&cut);
    hsd_status status = fetch_all(f, &ssh, &cut);
    const bool is_cut = status == HSD_E_TRUNCATED && f->options->keep_cut && f->received > 0;
    if (status == HSD_OK || is_cut) {
        if (f->is_open && (is_cut || f->answer->exit_status == 0 || f->options->keep_cut) && f->received > 0)
            status = keep_fetch(f, &cut);
        if (is_cut) f->answer->result.is_complete = false;
    }
    if (status != HSD_OK && err != NULL) *err = cut;
    f->answer->result.duration_ns = hsd_now_ns() - started_ns;
    return status;
}

static bool make_token(char token[2 * TOKEN_BYTES + 1])
{
    uint8_t bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

hsd_status hsd_remote_capture(const hsd_remote *at, const hsd_remote_options *options, const hsd_run *run,
                              hsd_remote_answer *answer, hsd_error *err)
{
    hsd_remote_options own;
    *answer = (hsd_remote_answer){.exit_status = 0};
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_remote_options, context, &own, options, err));
    if (at->name[0] == '\0')
        return hsd_fail(err, HSD_E_NOT_FOUND, "ssh://%s names no program: its pid or its name stands behind a '/'",
                        at->host);
    fetch *f = calloc(1, sizeof *f);
    if (f == NULL) return hsd_fail_nomem(err, "a buffer for a capture");
    *f = (fetch){.at = at,
                 .options = &own,
                 .answer = answer,
                 .quiet = run != NULL ? *run : (hsd_run){0},
                 .fd = -1,
                 .temp = {.fd = -1}};
    f->quiet.progress = NULL;
    f->quiet.note = NULL;
    hsd_error_init(&f->failure);
    hsd_reporter_init(&f->reporter, run);
    hsd_temp_space_init(&f->space, f->quiet.temp_dir);
    const hsd_status status = make_token(f->token) ? fetch_and_keep(f, err)
                                                   : hsd_fail_errno(err, errno, "no random number for the connection");
    if (f->is_open) hsd_output_close(&f->output);
    hsd_temp_close(&f->temp);
    hsd_kept_close(&f->kept);
    hsd_reporter_release(&f->reporter);
    free(f);
    return status;
}

/* ---- other commands ---- */

static hsd_status pass_output(hsd_ssh *ssh, hsd_remote_fn take, void *context, hsd_reporter *reporter, uint64_t *bytes,
                              hsd_error *err)
{
    char piece[4096];
    for (;;) {
        size_t got = 0;
        bool is_over = false;
        HSD_TRY(hsd_progress(reporter, "asking the other machine", *bytes, 0, err));
        HSD_TRY(hsd_ssh_read(ssh, piece, sizeof piece, TURN_MS, &got, &is_over, err));
        *bytes += got;
        if (is_over || (got > 0 && !take(context, piece, got))) return HSD_OK;
    }
}

hsd_status hsd_remote_run(const hsd_remote *at, const char *command, const char *const *words, size_t word_count,
                          hsd_remote_fn take, void *context, const hsd_run *run, int *exit_status,
                          char said[HSD_REMOTE_SAID_BYTES], hsd_error *err)
{
    hsd_reporter reporter;
    hsd_ssh ssh;
    uint64_t bytes = 0;
    *exit_status = 0;
    said[0] = '\0';
    if (command == NULL) command = "hsdiff";
    char *line = hsd_remote_line(command, words, word_count);
    if (line == NULL) return hsd_fail_nomem(err, "the words for ssh");
    hsd_status status = hsd_ssh_open(&ssh, at, line, err);
    free(line);
    if (status != HSD_OK) return status;
    hsd_reporter_init(&reporter, run);
    status = pass_output(&ssh, take, context, &reporter, &bytes, err);
    hsd_reporter_release(&reporter);
    *exit_status = hsd_ssh_close(&ssh, status != HSD_OK);
    memcpy(said, ssh.said, sizeof ssh.said);
    const bool is_of_hsdiff = *exit_status < 126 && (bytes > 0 || strstr(said, "hsdiff") != NULL);
    if (status != HSD_OK || *exit_status == 0 || is_of_hsdiff) return status;
    return hsd_ssh_blame(&ssh, at, command, *exit_status, err);
}

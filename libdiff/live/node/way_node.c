#define _GNU_SOURCE
/*
 * Node with the helper of capture/node in it. A socket is made where the helper looks for one, a signal tells it to,
 * and what comes is one line of metrics and then the snapshot as V8 writes it. V8 builds it in a copy of the process,
 * and the helper tells how long making that took. Where there is no copy, the program stands still from when V8 begins
 * to when the last byte is written; the helper tells before how long that will be, then how long it was to the first
 * byte, and the clock here tells the rest.
 */
#include "live/way.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fail.h"
#include "live/ended.h"
#include "live/node/feed.h"
#include "live/node/node_process.h"
#include "live/node/rendezvous.h"

#define HELPER "the helper in the program"

enum { LINE_MAX_BYTES = 4096, LINES_MAX = 16, BUFFER_BYTES = 65536, ENDING_MS = 200 };

typedef struct answer {
    int fd;
    hsd_node_metrics metrics;
    uint64_t line_ns; /* when the line was there */
    /* when the last byte was; 0 = not yet seen: the importer may be through before the reader knows */
    _Atomic uint64_t end_ns;
    size_t at, have; /* what is unread of the buffer */
    char buffer[BUFFER_BYTES];
} answer;

/* ---- the signal ---- */

static int signal_of(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } known[] = {{"USR2", SIGUSR2}, {"HUP", SIGHUP},       {"INT", SIGINT},   {"QUIT", SIGQUIT}, {"TERM", SIGTERM},
                 {"CONT", SIGCONT}, {"WINCH", SIGWINCH},   {"URG", SIGURG},   {"IO", SIGIO},     {"PWR", SIGPWR},
                 {"ALRM", SIGALRM}, {"VTALRM", SIGVTALRM}, {"XCPU", SIGXCPU}, {"XFSZ", SIGXFSZ}, {"TRAP", SIGTRAP},
                 {"BREAK", SIGINT}, {"STKFLT", 16},        {"POLL", SIGPOLL}};
    if (strncmp(name, "SIG", 3) == 0) name += 3;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0) return known[i].number;
    return SIGUSR2; /* what the helper takes for a name that it cannot use */
}

static int helper_signal(const hsd_process_facts *facts)
{
    char name[32];
    return hsd_process_variable(facts, "HSDIFF_SIGNAL", name, sizeof name) && name[0] != '\0' ? signal_of(name)
                                                                                              : SIGUSR2;
}

static bool is_caught(const hsd_process_facts *facts, int number)
{
    return (facts->caught_signals >> (number - 1) & 1) != 0;
}

/* To this process and to none that may have its number by then. */
static hsd_status send_signal(const hsd_process_facts *facts, int number, hsd_error *err)
{
    const int fd = (int)syscall(SYS_pidfd_open, (pid_t)facts->pid, 0);
    if (fd < 0 && errno != ENOSYS) return hsd_fail_errno(err, errno, "cannot signal process %ld", facts->pid);
    int failed = 0;
    if (!hsd_process_has_open(facts, HSD_NODE_HELPER))
        failed = ESRCH;
    else if ((fd >= 0 ? (int)syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) : kill((pid_t)facts->pid, number)) !=
             0)
        failed = errno;
    if (fd >= 0) close(fd);
    return failed == 0 ? HSD_OK : hsd_fail_errno(err, failed, "cannot signal process %ld", facts->pid);
}

/* ---- what comes ---- */

/* One read of what is there. Nothing at the end, and where the program went away with bytes unread. */
static hsd_status read_some(answer *in, hsd_error *err)
{
    in->at = in->have = 0;
    for (;;) {
        const ssize_t n = read(in->fd, in->buffer, sizeof in->buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != ECONNRESET) return hsd_fail_errno(err, errno, "cannot read from the program");
        in->have = n < 0 ? 0 : (size_t)n;
        return HSD_OK;
    }
}

/* What stands before the next line break; what follows it stays in the buffer. */
static hsd_status take_line(answer *in, hsd_live *live, char line[static LINE_MAX_BYTES], size_t *size, hsd_error *err)
{
    for (*size = 0;;) {
        if (in->at == in->have) {
            HSD_TRY(hsd_live_wait_target(live, in->fd, err));
            HSD_TRY(read_some(in, err));
        }
        if (in->have == 0) return hsd_fail(err, HSD_E_TRUNCATED, "the program went away before its snapshot");
        const char *from = in->buffer + in->at, *end = memchr(from, '\n', in->have - in->at);
        const size_t part = end == NULL ? in->have - in->at : (size_t)(end - from);
        if (part > LINE_MAX_BYTES - *size)
            return hsd_fail(err, HSD_E_CORRUPT, "what the helper says of itself is too long");
        memcpy(line + *size, from, part);
        *size += part;
        in->at += part + (end != NULL);
        if (end != NULL) return HSD_OK;
    }
}

/* Lines in front of the snapshot: that the program will stand still, why there is none, its metrics. */
static hsd_status read_lines(answer *in, hsd_live *live, hsd_error *err)
{
    char line[LINE_MAX_BYTES];
    size_t size;
    for (int i = 0; i < LINES_MAX; i++) {
        HSD_TRY(take_line(in, live, line, &size, err));
        in->line_ns = hsd_now_ns();
        in->metrics = (hsd_node_metrics){.build_ns = 0};
        HSD_TRY(hsd_node_metrics_read(&in->metrics, line, size, err));
        if (in->metrics.failure_size > 0)
            return hsd_fail(err, HSD_E_IO, "%s took no snapshot: %s", live->process->name, in->metrics.failure);
        if (in->metrics.stall_ns == 0) return HSD_OK;
        hsd_node_warn_of_stall(live, in->metrics.stall_ns);
    }
    return hsd_fail(err, HSD_E_CORRUPT, "what the helper says of itself does not end");
}

static hsd_status pass_on_node_way(void *context, hsd_feed *feed, hsd_error *err)
{
    answer *in = context;
    do {
        if (in->have > in->at) HSD_TRY(hsd_feed_put(feed, in->buffer + in->at, in->have - in->at, err));
        HSD_TRY(hsd_feed_wait(feed, in->fd, HELPER, err));
        HSD_TRY(read_some(in, err));
    } while (in->have > 0);
    in->end_ns = hsd_now_ns();
    return HSD_OK;
}

static uint64_t pause_of(const answer *in)
{
    const uint64_t end = in->end_ns;
    if (in->metrics.is_copied) return in->metrics.build_ns;
    return hsd_add_saturating(in->metrics.build_ns, (end != 0 ? end : hsd_now_ns()) - in->line_ns);
}

/* A large heap is not numbered before it is copied, unless that was asked for. */
static void warn_of_structure(hsd_live *live, const answer *in)
{
    if (in->metrics.exact_ns == 0) return;
    hsd_note(live->reporter, HSD_NOTE_WARNING,
             "%s went on, and so its objects have no numbers that last: captures recognise them by structure. With "
             "HSDIFF_NODE=exact in its "
             "environment they have, for about %.1f s of standing still",
             live->process->name, (double)in->metrics.exact_ns / 1e9);
}

static size_t tell_metrics(void *context, hsd_origin_metric *out, size_t most)
{
    const answer *in = context;
    size_t count = hsd_node_metrics_list(&in->metrics, out, most);
    if (count < most) out[count++] = (hsd_origin_metric){"capture.pause", "ns", pause_of(in)};
    if (count < most && in->metrics.is_copied) out[count++] = (hsd_origin_metric){"capture.copied", "count", 1};
    return count;
}

static hsd_status take_answer(hsd_live *live, int fd, hsd_error *err)
{
    answer *in = calloc(1, sizeof *in);
    if (in == NULL) return hsd_fail_nomem(err, "an answer");
    in->fd = fd;
    hsd_import_origin origin = {.metrics = tell_metrics, .context = in};
    const hsd_import_options options = hsd_node_import_options(live, &origin);
    hsd_status status = read_lines(in, live, err);
    memcpy(origin.domain, in->metrics.domain, sizeof origin.domain);
    if (status == HSD_OK) status = hsd_live_feed(live, pass_on_node_way, in, "v8", &options, err);
    if (status == HSD_OK) live->result->pause_ns = pause_of(in);
    if (status == HSD_OK) warn_of_structure(live, in);
    free(in);
    return status;
}

static hsd_status capture_node_way(hsd_live *live, hsd_error *err)
{
    char folder[96];
    hsd_rendezvous meeting;
    int fd = -1;
    if (!hsd_process_variable(live->facts, "XDG_RUNTIME_DIR", folder, sizeof folder) || folder[0] == '\0')
        snprintf(folder, sizeof folder, "/tmp");
    HSD_TRY(hsd_rendezvous_open(&meeting, live, folder, "node", err));
    hsd_status status = send_signal(live->facts, helper_signal(live->facts), err);
    const bool is_asked = status == HSD_OK;
    if (status == HSD_OK) status = hsd_rendezvous_accept(&meeting, live, &fd, err);
    if (is_asked && status != HSD_OK && !hsd_has_ended(live->facts, ENDING_MS))
        hsd_rendezvous_leave(&meeting); /* the signal has still to be heard */
    else
        hsd_rendezvous_close(&meeting);
    if (status == HSD_OK) status = take_answer(live, fd, err);
    if (fd >= 0) close(fd);
    return status;
}

/* ---- whose way it is ---- */

static hsd_gate look_node_way(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    const bool has_helper = hsd_process_has_open(facts, HSD_NODE_HELPER);
    if (!has_helper && !hsd_node_is(facts)) return HSD_GATE_NOT_MINE;
    snprintf(process->runtime, sizeof process->runtime, "Node");
    if (!has_helper) return hsd_node_closed(facts, err);
    if (is_caught(facts, helper_signal(facts))) return HSD_GATE_OPEN;
    (void)hsd_fail(err, HSD_E_UNSUPPORTED, "the helper in process %ld waits for no signal", facts->pid);
    hsd_error_set_hint(err, "start the program without HSDIFF_SIGNAL=none, and try again when it runs");
    return HSD_GATE_CLOSED;
}

static bool is_node_command(const char *command)
{
    const char *slash = strrchr(command, '/'), *name = slash == NULL ? command : slash + 1;
    static const char *const names[] = {"node", "nodejs", "npm", "npx", "yarn", "pnpm", "tsx", "ts-node"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* A path in NODE_OPTIONS: quotes keep its spaces together, a backslash keeps a quote or itself. */
static bool quote(char *out, size_t size, const char *path)
{
    size_t n = 0;
    if (size < 3) return false;
    out[n++] = '"';
    for (; *path != '\0'; path++) {
        if (n + 4 > size) return false;
        if (*path == '"' || *path == '\\') out[n++] = '\\';
        out[n++] = *path;
    }
    out[n++] = '"';
    out[n] = '\0';
    return true;
}

static bool prepare_node_way(const char *const *command, hsd_set_variable_fn set, void *context, hsd_status *status,
                             hsd_error *err)
{
    char path[1024], quoted[2100], value[4096];
    if (command[0] == NULL || !is_node_command(command[0])) return false;
    *status = hsd_agent_path(path, sizeof path, HSD_NODE_HELPER, err);
    if (*status != HSD_OK) return true;
    const char *before = getenv("NODE_OPTIONS");
    const bool has_before = before != NULL && before[0] != '\0';
    const int size = !quote(quoted, sizeof quoted, path)
                         ? -1
                         : snprintf(value, sizeof value, "%s%s--require=%s", has_before ? before : "",
                                    has_before ? " " : "", quoted);
    if (size < 0 || (size_t)size >= sizeof value) {
        *status = hsd_fail(err, HSD_E_UNSUPPORTED, "NODE_OPTIONS would be too long");
        return true;
    }
    set(context, "NODE_OPTIONS", value);
    return true;
}

const hsd_way hsd_way_node = {
    .name = "node",
    .summary = "Node with the helper loaded: signal; the snapshot is streamed back",
    .stored = "shapes only: no strings, keys or numbers of the program",
    .look = look_node_way,
    .capture = capture_node_way,
    .prepare = prepare_node_way,
};

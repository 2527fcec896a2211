/*
 * The conversation with an agent, as capture/agent/agent.h has it: one line out, one line back, and behind "ok" the
 * capture.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "io/fd.h"
#include "live/answer.h"
#include "live/connect.h"
#include "live/ended.h"
#include "live/facts.h"
#include "live/wait.h"

enum { REQUEST_BYTES = 1024, RETRY_MS = 150, HUNG_UP_MS = 2000, UNHEARD_MS = 8000, FORGET_SECONDS = 10 };

/* ---- the answer ---- */

/* Byte by byte: what follows the line is the capture. HSD_END: the agent went away before it said anything. */
static hsd_status read_line(const hsd_waiting *waiting, int fd, char line[HSD_ANSWER_BYTES], hsd_error *err)
{
    size_t used = 0, got = 0;
    for (;;) {
        HSD_TRY(hsd_wait_fd(waiting, fd, POLLIN, -1, err));
        const int error = hsd_fd_read(fd, line + used, 1, HSD_FD_HERE, &got);
        if (error != 0 && error != ECONNRESET)
            return hsd_fail_errno(err, error, "cannot read what the agent in process %ld answers", waiting->pid);
        if ((error != 0 || got == 0) && used == 0) return HSD_END;
        if (error != 0 || got == 0)
            return hsd_fail(err, HSD_E_TRUNCATED, "the agent in process %ld went away in the middle of its answer",
                            waiting->pid);
        if (line[used] == '\n') {
            line[used] = '\0';
            return HSD_OK;
        }
        if (++used == HSD_ANSWER_BYTES) break;
    }
    return hsd_fail(err, HSD_E_NOT_THIS_FORMAT,
                    "what listens in process %ld is no agent of hsdiff: its answer has no end", waiting->pid);
}

static hsd_status read_answer(const hsd_waiting *waiting, int fd, hsd_error *err)
{
    char line[HSD_ANSWER_BYTES];
    const char *sentence = "";
    HSD_TRY(read_line(waiting, fd, line, err));
    switch (hsd_answer_parse(line, &sentence)) {
    case HSD_ANSWER_OK: return HSD_OK;
    case HSD_ANSWER_ERROR:
        return hsd_fail(err, HSD_E_UNSUPPORTED, "the agent in process %ld refuses: %s", waiting->pid, sentence);
    case HSD_ANSWER_NONE: break;
    }
    return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "what listens in process %ld is no agent of hsdiff", waiting->pid);
}

/* ---- asking ---- */

static hsd_status send_request(const hsd_waiting *waiting, int fd, const char *request, hsd_error *err)
{
    const size_t size = strlen(request);
    const ssize_t sent = send(fd, request, size, MSG_NOSIGNAL); /* smaller than any socket's buffer */
    if (sent == (ssize_t)size) return HSD_OK;
    if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) return HSD_END;
    return hsd_fail_errno(err, sent < 0 ? errno : EMSGSIZE, "cannot ask the agent in process %ld", waiting->pid);
}

static hsd_status ask_once(int *out, const hsd_waiting *waiting, const hsd_process_facts *facts, const char *agent,
                           const char *request, hsd_error *err)
{
    HSD_TRY(hsd_agent_connect(out, facts, agent, err));
    hsd_status status = send_request(waiting, *out, request, err);
    /* an agent that refuses does not wait for the question: what it said is there, though it has hung up */
    if (status == HSD_OK || status == HSD_END) status = read_answer(waiting, *out, err);
    if (status == HSD_OK) return HSD_OK;
    if (status == HSD_E_UNSUPPORTED && facts->uid != geteuid())
        hsd_gate_hint_rights(facts, err, "let it send its captures: HSDIFF_TO, hsdiff receive");
    close(*out);
    *out = -1;
    return status;
}

/* How long what failed like this is tried again; 0 = it is final. */
static unsigned patience_ms(hsd_status status, const hsd_error *why)
{
    if (status == HSD_END) return HUNG_UP_MS;
    const int error = why->sys_errno;
    return status == HSD_E_IO && (error == ECONNREFUSED || error == EAGAIN || error == ECONNRESET || error == EPIPE)
               ? UNHEARD_MS
               : 0;
}

static hsd_status tell_silence(const hsd_process_facts *facts, hsd_error *err)
{
    hsd_fail(err, HSD_E_TRUNCATED, "the agent in process %ld went away without an answer", facts->pid);
    hsd_error_set_hint(err, "look whether the process is still there: hsdiff capture %ld", facts->pid);
    return HSD_E_TRUNCATED;
}

/*
 * With patience. A program that closed all its descriptors closed the agent's socket too: the agent notices at the
 * first try and opens it anew, when it comes to it. On a busy machine, or near a limit of memory or of descriptors,
 * that takes a while.
 */
static hsd_status ask_live_control(int *out, const hsd_waiting *waiting, const hsd_process_facts *facts,
                                   const char *agent, const char *request, hsd_error *err)
{
    const uint64_t began = hsd_now_ns();
    hsd_error why;
    for (;;) {
        hsd_error_init(&why);
        const hsd_status status = ask_once(out, waiting, facts, agent, request, &why);
        if (status == HSD_OK) return HSD_OK;
        const uint64_t patience_ns = (uint64_t)patience_ms(status, &why) * 1000000;
        if (hsd_now_ns() - began >= patience_ns || hsd_has_ended(facts, 0)) {
            if (status == HSD_END) return tell_silence(facts, err);
            if (err != NULL) *err = why;
            return status;
        }
        HSD_TRY(hsd_progress(waiting->reporter, waiting->stage, 0, 0, err));
        nanosleep(&(struct timespec){.tv_nsec = RETRY_MS * 1000000L}, NULL);
    }
}

hsd_status hsd_live_ask(hsd_live *live, const char *agent, const char *options, hsd_error *err)
{
    char request[REQUEST_BYTES];
    hsd_waiting waiting;
    int fd = -1;
    const int length =
        snprintf(request, sizeof request, "hsdiff 1 capture%s%s\n", *options == '\0' ? "" : " ", options);
    if (length < 0 || (size_t)length >= sizeof request)
        return hsd_fail(err, HSD_E_MISUSE, "options of an agent are too long");
    hsd_live_waiting(&waiting, live);
    HSD_TRY(ask_live_control(&fd, &waiting, live->facts, agent, request, err));
    const hsd_status status = hsd_live_copy(live, fd, err);
    close(fd);
    return status;
}

hsd_status hsd_live_ask_forget(const hsd_process_facts *facts, const hsd_run *run, const char *agent, hsd_error *err)
{
    hsd_reporter reporter;
    hsd_waiting waiting = {
        .reporter = &reporter, .pid = facts->pid, .timeout_seconds = FORGET_SECONDS, .stage = "asking to forget"};
    int fd = -1;
    hsd_reporter_init(&reporter, run);
    const hsd_status status = ask_live_control(&fd, &waiting, facts, agent, "hsdiff 1 forget\n", err);
    hsd_reporter_release(&reporter);
    if (fd >= 0) close(fd);
    return status;
}

hsd_gate hsd_live_find_agent(const hsd_process_facts *facts, const char *agent, hsd_error *err)
{
    char name[HSD_AGENT_NAME_BYTES];
    hsd_agent_name(name, facts, agent, 1);
    return hsd_facts_listens(facts, name) ? hsd_gate_of_network(facts, err) : HSD_GATE_NOT_MINE;
}

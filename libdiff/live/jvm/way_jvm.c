#define _GNU_SOURCE /* accept4, struct ucred */
/*
 * HotSpot with tags: the agent is loaded into the JVM, connects to us, and streams while the JVM walks its heap.
 * Objects keep their ids for life, at the price of some memory in the target, which hsd_live_forget gives back.
 *
 *      hsdiff ── load libhsdiff-jvm.so "capture to=@NAME …" ──► .java_pidN     (attach.c)
 *             ◄── connects to \0NAME, "ok\n", bytes of a .hs ── agent          (capture/jvm/agent.c)
 *
 * Where that memory is not there, or the JVM loads no agents, and nobody named the way, the heap is dumped instead
 * (way_hprof.c).
 */
#include "live/way.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/note.h"
#include "live/answer.h"
#include "live/connect.h"
#include "live/jvm/attach.h"
#include "live/jvm/jvm_process.h"
#include "live/measure.h"
#include "live/wait.h"

#define AGENT "libhsdiff-jvm.so"

/* Measured with JDK 17: 43 to 50 bytes an object for the table of tags; marks of the walk are a bit for each 8 bytes of
 * heap in JDK 18 and later; tables of classes and the stream's buffers. */
enum { TAG_BYTES = 50, SMALL_OBJECT_BYTES = 48, MARK_SHARE = 64, FIXED_BYTES = 24 << 20 };

/* ---- does it fit? ---- */

/* Bytes of objects, or more: before the first collection nothing but the size of the whole process is known. */
static uint64_t heap_bytes(const hsd_process_facts *facts, const hsd_perfdata *data)
{
    hsd_origin_metric metrics[8];
    uint64_t resident = 0;
    if (data->gc_count > 0) return hsd_add_saturating(data->young_bytes, data->old_bytes);
    const size_t count = hsd_measure_process(facts->pid, metrics, HSD_ARRAY_LEN(metrics));
    for (size_t i = 0; i < count; i++)
        if (strcmp(metrics[i].name, "process.rss") == 0) resident = metrics[i].value;
    return data->capacity_bytes == 0 ? resident : hsd_min_u64(data->capacity_bytes, resident);
}

/* What a first capture by tags takes in the target. */
static uint64_t predict(const hsd_process_facts *facts, uint64_t *objects)
{
    hsd_perfdata data;
    (void)hsd_perfdata_read(&data, facts); /* zeroed if there is none */
    *objects = heap_bytes(facts, &data) / SMALL_OBJECT_BYTES;
    return hsd_add_saturating(*objects * TAG_BYTES, data.capacity_bytes / MARK_SHARE + FIXED_BYTES);
}

static bool fits(hsd_live *live)
{
    uint64_t objects = 0;
    /* named, or the tags are there */
    if (live->options->way != NULL || hsd_process_maps(live->facts, AGENT, false)) return true;
    const hsd_memory_bound bound = hsd_memory_bound_of("", live->facts->pid);
    const uint64_t wanted = predict(live->facts, &objects), spare = hsd_memory_room(&bound);
    if (wanted <= spare) return true;
    hsd_note(live->reporter, HSD_NOTE_WARNING,
             "tags for about %llu objects would take %llu MiB in process %ld, which has %llu MiB to spare: taken by "
             "the way hprof, whose "
             "objects have no ids for life (--way jvm to insist)",
             (unsigned long long)objects, (unsigned long long)(wanted >> 20), live->facts->pid,
             (unsigned long long)(spare >> 20));
    return false;
}

/* ---- where the agent finds us ---- */

typedef struct listener {
    int fd;
    char name[64];        /* "@hsdiff-…", or the path in the target */
    bool is_agent_barred; /* -XX:-EnableDynamicAgentLoading */
} listener;

static hsd_status listen_abstract(listener *here, const hsd_process_facts *facts, hsd_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    uint64_t random[2] = {0};
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return hsd_fail_errno(err, errno, "no random numbers");
    const int used = snprintf(here->name, sizeof here->name, "@hsdiff-jvm-%016llx%016llx",
                              (unsigned long long)random[0], (unsigned long long)random[1]);
    memcpy(address.sun_path + 1, here->name + 1, (size_t)used - 1);
    here->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (here->fd < 0) return hsd_fail_errno(err, errno, "cannot make a socket");
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)used);
    int error = bind(here->fd, (const struct sockaddr *)&address, size) == 0 ? 0 : errno;
    if (error == 0) error = hsd_listen_for(here->fd, facts);
    return error == 0 ? HSD_OK : hsd_fail_errno(err, error, "cannot listen for the agent");
}

static bool is_target(const hsd_process_facts *facts, int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == (pid_t)facts->pid &&
           peer.uid == facts->uid;
}

/* ---- the agent's file ---- */

/* The path must lead to the same file for the target. */
static hsd_status find_agent(char *out, size_t size, const hsd_process_facts *facts, hsd_error *err)
{
    char seen[1200];
    struct stat ours, theirs;
    HSD_TRY(hsd_agent_path(out, size, AGENT, err));
    snprintf(seen, sizeof seen, "%s%s", facts->root, out);
    if (stat(out, &ours) != 0) return hsd_fail_errno(err, errno, "cannot read %s", out);
    if (facts->is_same_mounts || (stat(seen, &theirs) == 0 && theirs.st_size == ours.st_size)) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld has a file system of its own, without the agent at %s", facts->pid,
             out);
    hsd_error_set_hint(err, "put it there: docker cp %s CONTAINER:%s; or use --way hprof, which needs no agent", out,
                       out);
    return HSD_E_UNSUPPORTED;
}

/* ---- asking ---- */

/* Words of an options string end at a blank; names are foreign. */
static void add_word(char *out, size_t size, const char *key, const char *text)
{
    size_t used = strlen(out);
    used += (size_t)snprintf(out + used, size - used, " %s=", key);
    for (; *text != '\0' && used + 1 < size; text++)
        out[used++] = *text > ' ' && *text < 127 ? *text : '_';
    out[used < size ? used : size - 1] = '\0';
}

static void write_options(char *out, size_t size, const hsd_live *live, const listener *here)
{
    hsd_perfdata data;
    hsd_origin_metric metrics[8];
    const int level = live->options->compression;
    snprintf(out, size, "capture to=%s gc=1 level=%d", here->name, level > 0 ? level : 0);
    add_word(out, size, "name", live->process->name);
    if (!hsd_perfdata_read(&data, live->facts)) return;
    if (data.version[0] != '\0') add_word(out, size, "version", data.version);
    const size_t count = hsd_perfdata_metrics(&data, metrics, HSD_ARRAY_LEN(metrics));
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(out);
        snprintf(out + used, size - used, " metric.%s=%llu", metrics[i].name, (unsigned long long)metrics[i].value);
    }
}

static hsd_status fail_load(const hsd_process_facts *facts, listener *here, int attach_fd, const char *path,
                            hsd_error *err)
{
    hsd_attach_answer answer;
    long code = 0;
    HSD_TRY(hsd_attach_read(attach_fd, 5, &answer, err));
    answer.text[strcspn(answer.text, "\n")] = '\0';
    here->is_agent_barred = strstr(answer.text, "EnableDynamicAgentLoading") != NULL;
    if (answer.status == 0 && hsd_attach_result(&answer, &code) && code == 3)
        return hsd_fail(err, HSD_E_IO, "the agent in process %ld cannot reach this program: is its network another?",
                        facts->pid);
    hsd_fail(err, HSD_E_UNSUPPORTED, "the JVM of process %ld does not load %s: %.200s", facts->pid, path,
             answer.text[0] == '\0' ? "it does not say why" : answer.text);
    hsd_error_set_hint(err, "start it with -XX:+EnableDynamicAgentLoading or -agentpath:%s; or use --way hprof", path);
    return HSD_E_UNSUPPORTED;
}

static hsd_status accept_agent(hsd_live *live, listener *here, int attach_fd, const char *path, int *out,
                               hsd_error *err)
{
    hsd_waiting waiting;
    hsd_live_waiting(&waiting, live);
    for (;;) {
        struct pollfd one = {.fd = here->fd, .events = POLLIN};
        const hsd_status status = hsd_wait_fd(&waiting, here->fd, POLLIN, attach_fd, err);
        if (status == HSD_END && poll(&one, 1, 0) <= 0) return fail_load(live->facts, here, attach_fd, path, err);
        if (status != HSD_END) HSD_TRY(status);
        *out = accept4(here->fd, NULL, NULL, SOCK_CLOEXEC);
        if (*out < 0 && errno != EINTR && errno != ECONNABORTED)
            return hsd_fail_errno(err, errno, "cannot take the agent's connection");
        if (*out >= 0 && is_target(live->facts, *out)) return HSD_OK;
        if (*out >= 0) close(*out);
        *out = -1;
    }
}

/* The line before the capture, read byte by byte: what follows is not ours to take. */
static hsd_status read_line(hsd_live *live, int fd, hsd_error *err)
{
    char line[HSD_ANSWER_BYTES];
    const char *sentence = "";
    size_t used = 0, got = 0;
    do {
        HSD_TRY(hsd_live_read(live, fd, line + used, 1, &got, err));
        if (got == 0) return hsd_fail(err, HSD_E_TRUNCATED, "process %ld ended, or its agent did", live->facts->pid);
    } while (line[used] != '\n' && ++used < sizeof line - 1);
    line[used] = '\0';
    switch (hsd_answer_parse(line, &sentence)) {
    case HSD_ANSWER_OK: return HSD_OK;
    case HSD_ANSWER_ERROR:
        hsd_fail(err, HSD_E_UNSUPPORTED, "the agent in process %ld refuses: %s", live->facts->pid, sentence);
        hsd_error_set_hint(err, "a heap dump needs no agent: hsdiff capture %ld --way hprof", live->facts->pid);
        return HSD_E_UNSUPPORTED;
    case HSD_ANSWER_NONE: break;
    }
    return hsd_fail(err, HSD_E_CORRUPT, "what answers in process %ld is no agent", live->facts->pid);
}

static hsd_status take_stream(hsd_live *live, listener *here, int attach_fd, const char *path, hsd_error *err)
{
    hsd_attach_answer answer;
    int fd = -1;
    HSD_TRY(accept_agent(live, here, attach_fd, path, &fd, err));
    hsd_status status = read_line(live, fd, err);
    if (status == HSD_OK) status = hsd_live_copy(live, fd, err);
    close(fd); /* whatever came of it, the agent ends with its next write */
    /* killed */
    if (status == HSD_OK && hsd_attach_read(attach_fd, 5, &answer, NULL) != HSD_OK) hsd_attach_sweep(live->facts);
    return status;
}

static hsd_status capture_by_tags(hsd_live *live, bool *is_agent_barred, hsd_error *err)
{
    char path[1024], options[1024];
    listener here = {.fd = -1};
    int attach_fd = -1;
    HSD_TRY(find_agent(path, sizeof path, live->facts, err));
    hsd_status status = listen_abstract(&here, live->facts, err);
    if (status == HSD_OK) status = hsd_attach_open(&attach_fd, live->facts, err);
    if (status == HSD_OK) {
        write_options(options, sizeof options, live, &here);
        const char *const arguments[HSD_ATTACH_ARGUMENTS] = {path, "true", options};
        status = hsd_attach_send(attach_fd, "load", arguments, err);
    }
    if (status == HSD_OK) status = take_stream(live, &here, attach_fd, path, err);
    if (attach_fd >= 0) close(attach_fd);
    if (here.fd >= 0) close(here.fd);
    if (status != HSD_OK) hsd_attach_sweep(live->facts);
    *is_agent_barred = status != HSD_OK && here.is_agent_barred;
    return status;
}

static hsd_status capture_jvm_way(hsd_live *live, hsd_error *err)
{
    bool is_agent_barred = false;
    if (!fits(live)) return hsd_way_hprof.capture(live, err);
    const hsd_status status = capture_by_tags(live, &is_agent_barred, err);
    if (!is_agent_barred || live->options->way != NULL) return status;
    hsd_note(live->reporter, HSD_NOTE_WARNING,
             "the JVM of process %ld was started with -XX:-EnableDynamicAgentLoading: taken by the way hprof, whose "
             "objects have no ids for life",
             live->facts->pid);
    hsd_error_init(err);
    return hsd_way_hprof.capture(live, err);
}

/* ---- giving back ---- */

static hsd_status forget_jvm_way(const hsd_process_facts *facts, const hsd_run *run, hsd_error *err)
{
    (void)run;
    char path[1024];
    hsd_attach_answer answer;
    long code = -1;
    int fd = -1;
    if (!hsd_process_maps(facts, AGENT, false)) return HSD_OK; /* it was never asked */
    HSD_TRY(find_agent(path, sizeof path, facts, err));
    HSD_TRY(hsd_attach_open(&fd, facts, err));
    const char *const arguments[HSD_ATTACH_ARGUMENTS] = {path, "true", "forget"};
    hsd_status status = hsd_attach_send(fd, "load", arguments, err);
    if (status == HSD_OK) status = hsd_attach_read(fd, 60, &answer, err);
    close(fd);
    if (status != HSD_OK) return status;
    if (answer.status == 0 && hsd_attach_result(&answer, &code) && code == 0) return HSD_OK;
    answer.text[strcspn(answer.text, "\n")] = '\0';
    return hsd_fail(err, HSD_E_UNSUPPORTED, "the agent in process %ld does not forget: %.200s", facts->pid,
                    answer.text);
}

/* ---- whose way it is ---- */

static hsd_gate look_jvm_way(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    char path[1024];
    const hsd_gate gate = hsd_jvm_look(facts, process, err);
    if (gate != HSD_GATE_OPEN) return gate;
    if (find_agent(path, sizeof path, facts, err) != HSD_OK) return HSD_GATE_CLOSED;
    if (facts->is_same_network) return HSD_GATE_OPEN;
    hsd_fail(err, HSD_E_UNSUPPORTED,
             "process %ld has a network namespace of its own: its agent cannot reach this program", facts->pid);
    hsd_error_set_hint(err, "run hsdiff inside: nsenter -t %ld -n hsdiff capture %ld; or use --way hprof", facts->pid,
                       facts->pid);
    return HSD_GATE_CLOSED;
}

/* A JVM needs nothing at its start. */
static bool prepare_jvm_way(const char *const *command, hsd_set_variable_fn set, void *context, hsd_status *status,
                            hsd_error *err)
{
    (void)set, (void)context, (void)err;
    *status = HSD_OK;
    return command[0] != NULL && hsd_jvm_is_command(command[0]);
}

const hsd_way hsd_way_jvm = {
    .name = "jvm",
    .summary = "HotSpot: an agent is loaded for the purpose; ids for life, growth object by object",
    .stored = "shapes only: no strings, keys or field values",
    .look = look_jvm_way,
    .capture = capture_jvm_way,
    .forget = forget_jvm_way,
    .prepare = prepare_jvm_way,
};

#define _GNU_SOURCE
/*
 * Node or Deno whose inspector listens: HeapProfiler over a WebSocket, of which the snapshot is unescaped into the
 * importer as it comes. An inspector that is not open is opened by SIGUSR1 where that was asked for, and closed again
 * on every way out, unless somebody else uses it.
 *
 * V8 begins anew to number its objects when a session of the inspector ends, and one ends with each capture; so each of
 * them is a domain of identities of its own: objects are told apart by what they are, not by ids.
 */
#include "live/way.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "live/facts.h"
#include "live/node/feed.h"
#include "live/node/inspector_connection.h"
#include "live/node/node_process.h"
#include "live/wait.h"

#define LASTING_NS UINT64_C(999000000) /* a worker that lasts less is in no capture */

enum {
    OPEN_TRIES = 100,
    OPEN_PAUSE_MS = 50,
    CLOSE_SECONDS = 10,
    PROBE_SECONDS = 1,
    WORKER_SECONDS = 10,
    FIRST_WORKER_ID = 100
};

#define EVALUATE(expression) "\"includeCommandLineAPI\":true,\"returnByValue\":true,\"expression\":\"" expression "\""

/* A module of Node's: Deno has no require there. */
#define REQUIRE "(typeof require==='function'?require:process.getBuiltinModule)"

/* One line of JSON, in the words of the helper (hsdiff.cjs). */
static const char metrics_asked[] = EVALUATE(
    "(()=>{const "
    "v=" REQUIRE "('v8'),h=v.getHeapStatistics(),m=process.memoryUsage(),s={young:0,old:0,large:0,code:0,metadata:0};"
    "for(const x of v.getHeapSpaceStatistics()){const "
    "n=x.space_name;s[/large_object/.test(n)?'large':/^new/.test(n)?'young':"
    "/^code/.test(n)?'code':/^(map|read_only)/.test(n)?'metadata':'old']+=x.space_used_size}"
    "return "
    "JSON.stringify({'heap.used':h.used_heap_size,'heap.committed':h.total_heap_size,'heap.limit':h.heap_size_limit,"
    "'heap.young':s.young,'heap.old':s.old,'heap.large':s.large,'heap.code':s.code,'heap.metadata':s.metadata,"
    "'native.used':m.external+(h.malloced_memory||0),'process.rss':m.rss})})()");

/* Deno would ask its user whether the table may be read: there nobody else is looked for. */
#define IS_USED                                                                                                        \
    "const i=r('inspector'),p=':'+(+new URL(i.url()).port).toString(16).toUpperCase().padStart(4,'0');"                \
    "const used=()=>!process.versions.deno&&['tcp','tcp6'].some(t=>{try{return "                                       \
    "r('fs').readFileSync('/proc/self/net/'+t,'latin1').split(r('os').EOL).some("                                      \
    "l=>{const w=l.trim().split(/ +/);return "                                                                         \
    "w.length>3&&w[1].endsWith(p)&&(w[3]==='01'||w[3]==='08')})}catch(e){return false}});"

/* What closing will load and compile is there before the snapshot, or the next one would have it as growth. */
static const char close_prepared[] =
    EVALUATE("(r=>{" IS_USED "used();setTimeout(()=>{},1).unref();return ''})(" REQUIRE ")");

/*
 * Behind the answer: closing ends the very session that asks for it. And only a while after this session has ended:
 * where one ends while another thread closes the inspector, Node 20 dies (9 of 400 times that both came within 10 ms).
 * When it has ended, its connection is gone from the kernel's table; while one stays there, somebody else looks on, and
 * nothing is closed. A helper in the program takes a new domain.
 */
static const char close_asked[] = EVALUATE(
    "(r=>{let n=0;" IS_USED
    "const end=()=>{const h=globalThis[Symbol.for('hsdiff.helper')];if(h&&h.forget)h.forget();if(!used())i.close()};"
    "const look=()=>{if(!used())setTimeout(end,200).unref();else if(n++<200)setTimeout(look,20).unref()};"
    "setTimeout(look,20).unref();return ''})(" REQUIRE ")");

typedef struct session {
    hsd_live *live;
    hsd_feed *feed;
    hsd_inspector_connection connection;
    hsd_inspector_port port;
    bool is_to_close;
    hsd_node_metrics metrics;
    unsigned next_id;
    bool has_workers; /* the inspector knows of such a thing */
    uint64_t found_ns;
    size_t worker_count; /* of those that are to be told */
    hsd_inspector_worker workers[HSD_INSPECTOR_WORKERS_MAX];
    uint32_t thread;              /* of the worker whose snapshot has still to begin; 0 = none */
    uint64_t asked_ns;            /* when the snapshot was asked for */
    _Atomic uint64_t answered_ns; /* when that was answered; 0 = not yet: the importer may be through before */
} session;

static bool handles_sigusr1(const hsd_process_facts *facts)
{
    return (facts->caught_signals >> (SIGUSR1 - 1) & 1) != 0;
}

/* ---- a capture ---- */

static hsd_status wait_of_caller(void *context, int fd, hsd_error *err)
{
    return hsd_live_wait_target(context, fd, err);
}

static hsd_status wait_of_feed(void *context, int fd, hsd_error *err)
{
    return hsd_feed_wait(context, fd, "the inspector", err);
}

static hsd_status put_thread(session *s, uint32_t thread, const char *end, hsd_error *err)
{
    char text[40];
    const int size = snprintf(text, sizeof text, "{\"thread\":%u%s", (unsigned)thread, end);
    return hsd_feed_put(s->feed, text, (size_t)size, err);
}

static hsd_status take_chunk(void *context, const char *bytes, size_t size, hsd_error *err)
{
    session *s = context;
    const uint32_t thread = s->thread;
    s->thread = 0;
    if (thread == 0 || size == 0) return hsd_feed_put(s->feed, bytes, size, err);
    /* behind the brace that opens the snapshot */
    HSD_TRY(put_thread(s, thread, ",", err));
    return hsd_feed_put(s->feed, bytes + 1, size - 1, err);
}

/* ---- workers: each has a heap of its own, which comes behind that of the main thread ---- */

static int compare_workers(const void *a, const void *b)
{
    const uint32_t first = ((const hsd_inspector_worker *)a)->thread,
                   second = ((const hsd_inspector_worker *)b)->thread;
    return (first > second) - (first < second);
}

static hsd_status wait_of_worker(void *context, int fd, hsd_error *err)
{
    return hsd_feed_wait_for(context, fd, "a worker", WORKER_SECONDS, err);
}

static bool is_silent(hsd_status status, const hsd_error *why)
{
    return status == HSD_E_IO && why->sys_errno == ETIMEDOUT;
}

/* True: it answers. One that has ended has no heap; of one that is in native code nothing but its number comes. */
static hsd_status wake_worker(session *s, const hsd_inspector_worker *worker, bool *is_awake, hsd_error *err)
{
    hsd_error why;
    hsd_error_init(&why);
    s->connection.wait = wait_of_worker;
    const hsd_status status =
        hsd_inspector_call_worker(&s->connection, s->next_id += 2, worker, "HeapProfiler.enable", &why);
    s->connection.wait = wait_of_feed;
    *is_awake = status == HSD_OK;
    if (*is_awake || status == HSD_END) return HSD_OK;
    if (is_silent(status, &why)) return put_thread(s, worker->thread, "}", err);
    if (err != NULL) *err = why;
    return status;
}

static hsd_status take_worker(session *s, const hsd_inspector_worker *worker, hsd_error *err)
{
    bool is_awake = false;
    HSD_TRY(wake_worker(s, worker, &is_awake, err));
    if (!is_awake) return HSD_OK;
    s->thread = worker->thread;
    const hsd_status status =
        hsd_inspector_call_worker(&s->connection, s->next_id += 2, worker, "HeapProfiler.takeHeapSnapshot", err);
    const bool is_begun = s->thread == 0;
    s->thread = 0;
    if (status != HSD_END || !is_begun) return status == HSD_END ? HSD_OK : status;
    hsd_fail(err, HSD_E_TRUNCATED, "worker thread %u ended while its heap was read", worker->thread);
    hsd_error_set_hint(err, "capture again");
    return HSD_E_TRUNCATED;
}

/* Those that are there before the heap of the main thread is asked for: */
static hsd_status find_workers(session *s, hsd_error *err)
{
    s->next_id = FIRST_WORKER_ID;
    const hsd_status status = hsd_inspector_find_workers(&s->connection, s->next_id, s->workers, err);
    s->has_workers = status == HSD_OK; /* Deno has no such thing */
    s->found_ns = hsd_now_ns();
    s->worker_count = s->connection.messages.worker_count;
    qsort(s->workers, s->worker_count, sizeof *s->workers, compare_workers);
    return status == HSD_E_UNSUPPORTED ? HSD_OK : status;
}

/* … and still are a while later. Those that come and go, one for each request, would be in one capture and not in the
 * next. */
static void let_workers_last(const session *s)
{
    const uint64_t passed = hsd_now_ns() - s->found_ns;
    if (s->worker_count > 0 && passed < LASTING_NS)
        nanosleep(&(struct timespec){.tv_nsec = (long)(LASTING_NS - passed)}, NULL);
}

static hsd_status take_workers(session *s, hsd_error *err)
{
    if (!s->has_workers) return HSD_OK;
    let_workers_last(s);
    for (size_t i = 0; i < s->worker_count; i++)
        if (s->workers[i].thread > 0) HSD_TRY(take_worker(s, &s->workers[i], err));
    /* their sessions end before that of the main thread, behind which the inspector may be closed */
    return hsd_inspector_call(&s->connection, s->next_id += 2, "NodeWorker.disable", "", err);
}

static hsd_status take_snapshot(void *context, hsd_feed *feed, hsd_error *err)
{
    session *s = context;
    s->feed = feed;
    s->connection.wait = wait_of_feed;
    s->connection.wait_context = feed;
    HSD_TRY(hsd_inspector_call(&s->connection, 3, "HeapProfiler.takeHeapSnapshot", "\"reportProgress\":false", err));
    s->answered_ns = hsd_now_ns();
    return take_workers(s, err);
}

static uint64_t pause_of(const session *s)
{
    const uint64_t end = s->answered_ns;
    return (end != 0 ? end : hsd_now_ns()) - s->asked_ns;
}

static size_t tell_metrics(void *context, hsd_origin_metric *out, size_t most)
{
    const session *s = context;
    size_t count = hsd_node_metrics_list(&s->metrics, out, most);
    if (count < most) out[count++] = (hsd_origin_metric){"capture.pause", "ns", pause_of(s)};
    return count;
}

static hsd_status ask_metrics(session *s, hsd_error *err)
{
    HSD_TRY(hsd_inspector_call(&s->connection, 1, "HeapProfiler.enable", "", err));
    HSD_TRY(hsd_inspector_call(&s->connection, 2, "Runtime.evaluate", metrics_asked, err));
    const hsd_inspector *messages = &s->connection.messages;
    /* A program that has no require gives no metrics, and its heap all the same. */
    if (messages->value_size == 0) return HSD_OK;
    return hsd_node_metrics_read(&s->metrics, messages->value, messages->value_size, err);
}

static hsd_status import_snapshot(hsd_live *live, session *s, hsd_error *err)
{
    hsd_import_origin origin = {.metrics = tell_metrics, .context = s};
    const hsd_import_options options = hsd_node_import_options(live, &origin);
    if (getrandom(origin.domain, sizeof origin.domain, 0) != (ssize_t)sizeof origin.domain)
        return hsd_fail_errno(err, errno, "cannot draw a random number");
    HSD_TRY(ask_metrics(s, err));
    if (s->is_to_close) HSD_TRY(hsd_inspector_call(&s->connection, 4, "Runtime.evaluate", close_prepared, err));
    HSD_TRY(find_workers(s, err));
    hsd_node_warn_of_stall(live, hsd_node_expected_stall_ns(&s->metrics));
    s->asked_ns = hsd_now_ns();
    HSD_TRY(hsd_live_feed(live, take_snapshot, s, "v8", &options, err));
    live->result->pause_ns = pause_of(s);
    return HSD_OK;
}

static size_t ports_of(const session *s, hsd_inspector_port *out) { return hsd_inspector_ports(s->live->facts, out); }

static bool is_same_inspector_way(hsd_inspector_port a, hsd_inspector_port b)
{
    return a.port == b.port && a.is_v6 == b.is_v6;
}

static bool is_among(const hsd_inspector_port *ports, size_t count, hsd_inspector_port port)
{
    for (size_t i = 0; i < count; i++)
        if (is_same_inspector_way(ports[i], port)) return true;
    return false;
}

/* The inspector has a thread of its own, and answers at once whatever the program does. */
static hsd_status wait_shortly(void *context, int fd, hsd_error *err)
{
    hsd_waiting waiting;
    hsd_live_waiting(&waiting, context);
    waiting.timeout_seconds = PROBE_SECONDS;
    return hsd_wait_fd(&waiting, fd, POLLIN, -1, err);
}

/* Where the port was left to the system, each that the process listens on may be the program's own: it is asked once
 * whether it is an inspector. */
static hsd_status probe_inspector_way(session *s, const hsd_inspector_port *ports, size_t count, hsd_error *err)
{
    hsd_status status =
        hsd_fail(err, HSD_E_UNSUPPORTED, "the inspector of process %ld listens no more", s->live->facts->pid);
    for (size_t i = 0; i < count; i++) {
        s->port = ports[i];
        status = hsd_inspector_ask(&s->connection, ports[i], wait_shortly, s->live, err);
        if (status == HSD_OK || status == HSD_E_CANCELLED) return status;
    }
    return status;
}

static hsd_status connect_to(session *s, hsd_error *err)
{
    return hsd_inspector_connect(&s->connection, s->port, wait_of_caller, s->live, err);
}

/* Where it listens, if it does: *is_open. */
static hsd_status find_inspector(session *s, bool *is_open, hsd_error *err)
{
    hsd_inspector_port ports[HSD_INSPECTOR_PORTS];
    const size_t count = ports_of(s, ports);
    *is_open = count > 0;
    if (count == 0) return HSD_OK;
    s->port = ports[0];
    if (hsd_inspector_port_is_named(s->live->facts) && count == 1) return HSD_OK;
    const hsd_status status = probe_inspector_way(s, ports, count, err);
    *is_open = status == HSD_OK;
    return status == HSD_E_CANCELLED ? status : HSD_OK;
}

static hsd_status capture_session(hsd_live *live, session *s, hsd_error *err)
{
    HSD_TRY(connect_to(s, err));
    s->connection.chunk = take_chunk;
    s->connection.chunk_context = s;
    const hsd_status status = import_snapshot(live, s, err);
    hsd_inspector_close(&s->connection);
    return status;
}

/* ---- opening and closing ---- */

static void pause_shortly(void) { nanosleep(&(struct timespec){.tv_nsec = OPEN_PAUSE_MS * 1000000L}, NULL); }

static hsd_status signal_process(const hsd_process_facts *facts, hsd_error *err)
{
    const int fd = (int)syscall(SYS_pidfd_open, (pid_t)facts->pid, 0);
    if (fd < 0) return hsd_fail_errno(err, errno, "cannot signal process %ld", facts->pid);
    const int failed =
        hsd_node_v8_runtime(facts) != NULL && syscall(SYS_pidfd_send_signal, fd, SIGUSR1, NULL, 0) != 0 ? errno : 0;
    close(fd);
    return failed == 0 ? HSD_OK : hsd_fail_errno(err, failed, "cannot signal process %ld", facts->pid);
}

/* The ports that were not there before. */
static size_t new_ports(const session *s, const hsd_inspector_port *before, size_t count, hsd_inspector_port *out)
{
    hsd_inspector_port ports[HSD_INSPECTOR_PORTS];
    const size_t all = ports_of(s, ports);
    size_t found = 0;
    for (size_t i = 0; i < all; i++)
        if (!is_among(before, count, ports[i])) out[found++] = ports[i];
    return found;
}

static hsd_status open_inspector(session *s, hsd_error *err)
{
    const long pid = s->live->facts->pid;
    hsd_inspector_port before[HSD_INSPECTOR_PORTS], ports[HSD_INSPECTOR_PORTS];
    const size_t count = ports_of(s, before);
    HSD_TRY(signal_process(s->live->facts, err));
    for (int i = 0; i < OPEN_TRIES; i++, pause_shortly()) {
        const size_t found = new_ports(s, before, count, ports);
        if (found == 0) continue;
        const hsd_status status = probe_inspector_way(s, ports, found, err);
        if (status == HSD_OK || status == HSD_E_CANCELLED) return status;
    }
    const hsd_status status = hsd_fail(err, HSD_E_UNSUPPORTED, "the inspector of process %ld did not open", pid);
    hsd_error_set_hint(err, "port 9229 may be taken by another process: start this one with --inspect-port=0, or with "
                            "the helper of hsdiff");
    return status;
}

/* Whatever became of the capture: on a connection of its own, a short wait, and no error that would hide the first. */
static void close_inspector(hsd_live *live, session *s)
{
    hsd_live_options options = *live->options;
    options.timeout_seconds = CLOSE_SECONDS;
    hsd_reporter nobody; /* who would cancel this too */
    hsd_reporter_init(&nobody, NULL);
    hsd_live closing = {.facts = live->facts,
                        .process = live->process,
                        .options = &options,
                        .run = live->run,
                        .reporter = &nobody,
                        .started_ns = live->started_ns};
    s->live = &closing;
    if (connect_to(s, NULL) == HSD_OK)
        (void)hsd_inspector_call(&s->connection, 9, "Runtime.evaluate", close_asked, NULL);
    hsd_inspector_close(&s->connection);
    hsd_reporter_release(&nobody);
    /* Who captures next must not take it for one that stays. */
    hsd_inspector_port ports[HSD_INSPECTOR_PORTS];
    for (int i = 0; i < OPEN_TRIES && is_among(ports, ports_of(s, ports), s->port); i++)
        pause_shortly();
}

static hsd_status refuse_closed(const hsd_process_facts *facts, hsd_error *err)
{
    (void)hsd_node_closed(facts, err);
    return HSD_E_UNSUPPORTED;
}

static hsd_status capture_in(session *s, hsd_error *err)
{
    hsd_live *live = s->live;
    bool is_open;
    HSD_TRY(find_inspector(s, &is_open, err));
    if (!is_open && !(live->options->open_inspector && handles_sigusr1(live->facts)))
        return refuse_closed(live->facts, err);
    s->is_to_close = !is_open;
    hsd_status status = is_open ? HSD_OK : open_inspector(s, err);
    const bool is_there = status == HSD_OK;
    if (is_there) status = capture_session(live, s, err);
    if (is_there && !is_open) close_inspector(live, s);
    return status;
}

static hsd_status capture_inspector_way(hsd_live *live, hsd_error *err)
{
    session *s = calloc(1, sizeof *s);
    if (s == NULL) return hsd_fail_nomem(err, "a session");
    s->live = live;
    s->connection.facts = live->facts;
    s->connection.fd = s->connection.keeper.pipe = -1;
    const hsd_status status = capture_in(s, err);
    free(s);
    return status;
}

/* ---- whose way it is ---- */

static hsd_gate look_inspector_way(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    hsd_inspector_port ports[HSD_INSPECTOR_PORTS];
    const char *runtime = hsd_node_v8_runtime(facts);
    if (runtime == NULL) return HSD_GATE_NOT_MINE;
    snprintf(process->runtime, sizeof process->runtime, "%s", runtime);
    if (!facts->is_same_network) return hsd_gate_of_network(facts, err);
    /* By SIGUSR1 it can be opened: whether it may be says the caller, to capture(). */
    if (hsd_inspector_ports(facts, ports) > 0 || handles_sigusr1(facts)) return HSD_GATE_OPEN;
    return hsd_node_closed(facts, err);
}

static bool needs_leave(const hsd_process_facts *facts, hsd_error *err)
{
    hsd_inspector_port ports[HSD_INSPECTOR_PORTS];
    if (hsd_inspector_ports(facts, ports) > 0) return false;
    (void)hsd_node_closed(facts, err);
    return true;
}

const hsd_way hsd_way_inspector = {
    .name = "inspector",
    .summary = "Node or Deno with --inspect, or opened for the moment: HeapProfiler over the inspector's WebSocket",
    .stored = "shapes only: no strings, keys or numbers of the program",
    .look = look_inspector_way,
    .capture = capture_inspector_way,
    .needs_leave = needs_leave,
    .asks_before = true,
};

/*
 * The bytes of an inspector: frames, messages, heads, targets, and lines of /proc and of command lines that say where
 * it listens.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "live/node/inspector_messages.h"
#include "live/node/inspector_port.h"
#include "live/node/node_process.h"

typedef struct taken {
    char text[65536];
    size_t size, pings;
} taken;

static hsd_status take_chunk(void *context, const char *bytes, size_t size, hsd_error *err)
{
    taken *all = context;
    (void)err;
    cr_assert_leq(size, sizeof all->text - all->size - 1);
    memcpy(all->text + all->size, bytes, size);
    all->size += size;
    all->text[all->size] = '\0';
    return HSD_OK;
}

static hsd_status take_ping(void *context, const void *bytes, size_t size, hsd_error *err)
{
    taken *all = context;
    (void)bytes, (void)size, (void)err;
    all->pings++;
    return HSD_OK;
}

static size_t put_frame(uint8_t *out, unsigned first, const char *payload, size_t size)
{
    out[0] = (uint8_t)first;
    out[1] = (uint8_t)size;
    memcpy(out + 2, payload, size);
    return size + 2;
}

/* Fed byte by byte: the hardest cut. */
static hsd_status feed(hsd_inspector *inspector, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        HSD_TRY(hsd_inspector_feed(inspector, bytes + i, 1, NULL));
    return HSD_OK;
}

static hsd_inspector inspector;
static taken all;

static hsd_status feed_message(const char *text)
{
    uint8_t bytes[256];
    cr_assert_lt(strlen(text), 126);
    return feed(&inspector, bytes, put_frame(bytes, 0x81, text, strlen(text)));
}

static void begin(void)
{
    memset(&all, 0, sizeof all);
    hsd_inspector_init(&inspector, &(hsd_inspector_receiver){.chunk = take_chunk, .ping = take_ping, .context = &all});
}

#define CHUNK "{\"method\":\"HeapProfiler.addHeapSnapshotChunk\",\"params\":{\"chunk\":\""

Test(inspector, unescapes_the_pieces_of_a_snapshot)
{
    begin();
    cr_assert_eq(feed_message(CHUNK "{\\\"a\\\":\\n"), HSD_E_TRUNCATED);
    begin();
    cr_assert_eq(feed_message(CHUNK "{\\\"a\\\":\\n\"}}"), HSD_OK);
    cr_assert_eq(feed_message(CHUNK "\\u00e9\\ud83d\\ude00\\ud800x\"}}"), HSD_OK);
    cr_assert_str_eq(all.text, "{\"a\":\n\xC3\xA9\xF0\x9F\x98\x80\xEF\xBF\xBDx");
    cr_assert_eq(inspector.answered, 0);
    cr_assert_eq(feed_message("{\"id\":3,\"result\":{}}"), HSD_OK);
    cr_assert_eq(inspector.answered, 3);
}

Test(inspector, joins_fragments_and_sees_pings_between)
{
    uint8_t bytes[512];
    size_t n = put_frame(bytes, 0x01, CHUNK "ab", sizeof CHUNK + 1);
    n += put_frame(bytes + n, 0x89, "hello", 5);
    n += put_frame(bytes + n, 0x00, "cd", 2);
    n += put_frame(bytes + n, 0x80, "\"}}", 3);
    begin();
    cr_assert_eq(feed(&inspector, bytes, n), HSD_OK);
    cr_assert_str_eq(all.text, "abcd");
    cr_assert_eq(all.pings, 1);
}

Test(inspector, tells_why_a_command_was_refused)
{
    begin();
    cr_assert_eq(feed_message("{\"id\":1,\"error\":{\"code\":-1,\"message\":\"no such method\"}}"), HSD_OK);
    cr_assert(inspector.has_failed);
    cr_assert_str_eq(inspector.failure, "no such method");
}

/* Byte by byte as well, in a frame as long as it needs to be. */
static hsd_status feed_long(const char *text)
{
    static uint8_t bytes[4096];
    const size_t size = strlen(text);
    cr_assert_lt(size, sizeof bytes - 4);
    bytes[0] = 0x81;
    bytes[1] = 126;
    bytes[2] = (uint8_t)(size >> 8);
    bytes[3] = (uint8_t)size;
    memcpy(bytes + 4, text, size);
    return feed(&inspector, bytes, size + 4);
}

#define ATTACHED(session, title)                                                                                       \
    "{\"method\":\"NodeWorker.attachedToWorker\",\"params\":{\"sessionId\":\"" session                                 \
    "\",\"workerInfo\":{\"workerId\":\"1\",\"type\":\"worker\",\"title\":\"" title                                     \
    "\",\"url\":\"file:///srv/render.js\"},\"waitingForDebugger\":false}}"
#define FROM_WORKER(session, message)                                                                                  \
    "{\"method\":\"NodeWorker.receivedMessageFromWorker\",\"params\":{\"sessionId\":\"" session                        \
    "\",\"message\":\"" message "\"}}"

Test(inspector, knows_workers_by_their_thread_and_hears_one)
{
    static hsd_inspector_worker workers[HSD_INSPECTOR_WORKERS_MAX];
    static hsd_inspector worker;
    begin();
    inspector.workers = workers;
    cr_assert_eq(feed_long(ATTACHED("1", "[worker 12] pool")), HSD_OK);
    cr_assert_eq(feed_long(ATTACHED("2", "[worker 3]")), HSD_OK);
    cr_assert_eq(feed_long(ATTACHED("3", "something else")), HSD_OK);
    cr_assert_eq(feed_long(ATTACHED("4\\\"", "[worker 5]")), HSD_OK, "a session of other bytes is none");
    cr_assert_eq(inspector.worker_count, 3);
    cr_expect_str_eq(workers[0].session, "1");
    cr_expect_eq(workers[0].thread, 12);
    cr_expect_eq(workers[1].thread, 3);
    cr_expect_eq(workers[2].thread, 0);
    hsd_inspector_init(&worker, &(hsd_inspector_receiver){.chunk = take_chunk, .ping = take_ping, .context = &all});
    cr_assert_eq(feed_long(FROM_WORKER("2", "{\\\"id\\\":7}")), HSD_OK, "nobody listens");
    inspector.worker = &worker;
    inspector.worker_session = "2";
    cr_assert_eq(feed_long(FROM_WORKER("2", "{\\\"method\\\":\\\"HeapProfiler.addHeapSnapshotChunk\\\",\\\"params\\\":{"
                                            "\\\"chunk\\\":\\\"{\\\\\\\"a\\\\\\\":\\\"}}")),
                 HSD_OK);
    cr_assert_eq(feed_long(FROM_WORKER("1", "{\\\"id\\\":9}")), HSD_OK, "of another");
    cr_expect_eq(worker.answered, 0);
    cr_assert_eq(feed_long(FROM_WORKER("2", "{\\\"id\\\":9,\\\"error\\\":{\\\"message\\\":\\\"no\\\"}}")), HSD_OK);
    cr_expect_str_eq(all.text, "{\"a\":");
    cr_expect_eq(worker.answered, 9);
    cr_expect_str_eq(worker.failure, "no");
    cr_expect_eq(inspector.answered, 0);
    cr_expect_not(inspector.has_failed);
    cr_assert_eq(feed_long(FROM_WORKER("2", "{\\\"id\\\":10")), HSD_E_TRUNCATED, "half a message");
    begin();
    inspector.workers = workers;
    cr_assert_eq(feed_long(ATTACHED("1", "[worker 12]")), HSD_OK);
    cr_assert_eq(feed_long("{\"method\":\"NodeWorker.detachedFromWorker\",\"params\":{\"sessionId\":\"1\"}}"), HSD_OK);
    cr_expect(workers[0].has_ended);
}

Test(inspector, refuses_what_is_no_websocket)
{
    static const uint8_t masked[] = {0x81, 0x80, 0, 0, 0, 0}, reserved[] = {0xC1, 0}, rest[] = {0x80, 0},
                         control[] = {0x09, 0}, huge[] = {0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0}, unknown[] = {0x83, 0};
    const struct {
        const uint8_t *bytes;
        size_t size;
    } cases[] = {{masked, 6}, {reserved, 2}, {rest, 2}, {control, 2}, {huge, 10}, {unknown, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        cr_assert_eq(feed(&inspector, cases[i].bytes, cases[i].size), HSD_E_CORRUPT, "case %zu", i);
    }
}

Test(inspector, takes_a_piece_only_behind_its_name)
{
    begin();
    cr_assert_eq(feed_message("{\"params\":{\"chunk\":\"x\"},\"method\":\"HeapProfiler.addHeapSnapshotChunk\"}"),
                 HSD_E_CORRUPT);
}

Test(inspector, frames_are_masked_and_whole)
{
    static const uint8_t mask[4] = {1, 2, 3, 4};
    uint8_t out[300 + HSD_WEBSOCKET_HEAD_MAX], payload[300] = {9};
    cr_assert_eq(hsd_websocket_frame(out, HSD_WEBSOCKET_TEXT, "ab", 2, mask), 8);
    cr_assert_arr_eq(out, ((uint8_t[]){0x81, 0x82, 1, 2, 3, 4, 'a' ^ 1, 'b' ^ 2}), 8);
    cr_assert_eq(hsd_websocket_frame(out, HSD_WEBSOCKET_TEXT, payload, 300, mask), 308);
    cr_assert_arr_eq(out, ((uint8_t[]){0x81, 0xFE, 1, 44, 1, 2, 3, 4, 9 ^ 1, 2}), 10);
}

Test(inspector, reads_heads_and_targets)
{
    static const char answer[] = "HTTP/1.0 200 OK\r\ncontent-LENGTH:  12 \r\n\r\n";
    static hsd_http_head head;
    static hsd_inspector_list list;
    char value[16];
    size_t used;
    cr_assert_eq(hsd_http_head_feed(&head, answer, sizeof answer - 1, &used, NULL), HSD_OK);
    cr_assert(head.is_whole && hsd_http_status(&head) == 200 &&
              hsd_http_header(&head, "Content-Length", value, sizeof value));
    cr_assert_str_eq(value, "12");
    static const char targets[] =
        "[{\"webSocketDebuggerUrl\":\"ws://h:1/a b\"},{\"webSocketDebuggerUrl\":\"ws://h:1/id-1\"}]";
    hsd_inspector_list_init(&list);
    cr_assert_eq(hsd_inspector_list_feed(&list, targets, sizeof targets - 1, NULL), HSD_OK);
    cr_assert_str_eq(list.path, "/id-1");
}

Test(inspector, knows_ports)
{
    static const char v4[] =
        "   0: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0";
    static const char other[] =
        "   1: 0200A8C0:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0";
    hsd_inspector_port port;
    uint64_t inode;
    cr_assert(hsd_inspector_tcp_line(v4, false, &port, &inode));
    cr_assert(port.port == 9229 && !port.is_v6 && inode == 4711);
    cr_assert_not(hsd_inspector_tcp_line(other, false, &port, &inode));
    cr_assert_eq(hsd_inspector_word_port("--inspect"), 9229);
    cr_assert_eq(hsd_inspector_word_port("--inspect=0.0.0.0:9300"), 9300);
    cr_assert_eq(hsd_inspector_word_port("--inspect-brk=0"), 0);
    cr_assert_eq(hsd_inspector_word_port("--inspector"), -1);
    cr_assert_eq(hsd_inspector_word_port("app.js"), -1);
}

Test(inspector, reads_that_the_program_is_copied_will_stand_still_or_has_no_snapshot)
{
    static const char copied[] = "{\"copied\":1,\"build_ns\":9}", stall[] = "{\"stall_ns\":1400000000}";
    char long_failure[600] = "{\"error\":\"no memory\\u0007\\n ";
    hsd_node_metrics metrics = {.build_ns = 0};
    cr_assert_eq(hsd_node_metrics_read(&metrics, copied, sizeof copied - 1, NULL), HSD_OK);
    cr_assert(metrics.is_copied && metrics.build_ns == 9);
    cr_assert_eq(hsd_node_metrics_read(&metrics, stall, sizeof stall - 1, NULL), HSD_OK);
    cr_assert_eq(metrics.stall_ns, UINT64_C(1400000000));
    const size_t begin = strlen(long_failure);
    memset(long_failure + begin, 'x', sizeof long_failure - begin - 2);
    memcpy(long_failure + sizeof long_failure - 2, "\"}", 2);
    cr_assert_eq(hsd_node_metrics_read(&metrics, long_failure, sizeof long_failure, NULL), HSD_OK);
    cr_assert_eq(strncmp(metrics.failure, "no memory?? xxx", 15), 0);
    cr_assert_eq(strlen(metrics.failure), sizeof metrics.failure - 1);
    metrics.values[0] = UINT64_MAX / 2;
    cr_assert_eq(hsd_node_expected_stall_ns(&metrics), UINT64_MAX);
}

Test(inspector, reads_the_line_of_the_helper)
{
    static const char line[] =
        "{\"build_ns\":7,\"domain\":\"000102030405060708090a0b0c0d0e0f\",\"heap.used\":5,\"other\":{\"heap.used\":6}}";
    hsd_node_metrics metrics = {.build_ns = 0};
    hsd_origin_metric list[HSD_IMPORT_METRICS_MAX];
    cr_assert_eq(hsd_node_metrics_read(&metrics, line, sizeof line - 1, NULL), HSD_OK);
    cr_assert_eq(metrics.build_ns, 7);
    cr_assert_eq(metrics.domain[15], 15);
    cr_assert_eq(hsd_node_metrics_list(&metrics, list, HSD_IMPORT_METRICS_MAX), 1);
    cr_assert(list[0].value == 5 && strcmp(list[0].name, "heap.used") == 0);
    cr_assert(!metrics.is_copied && metrics.stall_ns == 0 && metrics.failure_size == 0);
    cr_assert_eq(hsd_node_expected_stall_ns(&metrics), 500);
    cr_assert_eq(hsd_node_metrics_read(&metrics, "{\"a\"", 4, NULL), HSD_E_TRUNCATED);
    cr_assert_eq(hsd_node_metrics_read(&metrics, "nonsense", 8, NULL), HSD_E_CORRUPT);
}

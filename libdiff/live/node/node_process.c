/*
 * Node from outside: the executable, the command line, and numbers that it tells. See node_process.h.
 */
#include "live/node/node_process.h"

#include <stdio.h>
#include <string.h>

#include "live/node/json_events.h"
#include "live/procfs.h"

/* For a byte of heap, with objects of some 50 bytes: 1.5 to 2.0 s were measured at 11 to 16 MiB, 7.4 s of a processor
 * at 100 MiB. */
enum { STALL_NS_PER_BYTE = 100 };
#define NOTICED_NS UINT64_C(100000000)

enum { HEAP_USED }; /* its row */
static const struct {
    const char *name, *unit;
} known[] = {
    {"heap.used", "bytes"},   {"heap.committed", "bytes"}, {"heap.limit", "bytes"}, {"heap.young", "bytes"},
    {"heap.old", "bytes"},    {"heap.large", "bytes"},     {"heap.code", "bytes"},  {"heap.metadata", "bytes"},
    {"native.used", "bytes"}, {"gc.count", "count"},       {"gc.pause", "ns"},
};

/* Also where another version of it lies there by now. */
static bool executes(const hsd_process_facts *facts, const char *name)
{
    size_t size = 0;
    const char *executable = hsd_procfs_last_part(facts->executable, &size);
    return size == strlen(name) && memcmp(executable, name, size) == 0;
}

const char *hsd_node_argument(const hsd_process_facts *facts, size_t i)
{
    const char *at = facts->arguments, *const end = facts->arguments + sizeof facts->arguments;
    while (at < end && *at != '\0') {
        if (i-- == 0) return at;
        at += strnlen(at, (size_t)(end - at)) + 1;
    }
    return "";
}

bool hsd_node_is(const hsd_process_facts *facts) { return executes(facts, "node") || executes(facts, "nodejs"); }

const char *hsd_node_v8_runtime(const hsd_process_facts *facts)
{
    if (hsd_node_is(facts)) return "Node";
    return executes(facts, "deno") ? "Deno" : NULL;
}

static hsd_gate deno_closed(const hsd_process_facts *facts, hsd_error *err)
{
    (void)hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld is Deno without --inspect", facts->pid);
    hsd_error_set_hint(err,
                       "as it runs, by its inspector, which is open for that moment:  hsdiff capture --open-inspector "
                       "%ld;  or start it with  deno run --inspect",
                       facts->pid);
    return HSD_GATE_CLOSED;
}

hsd_gate hsd_node_closed(const hsd_process_facts *facts, hsd_error *err)
{
    if (!hsd_node_is(facts)) return deno_closed(facts, err);
    (void)hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld is Node without the helper of hsdiff and without --inspect",
                   facts->pid);
    hsd_error_set_hint(
        err,
        "as it runs, by its inspector, which is open for that moment:  hsdiff capture --open-inspector %ld;"
        "  or start it with  hsdiff capture -- node app.js  or  node --require %s app.js",
        facts->pid, HSD_NODE_HELPER);
    return HSD_GATE_CLOSED;
}

static bool hex_digit(char c, uint8_t *out)
{
    if (c >= '0' && c <= '9')
        *out = (uint8_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
        *out = (uint8_t)(c - 'a' + 10);
    else
        return false;
    return true;
}

static void take_domain(hsd_node_metrics *metrics)
{
    uint8_t high, low;
    if (metrics->hex_size != sizeof metrics->hex) return;
    for (size_t i = 0; i < sizeof metrics->domain; i++) {
        if (!hex_digit(metrics->hex[2 * i], &high) || !hex_digit(metrics->hex[2 * i + 1], &low)) return;
        metrics->domain[i] = (uint8_t)(high << 4 | low);
    }
}

/* What another process says is shown to people: no control characters. */
static void take_failure(hsd_node_metrics *metrics, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size && metrics->failure_size + 1 < sizeof metrics->failure; i++)
        metrics->failure[metrics->failure_size++] = bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?';
    metrics->failure[metrics->failure_size] = '\0';
}

static hsd_status take_text(void *context, const hsd_json *json, const char *bytes, size_t size, bool is_last,
                            hsd_error *err)
{
    hsd_node_metrics *metrics = context;
    (void)err;
    if (hsd_json_is_at(json, "error", NULL)) take_failure(metrics, bytes, size);
    if (!hsd_json_is_at(json, "domain", NULL) || size > sizeof metrics->hex - metrics->hex_size) return HSD_OK;
    memcpy(metrics->hex + metrics->hex_size, bytes, size);
    metrics->hex_size += size;
    if (is_last) take_domain(metrics);
    return HSD_OK;
}

static hsd_status take_number(void *context, const hsd_json *json, uint64_t value, hsd_error *err)
{
    hsd_node_metrics *metrics = context;
    (void)err;
    if (hsd_json_is_at(json, "build_ns", NULL)) metrics->build_ns = value;
    if (hsd_json_is_at(json, "stall_ns", NULL)) metrics->stall_ns = value;
    if (hsd_json_is_at(json, "exact_ns", NULL)) metrics->exact_ns = value;
    if (hsd_json_is_at(json, "copied", NULL)) metrics->is_copied = value != 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (hsd_json_is_at(json, known[i].name, NULL)) {
            metrics->values[i] = value;
            metrics->has[i] = true;
        }
    return HSD_OK;
}

hsd_status hsd_node_metrics_read(hsd_node_metrics *metrics, const char *text, size_t size, hsd_error *err)
{
    hsd_json json;
    hsd_json_init(&json, &(hsd_json_receiver){.text = take_text, .number = take_number, .context = metrics});
    HSD_TRY(hsd_json_feed(&json, text, size, err));
    return hsd_json_end(&json, err);
}

size_t hsd_node_metrics_list(const hsd_node_metrics *metrics, hsd_origin_metric *out, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0] && count < most; i++)
        if (metrics->has[i]) out[count++] = (hsd_origin_metric){known[i].name, known[i].unit, metrics->values[i]};
    return count;
}

uint64_t hsd_node_expected_stall_ns(const hsd_node_metrics *metrics)
{
    uint64_t ns;
    return __builtin_mul_overflow(metrics->values[HEAP_USED], (uint64_t)STALL_NS_PER_BYTE, &ns) ? UINT64_MAX : ns;
}

void hsd_node_warn_of_stall(hsd_live *live, uint64_t stall_ns)
{
    if (stall_ns < NOTICED_NS) return;
    hsd_note(live->reporter, HSD_NOTE_WARNING, "%s will stand still for about %.1f s", live->process->name,
             (double)stall_ns / 1e9);
}

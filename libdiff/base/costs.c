/*
 * Limits of machines: the built-in ones, and those of a file.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include <hsdiff/costs.h>

#define MOST_NS    1e9
#define LINE_CHARS 200u

static const char *const names[HSD_COST_COUNT] = {
    [HSD_COST_READ] = "memory-read",        [HSD_COST_WRITTEN] = "memory-written",
    [HSD_COST_UNPACKED] = "zstd-unpacked",  [HSD_COST_PACKED] = "zstd-packed",
    [HSD_COST_TEXT] = "json-numbers",       [HSD_COST_VALUES] = "column-decoded",
    [HSD_COST_VARINTS] = "varint-decoded",  [HSD_COST_SORTED] = "sorted",
    [HSD_COST_RUN_DECODED] = "run-decoded", [HSD_COST_RUN_ENCODED] = "run-encoded",
    [HSD_COST_FILE_READ] = "file-read",     [HSD_COST_FILE_WRITTEN] = "file-written",
    [HSD_COST_NEAR] = "random-near",        [HSD_COST_MIDDLE] = "random-middle",
    [HSD_COST_FAR] = "random-far",
};

const char *hsd_cost_name(hsd_cost limit) { return (unsigned)limit < HSD_COST_COUNT ? names[limit] : NULL; }

/* Medians of bench/bench_limits on the machine that is named: two processors of a virtual machine, 1 MiB of L2 each, an
 * L3 of 32 MiB that others use, too. */
hsd_costs hsd_costs_built_in(void)
{
    return (hsd_costs){
        .machine = "built in: a processor of a virtual machine, AMD EPYC",
        .ns =
            {
                [HSD_COST_READ] = 0.045,
                [HSD_COST_WRITTEN] = 0.046,
                [HSD_COST_UNPACKED] = 1.04,
                [HSD_COST_PACKED] = 11.9,
                [HSD_COST_TEXT] = 1.3,
                [HSD_COST_VALUES] = 1.15,
                [HSD_COST_VARINTS] = 3.8,
                [HSD_COST_SORTED] = 1.4,
                [HSD_COST_RUN_DECODED] = 2.3,
                [HSD_COST_RUN_ENCODED] = 4.6,
                [HSD_COST_FILE_READ] = 0.2,
                [HSD_COST_FILE_WRITTEN] = 0.26,
                [HSD_COST_NEAR] = 0.55,
                [HSD_COST_MIDDLE] = 1.1,
                [HSD_COST_FAR] = 8.6,
            },
    };
}

/* ---- files */

typedef struct limits_reader {
    hsd_costs limits;
    bool is_known[HSD_COST_COUNT], has_machine;
    unsigned line;
} limits_reader;

static hsd_status refuse_line(const limits_reader *r, const char *why, hsd_error *err)
{
    return hsd_fail(err, HSD_E_CORRUPT, "line %u of the limits: %s", r->line, why);
}

static void trim_word(const char **from, const char **end)
{
    while (*from < *end && isspace((unsigned char)**from))
        ++*from;
    while (*end > *from && isspace((unsigned char)(*end)[-1]))
        --*end;
}

static hsd_status take_machine(limits_reader *r, const char *from, size_t size, hsd_error *err)
{
    if (r->has_machine) return refuse_line(r, "a second machine", err);
    if (size >= sizeof r->limits.machine) size = sizeof r->limits.machine - 1;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)from[i] < ' ' || (unsigned char)from[i] > '~')
            return refuse_line(r, "a machine's name that is not printable", err);
    memcpy(r->limits.machine, from, size);
    r->limits.machine[size] = '\0';
    r->has_machine = true;
    return HSD_OK;
}

static hsd_status take_limit(limits_reader *r, const char *name, size_t name_size, const char *value, hsd_error *err)
{
    unsigned i = 0;
    char *end;
    while (i < HSD_COST_COUNT && (strlen(names[i]) != name_size || memcmp(names[i], name, name_size) != 0))
        i++;
    if (i == HSD_COST_COUNT) return refuse_line(r, "no limit is called so", err);
    if (r->is_known[i]) return refuse_line(r, "this limit is there twice", err);
    const double ns = strtod(value, &end);
    if (end == value || *end != '\0' || !(ns >= 0 && ns <= MOST_NS))
        return refuse_line(r, "no number of nanoseconds from 0 to a second", err);
    r->limits.ns[i] = ns;
    r->is_known[i] = true;
    return HSD_OK;
}

static hsd_status take_line(limits_reader *r, const char *from, const char *end, hsd_error *err)
{
    char value[LINE_CHARS];
    r->line++;
    trim_word(&from, &end);
    if (from == end || *from == '#') return HSD_OK;
    const char *equals = memchr(from, '=', (size_t)(end - from));
    if (equals == NULL) return refuse_line(r, "neither \"NAME = NUMBER\" nor a comment", err);
    const char *name_end = equals, *value_from = equals + 1;
    trim_word(&from, &name_end);
    trim_word(&value_from, &end);
    const size_t name_size = (size_t)(name_end - from), size = (size_t)(end - value_from);
    if (name_size == 7 && memcmp(from, "machine", 7) == 0) return take_machine(r, value_from, size, err);
    if (size >= sizeof value) return refuse_line(r, "no number of nanoseconds from 0 to a second", err);
    memcpy(value, value_from, size);
    value[size] = '\0';
    return take_limit(r, from, name_size, value, err);
}

hsd_status hsd_costs_parse(hsd_costs *out, const char *text, size_t size, hsd_error *err)
{
    limits_reader r = {0};
    if (size > HSD_COSTS_MOST) return hsd_fail(err, HSD_E_CORRUPT, "limits of more than %zu bytes", HSD_COSTS_MOST);
    for (const char *at = text, *end = text + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL) stop = end;
        HSD_TRY(take_line(&r, at, stop, err));
        at = stop < end ? stop + 1 : end;
    }
    for (unsigned i = 0; i < HSD_COST_COUNT; i++)
        if (!r.is_known[i]) return hsd_fail(err, HSD_E_CORRUPT, "the limits lack \"%s\"", names[i]);
    *out = r.limits;
    return HSD_OK;
}

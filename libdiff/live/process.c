/*
 * What a process is and which way leads to its heap: the gates in front of all ways, then each row of the table is
 * asked. The first that is open is taken; where none is, the first that knew the process tells why.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "live/choose.h"
#include "live/facts.h"
#include "live/measure.h"
#include "live/procfs.h"

enum { CONTAINER_DIGITS_LEAST = 6 };

/* ---- looking ---- */

static void describe_process(hsd_process *out, const hsd_process_facts *facts)
{
    *out = (hsd_process){.pid = facts->pid, .started_unix_ns = facts->started_unix_ns, .uid = facts->uid};
    hsd_process_own_name(facts, out->name, sizeof out->name);
    snprintf(out->runtime, sizeof out->runtime, "native");
}

/* `seen`: what a way that knows the process but is closed has said of it. */
static hsd_gate ask_process(const hsd_way *way, const hsd_process_facts *facts, hsd_process *out, hsd_process *seen,
                            hsd_error *err)
{
    hsd_process process;
    describe_process(&process, facts);
    hsd_error_init(err);
    const hsd_gate gate = way->look(facts, &process, err);
    if (gate != HSD_GATE_OPEN) {
        if (gate == HSD_GATE_CLOSED) *seen = process;
        return gate;
    }
    *out = process;
    out->way = way->name;
    out->stored = way->stored;
    return gate;
}

static hsd_status fail_unknown_way(const char *name, hsd_error *err)
{
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; hsd_way_name(i) != NULL && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", hsd_way_name(i));
    hsd_fail(err, HSD_E_UNSUPPORTED, "there is no way called %s", name);
    hsd_error_set_hint(err, "ways are %s", names);
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_way_find(const hsd_way **out, const char *name, hsd_error *err)
{
    for (size_t i = 0; (*out = hsd_way_row(i)) != NULL; i++)
        if (strcmp((*out)->name, name) == 0) return HSD_OK;
    return fail_unknown_way(name, err);
}

static hsd_status look_by(hsd_process *out, const hsd_process_facts *facts, const char *name, hsd_error *err)
{
    const hsd_way *way = NULL;
    hsd_process seen;
    hsd_error why;
    HSD_TRY(hsd_way_find(&way, name, err));
    const hsd_gate gate = ask_process(way, facts, out, &seen, &why);
    if (gate == HSD_GATE_OPEN) return HSD_OK;
    if (gate == HSD_GATE_CLOSED) {
        if (err != NULL) *err = why;
        return HSD_E_UNSUPPORTED;
    }
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld (%s) is none for the way %s: %s", facts->pid, out->name, name,
             way->summary);
    hsd_error_set_hint(err, "let hsdiff choose: hsdiff capture %ld", facts->pid);
    return HSD_E_UNSUPPORTED;
}

static hsd_status look_by_any(hsd_process *out, const hsd_process_facts *facts, hsd_error *err)
{
    hsd_process known = *out;
    hsd_error first;
    hsd_error_init(&first);
    for (int asking = 0; asking < 2; asking++) {
        const hsd_way *way;
        for (size_t i = 0; (way = hsd_way_row(i)) != NULL; i++) {
            hsd_process seen;
            hsd_error why;
            if (way->asks_before != (asking != 0)) continue;
            const hsd_gate gate = ask_process(way, facts, out, &seen, &why);
            if (gate == HSD_GATE_OPEN) return HSD_OK;
            if (gate != HSD_GATE_CLOSED || first.status != HSD_OK) continue;
            first = why;
            known = seen;
        }
    }
    if (first.status == HSD_OK)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "no way to the heap of process %ld (%s) is known", facts->pid,
                        out->name);
    *out = known;
    if (err != NULL) *err = first;
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_process_look(hsd_process *out, long pid, const char *way, hsd_error *err)
{
    hsd_process_facts facts;
    *out = (hsd_process){.pid = pid};
    HSD_TRY(hsd_facts_read(&facts, pid, err));
    describe_process(out, &facts);
    HSD_TRY(hsd_gates_pass(&facts, err));
    return way == NULL ? look_by_any(out, &facts, err) : look_by(out, &facts, way, err);
}

hsd_status hsd_process_origin(hsd_import_origin *origin, hsd_process *process, long pid, hsd_error *err)
{
    hsd_process_facts facts;
    *process = (hsd_process){.pid = pid};
    HSD_TRY(hsd_facts_read(&facts, pid, err));
    describe_process(process, &facts);
    *origin = hsd_live_origin(&facts);
    origin->process_name = process->name; /* what runs there the dump says */
    return HSD_OK;
}

/* ---- all of them ---- */

static int compare_pids(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

/* All numbers in /proc, ascending; owned by the caller. */
static hsd_status list_pids(long **out, size_t *count, hsd_error *err)
{
    size_t room = 256;
    const struct dirent *entry;
    DIR *folder = opendir("/proc");
    long *pids = malloc(room * sizeof *pids);
    *out = NULL;
    *count = 0;
    if (folder == NULL || pids == NULL) {
        free(pids);
        if (folder != NULL) closedir(folder);
        return hsd_fail(err, HSD_E_UNSUPPORTED, "/proc cannot be read: processes cannot be found by name");
    }
    while ((entry = readdir(folder)) != NULL) {
        uint64_t pid = 0;
        if (!hsd_procfs_number(entry->d_name, &pid) || pid > INT32_MAX) continue;
        if (HSD_ARRAY_GROW(pids, room, *count + 1, 0, "", NULL) != HSD_OK) break;
        pids[(*count)++] = (long)pid;
    }
    closedir(folder);
    qsort(pids, *count, sizeof *pids, compare_pids);
    *out = pids;
    return HSD_OK;
}

/* ---- listing ---- */

static bool is_wanted_process(const hsd_process_facts *facts, const hsd_groups *groups, const char *name)
{
    const size_t size = name == NULL ? 0 : strlen(name);
    if (name == NULL) return true;
    if (size == 0) return false;
    if (hsd_facts_name_holds(facts, name) || strstr(groups->unit, name) != NULL) return true;
    return size >= CONTAINER_DIGITS_LEAST && strncmp(groups->container, name, size) == 0;
}

/* A way that capture() would not go as it is asked usually is not open. */
static void ask_for_leave(hsd_listed_process *out, const hsd_process_facts *facts)
{
    const hsd_way *way = NULL;
    if (out->process.way == NULL || hsd_way_find(&way, out->process.way, NULL) != HSD_OK || way->needs_leave == NULL)
        return;
    if (way->needs_leave(facts, &out->why)) out->process.way = NULL;
}

/* False: not to be told. */
static bool describe_listed(hsd_listed_process *out, long pid, const char *name, hsd_shared_facts *shared)
{
    hsd_process_facts facts;
    hsd_groups groups;
    *out = (hsd_listed_process){0};
    hsd_error_init(&out->why);
    if (hsd_facts_read(&facts, pid, NULL) != HSD_OK || facts.is_zombie) return false;
    if (facts.arguments[0] == '\0' && facts.executable[0] == '\0') return false; /* a thread of the kernel */
    facts.shared = shared;
    hsd_facts_groups(&facts, &groups);
    if (!is_wanted_process(&facts, &groups, name)) return false;
    describe_process(&out->process, &facts);
    hsd_facts_keep_maps(&facts);
    if (hsd_gates_pass(&facts, &out->why) == HSD_OK) (void)look_by_any(&out->process, &facts, &out->why);
    if (out->process.way != NULL) hsd_error_init(&out->why);
    ask_for_leave(out, &facts);
    out->rss_bytes = facts.rss_bytes;
    out->has_runtime = out->process.way != NULL || strcmp(out->process.runtime, "native") != 0;
    snprintf(out->container, sizeof out->container, "%.12s", groups.container);
    snprintf(out->user, sizeof out->user, "%s", hsd_shared_user_name(shared, facts.uid));
    return true;
}

hsd_status hsd_process_list(const char *name, hsd_process_fn tell, void *context, hsd_error *err)
{
    long *all = NULL;
    size_t count = 0;
    hsd_shared_facts shared;
    hsd_listed_process one;
    HSD_TRY(list_pids(&all, &count, err));
    hsd_shared_facts_open(&shared);
    for (size_t i = 0; i < count; i++)
        if (all[i] != (long)getpid() && describe_listed(&one, all[i], name, &shared) && !tell(context, &one)) break;
    hsd_shared_facts_close(&shared);
    free(all);
    return HSD_OK;
}

/* ---- finding by the whole name ---- */

hsd_status hsd_process_find(long *pids, size_t most, size_t *found, const char *name, hsd_error *err)
{
    long *all = NULL;
    size_t count = 0;
    *found = 0;
    HSD_TRY(list_pids(&all, &count, err));
    for (size_t i = 0; i < count; i++) {
        hsd_process_facts facts;
        if (all[i] == (long)getpid() || hsd_facts_read(&facts, all[i], NULL) != HSD_OK) continue;
        if (facts.is_zombie || !hsd_facts_is_called(&facts, name)) continue;
        if (*found < most) pids[*found] = all[i];
        (*found)++;
    }
    free(all);
    return HSD_OK;
}

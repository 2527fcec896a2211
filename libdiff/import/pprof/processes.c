/*
 * Fuchsia writes the heaps of several processes into one file, and then every sample says whose it is. A capture is the
 * heap of one: --dump says which, by its place among those that there are.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "import/pprof/pprof.h"

static hsd_status take_pprof_process(pprof *p, hsd_error *err)
{
    (void)err;
    const pprof_sample *sample = &p->sample;
    for (size_t i = 0; i < p->process_count; i++)
        if (p->processes[i].koid == sample->process_koid) return HSD_OK;
    if (!sample->has_process) return HSD_OK;
    p->process_total++;
    if (p->process_count < PPROF_PROCESSES)
        p->processes[p->process_count++] = (pprof_process){sample->process_koid, sample->process_name};
    return HSD_OK;
}

/* "1 = shell (koid 1170), 2 = …", as many as fit, in what a terminal may be shown. */
static void list_processes(const pprof *p, char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < p->process_count && used + 1 < size; i++) {
        const hsd_bytes name = hsd_pprof_text(p, p->processes[i].name);
        const int more = snprintf(out + used, size - used, "%s%zu = %.*s (%" PRIu64 ")", i > 0 ? ", " : "", i + 1,
                                  (int)hsd_min_u64(name.size, 40), (const char *)name.data, p->processes[i].koid);
        if (more < 0) break;
        used += (size_t)more;
    }
    for (char *c = out; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
}

static hsd_status refuse_pprof_process(const pprof *p, hsd_error *err)
{
    char list[256] = "";
    const unsigned number = p->import->options->dump_number;
    list_processes(p, list, sizeof list);
    if (number > 0)
        hsd_fail(err, HSD_E_UNSUPPORTED, "there is no process %u among the %" PRIu64 " of this profile: %s", number,
                 p->process_total, list);
    else
        hsd_fail(err, HSD_E_UNSUPPORTED, "this profile holds %" PRIu64 " processes: %s", p->process_total, list);
    hsd_error_set_hint(err, "say which by its place: --dump N");
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_pprof_choose_process(pprof *p, hsd_error *err)
{
    const unsigned number = p->import->options->dump_number;
    if (p->key_process_koid != UINT64_MAX) HSD_TRY(hsd_pprof_each_sample(p, true, take_pprof_process, err));
    if (number > 1 && p->process_count == 0)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "this profile holds one heap, and dump %u was asked for", number);
    if (p->process_count == 0) return HSD_OK;
    if (number > p->process_count || (number == 0 && p->process_total > 1)) return refuse_pprof_process(p, err);
    p->process = &p->processes[number > 0 ? number - 1 : 0];
    return HSD_OK;
}

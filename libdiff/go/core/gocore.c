/*
 * The importer of ELF cores of Go programs: the row of the registry, and what the capture says of itself.
 */
#include "go/core/gocore.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"

enum { ELF_TYPE_AT = 16, ELF_CORE = 4, CLASS_AT = 4, ORDER_AT = 5 };

static unsigned probe_gocore(const uint8_t *prefix, size_t size)
{
    if (size < 64 ||
        memcmp(prefix,
               "\x7f"
               "ELF",
               4) != 0 ||
        prefix[CLASS_AT] != 2 || prefix[ORDER_AT] != 1)
        return 0;
    return prefix[ELF_TYPE_AT] == ELF_CORE && prefix[ELF_TYPE_AT + 1] == 0 ? 64 : 0;
}

static void draw_domain(gocore *go, uint8_t domain[16])
{
    uint8_t random[16];
    uint64_t words[2];
    if (go->random_address == 0 ||
        hsd_gomemory_read(&go->typing.memory, go->random_address, random, sizeof random, NULL) != HSD_OK)
        return;
    memcpy(words, random, sizeof words);
    const uint64_t first = hsd_mix(hsd_mix(1, words[0]), go->pid),
                   second = hsd_mix(hsd_mix(2, words[1]), go->random_address);
    hsd_import_set_domain(domain, first, second);
}

static hsd_status begin_gocore(gocore *go, hsd_error *err)
{
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = go->version;
    options.source_format = "ELF core";
    options.process_name = go->process_name[0] != '\0' ? go->process_name : NULL;
    options.pid = go->pid;
    options.identity = HSC_IDENTITY_ADDRESS;
    options.facts = HSC_FACT_CONSERVATIVE; /* of stacks */
    options.taken_unix_ns = UINT64_MAX;
    options.pointer_bytes = 8;
    draw_domain(go, options.domain);
    return hsd_import_begin(go->import, &options, err);
}

static hsd_status finish_gocore(gocore *go, hsd_error *err)
{
    HSD_TRY(hsd_import_mark_cut(go->import, go->is_cut, "the core was cut off", "", err));
    return hsd_import_end(go->import, err);
}

static hsd_status import_core(gocore *go, hsd_error *err)
{
    gotyping *t = &go->typing;
    t->slots.most_bytes = go->import->memory_bytes / 4;
    HSD_TRY(hsd_gocore_open(go, err));
    HSD_TRY(hsd_gocore_find_layout(go, err));
    HSD_TRY(hsd_gocore_find_spans(go, err));
    HSD_TRY(hsd_gotyping_open(t, go->import->memory_bytes / 16, err));
    HSD_TRY(hsd_gowriter_open(&go->out, t, err));
    HSD_TRY(hsd_progress(go->import->reporter, "finding types", 0, 0, err));
    HSD_TRY(hsd_gocore_find_globals(go, err));
    HSD_TRY(hsd_gocore_offer_known(go, err));
    HSD_TRY(hsd_gocore_offer_finalized(go, err));
    HSD_TRY(hsd_gocore_find_frames(go, err));
    HSD_TRY(hsd_gotyping_run(t, err));
    HSD_TRY(hsd_gotyping_frames(t, &go->program, &go->frames, go->import->memory_bytes / 8, err));
    HSD_TRY(hsd_gotyping_upward(t, err));
    HSD_TRY(hsd_gostatics_finish(t, err));
    go->out.timer_element = hsd_gotask_timer_element(t);
    HSD_TRY(hsd_gocore_find_canon(go, err));
    HSD_TRY(begin_gocore(go, err));
    HSD_TRY(hsd_gocore_write(go, err));
    return finish_gocore(go, err);
}

static hsd_status run_gocore(hsd_import *import, hsd_error *err)
{
    gocore *go = calloc(1, sizeof *go);
    if (go == NULL) return hsd_fail_nomem(err, "an import");
    go->import = import;
    go->out =
        (gowriter){.import = import, .find = hsd_gocore_target, .check_memory = hsd_gocore_check_memory, .context = go};
    const hsd_status status = import_core(go, err);
    hsd_gocore_close(go);
    hsd_gowriter_release(&go->out);
    hsd_id_table_release(&go->goroutines);
    hsd_id_table_release(&go->led);
    hsd_id_table_release(&go->canon);
    hsd_buffer_release(&go->bytes);
    free(go->frames.at);
    free(go);
    return status;
}

const hsd_importer hsd_import_gocore = {
    .info = {.name = "gocore",
             .summary = "ELF core of a Go program",
             .suffixes = ".core core.*",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES |
                                   HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_ROOTS | HSD_CARRIES_IDENTITY},
             .lacks = "all names unless the program with its DWARF is at hand, exact stacks"},
    .probe = probe_gocore,
    .run = run_gocore,
};

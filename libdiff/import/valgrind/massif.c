#define _GNU_SOURCE /* memmem */
/*
 * The importer of files of massif: the row of the registry, lines, snapshots, and which of them is wanted.
 */
#include "import/valgrind/massif.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

/* ---- lines ---- */

hsd_status hsd_massif_next_line(massif *m, hsd_error *err)
{
    return hsd_import_next_line(m->source, &m->line, "this file of massif", err);
}

bool hsd_massif_take_number(hsd_bytes *text, uint64_t *out)
{
    size_t at = 0;
    uint64_t number = 0;
    for (; at < text->size && text->data[at] >= '0' && text->data[at] <= '9'; at++)
        if (!hsd_mul_u64(number, 10, &number) || !hsd_add_u64(number, (uint64_t)(text->data[at] - '0'), &number))
            return false;
    *text = (hsd_bytes){text->data + at, text->size - at};
    *out = number;
    return at > 0;
}

static hsd_bytes behind(hsd_bytes text, const char *word)
{
    const size_t size = strlen(word);
    return (hsd_bytes){text.data + size, text.size - size};
}

/* ---- the head ---- */

static const char head_word[] = "desc: ", command_word[] = "cmd: ", unit_word[] = "time_unit: ",
                  rule[] = "#-----------";

/* Three lines that stand together. */
static unsigned probe_massif(const uint8_t *prefix, size_t size)
{
    const hsd_bytes text = {prefix, size};
    if (!hsd_bytes_begin(text, head_word)) return 0;
    const uint8_t *command = memmem(prefix, size, "\ncmd: ", 6);
    if (command == NULL) return 0;
    const size_t left = size - (size_t)(command - prefix);
    return memmem(command, left, "\ntime_unit: ", 12) != NULL ? 8 * (6 + 6 + 12) : 0;
}

static void keep_word(char *out, size_t room, hsd_bytes text)
{
    const size_t size = (size_t)hsd_min_u64(text.size, room - 1);
    memcpy(out, text.data, size);
    out[size] = '\0';
}

static hsd_status fail_head(const massif *m, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, m->line.offset,
                       "the head of this file of massif should have desc, cmd and time_unit, and then snapshots");
}

/* Up to the rule above the first snapshot. HSD_END: there is none. */
static hsd_status read_head(massif *m, hsd_error *err)
{
    hsd_status status;
    while ((status = hsd_massif_next_line(m, err)) == HSD_OK && m->line.is_whole) {
        if (hsd_bytes_begin(m->line.text, rule)) return HSD_OK;
        if (hsd_bytes_begin(m->line.text, command_word))
            keep_word(m->program, sizeof m->program, behind(m->line.text, command_word));
        else if (hsd_bytes_begin(m->line.text, unit_word))
            keep_word(m->unit, sizeof m->unit, behind(m->line.text, unit_word));
        else if (!hsd_bytes_begin(m->line.text, head_word))
            return fail_head(m, err);
    }
    m->is_cut = status == HSD_OK;
    return status < 0 ? status : HSD_END;
}

/* ---- snapshots ---- */

static hsd_status fail_cut_snapshot(massif *m, hsd_error *err)
{
    m->is_cut = true;
    hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(m->source), "this file of massif ends inside a snapshot");
    hsd_import_hint_partial(err);
    return HSD_E_TRUNCATED;
}

static hsd_status need_line(massif *m, hsd_error *err)
{
    const hsd_status status = hsd_massif_next_line(m, err);
    return status < 0 ? status : status == HSD_END || !m->line.is_whole ? fail_cut_snapshot(m, err) : HSD_OK;
}

static hsd_status read_field(massif *m, const char *name, uint64_t *out, hsd_error *err)
{
    HSD_TRY(need_line(m, err));
    hsd_bytes value = m->line.text;
    if (hsd_bytes_begin(value, name)) {
        value = behind(value, name);
        if (hsd_massif_take_number(&value, out) && value.size == 0) return HSD_OK;
    }
    return hsd_fail_at(err, HSD_E_CORRUPT, m->line.offset, "a snapshot of massif should have \"%s\" and a number here",
                       name);
}

/* What stands between the rule above a snapshot and its tree. */
static hsd_status read_snapshot(massif *m, hsd_error *err)
{
    massif_snapshot *now = &m->now;
    HSD_TRY(read_field(m, "snapshot=", &now->number, err));
    HSD_TRY(need_line(m, err));
    if (!hsd_bytes_begin(m->line.text, rule))
        return hsd_fail_at(err, HSD_E_CORRUPT, m->line.offset, "a rule should stand below the number of a snapshot");
    HSD_TRY(read_field(m, "time=", &now->time, err));
    HSD_TRY(read_field(m, "mem_heap_B=", &now->heap_bytes, err));
    HSD_TRY(read_field(m, "mem_heap_extra_B=", &now->extra_bytes, err));
    HSD_TRY(read_field(m, "mem_stacks_B=", &now->stack_bytes, err));
    HSD_TRY(need_line(m, err));
    now->is_peak = hsd_bytes_begin(m->line.text, "heap_tree=peak");
    now->has_tree = now->is_peak || hsd_bytes_begin(m->line.text, "heap_tree=detailed");
    if (now->has_tree || hsd_bytes_begin(m->line.text, "heap_tree=empty")) return HSD_OK;
    return hsd_fail_at(err, HSD_E_CORRUPT, m->line.offset, "a snapshot's heap_tree should be empty, detailed or peak");
}

/* Another tree than that of the snapshot before takes its place. */
static hsd_status read_stacks(massif *m, hsd_error *err)
{
    const unsigned wanted = m->import->options->dump_number;
    const bool is_wanted = wanted == 0 || wanted == m->now.number;
    if (m->now.number > 0) { /* 0 is before the first allocation */
        if (m->tree_count < MASSIF_LISTED) m->listed[m->tree_count] = m->now.number;
        m->newest_tree = m->now.number;
        m->tree_count++;
    }
    if (is_wanted) {
        hsd_stack_sums_clear(&m->sums);
        m->chosen = m->now;
        m->has_chosen = true;
    }
    return hsd_massif_read_tree(m, is_wanted, err);
}

/* All snapshots, or those up to the one that is wanted. HSD_E_TRUNCATED where the last of them is not whole. */
static hsd_status read_snapshots(massif *m, hsd_error *err)
{
    const unsigned wanted = m->import->options->dump_number;
    hsd_status status;
    do {
        HSD_TRY(hsd_progress(m->import->reporter, "import", hsd_source_offset(m->source), m->source->total_bytes, err));
        HSD_TRY(read_snapshot(m, err));
        m->last = m->now;
        if (m->now.has_tree) HSD_TRY(read_stacks(m, err));
        if (wanted > 0 && m->has_chosen) return HSD_OK;
        status = hsd_massif_next_line(m, err);
        if (status < 0) return status;
        if (status == HSD_OK && !m->line.is_whole) return fail_cut_snapshot(m, err);
        if (status == HSD_OK && !hsd_bytes_begin(m->line.text, rule))
            return hsd_fail_at(err, HSD_E_CORRUPT, m->line.offset,
                               "a rule should stand between two snapshots of massif");
    } while (status == HSD_OK);
    return HSD_OK;
}

/* ---- which one ---- */

static hsd_status refuse_massif(const massif *m, hsd_error *err)
{
    const unsigned wanted = m->import->options->dump_number;
    char list[MASSIF_LISTED * 22 + 8];
    size_t used = 0;
    if (m->tree_count == 0) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "no snapshot in this file of massif has stacks");
        hsd_error_set_hint(err, "let more of them have some: valgrind --tool=massif --detailed-freq=1 PROGRAM");
        return HSD_E_UNSUPPORTED;
    }
    for (size_t i = 0; i < m->tree_count && i < MASSIF_LISTED; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRIu64, i == 0 ? "" : ", ", m->listed[i]);
    hsd_fail(err, HSD_E_UNSUPPORTED, "there is no snapshot %u with stacks in this file of massif: %s%s have some",
             wanted, list, m->tree_count > MASSIF_LISTED ? ", ..." : "");
    hsd_error_set_hint(err, "choose one of them: --dump %" PRIu64, m->newest_tree);
    return HSD_E_UNSUPPORTED;
}

static hsd_status tell_choice(massif *m, hsd_error *err)
{
    hsd_import *import = m->import;
    const massif_snapshot *chosen = &m->chosen;
    HSD_WRITE(import, hsc_metric(import->writer, "heap.overhead", "bytes", chosen->extra_bytes), err);
    if (chosen->stack_bytes > 0)
        HSD_WRITE(import, hsc_metric(import->writer, "stacks", "bytes", chosen->stack_bytes), err);
    hsd_note(import->reporter, HSD_NOTE_DETAIL,
             "%s: snapshot %" PRIu64 "%s, at %" PRIu64 " %s, one of %" PRIu64 " that have stacks", import->source->name,
             chosen->number, chosen->is_peak ? " (the peak)" : "", chosen->time, m->unit, m->tree_count);
    if (import->options->dump_number == 0 && m->last.number != chosen->number &&
        m->last.heap_bytes != chosen->heap_bytes)
        hsd_note(import->reporter, HSD_NOTE_WARNING,
                 "%s: the last stacks are of snapshot %" PRIu64 " with %" PRIu64 " bytes; the last snapshot, %" PRIu64
                 ", has %" PRIu64 " bytes. For all of them: valgrind --tool=massif --detailed-freq=1",
                 import->source->name, chosen->number, chosen->heap_bytes, m->last.number, m->last.heap_bytes);
    return hsd_import_mark_cut(import, m->is_cut, "the file of massif was cut off", "", err);
}

static hsd_status import_massif(massif *m, hsd_error *err)
{
    hsd_status status = read_head(m, err);
    if (status == HSD_OK)
        status = read_snapshots(m, err);
    else if (status == HSD_END && m->is_cut)
        status = fail_cut_snapshot(m, err);
    if (status == HSD_E_TRUNCATED && m->import->options->salvage && m->has_chosen) {
        hsd_error_init(err);
        status = HSD_OK;
    }
    if (status < 0) return status;
    if (!m->has_chosen) return refuse_massif(m, err);
    hsd_import_heap_end(m->import);
    HSD_TRY(hsd_stack_sums_begin(&m->sums, (hsd_bytes){(const uint8_t *)m->program, strlen(m->program)}, 0, err));
    HSD_TRY(hsd_stack_sums_write(&m->sums, err));
    HSD_TRY(tell_choice(m, err));
    return hsd_import_end(m->import, err);
}

static hsd_status run_massif(hsd_import *import, hsd_error *err)
{
    massif *m = calloc(1, sizeof *m);
    if (m == NULL) return hsd_fail_nomem(err, "an import");
    m->import = m->sums.import = import;
    m->source = import->source;
    const hsd_status status = import_massif(m, err);
    hsd_stack_sums_release(&m->sums);
    hsd_names_release(&m->frame_texts);
    free(m->frame_rows);
    free(m);
    return status;
}

const hsd_importer hsd_import_massif = {
    .info = {.name = "massif",
             .summary = "heap over time of valgrind's massif: its last snapshot with stacks",
             .suffixes = "massif.out.*",
             .carries = {.always = HSD_CARRIES_SITES},
             .lacks = "objects, types, references and roots: bytes by allocation stack, and no numbers of blocks"},
    .probe = probe_massif,
    .run = run_massif,
};

/*
 * The head of a file of memray, and what its records are made of: bytes, words of eight bytes, numbers of seven bits a
 * byte with the low ones first, signed ones folded (0, -1, 1, -2 …), texts that end in NUL.
 *
 *      "memray\0"  u32 version  u32 of Python  u8 native  u8 form  u64 allocations, frames  i64 begin, end (ms)
 *      command line  u32 pid  u64 main thread  u64 frames of memray's own  u8 allocator  u8, u8 what was traced
 *      since version 13: a path, paths up to an empty one, paths up to an empty one
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "import/memray/memray.h"

static const char magic[7] = "memray";

unsigned hsd_mr_probe(const uint8_t *prefix, size_t size)
{
    if (size < sizeof magic + 4 || memcmp(prefix, magic, sizeof magic) != 0) return 0;
    const uint8_t *version = prefix + sizeof magic;
    return version[1] == 0 && version[2] == 0 && version[3] == 0 ? 88 : 0;
}

hsd_status hsd_mr_corrupt(const mr *m, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(m->source), "this file of memray is damaged: %s", what);
}

hsd_status hsd_mr_check_memory(const mr *m, hsd_error *err)
{
    const hsd_id_table *const tables[] = {&m->codes, &m->moments, &m->names, &m->places, &m->nodes, &m->thread_ids};
    const uint64_t rooms[][2] = {
        {m->code_room, sizeof *m->code_rows},
        {m->moment_room, sizeof *m->moment_places},
        {m->place_room, sizeof *m->place_rows},
        {m->parent_room, sizeof *m->node_parents},
        {m->node_room, sizeof *m->node_places},
        {m->thread_room, sizeof *m->threads},
        {m->frame_room, sizeof *m->frame_places},
        {m->trace_room, sizeof *m->traces},
        {m->sum_room, sizeof *m->sums},
        {m->site_room, sizeof *m->node_sites},
        {m->tables_room, 1},
    };
    uint64_t taken = hsd_names_memory(&m->texts) + hsd_names_memory(&m->strings.names) + hsd_names_memory(&m->types) +
                     hsd_mr_heap_memory(&m->heap);
    for (size_t i = 0; i < HSD_ARRAY_LEN(tables); i++)
        taken += hsd_id_table_memory(tables[i]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(rooms); i++)
        taken += rooms[i][0] * rooms[i][1];
    return hsd_import_expect_room(taken, m->import->memory_bytes / 4 * 3, "the blocks and stacks of this file",
                                  taken * 4 + HSD_IMPORT_MORE, err);
}

/* ---- pieces ---- */

static hsd_status fail_cut(const mr *m, hsd_error *err)
{
    hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(m->source),
                "the file of memray was cut off: its program was killed, or still runs");
    hsd_import_hint_partial(err);
    return HSD_E_TRUNCATED;
}

static hsd_status expect_bytes(mr *m, size_t size, hsd_error *err)
{
    const hsd_status status = hsd_source_peek(m->source, size, err);
    if (status == HSD_E_TRUNCATED) return fail_cut(m, err);
    return status == HSD_END ? fail_cut(m, err) : status;
}

static uint64_t little(const uint8_t *at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

hsd_status hsd_mr_byte(mr *m, uint8_t *out, hsd_error *err)
{
    HSD_TRY(expect_bytes(m, 1, err));
    *out = *m->source->at;
    hsd_source_take(m->source, 1);
    return HSD_OK;
}

static hsd_status read_little(mr *m, unsigned size, uint64_t *out, hsd_error *err)
{
    HSD_TRY(expect_bytes(m, size, err));
    *out = little(m->source->at, size);
    hsd_source_take(m->source, size);
    return HSD_OK;
}

hsd_status hsd_mr_word(mr *m, uint64_t *out, hsd_error *err) { return read_little(m, 8, out, err); }

hsd_status hsd_mr_number(mr *m, uint64_t *out, hsd_error *err)
{
    uint8_t byte = 0x80;
    *out = 0;
    for (unsigned shift = 0; (byte & 0x80) != 0; shift += 7) {
        if (shift >= 64) return hsd_mr_corrupt(m, "a number has no end", err);
        HSD_TRY(hsd_mr_byte(m, &byte, err));
        *out |= (uint64_t)(byte & 0x7f) << shift;
    }
    return HSD_OK;
}

hsd_status hsd_mr_signed(mr *m, int64_t *out, hsd_error *err)
{
    uint64_t folded;
    HSD_TRY(hsd_mr_number(m, &folded, err));
    *out = (int64_t)(folded >> 1 ^ (0 - (folded & 1)));
    return HSD_OK;
}

hsd_status hsd_mr_delta(mr *m, uint64_t *last, hsd_error *err)
{
    int64_t delta;
    HSD_TRY(hsd_mr_signed(m, &delta, err));
    *last += (uint64_t)delta;
    return HSD_OK;
}

/* Up to a NUL and past it. The first bytes of it in `out`, if that is not NULL. */
static hsd_status read_text(mr *m, char *out, size_t *size, hsd_error *err)
{
    const uint8_t *end;
    *size = 0;
    do {
        HSD_TRY(expect_bytes(m, 1, err));
        const size_t ahead = hsd_source_ahead(m->source);
        end = memchr(m->source->at, 0, ahead);
        const size_t part = end == NULL ? ahead : (size_t)(end - m->source->at);
        const size_t kept = (size_t)hsd_min_u64(part, MR_TEXT_BYTES - *size);
        if (out != NULL) memcpy(out + *size, m->source->at, kept);
        *size += kept;
        hsd_source_take(m->source, part + (end != NULL));
    } while (end == NULL);
    return HSD_OK;
}

hsd_status hsd_mr_text(mr *m, uint32_t *number, hsd_error *err)
{
    char text[MR_TEXT_BYTES];
    size_t size;
    HSD_TRY(read_text(m, text, &size, err));
    return hsd_names_put(&m->texts, (hsd_bytes){(const uint8_t *)text, size}, number, err);
}

hsd_status hsd_mr_skip_text(mr *m, hsd_error *err)
{
    size_t size;
    return read_text(m, NULL, &size, err);
}

/* ---- the head ---- */

static hsd_status refuse_version(const mr *m, hsd_error *err)
{
    const bool is_newer = m->version > MR_NEWEST;
    const hsd_status status = is_newer ? HSD_E_TOO_NEW : HSD_E_UNSUPPORTED;
    hsd_fail(err, status, "this file is of version %" PRIu32 " of memray's format: hsdiff reads versions %d and %d",
             m->version, MR_OLDEST, MR_NEWEST);
    hsd_error_set_hint(err, is_newer ? "a newer hsdiff may read it, or record it with memray 1.20"
                                     : "record it with memray 1.19 or later");
    return status;
}

/* Texts up to an empty one. */
static hsd_status skip_paths(mr *m, hsd_error *err)
{
    size_t size;
    do
        HSD_TRY(read_text(m, NULL, &size, err));
    while (size > 0);
    return HSD_OK;
}

static hsd_status read_process(mr *m, hsd_error *err)
{
    uint64_t pid, traced;
    HSD_TRY(hsd_mr_skip_text(m, err)); /* the command line: it may hold secrets */
    HSD_TRY(read_little(m, 4, &pid, err));
    m->pid = pid > INT32_MAX ? 0 : (uint32_t)pid;
    HSD_TRY(hsd_mr_word(m, &m->main_thread, err));
    HSD_TRY(hsd_mr_word(m, &m->skipped_frames, err));
    return read_little(m, 3, &traced, err);
}

hsd_status hsd_mr_read_head(mr *m, hsd_error *err)
{
    uint64_t version, python, native, form, numbers;
    HSD_TRY(expect_bytes(m, sizeof magic, err));
    hsd_source_take(m->source, sizeof magic);
    HSD_TRY(read_little(m, 4, &version, err));
    m->version = (uint32_t)version;
    if (version < MR_OLDEST || version > MR_NEWEST) return refuse_version(m, err);
    HSD_TRY(read_little(m, 4, &python, err));
    m->python_version = (uint32_t)python;
    HSD_TRY(read_little(m, 1, &native, err));
    HSD_TRY(read_little(m, 1, &form, err));
    if (form > 1) return hsd_mr_corrupt(m, "its form is neither of the two", err);
    m->has_native = native != 0;
    m->is_aggregated = form == 1;
    for (int i = 0; i < 3; i++)
        HSD_TRY(hsd_mr_word(m, &numbers, err)); /* how many of what, and when it began */
    HSD_TRY(hsd_mr_word(m, &m->end_ms, err));
    HSD_TRY(read_process(m, err));
    if (version < 13) return HSD_OK;
    HSD_TRY(hsd_mr_skip_text(m, err));
    HSD_TRY(skip_paths(m, err));
    return skip_paths(m, err);
}

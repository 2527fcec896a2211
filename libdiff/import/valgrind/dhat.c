/*
 * The importer of files of valgrind's DHAT (--tool=dhat), and of what writes the same: the crate dhat of Rust. JSON:
 * places in the program with what they allocated, and at the end the texts of their frames.
 *
 *      {"dhatFileVersion":2,"mode":"heap","bklt":true,…,"cmd":"./shop","pid":4121,"te":2630198,"tg":2484942
 *      ,"pps":[{"tb":240000,"tbk":5000,…,"gb":240000,"gbk":5000,"eb":240000,"ebk":5000,…,"fs":[7,8,9,10]},…]
 *      ,"ftbl":["[root]","0x48417B4: malloc (in …)",…]}
 *
 * g is the moment when the heap was largest, e the end of the program: two heaps in one file, of which the end is the
 * first. Stacks wait as numbers of frames until the table has been read, in sums of their own.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/json.h"
#include "import/valgrind/frames.h"

enum {
    VERSION = 2,
    FRAMES = 512,
    WORD_BYTES = 64,
    COMMAND_BYTES = 1024,
    AT_END = 1,
    AT_PEAK = 2,
    PROGRESS_EVERY = 4096
};

typedef struct dhat {
    hsd_import *import;
    hsd_import_json json;
    hsd_stack_sums raw;  /* frames by their places in the table */
    hsd_stack_sums sums; /* frames by what they are */
    uint32_t *table;     /* by place: frame of `sums` + 1; 0 = none, the root */
    uint32_t table_count, table_room;
    uint32_t stack[FRAMES];
    size_t stack_count;
    uint64_t version, pid, points, cut_stacks, bytes[3]; /* bytes: by moment */
    bool has_points, has_table, is_of_lifetimes;
    char command[COMMAND_BYTES], mode[WORD_BYTES];
} dhat;

static unsigned probe_dhat(const uint8_t *prefix, size_t size)
{
    static const char key[] = "\"dhatFileVersion\"";
    size_t at = 0;
    while (at < size && (prefix[at] == ' ' || prefix[at] == '\n' || prefix[at] == '\r' || prefix[at] == '\t'))
        at++;
    if (at == size || prefix[at++] != '{') return 0;
    while (at < size && (prefix[at] == ' ' || prefix[at] == '\n' || prefix[at] == '\r' || prefix[at] == '\t'))
        at++;
    return size - at >= sizeof key - 1 && memcmp(prefix + at, key, sizeof key - 1) == 0 ? 8 * sizeof key : 0;
}

static unsigned moment_of(const dhat *d)
{
    return d->import->options->dump_number == 0 ? AT_END : d->import->options->dump_number;
}

static hsd_status fail_damaged(const dhat *d, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(d->json.source), "this file of DHAT is damaged: %s", what);
}

/* ---- places in the program ---- */

/* "[1,20,3]", as a tight loop where all of it is in the window; what is written otherwise is left to read_point_stack.
 */
static bool read_visible_stack(dhat *d)
{
    hsd_source *source = d->json.source;
    const uint8_t *at = source->at, *end = source->end;
    size_t count = 0;
    if (at == end || *at != '[') return false;
    do {
        uint64_t frame = 0;
        const uint8_t *from = ++at;
        for (; at < end && (uint8_t)(*at - '0') < 10 && at - from < 10; at++)
            frame = frame * 10 + (uint64_t)(*at - '0');
        if (at == from || at == end || frame >= UINT32_MAX) return false;
        if (count < FRAMES) d->stack[count] = (uint32_t)frame;
        count++;
    } while (*at == ',');
    if (*at != ']') return false;
    d->stack_count = count;
    d->cut_stacks += count > FRAMES;
    hsd_source_take(source, (size_t)(at + 1 - source->at));
    return true;
}

static hsd_status read_point_stack(dhat *d, hsd_error *err)
{
    bool is_first = true;
    uint64_t frame;
    hsd_status status;
    if (read_visible_stack(d)) return HSD_OK;
    d->stack_count = 0;
    while ((status = hsd_import_json_next_item(&d->json, &is_first, err)) == HSD_OK) {
        HSD_TRY(hsd_import_json_number(&d->json, &frame, err));
        if (frame >= UINT32_MAX) return fail_damaged(d, "a stack has a frame that no table can have", err);
        if (d->stack_count < FRAMES) d->stack[d->stack_count] = (uint32_t)frame;
        d->stack_count++;
    }
    d->cut_stacks += d->stack_count > FRAMES;
    return status < 0 ? status : HSD_OK;
}

/* "gb": 'g' is the moment, "b" bytes, "bk" blocks. */
static bool takes_key(const dhat *d, uint64_t blocks[3], uint64_t bytes[3], uint64_t **out)
{
    const char *key = (const char *)d->json.text.data;
    const size_t size = d->json.text.size;
    if (size < 2 || size > 3 || key[1] != 'b' || (size == 3 && key[2] != 'k')) return false;
    const unsigned moment = key[0] == 'e' ? AT_END : key[0] == 'g' ? AT_PEAK : 0;
    if (moment == 0) return false;
    *out = size == 3 ? &blocks[moment] : &bytes[moment];
    return true;
}

static hsd_status read_point(dhat *d, hsd_error *err)
{
    uint64_t blocks[3] = {0}, bytes[3] = {0}, *number;
    const unsigned moment = moment_of(d);
    uint32_t site = 0;
    bool is_first = true;
    hsd_status status;
    d->stack_count = 0;
    while ((status = hsd_import_json_next_key(&d->json, &is_first, err)) == HSD_OK) {
        if (takes_key(d, blocks, bytes, &number))
            HSD_TRY(hsd_import_json_number(&d->json, number, err));
        else if (hsd_import_json_is(&d->json, "fs"))
            HSD_TRY(read_point_stack(d, err));
        else
            HSD_TRY(hsd_import_json_skip(&d->json, err));
    }
    if (status < 0) return status;
    for (unsigned i = AT_END; i <= AT_PEAK; i++)
        d->bytes[i] = hsd_add_saturating(d->bytes[i], bytes[i]);
    if (blocks[moment] == 0 && bytes[moment] == 0) return HSD_OK;
    for (size_t i = hsd_min_u64(d->stack_count, FRAMES); i-- > 0;)
        HSD_TRY(hsd_stack_sums_site(&d->raw, d->stack[i], &site, err));
    return hsd_stack_sums_add(&d->raw, site, blocks[moment], bytes[moment], err);
}

static hsd_status read_points(dhat *d, hsd_error *err)
{
    hsd_source *source = d->json.source;
    bool is_first = true;
    hsd_status status;
    d->json.where = "list of places";
    while ((status = hsd_import_json_next_item(&d->json, &is_first, err)) == HSD_OK) {
        HSD_TRY(read_point(d, err));
        if (++d->points % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(d->import->reporter, "import", hsd_source_offset(source), source->total_bytes, err));
    }
    d->has_points = true;
    return status < 0 ? status : HSD_OK;
}

/* ---- the table of frames ---- */

static hsd_status read_table_frame(dhat *d, hsd_error *err)
{
    uint32_t frame = 0;
    HSD_TRY(hsd_import_grow((void **)&d->table, &d->table_room, d->table_count, sizeof *d->table, err));
    HSD_TRY(hsd_import_json_string(&d->json, HSD_FRAME_TEXT_BYTES, err));
    d->table[d->table_count] = 0;
    if (!hsd_import_json_is(&d->json, "[root]")) {
        HSD_TRY(hsd_valgrind_frame(&d->sums, (hsd_bytes){d->json.text.data, d->json.text.size}, &frame, err));
        d->table[d->table_count] = frame + 1;
    }
    d->table_count++;
    d->sums.other_bytes = hsd_stack_sums_memory(&d->raw) + d->table_room * sizeof *d->table;
    return HSD_OK;
}

static hsd_status read_table(dhat *d, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    d->json.where = "table of frames";
    d->table_count = 0;
    while ((status = hsd_import_json_next_item(&d->json, &is_first, err)) == HSD_OK)
        HSD_TRY(read_table_frame(d, err));
    d->has_table = true;
    return status < 0 ? status : HSD_OK;
}

/* Stacks of places in the table become stacks of frames. Callers have smaller numbers than what they call, so that the
 * row of a site can take the number it gets. */
static hsd_status name_stacks(dhat *d, hsd_error *err)
{
    for (uint32_t i = 0; i < d->raw.site_rows.count; i++) {
        hsd_stack_site *row = &d->raw.sites[i];
        uint32_t site = row->parent == 0 ? 0 : d->raw.sites[row->parent - 1].parent;
        if (row->frame >= d->table_count) return fail_damaged(d, "a stack has a frame that is not in the table", err);
        if (d->table[row->frame] != 0) HSD_TRY(hsd_stack_sums_site(&d->sums, d->table[row->frame] - 1, &site, err));
        row->parent = site;
    }
    for (uint32_t i = 0; i < d->raw.sum_room && i <= d->raw.site_rows.count; i++) {
        const hsd_stack_sum *sum = &d->raw.sums[i];
        if (sum->objects == 0 && sum->bytes == 0) continue;
        const uint32_t site = i == 0 ? 0 : d->raw.sites[i - 1].parent;
        HSD_TRY(hsd_stack_sums_add(&d->sums, site, sum->objects, sum->bytes, err));
    }
    return HSD_OK;
}

/* ---- the whole ---- */

static hsd_status read_word(dhat *d, char *out, size_t room, hsd_error *err)
{
    HSD_TRY(hsd_import_json_string(&d->json, room - 1, err));
    memcpy(out, d->json.text.data, d->json.text.size);
    out[d->json.text.size] = '\0';
    return HSD_OK;
}

static hsd_status read_truth(dhat *d, bool *out, hsd_error *err)
{
    uint8_t byte;
    HSD_TRY(hsd_import_json_look(&d->json, &byte, err));
    *out = byte == 't';
    return hsd_import_json_skip(&d->json, err);
}

static hsd_status check_head(const dhat *d, hsd_error *err)
{
    if (d->version > VERSION) {
        hsd_fail(err, HSD_E_TOO_NEW, "this file of DHAT is of version %" PRIu64 ", and %d is known", d->version,
                 VERSION);
        hsd_error_set_hint(err, "a newer hsdiff may read it");
        return HSD_E_TOO_NEW;
    }
    if (d->version < VERSION)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "this file of DHAT is of version %" PRIu64 ", and %d is read",
                        d->version, VERSION);
    if (d->is_of_lifetimes) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "this file of DHAT does not say what was in use (mode %s)",
             d->mode[0] == '\0' ? "unknown" : d->mode);
    hsd_error_set_hint(err, "take one of the heap: valgrind --tool=dhat --mode=heap PROGRAM");
    return HSD_E_UNSUPPORTED;
}

static hsd_status read_member(dhat *d, hsd_error *err)
{
    hsd_import_json *json = &d->json;
    if (hsd_import_json_is(json, "dhatFileVersion")) return hsd_import_json_number(json, &d->version, err);
    if (hsd_import_json_is(json, "mode")) return read_word(d, d->mode, sizeof d->mode, err);
    if (hsd_import_json_is(json, "bklt")) return read_truth(d, &d->is_of_lifetimes, err);
    if (hsd_import_json_is(json, "cmd")) return read_word(d, d->command, sizeof d->command, err);
    if (hsd_import_json_is(json, "pid")) return hsd_import_json_number(json, &d->pid, err);
    if (!hsd_import_json_is(json, "pps") && !hsd_import_json_is(json, "ftbl")) return hsd_import_json_skip(json, err);
    const bool is_table = hsd_import_json_is(json, "ftbl");
    HSD_TRY(check_head(d, err));
    if (is_table ? d->has_table : d->has_points) return fail_damaged(d, "it has a list twice", err);
    HSD_TRY(is_table ? read_table(d, err) : read_points(d, err));
    json->where = "outermost part";
    return HSD_OK;
}

static hsd_status read_dhat(dhat *d, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    while ((status = hsd_import_json_next_key(&d->json, &is_first, err)) == HSD_OK)
        HSD_TRY(read_member(d, err));
    if (status < 0) return status;
    HSD_TRY(check_head(d, err));
    if (!d->has_points || !d->has_table) return fail_damaged(d, "it has no pps or no ftbl", err);
    return name_stacks(d, err);
}

static hsd_status refuse_moment(const dhat *d, hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "there is no heap %u in a file of DHAT: it has two", moment_of(d));
    hsd_error_set_hint(err, "--dump 1 is the end of the program, --dump 2 when its heap was largest");
    return HSD_E_UNSUPPORTED;
}

/* The names stand at the end, so of what was cut off nothing can be used. */
static hsd_status import_dhat(dhat *d, hsd_error *err)
{
    hsd_import *import = d->import;
    if (moment_of(d) > AT_PEAK) return refuse_moment(d, err);
    const hsd_status status = read_dhat(d, err);
    if (status == HSD_E_TRUNCATED)
        hsd_error_set_hint(err,
                           "what it says has no names without its end: let the program end, and take its file then");
    if (status < 0) return status;
    hsd_import_heap_end(import);
    HSD_TRY(hsd_stack_sums_begin(&d->sums, (hsd_bytes){(const uint8_t *)d->command, strlen(d->command)}, d->pid, err));
    HSD_TRY(hsd_stack_sums_write(&d->sums, err));
    HSD_WRITE(import, hsc_metric(import->writer, "heap.peak", "bytes", d->bytes[AT_PEAK]), err);
    if (d->cut_stacks > 0) HSD_WRITE(import, hsc_loss(import->writer, "stacks that were cut", d->cut_stacks), err);
    if (import->options->dump_number == 0)
        hsd_note(import->reporter, d->bytes[AT_END] == 0 ? HSD_NOTE_WARNING : HSD_NOTE_DETAIL,
                 "%s: %s at the end of the program; --dump 2 is when its heap was largest, with %" PRIu64 " bytes",
                 import->source->name, d->bytes[AT_END] == 0 ? "nothing was in use" : "what was in use",
                 d->bytes[AT_PEAK]);
    return hsd_import_end(import, err);
}

static hsd_status run_dhat(hsd_import *import, hsd_error *err)
{
    dhat *d = calloc(1, sizeof *d);
    if (d == NULL) return hsd_fail_nomem(err, "an import");
    d->import = d->raw.import = d->sums.import = import;
    d->json = (hsd_import_json){.source = import->source, .where = "outermost part", .what = "profile"};
    const hsd_status status = import_dhat(d, err);
    hsd_stack_sums_release(&d->raw);
    hsd_stack_sums_release(&d->sums);
    hsd_import_json_release(&d->json);
    free(d->table);
    free(d);
    return status;
}

const hsd_importer hsd_import_dhat = {
    .info = {.name = "dhat",
             .summary = "heap profile of valgrind's DHAT and of Rust's crate dhat: its end, or its peak",
             .suffixes = "dhat.out.* dhat-heap.json",
             .carries = {.always = HSD_CARRIES_SITES},
             .lacks = "objects, types, references and roots: sums by allocation stack"},
    .probe = probe_dhat,
    .run = run_dhat,
};

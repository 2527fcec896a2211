/*
 * Traces into sums: (domain, bytes, frames) or, since 3.9, (domain, bytes, frames, how many frames there were). A frame
 * is (file, line), the most recent first. Stacks that are alike are one tuple in the file: each is looked at once.
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "import/tracemalloc/tracemalloc.h"

enum { NAME_BYTES = TM_TEXT_BYTES + HSD_IMPORT_PLACE_MORE, LEAST_MEMBERS = 3, MOST_MEMBERS = 4 };

hsd_status hsd_tm_check_memory(const tm *t, hsd_error *err)
{
    const uint64_t machine = t->stack_room * sizeof *t->stack + t->memo_room * sizeof *t->memo +
                             t->pool_room * sizeof *t->pool + t->mark_room * sizeof *t->marks;
    const uint64_t names =
        hsd_names_memory(&t->texts) + hsd_names_memory(&t->strings.names) + hsd_names_memory(&t->types);
    const uint64_t ids = hsd_id_table_memory(&t->frames) + hsd_id_table_memory(&t->sites) +
                         hsd_id_table_memory(&t->stacks) + hsd_id_table_memory(&t->sum_rows);
    const uint64_t rows =
        t->sum_room * sizeof *t->sums + t->type_room * sizeof *t->stack_types + t->site_room * sizeof *t->stack_sites;
    const uint64_t taken = machine + names + ids + rows, allowed = t->import->memory_bytes / 4 * 3;
    if (taken <= allowed) return HSD_OK;
    hsd_fail_at(err, HSD_E_OVER_BUDGET, hsd_source_offset(t->source),
                "the traces of this snapshot take more than %" PRIu64 " MiB", allowed >> 20);
    hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "M or so", (taken * 4 >> 20) + 64);
    return HSD_E_OVER_BUDGET;
}

static hsd_status put_string(tm *t, const void *text, size_t size, uint32_t *out, hsd_error *err)
{
    bool is_new;
    HSD_TRY(hsd_import_put_text(t->import, &t->strings, (hsd_bytes){text, size}, out, &is_new, err));
    return is_new && (*out & 0xff) == 0 ? hsd_tm_check_memory(t, err) : HSD_OK;
}

/* ---- frames ---- */

static bool read_frame(const tm *t, tm_value frame, uint32_t *file, uint32_t *line)
{
    uint64_t count;
    if (tm_kind_of(frame) != TM_TUPLE) return false;
    const tm_value *members = hsd_tm_tuple(t, frame, &count);
    if (count != 2 || tm_kind_of(members[0]) != TM_TEXT || tm_kind_of(members[1]) != TM_NUMBER) return false;
    *file = (uint32_t)tm_number_of(members[0]);
    *line = (uint32_t)hsd_min_u64(tm_number_of(members[1]), INT32_MAX);
    return true;
}

/* The site of a frame that `parent` called. */
static hsd_status put_site(tm *t, uint32_t file, uint32_t line, uint32_t *site, hsd_error *err)
{
    char name[NAME_BYTES];
    uint32_t frame, function, path;
    const uint32_t parent = *site, before = t->sites.count;
    HSD_TRY(hsd_id_table_put(&t->frames, (uint64_t)file << 32 | line, &frame, err));
    HSD_TRY(hsd_id_table_put(&t->sites, (uint64_t)parent << 32 | frame, site, err));
    if (t->sites.count == before) return HSD_OK;
    if (*site > INT32_MAX)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "this snapshot has more than 2,147,483,647 different stacks");
    const hsd_bytes whole = hsd_names_get(&t->texts, file);
    HSD_TRY(put_string(t, name, hsd_import_name_place(whole, 0, name), &function, err));
    HSD_TRY(put_string(t, whole.data, whole.size, &path, err));
    HSD_WRITE(t->import, hsc_define_site(t->import->writer, *site, parent, function, path, line, 0), err);
    return (*site & 0xff) == 0 ? hsd_tm_check_memory(t, err) : HSD_OK;
}

static hsd_status put_type(tm *t, uint32_t file, uint32_t line, uint32_t *type, hsd_error *err)
{
    char name[NAME_BYTES + 16] = "allocated at ", *end = name + strlen(name);
    const size_t size = strlen(name) + hsd_import_name_place(hsd_names_get(&t->texts, file), line, end);
    bool is_new;
    return hsd_import_put_type(t->import, &t->types, (hsd_bytes){(const uint8_t *)name, size}, 0, type, &is_new, err);
}

/* ---- stacks ---- */

/* From the outermost frame inwards. The same stack with fewer frames kept is another one, as for tracemalloc. */
static hsd_status walk_tracemalloc_traces(tm *t, tm_value frames, uint32_t *type, uint32_t *site, hsd_error *err)
{
    uint64_t count;
    uint32_t file = 0, line = 0;
    bool is_known = false, is_new;
    const tm_value *members = hsd_tm_tuple(t, frames, &count);
    *site = 0;
    for (uint64_t i = hsd_min_u64(count, TM_FRAMES); i-- > 0;) {
        if (!read_frame(t, members[i], &file, &line)) continue;
        HSD_TRY(put_site(t, file, line, site, err));
        is_known = true;
    }
    t->cut_frames += count > TM_FRAMES;
    if (is_known) return put_type(t, file, line, type, err);
    const hsd_bytes none = {(const uint8_t *)"(no stack)", 10};
    return hsd_import_put_type(t->import, &t->types, none, 0, type, &is_new, err);
}

static hsd_status put_stack(tm *t, tm_value frames, uint32_t *type, uint32_t *site, hsd_error *err)
{
    uint32_t row;
    const uint32_t before = t->stacks.count;
    HSD_TRY(hsd_id_table_put(&t->stacks, frames, &row, err));
    row--;
    if (t->stacks.count > before) {
        HSD_TRY(hsd_import_grow((void **)&t->stack_types, &t->type_room, row, sizeof *t->stack_types, err));
        HSD_TRY(hsd_import_grow((void **)&t->stack_sites, &t->site_room, row, sizeof *t->stack_sites, err));
        HSD_TRY(walk_tracemalloc_traces(t, frames, &t->stack_types[row], &t->stack_sites[row], err));
        if ((row & 0xff) == 0) HSD_TRY(hsd_tm_check_memory(t, err));
    }
    *type = t->stack_types[row];
    *site = t->stack_sites[row];
    return HSD_OK;
}

/* ---- sums ---- */

static hsd_status add_tracemalloc_write(tm *t, uint32_t type, uint32_t site, uint64_t bytes, hsd_error *err)
{
    uint32_t row;
    const uint32_t before = t->sum_rows.count;
    HSD_TRY(hsd_id_table_put(&t->sum_rows, (uint64_t)type << 32 | site, &row, err));
    row--;
    if (t->sum_rows.count > before) {
        HSD_TRY(hsd_import_grow((void **)&t->sums, &t->sum_room, row, sizeof *t->sums, err));
        t->sums[row] = (tm_sum){.type = type, .site = site};
    }
    t->sums[row].objects++;
    t->sums[row].bytes = hsd_add_saturating(t->sums[row].bytes, bytes);
    return HSD_OK;
}

hsd_status hsd_tm_take_trace(tm *t, tm_value trace, hsd_error *err)
{
    uint64_t count = 0;
    uint32_t type, site;
    const tm_value *members = tm_kind_of(trace) == TM_TUPLE ? hsd_tm_tuple(t, trace, &count) : NULL;
    if (count < LEAST_MEMBERS || count > MOST_MEMBERS || tm_kind_of(members[1]) != TM_NUMBER ||
        tm_kind_of(members[2]) != TM_TUPLE) {
        t->strange++;
        return HSD_OK;
    }
    const uint64_t bytes = tm_number_of(members[1]);
    t->traces++;
    HSD_TRY(put_stack(t, members[2], &type, &site, err));
    return add_tracemalloc_write(t, type, site, bytes, err);
}

hsd_status hsd_tm_write_sums(tm *t, hsd_error *err)
{
    hsd_import_result *result = t->import->result;
    hsc_writer *writer = t->import->writer;
    for (uint32_t i = 0; i < t->sum_rows.count; i++) {
        const tm_sum *sum = &t->sums[i];
        if (sum->site == 0 || t->import->options->summary_only)
            HSD_WRITE(t->import, hsc_count(writer, sum->type, sum->objects, sum->bytes), err);
        else
            HSD_WRITE(t->import, hsc_count_site(writer, sum->type, sum->site, sum->objects, sum->bytes), err);
        result->objects = hsd_add_saturating(result->objects, sum->objects);
        result->bytes = hsd_add_saturating(result->bytes, sum->bytes);
    }
    return HSD_OK;
}

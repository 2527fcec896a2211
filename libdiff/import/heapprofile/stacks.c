/*
 * Stacks as sites: a walk from the outermost frame inwards, one look-up a frame. A site is written once the end of the
 * profile has told which files its addresses lie in; until then it is its caller's and a frame's number.
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "import/heapprofile/heapprofile.h"

hsd_status hsd_hp_check_memory(const hp *p, hsd_error *err)
{
    const uint64_t tables = hsd_id_table_memory(&p->addresses) + hsd_pair_table_memory(&p->site_rows) +
                            hsd_id_table_memory(&p->sum_rows) + hsd_names_memory(&p->texts) +
                            hsd_names_memory(&p->named) + hsd_names_memory(&p->strings.names) +
                            hsd_names_memory(&p->types);
    const uint64_t rows = p->address_room * sizeof *p->address_frames + p->named_room * sizeof *p->named_frames +
                          p->frame_room * (sizeof *p->frames + sizeof *p->functions) + p->site_room * sizeof *p->sites +
                          p->sum_room * sizeof *p->sums + p->mapping_room * sizeof *p->mappings;
    const uint64_t taken = tables + rows, allowed = p->import->memory_bytes / 4 * 3;
    return hsd_import_expect_room(taken, allowed, "the stacks of this profile", taken * 4 + HSD_IMPORT_MORE, err);
}

static hsd_status put_frame(hp *p, hp_frame frame, uint32_t *number, hsd_error *err)
{
    *number = p->frame_count;
    HSD_TRY(hsd_import_grow((void **)&p->frames, &p->frame_room, *number, sizeof *p->frames, err));
    p->frames[p->frame_count++] = frame;
    return (*number & 0xff) == 0 ? hsd_hp_check_memory(p, err) : HSD_OK;
}

static void push_frame(hp *p, uint32_t frame)
{
    if (p->stack_count < HP_FRAMES)
        p->stack[p->stack_count++] = frame;
    else
        p->cut_stacks++;
}

hsd_status hsd_hp_push_address(hp *p, uint64_t address, hsd_error *err)
{
    const uint32_t before = p->addresses.count;
    uint32_t row, frame;
    if (address == 0) return HSD_OK;
    HSD_TRY(hsd_id_table_put(&p->addresses, address, &row, err));
    row--;
    if (p->addresses.count > before) {
        HSD_TRY(put_frame(p, (hp_frame){.address = address}, &frame, err));
        HSD_TRY(hsd_import_grow((void **)&p->address_frames, &p->address_room, row, sizeof *p->address_frames, err));
        p->address_frames[row] = frame;
    }
    push_frame(p, p->address_frames[row]);
    return HSD_OK;
}

static hsd_status put_text(hp *p, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    text.size = (size_t)hsd_min_u64(text.size, HP_TEXT_BYTES);
    HSD_TRY(hsd_names_put(&p->texts, text, number, err));
    ++*number;
    return HSD_OK;
}

hsd_status hsd_hp_push_name(hp *p, hsd_bytes function, hsd_bytes file, uint32_t line, hsd_error *err)
{
    hp_frame named = {.line = line};
    uint32_t row, frame;
    if (!p->has_names) p->stack_count = 0; /* instead of the addresses */
    p->has_names = true;
    HSD_TRY(put_text(p, function, &named.function, err));
    if (file.size > 0) HSD_TRY(put_text(p, file, &named.file, err));
    const uint32_t key[] = {named.function, named.file, named.line}, before = p->named.count;
    HSD_TRY(hsd_names_put(&p->named, (hsd_bytes){(const uint8_t *)key, sizeof key}, &row, err));
    if (p->named.count > before) {
        HSD_TRY(put_frame(p, named, &frame, err));
        HSD_TRY(hsd_import_grow((void **)&p->named_frames, &p->named_room, row, sizeof *p->named_frames, err));
        p->named_frames[row] = frame;
    }
    push_frame(p, p->named_frames[row]);
    return HSD_OK;
}

static hsd_status put_site(hp *p, uint32_t frame, uint32_t *site, hsd_error *err)
{
    const uint32_t parent = *site, before = p->site_rows.count;
    HSD_TRY(hsd_pair_table_put(&p->site_rows, parent, frame, site, err));
    if (p->site_rows.count == before) return HSD_OK;
    if (*site > INT32_MAX)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "this profile has more than 2,147,483,647 different stacks");
    HSD_TRY(hsd_import_grow((void **)&p->sites, &p->site_room, *site - 1, sizeof *p->sites, err));
    p->sites[*site - 1] = (hp_site){parent, frame};
    return (*site & 0xff) == 0 ? hsd_hp_check_memory(p, err) : HSD_OK;
}

static hsd_status add_sums(hp *p, uint32_t site, hsd_error *err)
{
    const uint32_t before = p->sum_rows.count;
    uint32_t row;
    HSD_TRY(hsd_id_table_put(&p->sum_rows, site, &row, err));
    row--;
    if (p->sum_rows.count > before) {
        HSD_TRY(hsd_import_grow((void **)&p->sums, &p->sum_room, row, sizeof *p->sums, err));
        p->sums[row] = (hp_sum){.site = site};
        if ((row & 0xff) == 0) HSD_TRY(hsd_hp_check_memory(p, err));
    }
    p->sums[row].objects += p->entry[0];
    p->sums[row].bytes += p->entry[1];
    return HSD_OK;
}

hsd_status hsd_hp_end_stack(hp *p, hsd_error *err)
{
    uint32_t site = 0;
    const bool is_there = p->has_stack && (p->entry[0] > 0 || p->entry[1] > 0);
    for (size_t i = p->stack_count; is_there && i-- > 0;)
        HSD_TRY(put_site(p, p->stack[i], &site, err));
    if (is_there) HSD_TRY(add_sums(p, site, err));
    p->has_stack = p->has_names = false;
    p->stack_count = 0;
    p->entry[0] = p->entry[1] = 0;
    return HSD_OK;
}

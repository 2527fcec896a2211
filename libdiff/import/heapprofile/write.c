/*
 * The capture: strings of frames, sites in the order in which they came, so that callers stand before what they call,
 * and for each stack with sums a type.
 *
 * Blocks have no type there; what says most is where they were allocated. The allocator's own frames are passed over
 * where a file of its own has them. Where it is linked into the program, only names can tell: the text then holds
 * several places, of which hsdiff symbolize keeps the first that does not allocate for others (FORMAT.md 7.12).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocators.h"
#include "base/check.h"
#include "import/heapprofile/heapprofile.h"
#include "import/places.h"

enum { PLACES = 8, TYPE_BYTES = HP_TEXT_BYTES + PLACES * (HSD_UNRESOLVED_BYTES + 3) + 64 };

static const char unknown_function[] = "(unknown function)";

/* ---- frames ---- */

static hsd_status put_string(hp *p, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    bool is_new;
    HSD_TRY(hsd_import_put_text(p->import, &p->strings, text, number, &is_new, err));
    return is_new && (*number & 0xff) == 0 ? hsd_hp_check_memory(p, err) : HSD_OK;
}

/* A return address stands behind the call that is meant. */
static hsd_bytes name_address(const hp *p, uint64_t address, char name[HSD_UNRESOLVED_BYTES])
{
    uint64_t offset = 0;
    const hsd_bytes path = hsd_hp_file_at(p, address - 1, &offset);
    const size_t size = hsd_import_name_address(name, path, offset, (hsd_bytes){0});
    return size > 0 ? (hsd_bytes){(const uint8_t *)name, size}
                    : (hsd_bytes){(const uint8_t *)unknown_function, sizeof unknown_function - 1};
}

static hsd_status put_functions(hp *p, hsd_error *err)
{
    char name[HSD_UNRESOLVED_BYTES];
    uint32_t room = 0;
    if (p->frame_count == 0) return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&p->functions, &room, p->frame_room - 1, sizeof *p->functions, err));
    for (uint32_t i = 0; i < p->frame_count; i++) {
        const hp_frame *frame = &p->frames[i];
        const hsd_bytes text =
            frame->address == 0 ? hsd_names_get(&p->texts, frame->function - 1) : name_address(p, frame->address, name);
        p->unknown += text.data == (const uint8_t *)unknown_function;
        HSD_TRY(put_string(p, text, &p->functions[i], err));
    }
    return HSD_OK;
}

static hsd_status write_sites(hp *p, hsd_error *err)
{
    for (uint32_t i = 0; i < p->site_rows.count; i++) {
        const hp_site *site = &p->sites[i];
        const hp_frame *frame = &p->frames[site->frame];
        uint32_t file = 0;
        if (frame->file != 0) HSD_TRY(put_string(p, hsd_names_get(&p->texts, frame->file - 1), &file, err));
        HSD_WRITE(p->import,
                  hsc_define_site(p->import->writer, i + 1, site->parent, p->functions[site->frame], file, frame->line,
                                  0),
                  err);
    }
    return HSD_OK;
}

/* ---- types ---- */

static hsd_bytes function_of(const hp *p, uint32_t site)
{
    return hsd_names_get(&p->strings.names, p->functions[p->sites[site - 1].frame] - 1);
}

static bool is_allocator(hsd_bytes name)
{
    static const char *const begins[] = {"libjemalloc", "libtcmalloc", "libprofiler"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(begins); i++)
        if (name.size >= strlen(begins[i]) && memcmp(name.data, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

/* An allocator, or a library whose functions allocate for others. */
static bool is_library(hsd_bytes name)
{
    return is_allocator(name) || hsd_module_is_of_system((const char *)name.data, name.size);
}

/* The innermost frame that allocates for nobody else; the innermost where all do. */
static uint32_t find_wanted(const hp *p, uint32_t site, bool *is_passed)
{
    *is_passed = false;
    for (uint32_t at = site; at != 0; at = p->sites[at - 1].parent) {
        const hsd_bytes name = function_of(p, at);
        const bool is_named = p->frames[p->sites[at - 1].frame].address == 0;
        if (is_named ? !hsd_import_allocates(name) : !is_library(name)) return at;
        *is_passed = true;
    }
    return site;
}

static size_t append(char *out, size_t used, hsd_bytes text)
{
    memcpy(out + used, text.data, text.size);
    return used + text.size;
}

/* ---- sums ---- */

/* The site without the frames of an allocator that is a file of its own; itself where nothing else is there. */
static uint32_t leave_allocator(const hp *p, uint32_t site)
{
    uint32_t at = site;
    while (at != 0 && is_allocator(function_of(p, at)))
        at = p->sites[at - 1].parent;
    return at != 0 ? at : site;
}

/* Stacks that differ in the allocator's frames alone become one. */
static hsd_status merge_sums(hp *p, hsd_error *err)
{
    hsd_id_table rows = {0};
    hsd_status status = HSD_OK;
    for (uint32_t i = 0; i < p->sum_rows.count && status == HSD_OK; i++) {
        hp_sum sum = p->sums[i];
        const uint32_t before = rows.count;
        uint32_t row = 0;
        sum.site = leave_allocator(p, sum.site);
        status = hsd_id_table_put(&rows, sum.site, &row, err);
        if (status < 0) break;
        if (rows.count > before) { /* never behind where it is read */
            p->sums[row - 1] = sum;
            continue;
        }
        p->sums[row - 1].objects += sum.objects;
        p->sums[row - 1].bytes += sum.bytes;
    }
    p->sum_count = rows.count;
    hsd_id_table_release(&rows);
    return status;
}

/* "allocated at: shop+0x122c{}", "allocated at main.fill", "{allocated} allocated at shop+0x8f21{} < shop+0x122c{}". A
 * colon parts the name of a file, which may have spaces, from what stands around it. */
static size_t name_type(const hp *p, uint32_t site, char name[TYPE_BYTES])
{
    bool is_passed;
    if (site == 0) return (size_t)snprintf(name, TYPE_BYTES, "(no stack)");
    const uint32_t wanted = find_wanted(p, site, &is_passed);
    const bool is_named = p->frames[p->sites[wanted - 1].frame].address == 0;
    if (is_named || is_passed || p->has_allocator || p->kind != HP_JEMALLOC) {
        const size_t used = (size_t)snprintf(name, TYPE_BYTES, "allocated at%s ", is_named ? "" : ":");
        return append(name, used, function_of(p, wanted));
    }
    size_t used = (size_t)snprintf(name, TYPE_BYTES, "{allocated} allocated at ");
    for (uint32_t at = wanted, i = 0; at != 0 && i < PLACES; at = p->sites[at - 1].parent, i++) {
        if (i > 0) used = append(name, used, (hsd_bytes){(const uint8_t *)" < ", 3});
        used = append(name, used, function_of(p, at));
    }
    return used;
}

/* The nearest whole number; it stays at its most. */
static uint64_t whole_of(double sum) { return sum < 0x1p63 ? (uint64_t)(sum + 0.5) : INT64_MAX; }

static hsd_status write_sum(hp *p, const hp_sum *sum, hsd_error *err)
{
    char name[TYPE_BYTES];
    uint32_t type;
    bool is_new;
    hsd_import_result *result = p->import->result;
    const uint64_t objects = whole_of(sum->objects), bytes = whole_of(sum->bytes);
    const hsd_bytes text = {(const uint8_t *)name, name_type(p, sum->site, name)};
    HSD_TRY(hsd_import_put_type(p->import, &p->types, text, 0, &type, &is_new, err));
    if (is_new && (type & 0xff) == 0) HSD_TRY(hsd_hp_check_memory(p, err));
    if (sum->site == 0 || p->import->options->summary_only)
        HSD_WRITE(p->import, hsc_count(p->import->writer, type, objects, bytes), err);
    else
        HSD_WRITE(p->import, hsc_count_site(p->import->writer, type, sum->site, objects, bytes), err);
    result->objects = hsd_add_saturating(result->objects, objects);
    result->bytes = hsd_add_saturating(result->bytes, bytes);
    return HSD_OK;
}

hsd_status hsd_hp_write(hp *p, hsd_error *err)
{
    hsd_hp_sort_mappings(p);
    for (uint32_t i = 0; i < p->mapping_count; i++)
        p->has_allocator |= is_allocator(hsd_import_file_name(hsd_names_get(&p->texts, p->mappings[i].path - 1)));
    HSD_TRY(put_functions(p, err));
    if (!p->import->options->summary_only) HSD_TRY(write_sites(p, err));
    if (p->addresses.count > p->unknown)
        hsd_note(
            p->import->reporter, HSD_NOTE_WARNING,
            "%s has addresses and no names: hsdiff import FILE -o raw.hs, then hsdiff symbolize raw.hs -o named.hs "
            "--symbols FOLDER, where the program lies",
            p->import->source->name);
    HSD_TRY(merge_sums(p, err));
    for (uint32_t i = 0; i < p->sum_count; i++)
        HSD_TRY(write_sum(p, &p->sums[i], err));
    return HSD_OK;
}

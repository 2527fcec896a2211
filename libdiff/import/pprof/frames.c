/*
 * Stacks as sites. A location is a place in the code, with the functions that were inlined there: the innermost first.
 * What it stands for is worked out once; a stack is then a walk from its outermost frame inwards, one look-up a frame.
 *
 *      sample ──locations──► frames of each, innermost first ──from the outside──► site of (site of the caller, frame)
 *
 * Profiles with labels have the same stack many times: what came of a list of locations is kept under its hash of 64
 * bits, whose seed nobody knows, as long as there is room in a table of at most 1 MiB, which the caches hold. A table
 * of all stacks was a fifth of the time where most come once. A location without a function is a place in a file, and
 * gets the name of one that is not resolved (FORMAT.md 7.12), so that hsdiff symbolize can say what stands there.
 */
#include <string.h>

#include "base/check.h"
#include "import/places.h"
#include "import/pprof/pprof.h"

hsd_status hsd_pprof_string(pprof *p, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    bool is_new;
    *number = 0;
    if (text.size == 0) return HSD_OK;
    HSD_TRY(hsd_import_put_text(p->import, &p->names, text, number, &is_new, err));
    return is_new && (*number & 0xff) == 0 ? hsd_pprof_check_memory(p, err) : HSD_OK;
}

/* ---- names of addresses ---- */

/* Where the file begins in memory: its mapping that begins with it, or else where it would. The other segments of a
 * file are mapped behind its first. */
static uint64_t base_of(const pprof *p, const pprof_mapping *mapping)
{
    uint64_t base = mapping->start - mapping->offset;
    bool is_found = false;
    for (uint32_t i = 0; i < p->mapping_rows.count; i++) {
        const pprof_mapping *other = &p->mappings[i];
        if (other->offset != 0 || other->start > mapping->start || other->file != mapping->file ||
            other->build_id != mapping->build_id)
            continue;
        if (!is_found || other->start > base) base = other->start;
        is_found = true;
    }
    return base;
}

static hsd_status name_address(pprof *p, const pprof_location *location, pprof_frame *frame, hsd_error *err)
{
    char name[HSD_UNRESOLVED_BYTES];
    const uint32_t row = hsd_id_table_find(&p->mapping_rows, location->mapping);
    const pprof_mapping *mapping = row == 0 || row > p->mapping_rows.count ? NULL : &p->mappings[row - 1];
    const uint64_t base = mapping != NULL ? base_of(p, mapping) : 0;
    size_t size = 0;
    if (mapping != NULL && location->address != 0 && location->address >= base)
        size = hsd_import_name_address(name, hsd_pprof_text(p, mapping->file), location->address - base,
                                       hsd_pprof_text(p, mapping->build_id));
    frame->is_unresolved = size > 0;
    if (size == 0)
        return hsd_pprof_string(p, (hsd_bytes){(const uint8_t *)"(unknown function)", 18}, &frame->function, err);
    return hsd_pprof_string(p, (hsd_bytes){(const uint8_t *)name, size}, &frame->function, err);
}

/* ---- frames ---- */

/* Numbers of lines are signed in the file. */
static uint32_t small_number(uint64_t number) { return number > INT32_MAX ? 0 : (uint32_t)number; }

static hsd_status put_frame(pprof *p, const pprof_frame *frame, hsd_error *err)
{
    const uint32_t key[] = {frame->function, frame->file, frame->line, frame->column}, before = p->frame_keys.count;
    uint32_t number;
    HSD_TRY(hsd_names_put(&p->frame_keys, (hsd_bytes){(const uint8_t *)key, sizeof key}, &number, err));
    if (p->frame_keys.count > before) {
        HSD_TRY(hsd_import_grow((void **)&p->frames, &p->frame_room, number, sizeof *p->frames, err));
        p->frames[number] = *frame;
        p->frames[number].allocates =
            frame->function != 0 && hsd_import_allocates(hsd_names_get(&p->names.names, frame->function - 1));
    }
    HSD_TRY(hsd_import_grow((void **)&p->location_frames, &p->location_frame_room, p->location_frame_count,
                            sizeof *p->location_frames, err));
    p->location_frames[p->location_frame_count++] = number;
    return HSD_OK;
}

static hsd_status put_line(pprof *p, const pprof_location *location, const pprof_line *line, hsd_error *err)
{
    const uint32_t row = hsd_id_table_find(&p->function_rows, line->function);
    pprof_frame frame = {.line = small_number(line->line), .column = small_number(line->column)};
    hsd_bytes name = {0};
    if (row > 0) {
        const pprof_function *function = &p->functions[row - 1];
        name = hsd_pprof_text(p, function->name);
        if (name.size == 0) name = hsd_pprof_text(p, function->system_name);
        HSD_TRY(hsd_pprof_string(p, hsd_pprof_text(p, function->file), &frame.file, err));
    }
    HSD_TRY(name.size > 0 ? hsd_pprof_string(p, name, &frame.function, err) : name_address(p, location, &frame, err));
    return put_frame(p, &frame, err);
}

static hsd_status find_frames(pprof *p, pprof_location *location, hsd_error *err)
{
    location->first_frame = p->location_frame_count;
    for (uint32_t i = 0; i < location->line_count; i++)
        HSD_TRY(put_line(p, location, &p->lines[location->first_line + i], err));
    if (location->line_count == 0) {
        pprof_frame frame = {0};
        HSD_TRY(name_address(p, location, &frame, err));
        HSD_TRY(put_frame(p, &frame, err));
    }
    location->frame_count = p->location_frame_count - location->first_frame;
    if (location->frame_count == 1) location->first_frame = p->location_frames[--p->location_frame_count];
    return hsd_pprof_check_memory(p, err);
}

/* ---- stacks ---- */

/* Most producers count locations from 1, in order. */
static inline pprof_location *find_location(const pprof *p, uint64_t id)
{
    if (id - 1 < p->location_rows.count && p->locations[id - 1].id == id) return &p->locations[id - 1];
    const uint32_t row = hsd_id_table_find(&p->location_rows, id);
    return row == 0 ? NULL : &p->locations[row - 1];
}

/* All frames of the sample, innermost first; how many. */
static hsd_status gather_pprof_frame(pprof *p, uint32_t frames[PPROF_FRAMES], size_t *count, hsd_error *err)
{
    const pprof_sample *sample = &p->sample;
    size_t known = 0;
    for (size_t i = 0; i < sample->location_count && known < PPROF_FRAMES; i++) {
        pprof_location *location = find_location(p, sample->locations[i]);
        if (location == NULL) continue;
        if (location->frame_count == 0) HSD_TRY(find_frames(p, location, err));
        if (location->frame_count == 1) {
            frames[known++] = location->first_frame;
            continue;
        }
        for (uint32_t k = 0; k < location->frame_count && known < PPROF_FRAMES; k++)
            frames[known++] = p->location_frames[location->first_frame + k];
    }
    *count = known;
    return HSD_OK;
}

/* A frame that nobody stood on before, called from `parent`. */
static hsd_status define_site(pprof *p, uint32_t site, uint32_t parent, const pprof_frame *frame, hsd_error *err)
{
    if (site > INT32_MAX)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "this profile has more than 2,147,483,647 different stacks");
    HSD_WRITE(p->import,
              hsc_define_site(p->import->writer, site, parent, frame->function, frame->file, frame->line,
                              frame->column),
              err);
    return (site & 0xff) == 0 ? hsd_pprof_check_memory(p, err) : HSD_OK;
}

/* From the outermost frame inwards; what it has in common with the stack before is known. */
static hsd_status walk_pprof_frame(pprof *p, const uint32_t *frames, size_t count, uint32_t *site, hsd_error *err)
{
    size_t at = 0;
    while (at < count && at < p->last_count && p->last_frames[at] == frames[count - 1 - at])
        at++;
    *site = at == 0 ? 0 : p->last_sites[at - 1];
    for (; at < count; at++) {
        const uint32_t parent = *site, frame = frames[count - 1 - at], before = p->sites.count;
        HSD_TRY(hsd_pair_table_put(&p->sites, parent, frame, site, err));
        if (p->sites.count > before) HSD_TRY(define_site(p, *site, parent, &p->frames[frame], err));
        p->last_frames[at] = frame;
        p->last_sites[at] = *site;
    }
    p->last_count = count;
    return HSD_OK;
}

static bool is_allocator_of_go(hsd_bytes name)
{
    static const char *const prefixes[] = {"runtime.malloc",    "runtime.newobject", "runtime.newarray",
                                           "runtime.makeslice", "runtime.growslice", "runtime.makechan"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(prefixes); i++)
        if (hsd_bytes_begin(name, prefixes[i])) return true;
    return false;
}

/* The innermost frame that does not allocate for others. A runtime's own memory has none: then, of Go's, the one that
 * says most, as runtime.malg does, which makes goroutines. */
static size_t wanted_of(const pprof *p, const uint32_t *frames, size_t count)
{
    size_t first = 0;
    for (size_t i = 0; i < count; i++)
        if (!p->frames[frames[i]].allocates) return i;
    while (first + 1 < count &&
           is_allocator_of_go(hsd_names_get(&p->names.names, p->frames[frames[first]].function - 1)))
        first++;
    return first;
}

static hsd_status find_site(pprof *p, uint32_t *site, uint32_t *frame, hsd_error *err)
{
    uint32_t *frames = p->gathered; /* on the stack it would be cleared for each sample */
    size_t count;
    HSD_TRY(gather_pprof_frame(p, frames, &count, err));
    *frame = count > 0 ? frames[wanted_of(p, frames, count)] : UINT32_MAX;
    *site = 0;
    if (p->import->options->summary_only) return HSD_OK;
    return walk_pprof_frame(p, frames, count, site, err);
}

static pprof_stack *set_of_stack(const pprof *p, uint64_t hash)
{
    return &p->stacks[(hash & (p->stack_sets - 1)) * PPROF_STACK_WAYS];
}

void hsd_pprof_expect_stack(pprof *p)
{
    pprof_sample *sample = &p->sample;
    const uint64_t hash =
        hsd_hash_bytes(sample->locations, sample->location_count * sizeof sample->locations[0], p->stack_seed);
    sample->stack_hash = hash != 0 ? hash : 1;
    sample->hashed_count = sample->location_count;
    __builtin_prefetch(set_of_stack(p, sample->stack_hash), 1);
}

/* Where the stack of this hash is, or what it takes the place of: the one in its set that came first. */
static pprof_stack *find_stack(pprof *p, uint64_t hash)
{
    pprof_stack *set = set_of_stack(p, hash);
    for (size_t i = 0; i < PPROF_STACK_WAYS; i++)
        if (set[i].hash == hash) return &set[i];
    memmove(&set[1], &set[0], (PPROF_STACK_WAYS - 1) * sizeof *set);
    set[0].hash = 0;
    return &set[0];
}

hsd_status hsd_pprof_site(pprof *p, uint32_t *site, uint32_t *frame, hsd_error *err)
{
    const pprof_sample *sample = &p->sample;
    if (sample->stack_hash == 0 || sample->hashed_count != sample->location_count) hsd_pprof_expect_stack(p);
    const uint64_t hash = sample->stack_hash;
    pprof_stack *stack = find_stack(p, hash);
    if (stack->hash == 0) {
        HSD_TRY(find_site(p, &stack->site, &stack->frame, err));
        stack->hash = hash;
    }
    *site = stack->site;
    *frame = stack->frame;
    return HSD_OK;
}

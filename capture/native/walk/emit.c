/*
 * Objects, in the order of their addresses: a batch of blocks from the bitmap, the table's word on each, their words
 * looked up together, and then the records. What was read goes back to the system a little later, in steps of some MiB.
 */
#include "native/walk/walk.h"

enum { BATCH = 32, SPARSE_BYTES = 256 << 10, PIECE_BYTES = 1 << 20, RECENT = 512, GROUP_BYTES = 2048 };

typedef struct emitter {
    hsn_walker *k;
    size_t mapping; /* the one that was read last, or one before it */
    uint64_t lost;  /* number of the last placeholder */
    /* References of this object: its number + 1 << 32 | target. What falls on another's place may be said twice. */
    uint64_t recent[RECENT];
    uint32_t ordinal, loader_label;
    hsn_typed_block typed; /* the object that was begun */
} emitter;

static hsn_range range_of(const hsn_block *block) { return (hsn_range){block->address, block->address + block->size}; }

/* ---- references ---- */

/* `low`: from there on the block can be read. */
static void write_references(emitter *e, const hsn_block *block, uintptr_t low, const hsn_hit *hits, size_t count)
{
    if (count == 0 || hsn_is_of_stream(e->k, block->address)) return;
    for (size_t i = 0; i < count; i++) {
        const uint32_t target = hits[i].ordinal;
        uint64_t *recent = &e->recent[target % RECENT];
        const uint64_t mark = (uint64_t)(e->ordinal + 1) << 32 | target;
        if (target == e->ordinal || *recent == mark || hsn_is_rest(e->k, block, low, hits[i].at)) continue;
        *recent = mark;
        uint64_t index;
        const uint32_t label = hsn_write_label(e->k, &e->typed, hits[i].at - block->address, &index);
        hsc_reference(e->k->w, target, label, index);
    }
}

static void scan_piece(emitter *e, const hsn_block *block, hsn_range piece)
{
    hsn_hit hits[HSN_HITS];
    const uintptr_t low = piece.low;
    while (piece.low < piece.high)
        write_references(e, block, low, hits, hsn_scan(&e->k->starts, &piece, hits));
}

static void scan_sparsely(emitter *e, const hsn_block *block, hsn_range range)
{
    hsn_range touched;
    while (range.low < range.high) {
        const hsn_range step = {range.low, range.high - range.low > PIECE_BYTES ? range.low + PIECE_BYTES : range.high};
        range.low = step.high;
        for (hsn_range rest = step; hsn_touched_next(e->k->pagemap, &rest, &touched);)
            scan_piece(e, block, touched);
        if (!hsn_place_of(e->k, block->stack)->is_loader) hsn_give_back(e->k, (hsn_range){step.low, step.high});
    }
}

/* What of the block may be read: a program may have put a guard into it, or have kept it from its children. */
static bool next_readable(emitter *e, hsn_range *range, hsn_range *piece)
{
    const hsn_maps *maps = &e->k->maps;
    while (range->low < range->high) {
        while (e->mapping < maps->count && maps->mappings[e->mapping].high <= range->low)
            e->mapping++;
        if (e->mapping == maps->count || maps->mappings[e->mapping].low >= range->high) return false;
        const hsn_mapping *m = &maps->mappings[e->mapping];
        *piece = (hsn_range){m->low > range->low ? m->low : range->low, m->high < range->high ? m->high : range->high};
        range->low = piece->high;
        if (m->can_read) return true;
    }
    return false;
}

static void scan_block(emitter *e, const hsn_block *block)
{
    hsn_range range = range_of(block), piece;
    while (next_readable(e, &range, &piece)) {
        if (piece.high - piece.low >= SPARSE_BYTES)
            scan_sparsely(e, block, piece);
        else
            scan_piece(e, block, piece);
    }
}

/* ---- objects ---- */

/* Ordinals were given to all that the bitmap holds: what the table no longer knows keeps its place. */
static hsc_status write_placeholder(emitter *e)
{
    const hsc_status status =
        hsc_begin_object(e->k->w, &(hsc_object){.id = UINT64_MAX - e->lost++, .flags = HSC_OBJECT_PSEUDO});
    e->ordinal++;
    return status == HSC_OK ? hsc_end_object(e->k->w) : status;
}

/* ld.so keeps what it allocates in places that no scan finds, as thread-locals of libraries. */
static void write_loader_root(emitter *e)
{
    static const char name[] = "(dynamic loader)";
    if (e->loader_label == 0) e->loader_label = hsn_write_string(e->k, name, sizeof name - 1);
    hsc_root(e->k->w, &(hsc_root_record){.kind = HSC_ROOT_RUNTIME,
                                         .label = e->loader_label,
                                         .target = e->ordinal,
                                         .flags = HSC_ROOT_SECONDARY});
}

static hsc_status begin_object(emitter *e, const hsn_block *block, uintptr_t first_word)
{
    hsn_walker *k = e->k;
    e->typed = (hsn_typed_block){block, hsn_type_of(k, block, first_word), first_word};
    const hsc_object object = {.id = block->sequence,
                               .size_bytes = block->size,
                               .type = e->typed.type,
                               .site = hsn_place_of(k, block->stack)->site};
    k->bytes += block->size;
    return hsc_begin_object(k->w, &object);
}

static hsc_status end_object(emitter *e, const hsn_block *block)
{
    if (hsn_place_of(e->k, block->stack)->is_loader) {
        write_loader_root(e);
        hsn_keep(e->k, range_of(block));
    } else {
        hsn_give_back(e->k, range_of(block));
    }
    e->ordinal++;
    return hsc_end_object(e->k->w);
}

/* A large block, one that the table lost, or one that cannot be read as a whole. */
static hsc_status write_alone(emitter *e, const hsn_block *block)
{
    hsn_range range = range_of(block), first;
    if (block->address == 0) return write_placeholder(e);
    const bool has_word = block->size >= sizeof(uintptr_t) && next_readable(e, &range, &first) &&
                          first.low == block->address && first.high - first.low >= sizeof(uintptr_t);
    const hsc_status status = begin_object(e, block, has_word ? *(const uintptr_t *)block->address : 0);
    if (status != HSC_OK) return status;
    scan_block(e, block);
    return end_object(e, block);
}

/* Small blocks, whose words are all looked up together. */
static hsc_status write_group(emitter *e, const hsn_block *blocks, size_t count)
{
    hsn_hit hits[HSN_HITS];
    hsn_range ranges[BATCH];
    size_t ends[BATCH], at = 0;
    for (size_t i = 0; i < count; i++)
        ranges[i] = range_of(&blocks[i]);
    hsn_scan_group(&e->k->starts, ranges, count, hits, ends);
    for (size_t i = 0; i < count; i++) {
        const hsn_block *block = &blocks[i];
        hsc_status status =
            begin_object(e, block, block->size >= sizeof(uintptr_t) ? *(const uintptr_t *)block->address : 0);
        if (status != HSC_OK) return status;
        write_references(e, block, block->address, hits + at, ends[i] - at);
        at = ends[i];
        status = end_object(e, block);
        if (status != HSC_OK) return status;
    }
    return HSC_OK;
}

/* How many blocks from the first on are small, together too, and lie in one mapping that can be read. */
static size_t group_of(emitter *e, const hsn_block *blocks, size_t count)
{
    const hsn_maps *maps = &e->k->maps;
    size_t words = 0, grouped = 0;
    while (e->mapping < maps->count && maps->mappings[e->mapping].high <= blocks[0].address)
        e->mapping++;
    const hsn_mapping *m = &maps->mappings[e->mapping];
    if (e->mapping == maps->count || !m->can_read || blocks[0].address < m->low) return 0;
    for (; grouped < count; grouped++) {
        const hsn_block *block = &blocks[grouped];
        if (block->address == 0 || block->size > GROUP_BYTES || block->address + block->size > m->high) break;
        words += block->size / sizeof(uintptr_t);
        if (words > HSN_HITS) break;
    }
    return grouped;
}

/*
 * The next blocks from *at on: looked up together, so that the processor waits for the table's memory once and not for
 * each.
 */
static size_t find_blocks(const hsn_starts *starts, uintptr_t *at, hsn_block blocks[BATCH])
{
    uintptr_t found[BATCH];
    size_t count = 0;
    for (; count < BATCH && hsn_starts_from(starts, *at, &found[count]); count++) {
        *at = found[count] + 1;
        hsn_table_prefetch(found[count]);
    }
    for (size_t i = 0; i < count; i++)
        if (!hsn_table_find(found[i], &blocks[i])) blocks[i].address = 0;
    return count;
}

static hsc_status write_blocks(emitter *e, const hsn_block *blocks, size_t count)
{
    for (size_t i = 0; i < count;) {
        const size_t grouped = group_of(e, blocks + i, count - i);
        const hsc_status status = grouped > 0 ? write_group(e, blocks + i, grouped) : write_alone(e, &blocks[i]);
        if (status != HSC_OK) return status;
        i += grouped > 0 ? grouped : 1;
    }
    return HSC_OK;
}

hsc_status hsn_write_objects(hsn_walker *k)
{
    emitter *e = hsa_arena_take(&k->arena, sizeof *e);
    hsn_block blocks[BATCH];
    uintptr_t at = k->starts.low;
    if (e == NULL) return HSC_E_NOMEM;
    e->k = k;
    for (size_t count; (count = find_blocks(&k->starts, &at, blocks)) > 0;) {
        const hsc_status status = write_blocks(e, blocks, count);
        if (status != HSC_OK) return status;
        if (k->world->must_end == NULL || *k->world->must_end == 0) continue;
        hsc_mark_incomplete(k->w,
                            "the program's cgroup had next to no memory left for copies of what it writes meanwhile");
        hsn_give_back(k, (hsn_range){at, k->starts.high}); /* unread */
        break;
    }
    hsn_give_back_all(k);
    return hsn_write_mapped(k, e->ordinal);
}

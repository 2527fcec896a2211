/*
 * What the program maps itself (mmap) is memory of the program that no block is: arenas, pools. It is an object of
 * external bytes, so that its growth is growth; a little of it every program has: libraries, the loader. A large
 * piece to which variables of the program lead, or to which memory leads that they lead to, is an object of its own,
 * which they hold; the rest is one, which nobody does. So is what more than a few lead to, as to the heap of a runtime:
 * some of them would say nothing.
 *
 * Whoever called mmap is its site, so what nobody holds is an object for each such stack.
 *
 * Where the pieces of a pool are is chance: the kernel puts mappings that touch into one. What lead to each other are
 * one, and who that is the first variable says.
 */
#include "native/mmaps.h"
#include "native/walk/walk.h"

/* Less than LEAST_BYTES in all is not told, and less than LEAST_ALONE of a mapping not apart. */
enum { MOST_MAPPED = 1024, MOST_VARIABLES = 8, COPY_WORDS = 2048, LEAST_BYTES = 256 << 10, LEAST_ALONE = 64 << 10 };
enum { MOST_PARTS = 4096 };

/* No number of an allocation, and the same in all captures. Below it, by their stacks, stand those of whom it is known
 * who mapped them; above it those that variables hold. */
#define MAPPED_ID (UINT64_MAX / 2)

struct hsn_mapped {
    hsn_range range;
    uint64_t bytes;
    uintptr_t variables[MOST_VARIABLES]; /* words that lead there */
    uint32_t variable_count;             /* MOST_VARIABLES + 1 = more */
    uintptr_t last;                      /* word that was seen to lead there */
    struct hsn_mapped *next;             /* of those that are to be looked through */
    struct hsn_mapped *one;              /* another of the same piece; NULL = the one that counts for all */
    bool is_reached;
};

/* So many bytes of a mapping were mapped by one stack. */
struct hsn_mapped_part {
    size_t mapped; /* its number */
    uint64_t bytes;
    uint32_t stack;
};

typedef struct search {
    hsn_walker *k;
    struct hsn_mapped *first, **end; /* that variables lead to */
} search;

void hsn_know_mapped(hsn_walker *k, const hsn_mapping *mapping, uint64_t bytes)
{
    if (bytes == 0 || k->mapped_count == MOST_MAPPED) return;
    if (k->mapped == NULL) k->mapped = hsa_arena_take(&k->arena, MOST_MAPPED * sizeof *k->mapped);
    if (k->mapped == NULL) return;
    k->mapped[k->mapped_count++] = (struct hsn_mapped){.range = {mapping->low, mapping->high}, .bytes = bytes};
}

/* ---- who mapped it ---- */

static void add_part(hsn_walker *k, uint32_t stack, uint64_t bytes)
{
    struct hsn_mapped_part *last = k->part_count > 0 ? &k->parts[k->part_count - 1] : NULL;
    if (last != NULL && last->mapped == k->mapped_count && last->stack == stack)
        last->bytes += bytes;
    else if (k->part_count < MOST_PARTS)
        k->parts[k->part_count++] = (struct hsn_mapped_part){k->mapped_count, bytes, stack};
}

/* The first that ends above the address. */
static size_t first_above(const hsn_walker *k, uintptr_t address)
{
    size_t low = 0, high = k->mmap_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (k->mmaps[middle].high > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Python's own arenas are nobody's who called for them. */
static void open_parts(hsn_walker *k)
{
    k->mmaps = hsn_mmaps(&k->mmap_count);
    if (hsn_is_python(k)) k->mmap_count = 0;
    if (k->mmap_count > 0) k->parts = hsa_arena_take(&k->arena, MOST_PARTS * sizeof *k->parts);
    if (k->parts == NULL) k->mmap_count = 0;
}

void hsn_know_touched(hsn_walker *k, hsn_range touched)
{
    if (k->mmaps == NULL) open_parts(k);
    for (size_t i = first_above(k, touched.low); i < k->mmap_count && k->mmaps[i].low < touched.high; i++) {
        const hsn_mapped_by *m = &k->mmaps[i];
        const uintptr_t low = m->low > touched.low ? m->low : touched.low,
                        high = m->high < touched.high ? m->high : touched.high;
        if (m->stack != 0) add_part(k, m->stack, high - low);
    }
}

/* ---- who leads there ---- */

static bool is_outside(const hsn_holes *holes, uintptr_t word)
{
    hsn_range one = {word, word + 1}, piece;
    return hsn_holes_next(holes, &one, &piece);
}

/* What the word leads into; NULL where that is a block, malloc's or the agent's. */
static struct hsn_mapped *find_mapped(const hsn_walker *k, uintptr_t word)
{
    size_t low = 0, high = k->mapped_count;
    hsn_hit hit;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (k->mapped[middle].range.high > word)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == k->mapped_count || k->mapped[low].range.low > word) return NULL;
    const bool is_other =
        is_outside(&k->heaps, word) && is_outside(&k->holes, word) && !hsn_scan_word(&k->starts, word, &hit);
    return is_other ? &k->mapped[low] : NULL;
}

static void look_through_later(search *s, struct hsn_mapped *mapped)
{
    if (mapped->is_reached) return;
    mapped->is_reached = true;
    *s->end = mapped;
    s->end = &mapped->next;
}

/* A variable leads there. Words in a row are of an array: the first is enough. */
static void add_variable(struct hsn_mapped *mapped, uintptr_t address)
{
    const uint32_t count = mapped->variable_count;
    const bool is_in_row = count > 0 && mapped->last + sizeof address == address;
    mapped->last = address;
    if (count > MOST_VARIABLES || is_in_row) return;
    if (count < MOST_VARIABLES) mapped->variables[count] = address;
    mapped->variable_count++;
}

static struct hsn_mapped *piece_of(struct hsn_mapped *mapped)
{
    while (mapped->one != NULL)
        mapped = mapped->one;
    return mapped;
}

static void join(struct hsn_mapped *a, struct hsn_mapped *b)
{
    struct hsn_mapped *x = piece_of(a), *y = piece_of(b);
    if (x != y) *(x < y ? &y->one : &x->one) = x < y ? x : y;
}

static void look_through(search *s, const uintptr_t *words, size_t count, struct hsn_mapped *from, uintptr_t at)
{
    const hsn_walker *k = s->k;
    const uintptr_t low = k->mapped[0].range.low, span = k->mapped[k->mapped_count - 1].range.high - low;
    for (size_t i = 0; i < count; i++) {
        if (words[i] - low >= span || (from != NULL && words[i] - from->range.low < from->range.high - from->range.low))
            continue;
        struct hsn_mapped *mapped = find_mapped(k, words[i]);
        if (mapped == NULL) continue;
        if (from != NULL)
            join(from, mapped);
        else
            add_variable(mapped, at + i * sizeof *words);
        look_through_later(s, mapped);
    }
}

/* Piece by piece through a copy, since a file may be shorter than its mapping. */
static void look_through_variables(search *s, hsn_range range)
{
    uintptr_t words[COPY_WORDS];
    for (uintptr_t at = (range.low + 7) & ~(uintptr_t)7; at < range.high; at += sizeof words) {
        const size_t left = range.high - at, size = left < sizeof words ? left : sizeof words;
        if (hsn_copy(words, at, size)) look_through(s, words, size / sizeof *words, NULL, at);
    }
}

/* The C library and the loader know every mapping, and what the agent knows is nobody's. */
static void find_variables(search *s)
{
    const hsn_walker *k = s->k;
    for (size_t i = 0; i < k->modules.count; i++) {
        const hsn_module *module = &k->modules.modules[i];
        if (module == k->modules.own || module->is_of_system || module->is_allocator) continue;
        for (size_t m = hsn_maps_from(&k->maps, module->low);
             m < k->maps.count && k->maps.mappings[m].low < module->high; m++) {
            const hsn_mapping *mapping = &k->maps.mappings[m];
            if (!mapping->can_read || !mapping->can_write || mapping->is_shared) continue;
            hsn_range range = {mapping->low, mapping->high < module->high ? mapping->high : module->high}, touched;
            while (hsn_touched_next(mapping->kind == HSN_MAPPING_FILE ? -1 : k->pagemap, &range, &touched))
                look_through_variables(s, touched);
        }
    }
}

/* What leads on from there: pools keep lists of their pieces in the pieces. */
static void find_further(search *s)
{
    const hsn_walker *k = s->k;
    for (struct hsn_mapped *m = s->first; m != NULL; m = m->next) {
        if (m->variable_count > MOST_VARIABLES) continue;
        hsn_range range = m->range, piece, free_piece, touched;
        while (hsn_holes_next(&k->holes, &range, &piece))
            while (hsn_holes_next(&k->heaps, &piece, &free_piece))
                while (hsn_touched_next(k->pagemap, &free_piece, &touched))
                    look_through(s, (const uintptr_t *)touched.low, (touched.high - touched.low) / sizeof(uintptr_t), m,
                                 touched.low);
    }
}

/* ---- objects ---- */

/* What is of a piece counts for the one of it. */
static void add_up(hsn_walker *k)
{
    for (size_t i = 0; i < k->mapped_count; i++) {
        struct hsn_mapped *m = &k->mapped[i], *piece = piece_of(m);
        if (piece == m) continue;
        piece->bytes += m->bytes;
        for (uint32_t v = 0; v < m->variable_count && v < MOST_VARIABLES; v++)
            if (piece->variable_count + v < MOST_VARIABLES)
                piece->variables[piece->variable_count + v] = m->variables[v];
        piece->variable_count += m->variable_count;
    }
}

static bool is_held(const struct hsn_mapped *mapped)
{
    return mapped->one == NULL && mapped->variable_count > 0 && mapped->variable_count <= MOST_VARIABLES &&
           mapped->bytes >= LEAST_ALONE;
}

static hsc_status write_piece(hsn_walker *k, uint64_t id, uint64_t bytes, uint32_t stack)
{
    const uint32_t site = stack != 0 ? hsn_place_of(k, stack)->site : 0;
    hsc_begin_object(k->w, &(hsc_object){.id = id, .native_bytes = bytes, .type = k->types, .site = site});
    return hsc_end_object(k->w);
}

/* Of the piece that the mapping of a part belongs to; NULL = it was not noted as one. */
static const struct hsn_mapped *piece_of_part(hsn_walker *k, const struct hsn_mapped_part *part)
{
    return part->mapped < k->mapped_count ? piece_of(&k->mapped[part->mapped]) : NULL;
}

/* By whom most of the piece was mapped. */
static uint32_t stack_of(hsn_walker *k, const struct hsn_mapped *piece)
{
    const struct hsn_mapped_part *most = NULL;
    for (size_t i = 0; i < k->part_count; i++)
        if (piece_of_part(k, &k->parts[i]) == piece && (most == NULL || k->parts[i].bytes > most->bytes))
            most = &k->parts[i];
    return most != NULL ? most->stack : 0;
}

static hsc_status write_held(hsn_walker *k, const struct hsn_mapped *mapped, uint32_t ordinal)
{
    uintptr_t first = mapped->variables[0];
    for (uint32_t i = 1; i < mapped->variable_count; i++)
        if (mapped->variables[i] < first) first = mapped->variables[i];
    hsc_status status = write_piece(k, MAPPED_ID + 1 + first / sizeof first, mapped->bytes, stack_of(k, mapped));
    for (uint32_t i = 0; i < mapped->variable_count && status == HSC_OK; i++)
        status = hsc_root(k->w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL,
                                                   .label = hsn_variable_label(k, mapped->variables[i]),
                                                   .target = ordinal});
    return status;
}

/* What nobody holds, of which it is not known who mapped it (stack 0) or it is: one object. */
static hsc_status write_rest(hsn_walker *k, uint64_t bytes, uint32_t stack, uint32_t ordinal)
{
    const hsc_status status = write_piece(k, MAPPED_ID - stack, bytes, stack);
    if (status != HSC_OK) return status;
    return hsc_root(k->w, &(hsc_root_record){.kind = HSC_ROOT_RUNTIME, .label = hsn_other_label(k), .target = ordinal});
}

/* An object for each stack that mapped what nobody holds; *rest is what is left. */
static hsc_status write_parts(hsn_walker *k, uint32_t *ordinal, uint64_t *rest)
{
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < k->part_count && status == HSC_OK; i++) {
        uint64_t bytes = 0;
        const uint32_t stack = k->parts[i].stack;
        for (size_t n = i; n < k->part_count; n++) {
            const struct hsn_mapped *piece = piece_of_part(k, &k->parts[n]);
            if (k->parts[n].stack != stack || (piece != NULL && is_held(piece))) continue;
            bytes += k->parts[n].bytes;
            k->parts[n].bytes = 0; /* told */
        }
        if (bytes == 0) continue;
        status = write_rest(k, bytes, stack, (*ordinal)++);
        *rest -= bytes;
    }
    return status;
}

hsc_status hsn_write_mapped(hsn_walker *k, uint32_t ordinal)
{
    static const char name[] = "memory of mmap";
    uint64_t rest = k->other_bytes;
    search s = {.k = k};
    if (!k->world->tells_mapped || k->other_bytes < LEAST_BYTES) return HSC_OK;
    hsc_define_type(k->w, ++k->types, name, sizeof name - 1, 0);
    s.end = &s.first;
    if (!hsn_is_python(k) && k->mapped_count > 0) {
        find_variables(&s);
        find_further(&s);
        add_up(k);
    }
    for (size_t i = 0; i < k->mapped_count; i++) {
        if (!is_held(&k->mapped[i])) continue;
        const hsc_status status = write_held(k, &k->mapped[i], ordinal++);
        if (status != HSC_OK) return status;
        rest -= k->mapped[i].bytes;
    }
    const hsc_status status = write_parts(k, &ordinal, &rest);
    return status == HSC_OK && rest > 0 ? write_rest(k, rest, 0, ordinal) : status;
}

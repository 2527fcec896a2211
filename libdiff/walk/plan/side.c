/*
 * The stages of one capture's walk, each with its share. What is touched at random comes first: labels, then
 * blocks; what only streams gets what is left.
 *
 * With dominators there are four ways. *Resident*: blocks and names stay in memory all along, as large as they
 * may get, and every array is whole. Else, wherever blocks are not walked they shrink to their least, so that what
 * is walked at the time (links, labels, the dominators' arrays) has the memory: *whole*, all places are in arrays while
 * links and owners are found, *kept* until objects are counted, too; *paged*, places are sorted, and links paged. The
 * first is taken that fits.
 */
#include "base/node.h"
#include "walk/plan/parts.h"

#define PLACE_WORDS  (2 * HSD_TWO_WORDS) /* of a place that is sorted (walk/places.h) */
#define AHEAD_ENOUGH MIB(256)
#define AHEAD_LEAST  MIB(128) /* the same where places are sorted: beside it what is read ahead is little */
#define TOLD_PART    8u       /* what tells owners of sorted places is bounded: a byte for so many nodes, */
#define TOLD_ROOM    32u      /* and of the room one part in so many */
#define NAMES_PART   16u      /* names of references stay where they take so little: one part in so many of the room */

typedef enum way { PAGED, WHOLE, KEPT, RESIDENT } way;

typedef struct divider {
    hsd_plan_side *side;
    const hsd_plan_capture *c;
    uint64_t all;  /* there is */
    uint64_t walk; /* of it for what comes and goes */
    uint64_t room; /* beside bits and a reader */
    way way;
    uint64_t place_cap; /* bounds place_serve, which is alive in three stages */
    uint64_t end_bytes;
    bool keeps_graph;
    bool has_tree;
    bool is_resident;
    bool is_ahead; /* places are sorted, and objects read ahead */
    bool tells;    /* and may tell owners */
} divider;

/* What is there beside `used`; 0 when there is nothing. */
static uint64_t beside(uint64_t total, uint64_t used) { return total > used ? total - used : 0; }

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
    return hsd_max_u64(least, hsd_min_u64(value, most));
}

/* A sorter that serves for long serves from little, unless its records are little themselves. */
static uint64_t long_serve(const divider *d, uint64_t records, unsigned words, uint64_t sort_bytes)
{
    const uint64_t useful = hsd_plan_serve_useful(records, words, sort_bytes);
    if (hsd_plan_stays(records, words, sort_bytes) && useful <= d->room / 8) return useful;
    return hsd_min_u64(useful, hsd_max_u64(SERVE_LEAST, d->room / 16));
}

/* ---- reading and building */

/* Ids and references side by side; the ids then serve until the blocks are built. */
static bool divide_reading(const divider *d)
{
    hsd_plan_side *side = d->side;
    const uint64_t references = d->c->references, objects = d->c->objects;
    hsd_plan_slot read[] = {
        {SORT_LEAST, hsd_plan_sort_useful(objects, 2), objects + 1, &side->id_sort_bytes},
        {SORT_LEAST, hsd_plan_sort_useful(references, 2), references + 1, &side->reference_sort_bytes}};
    if (!hsd_plan_share(d->room, read, 2)) return false;
    const uint64_t ids = hsd_plan_serve_useful(objects, 2, side->id_sort_bytes);
    side->id_serve_bytes = hsd_min_u64(ids, hsd_max_u64(SERVE_LEAST, d->room / 8));
    if (!d->c->has_edges) return true;
    /* they are sorted by their sources while those by targets wait */
    const uint64_t two_thirds = (d->room - side->id_serve_bytes) / 3 * 2;
    if (two_thirds < 2 * SORT_LEAST) return false;
    side->reference_sort_bytes = hsd_min_u64(side->reference_sort_bytes, two_thirds);
    side->source_sort_bytes = side->reference_sort_bytes / 2;
    side->source_serve_bytes = hsd_plan_serve_useful(references, hsd_plan_source_words(d->c), side->source_sort_bytes);
    return true;
}

/* Addresses of objects whose references are no ids, only to bring them into order. */
static bool divide_ids(const divider *d)
{
    hsd_plan_side *side = d->side;
    if (hsd_plan_is_read(d->c)) side->id_serve_bytes = d->c->id_bytes;
    if (!d->c->has_structure || hsd_plan_has_join(d->c) || hsd_plan_is_read(d->c)) return true;
    const uint64_t useful = hsd_plan_sort_useful(d->c->objects, 2);
    side->id_sort_bytes = clamp(d->room / 8, SORT_LEAST, useful);
    const uint64_t serve = hsd_plan_serve_useful(d->c->objects, 2, side->id_sort_bytes);
    side->id_serve_bytes = hsd_min_u64(serve, hsd_max_u64(SERVE_LEAST, d->room / 8));
    return side->id_sort_bytes < d->room;
}

/* References by their sources: read, or joined from those by targets. */
static bool divide_edges(const divider *d)
{
    hsd_plan_side *side = d->side;
    const uint64_t edges = hsd_plan_sort_useful(d->c->references, hsd_plan_edge_words(d->c));
    if (!hsd_plan_has_join(d->c)) {
        hsd_plan_slot read[] = {{SORT_LEAST, edges, 1, &side->edge_sort_bytes}};
        return hsd_plan_share(beside(d->room, side->id_sort_bytes), read, 1);
    }
    const uint64_t references = hsd_plan_serve_useful(d->c->references, 2, side->reference_sort_bytes);
    hsd_plan_slot join[] = {{SERVE_LEAST, references, 4, &side->reference_serve_bytes},
                            {SORT_LEAST, edges, 8, &side->edge_sort_bytes}};
    return hsd_plan_share(d->room + side->reader_bytes - side->id_serve_bytes, join, 2);
}

/* What ids and ordinals probably take: a byte an object where the heap is packed, and up to four. */
static uint64_t probable_ordinals(const divider *d)
{
    return hsd_min_u64(4 * d->c->objects + MIB(1), hsd_plan_ordinals(d->c).useful);
}

/* Blocks are built as large as they are walked, unless the references that are merged into them need the room, or ids
 * do: what saves sorting all references is worth more than some blocks that do not go to the file. */
static bool divide_building(const divider *d)
{
    hsd_plan_side *side = d->side;
    const uint64_t least = hsd_plan_adjacency(d->c).least;
    const uint64_t room = beside(d->walk, side->bits_bytes + side->id_serve_bytes + side->name_bytes);
    const uint64_t edges = hsd_plan_serve_useful(d->c->references, hsd_plan_edge_words(d->c), side->edge_sort_bytes);
    const uint64_t merge = hsd_max_u64(hsd_min_u64(edges, room / 4), hsd_min_u64(edges, SERVE_LEAST));
    uint64_t build = hsd_min_u64(side->adjacency_bytes, beside(room, merge));
    if (!hsd_plan_has_join(d->c)) build = hsd_min_u64(build, beside(d->room, side->name_bytes + side->id_sort_bytes));
    if (hsd_plan_has_join(d->c)) {
        const uint64_t ids = d->c->has_structure ? side->id_sort_bytes : 0;
        const uint64_t both = beside(d->room, ids + side->name_bytes);
        if (!d->is_resident) build = hsd_min_u64(build, hsd_max_u64(least, beside(both, probable_ordinals(d))));
        side->ordinal_bytes = hsd_min_u64(beside(both, build), hsd_plan_ordinals(d->c).useful);
        if (side->ordinal_bytes < hsd_plan_ordinals(d->c).least) side->ordinal_bytes = 0;
    }
    side->build_bytes = build;
    side->edge_serve_bytes = hsd_min_u64(edges, beside(room, build));
    return build >= (d->is_resident ? side->adjacency_bytes : least);
}

/* ---- walking and counting */

/* Labels are touched at random while they are found and read in order when objects are counted: then, if they are
 * many, they leave their memory to what is sorted. */
static void begin_labels(const divider *d)
{
    hsd_plan_side *side = d->side;
    const hsd_plan_need labels = hsd_plan_labels(d->c);
    const bool stay = d->is_resident || labels.useful <= d->room / 4;
    side->owner_serve_bytes = stay ? labels.useful : hsd_plan_label_serve(d->c);
    if (d->c->has_parts) {
        side->folded_bytes = clamp(d->room / 16, SERVE_LEAST, hsd_plan_sort_useful(d->c->objects, 2));
    }
}

/* What is alive while objects are counted, beside what is sorted. */
static uint64_t beside_census(const divider *d)
{
    const hsd_plan_side *side = d->side;
    return side->owner_serve_bytes + side->owner_tell_bytes + side->folded_bytes + d->place_cap +
           side->link_serve_bytes + (d->keeps_graph ? side->idle_adjacency_bytes + side->idle_name_bytes : 0);
}

static bool divide_census(const divider *d)
{
    hsd_plan_side *side = d->side;
    const hsd_plan_capture *c = d->c;
    const unsigned tree_words = d->has_tree ? c->tree_words : 0;
    hsd_plan_slot census[] = {
        {SORT_LEAST, hsd_plan_sort_useful(c->objects, c->identity_words), 1,
         c->identity_words > 0 ? &side->identity_sort_bytes : NULL},
        {SORT_LEAST, hsd_plan_sort_useful(c->objects, tree_words), 1, d->has_tree ? &side->tree_sort_bytes : NULL},
        {0, hsd_plan_partners(c), 1, c->has_structure ? &side->partner_bytes : NULL}};
    const uint64_t used = beside_census(d);
    if (d->room < used || !hsd_plan_share(d->room - used, census, HSD_ARRAY_LEN(census))) return false;
    if (!d->has_tree) {
        side->identity_serve_bytes = hsd_plan_serve_useful(c->objects, c->identity_words, side->identity_sort_bytes);
        return true;
    }
    if (c->identity_words > 0) {
        side->identity_serve_bytes = long_serve(d, c->objects, c->identity_words, side->identity_sort_bytes);
    }
    side->tree_serve_bytes = long_serve(d, c->objects, tree_words, side->tree_sort_bytes);
    return true;
}

/* The most that blocks may have where the graph stays: what comes at the end must fit beside it, and paths, which
 * touch at random too, are left a quarter of all. */
static uint64_t most_blocks(const divider *d)
{
    const hsd_plan_side *side = d->side;
    if (!d->keeps_graph) return d->walk;
    const hsd_plan_need paths = hsd_plan_paths(d->c), blocks = hsd_plan_adjacency(d->c);
    const uint64_t room = beside(d->walk, side->identity_serve_bytes + side->tree_serve_bytes + side->kept_bytes +
                                              side->type_bytes + side->name_bytes + d->end_bytes);
    const uint64_t most = beside(room, paths.least);
    if (d->is_resident) return most;
    return hsd_min_u64(most, hsd_max_u64(blocks.least, beside(room, clamp(d->walk / 4, paths.least, paths.useful))));
}

/* Ids that wait until objects are brought into their order. */
static uint64_t held_ids(const divider *d) { return d->c->has_structure ? d->side->id_serve_bytes : 0; }

/* What objects look like is found beside the blocks. */
static bool divide_structure(const divider *d)
{
    hsd_plan_side *side = d->side;
    if (!d->c->has_structure) return true;
    const hsd_plan_need need = hsd_plan_structure(d->c);
    const uint64_t fixed = side->bits_bytes + side->folded_bytes + side->idle_name_bytes + side->id_serve_bytes;
    const uint64_t most = beside(d->walk, fixed + need.least);
    if (most < hsd_plan_adjacency(d->c).least) return false;
    side->adjacency_bytes = hsd_min_u64(side->adjacency_bytes, most);
    side->structure_bytes = hsd_min_u64(need.useful, beside(d->walk, fixed + side->adjacency_bytes));
    return side->structure_bytes >= need.least;
}

/* Parts find their labels where owners will; then objects are read, beside blocks that stay as they are. */
static bool divide_parts(const divider *d)
{
    hsd_plan_side *side = d->side;
    const uint64_t ids = held_ids(d);
    if (!d->c->has_parts) return true;
    const uint64_t most = beside(d->room, side->owner_serve_bytes + side->folded_bytes + side->idle_name_bytes + ids);
    const uint64_t least = hsd_plan_adjacency(d->c).least;
    if (most < least) return false;
    side->adjacency_bytes = hsd_min_u64(side->adjacency_bytes, most);
    const uint64_t room = beside(d->walk, side->bits_bytes + side->adjacency_bytes + side->idle_name_bytes + ids);
    side->part_bytes = hsd_min_u64(hsd_plan_labels(d->c).useful, room);
    return true;
}

/* What is alive while owners are told by the tree, beside their labels. */
static uint64_t beside_told(const divider *d)
{
    const hsd_plan_side *side = d->side;
    return side->bits_bytes + side->folded_bytes + side->place_link_bytes + side->link_serve_bytes +
           side->idle_adjacency_bytes + side->idle_name_bytes;
}

static bool divide_walking(const divider *d)
{
    hsd_plan_side *side = d->side;
    if (hsd_plan_has_blocks(d->c)) begin_labels(d);
    if (!divide_census(d)) return false;
    if (!hsd_plan_has_blocks(d->c)) return true;
    const hsd_plan_need labels = hsd_plan_labels(d->c), blocks = hsd_plan_adjacency(d->c);
    const uint64_t told = beside(d->walk, beside_told(d));
    const uint64_t most = hsd_min_u64(blocks.useful, most_blocks(d));
    hsd_plan_slot walk[] = {{labels.least, labels.useful, 3, &side->owner_bytes},
                            {blocks.least, most, 1, &side->adjacency_bytes}};
    const uint64_t used = side->bits_bytes + side->folded_bytes + side->place_walk_bytes + side->link_walk_bytes;
    if (most < blocks.least) return false;
    if (!hsd_plan_share(beside(d->walk, used + side->idle_name_bytes), walk, 2) || !divide_parts(d) ||
        !divide_structure(d))
        return false;
    if (d->way >= WHOLE) side->owner_bytes = hsd_min_u64(side->owner_bytes, told);
    side->owner_serve_bytes = hsd_min_u64(side->owner_serve_bytes, side->owner_bytes);
    if (side->owner_bytes < labels.least) return false;
    if (!d->is_resident) return true;
    return side->adjacency_bytes == blocks.useful && side->owner_bytes == labels.useful;
}

/* ---- dominators */

/* What blocks, names and links have where they are not walked; what bounds the places. Before the rest. */
static bool begin_tree(divider *d)
{
    hsd_plan_side *side = d->side;
    const hsd_plan_need names = hsd_plan_names(d->c), links = hsd_plan_links(d->c), types = hsd_plan_types(d->c);
    const hsd_plan_need spans = hsd_plan_spans(d->c);
    d->place_cap = d->way >= KEPT    ? spans.useful
                   : d->way == WHOLE ? hsd_max_u64(spans.least, SERVE_LEAST)
                                     : hsd_max_u64(SERVE_LEAST, d->room / 16);
    side->place_link_bytes = d->way >= WHOLE ? spans.useful : d->place_cap;
    side->place_walk_bytes =
        d->way == KEPT ? hsd_min_u64(d->place_cap, hsd_max_u64(spans.least, SERVE_LEAST)) : d->place_cap;
    side->link_walk_bytes = d->is_resident ? links.useful : links.least;
    const bool names_stay = d->is_resident || names.useful <= d->room / NAMES_PART;
    side->idle_name_bytes = names_stay ? names.useful : names.least;
    side->name_bytes = names_stay ? names.useful : clamp(d->room / 8, names.least, names.useful);
    side->idle_adjacency_bytes = d->is_resident ? hsd_plan_adjacency(d->c).useful : hsd_plan_idle_adjacency(d->c);
    side->link_serve_bytes = d->way >= KEPT ? links.useful : links.least;
    side->kept_bytes = hsd_plan_kept(d->c, d->keeps_graph);
    if (d->tells) side->owner_tell_bytes = hsd_min_u64(d->c->objects / TOLD_PART, d->room / TOLD_ROOM);
    if (d->keeps_graph) side->type_bytes = clamp(d->room / 16, types.least, types.useful);
    return side->idle_adjacency_bytes + side->name_bytes <= d->room;
}

/* What tells owners gets of what names of references from dominators leave. */
static uint64_t owner_tree(const divider *d, uint64_t left)
{
    const hsd_plan_need need = hsd_plan_owner_tree(d->c);
    return left >= need.least ? hsd_min_u64(left, need.useful) : 0;
}

/* While names of references are found: in order, so that names have what is left to them where links are whole. */
static bool divide_links(const divider *d)
{
    hsd_plan_side *side = d->side;
    const hsd_plan_need links = hsd_plan_links(d->c), names = hsd_plan_names(d->c);
    const uint64_t used = side->bits_bytes + side->folded_bytes + side->owner_tell_bytes + side->place_link_bytes +
                          side->idle_adjacency_bytes;
    const uint64_t left = beside(d->walk, used);
    if (d->way == PAGED) {
        side->link_bytes = hsd_min_u64(links.useful, beside(left, side->name_bytes));
        return side->link_bytes >= links.least;
    }
    side->link_bytes = links.useful;
    if (left < links.useful + names.least) return false;
    side->owner_tree_bytes = owner_tree(d, left - links.useful - hsd_min_u64(left - links.useful, side->name_bytes));
    side->name_bytes = hsd_min_u64(side->name_bytes, left - links.useful - side->owner_tree_bytes);
    return side->name_bytes >= side->idle_name_bytes;
}

/* In arrays, places have one of their own from the first to the last; else they are sorted. */
static bool divide_tree(const divider *d)
{
    hsd_plan_side *side = d->side;
    const hsd_plan_need dominators = hsd_plan_dominators(d->c);
    const uint64_t told = hsd_plan_told_places(d->c), sorted = hsd_plan_sort_useful(d->c->objects, PLACE_WORDS);
    hsd_plan_slot find[] = {
        {dominators.least, dominators.useful, 7, &side->dominator_bytes},
        {d->way >= WHOLE ? told : SORT_LEAST, d->way >= WHOLE ? told : sorted, 1, &side->place_sort_bytes}};
    const uint64_t room =
        beside(d->walk, side->bits_bytes + side->folded_bytes + side->owner_tell_bytes + side->idle_name_bytes);
    if (d->is_resident && room >= hsd_plan_dominator_walk(d->c) + told + side->owner_bytes) side->has_room_ahead = true;
    if (d->way >= WHOLE && d->walk >= AHEAD_ENOUGH) side->has_room_ahead = true;
    if (!hsd_plan_share(room, find, 2)) return false;
    side->early_bytes = side->place_sort_bytes;
    const uint64_t serve = hsd_plan_serve_useful(d->c->objects, PLACE_WORDS, side->place_sort_bytes);
    side->place_serve_bytes = d->way >= WHOLE ? d->place_cap : hsd_min_u64(serve, d->place_cap);
    if (d->way == PAGED) side->place_link_bytes = side->place_walk_bytes = side->place_serve_bytes;
    return divide_links(d);
}

/* ---- the whole */

/* What is alive all along where objects are recognised by structure. */
static bool reserve_structure(divider *d)
{
    const hsd_plan_need strings = hsd_plan_strings(d->c);
    hsd_plan_side *side = d->side;
    side->structure_serve_bytes = hsd_plan_structure_serve(d->c);
    side->string_bytes = clamp(d->all / 32, strings.least, strings.useful);
    d->walk = beside(d->all, side->structure_serve_bytes + side->string_bytes);
    return d->walk > 0;
}

static bool is_little(const divider *d)
{
    const uint64_t words = d->c->identity_words + (d->has_tree ? d->c->tree_words : 0);
    return d->c->objects * words * sizeof(uint64_t) / HSD_PLAN_LITTLE >= d->all;
}

static bool divide(divider *d)
{
    hsd_plan_side *side = d->side;
    *side = (hsd_plan_side){.is_little = is_little(d),
                            .reader_bytes = HSD_PLAN_READER_BYTES + (d->is_ahead ? HSD_PLAN_AHEAD_BYTES : 0),
                            .bits_bytes = hsd_plan_bits(d->c),
                            .has_room_ahead = d->is_ahead};
    if (!reserve_structure(d)) return false;
    if (d->walk < side->reader_bytes + side->bits_bytes) return false;
    d->room = d->walk - side->reader_bytes - side->bits_bytes;
    if (hsd_plan_has_join(d->c) && !divide_reading(d)) return false;
    if (!divide_ids(d)) return false;
    if (d->has_tree && !begin_tree(d)) return false;
    if (!divide_walking(d)) return false;
    if (!hsd_plan_has_blocks(d->c)) return true;
    if (d->has_tree && !divide_tree(d)) return false;
    return hsd_plan_is_read(d->c) || (divide_edges(d) && divide_building(d));
}

bool hsd_plan_side_divide(hsd_plan_side *side, const hsd_plan_capture *c, hsd_plan_walk walk)
{
    divider d = {
        .side = side, .c = c, .all = walk.bytes, .end_bytes = walk.end_bytes, .has_tree = hsd_plan_has_tree(c)};
    d.keeps_graph = walk.end_bytes > 0 && d.has_tree;
    for (int i = d.has_tree ? RESIDENT : PAGED; i >= PAGED; i--) {
        if (!walk.has_arrays && i != RESIDENT && i != PAGED) continue;
        d.way = (way)i;
        d.is_resident = d.way == RESIDENT;
        d.place_cap = 0;
        d.is_ahead = walk.is_ahead && d.way == PAGED && d.all >= AHEAD_LEAST;
        d.tells = d.has_tree && d.way == PAGED;
        if (divide(&d)) return true;
        if (!d.tells) continue;
        d.tells = false;
        if (divide(&d)) return true;
    }
    return false;
}

static void raise(uint64_t *peak, uint64_t sum) { *peak = hsd_max_u64(*peak, sum); }

uint64_t hsd_plan_side_waits(const hsd_plan_side *s, bool keeps_graph)
{
    const uint64_t labels[] = {s->owner_serve_bytes, s->place_serve_bytes, s->link_serve_bytes},
                   blocks[] = {s->idle_adjacency_bytes, s->idle_name_bytes};
    uint64_t waits = s->bits_bytes + s->folded_bytes + s->structure_serve_bytes + s->owner_tell_bytes;
    for (size_t i = 0; i < HSD_ARRAY_LEN(labels); i++)
        waits += hsd_plan_waiting(s, labels[i]);
    for (size_t i = 0; i < HSD_ARRAY_LEN(blocks) && keeps_graph; i++)
        waits += hsd_plan_waiting(s, blocks[i]);
    return waits;
}

uint64_t hsd_plan_side_peak(const hsd_plan_side *s, const hsd_plan_capture *c, bool keeps_graph)
{
    const uint64_t idle = keeps_graph ? s->idle_adjacency_bytes + s->idle_name_bytes : 0;
    const uint64_t placed = s->place_serve_bytes + s->link_serve_bytes + s->folded_bytes;
    uint64_t peak = 0;
    if (hsd_plan_has_join(c)) {
        raise(&peak, s->reader_bytes + s->id_sort_bytes + s->reference_sort_bytes);
        raise(&peak, s->reader_bytes + s->id_serve_bytes + s->reference_sort_bytes + s->source_sort_bytes);
        raise(&peak, s->id_serve_bytes + s->reference_sort_bytes + s->source_serve_bytes);
        raise(&peak, s->id_serve_bytes + s->reference_serve_bytes + s->edge_sort_bytes);
        const uint64_t ids = c->has_structure ? s->id_sort_bytes : 0;
        if (s->ordinal_bytes > 0)
            raise(&peak, s->reader_bytes + ids + s->ordinal_bytes + s->build_bytes + s->name_bytes);
    } else {
        raise(&peak,
              s->reader_bytes + s->id_sort_bytes + hsd_max_u64(s->build_bytes + s->name_bytes, s->edge_sort_bytes));
    }
    raise(&peak, s->id_serve_bytes + s->edge_serve_bytes + s->build_bytes + s->name_bytes);
    if (c->has_parts) {
        const uint64_t ids = c->has_structure ? s->id_serve_bytes : 0;
        raise(&peak, s->adjacency_bytes + s->idle_name_bytes + s->part_bytes + ids);
        raise(&peak,
              s->reader_bytes + s->adjacency_bytes + s->idle_name_bytes + s->owner_serve_bytes + s->folded_bytes + ids);
    }
    if (c->has_structure)
        raise(&peak,
              s->adjacency_bytes + s->idle_name_bytes + s->structure_bytes + s->folded_bytes + s->id_serve_bytes);
    raise(&peak, s->dominator_bytes + s->idle_name_bytes + s->place_sort_bytes + s->owner_tell_bytes + s->folded_bytes);
    raise(&peak, s->idle_adjacency_bytes + s->name_bytes + s->link_bytes + s->place_link_bytes + s->folded_bytes +
                     s->owner_tree_bytes + s->owner_tell_bytes);
    if (s->owner_tree_bytes > 0)
        raise(&peak, s->idle_adjacency_bytes + s->idle_name_bytes + s->owner_bytes + s->place_link_bytes +
                         s->link_serve_bytes + s->folded_bytes);
    raise(&peak, s->adjacency_bytes + s->idle_name_bytes + s->owner_bytes + s->place_walk_bytes + s->link_walk_bytes +
                     s->folded_bytes);
    raise(&peak, s->reader_bytes + s->owner_serve_bytes + s->owner_tell_bytes + placed + s->identity_sort_bytes +
                     s->tree_sort_bytes + s->partner_bytes + idle);
    return peak + s->bits_bytes + s->structure_serve_bytes + s->string_bytes;
}

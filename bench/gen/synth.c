/*
 * The generator behind synth.h. Objects are numbered group by group: first the skeleton of a group, then its leaves. An
 * object's number gives its id in both captures (but where identity is moving), a hash of it all its other facts.
 */
#include "gen/synth.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUANTILES = 1 << 14, FAN = 4, COMB_TOOTH = 8, LAYER = 16, MOST_TYPES = 4096, RANK_STEP = 512 };

typedef struct count {
    uint64_t objects, bytes;
} count;

/* What is told of a type, a root, everything. */
typedef struct tally {
    count before, after, fresh, freed;
} tally;

typedef struct group {
    uint64_t first;                   /* number of its first object */
    uint64_t skeleton, leaves, added; /* added: leaves of the second capture alone */
} group;

struct hsd_synth {
    hsd_synth_options options;
    group *groups; /* roots, then shared, then unreached */
    unsigned group_count;
    uint64_t numbers; /* objects of both captures together */
    uint32_t type_at[QUANTILES];
    tally *types, *owners, total;
    count kept, unreached_before, unreached_after;
    uint64_t resized_bytes;
    unsigned permutation_bits;
    uint64_t *alive; /* of the capture being written, for ordinals */
    uint64_t *rank;
};

/* ---- facts from numbers ---- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t draw(const hsd_synth *s, uint64_t number, uint64_t purpose)
{
    return mix(mix(s->options.seed * UINT64_C(0x9E3779B97F4A7C15) + purpose) ^ number * UINT64_C(0xD1342543DE82EF95));
}

static bool one_of(uint64_t random, double percent) { return (double)(random >> 11) * 0x1p-53 * 100 < percent; }

/* An object of a group: its number, and where it stands in the group. */
typedef struct place {
    const group *group;
    uint64_t number, index; /* index < skeleton: skeleton; else leaf index - skeleton */
} place;

static place place_of(const hsd_synth *s, uint64_t number)
{
    unsigned low = 0, high = s->group_count;
    while (high - low > 1) {
        const unsigned middle = low + (high - low) / 2;
        if (s->groups[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    return (place){&s->groups[low], number, number - s->groups[low].first};
}

static uint64_t group_objects(const group *g) { return g->skeleton + g->leaves + g->added; }

static bool is_new(const place *p) { return p->index >= p->group->skeleton + p->group->leaves; }

static bool is_freed(const hsd_synth *s, const place *p)
{
    return p->index >= p->group->skeleton && !is_new(p) && one_of(draw(s, p->number, 1), s->options.churn);
}

static bool is_alive(const hsd_synth *s, const place *p, bool is_after)
{
    return is_after ? !is_freed(s, p) : !is_new(p);
}

static uint32_t type_of(const hsd_synth *s, const place *p)
{
    const bool is_leaf_of_first = p->group == s->groups && p->index >= p->group->skeleton;
    /* the leak */
    if (is_leaf_of_first && one_of(draw(s, p->number, 2), is_new(p) ? 90 : 3)) return s->options.types;
    return s->type_at[draw(s, p->number, 3) % QUANTILES];
}

static uint64_t size_of(const hsd_synth *s, const place *p, uint32_t type, bool is_after)
{
    const uint64_t size = 16 + 8 * (mix(type + 77) % 24);
    const bool grows =
        is_after && p->index >= p->group->skeleton && !is_new(p) && one_of(draw(s, p->number, 4), s->options.resized);
    return size + (grows ? 8 : 0);
}

static uint64_t id_of(const hsd_synth *s, uint64_t number, bool is_after)
{
    if (s->options.identity == HSC_IDENTITY_EXACT) return 2 * number + 1;
    const uint64_t moved = s->options.identity == HSC_IDENTITY_MOVING && is_after ? UINT64_C(0x100000040) : 0;
    return UINT64_C(0x7F0000000000) + 48 * number + moved;
}

/* ---- the model ---- */

void hsd_synth_options_init(hsd_synth_options *options)
{
    *options = (hsd_synth_options){.objects = 100000,
                                   .references = 3,
                                   .types = 200,
                                   .skew = 1.1,
                                   .churn = 5,
                                   .growth = 10,
                                   .skeleton = 12,
                                   .shared = 5,
                                   .unreached = 2,
                                   .resized = 1,
                                   .roots = 50,
                                   .seed = 1,
                                   .identity = HSC_IDENTITY_ADDRESS,
                                   .compression = 1};
}

/* Types by a power law: type k has a share of 1 / (k + 1)^skew. */
static void fill_types(hsd_synth *s)
{
    double sum = 0, reached = 0;
    for (unsigned k = 0; k < s->options.types; k++)
        sum += pow(k + 1, -s->options.skew);
    unsigned at = 0;
    for (unsigned k = 0; k < s->options.types; k++) {
        reached += pow(k + 1, -s->options.skew) / sum;
        while (at < QUANTILES && at < reached * QUANTILES)
            s->type_at[at++] = k;
    }
    while (at < QUANTILES)
        s->type_at[at++] = s->options.types - 1;
}

static uint64_t share(uint64_t whole, double percent) { return (uint64_t)((double)whole * percent / 100); }

/* Objects for the groups: the shared and the unreached their percentages, the roots the rest by 1 / (rank + 1). */
static void fill_groups(hsd_synth *s)
{
    const hsd_synth_options *o = &s->options;
    const uint64_t shared = share(o->objects, o->shared), unreached = share(o->objects, o->unreached);
    const uint64_t owned = o->objects - shared - unreached;
    double sum = 0;
    for (unsigned i = 0; i < o->roots; i++)
        sum += 1 / (double)(i + 1);
    for (unsigned i = 0; i < s->group_count; i++) {
        group *g = &s->groups[i];
        uint64_t objects = i == o->roots ? shared : i > o->roots ? unreached : share(owned, 100 / (sum * (i + 1)));
        if (objects == 0) objects = 1;
        g->skeleton = share(objects, o->skeleton) + 1;
        if (g->skeleton > objects) g->skeleton = objects;
        g->leaves = objects - g->skeleton;
        g->added = share(g->leaves, o->churn);
    }
    s->groups[0].added += share(o->objects, o->growth * 0.8); /* the leak */
    for (unsigned i = 0; i < o->roots; i++)
        s->groups[i].added += share(s->groups[i].leaves, o->growth * 0.2);
    for (unsigned i = 0; i < s->group_count; i++) {
        s->groups[i].first = s->numbers;
        s->numbers += group_objects(&s->groups[i]);
    }
}

hsd_synth *hsd_synth_new(const hsd_synth_options *options)
{
    if (options->objects < 16 || options->types == 0 || options->types > MOST_TYPES || options->roots < 2 ||
        options->roots > options->objects / 4 || options->shared + options->unreached > 90 ||
        (unsigned)options->shape >= HSD_SYNTH_SHAPE_COUNT || (options->is_shuffled && options->targets_are_ordinals))
        return NULL;
    hsd_synth *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->options = *options;
    s->group_count = options->roots + 2;
    s->groups = calloc(s->group_count, sizeof *s->groups);
    s->owners = calloc(s->group_count, sizeof *s->owners);
    s->types = calloc(MOST_TYPES + 1, sizeof *s->types);
    if (s->groups == NULL || s->owners == NULL || s->types == NULL) {
        hsd_synth_free(s);
        return NULL;
    }
    fill_types(s);
    fill_groups(s);
    while ((UINT64_C(1) << s->permutation_bits) < s->numbers)
        s->permutation_bits += 2;
    return s;
}

void hsd_synth_free(hsd_synth *s)
{
    if (s == NULL) return;
    free(s->groups);
    free(s->owners);
    free(s->types);
    free(s->alive);
    free(s->rank);
    free(s);
}

/* ---- order and ordinals ---- */

/* A permutation of the numbers: four Feistel rounds over the next power of four, walked until inside. */
static uint64_t permuted(const hsd_synth *s, uint64_t number)
{
    const unsigned half = s->permutation_bits / 2;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = number >> half, right = number & mask;
        for (uint64_t round = 0; round < 4; round++) {
            const uint64_t next = left ^ (draw(s, right, 100 + round) & mask);
            left = right;
            right = next;
        }
        number = left << half | right;
    } while (number >= s->numbers);
    return number;
}

/* One bit an object, and how many are alive before each stretch of RANK_STEP. */
static bool number_objects(hsd_synth *s, bool is_after)
{
    const size_t words = (size_t)(s->numbers / 64 + 1), steps = (size_t)(s->numbers / RANK_STEP + 2);
    free(s->alive);
    free(s->rank);
    s->alive = calloc(words, sizeof *s->alive);
    s->rank = calloc(steps, sizeof *s->rank);
    if (s->alive == NULL || s->rank == NULL) return false;
    uint64_t ordinal = 0;
    for (uint64_t n = 0; n < s->numbers; n++) {
        if (n % RANK_STEP == 0) s->rank[n / RANK_STEP] = ordinal;
        const place p = place_of(s, n);
        if (!is_alive(s, &p, is_after)) continue;
        s->alive[n / 64] |= UINT64_C(1) << n % 64;
        ordinal++;
    }
    return true;
}

static uint64_t ordinal_of(const hsd_synth *s, uint64_t number)
{
    uint64_t ordinal = s->rank[number / RANK_STEP];
    for (uint64_t word = number / RANK_STEP * (RANK_STEP / 64); word < number / 64; word++)
        ordinal += (uint64_t)__builtin_popcountll(s->alive[word]);
    return ordinal + (uint64_t)__builtin_popcountll(s->alive[number / 64] & ((UINT64_C(1) << number % 64) - 1));
}

/* ---- writing ---- */

typedef struct pass {
    hsd_synth *synth;
    hsc_writer *writer;
    bool is_after;
} pass;

static uint64_t target_of(const pass *p, uint64_t number)
{
    return p->synth->options.targets_are_ordinals ? ordinal_of(p->synth, number) : id_of(p->synth, number, p->is_after);
}

enum { LABEL_NEXT = 1, LABEL_LEAF = 2, LABEL_OTHER = 3, OTHER_LABELS = 29 };

static void refer(const pass *p, const group *g, uint64_t index, uint32_t label, uint64_t element)
{
    const place to = {g, g->first + index, index};
    if (index < group_objects(g) && is_alive(p->synth, &to, p->is_after))
        hsc_reference(p->writer, target_of(p, to.number), label, element);
}

static void refer_run(const pass *p, const group *g, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to && i < g->skeleton; i++)
        refer(p, g, i, LABEL_NEXT, i - from);
}

static void refer_to_skeleton(const pass *p, const group *g, uint64_t i)
{
    switch (p->synth->options.shape) {
    case HSD_SYNTH_LIST: refer_run(p, g, i + 1, i + 2); break;
    case HSD_SYNTH_STAR: refer_run(p, g, i == 0 ? 1 : g->skeleton, g->skeleton); break;
    case HSD_SYNTH_CYCLE: refer_run(p, g, (i + 1) % g->skeleton, (i + 1) % g->skeleton + 1); break;
    case HSD_SYNTH_COMB:
        if (i % COMB_TOOTH == 0) refer_run(p, g, i + COMB_TOOTH, i + COMB_TOOTH + 1);
        if ((i + 1) % COMB_TOOTH != 0) refer_run(p, g, i + 1, i + 2);
        break;
    case HSD_SYNTH_LAYERS: /* the first object stands alone before the layers */
        refer_run(p, g, i == 0 ? 1 : ((i - 1) / LAYER + 1) * LAYER + 1,
                  i == 0 ? LAYER + 1 : ((i - 1) / LAYER + 2) * LAYER + 1);
        break;
    case HSD_SYNTH_TREE:
    case HSD_SYNTH_SHAPE_COUNT:
    default: refer_run(p, g, FAN * i + 1, FAN * i + FAN + 1); break;
    }
}

static void refer_from(const pass *p, const place *at)
{
    const group *g = at->group;
    const hsd_synth *s = p->synth;
    if (at->index < g->skeleton) {
        refer_to_skeleton(p, g, at->index);
        for (uint64_t leaf = at->index, n = 0; leaf < g->leaves + g->added; leaf += g->skeleton, n++)
            refer(p, g, g->skeleton + leaf, LABEL_LEAF, n);
        return;
    }
    const double wanted = (double)(draw(s, at->number, 5) >> 11) * 0x1p-53 * 2 * s->options.references + 0.5;
    for (uint64_t k = 0; k < (uint64_t)wanted; k++) {
        const uint64_t random = draw(s, at->number, 1000 + k);
        /* Mostly near, as allocators and collectors leave it. */
        const uint64_t reach = (random & 7) != 0 ? 512 : group_objects(g);
        const uint64_t index = (at->index + reach + (random >> 3) % reach - reach / 2) % group_objects(g);
        refer(p, g, index, LABEL_OTHER + (uint32_t)(type_of(s, at) + k) % OTHER_LABELS, 0);
    }
}

static void add(count *c, uint64_t bytes)
{
    c->objects++;
    c->bytes += bytes;
}

static void tally_object(tally *t, const hsd_synth *s, const place *at, uint64_t bytes, bool is_after)
{
    add(is_after ? &t->after : &t->before, bytes);
    if (is_after && is_new(at)) add(&t->fresh, bytes);
    if (!is_after && is_freed(s, at)) add(&t->freed, bytes);
}

static void count_object(hsd_synth *s, const place *at, uint32_t type, uint64_t bytes, bool is_after)
{
    const size_t owner = (size_t)(at->group - s->groups);
    if (owner == s->options.roots + 1) { /* the group that no root reaches */
        add(is_after ? &s->unreached_after : &s->unreached_before, bytes);
        return;
    }
    tally_object(&s->total, s, at, bytes, is_after);
    tally_object(&s->types[type], s, at, bytes, is_after);
    tally_object(&s->owners[owner], s, at, bytes, is_after);
    if (!is_after || is_new(at)) return;
    add(&s->kept, bytes);
    s->resized_bytes += bytes - size_of(s, at, type, false);
}

static void write_object(const pass *p, const place *at)
{
    hsd_synth *s = p->synth;
    const uint32_t type = type_of(s, at);
    const uint64_t bytes = size_of(s, at, type, p->is_after);
    hsc_begin_object(p->writer,
                     &(hsc_object){.id = id_of(s, at->number, p->is_after), .type = type + 1, .size_bytes = bytes});
    refer_from(p, at);
    hsc_end_object(p->writer);
    count_object(s, at, type, bytes, p->is_after);
}

static void write_objects(const pass *p)
{
    hsd_synth *s = p->synth;
    unsigned at_group = 0;
    for (uint64_t n = 0; n < s->numbers; n++) {
        place at;
        if (s->options.is_shuffled) {
            at = place_of(s, permuted(s, n));
        } else {
            while (at_group + 1 < s->group_count && s->groups[at_group + 1].first <= n)
                at_group++;
            at = (place){&s->groups[at_group], n, n - s->groups[at_group].first};
        }
        if (is_alive(s, &at, p->is_after)) write_object(p, &at);
    }
}

static int root_name(char *name, size_t room, const hsd_synth *s, unsigned i)
{
    return i == s->options.roots ? snprintf(name, room, "(shared)")
                                 : snprintf(name, room, i == 0 ? "synth.Leak.items" : "synth.Root%u.items", i);
}

static int type_name(char *name, size_t room, const hsd_synth *s, unsigned i)
{
    return i == s->options.types ? snprintf(name, room, "synth.Leaked") : snprintf(name, room, "synth.Type%u", i);
}

static void write_tables(const pass *p)
{
    static const char *const labels[] = {"next", "leaf"};
    hsd_synth *s = p->synth;
    char name[64];
    for (unsigned i = 0; i <= s->options.types; i++)
        hsc_define_type(p->writer, i + 1, name, (size_t)type_name(name, sizeof name, s, i), 0);
    for (uint32_t i = 0; i < LABEL_OTHER - 1 + OTHER_LABELS; i++) {
        const int size =
            i < 2 ? snprintf(name, sizeof name, "%s", labels[i]) : snprintf(name, sizeof name, "field%u", i);
        hsc_define_string(p->writer, i + 1, name, (size_t)size);
        hsc_define_label(p->writer, i + 1, i < 2 ? HSC_LABEL_ELEMENT : HSC_LABEL_FIELD, 0, i < 2 ? 0 : i + 1);
    }
    for (unsigned i = 0; i < s->options.roots; i++) {
        hsc_define_string(p->writer, 1000 + i, name, (size_t)root_name(name, sizeof name, s, i));
        hsc_root_record root = {.kind = HSC_ROOT_STATIC, .label = 1000 + i, .target = target_of(p, s->groups[i].first)};
        hsc_root(p->writer, &root);
        root.target = target_of(p, s->groups[s->options.roots].first); /* two roots reach the shared group */
        if (i < 2) hsc_root(p->writer, &root);
    }
}

hsc_status hsd_synth_write(hsd_synth *s, bool is_after, const char *path)
{
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "hsd_synth";
    options.runtime = "synthetic";
    options.process_name = "synth";
    options.pid = 1;
    options.taken_unix_ns = UINT64_C(1700000000000000000) + is_after * UINT64_C(3600000000000);
    options.facts = HSC_FACT_COLLECTED;
    options.identity = s->options.identity;
    options.pointer_bytes = 8;
    options.compression = s->options.compression;
    options.memory_bytes = s->options.memory_bytes;
    options.targets_are_ordinals = s->options.targets_are_ordinals;
    const uint64_t seen[] = {draw(s, 1, 6), draw(s, 2, 6), draw(s, 3 + is_after, 6), draw(s, 5, 6)};
    memcpy(options.domain, seen, 16);
    memcpy(options.capture_id, seen + 2, 16);
    if (options.targets_are_ordinals && !number_objects(s, is_after)) return HSC_E_NOMEM;
    pass p = {s, NULL, is_after};
    hsc_status status = hsc_open_file(&p.writer, path, &options);
    if (status != HSC_OK) return status;
    write_tables(&p);
    write_objects(&p);
    status = hsc_finish(p.writer);
    if (status != HSC_OK) fprintf(stderr, "%s: %s\n", path, hsc_error_text(p.writer));
    hsc_close(p.writer);
    return status;
}

/* ---- the truth ---- */

static void print_count(FILE *out, const char *name, count c, const char *behind)
{
    fprintf(out, "\"%s\": {\"objects\": %" PRIu64 ", \"bytes\": %" PRIu64 "}%s", name, c.objects, c.bytes, behind);
}

static void print_tally(FILE *out, const char *what, const char *name, const tally *t, bool is_first)
{
    fprintf(out, "%s\n    {\"%s\": \"%s\", ", is_first ? "" : ",", what, name);
    print_count(out, "before", t->before, ", ");
    print_count(out, "after", t->after, ", ");
    print_count(out, "new", t->fresh, ", ");
    print_count(out, "freed", t->freed, "}");
}

void hsd_synth_truth(const hsd_synth *s, FILE *out)
{
    char name[64];
    fprintf(out, "{\n  \"schema\": \"hsdiff.synth/1\",\n  \"leak\": {\"type\": \"synth.Leaked\", \"root\": "
                 "\"synth.Leak.items\"},\n  \"total\": {");
    print_count(out, "before", s->total.before, ", ");
    print_count(out, "after", s->total.after, ", ");
    print_count(out, "new", s->total.fresh, ", ");
    print_count(out, "freed", s->total.freed, ", ");
    print_count(out, "kept", s->kept, ", ");
    fprintf(out, "\"resized_bytes\": %" PRIu64 "},\n  \"unreached\": {", s->resized_bytes);
    print_count(out, "before", s->unreached_before, ", ");
    print_count(out, "after", s->unreached_after, "},\n  \"types\": [");
    bool is_first = true;
    for (unsigned i = 0; i <= s->options.types; i++) {
        type_name(name, sizeof name, s, i);
        if (s->types[i].before.objects + s->types[i].after.objects == 0) continue;
        print_tally(out, "type", name, &s->types[i], is_first);
        is_first = false;
    }
    fprintf(out, "\n  ],\n  \"roots\": [");
    for (unsigned i = 0; i <= s->options.roots; i++) {
        root_name(name, sizeof name, s, i);
        print_tally(out, "root", name, &s->owners[i], i == 0);
    }
    fprintf(out, "\n  ]\n}\n");
}

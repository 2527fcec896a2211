/* Runs a program straight into two writers. See graph_program.h. */
#include "fuzz/graph_program.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hscapture/hscapture.h>

typedef struct program {
    const uint8_t *data;
    size_t size, at;
} program;

static uint8_t next_byte(program *p) { return p->at < p->size ? p->data[p->at++] : 0; }

static uint16_t next_pair(program *p)
{
    const uint8_t low = next_byte(p);
    return (uint16_t)(low | next_byte(p) << 8);
}

typedef struct written {
    uint8_t *bytes;
    size_t size, capacity;
} written;

typedef struct side {
    hsc_writer *w;
    written file;
    graph_truth *truth;
    const uint8_t *labels; /* in the head */
    bool by_ordinal, tables_last, is_moved, is_in_object;
    uint32_t object_count;
} side;

/* Nothing that a program can say is refused. */
static void give_up(const char *why)
{
    fprintf(stderr, "the writer refused: %s\n", why);
    abort();
}

static ptrdiff_t take(void *context, const void *data, size_t size)
{
    written *file = context;
    if (file->capacity - file->size < size) {
        file->capacity = 2 * (file->size + size);
        uint8_t *bigger = realloc(file->bytes, file->capacity);
        if (bigger == NULL) exit(2);
        file->bytes = bigger;
    }
    memcpy(file->bytes + file->size, data, size);
    file->size += size;
    return (ptrdiff_t)size;
}

static void open_side(side *s, program *p, uint8_t id)
{
    const uint8_t form = next_byte(p), facts = next_byte(p);
    hsc_options options;
    hsc_options_init(&options);
    options.producer = "fuzz";
    options.taken_unix_ns = 1;
    options.capture_id[0] = id;
    options.domain[0] = (form & GRAPH_HAS_DOMAIN) != 0;
    options.identity = (hsc_identity)(form >> 4 & 3);
    options.compression = (form & GRAPH_COMPRESSED) != 0;
    options.facts = facts >= GRAPH_FACTS_FROM ? facts & 0x3Fu & ~HSC_FACT_VALUES : 0;
    options.memory_bytes = 64 << 10;
    options.targets_are_ordinals = s->by_ordinal = s->truth->by_ordinal = (form & GRAPH_BY_ORDINAL) != 0;
    s->tables_last = (form & GRAPH_TABLES_LAST) != 0;
    s->is_moved = (form & GRAPH_IS_MOVED) != 0;
    if (hsc_open(&s->w, &(hsc_sink){.write = take, .context = &s->file}, &options) != HSC_OK)
        give_up("the writer cannot be opened");
}

static uint32_t strength_of(const uint8_t *label) { return label[1] % 4u % 3u; }

/* Types share names and labels share kinds: as the head says, the same on both sides. */
static void write_tables(side *s, const uint8_t *head)
{
    char name[8] = "N0";
    for (uint32_t i = 1; i <= GRAPH_NAMES; i++) {
        name[1] = (char)('0' + i);
        hsc_define_string(s->w, i, name, 2);
    }
    name[0] = 'T';
    for (uint32_t i = 1; i <= GRAPH_TYPES; i++, head += 2) {
        name[1] = (char)('0' + head[1] % GRAPH_TYPES);
        hsc_define_type(s->w, i, name, 2, head[0] & (HSC_TYPE_INTERNAL | HSC_TYPE_PART | HSC_TYPE_CODE));
    }
    for (uint32_t i = 1; i <= GRAPH_LABELS; i++, head += 3) {
        const uint32_t flags = head[1] & (HSC_LABEL_NAMED_ROOT | HSC_LABEL_FOLD);
        hsc_define_label(s->w, i, (hsc_label_kind)(head[0] % 8), flags | strength_of(head),
                         head[2] % (GRAPH_NAMES + 1u));
    }
}

/* Both ends of the ids there are. */
static uint64_t id_of(const side *s, uint16_t value)
{
    if (value >= 0xFFF0) return UINT64_MAX - (0xFFFFu - value);
    return (uint64_t)(s->is_moved ? value * 40503u & 0xFFFFu : value) * 16;
}

/* Ordinals are small numbers, and the last ones. */
static uint64_t number_of(const side *s, uint16_t value)
{
    return s->by_ordinal && value < 0xFFF0 ? value : id_of(s, value);
}

static uint64_t size_of(uint16_t value)
{
    if (value < 0xFF00) return value;
    return value == 0xFFFF ? UINT64_MAX : (UINT64_C(1) << (value % 64)) - (value / 64 % 2);
}

static void end_object(side *s)
{
    if (s->is_in_object) hsc_end_object(s->w);
    s->is_in_object = false;
}

static bool begin_object(side *s, uint64_t id, uint16_t size, uint8_t type, uint8_t marks)
{
    static const uint32_t flags[] = {0, HSC_OBJECT_PSEUDO, HSC_OBJECT_DETACHED, HSC_OBJECT_CUT};
    end_object(s);
    if (s->object_count == TRUTH_MAX_OBJECTS) return false;
    const hsc_object object = {.id = id,
                               .size_bytes = size_of(size),
                               .type = type % (GRAPH_TYPES + 4u),
                               .flags = flags[marks % 4],
                               .name = (marks >> 2) % (GRAPH_NAMES + 2u),
                               .native_bytes = marks >> 7,
                               .content = type / 64u};
    s->is_in_object = hsc_begin_object(s->w, &object) == HSC_OK;
    s->object_count += s->is_in_object;
    if (s->is_in_object) graph_truth_object(s->truth, id, (object.flags & HSC_OBJECT_PSEUDO) != 0);
    return s->is_in_object;
}

static uint32_t label_of(unsigned value) { return value % (GRAPH_LABELS + 3u); }

static bool is_weak(const side *s, uint32_t label)
{
    return label >= 1 && label <= GRAPH_LABELS && strength_of(s->labels + 3 * (label - 1)) == HSC_STRENGTH_WEAK;
}

static void refer(side *s, uint64_t target, unsigned label, uint64_t index)
{
    const truth_link link = {.source = s->object_count - 1, .target = target, .source_is_ordinal = true};
    if (!s->is_in_object) return;
    hsc_reference(s->w, target, label_of(label), index);
    if (!is_weak(s, label_of(label))) graph_truth_link(s->truth, link);
}

static void put_edge(side *s, uint64_t source, uint64_t target, unsigned label, uint64_t index)
{
    end_object(s);
    hsc_edge(s->w, source, target, label_of(label), index);
    if (!is_weak(s, label_of(label))) graph_truth_link(s->truth, (truth_link){.source = source, .target = target});
}

static void put_root(side *s, uint64_t target, unsigned name, unsigned kind, unsigned flags)
{
    hsc_root(s->w, &(hsc_root_record){.kind = (hsc_root_kind)(kind % HSC_ROOT_KIND_COUNT),
                                      .target = target,
                                      .label = name % (GRAPH_NAMES + 2u),
                                      .flags = flags & HSC_ROOT_SECONDARY});
    graph_truth_link(s->truth, (truth_link){.target = target, .is_root = true});
}

static void write_chain(side *s, uint16_t first, uint16_t label, uint8_t type, uint8_t count)
{
    const uint64_t begin = s->by_ordinal ? s->object_count : number_of(s, first);
    const uint64_t step = s->by_ordinal ? 1 : 16;
    for (uint64_t i = 0; i < count; i++) {
        if (!begin_object(s, number_of(s, first) + i * 16, (uint16_t)(16 + i), type, 0)) return;
        refer(s, i + 1 < count ? begin + (i + 1) * step : begin, label, i);
    }
}

static void write_fan(side *s, uint16_t first, uint8_t label, uint8_t count, uint64_t step)
{
    for (uint64_t i = 0; i < count; i++)
        refer(s, number_of(s, first) + i * step, label, i);
}

typedef struct step {
    uint8_t what, c, d;
    uint16_t a, b;
} step;

/* A field at a time: an initializer has no order. */
static step next_step(program *p)
{
    step x;
    x.what = next_byte(p);
    x.a = next_pair(p);
    x.b = next_pair(p);
    x.c = next_byte(p);
    x.d = next_byte(p);
    return x;
}

static void run_step(side *s, const step *x)
{
    switch ((graph_instruction)(x->what & 7)) {
    case GRAPH_OBJECT: begin_object(s, id_of(s, x->a), x->b, x->c, x->d); break;
    case GRAPH_REFERENCE: refer(s, number_of(s, x->a), x->c, x->d); break;
    case GRAPH_EDGE: put_edge(s, number_of(s, x->a), number_of(s, x->b), x->c, x->d); break;
    case GRAPH_ROOT: put_root(s, number_of(s, x->a), x->b, x->c, x->d); break;
    case GRAPH_CHAIN: write_chain(s, x->a, x->b, x->c, x->d); break;
    case GRAPH_FAN: write_fan(s, x->a, x->c, x->d, s->by_ordinal ? 1 : 16); break;
    case GRAPH_REPEAT: write_fan(s, x->a, x->c, x->d, 0); break;
    case GRAPH_NOTHING: break;
    }
}

static memfile finish_side(side *s, const uint8_t *head)
{
    end_object(s);
    graph_truth_tell(s->truth);
    if (s->tables_last) write_tables(s, head);
    if (hsc_finish(s->w) != HSC_OK) give_up(hsc_error_text(s->w));
    hsc_close(s->w);
    const memfile file = memfile_of(s->file.bytes, s->file.size);
    free(s->file.bytes);
    return file;
}

void graph_program_write(memfile files[2], graph_truth truths[2], const uint8_t *data, size_t size)
{
    program p = {data, size, 0};
    uint8_t head[GRAPH_HEAD - 4];
    const uint8_t *labels = head + 2 * GRAPH_TYPES;
    side sides[2] = {{.truth = &truths[0], .labels = labels}, {.truth = &truths[1], .labels = labels}};
    for (int i = 0; i < 2; i++)
        truths[i] = (graph_truth){0};
    for (uint8_t i = 0; i < 2; i++)
        open_side(&sides[i], &p, (uint8_t)(i + 1));
    for (size_t i = 0; i < sizeof head; i++)
        head[i] = next_byte(&p);
    for (int i = 0; i < 2; i++) {
        if (!sides[i].tables_last) write_tables(&sides[i], head);
    }
    while (p.at < p.size) {
        const step x = next_step(&p);
        if (!(x.what & GRAPH_ONLY_AFTER)) run_step(&sides[0], &x);
        if (!(x.what & GRAPH_ONLY_BEFORE)) run_step(&sides[1], &x);
    }
    for (int i = 0; i < 2; i++)
        files[i] = finish_side(&sides[i], head);
}

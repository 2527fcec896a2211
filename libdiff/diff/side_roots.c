/*
 * Owners: every root record becomes a seed with the number of its owner's name, every label node
 * carries the number of a name made from what it hangs from ("global" + ".sessions"). Then one walk
 * over the graph labels each object with its owner.
 *
 * Names are as many as there are distinct roots. Past HSD_MAX_ROOT_NAMES the rest share "(other roots)":
 * the sums stay exact, and the report says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "diff/side.h"
#include "graph/owners.h"
#include <hscapture/hscapture.h>

#define OTHER_ROOTS 1u
#define NAME_BYTES 512

static const char *const kind_names[HSC_ROOT_KIND_COUNT] = {
    [HSC_ROOT_UNKNOWN] = "(unknown roots)",   [HSC_ROOT_GLOBAL] = "(globals)",
    [HSC_ROOT_STATIC] = "(static fields)",    [HSC_ROOT_STACK] = "(stacks)",
    [HSC_ROOT_THREAD] = "(threads)",          [HSC_ROOT_HANDLE] = "(native handles)",
    [HSC_ROOT_CLASS] = "(classes)",           [HSC_ROOT_INTERNED] = "(interned strings)",
    [HSC_ROOT_FINALIZER] = "(finalizers)",    [HSC_ROOT_MONITOR] = "(monitors)",
    [HSC_ROOT_RUNTIME] = "(runtime)",         [HSC_ROOT_REGISTER] = "(registers)",
};

typedef struct roots {
    hsd_side_walk *side;
    hsd_texts texts;
    hsd_sorter *seeds;    /* node << 32 | owner label */
    hsd_sorter *by_id;    /* (target id, owner label), when targets are ids */
    uint32_t *node_label; /* owner label of each label node */
} roots;

/* ---- names ---- */

static hsd_status put_name(hsd_side_walk *side, const char *name, size_t size, uint32_t kind,
                           uint32_t *out, hsd_error *err)
{
    hsd_root_names *names = &side->roots;
    const hsd_bytes bytes = {(const uint8_t *)name, size};
    if (names->names.count >= HSD_MAX_ROOT_NAMES) {
        *out = hsd_names_find(&names->names, bytes);
        if (*out != HSD_NAME_NONE) return HSD_OK;
        names->is_full = true;
        *out = OTHER_ROOTS;
        return HSD_OK;
    }
    const uint32_t before = names->names.count;
    HSD_TRY(hsd_names_put(&names->names, bytes, out, err));
    if (names->names.count == before) return HSD_OK;
    if (*out >= names->kind_capacity) {
        const uint32_t wanted = names->kind_capacity == 0 ? 256 : names->kind_capacity * 2;
        HSD_TRY(hsd_side_check_tables(side, err));
        uint8_t *grown = realloc(names->kinds, wanted);
        if (grown == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for the names of roots");
        names->kinds = grown;
        names->kind_capacity = wanted;
    }
    names->kinds[*out] = (uint8_t)(kind < HSC_ROOT_KIND_COUNT ? kind : HSC_ROOT_UNKNOWN);
    return HSD_OK;
}

static hsd_status put_fixed_names(hsd_side_walk *side, hsd_error *err)
{
    static const char *const fixed[] = {"(shared)", "(other roots)"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(fixed); i++) {
        uint32_t number;
        HSD_TRY(put_name(side, fixed[i], strlen(fixed[i]), HSC_ROOT_UNKNOWN, &number, err));
    }
    return HSD_OK;
}

/* "static com.x.Cache.map", "global.sessions", "handlers[value]". */
static hsd_status name_label_node(roots *r, hsd_label_node *node, hsd_error *err)
{
    const hsd_label *label = &r->side->labels.labels[node->label];
    const hsd_bytes field = hsd_texts_get(&r->texts, label->name);
    hsd_bytes source = hsd_texts_get(&r->texts, node->source_name);
    char name[NAME_BYTES];
    if (source.size == 0) source = hsd_names_get(&r->side->type_names->names, node->source_type);
    const bool is_static = label->kind == HSC_LABEL_STATIC;
    const bool is_key = label->kind == HSC_LABEL_KEY || label->kind == HSC_LABEL_ELEMENT;
    const int length = snprintf(name, sizeof name, "%s%.*s%s%.*s%s", is_static ? "static " : "",
                                (int)hsd_min_u64(source.size, 240), (const char *)source.data,
                                is_key ? "[" : ".", (int)hsd_min_u64(field.size, 240),
                                (const char *)field.data, is_key ? "]" : "");
    const size_t size = (size_t)hsd_min_u64((uint64_t)length, sizeof name - 1);
    return put_name(r->side, name, size, is_static ? HSC_ROOT_STATIC : HSC_ROOT_GLOBAL, &node->root, err);
}

/* ---- root records ---- */

static hsd_status for_each_root(roots *r, hsd_status (*take)(roots *r, const hsd_root *root, hsd_error *err),
                                hsd_error *err)
{
    hsd_record_reader *reader;
    HSD_TRY(hsd_record_reader_open(&reader, r->side->capture, HSD_RECORD_ROOT, err));
    hsd_status status;
    for (;;) {
        hsd_record record;
        status = hsd_record_reader_next(reader, &record, err);
        if (status != HSD_OK) break;
        status = take(r, &record.root, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status want_label(roots *r, const hsd_root *root, hsd_error *err)
{
    return hsd_texts_want(&r->texts, root->label, err);
}

static hsd_status put_seed(roots *r, uint32_t node, uint32_t label, hsd_error *err)
{
    const uint64_t record = (uint64_t)node << 32 | label;
    return hsd_sorter_put(r->seeds, &record, err);
}

static hsd_status take_root(roots *r, const hsd_root *root, hsd_error *err)
{
    const uint32_t kind = root->kind < HSC_ROOT_KIND_COUNT ? root->kind : HSC_ROOT_UNKNOWN;
    hsd_bytes text = hsd_texts_get(&r->texts, root->label);
    uint32_t number;
    if (text.size == 0) text = (hsd_bytes){(const uint8_t *)kind_names[kind], strlen(kind_names[kind])};
    HSD_TRY(put_name(r->side, (const char *)text.data, text.size, kind, &number, err));
    const uint32_t label = HSD_OWNER_FIRST + number;
    if (!r->side->info->targets_are_ordinals) {
        const uint64_t record[2] = {root->target, label};
        return hsd_sorter_put(r->by_id, record, err);
    }
    if (root->target < r->side->object_count) return put_seed(r, (uint32_t)root->target, label, err);
    r->side->dangling++;
    return HSD_OK;
}

static hsd_status root_found(void *context, const uint64_t *record, uint32_t ordinal, hsd_error *err)
{
    return put_seed(context, ordinal, (uint32_t)record[1], err);
}

static hsd_status join_roots(roots *r, hsd_error *err)
{
    HSD_TRY(hsd_side_serve(r->by_id, r->side->plan.seed_serve_bytes, err));
    return hsd_join_ids(r->side->ids, r->by_id, root_found, r, &r->side->dangling, err);
}

static hsd_status next_seed(void *context, hsd_seed *out, hsd_error *err)
{
    const uint64_t *record;
    HSD_TRY(hsd_sorter_next(context, &record, err));
    out->node = (uint32_t)(*record >> 32);
    out->label = (uint32_t)*record;
    return HSD_OK;
}

/* ---- the whole ---- */

static hsd_status load_texts(roots *r, hsd_error *err)
{
    hsd_side_walk *side = r->side;
    HSD_TRY(for_each_root(r, want_label, err));
    for (uint32_t i = 0; i < side->label_node_count; i++) {
        HSD_TRY(hsd_texts_want(&r->texts, side->label_nodes[i].source_name, err));
        HSD_TRY(hsd_texts_want(&r->texts, side->labels.labels[side->label_nodes[i].label].name, err));
    }
    return hsd_texts_load(&r->texts, side->capture, err);
}

static hsd_status name_all(roots *r, hsd_error *err)
{
    hsd_side_walk *side = r->side;
    HSD_TRY(put_fixed_names(side, err));
    r->node_label = calloc((size_t)side->label_node_count + 1, sizeof *r->node_label);
    if (r->node_label == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for the names of roots");
    for (uint32_t i = 0; i < side->label_node_count; i++) {
        HSD_TRY(name_label_node(r, &side->label_nodes[i], err));
        r->node_label[i] = HSD_OWNER_FIRST + side->label_nodes[i].root;
    }
    return HSD_OK;
}

static hsd_status gather_seeds(roots *r, hsd_error *err)
{
    const uint64_t share = r->side->plan.seed_sort_bytes;
    HSD_TRY(hsd_side_sorter(r->side, 1, 1, share, &r->seeds, err));
    if (!r->side->info->targets_are_ordinals) HSD_TRY(hsd_side_sorter(r->side, 2, 2, share, &r->by_id, err));
    HSD_TRY(for_each_root(r, take_root, err));
    if (r->by_id != NULL) HSD_TRY(join_roots(r, err));
    return hsd_side_serve(r->seeds, r->side->plan.seed_serve_bytes, err);
}

static hsd_status walk(roots *r, hsd_error *err)
{
    hsd_side_walk *side = r->side;
    const hsd_owners_config config = {
        .next_seed = next_seed,
        .seed_context = r->seeds,
        .object_count = side->object_count,
        .label_of_node = r->node_label,
        .memory_bytes = side->plan.owner_bytes,
        .space = side->space,
        .reporter = side->reporter,
    };
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, side->plan.adjacency_bytes, err));
    HSD_TRY(hsd_owners_find(side->adjacency, &config, &side->owners, err));
    side->has_owners = true;
    return HSD_OK;
}

hsd_status hsd_side_owners(hsd_side_walk *side, hsd_error *err)
{
    roots r = {.side = side};
    if (!hsd_side_has_graph(side)) return put_fixed_names(side, err);
    hsd_status status = load_texts(&r, err);
    if (status == HSD_OK) status = name_all(&r, err);
    if (status == HSD_OK) status = gather_seeds(&r, err);
    hsd_texts_release(&r.texts);
    hsd_sorter_free(r.by_id);
    hsd_sorter_free(side->ids);
    side->ids = NULL;
    if (status == HSD_OK) status = walk(&r, err);
    hsd_sorter_free(r.seeds);
    free(r.node_label);
    return status;
}

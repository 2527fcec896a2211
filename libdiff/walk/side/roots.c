/*
 * Names of owners, and the nodes that stand for them behind all objects. Every label node carries a name
 * made from what it hangs from ("global" + ".sessions"); the roots of one name become one node that refers
 * to all their targets, two where some of them are secondary (FORMAT.md §7.8). Root nodes stand in the
 * order of their names, those of memory without a name last, primary ones first, of both those of stacks last, so that
 * nothing depends on the order of the records.
 *
 * Names are as many as there are distinct roots. Past HSD_MAX_ROOT_NAMES the rest share "(other roots)":
 * the sums stay exact, and the report says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "walk/side/frame_words.h"
#include "walk/side/root_records.h"
#include "walk/side/side.h"
#include <hscapture/hscapture.h>

#define OTHER_ROOTS 1u
#define NAME_BYTES  512

static const char *const kind_names[HSC_ROOT_KIND_COUNT] = {
    [HSC_ROOT_UNKNOWN] = "(unknown roots)", [HSC_ROOT_GLOBAL] = "(globals)",
    [HSC_ROOT_STATIC] = "(static fields)",  [HSC_ROOT_STACK] = "(stacks)",
    [HSC_ROOT_THREAD] = "(threads)",        [HSC_ROOT_HANDLE] = "(native handles)",
    [HSC_ROOT_CLASS] = "(classes)",         [HSC_ROOT_INTERNED] = "(interned strings)",
    [HSC_ROOT_FINALIZER] = "(finalizers)",  [HSC_ROOT_MONITOR] = "(monitors)",
    [HSC_ROOT_RUNTIME] = "(runtime)",       [HSC_ROOT_REGISTER] = "(registers)",
};

enum { PRIMARY, SECONDARY, STANDINGS };

typedef struct roots {
    hsd_side_walk *side;
    hsd_texts texts;
    hsd_root_records records;
    hsd_frame_words frame_words;
    bool has_frame_words;
    uint32_t record; /* the number of the next one */
    /* of the last record: the next one often has the same */
    uint32_t last_label, last_kind, last_name;
    bool has_last;
    /* root node of each name; 0 = none. While they are counted: 1 = there is one */
    hsd_node *node_of[STANDINGS];
    uint32_t capacity;
    hsd_root_fn take;
    void *context;
} roots;

/* ---- names ---- */

/* The least kind that is known, whatever the order of the roots. */
static uint8_t merged_kind(uint8_t old, uint32_t kind)
{
    return old == HSC_ROOT_UNKNOWN || (kind != HSC_ROOT_UNKNOWN && kind < old) ? (uint8_t)kind : old;
}

static hsd_status put_name(hsd_side_walk *side, const char *name, size_t size, uint32_t kind, uint32_t *out,
                           hsd_error *err)
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
    if (names->names.count == before) {
        names->kinds[*out] = merged_kind(names->kinds[*out], kind);
        return HSD_OK;
    }
    if (*out >= names->kind_capacity) {
        HSD_TRY(hsd_side_check_tables(side, 0, err));
        HSD_TRY(HSD_ARRAY_GROW(names->kinds, names->kind_capacity, *out + 1, 256, "the names of roots", err));
    }
    names->kinds[*out] = (uint8_t)kind;
    return HSD_OK;
}

hsd_status hsd_side_fixed_roots(hsd_side_walk *side, hsd_error *err)
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
    if (source.size == 0) source = hsd_names_get(&r->side->request->type_names->names, node->source_type);
    if ((label->flags & HSC_LABEL_WHOLE_NAME) != 0 && field.size > 0)
        return put_name(r->side, (const char *)field.data, hsd_min_u64(field.size, 240), HSC_ROOT_GLOBAL, &node->root,
                        err);
    const bool is_static = label->kind == HSC_LABEL_STATIC;
    const bool is_key = label->kind == HSC_LABEL_KEY || label->kind == HSC_LABEL_ELEMENT;
    const int length = snprintf(name, sizeof name, "%s%.*s%s%.*s%s", is_static ? "static " : "",
                                (int)hsd_min_u64(source.size, 240), (const char *)source.data, is_key ? "[" : ".",
                                (int)hsd_min_u64(field.size, 240), (const char *)field.data, is_key ? "]" : "");
    const size_t size = (size_t)hsd_min_u64((uint64_t)length, sizeof name - 1);
    return put_name(r->side, name, size, is_static ? HSC_ROOT_STATIC : HSC_ROOT_GLOBAL, &node->root, err);
}

/* ---- root records ---- */

static hsd_status want_label(void *context, const hsd_root *root, hsd_error *err)
{
    roots *r = context;
    r->has_frame_words |= hsd_root_is_frame_word(root);
    return hsd_texts_want(&r->texts, root->label, err);
}

/* Name and kind of a root record. */
static hsd_status name_root(roots *r, const hsd_root *root, uint32_t *name, hsd_error *err)
{
    const uint32_t kind = root->kind < HSC_ROOT_KIND_COUNT ? root->kind : HSC_ROOT_UNKNOWN;
    *name = r->last_name;
    if (r->has_last && r->last_label == root->label && r->last_kind == kind) return HSD_OK;
    hsd_bytes text = hsd_texts_get(&r->texts, root->label);
    if (text.size == 0) text = (hsd_bytes){(const uint8_t *)kind_names[kind], strlen(kind_names[kind])};
    HSD_TRY(put_name(r->side, (const char *)text.data, text.size, kind, name, err));
    r->last_label = root->label;
    r->last_kind = kind;
    r->last_name = *name;
    r->has_last = true;
    return HSD_OK;
}

static uint32_t standing_of(const hsd_root *root) { return root->flags & HSC_ROOT_SECONDARY ? SECONDARY : PRIMARY; }

static hsd_status grow_nodes(roots *r, uint32_t name, hsd_error *err)
{
    uint32_t capacity = r->capacity;
    for (int standing = 0; standing < STANDINGS; standing++) {
        capacity = r->capacity;
        HSD_TRY(HSD_ARRAY_GROW_ZEROED(r->node_of[standing], capacity, (uint64_t)name + 1, 256, "the names of roots",
                                      err));
    }
    r->capacity = capacity;
    return HSD_OK;
}

static hsd_status see_frame_word(void *context, const hsd_root *root, hsd_error *err)
{
    roots *r = context;
    const uint32_t record = r->record++;
    if (!hsd_root_is_frame_word(root)) return HSD_OK;
    const hsd_bytes text = hsd_texts_get(&r->texts, root->label);
    const bool is_of_variable = hsd_root_is_frame_variable((const char *)text.data, text.size);
    return hsd_frame_words_add(&r->frame_words, root, record, is_of_variable, err);
}

static hsd_status see_root(void *context, const hsd_root *root, hsd_error *err)
{
    roots *r = context;
    uint32_t name;
    if (hsd_frame_words_leave_out(&r->frame_words, r->record++)) return HSD_OK;
    HSD_TRY(name_root(r, root, &name, err));
    if (name >= r->capacity) HSD_TRY(grow_nodes(r, name, err));
    r->node_of[standing_of(root)][name] = 1;
    return HSD_OK;
}

static hsd_status tell_target(void *context, const hsd_root *root, hsd_error *err)
{
    roots *r = context;
    uint32_t name;
    if (hsd_frame_words_leave_out(&r->frame_words, r->record++)) return HSD_OK;
    HSD_TRY(name_root(r, root, &name, err));
    return r->take(r->context, r->node_of[standing_of(root)][name], root->target, err);
}

/* ---- root nodes ---- */

typedef struct named { /* a root's name, to be brought into order */
    hsd_bytes text;
    uint32_t name;
    bool is_of_library;
} named;

/* What a variable of the program leads to as well is called by that, and not by a library's. */
static int compare_named(const void *a, const void *b)
{
    const named *x = a, *y = b;
    if (x->is_of_library != y->is_of_library) return x->is_of_library ? 1 : -1;
    const size_t size = x->text.size < y->text.size ? x->text.size : y->text.size;
    const int order = size == 0 ? 0 : memcmp(x->text.data, y->text.data, size);
    return order != 0 ? order : (x->text.size > y->text.size) - (x->text.size < y->text.size);
}

/* Of a variable in a frame it is known that the program uses it; what else a conservative capture finds there may be
 * left over from calls that have returned, and lead anywhere. */
static bool is_of_stack(const roots *r, uint32_t name)
{
    const uint32_t kind = r->side->roots.kinds[name];
    const hsd_bytes text = hsd_names_get(&r->side->roots.names, name);
    if (kind != HSC_ROOT_STACK) return kind == HSC_ROOT_REGISTER;
    return !hsd_root_is_frame_variable((const char *)text.data, text.size);
}

/* All names of roots of one standing, in order: those of stacks, or the others. */
static uint32_t list_names(const roots *r, int standing, bool of_stacks, named *list)
{
    const hsd_names *names = &r->side->roots.names;
    uint32_t count = 0;
    for (uint32_t i = 0; i < names->count && i < r->capacity; i++) {
        if (r->node_of[standing][i] == 0 || is_of_stack(r, i) != of_stacks) continue;
        const hsd_bytes text = hsd_names_get(names, i);
        list[count++] = (named){text, i, hsd_variable_is_of_library((const char *)text.data, text.size)};
    }
    if (count > 0) qsort(list, count, sizeof *list, compare_named);
    return count;
}

static uint32_t count_root_nodes(const roots *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->capacity; i++)
        count += (uint32_t)(r->node_of[PRIMARY][i] + r->node_of[SECONDARY][i]);
    return count;
}

static void add_root_nodes(roots *r, int standing, const named *list, uint32_t count)
{
    hsd_side_walk *side = r->side;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t name = list[i].name;
        const hsd_node at = side->root_span.end - side->root_span.begin;
        side->root_nodes[at] = (hsd_root_node){name, side->roots.kinds[name], standing == SECONDARY};
        side->name_of_node[side->root_span.end - side->object_count] = name;
        r->node_of[standing][name] = side->root_span.end++;
    }
}

/* Room for so many root nodes, in numbers and in memory. */
static hsd_status check_root_nodes(const hsd_side_walk *side, uint32_t root_nodes, hsd_error *err)
{
    const uint64_t others = (uint64_t)side->graph->label_node_count + root_nodes;
    const uint64_t bytes = root_nodes * sizeof *side->root_nodes + others * sizeof *side->name_of_node;
    const uint64_t count = side->object_count + others;
    if (count <= hsd_most_walked()) return hsd_side_check_tables(side, bytes, err);
    return hsd_fail(err, HSD_E_UNSUPPORTED, "the capture has %llu objects and named roots, more than %llu",
                    (unsigned long long)count, (unsigned long long)hsd_most_walked());
}

static hsd_status make_root_nodes(roots *r, named *list, hsd_error *err)
{
    hsd_side_walk *side = r->side;
    const uint32_t count = count_root_nodes(r), others = side->graph->label_node_count + count;
    HSD_TRY(check_root_nodes(side, count, err));
    side->root_nodes = malloc(((size_t)count + 1) * sizeof *side->root_nodes);
    side->name_of_node = malloc(((size_t)others + 1) * sizeof *side->name_of_node);
    if (side->root_nodes == NULL || side->name_of_node == NULL) return hsd_fail_nomem(err, "the names of roots");
    for (uint32_t i = 0; i < side->graph->label_node_count; i++)
        side->name_of_node[i] = side->graph->label_nodes[i].root;
    const hsd_node begin = side->object_count + side->graph->label_node_count;
    side->root_span = (hsd_root_nodes){begin, begin, begin, begin, begin};
    add_root_nodes(r, PRIMARY, list, list_names(r, PRIMARY, false, list));
    side->root_span.stacks = side->root_span.end;
    add_root_nodes(r, PRIMARY, list, list_names(r, PRIMARY, true, list));
    side->root_span.second = side->root_span.end;
    add_root_nodes(r, SECONDARY, list, list_names(r, SECONDARY, false, list));
    side->root_span.second_stacks = side->root_span.end;
    add_root_nodes(r, SECONDARY, list, list_names(r, SECONDARY, true, list));
    side->node_count = side->root_span.end;
    return HSD_OK;
}

/* ---- the whole ---- */

static hsd_status each_record(roots *r, hsd_root_record_fn take, hsd_error *err)
{
    r->record = 0;
    return hsd_root_records_each(&r->records, take, r, err);
}

static hsd_status load_texts(roots *r, hsd_error *err)
{
    hsd_side_walk *side = r->side;
    HSD_TRY(each_record(r, want_label, err));
    for (uint32_t i = 0; i < side->graph->label_node_count; i++) {
        HSD_TRY(hsd_texts_want(&r->texts, side->graph->label_nodes[i].source_name, err));
        HSD_TRY(hsd_texts_want(&r->texts, side->labels.labels[side->graph->label_nodes[i].label].name, err));
    }
    return hsd_texts_load(&r->texts, side->request->capture, err);
}

static hsd_status choose_frame_words(roots *r, hsd_error *err)
{
    if (!r->has_frame_words) return HSD_OK;
    HSD_TRY(each_record(r, see_frame_word, err));
    return hsd_frame_words_end(&r->frame_words, err);
}

static hsd_status run(roots *r, hsd_error *err)
{
    hsd_side_walk *side = r->side;
    HSD_TRY(load_texts(r, err));
    HSD_TRY(hsd_side_fixed_roots(side, err));
    for (uint32_t i = 0; i < side->graph->label_node_count; i++)
        HSD_TRY(name_label_node(r, &side->graph->label_nodes[i], err));
    HSD_TRY(choose_frame_words(r, err));
    HSD_TRY(each_record(r, see_root, err));
    named *list = malloc((size_t)side->roots.names.count * sizeof *list);
    if (list == NULL) return hsd_fail_nomem(err, "the names of roots");
    const hsd_status status = make_root_nodes(r, list, err);
    free(list);
    HSD_TRY(status);
    return each_record(r, tell_target, err);
}

hsd_status hsd_side_roots(hsd_side_walk *side, hsd_root_fn take, void *context, hsd_error *err)
{
    HSD_ASSERT(take != NULL && side->name_of_node == NULL);
    roots r = {.side = side, .records = {.capture = side->request->capture}, .take = take, .context = context};
    const hsd_status status = run(&r, err);
    hsd_root_records_release(&r.records);
    hsd_frame_words_release(&r.frame_words);
    hsd_texts_release(&r.texts);
    for (int standing = 0; standing < STANDINGS; standing++)
        free(r.node_of[standing]);
    return status;
}

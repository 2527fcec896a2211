/*
 * Names of references: every label of the captures becomes a text as a person would write the step (".map",
 * "[*]", "<elements>"), the distinct ones are brought into order, and each label gets the number of its own.
 *
 * A text that leads into a container's internals in one place and not in another is two names: the mark is part of
 * what tells them apart. It stands in front of the text while the names are gathered, and is never shown.
 */
#include "walk/edges.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include <hscapture/hscapture.h>

#define NAME_BYTES 255u /* longer names are cut */
#define PLAIN      'p'
#define FOLDED     'f'

/* Wanted texts of one capture are no more than names can come of them; the rest are past the limit anyway. */
#define MAX_WANTED (2 * HSD_MAX_EDGE_NAMES)

static bool is_weak(const hsd_label *label) { return (label->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK; }
static bool has_name(const hsd_label *label) { return label->name != 0 && label->kind != HSC_LABEL_ELEMENT; }

/* ---- from a label to its text ---- */

typedef struct shape { /* how the names of one kind of label are written */
    const char *before, *after, *nameless;
} shape;

static const shape shapes[] = {
    [HSC_LABEL_FIELD] = {".", "", ""},
    [HSC_LABEL_ELEMENT] = {NULL, NULL, "[*]"},
    [HSC_LABEL_VARIABLE] = {".", "", ""},
    [HSC_LABEL_STATIC] = {".", "", ""},
    [HSC_LABEL_KEY] = {"[\"", "\"]", "[*]"},
    [HSC_LABEL_VALUE] = {"[\"", "\"]", "[*]"},
    [HSC_LABEL_INTERNAL] = {"<", ">", "<internal>"},
    [HSC_LABEL_CLASS] = {"<", ">", "<class>"},
};

static size_t append_edge(char *buffer, size_t at, const void *data, size_t size)
{
    if (size > 0) memcpy(buffer + at, data, size);
    return at + size;
}

/* "+16" of the unresolved name of a member, "+16 {member} {allocated} …" (FORMAT.md 7.12); all others as they are. */
static hsd_bytes without_type(hsd_bytes name)
{
    static const char mark[] = " {member} ";
    size_t at = 1;
    if (name.size == 0 || name.data[0] != '+') return name;
    while (at < name.size && name.data[at] >= '0' && name.data[at] <= '9')
        at++;
    const bool is_member = name.size - at >= sizeof mark - 1 && memcmp(name.data + at, mark, sizeof mark - 1) == 0;
    return is_member ? (hsd_bytes){name.data, at} : name;
}

/* "[*].street": a member of an item says already how it is reached. */
static bool is_of_item(hsd_bytes name) { return name.size > 3 && memcmp(name.data, "[*]", 3) == 0; }

/* The mark and the text behind it. */
static hsd_bytes text_of(const hsd_label *label, hsd_bytes name, char buffer[NAME_BYTES + 16])
{
    const shape *how = &shapes[label->kind < HSD_ARRAY_LEN(shapes) ? label->kind : HSC_LABEL_FIELD];
    size_t at = 0;
    name = without_type(name);
    buffer[at++] = label->flags & HSC_LABEL_FOLD ? FOLDED : PLAIN;
    if (how->before == NULL || name.size == 0) {
        at = append_edge(buffer, at, how->nameless, strlen(how->nameless));
    } else {
        if (label->kind != HSC_LABEL_FIELD || !is_of_item(name))
            at = append_edge(buffer, at, how->before, strlen(how->before));
        at = append_edge(buffer, at, name.data, (size_t)hsd_min_u64(name.size, NAME_BYTES));
        at = append_edge(buffer, at, how->after, strlen(how->after));
    }
    return (hsd_bytes){(const uint8_t *)buffer, at};
}

/* ---- gathering ---- */

static hsd_status put_text(hsd_edge_names *edges, const char *marked, uint32_t *out, hsd_error *err)
{
    const hsd_bytes bytes = {(const uint8_t *)marked, strlen(marked)};
    return hsd_names_put(&edges->names, bytes, out, err);
}

/* Names that are always there: number 0, and what stands for names past the limit. */
static hsd_status put_fixed(hsd_edge_names *edges, hsd_error *err)
{
    uint32_t number;
    HSD_TRY(put_text(edges, "p", &number, err));
    return put_text(edges, "p[*]", &number, err);
}

enum { NAMELESS, ANY_ELEMENT }; /* their numbers while names are gathered */

static hsd_status gather_label(hsd_edge_names *edges, const hsd_label *label, const hsd_texts *texts, uint32_t *out,
                               hsd_error *err)
{
    char buffer[NAME_BYTES + 16];
    *out = NAMELESS;
    if (is_weak(label)) return HSD_OK; /* never asked for */
    *out = ANY_ELEMENT;
    if (has_name(label) && !hsd_texts_has(texts, label->name)) return HSD_OK;
    const hsd_bytes text = text_of(label, hsd_texts_get(texts, label->name), buffer);
    *out = hsd_names_find(&edges->names, text);
    if (*out != HSD_NAME_NONE) return HSD_OK;
    *out = ANY_ELEMENT;
    return edges->names.count < HSD_MAX_EDGE_NAMES ? hsd_names_put(&edges->names, text, out, err) : HSD_OK;
}

static hsd_status gather_all(hsd_edge_names *edges, hsd_label_table *table, const hsd_texts *texts, hsd_error *err)
{
    table->edges = calloc((size_t)table->count + 1, sizeof *table->edges);
    if (table->edges == NULL) return hsd_fail_nomem(err, "the names of references");
    for (uint32_t i = 0; i < table->count; i++) {
        HSD_TRY(gather_label(edges, &table->labels[i], texts, &table->edges[i], err));
    }
    return HSD_OK;
}

static hsd_status want_texts(const hsd_label_table *table, hsd_texts *texts, hsd_error *err)
{
    for (uint32_t i = 0; i < table->count && texts->wanted < MAX_WANTED; i++) {
        const hsd_label *label = &table->labels[i];
        if (!is_weak(label) && has_name(label)) HSD_TRY(hsd_texts_want(texts, label->name, err));
    }
    return HSD_OK;
}

static hsd_status gather_edge(hsd_edge_names *edges, hsd_label_table *table, hsd_capture *capture, hsd_error *err)
{
    hsd_texts texts = {.most_bytes = NAME_BYTES};
    hsd_status status = want_texts(table, &texts, err);
    if (status == HSD_OK) status = hsd_texts_load(&texts, capture, err);
    if (status == HSD_OK) status = gather_all(edges, table, &texts, err);
    hsd_texts_release(&texts);
    return status;
}

/* ---- into order ---- */

typedef struct gathered {
    hsd_bytes marked;
    uint32_t number; /* as gathered */
} gathered;

/* By text, plain before folded. */
static int compare_edge(const void *a, const void *b)
{
    const hsd_bytes x = ((const gathered *)a)->marked, y = ((const gathered *)b)->marked;
    const size_t size = x.size < y.size ? x.size : y.size;
    int order = memcmp(x.data + 1, y.data + 1, size - 1);
    if (order == 0) order = (x.size > y.size) - (x.size < y.size);
    return order != 0 ? order : (y.data[0] > x.data[0]) - (y.data[0] < x.data[0]);
}

/* Fills texts and marks by number, and number_of: as gathered -> in order. */
static void put_in_order(hsd_edge_names *edges, gathered *list, uint32_t *number_of)
{
    for (uint32_t i = 0; i < edges->count; i++)
        list[i] = (gathered){hsd_names_get(&edges->names, i), i};
    qsort(list, edges->count, sizeof *list, compare_edge);
    for (uint32_t i = 0; i < edges->count; i++) {
        edges->texts[i] = (hsd_bytes){list[i].marked.data + 1, list[i].marked.size - 1};
        edges->is_fold[i] = list[i].marked.data[0] == FOLDED;
        number_of[list[i].number] = i;
    }
}

static void renumber_labels(hsd_label_table *table, const uint32_t *number_of)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const uint32_t strength = table->labels[i].flags & HSC_STRENGTH_MASK;
        table->edges[i] = number_of[table->edges[i]] | (strength == HSC_STRENGTH_SOFT ? HSD_EDGE_SOFT : 0);
    }
}

/* Brings what was gathered into order; *number_of, for the caller to free: as gathered -> in order. */
static hsd_status order_all(hsd_edge_names *edges, uint32_t **number_of, hsd_error *err)
{
    edges->count = edges->names.count;
    edges->texts = calloc(edges->count, sizeof *edges->texts);
    edges->is_fold = calloc(edges->count, sizeof *edges->is_fold);
    gathered *list = calloc(edges->count, sizeof *list);
    *number_of = calloc(edges->count, sizeof **number_of);
    const bool has_memory = edges->texts != NULL && edges->is_fold != NULL && list != NULL && *number_of != NULL;
    if (has_memory) put_in_order(edges, list, *number_of);
    free(list);
    return has_memory ? HSD_OK : hsd_fail_nomem(err, "the names of references");
}

hsd_status hsd_edge_names_load(hsd_edge_names *edges, hsd_label_table *const *tables, hsd_capture *const *captures,
                               uint32_t count, hsd_error *err)
{
    memset(edges, 0, sizeof *edges);
    HSD_TRY(put_fixed(edges, err));
    for (uint32_t i = 0; i < count; i++)
        HSD_TRY(gather_edge(edges, tables[i], captures[i], err));
    uint32_t *number_of = NULL;
    const hsd_status status = order_all(edges, &number_of, err);
    for (uint32_t i = 0; i < count && status == HSD_OK; i++)
        renumber_labels(tables[i], number_of);
    free(number_of);
    return status;
}

/* Those of `before` as they were gathered, so its gathered numbers are the same here. */
static hsd_status gather_again(hsd_edge_names *edges, const hsd_edge_names *before, hsd_error *err)
{
    uint32_t number;
    for (uint32_t i = 0; i < before->names.count; i++) {
        HSD_TRY(hsd_names_put(&edges->names, hsd_names_get(&before->names, i), &number, err));
        HSD_ASSERT(number == i);
    }
    return HSD_OK;
}

/* By number in the order of `before`. */
static hsd_status number_again(const hsd_edge_names *edges, const hsd_edge_names *before, uint32_t **out,
                               hsd_error *err)
{
    *out = malloc(((size_t)before->count + 1) * sizeof **out);
    if (*out == NULL) return hsd_fail_nomem(err, "the names of references");
    for (uint32_t i = 0, at = 0; i < before->count; i++) { /* both ascend */
        const hsd_bytes text = before->texts[i];
        while (edges->texts[at].size != text.size || memcmp(edges->texts[at].data, text.data, text.size) != 0 ||
               edges->is_fold[at] != before->is_fold[i])
            at++;
        (*out)[i] = at;
    }
    return HSD_OK;
}

hsd_status hsd_edge_names_join(hsd_edge_names *edges, const hsd_edge_names *before, hsd_label_table *table,
                               hsd_capture *capture, uint32_t **number_of, hsd_error *err)
{
    uint32_t *own = NULL;
    *number_of = NULL;
    memset(edges, 0, sizeof *edges);
    HSD_TRY(gather_again(edges, before, err));
    HSD_TRY(gather_edge(edges, table, capture, err));
    const hsd_status status = order_all(edges, &own, err);
    if (status == HSD_OK) renumber_labels(table, own);
    free(own);
    HSD_TRY(status);
    return number_again(edges, before, number_of, err);
}

/* The mark in front of a text of any length; past the limit of names, what stands for the rest. */
static hsd_status gather_text(hsd_edge_names *edges, hsd_bytes text, bool is_fold, hsd_buffer *marked, uint32_t *out,
                              hsd_error *err)
{
    hsd_buffer_clear(marked);
    HSD_TRY(hsd_buffer_append(marked, is_fold ? "f" : "p", 1, err));
    HSD_TRY(hsd_buffer_append(marked, text.data, text.size, err));
    const hsd_bytes bytes = {marked->data, marked->size};
    *out = hsd_names_find(&edges->names, bytes);
    if (*out != HSD_NAME_NONE) return HSD_OK;
    *out = ANY_ELEMENT;
    return edges->names.count < HSD_MAX_EDGE_NAMES ? hsd_names_put(&edges->names, bytes, out, err) : HSD_OK;
}

hsd_status hsd_edge_names_make(hsd_edge_names *edges, const hsd_bytes *texts, const bool *is_fold, uint32_t count,
                               uint32_t *numbers, hsd_error *err)
{
    hsd_buffer marked = {0};
    memset(edges, 0, sizeof *edges);
    hsd_status status = put_fixed(edges, err);
    for (uint32_t i = 0; i < count && status == HSD_OK; i++)
        status = gather_text(edges, texts[i], is_fold[i], &marked, &numbers[i], err);
    hsd_buffer_release(&marked);
    uint32_t *number_of = NULL;
    if (status == HSD_OK) status = order_all(edges, &number_of, err);
    for (uint32_t i = 0; i < count && status == HSD_OK; i++)
        numbers[i] = number_of[numbers[i]];
    free(number_of);
    return status;
}

size_t hsd_edge_names_memory(const hsd_edge_names *edges)
{
    return hsd_names_memory(&edges->names) + edges->count * (sizeof *edges->texts + sizeof *edges->is_fold);
}

void hsd_edge_names_release(hsd_edge_names *edges)
{
    hsd_names_release(&edges->names);
    free(edges->texts);
    free(edges->is_fold);
    memset(edges, 0, sizeof *edges);
}

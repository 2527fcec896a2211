/*
 * Names of types, roots and edges in the result: each is copied into the result's arena when it is first shown.
 */
#include "holders/growth.h"

#include <stdlib.h>

#include "base/fail.h"

enum { EDGE_TEXT_BYTES = 512 };

struct hsd_growth_texts {
    hsd_growth *growth;
    hsd_diff_store *store;
    hsd_text *types, *roots;
    hsd_text *edges; /* by number */
    hsd_text *shown; /* by hsd_path_edge */
    hsd_text item, none;
};

hsd_status hsd_growth_texts_new(hsd_growth_texts **out, hsd_growth *growth, hsd_error *err)
{
    hsd_growth_texts *texts = calloc(1, sizeof *texts);
    const hsd_pair *pair = growth->pair;
    *out = texts;
    if (texts != NULL) {
        texts->growth = growth;
        texts->store = growth->diff->store;
        texts->item = (hsd_text){"[*]", 3};
        texts->none = (hsd_text){"", 0};
        texts->types = calloc((size_t)pair->types.names.count + 1, sizeof *texts->types);
        texts->roots = calloc((size_t)pair->roots.count + 1, sizeof *texts->roots);
        texts->edges = calloc((size_t)pair->edges.count + 1, sizeof *texts->edges);
        texts->shown = calloc((size_t)pair->edges.count * 2 + 2, sizeof *texts->shown);
        if (texts->types != NULL && texts->roots != NULL && texts->edges != NULL && texts->shown != NULL) return HSD_OK;
    }
    hsd_growth_texts_free(texts);
    *out = NULL;
    return hsd_fail_nomem(err, "the names of the result");
}

static hsd_status get_holders_text(hsd_growth_texts *texts, hsd_text *kept, hsd_bytes name, hsd_text *out,
                                   hsd_error *err)
{
    if (kept->data == NULL) HSD_TRY(hsd_store_text(texts->store, name, kept, err));
    *out = *kept;
    return HSD_OK;
}

hsd_status hsd_growth_text_of_type(hsd_growth_texts *texts, uint32_t type, hsd_text *out, hsd_error *err)
{
    if (type & HSD_TRIE_IS_ROOT) return hsd_growth_text_of_root(texts, type & ~HSD_TRIE_IS_ROOT, out, err);
    return get_holders_text(texts, &texts->types[type], hsd_names_get(&texts->growth->pair->types.names, type), out,
                            err);
}

hsd_status hsd_growth_text_of_root(hsd_growth_texts *texts, uint32_t root, hsd_text *out, hsd_error *err)
{
    return get_holders_text(texts, &texts->roots[root], hsd_names_get(&texts->growth->pair->roots, root), out, err);
}

/* [*], and nothing: the only ones without a number; both are literals and outlive every result. */
static bool is_special(const hsd_growth_texts *texts, uint32_t edge, hsd_text *out)
{
    *out = edge == HSD_TRIE_ANY ? texts->item : texts->none;
    return edge == HSD_TRIE_ANY || edge == HSD_TRIE_INDIRECT;
}

hsd_status hsd_growth_text_of_edge(hsd_growth_texts *texts, uint32_t edge, hsd_text *out, hsd_error *err)
{
    if (is_special(texts, edge, out)) return HSD_OK;
    return get_holders_text(texts, &texts->edges[edge], hsd_edge_text(&texts->growth->pair->edges, edge), out, err);
}

hsd_status hsd_growth_text_of_shown(hsd_growth_texts *texts, uint32_t edge, hsd_text *out, hsd_error *err)
{
    char buffer[EDGE_TEXT_BYTES];
    if (is_special(texts, edge, out)) return HSD_OK;
    return get_holders_text(texts, &texts->shown[edge],
                            hsd_path_edge_text(&texts->growth->pair->edges, edge, buffer, sizeof buffer), out, err);
}

void hsd_growth_texts_free(hsd_growth_texts *texts)
{
    if (texts == NULL) return;
    free(texts->types);
    free(texts->roots);
    free(texts->edges);
    free(texts->shown);
    free(texts);
}

/*
 * The rows that a rule tells of.
 */
#include "check/findings.h"

#include "base/check.h"
#include "base/heap.h"

/* ---- order ---- */

static int compare_paths(const hsd_fact *a, const hsd_fact *b)
{
    for (size_t i = 0; i < a->path_count && i < b->path_count; i++) {
        int order = hsd_check_compare(a->path[i].edge, b->path[i].edge);
        if (order == 0) order = hsd_check_compare(a->path[i].type, b->path[i].type);
        if (order != 0) return order;
    }
    return (a->path_count > b->path_count) - (a->path_count < b->path_count);
}

/* Below 0: `a` comes first. */
static int compare_finding(const hsd_facts *facts, const hsd_candidate *a, const hsd_candidate *b)
{
    hsd_fact of_a, of_b;
    if (a->excess != b->excess) return a->excess > b->excess ? -1 : 1;
    if (a->growth != b->growth) return a->growth > b->growth ? -1 : 1;
    hsd_facts_name(facts, a->table, a->row, &of_a);
    hsd_facts_name(facts, b->table, b->row, &of_b);
    int order = hsd_check_compare(of_a.name, of_b.name);
    if (order == 0) order = hsd_check_compare(of_a.root, of_b.root);
    if (order == 0) order = compare_paths(&of_a, &of_b);
    return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

/* The worst on top, so that it is the one to go. */
static bool is_worse(const void *facts, const void *a, const void *b) { return compare_finding(facts, a, b) > 0; }

static hsd_heap heap_of(hsd_shortlist *list)
{
    return (hsd_heap){list->items, sizeof *list->items, is_worse, list->facts};
}

void hsd_shortlist_put(hsd_shortlist *list, const hsd_candidate *candidate)
{
    list->total++;
    list->growth = hsd_add_saturating(list->growth, candidate->growth > 0 ? (uint64_t)candidate->growth : 0);
    if (list->count < list->most) {
        list->items[list->count] = *candidate;
        hsd_heap_up(heap_of(list), list->count++);
    } else if (list->most > 0 && compare_finding(list->facts, candidate, &list->items[0]) < 0) {
        list->items[0] = *candidate;
        hsd_heap_down(heap_of(list), 0, list->count);
    }
}

void hsd_shortlist_sort(hsd_shortlist *list) { hsd_heap_sort(heap_of(list), list->count); }

void hsd_shortlist_cut(hsd_shortlist *list)
{
    const uint64_t enough = list->growth - list->growth / 100 * (100 - HSD_CARRIERS_PERCENT);
    uint64_t told = 0;
    size_t kept = 0;
    while (kept < list->count && told < enough)
        told = hsd_add_saturating(told, (uint64_t)list->items[kept++].growth);
    list->count = kept;
}

/* ---- what holds a type ---- */

static int64_t growth_at(const hsd_holder *holder, hsd_text type)
{
    for (size_t i = 0; i < holder->type_count; i++)
        if (hsd_check_is_same(holder->types[i].type, type)) return holder->types[i].net_bytes;
    return 0;
}

/* The first of those that got most of it. */
static const hsd_holder *find_holder(const hsd_diff *diff, hsd_text type)
{
    const hsd_holder *best = NULL;
    int64_t most = 0;
    for (size_t i = 0; diff->has_holders && i < diff->holder_count; i++) {
        const int64_t growth = growth_at(&diff->holders[i], type);
        if (growth <= most) continue;
        best = &diff->holders[i];
        most = growth;
    }
    return best;
}

/* Who has less than half of it does not hold it, many do. */
static void tell_holder(hsd_finding *finding, const hsd_diff *diff, int64_t bytes)
{
    const hsd_holder *holder = diff != NULL ? find_holder(diff, finding->name) : NULL;
    if (holder == NULL || growth_at(holder, finding->name) < bytes / 2) return;
    finding->root = holder->root;
    finding->path = holder->path;
    finding->path_count = holder->path_count;
    finding->holder = holder;
}

/* ---- where it was allocated ---- */

hsd_text hsd_finding_type(const hsd_finding *finding, hsd_subject subject)
{
    if (subject == HSD_SUBJECT_HEAP || subject == HSD_SUBJECT_TYPE) return finding->name;
    const hsd_holder *holder = finding->held_count > 0 ? finding->held[0] : finding->holder;
    const bool is_known = subject == HSD_SUBJECT_HOLDER && holder != NULL && holder->type_count > 0;
    return is_known ? holder->types[0].type : (hsd_text){"", 0};
}

static void tell_sites(hsd_finding *finding, const hsd_sites *sites, hsd_text type)
{
    if (type.size == 0) return;
    for (size_t i = 0; i < sites->row_count; i++) {
        if (!hsd_check_is_same(sites->rows[i].type, type)) continue;
        if (finding->site_count == 0) finding->sites = &sites->rows[i];
        if (finding->sites + finding->site_count == &sites->rows[i]) finding->site_count++;
    }
}

/* Of what is lost the row says it. */
static void tell_stack(hsd_finding *finding, const hsd_fact *fact)
{
    finding->own_site = (hsd_site_growth){.type = fact->name,
                                          .before = fact->first,
                                          .after = fact->last,
                                          .frames = fact->frames,
                                          .frame_count = fact->frame_count};
    finding->sites = &finding->own_site;
    finding->site_count = 1;
}

void hsd_finding_fill(hsd_finding *finding, const hsd_facts *facts, const hsd_candidate *candidate,
                      const hsd_fact *fact, const hsd_grown *grown, hsd_subject subject)
{
    const hsd_sites *sites = facts->options->sites;
    *finding = (hsd_finding){.name = fact->name,
                             .place = fact->place,
                             .cycle = fact->cycle,
                             .root = fact->root,
                             .path = fact->path,
                             .path_count = fact->path_count,
                             .holder = fact->holder,
                             .held = fact->held,
                             .held_count = fact->held_count,
                             .before = fact->has_before ? grown->before : 0,
                             .after = fact->has_before ? grown->after : 0,
                             .growth = grown->growth,
                             .limit = grown->limit,
                             .is_per_round = grown->is_per_round,
                             .per_round = grown->per_round,
                             .round_count = grown->round_count,
                             .up_count = grown->up_count,
                             .p_millionths = grown->p_millionths,
                             .allowed = candidate->allowed,
                             .is_levelled = candidate->is_levelled};
    if (fact->frame_count > 0) tell_stack(finding, fact);
    const bool is_type = candidate->table == HSD_FACTS_TYPES || candidate->table == HSD_FACTS_COHORTS;
    if (is_type) tell_holder(finding, hsd_facts_holding(facts), grown->bytes);
    if (sites != NULL && sites->are_known)
        tell_sites(finding, sites, hsd_finding_type(finding, is_type ? HSD_SUBJECT_TYPE : subject));
}

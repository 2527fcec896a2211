/* Reachability by going over all links until nothing changes. See graph_truth.h. */
#include "fuzz/graph_truth.h"

#include <stdlib.h>

void graph_truth_object(graph_truth *truth, uint64_t id, bool is_pseudo)
{
    truth->objects[truth->object_count] =
        (truth_object){.id = id, .ordinal = truth->object_count, .is_pseudo = is_pseudo};
    truth->object_count++;
}

void graph_truth_link(graph_truth *truth, truth_link link)
{
    if (truth->link_count == truth->link_capacity) {
        truth->link_capacity = 2 * truth->link_capacity + 64;
        truth->links = realloc(truth->links, truth->link_capacity * sizeof link);
        if (truth->links == NULL) exit(2);
    }
    truth->links[truth->link_count++] = link;
}

static int by_id(const void *a, const void *b)
{
    const truth_object *one = a, *other = b;
    return one->id < other->id ? -1 : one->id > other->id;
}

/* Objects in the order of their ids, and where each ordinal went. */
static bool index_objects(graph_truth *truth, uint32_t places[TRUTH_MAX_OBJECTS])
{
    qsort(truth->objects, truth->object_count, sizeof truth->objects[0], by_id);
    bool is_unique = true;
    for (uint32_t i = 0; i < truth->object_count; i++) {
        places[truth->objects[i].ordinal] = i;
        is_unique &= i == 0 || truth->objects[i].id != truth->objects[i - 1].id;
    }
    return is_unique;
}

static truth_object *find(graph_truth *truth, const uint32_t *places, uint64_t number, bool is_ordinal)
{
    const truth_object wanted = {.id = number};
    if (is_ordinal) return number < truth->object_count ? &truth->objects[places[number]] : NULL;
    return bsearch(&wanted, truth->objects, truth->object_count, sizeof wanted, by_id);
}

static bool follow(graph_truth *truth, const uint32_t *places, const truth_link *link)
{
    truth_object *target = find(truth, places, link->target, truth->by_ordinal);
    if (target == NULL || target->is_live) return false;
    if (!link->is_root) {
        const truth_object *source = find(truth, places, link->source, truth->by_ordinal || link->source_is_ordinal);
        if (source == NULL || !source->is_live) return false;
    }
    return target->is_live = true;
}

void graph_truth_tell(graph_truth *truth)
{
    uint32_t places[TRUTH_MAX_OBJECTS];
    bool has_changed = truth->is_told = index_objects(truth, places);
    while (has_changed) {
        has_changed = false;
        for (size_t i = 0; i < truth->link_count; i++)
            has_changed |= follow(truth, places, &truth->links[i]);
    }
    for (uint32_t i = 0; i < truth->object_count; i++) {
        const truth_object *object = &truth->objects[i];
        if (!object->is_pseudo) (*(object->is_live ? &truth->live : &truth->unreached))++;
    }
    free(truth->links);
    truth->links = NULL;
}

/*
 * The memory profile: buckets with the stack of an allocation, and objects that it took as samples (one in 512 KiB of
 * allocation, if the program did not say otherwise). Both stand behind the objects, so the scan keeps them.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "base/search.h"
#include "go/heap/goheap.h"

enum { NAME_BYTES = 1024, DEEPEST = 512 };

static hsd_status intern(goheap *go, uint32_t *number, hsd_error *err)
{
    hsd_bytes text;
    *number = 0;
    HSD_TRY(hsd_goheap_text(go, NAME_BYTES, &text, err));
    if (text.size == 0) return HSD_OK;
    HSD_TRY(hsd_names_put(&go->out.strings.names, text, number, err));
    ++*number;
    return HSD_OK;
}

/* Sites by their frames, from the outermost, which the dump has last. */
static hsd_status intern_stack(goheap *go, goheap_site *frames, size_t count, uint32_t *site, hsd_error *err)
{
    *site = 0;
    while (count-- > 0) {
        frames[count].parent = *site;
        HSD_TRY(hsd_names_put(&go->frames, (hsd_bytes){(const uint8_t *)&frames[count], sizeof frames[count]}, site,
                              err));
        ++*site;
    }
    return HSD_OK;
}

static hsd_status add_bucket(goheap *go, uint64_t id, uint32_t site, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(go->buckets, go->bucket_room, go->bucket_count + 1, 256, "allocation sites", err));
    go->buckets[go->bucket_count++] = (goheap_bucket){id, site};
    return HSD_OK;
}

hsd_status hsd_goheap_read_bucket(goheap *go, hsd_error *err)
{
    goheap_site frames[DEEPEST];
    uint64_t head[3], line, counts[2];
    uint32_t site;
    HSD_TRY(hsd_goheap_numbers(go, head, 3, err));
    for (uint64_t i = 0; i < head[2]; i++) {
        goheap_site *frame = &frames[hsd_min_u64(i, DEEPEST - 1)];
        *frame = (goheap_site){0};
        HSD_TRY(intern(go, &frame->function, err));
        HSD_TRY(intern(go, &frame->file, err));
        HSD_TRY(hsd_goheap_number(go, &line, err));
        frame->line = (uint32_t)hsd_min_u64(line, UINT32_MAX);
    }
    HSD_TRY(hsd_goheap_numbers(go, counts, 2, err));
    HSD_TRY(intern_stack(go, frames, (size_t)hsd_min_u64(head[2], DEEPEST), &site, err));
    return add_bucket(go, head[0], site, err);
}

static uint32_t site_of_bucket(const goheap *go, uint64_t id)
{
    size_t low;
    HSD_LOWER_BOUND(low, 0, go->bucket_count, go->buckets[low].id, id);
    return low < go->bucket_count && go->buckets[low].id == id ? go->buckets[low].site : 0;
}

hsd_status hsd_goheap_read_sample(goheap *go, hsd_error *err)
{
    uint64_t numbers[2];
    HSD_TRY(hsd_goheap_numbers(go, numbers, 2, err));
    HSD_TRY(HSD_ARRAY_GROW(go->samples, go->sample_room, go->sample_count + 1, 256, "allocation sites", err));
    go->samples[go->sample_count++] = (goheap_sample){numbers[0], numbers[1], 0};
    return HSD_OK;
}

static int by_id(const void *a, const void *b)
{
    const goheap_bucket *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return (x->site > y->site) - (x->site < y->site);
}

static int by_address(const void *a, const void *b)
{
    const goheap_sample *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return (x->bucket > y->bucket) - (x->bucket < y->bucket);
}

void hsd_goheap_sort_samples(goheap *go)
{
    if (go->bucket_count > 0) qsort(go->buckets, go->bucket_count, sizeof *go->buckets, by_id);
    if (go->sample_count > 0) qsort(go->samples, go->sample_count, sizeof *go->samples, by_address);
    for (size_t i = 0; i < go->sample_count; i++)
        go->samples[i].site = site_of_bucket(go, go->samples[i].bucket);
}

uint32_t hsd_goheap_site_of(const goheap *go, uint64_t address)
{
    size_t low;
    HSD_LOWER_BOUND(low, 0, go->sample_count, go->samples[low].address, address);
    return low < go->sample_count && go->samples[low].address == address ? go->samples[low].site : 0;
}

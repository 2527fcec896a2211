/*
 * Names of the threads of a JVM. A capture has them, but not what is in the array of characters that a java.lang.Thread
 * leads to; tools read nothing else. So that array is found, and written with the name:
 *
 *      root THREAD ──► Thread .name ──► String .value ──► byte[] or char[]
 *
 * The survey meets the thread and sees its String; that one is read by its ordinal, which says where its value is.
 */
#include <stdlib.h>

#include "base/search.h"
#include "export/hprof/hout.h"

#define MOST_THREADS 4096u

static int by_key(const void *a, const void *b)
{
    const hout_thread_name *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static const hout_thread_name *find_thread_name(const hout *h, uint64_t key)
{
    uint32_t low;
    HSD_LOWER_BOUND(low, 0, h->thread_name_count, h->thread_names[low].key, key);
    return low < h->thread_name_count && h->thread_names[low].key == key ? &h->thread_names[low] : NULL;
}

static void sort_thread_name(hout *h)
{
    if (h->thread_name_count > 0) qsort(h->thread_names, h->thread_name_count, sizeof *h->thread_names, by_key);
}

hsd_status hsd_hout_find_threads(hout *h, hsd_error *err)
{
    hsd_joined_root root;
    hsd_status status;
    HSD_TRY(hsd_joined_rewind_roots(h->joined, err));
    while ((status = hsd_joined_next_root(h->joined, &root, err)) == HSD_OK) {
        const hout_thread *thread = root.kind == HSC_ROOT_THREAD ? hsd_hout_thread(h, root.thread) : NULL;
        if (thread == NULL || hsd_texts_get(&h->texts, thread->name).size == 0 || h->thread_name_count == MOST_THREADS)
            continue;
        HSD_TRY(hsd_hout_grow((void **)&h->thread_names, &h->thread_name_capacity, h->thread_name_count,
                              sizeof *h->thread_names, err));
        h->thread_names[h->thread_name_count++] =
            (hout_thread_name){.key = root.target, .next = UINT64_MAX, .name = thread->name};
    }
    sort_thread_name(h);
    return status == HSD_END ? HSD_OK : status;
}

static bool thread_name_is_called(const hout *h, uint32_t place, const char *word)
{
    const hsd_bytes name = hsd_names_get(&h->strings, h->labels[place].name);
    return name.size == strlen(word) && memcmp(name.data, word, name.size) == 0;
}

void hsd_hout_meet_thread(hout *h, uint64_t ordinal)
{
    hout_thread_name *thread = (hout_thread_name *)find_thread_name(h, ordinal);
    for (uint32_t i = 0; thread != NULL && i < h->held.count; i++)
        if (thread_name_is_called(h, h->held.items[i].place, "name")) thread->next = h->held.items[i].ordinal;
}

/* The id or ordinal of the value of a String, as the capture names its targets; UINT64_MAX = not there. */
static hsd_status read_value(hout *h, hsd_object_reader *reader, uint64_t ordinal, uint64_t *value, hsd_error *err)
{
    hsd_object object;
    *value = UINT64_MAX;
    hsd_status status = hsd_object_reader_seek(reader, ordinal, err);
    if (status == HSD_OK) status = hsd_object_reader_next(reader, &object, err);
    if (status != HSD_OK || object.ordinal != ordinal) return status < 0 ? status : HSD_OK;
    for (uint32_t i = 0; i < object.reference_count; i++) {
        const uint32_t place = hsd_id_map_get(&h->label_table.index, object.labels[i]);
        if (place != HSD_ID_NONE && thread_name_is_called(h, place, "value")) *value = object.targets[i];
    }
    return HSD_OK;
}

hsd_status hsd_hout_follow_threads(hout *h, hsd_error *err)
{
    hsd_object_reader *reader;
    hsd_status status = HSD_OK;
    uint32_t kept = 0;
    if (h->thread_name_count == 0) return HSD_OK;
    HSD_TRY(hsd_object_reader_open(&reader, h->capture, HSD_WANT_REFERENCES | HSD_WANT_LABELS, err));
    for (uint32_t i = 0; i < h->thread_name_count && status == HSD_OK; i++) {
        hout_thread_name *thread = &h->thread_names[i];
        if (thread->next == UINT64_MAX) continue;
        status = read_value(h, reader, thread->next, &thread->key, err);
        if (thread->key != UINT64_MAX) h->thread_names[kept++] = *thread;
    }
    hsd_object_reader_close(reader);
    h->thread_name_count = kept;
    sort_thread_name(h);
    return status;
}

hsd_status hsd_hout_thread_text(hout *h, const hsd_object *object, uint8_t element, hsd_error *err)
{
    const hout_thread_name *thread = find_thread_name(h, h->info->targets_are_ordinals ? object->ordinal : object->id);
    if (thread == NULL || (element != HOUT_BYTE && element != HOUT_CHAR)) return HSD_OK;
    const hsd_bytes name = hsd_texts_get(&h->texts, thread->name);
    hsd_buffer_clear(&h->text);
    return hsd_hout_to_units(&h->text, name.data, name.size, element == HOUT_CHAR ? 2 : 1, err);
}

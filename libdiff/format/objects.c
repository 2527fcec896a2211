/*
 * The iterator over all objects of a capture: block after block of the list, decoded as far as is wanted. Ahead, the
 * next one is loaded by a worker meanwhile; its failure is told when its turn comes.
 */
#include "format/object_reader.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/worker.h"
#include "format/capture_state.h"
#include "format/object_block.h"

typedef struct loaded {
    const hsd_capture *capture;
    unsigned want;
    const hsd_block_ref *ref;
    hsd_block block;
    hsd_object_block objects;
    hsd_fault fault;
    hsd_status status;
} loaded;

struct hsd_object_reader {
    hsd_capture *capture;
    unsigned want;
    size_t next_ref;       /* where on the list to look for the next block of objects */
    bool has_last;         /* some object was passed */
    uint64_t last_ordinal; /* of the last object that began */
    hsd_status failed;     /* sticks */
    bool reads_ahead;
    bool is_ahead; /* the worker has `next` */
    hsd_worker worker;
    loaded *now, *next; /* one and the other of `blocks` */
    loaded blocks[2];
};

hsd_status hsd_object_reader_open(hsd_object_reader **out, hsd_capture *capture, unsigned want, hsd_error *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return hsd_fail_nomem(err, "reading objects");
    (*out)->capture = capture;
    (*out)->want = want & (HSD_WANT_ALL | HSD_WANT_ID | HSD_WANT_DIFFERENCES);
    (*out)->now = &(*out)->blocks[0];
    (*out)->next = &(*out)->blocks[1];
    return HSD_OK;
}

void hsd_object_reader_read_ahead(hsd_object_reader *reader)
{
    HSD_ASSERT(!reader->has_last && reader->next_ref == 0);
    reader->reads_ahead = true;
}

/* What was read ahead is not wanted. */
static void stop_ahead(hsd_object_reader *reader)
{
    if (reader->is_ahead) hsd_worker_finish(&reader->worker, NULL);
    reader->is_ahead = false;
}

void hsd_object_reader_close(hsd_object_reader *reader)
{
    if (reader == NULL) return;
    stop_ahead(reader);
    hsd_worker_end(&reader->worker);
    for (size_t i = 0; i < HSD_ARRAY_LEN(reader->blocks); i++) {
        hsd_object_block_release(&reader->blocks[i].objects);
        hsd_block_release(&reader->blocks[i].block);
    }
    free(reader);
}

/* The block against what was read before it (rule 4.10): the index knows how many records a block has, not whether the
 * first of them continues an object. In a capture with gaps that object may be lost, and what continues it is passed.
 */
static hsd_status settle_order(hsd_object_reader *reader, hsd_fault *fault)
{
    hsd_object_block *objects = &reader->now->objects;
    const uint64_t next = reader->has_last ? reader->last_ordinal + 1 : 0;
    const bool has_gaps = hsd_capture_has_gaps(reader->capture);
    if (objects->next_ordinal < next || (!has_gaps && objects->next_ordinal > next)) {
        return hsd_fault_corrupt(fault, "4.10", "its first ordinal is %llu, and %llu objects begin before it",
                                 (unsigned long long)objects->next_ordinal, (unsigned long long)next);
    }
    if (objects->starts_with_continuation && (!reader->has_last || objects->next_ordinal > next))
        hsd_object_block_skip(objects, 1);
    return HSD_OK;
}

/* On whichever thread. */
static hsd_status load_block(void *context, hsd_error *err)
{
    loaded *l = context;
    (void)err;
    l->fault = (hsd_fault){.block = HSD_NO_BLOCK};
    l->status = hsd_capture_load(l->capture, l->ref, &l->block, &l->fault);
    if (l->status == HSD_OK) l->status = hsd_object_block_decode(&l->objects, &l->block, l->want, &l->fault);
    return HSD_OK;
}

static void begin_block(hsd_object_reader *reader, loaded *l, size_t ref)
{
    l->capture = reader->capture;
    l->want = reader->want;
    l->ref = &reader->capture->list.refs[ref];
}

/* The next block of the list becomes `now`. HSD_END when there is none. */
static hsd_status take_block(hsd_object_reader *reader)
{
    const hsd_block_list *list = &reader->capture->list;
    const size_t i = hsd_block_list_find(list, reader->next_ref, HSC_BLOCK_OBJECTS);
    if (i == list->count) return HSD_END;
    reader->next_ref = i + 1;
    if (reader->is_ahead) {
        stop_ahead(reader);
        loaded *const swap = reader->now;
        reader->now = reader->next;
        reader->next = swap;
    } else {
        begin_block(reader, reader->now, i);
        load_block(reader->now, NULL);
    }
    const size_t k = reader->reads_ahead ? hsd_block_list_find(list, i + 1, HSC_BLOCK_OBJECTS) : list->count;
    if (k == list->count || reader->now->status != HSD_OK) return HSD_OK;
    begin_block(reader, reader->next, k);
    hsd_worker_begin_again(&reader->worker, load_block, reader->next);
    reader->is_ahead = true;
    return HSD_OK;
}

/* Behind the last block: are the objects so many as the end record says? (Rule 8.4: of the last block, too, the index
 * does not know whether its first record begins one.) */
static hsd_status settle_end(hsd_object_reader *reader, hsd_error *err)
{
    const uint64_t objects = reader->last_ordinal + 1, counted = reader->capture->info.objects;
    if (!reader->has_last || objects == counted || hsd_capture_has_gaps(reader->capture)) return HSD_END;
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    reader->failed = hsd_fault_corrupt(&fault, "8.4", "the end record counts %llu objects, and there are %llu",
                                       (unsigned long long)counted, (unsigned long long)objects);
    return hsd_fault_raise(&fault, reader->capture->file.input.name, err);
}

static hsd_status load_next(hsd_object_reader *reader, hsd_error *err)
{
    if (reader->failed != HSD_OK) return hsd_fail(err, reader->failed, "objects could not be read before");
    const hsd_status status = take_block(reader);
    if (status == HSD_END) return settle_end(reader, err);
    HSD_TRY(status);
    loaded *now = reader->now;
    reader->failed = now->status == HSD_OK ? settle_order(reader, &now->fault) : now->status;
    if (reader->failed == HSD_OK) return HSD_OK;
    now->objects.records = 0;
    return hsd_fault_raise(&now->fault, reader->capture->file.input.name, err);
}

hsd_status hsd_object_reader_next(hsd_object_reader *reader, hsd_object *object, hsd_error *err)
{
    while (!hsd_object_block_next(&reader->now->objects, object))
        HSD_TRY(load_next(reader, err));
    reader->has_last = true;
    reader->last_ordinal = object->ordinal;
    return HSD_OK;
}

hsd_status hsd_object_reader_next_ids(hsd_object_reader *reader, const uint64_t **ids, uint32_t *count, uint64_t *first,
                                      hsd_error *err)
{
    HSD_TRY(load_next(reader, err));
    hsd_object_block *objects = &reader->now->objects;
    const uint32_t continued = objects->starts_with_continuation ? 1 : 0;
    *count = hsd_object_block_begun(objects);
    *ids = objects->id + continued;
    *first = reader->now->block.header.first_ordinal;
    objects->next = objects->records;
    if (*count == 0) return HSD_OK;
    reader->has_last = true;
    reader->last_ordinal = *first + *count - 1;
    return HSD_OK;
}

hsd_status hsd_object_reader_next_block(hsd_object_reader *reader, const hsd_object_block **out, hsd_error *err)
{
    HSD_TRY(load_next(reader, err));
    const hsd_object_block *objects = &reader->now->objects;
    const uint64_t behind = reader->now->block.header.first_ordinal + hsd_object_block_begun(objects);
    *out = objects;
    if (behind == 0) return HSD_OK;
    reader->has_last = true;
    reader->last_ordinal = behind - 1;
    return HSD_OK;
}

hsd_status hsd_object_reader_seek(hsd_object_reader *reader, uint64_t ordinal, hsd_error *err)
{
    HSD_ASSERT(!reader->reads_ahead);
    const hsd_block_list *list = &reader->capture->list;
    hsd_object_block *objects = &reader->now->objects;
    const size_t i = hsd_block_list_find_ordinal(list, ordinal);
    if (i == list->count) {
        reader->next_ref = 0; /* every object that is there lies behind it */
        reader->has_last = false;
        objects->records = 0;
        return HSD_END;
    }
    reader->next_ref = i;
    objects->records = 0;
    const uint64_t first = list->refs[i].first_ordinal;
    reader->has_last = first > 0; /* as if all before the block had been read */
    reader->last_ordinal = first - 1;
    HSD_TRY(load_next(reader, err));
    const uint64_t before = ordinal - first;
    const uint64_t records = before + (objects->starts_with_continuation ? 1 : 0);
    const uint64_t behind = first + hsd_object_block_begun(objects);
    reader->has_last = hsd_min_u64(ordinal, behind) > 0;
    reader->last_ordinal = hsd_min_u64(ordinal, behind) - 1;
    if (ordinal >= behind) {
        hsd_object_block_skip(objects, objects->records);
        return HSD_END;
    }
    hsd_object_block_skip(objects, (uint32_t)records);
    return HSD_OK;
}

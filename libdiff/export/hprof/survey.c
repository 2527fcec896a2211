/*
 * The first pass over objects and references. It gathers the references of one object at a time, finds the row of the
 * object by its type (and by the class that it refers to, in a JVM), and notes which names and sizes occur there. Class
 * objects of a JVM are kept whole: they are no instances in a dump but records of their own.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "base/search.h"
#include "export/hprof/hout.h"

#define EACH_PROGRESS 4096u

/* ---- the references of one object ---- */

/* Counts a reference among those of its name. */
static uint32_t count_name(hout *h, uint32_t name)
{
    if (h->seen_at[name] != h->stamp) h->seen[name] = 0;
    h->seen_at[name] = h->stamp;
    return h->seen[name]++;
}

static void begin_object(hout *h)
{
    if (++h->stamp != 0) return;
    memset(h->seen_at, 0, h->name_count * sizeof *h->seen_at); /* the stamps have come round */
    h->stamp = 1;
}

static void take_element(hout_references *refs, uint64_t index)
{
    if (refs->elements > 0 && index + 1 <= refs->widest) refs->is_ascending = false;
    if (index < UINT64_MAX)
        refs->widest = hsd_max_u64(refs->widest, index + 1);
    else
        refs->is_ascending = false;
    refs->elements++;
}

/* False if the dump lacks the reference. */
static bool take_hprof_survey(hout *h, const hsd_joined_reference *from, bool is_class_object)
{
    hout_references *refs = &h->held;
    const uint32_t at = hsd_id_map_get(&h->label_table.index, from->label);
    const uint32_t place = at == HSD_ID_NONE ? h->label_table.count : at;
    const hout_label *label = &h->labels[place];
    if (label->is_left_out) return label->is_made_again;
    hout_reference to = {.ordinal = from->target,
                         .id = hsd_hout_id(h, from->target, from->target_id),
                         .index = from->index,
                         .place = place};
    if (h->is_jvm && label->kind == HSC_LABEL_CLASS && !is_class_object && !refs->has_class) {
        refs->has_class = true;
        refs->to_class = to;
        return true;
    }
    if (label->kind == HSC_LABEL_ELEMENT)
        take_element(refs, from->index);
    else
        to.nth = count_name(h, label->name);
    if (refs->count < HOUT_HELD) refs->items[refs->count++] = to;
    refs->all++;
    return true;
}

hsd_status hsd_hout_gather(hout *h, bool is_class_object, bool to_end, hsd_error *err)
{
    hout_references *refs = &h->held;
    hsd_joined_reference reference;
    hsd_status status = HSD_OK;
    refs->count = 0;
    refs->all = refs->elements = refs->widest = 0;
    refs->is_ascending = true;
    refs->has_class = false;
    begin_object(h);
    while ((to_end || refs->count < HOUT_HELD) &&
           (status = hsd_joined_next_reference(h->joined, &reference, err)) == HSD_OK)
        if (!take_hprof_survey(h, &reference, is_class_object)) h->left.weak += to_end; /* counted once */
    return status == HSD_END ? HSD_OK : status;
}

/* ---- class objects ---- */

static hsd_status add_static(hout *h, const hout_reference *from, hsd_error *err)
{
    HSD_TRY(hsd_hout_grow((void **)&h->statics, &h->static_capacity, h->static_count, sizeof *h->statics, err));
    h->statics[h->static_count++] = (hout_static){.id = from->id, .index = from->index, .place = from->place};
    return HSD_OK;
}

static bool hprof_survey_is_called(const hout *h, const hout_reference *reference, const char *word)
{
    const hsd_bytes name = hsd_names_get(&h->strings, h->labels[reference->place].name);
    return name.size == strlen(word) && memcmp(name.data, word, name.size) == 0;
}

/* Superclass, loader, signers and domain have places of their own in a CLASS_DUMP. */
static bool take_header(hout *h, hout_mirror *mirror, const hout_reference *from)
{
    const struct {
        const char *word;
        uint64_t *to;
        uint64_t value;
    } parts[] = {{"super", &mirror->super_ordinal, from->ordinal + 1},
                 {"loader", &mirror->loader, from->id},
                 {"signers", &mirror->signers, from->id},
                 {"protection domain", &mirror->domain, from->id}};
    if (h->labels[from->place].kind != HSC_LABEL_INTERNAL) return false;
    for (size_t i = 0; i < HSD_ARRAY_LEN(parts); i++) {
        if (*parts[i].to != 0 || !hprof_survey_is_called(h, from, parts[i].word)) continue;
        *parts[i].to = parts[i].value;
        return true;
    }
    return false;
}

static hsd_status take_class_object(hout *h, const hsd_object *object, hsd_error *err)
{
    HSD_TRY(hsd_hout_grow((void **)&h->mirrors, &h->mirror_capacity, h->mirror_count, sizeof *h->mirrors, err));
    hout_mirror *mirror = &h->mirrors[h->mirror_count++];
    *mirror = (hout_mirror){.ordinal = object->ordinal,
                            .id = hsd_hout_id(h, object->ordinal, object->id),
                            .size_bytes = object->size_bytes,
                            .name = object->name,
                            .first_static = h->static_count};
    for (uint32_t i = 0; i < h->held.count; i++)
        if (!take_header(h, mirror, &h->held.items[i])) HSD_TRY(add_static(h, &h->held.items[i], err));
    mirror->static_count = h->static_count - mirror->first_static;
    h->left.unnamed += h->held.all - h->held.count;
    return HSD_OK;
}

hout_mirror *hsd_hout_mirror(const hout *h, uint64_t ordinal)
{
    uint32_t low;
    HSD_LOWER_BOUND(low, 0, h->mirror_count, h->mirrors[low].ordinal, ordinal);
    return low < h->mirror_count && h->mirrors[low].ordinal == ordinal ? &h->mirrors[low] : NULL;
}

/* ---- rows ---- */

static hsd_status note_names(hout *h, hout_row *row, hsd_error *err)
{
    const hout_references *refs = &h->held;
    uint32_t hint = 0;
    for (uint32_t i = 0; i < refs->count; i++) {
        const hout_reference *r = &refs->items[i];
        const hout_label *label = &h->labels[r->place];
        h->left.soft += label->is_soft;
        if (label->kind == HSC_LABEL_ELEMENT) continue;
        uint32_t slot = hsd_hout_find_slot(row, label->name, r->nth, hint);
        if (slot == UINT32_MAX)
            HSD_TRY(hsd_hout_put_slot(&h->rows, row, label->name, r->nth, HOUT_MOST_SLOTS, &slot, err));
        if (slot == UINT32_MAX) {
            row->unnamed++;
            continue;
        }
        row->slots[slot].uses++;
        hint = slot + 1;
    }
    return HSD_OK;
}

static void note_size(hout_row *row, uint64_t size)
{
    row->least = hsd_min_u64(row->least, size);
    row->most = hsd_max_u64(row->most, size);
    if (size >= HOUT_SMALL_BYTES) return;
    row->small_objects++;
    row->small_bytes += size;
}

/* How wide a reference is in this heap: arrays tell. */
static void vote(hout *h, const hsd_object *object)
{
    if (object->elements < 4 || h->held.elements == 0) return;
    uint64_t wide = 0;
    if (!hsd_mul_u64(object->elements, 8, &wide)) return;
    h->wide += object->size_bytes >= wide;
    h->narrow += object->size_bytes < wide;
}

static hsd_status note_huge(hout *h, const hsd_object *object, hsd_error *err)
{
    const hout_references *refs = &h->held;
    HSD_TRY(hsd_hout_grow((void **)&h->huge, &h->huge_capacity, h->huge_count, sizeof *h->huge, err));
    h->huge[h->huge_count++] = (hout_huge){.ordinal = object->ordinal,
                                           .all = refs->all,
                                           .elements = refs->elements,
                                           .widest = refs->widest,
                                           .class_ordinal = refs->has_class ? refs->to_class.ordinal + 1 : 0,
                                           .is_ascending = refs->is_ascending && refs->elements == refs->all};
    return HSD_OK;
}

static void note_id(hout_ids *ids, uint64_t id)
{
    ids->has_zero |= id == 0;
    ids->has_descended |= id <= ids->last;
    ids->last = id;
    ids->most = hsd_max_u64(ids->most, id);
}

static hsd_status survey_object(hout *h, const hsd_object *object, hsd_error *err)
{
    const uint32_t type = hsd_type_common(&h->types, object->type);
    const bool is_class_object = h->is_jvm && type == h->class_type && object->name != 0;
    uint32_t number;
    HSD_TRY(hsd_hout_gather(h, is_class_object, true, err));
    note_id(&h->ids, object->id);
    if (h->id_of != NULL && object->ordinal < h->info->ordinals) h->id_of[object->ordinal] = object->id;
    hsd_hout_use_site(h, object->site);
    if (is_class_object) return take_class_object(h, object, err);
    if (h->is_jvm && object->name != 0) hsd_hout_meet_thread(h, object->ordinal);
    const hout_references *refs = &h->held;
    HSD_TRY(hsd_hout_row(&h->rows, type, refs->has_class ? refs->to_class.ordinal + 1 : 0, &number, err));
    hout_row *row = &h->rows.items[number];
    row->objects++;
    row->elements += refs->elements;
    row->named += refs->all - refs->elements;
    row->widest = hsd_max_u64(row->widest, hsd_max_u64(refs->widest, refs->all));
    row->has_values |= object->value.size > 0;
    note_size(row, hsd_add_saturating(object->size_bytes, object->native_bytes));
    vote(h, object);
    if (refs->all > HOUT_HELD) return note_huge(h, object, err);
    return note_names(h, row, err);
}

static hsd_status make_room_for_hprof_survey(hout *h, hsd_error *err)
{
    h->name_count = h->strings.count;
    h->held.items = malloc(HOUT_HELD * sizeof *h->held.items);
    h->seen_at = calloc(h->name_count, sizeof *h->seen_at);
    h->seen = calloc(h->name_count, sizeof *h->seen);
    const bool has_room = h->held.items != NULL && h->seen_at != NULL && h->seen != NULL;
    return has_room ? HSD_OK : hsd_fail_nomem(err, "references");
}

static hsd_status survey_all(hout *h, hsd_error *err)
{
    hsd_object object;
    hsd_status status;
    if (h->is_jvm) HSD_TRY(hsd_hout_find_threads(h, err));
    while ((status = hsd_joined_next_object(h->joined, &object, err)) == HSD_OK) {
        HSD_TRY(survey_object(h, &object, err));
        if (object.ordinal % EACH_PROGRESS != 0) continue;
        HSD_TRY(hsd_progress(h->x->reporter, "looking at objects", object.ordinal, h->info->objects, err));
        HSD_TRY(hsd_hout_check_memory(h, err));
    }
    return status == HSD_END ? hsd_hout_follow_threads(h, err) : status;
}

static void forget_hprof_survey(hout *h)
{
    hsd_hout_rows_release(&h->rows);
    h->huge_count = h->mirror_count = h->static_count = h->thread_name_count = 0;
    h->wide = h->narrow = 0;
    h->left = (hout_left){0};
}

hsd_status hsd_hout_survey(hout *h, hsd_error *err)
{
    HSD_TRY(make_room_for_hprof_survey(h, err));
    HSD_TRY(survey_all(h, err));
    HSD_TRY(hsd_hout_choose_ids(h, err));
    if (h->by_ordinal) {
        forget_hprof_survey(h);
        HSD_TRY(hsd_joined_rewind(h->joined, err));
        HSD_TRY(survey_all(h, err));
    }
    const bool is_wide = h->is_jvm && h->wide > h->narrow;
    h->header = is_wide ? 16 : 12;
    h->reference = is_wide ? 8 : 4;
    return hsd_hout_check_memory(h, err);
}

/*
 * The second pass: every object of the dump with its references into the capture, in the order of the
 * file. Bodies are looked at in the window of the source, piece by piece, so an array of 400 million
 * references takes no more memory than one of four.
 *
 *      instance   fields by the plan of its class (plan.h), then its class
 *      array      elements with their index, then its class
 *      class      statics, then superclass, loader, signers, protection domain: an object of type
 *                 java.lang.Class that carries the name of the class, so that a static is the owner
 *                 "static com.x.Cache.map"
 *      root       at once; its label is made from threads and frames of the scan
 */
#include <stdlib.h>

#include "base/fail.h"
#include "import/hprof/content.h"
#include "import/hprof/java.h"
#include "import/hprof/value.h"
#include "import/hprof/write.h"

#define PIECE_BYTES      ((size_t)65536) /* of a body that is looked at at once */
#define PROGRESS_BYTES   (UINT64_C(1) << 20)
#define SUB_RECORD_LIMIT UINT64_C(0xffffffff) /* HotSpot cuts arrays whose sub-record would pass this */

static hsd_status put_value(hprof_writing *w, hsd_error *err)
{
    if (w->value.size == 0) return HSD_OK;
    HSD_WRITE(w->import, hsc_value(w->out, w->value.data, w->value.size), err);
    hsd_buffer_clear(&w->value);
    return HSD_OK;
}

/* ---- instances ---- */

static uint64_t hash_content(const hprof_writing *w, const hprof_plan *plan, const uint8_t *data, size_t size)
{
    if (plan->run_count == 0) return 0;
    const hprof_run *run = &w->plans.runs[plan->first_run];
    uint64_t state = HPROF_CONTENT_START;
    for (uint32_t i = 0; i < plan->run_count; i++)
        if ((uint64_t)run[i].offset + run[i].size <= size)
            state = hsd_hprof_mix_bytes(state, data + run[i].offset, run[i].size);
    return state == 0 ? 1 : state;
}

/* The references of an instance; the data holds `size` bytes. */
static inline __attribute__((always_inline)) hsd_status write_slots(hprof_writing *w, const hprof_plan *plan,
                                                                    const unsigned id_bytes, const uint8_t *data,
                                                                    size_t size, bool is_named, hsd_error *err)
{
    if (plan->slot_count == 0) return HSD_OK;
    const hprof_reference *slot = &w->plans.slots[plan->first_slot];
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        if (__builtin_expect((uint64_t)slot[i].offset + id_bytes > size, 0)) break;
        const uint64_t target = hsd_hprof_id(data + slot[i].offset, id_bytes);
        const uint32_t label = is_named ? slot[i].named_label : slot[i].label;
        HSD_TRY(hsd_hprof_refer(w, target, label, 0, err));
    }
    return HSD_OK;
}

/* A java.lang.Class that has a CLASS_DUMP is written with that; only its fields are added. */
static hsd_status write_mirror_fields(hprof_writing *w, const hprof_plan *plan, const hprof_sub *sub,
                                      const uint8_t *data, size_t size, hsd_error *err)
{
    if (plan->slot_count == 0) return HSD_OK;
    const hprof_reference *slot = &w->plans.slots[plan->first_slot];
    const unsigned id_bytes = w->reader.id_bytes;
    for (uint32_t i = 0; i < plan->slot_count && (uint64_t)slot[i].offset + id_bytes <= size; i++) {
        const uint64_t target = hsd_hprof_id(data + slot[i].offset, id_bytes);
        if (target == 0) continue;
        w->references++;
        HSD_WRITE(w->import, hsc_edge(w->out, sub->id, target, slot[i].label, 0), err);
    }
    return HSD_OK;
}

/* What ClassValues keep of a class hangs from its class object, of which a dump has the statics and no field: whose it
 * is nobody knows. It lives as long as that class, so it is no owner of what others hold. */
static hsd_status write_root_of_values(hprof_writing *w, uint64_t id, hsd_error *err)
{
    static const char label[] = "(class values)";
    hsc_root_record root = {.kind = HSC_ROOT_CLASS, .target = id, .flags = HSC_ROOT_SECONDARY};
    HSD_TRY(hsd_hprof_put_string(&w->output, (hsd_bytes){(const uint8_t *)label, sizeof label - 1}, &root.label, err));
    HSD_WRITE(w->import, hsc_root(w->out, &root), err);
    return HSD_OK;
}

/* Threads that the dump names, values of ThreadLocals, and finalizers that are queued: then `next` leads on, at the end
 * to itself. */
static hsd_status name_instance(hprof_writing *w, const hprof_plan *plan, const uint8_t *data, size_t size,
                                hsc_object *object, hsd_error *err)
{
    static const char queue[] = "finalizer queue";
    const unsigned id_bytes = w->reader.id_bytes;
    if (plan->kind == HPROF_PLAN_THREAD) {
        hprof_thread *thread = hsd_hprof_thread_of_object(&w->self->stacks, object->id);
        return thread == NULL ? HSD_OK : hsd_hprof_thread_label(&w->roots, thread, &object->name, err);
    }
    if (plan->kind == HPROF_PLAN_LOCAL) {
        if ((uint64_t)plan->referent_offset + id_bytes > size) return HSD_OK;
        return hsd_hprof_name_local(w, hsd_hprof_id(data + plan->referent_offset, id_bytes), &object->name, err);
    }
    if (plan->kind == HPROF_PLAN_VALUES) return write_root_of_values(w, object->id, err);
    if (plan->kind == HPROF_PLAN_STACK) {
        object->size_bytes += hsd_hprof_stack_bytes(w->self, plan->words_offset, data, size);
        return HSD_OK;
    }
    if ((uint64_t)plan->next_offset + id_bytes > size || hsd_hprof_id(data + plan->next_offset, id_bytes) == 0)
        return HSD_OK;
    return hsd_hprof_put_string(&w->output, (hsd_bytes){(const uint8_t *)queue, sizeof queue - 1}, &object->name, err);
}

/* As if the referent referred to it. */
static hsd_status write_cleanable(hprof_writing *w, const hprof_plan *plan, const hprof_sub *sub, const uint8_t *data,
                                  size_t size, hsd_error *err)
{
    const unsigned id_bytes = w->reader.id_bytes;
    if ((uint64_t)plan->referent_offset + id_bytes > size) return HSD_OK;
    const uint64_t referent = hsd_hprof_id(data + plan->referent_offset, id_bytes);
    if (referent == 0) return HSD_OK;
    w->references++;
    HSD_WRITE(w->import, hsc_edge(w->out, referent, sub->id, w->cleanable_label, 0), err);
    return HSD_OK;
}

static uint64_t number_at(const uint8_t *at, unsigned width)
{
    return width == 8 ? hsd_hprof_u64(at) : width == 4 ? hsd_hprof_u32(at) : 0;
}

/* Bytes outside the heap that an instance owns; what its plan says there is. Numbers are signed in Java. */
/* Made by native code, which keeps it: known.h. */
static bool is_mapping_of_others(const hprof_outside *outside, const uint8_t *data, size_t size, unsigned id_bytes)
{
    if (!outside->has_address || (uint64_t)outside->address_offset + 8 > size) return false;
    if (!hsc_java_is_page(number_at(data + outside->address_offset, 8))) return false;
    if (!outside->has_cleaner || (uint64_t)outside->cleaner_offset + id_bytes > size) return true;
    return hsd_hprof_id(data + outside->cleaner_offset, id_bytes) == 0;
}

static uint64_t bytes_outside(const hprof_writing *w, const hprof_outside *outside, const uint8_t *data, size_t size)
{
    const unsigned id_bytes = w->reader.id_bytes, width = outside->size_width;
    if ((uint64_t)outside->size_offset + width > size) return 0;
    for (uint32_t i = 0; i < outside->view_count; i++) {
        const uint64_t offset = outside->view_offsets[i];
        if (offset + id_bytes > size || hsd_hprof_id(data + offset, id_bytes) != 0) return 0;
    }
    if (is_mapping_of_others(outside, data, size, id_bytes)) return 0;
    const uint64_t bytes = number_at(data + outside->size_offset, width);
    return bytes <= (UINT64_MAX >> (65 - 8 * width)) ? bytes : 0;
}

static hsd_status preview_instance(hprof_writing *w, const hprof_sub *sub, bool is_long, const uint8_t *data,
                                   size_t size, hsd_error *err)
{
    const size_t limit = is_long ? HPROF_LONG_PREVIEW_BYTES : HPROF_SHORT_PREVIEW_BYTES;
    const hprof_class *of = hsd_hprof_class(&w->self->classes, sub->class_id);
    HSD_TRY(hsd_hprof_preview_instance(w->self, of, data, size, limit, &w->value, err));
    return put_value(w, err);
}

/* The plan of the class of an instance. */
static inline hsd_status find_plan(hprof_writing *w, uint64_t class_id, const hprof_plan **out, hsd_error *err)
{
    const uint32_t number = hsd_id_table_find(&w->self->classes.table, class_id);
    *out = &w->plans.items[number];
    if (__builtin_expect((*out)->is_built, 1)) return HSD_OK;
    return hsd_hprof_build_plan(&w->plans, w->self, &w->output, number, err);
}

/* The data of an instance, or as much of it as the window takes. */
static inline hsd_status look_at_data(hprof_writing *w, const hprof_sub *sub, size_t *size, hsd_error *err)
{
    *size = (size_t)hsd_min_u64(sub->body, w->reader.source->window_bytes);
    const hsd_status status = hsd_hprof_peek(&w->reader, *size, err);
    return status == HSD_END ? hsd_hprof_cut(&w->reader, err) : status;
}

static inline __attribute__((always_inline)) hsd_status write_instance(hprof_writing *w, const hprof_sub *sub,
                                                                       const unsigned id_bytes, hsd_error *err)
{
    const hprof_plan *plan = NULL;
    size_t size = 0;
    HSD_TRY(find_plan(w, sub->class_id, &plan, err));
    HSD_TRY(look_at_data(w, sub, &size, err));
    const uint8_t *data = w->reader.source->at;
    if (__builtin_expect(plan->kind == HPROF_PLAN_CLASS, 0)) {
        const hprof_class *mirrored = hsd_hprof_class(&w->self->classes, sub->id);
        if (mirrored != NULL && mirrored->has_dump) {
            HSD_TRY(write_mirror_fields(w, plan, sub, data, size, err));
            return hsd_hprof_skip(&w->reader, sub->body, err);
        }
    }
    hsc_object object = {.id = sub->id,
                         .size_bytes = plan->size_bytes,
                         .type = plan->type,
                         .content = hash_content(w, plan, data, size)};
    if (__builtin_expect(plan->has_no_dump, 0)) {
        object.size_bytes += sub->body;
        w->unknown_class++;
    }
    if (__builtin_expect(plan->data_bytes > sub->body, 0)) w->short_instances++;
    if (__builtin_expect(plan->outside.size_width >= 4, 0))
        object.native_bytes = bytes_outside(w, &plan->outside, data, size);
    if (__builtin_expect(plan->kind >= HPROF_PLAN_THREAD, 0)) HSD_TRY(name_instance(w, plan, data, size, &object, err));
    HSD_TRY(hsd_hprof_begin_object(w, &object, sub->stack, err));
    if (__builtin_expect(plan->values != HPROF_VALUES_NONE, 0))
        HSD_TRY(preview_instance(w, sub, plan->values == HPROF_VALUES_LONG, data, size, err));
    HSD_TRY(write_slots(w, plan, id_bytes, data, size, object.name != 0 && object.name != w->statics.collected, err));
    HSD_TRY(hsd_hprof_refer(w, plan->class_target, w->class_label, 0, err));
    HSD_TRY(hsd_hprof_end_object(w, err));
    if (__builtin_expect(plan->is_cleanable, 0)) HSD_TRY(write_cleanable(w, plan, sub, data, size, err));
    return hsd_hprof_skip(&w->reader, sub->body, err);
}

/* ---- arrays ---- */

static uint32_t cut_flag(const hprof_sub *sub, unsigned head_bytes, unsigned width)
{
    return head_bytes + sub->body > SUB_RECORD_LIMIT - width ? HSC_OBJECT_CUT : 0;
}

/* The next piece of a body with `left` bytes: a multiple of 32, or all that is left. */
static hsd_status next_piece(hprof_writing *w, uint64_t left, size_t *size, hsd_error *err)
{
    const size_t limit = (size_t)hsd_min_u64(PIECE_BYTES, w->reader.source->window_bytes) & ~(size_t)31;
    *size = (size_t)hsd_min_u64(left, limit);
    const hsd_status status = hsd_hprof_peek(&w->reader, *size, err);
    return status == HSD_END ? hsd_hprof_cut(&w->reader, err) : status;
}

/* A class that is a root anyway: it holds itself, and what its statics hold hangs from them and not from a list of
 * classes. */
static bool is_root_class(const hprof_writing *w, uint64_t id)
{
    const uint32_t number = hsd_id_table_find(&w->self->classes.table, id);
    const hprof_class *of = &w->self->classes.items[number];
    return number != 0 && of->has_dump && (of->is_sticky || of->is_permanent);
}

/* In an array that begins with such a class references to all of them are weak, as in the list of its loader: any other
 * is not looked through. */
static hsd_status begins_with_root_class(hprof_writing *w, const hprof_sub *sub, const unsigned id_bytes, bool *begins,
                                         hsd_error *err)
{
    size_t size = 0;
    *begins = false;
    if (sub->body < id_bytes) return HSD_OK;
    HSD_TRY(next_piece(w, sub->body, &size, err));
    *begins = size >= id_bytes && is_root_class(w, hsd_hprof_id(w->reader.source->at, id_bytes));
    return HSD_OK;
}

static hsd_status write_classes_of_array(hprof_writing *w, const hprof_sub *sub, const unsigned id_bytes,
                                         hsd_error *err)
{
    uint64_t index = 0;
    for (uint64_t left = sub->body; left > 0;) {
        size_t size = 0;
        HSD_TRY(next_piece(w, left, &size, err));
        for (size_t i = 0; i < size; i += id_bytes, index++) {
            const uint64_t id = hsd_hprof_id(w->reader.source->at + i, id_bytes);
            HSD_TRY(hsd_hprof_refer(w, id, is_root_class(w, id) ? w->weak_element_label : w->element_label, index,
                                    err));
        }
        hsd_source_take(w->reader.source, size);
        left -= size;
    }
    return HSD_OK;
}

static inline __attribute__((always_inline)) hsd_status write_elements(hprof_writing *w, const hprof_sub *sub,
                                                                       const unsigned id_bytes, hsd_error *err)
{
    uint64_t index = 0;
    for (uint64_t left = sub->body; left > 0;) {
        size_t size = 0;
        HSD_TRY(next_piece(w, left, &size, err));
        const uint8_t *at = w->reader.source->at;
        for (size_t i = 0; i < size; i += id_bytes, index++)
            HSD_TRY(hsd_hprof_refer(w, hsd_hprof_id(at + i, id_bytes), w->element_label, index, err));
        hsd_source_take(w->reader.source, size);
        left -= size;
    }
    return HSD_OK;
}

static inline __attribute__((always_inline)) hsd_status write_object_array(hprof_writing *w, const hprof_sub *sub,
                                                                           const unsigned id_bytes, hsd_error *err)
{
    const hprof_plan *plan = NULL;
    const hprof_model *model = &w->self->model;
    HSD_TRY(find_plan(w, sub->class_id, &plan, err));
    hsc_object object = {.id = sub->id,
                         .type = plan->type,
                         .elements = sub->count,
                         .size_bytes = hsd_hprof_array_size(model, sub->count, model->reference),
                         .flags = cut_flag(sub, 9 + 2 * id_bytes, id_bytes)};
    HSD_TRY(hsd_hprof_begin_object(w, &object, sub->stack, err));
    const uint64_t class_target = plan->class_target;
    bool begins_with_class = false;
    HSD_TRY(begins_with_root_class(w, sub, id_bytes, &begins_with_class, err));
    if (begins_with_class)
        HSD_TRY(write_classes_of_array(w, sub, id_bytes, err));
    else
        HSD_TRY(write_elements(w, sub, id_bytes, err));
    HSD_TRY(hsd_hprof_refer(w, class_target, w->class_label, 0, err));
    return hsd_hprof_end_object(w, err);
}

/* Hashes the elements, takes them, and makes a preview of the first if that is wanted. */
static hsd_status read_elements(hprof_writing *w, const hprof_sub *sub, uint64_t *hash, hsd_error *err)
{
    hprof_content content;
    hsd_hprof_content_begin(&content);
    for (uint64_t left = sub->body; left > 0;) {
        size_t size = 0;
        HSD_TRY(next_piece(w, left, &size, err));
        const uint8_t *at = w->reader.source->at;
        const size_t whole = size & ~(size_t)31;
        hsd_hprof_content_add(&content, at, whole);
        if (w->import->options->with_values && left == sub->body)
            HSD_TRY(hsd_hprof_preview_array(sub->element, at, hsd_min_u64(size, HPROF_PREVIEW_BYTES),
                                            sub->body <= HPROF_PREVIEW_BYTES, &w->value, err));
        if (size == left) *hash = hsd_hprof_content_finish(&content, at + whole, size - whole);
        hsd_source_take(w->reader.source, size);
        left -= size;
    }
    return HSD_OK;
}

static hsd_status type_of_primitives(hprof_writing *w, uint8_t element, uint32_t *type, hsd_error *err)
{
    uint32_t *known = &w->primitive_type[element];
    if (*known == 0) {
        const char *name = hsd_hprof_prim_array_name(element);
        HSD_TRY(hsd_hprof_put_type(&w->output, (hsd_bytes){(const uint8_t *)name, strlen(name)}, known, err));
    }
    *type = *known;
    return HSD_OK;
}

static hsd_status write_prim_array(hprof_writing *w, const hprof_sub *sub, hsd_error *err)
{
    const unsigned width = hsd_hprof_width[sub->element];
    hsc_object object = {.id = sub->id,
                         .elements = sub->count,
                         .size_bytes = hsd_hprof_array_size(&w->self->model, sub->count, width),
                         .flags = cut_flag(sub, 10 + w->reader.id_bytes, width)};
    HSD_TRY(type_of_primitives(w, sub->element, &object.type, err));
    HSD_TRY(read_elements(w, sub, &object.content, err));
    HSD_TRY(hsd_hprof_begin_object(w, &object, sub->stack, err));
    HSD_TRY(put_value(w, err));
    return hsd_hprof_end_object(w, err);
}

/* ---- records ---- */

/* HEAP_DUMP_INFO: the heap ("app", "zygote", "image") of the objects that follow. */
static hsd_status enter_heap(hprof_writing *w, const hprof_sub *sub, hsd_error *err)
{
    const uint32_t number = hsd_id_table_find(&w->self->names.table, sub->class_id);
    return hsd_hprof_put_string(&w->output, hsd_hprof_name(&w->self->names, number), &w->category, err);
}

static hsd_status write_rare(hprof_writing *w, const hprof_sub *sub, hsd_error *err)
{
    switch (sub->tag) {
    case HPROF_CLASS: return hsd_hprof_write_class(w, sub->id, err);
    case HPROF_HEAP_INFO: return enter_heap(w, sub, err);
    case HPROF_NO_DATA_ARRAY: return write_prim_array(w, sub, err);
    default: return hsd_hprof_write_root(&w->roots, sub, err);
    }
}

static hsd_status tell_hprof_losses(hprof_writing *w, uint64_t offset, hsd_error *err)
{
    w->next_progress = offset + PROGRESS_BYTES;
    HSD_TRY(hsd_hprof_check_memory(w->self,
                                   hsd_hprof_output_memory(&w->output) + hsd_hprof_plans_memory(&w->plans) +
                                       hsd_hprof_statics_memory(&w->statics) + hsd_hprof_roots_memory(&w->roots),
                                   err));
    return hsd_progress(w->import->reporter, "importing the heap dump", offset, w->reader.total_bytes, err);
}

/* All sub-records of a segment. HSD_END at its end. */
static inline __attribute__((always_inline)) hsd_status write_segment(hprof_writing *w, const unsigned id_bytes,
                                                                      hsd_error *err)
{
    hprof_sub sub;
    for (;;) {
        HSD_TRY(hsd_hprof_next_sub(&w->reader, id_bytes, &sub, err));
        if (__builtin_expect(sub.offset >= w->next_progress, 0)) HSD_TRY(tell_hprof_losses(w, sub.offset, err));
        switch (sub.tag) {
        case HPROF_INSTANCE: HSD_TRY(write_instance(w, &sub, id_bytes, err)); break;
        case HPROF_OBJECT_ARRAY: HSD_TRY(write_object_array(w, &sub, id_bytes, err)); break;
        case HPROF_PRIM_ARRAY: HSD_TRY(write_prim_array(w, &sub, err)); break;
        default: HSD_TRY(write_rare(w, &sub, err)); break;
        }
    }
}

static __attribute__((noinline)) hsd_status write_segment_4(hprof_writing *w, hsd_error *err)
{
    return write_segment(w, 4, err);
}

static __attribute__((noinline)) hsd_status write_segment_8(hprof_writing *w, hsd_error *err)
{
    return write_segment(w, 8, err);
}

static hsd_status write_records(hprof_writing *w, hsd_error *err)
{
    hprof_record record;
    for (;;) {
        hsd_status status = hsd_hprof_next_record(&w->reader, &record, err);
        if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
        const bool is_heap = record.tag == HPROF_SEGMENT || record.tag == HPROF_HEAP_DUMP;
        if (is_heap && w->reader.dumps > w->self->dump) return HSD_OK;
        if (is_heap && w->reader.dumps == w->self->dump) {
            w->category = 0; /* the default heap, until HEAP_DUMP_INFO says otherwise */
            status = w->reader.id_bytes == 8 ? write_segment_8(w, err) : write_segment_4(w, err);
            if (status < 0) return status;
        }
        status = hsd_hprof_leave(&w->reader, &record, err);
        if (status != HSD_OK) return status == HSD_END ? HSD_OK : status; /* cut off in this record */
    }
}

/* ---- the whole ---- */

static hsd_status define_labels(hprof_writing *w, hsd_error *err)
{
    hprof_output *output = &w->output;
    static const char class_name[] = "java.lang.Class";
    HSD_TRY(hsd_hprof_put_label(output, HSC_LABEL_ELEMENT, 0, 0, &w->element_label, err));
    HSD_TRY(hsd_hprof_put_label(output, HSC_LABEL_ELEMENT, HSC_STRENGTH_WEAK, 0, &w->weak_element_label, err));
    HSD_TRY(hsd_hprof_put_named_label(output, HSC_LABEL_INTERNAL, 0, "cleaner", &w->cleanable_label, err));
    HSD_TRY(hsd_hprof_put_named_label(output, HSC_LABEL_CLASS, 0, "class", &w->class_label, err));
    HSD_TRY(hsd_hprof_put_named_label(output, HSC_LABEL_INTERNAL, 0, "super", &w->super_label, err));
    HSD_TRY(hsd_hprof_put_named_label(output, HSC_LABEL_INTERNAL, 0, "loader", &w->loader_label, err));
    HSD_TRY(hsd_hprof_put_named_label(output, HSC_LABEL_INTERNAL, 0, "signers", &w->signers_label, err));
    HSD_TRY(hsd_hprof_put_named_label(output, HSC_LABEL_INTERNAL, 0, "protection domain", &w->domain_label, err));
    HSD_TRY(hsd_hprof_put_named_label(output, HSC_LABEL_INTERNAL, 0, "constant pool", &w->constant_label, err));
    return hsd_hprof_put_type(output, (hsd_bytes){(const uint8_t *)class_name, sizeof class_name - 1}, &w->class_type,
                              err);
}

static hsd_status start_hprof_capture(hprof_writing *w, hsd_error *err)
{
    hprof *self = w->self;
    hsc_options options;
    hsc_options_init(&options);
    HSD_TRY(hsd_hprof_describe(self, &options, err));
    HSD_TRY(hsd_import_begin(w->import, &options, err));
    w->out = w->output.writer = w->import->writer;
    w->written = calloc(1, self->classes.table.count / 8 + 1);
    if (w->written == NULL) return hsd_fail_nomem(err, "the list of classes");
    HSD_TRY(hsd_hprof_begin_plans(&w->plans, self, err));
    HSD_TRY(define_labels(w, err));
    HSD_TRY(hsd_hprof_write_threads(&w->roots, err));
    hsd_hprof_begin_handles(&w->roots);
    w->has_sites = self->flavour == HPROF_AGENT;
    w->reader = self->reader;
    w->reader.limit = self->reader.cut_offset;
    w->reader.cut_offset = UINT64_MAX;
    w->reader.dumps = 0;
    w->reader.is_dump_open = false;
    return hsd_source_seek(w->reader.source, self->reader.first_record, err);
}

static hsd_status loss(hprof_writing *w, const char *what, uint64_t count, hsd_error *err)
{
    if (count > 0) HSD_WRITE(w->import, hsc_loss(w->out, what, count), err);
    return HSD_OK;
}

static hsd_status finish_hprof_capture(hprof_writing *w, hsd_error *err)
{
    const hprof *self = w->self;
    HSD_TRY(hsd_hprof_end_handles(&w->roots, err));
    HSD_TRY(loss(w, "bytes of heap segments that could not be read", self->reader.lost_bytes, err));
    HSD_TRY(loss(w, "instances of classes that the dump does not describe", w->unknown_class, err));
    HSD_TRY(loss(w, "instances shorter than their class says", w->short_instances, err));
    if (self->live_bytes > 0) HSD_WRITE(w->import, hsc_metric(w->out, "heap.used", "bytes", self->live_bytes), err);
    if (self->stacks.thread_table.count > 0)
        HSD_WRITE(w->import, hsc_metric(w->out, "threads", "count", self->stacks.thread_table.count), err);
    w->import->result->objects = hsc_object_count(w->out);
    w->import->result->references = w->references;
    w->import->result->bytes = w->bytes;
    return hsd_hprof_finish(self, err);
}

hsd_status hsd_hprof_write(hprof *self, hsd_error *err)
{
    hprof_writing w = {.self = self, .import = self->import};
    w.output.import = self->import;
    w.roots.self = self;
    w.roots.output = &w.output;
    hsd_status status = start_hprof_capture(&w, err);
    if (status == HSD_OK) status = write_records(&w, err);
    if (status == HSD_OK) status = finish_hprof_capture(&w, err);
    free(w.written);
    hsd_buffer_release(&w.value);
    hsd_hprof_statics_release(&w.statics);
    hsd_hprof_roots_release(&w.roots);
    hsd_hprof_plans_release(&w.plans);
    hsd_hprof_output_release(&w.output);
    return status;
}

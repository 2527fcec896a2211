/*
 * Making the plans: which bytes of an instance are references, what they are called, how strongly they
 * hold.
 *
 * Only the field `referent` of java.lang.ref.Reference holds less than strongly, and how depends on
 * the class of the object: weak and phantom references never retain; soft ones do, counted apart.
 * Every object with a finalizer has a final reference, which does not retain while something else does; once the object
 * was found dead it is in the queue of finalizers (its `next` is set), and then nothing but that reference holds the
 * object until its finalizer has run. The user may want all of them to retain.
 *
 * An object refers to its class, which keeps the class loader and all statics alive. Classes that go with the
 * program are roots anyway (STICKY_CLASS, and those of loader.c): references to them change nothing in what is live or
 * who dominates what, and are most of all, so they are left out.
 */
#include "import/hprof/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/hprof/java.h"
#include "import/hprof/value.h"

hsd_status hsd_hprof_begin_plans(hprof_plans *plans, const hprof *self, hsd_error *err)
{
    plans->count = self->classes.table.count + 1;
    plans->items = calloc(plans->count, sizeof *plans->items);
    if (plans->items == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory: %" PRIu32 " classes", plans->count);
    return HSD_OK;
}

hsd_status hsd_hprof_name_of_class(const hprof *self, const hprof_class *of, hsd_buffer *name, hsd_error *err)
{
    static const char unknown[] = "(unknown class)";
    const hsd_bytes raw = hsd_hprof_name(&self->names, of->name);
    const size_t start = name->size;
    if (raw.size > 0) {
        HSD_TRY(hsd_hprof_class_name(raw, name, err));
        HSD_TRY(hsd_buffer_reserve(name, HSC_JAVA_LAMBDA_BYTES, err));
        name->size = start + hsc_java_call_lambda(name->data + start, name->size - start);
        return HSD_OK;
    }
    return hsd_buffer_append(name, unknown, sizeof unknown - 1, err);
}

hsd_status hsd_hprof_type_of_class(const hprof *self, hprof_output *output, const hprof_class *of, uint32_t *type,
                                   hsd_error *err)
{
    hsd_buffer name = {0};
    hsd_status status = hsd_hprof_name_of_class(self, of, &name, err);
    if (status == HSD_OK) status = hsd_hprof_put_type(output, (hsd_bytes){name.data, name.size}, type, err);
    hsd_buffer_release(&name);
    return status;
}

/* ---- fields ---- */

/* One class while its plan is made. */
typedef struct making {
    hprof_plans *plans;
    const hprof *self;
    hprof_output *output;
    hprof_plan *plan;
    const hprof_class *leaf;       /* whose plan it is */
    const hsc_java_native *native; /* NULL = its instances own nothing outside the heap */
    uint64_t offset;               /* of the next field */
    bool joins_run;                /* the field before was primitive, too */
} making;

static hsd_bytes raw_name(const making *m, const hprof_class *of) { return hsd_hprof_name(&m->self->names, of->name); }

static bool descends(const making *m, const char *name)
{
    return hsd_hprof_descends(&m->self->classes, &m->self->names, m->leaf, name);
}

static uint32_t strength_of_referent(const making *m)
{
    if (descends(m, "java.lang.ref.SoftReference")) return HSC_STRENGTH_SOFT;
    if (descends(m, "java.lang.ref.WeakReference") || descends(m, "java.lang.ref.PhantomReference"))
        return HSC_STRENGTH_WEAK;
    if (descends(m, "java.lang.ref.FinalReference") || descends(m, "java.lang.ref.FinalizerReference"))
        return m->output->import->options->final_is_strong ? HSC_STRENGTH_STRONG : HSC_STRENGTH_WEAK;
    return HSC_STRENGTH_STRONG;
}

/* The flags of a field's label, and of the one it has where the instance is called something. */
static void flags_of_field(making *m, hsd_bytes class_name, hsd_bytes name, uint32_t *flags, uint32_t *named)
{
    *flags = hsc_java_known_fold(hsd_hprof_java(class_name), hsd_hprof_java(name)) ? HSC_LABEL_FOLD : 0;
    if (hsc_java_known_register(hsd_hprof_java(class_name), hsd_hprof_java(name)) ||
        (m->self->stacks.has_virtual && hsc_java_known_of_threads(hsd_hprof_java(class_name), hsd_hprof_java(name))))
        *flags |= HSC_STRENGTH_WEAK;
    *named = *flags;
    if (hsd_hprof_equals(class_name, "java.lang.Thread")) {
        if (hsd_hprof_equals(name, "threadLocals") || hsd_hprof_equals(name, "inheritableThreadLocals"))
            *named |= HSC_LABEL_NAMED_ROOT;
    } else if (hsd_hprof_equals(class_name, "java.lang.ref.Reference")) {
        if (hsd_hprof_equals(name, "referent")) {
            *flags |= strength_of_referent(m);
            m->plan->referent_offset = (uint32_t)m->offset;
            if (m->plan->kind != HPROF_PLAN_FINAL) *named |= *flags;
        } else if (hsd_hprof_equals(name, "next")) {
            m->plan->next_offset = (uint32_t)m->offset;
        }
    } else if (m->plan->kind == HPROF_PLAN_LOCAL && hsd_hprof_equals(name, "value")) {
        *named |= HSC_LABEL_NAMED_ROOT;
    }
}

static hsd_status add_slot(making *m, const hprof_class *owner, const hprof_field *field, hsd_error *err)
{
    uint8_t space[128];
    const hsd_bytes name = hsd_hprof_name(&m->self->names, field->name);
    const hsd_bytes class_name = hsd_hprof_dotted(raw_name(m, owner), space, sizeof space);
    hprof_reference slot = {.offset = (uint32_t)m->offset};
    uint32_t string = 0, flags, named;
    flags_of_field(m, class_name, name, &flags, &named);
    HSD_TRY(hsd_hprof_put_string(m->output, name, &string, err));
    HSD_TRY(hsd_hprof_put_label(m->output, HSC_LABEL_FIELD, flags, string, &slot.label, err));
    slot.named_label = slot.label;
    if (named != flags) HSD_TRY(hsd_hprof_put_label(m->output, HSC_LABEL_FIELD, named, string, &slot.named_label, err));
    hprof_plans *plans = m->plans;
    HSD_TRY(hsd_import_grow((void **)&plans->slots, &plans->slot_capacity, plans->slot_count, sizeof slot, err));
    plans->slots[plans->slot_count++] = slot;
    m->plan->slot_count++;
    return HSD_OK;
}

static hsd_status add_run(making *m, uint32_t size, hsd_error *err)
{
    hprof_plans *plans = m->plans;
    if (m->joins_run) {
        plans->runs[plans->run_count - 1].size += size;
        return HSD_OK;
    }
    HSD_TRY(hsd_import_grow((void **)&plans->runs, &plans->run_capacity, plans->run_count, sizeof *plans->runs, err));
    plans->runs[plans->run_count++] = (hprof_run){(uint32_t)m->offset, size};
    m->plan->run_count++;
    m->joins_run = true;
    return HSD_OK;
}

static hsc_java_name text(const char *name) { return (hsc_java_name){(const uint8_t *)name, strlen(name)}; }

/* Of a buffer: where its memory is, and who gives it back. */
static void note_origin(making *m, const hprof_field *field, hsd_bytes name)
{
    hprof_outside *outside = &m->plan->outside;
    if (hsd_hprof_is_reference(field->type) &&
        hsc_java_known_cleaner(text("java.nio.DirectByteBuffer"), hsd_hprof_java(name))) {
        outside->has_cleaner = true;
        outside->cleaner_offset = (uint32_t)m->offset;
    } else if (hsd_hprof_width[field->type] == 8 &&
               hsc_java_known_address(text("java.nio.Buffer"), hsd_hprof_java(name))) {
        outside->has_address = true;
        outside->address_offset = (uint32_t)m->offset;
    }
}

/* Fields that tell of memory outside the heap. */
static void note_outside(making *m, const hprof_field *field)
{
    hprof_outside *outside = &m->plan->outside;
    const hsd_bytes name = hsd_hprof_name(&m->self->names, field->name);
    if (m->native == NULL) return;
    note_origin(m, field, name);
    if (hsd_hprof_is_reference(field->type)) {
        if (outside->view_count < HPROF_MOST_VIEWS && hsc_java_is_view(m->native, hsd_hprof_java(name)))
            outside->view_offsets[outside->view_count++] = (uint32_t)m->offset;
    } else if (hsc_java_is_size(m->native, hsd_hprof_java(name))) {
        outside->size_offset = (uint32_t)m->offset;
        outside->size_width = hsd_hprof_width[field->type];
    }
}

static hsd_status add_field(making *m, const hprof_class *owner, const hprof_field *field, hsd_error *err)
{
    uint8_t space[128];
    note_outside(m, field);
    if (hsd_hprof_is_reference(field->type)) {
        m->joins_run = false;
        HSD_TRY(add_slot(m, owner, field, err));
        m->offset += m->self->reader.id_bytes;
        return HSD_OK;
    }
    const uint32_t width = hsd_hprof_width[field->type];
    const hsd_bytes class_name = hsd_hprof_dotted(raw_name(m, owner), space, sizeof space);
    if (hsc_java_known_cache(hsd_hprof_java(class_name), hsd_hprof_java(hsd_hprof_name(&m->self->names, field->name))))
        m->joins_run = false;
    else
        HSD_TRY(add_run(m, width, err));
    m->offset += width;
    return HSD_OK;
}

/* No instance of the class has more bytes than all of them together: fields behind that are not in
 * the dump, however many a class may claim. */
static hsd_status add_fields(making *m, uint64_t limit, hsd_error *err)
{
    const hprof_classes *classes = &m->self->classes;
    const hprof_class *of = m->leaf;
    for (unsigned depth = 0; of != NULL && depth < HPROF_MAX_DEPTH && m->offset <= limit; depth++) {
        for (uint32_t i = 0; i < of->field_count && m->offset <= limit; i++)
            HSD_TRY(add_field(m, of, &classes->fields[of->first_field + i], err));
        HSD_TRY(hsd_hprof_check_memory(m->self, hsd_hprof_plans_memory(m->plans) + hsd_hprof_output_memory(m->output),
                                       err));
        of = hsd_hprof_super(classes, of);
    }
    return HSD_OK;
}

hprof_plan_kind hsd_hprof_plan_kind_of(const hprof *self, const hprof_class *of)
{
    const hprof_names *names = &self->names;
    if (hsd_hprof_is_class(names, of, "java.lang.Class")) return HPROF_PLAN_CLASS;
    if (hsd_hprof_descends(&self->classes, names, of, "java.lang.Thread")) return HPROF_PLAN_THREAD;
    if (hsd_hprof_is_class(names, of, "java.lang.ThreadLocal$ThreadLocalMap$Entry")) return HPROF_PLAN_LOCAL;
    if (hsd_hprof_is_class(names, of, "java.lang.ClassValue$ClassValueMap")) return HPROF_PLAN_VALUES;
    if (hsd_hprof_is_class(names, of, "jdk.internal.vm.StackChunk")) return HPROF_PLAN_STACK;
    return hsd_hprof_descends(&self->classes, names, of, "java.lang.ref.FinalReference") ? HPROF_PLAN_FINAL
                                                                                         : HPROF_PLAN_PLAIN;
}

/* Only what the class itself declares, which stands before all that others do. */
uint32_t hsd_hprof_words_offset(const hprof *self, const hprof_class *of)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < of->field_count && offset < UINT32_MAX; i++) {
        const hprof_field *field = &self->classes.fields[of->first_field + i];
        const uint32_t width =
            hsd_hprof_is_reference(field->type) ? self->reader.id_bytes : hsd_hprof_width[field->type];
        if (field->type == HPROF_INT && hsd_hprof_equals(hsd_hprof_name(&self->names, field->name), "size"))
            return (uint32_t)offset;
        offset += width;
    }
    return UINT32_MAX;
}

uint64_t hsd_hprof_stack_bytes(const hprof *self, uint32_t words_offset, const uint8_t *data, size_t size)
{
    const uint64_t bits_of_word = self->model.reference == 4 ? 2 : 1;
    if ((uint64_t)words_offset + 4 > size) return 0;
    const uint64_t words = hsd_hprof_u32(data + words_offset);
    if (words > INT32_MAX) return 0; /* a number of Java is signed */
    return words * 8 + (words * bits_of_word + 63) / 64 * 8;
}

/* The class or one above it. */
static bool is_cleanable(const making *m)
{
    const hprof_class *of = m->leaf;
    for (unsigned depth = 0; of != NULL && depth < HPROF_MAX_DEPTH;
         depth++, of = hsd_hprof_super(&m->self->classes, of)) {
        uint8_t space[128];
        if (hsc_java_known_cleanable(hsd_hprof_java(hsd_hprof_dotted(raw_name(m, of), space, sizeof space))))
            return true;
    }
    return false;
}

static hprof_plan_values values_of_type(const hprof *self, const hprof_output *output, uint32_t type)
{
    const hsd_import_options *options = self->import->options;
    if (!self->keeps_values) return HPROF_VALUES_NONE;
    if (options->value_type_count > 0 && hsd_hprof_wants_values(options, hsd_names_get(&output->types, type - 1)))
        return HPROF_VALUES_LONG;
    return options->with_values ? HPROF_VALUES_SHORT : HPROF_VALUES_NONE;
}

hsd_status hsd_hprof_build_plan(hprof_plans *plans, const hprof *self, hprof_output *output, uint32_t class_number,
                                hsd_error *err)
{
    const hprof_class *leaf = &self->classes.items[class_number];
    hprof_plan *plan = &plans->items[class_number];
    making m = {.plans = plans, .self = self, .output = output, .plan = plan, .leaf = leaf};
    const uint64_t limit = hsd_min_u64(self->classes.tallies[class_number].bytes, UINT32_MAX - 8);
    *plan = (hprof_plan){.first_slot = (uint32_t)plans->slot_count,
                         .first_run = (uint32_t)plans->run_count,
                         .has_no_dump = !leaf->has_dump,
                         .next_offset = UINT32_MAX,
                         .referent_offset = UINT32_MAX,
                         .words_offset = UINT32_MAX,
                         .kind = (uint8_t)hsd_hprof_plan_kind_of(self, leaf),
                         .is_cleanable = is_cleanable(&m),
                         .size_bytes = hsd_hprof_instance_size(self, leaf)};
    HSD_TRY(hsd_hprof_type_of_class(self, output, leaf, &plan->type, err));
    if (plan->kind == HPROF_PLAN_STACK) plan->words_offset = hsd_hprof_words_offset(self, leaf);
    m.native = hsc_java_known_native(hsd_hprof_java(hsd_names_get(&output->types, plan->type - 1)));
    plan->values = values_of_type(self, output, plan->type);
    HSD_TRY(add_fields(&m, limit, err));
    plan->data_bytes = (uint32_t)m.offset;
    if (leaf->has_dump && !leaf->is_sticky && !leaf->is_permanent) plan->class_target = leaf->id;
    plan->is_built = true;
    return HSD_OK;
}

uint64_t hsd_hprof_plans_memory(const hprof_plans *plans)
{
    return plans->count * sizeof *plans->items + plans->slot_capacity * sizeof *plans->slots +
           plans->run_capacity * sizeof *plans->runs;
}

void hsd_hprof_plans_release(hprof_plans *plans)
{
    free(plans->items);
    free(plans->slots);
    free(plans->runs);
    *plans = (hprof_plans){0};
}

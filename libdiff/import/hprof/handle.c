/*
 * Which JNI globals of a HotSpot dump are the VM's own: it writes them with the same tag, behind those of native code.
 *
 *      | handles of native code | handles of the VM: the classes of int, byte … void, and what else it keeps |
 *
 * The handles of these nine classes are neighbours in memory, too; no native code keeps them so. Before them stands
 * one more at most, a neighbour as well. So a row of neighbours waits until one of them tells whose it is, and if it
 * gets long it is native code's. An agent in the JVM is told which are which; roots are called alike in both.
 */
#include "import/hprof/java.h"
#include "import/hprof/root.h"

/* ---- the classes of primitive types ---- */

static void note_type(hprof_handles *handles, const hprof *self, const hprof_class *box)
{
    for (uint32_t i = 0; i < box->static_count; i++) {
        const hprof_static *entry = &self->classes.statics[box->first_static + i];
        const bool is_type = hsd_hprof_equals(hsd_hprof_name(&self->names, entry->name), "TYPE");
        if (is_type && entry->value != 0 && handles->type_count < HPROF_PRIMITIVE_CLASSES)
            handles->types[handles->type_count++] = entry->value;
    }
}

void hsd_hprof_begin_handles(hprof_roots *roots)
{
    static const char *const boxes[HPROF_PRIMITIVE_CLASSES] = {
        "java.lang.Boolean", "java.lang.Byte",  "java.lang.Character", "java.lang.Short", "java.lang.Integer",
        "java.lang.Long",    "java.lang.Float", "java.lang.Double",    "java.lang.Void"};
    const hprof *self = roots->self;
    if (self->flavour != HPROF_HOTSPOT) return;
    for (unsigned i = 0; i < HPROF_PRIMITIVE_CLASSES; i++) {
        const hprof_class *box = hsd_hprof_class_named(&self->classes, &self->names, boxes[i]);
        if (box != NULL) note_type(&roots->handles, self, box);
    }
}

static bool is_type(const hprof_handles *handles, uint64_t id)
{
    for (unsigned i = 0; i < handles->type_count; i++)
        if (handles->types[i] == id) return true;
    return false;
}

/* ---- handles ---- */

static hsd_status write_waiting(hprof_roots *roots, uint8_t tag, hsd_error *err)
{
    hprof_handles *handles = &roots->handles;
    for (unsigned i = 0; i < handles->waiting_count; i++)
        HSD_TRY(hsd_hprof_write_plain_root(roots, tag, handles->waiting[i], err));
    handles->waiting_count = 0;
    return HSD_OK;
}

hsd_status hsd_hprof_write_handle(hprof_roots *roots, uint64_t target, uint64_t handle, hsd_error *err)
{
    hprof_handles *handles = &roots->handles;
    const unsigned id_bytes = roots->self->reader.id_bytes;
    if (handles->is_of_vm) return hsd_hprof_write_plain_root(roots, HPROF_VM_INTERNAL, target, err);
    if (handles->type_count < HPROF_PRIMITIVE_CLASSES)
        return hsd_hprof_write_plain_root(roots, HPROF_JNI_GLOBAL, target, err);
    const bool is_neighbour = handle - handles->last == id_bytes || handles->last - handle == id_bytes;
    if (!is_neighbour || handles->waiting_count == HPROF_WAITING_HANDLES)
        HSD_TRY(write_waiting(roots, HPROF_JNI_GLOBAL, err));
    handles->last = handle;
    handles->waiting[handles->waiting_count++] = target;
    handles->in_row = !is_type(handles, target) ? 0 : is_neighbour ? handles->in_row + 1 : 1;
    if (handles->in_row < HPROF_PRIMITIVE_CLASSES) return HSD_OK;
    handles->is_of_vm = true;
    return write_waiting(roots, HPROF_VM_INTERNAL, err);
}

hsd_status hsd_hprof_end_handles(hprof_roots *roots, hsd_error *err)
{
    return write_waiting(roots, HPROF_JNI_GLOBAL, err);
}

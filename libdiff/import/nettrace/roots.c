/*
 * What holds the heap. Static fields own; stacks, handles and the queue of finalizers are secondary, since in CoreCLR a
 * static field is itself an element of an array that a handle pins: else every static field would share all it has with
 * pinned handles. Statics of generic classes, which no event names, and the strings that string.Intern keeps stand in
 * such arrays, too; the thread statics of a thread in one by a handle that does not pin.
 *
 * The runtime tells of a static field its name and the type of what is in it, and not the class that declares it.
 */
#include "import/nettrace/heap.h"

enum { ROOT_STACK, ROOT_FINALIZER, ROOT_HANDLE };
enum { ROOT_PINNED = 0x1, ROOT_WEAK = 0x2, ROOT_COUNTED = 0x8 };
#define STATIC_THREAD_LOCAL 0x1u

static hsc_root_record describe_nettrace_root(unsigned kind, uint32_t flags)
{
    hsc_root_record root = {.kind = HSC_ROOT_HANDLE, .label = NETTRACE_STRING_HANDLE, .flags = HSC_ROOT_SECONDARY};
    if (kind == ROOT_STACK) {
        root.kind = HSC_ROOT_STACK;
        root.label = NETTRACE_STRING_STACK;
    } else if (flags & ROOT_COUNTED) {
        root.label = NETTRACE_STRING_COUNTED;
    } else if (kind == ROOT_FINALIZER) {
        root.kind = HSC_ROOT_FINALIZER;
        root.label = NETTRACE_STRING_FINALIZER;
    } else if (kind != ROOT_HANDLE) {
        root.kind = HSC_ROOT_RUNTIME;
        root.label = NETTRACE_STRING_OTHER;
    } else if (flags & ROOT_PINNED) {
        root.label = NETTRACE_STRING_PINNED;
    }
    return root;
}

hsd_status hsd_nettrace_roots(nettrace_heap *heap, nettrace_cursor *in, hsd_error *err)
{
    while (nettrace_left(in) > 0) {
        const uint64_t target = nettrace_number(in, heap->pointer_bytes);
        const unsigned kind = (unsigned)nettrace_number(in, 1);
        const uint32_t flags = nettrace_u32(in);
        nettrace_number(in, heap->pointer_bytes); /* where it stands */
        if (in->is_short) break;
        if (target == 0 || flags & ROOT_WEAK) continue;
        hsc_root_record root = describe_nettrace_root(kind, flags);
        root.target = target;
        HSD_WRITE(heap->import, hsc_root(heap->import->writer, &root), err);
    }
    return HSD_OK;
}

/* The value lives as long as its key does: as if the key referred to it. */
hsd_status hsd_nettrace_weak_table(nettrace_heap *heap, nettrace_cursor *in, hsd_error *err)
{
    while (nettrace_left(in) > 0) {
        const uint64_t key = nettrace_number(in, heap->pointer_bytes), value = nettrace_number(in, heap->pointer_bytes);
        nettrace_number(in, heap->pointer_bytes);
        if (in->is_short) break;
        if (key == 0 || value == 0) continue;
        HSD_WRITE(heap->import, hsc_edge(heap->import->writer, key, value, NETTRACE_LABEL_DEPENDENT, 0), err);
        heap->import->result->references++;
    }
    return HSD_OK;
}

hsd_status hsd_nettrace_com_roots(nettrace_heap *heap, nettrace_cursor *in, hsd_error *err)
{
    while (nettrace_left(in) > 0) {
        nettrace_u64(in);
        const hsc_root_record root = {.kind = HSC_ROOT_HANDLE,
                                      .label = NETTRACE_STRING_COUNTED,
                                      .target = nettrace_u64(in),
                                      .flags = HSC_ROOT_SECONDARY};
        nettrace_take(in, 28); /* type, interface, counts, flags */
        if (in->is_short) break;
        if (root.target != 0) HSD_WRITE(heap->import, hsc_root(heap->import->writer, &root), err);
    }
    return HSD_OK;
}

hsd_status hsd_nettrace_statics(nettrace_heap *heap, nettrace_cursor *in, hsd_error *err)
{
    while (nettrace_left(in) > 0) {
        uint32_t number;
        nettrace_u64(in);
        const uint64_t target = nettrace_u64(in), type = nettrace_u64(in);
        const uint32_t flags = nettrace_u32(in);
        const hsd_bytes field = nettrace_text(in);
        if (in->is_short) break;
        if (target == 0) continue;
        HSD_TRY(hsd_nettrace_types_static(&heap->types, type, field, (flags & STATIC_THREAD_LOCAL) != 0, &number, err));
        const hsc_root_record root = {
            .kind = HSC_ROOT_STATIC, .label = NETTRACE_STRING_STATICS + number, .target = target};
        HSD_WRITE(heap->import, hsc_root(heap->import->writer, &root), err);
    }
    return HSD_OK;
}

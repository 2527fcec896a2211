/*
 * Where the runtime's structures have what is read of them. Every offset is looked up by name in the DWARF of the very
 * program, so that a version differs only where it calls things otherwise; its other names stand behind the first.
 */
#include <stdlib.h>

#include "go/core/gocore.h"

typedef struct wanted {
    const char *type, *other_type, *path, *other_path;
    bool is_optional;
} wanted;

static const wanted all_wanted[GOCORE_FIELDS] = {
    [HEAP_SPANS] = {"runtime.mheap", NULL, "allspans", NULL, false},
    [HEAP_ARENAS] = {"runtime.mheap", NULL, "arenas", NULL, false},
    [SPAN_START] = {"runtime.mspan", NULL, "startAddr", NULL, false},
    [SPAN_PAGES] = {"runtime.mspan", NULL, "npages", NULL, false},
    [SPAN_SLOTS] = {"runtime.mspan", NULL, "nelems", NULL, false},
    [SPAN_FREE_INDEX] = {"runtime.mspan", NULL, "freeindex", NULL, false},
    [SPAN_ALLOC_BITS] = {"runtime.mspan", NULL, "allocBits", NULL, false},
    [SPAN_SLOT_BYTES] = {"runtime.mspan", NULL, "elemsize", NULL, false},
    [SPAN_CLASS] = {"runtime.mspan", NULL, "spanclass", NULL, false},
    [SPAN_STATE] = {"runtime.mspan", NULL, "state", NULL, false},
    [SPAN_SPECIALS] = {"runtime.mspan", NULL, "specials", NULL, true},
    [SPAN_LARGE_TYPE] = {"runtime.mspan", NULL, "largeType", NULL, true},
    [MODULE_DATA] = {"runtime.moduledata", NULL, "data", NULL, false},
    [MODULE_EDATA] = {"runtime.moduledata", NULL, "edata", NULL, false},
    [MODULE_BSS] = {"runtime.moduledata", NULL, "bss", NULL, false},
    [MODULE_EBSS] = {"runtime.moduledata", NULL, "ebss", NULL, false},
    [MODULE_DATA_MASK] = {"runtime.moduledata", NULL, "gcdatamask.bytedata", NULL, false},
    [MODULE_BSS_MASK] = {"runtime.moduledata", NULL, "gcbssmask.bytedata", NULL, false},
    [MODULE_TEXT] = {"runtime.moduledata", NULL, "text", NULL, false},
    [MODULE_NEXT] = {"runtime.moduledata", NULL, "next", NULL, true},
    [G_STACK_LOW] = {"runtime.g", NULL, "stack.lo", NULL, false},
    [G_STACK_HIGH] = {"runtime.g", NULL, "stack.hi", NULL, false},
    [G_SP] = {"runtime.g", NULL, "sched.sp", NULL, false},
    [G_PC] = {"runtime.g", NULL, "sched.pc", NULL, false},
    [G_BP] = {"runtime.g", NULL, "sched.bp", NULL, true},
    [G_SYSCALL_SP] = {"runtime.g", NULL, "syscallsp", NULL, true},
    [G_SYSCALL_PC] = {"runtime.g", NULL, "syscallpc", NULL, true},
    [G_STATUS] = {"runtime.g", NULL, "atomicstatus", NULL, false},
    [G_ID] = {"runtime.g", NULL, "goid", NULL, false},
    [G_START] = {"runtime.g", NULL, "startpc", NULL, true},
    [G_CREATED] = {"runtime.g", NULL, "gopc", NULL, true},
    [G_WAITING] = {"runtime.g", NULL, "waiting", NULL, true},
    [WAITING_NEXT] = {"runtime.sudog", NULL, "waitlink", NULL, true},
    [WAITING_VALUE] = {"runtime.sudog", "runtime.sudog", "elem.vu", "elem", true},
    [WAITING_CHANNEL] = {"runtime.sudog", "runtime.sudog", "c.maybeTraceablePtr.vu", "c", true},
    [CHANNEL_TYPE] = {"runtime.hchan", NULL, "elemtype", NULL, true},
    [SPECIAL_NEXT] = {"runtime.special", NULL, "next", NULL, true},
    [SPECIAL_OFFSET] = {"runtime.special", NULL, "offset", NULL, true},
    [SPECIAL_KIND] = {"runtime.special", NULL, "kind", NULL, true},
    [FINALIZER_FN] = {"runtime.specialfinalizer", NULL, "fn", NULL, true},
    [FINALIZER_TYPE] = {"runtime.specialfinalizer", NULL, "ot", NULL, true},
    [CLEANUP_FN] = {"runtime.specialCleanup", "runtime.specialCleanup", "cleanup.fn", "fn", true},
    [CLEANUP_ARG] = {"runtime.specialCleanup", NULL, "cleanup.arg", NULL, true},
    [QUEUE_NEXT] = {"runtime.finBlock", "runtime.finblock", "alllink", "alllink", true},
    [QUEUE_COUNT] = {"runtime.finBlock", "runtime.finblock", "cnt", "cnt", true},
    [QUEUE_ITEMS] = {"runtime.finBlock", "runtime.finblock", "fin", "fin", true},
    [QUEUED_FN] = {"runtime.finalizer", NULL, "fn", NULL, true},
    [QUEUED_ARG] = {"runtime.finalizer", NULL, "arg", NULL, true},
    [QUEUED_TYPE] = {"runtime.finalizer", NULL, "ot", NULL, true},
    [CLEANUPS_LIST] = {"runtime.cleanupQueue", NULL, "all", NULL, true},
    [CLEANUPS_NEXT] = {"runtime.cleanupBlockHeader", NULL, "alllink", NULL, true},
    [CLEANUPS_COUNT] = {"runtime.cleanupBlockHeader", NULL, "n", NULL, true},
    [CLEANUPS_ITEMS] = {"runtime.cleanupBlock", NULL, "cleanups", NULL, true},
    [QUEUED_CLEANUP_FN] = {"runtime.cleanupFn", NULL, "fn", NULL, true},
    [QUEUED_CLEANUP_ARG] = {"runtime.cleanupFn", NULL, "arg", NULL, true},
    [ARENA_BITS] = {"runtime.heapArena", NULL, "bitmap", NULL, true},
    [ARENA_NO_MORE] = {"runtime.heapArena", NULL, "noMorePtrs", NULL, true},
    [TYPE_SIZE] = {"runtime._type", "internal/abi.Type", "size", "Size_", true},
    [TYPE_POINTER_BYTES] = {"runtime._type", "internal/abi.Type", "ptrdata", "PtrBytes", true},
    [TYPE_MASK] = {"runtime._type", "internal/abi.Type", "gcdata", "GCData", true},
    [TYPE_FLAGS] = {"runtime._type", "internal/abi.Type", "tflag", "TFlag", true},
};

static bool find_layout(const hsd_go_types *types, const char *type, const char *path, gocore_place *place)
{
    uint32_t member;
    uint64_t offset;
    const uint32_t owner = type == NULL ? 0 : hsd_go_types_named(types, type);
    if (owner == 0 || !hsd_go_types_member(types, owner, path, &offset, &member)) return false;
    const uint64_t size = hsd_go_types_size(types, member);
    *place = (gocore_place){offset, size > 0 && size < 8 ? (unsigned)size : 8};
    return offset < UINT32_MAX;
}

static uint64_t size_of_type(const hsd_go_types *types, const char *name)
{
    const uint32_t type = hsd_go_types_named(types, name);
    return type == 0 ? 0 : hsd_go_types_size(types, type);
}

/* In 1.25 a block of cleanups has functions alone. */
static void find_queues(gocore *go)
{
    go->finalizer_bytes = size_of_type(&go->typing.types, "runtime.finalizer");
    go->cleanup_bytes = size_of_type(&go->typing.types, "runtime.cleanupFn");
    if (go->cleanup_bytes > 0) return;
    go->cleanup_bytes = 8;
    go->fields[QUEUED_CLEANUP_FN] = (gocore_place){0, 8};
}

static void choose_bits(gocore *go)
{
    const uint32_t marks = hsd_go_types_named(&go->typing.types, "runtime.spanInlineMarkBits");
    go->bits = go->fields[ARENA_NO_MORE].bytes != 0 ? GOCORE_BITS_ARENA : GOCORE_BITS_PAIRS;
    if (go->fields[ARENA_BITS].bytes == 0) go->bits = GOCORE_BITS_SPAN;
    go->inline_mark_bytes = marks == 0 ? 0 : hsd_go_types_size(&go->typing.types, marks);
    go->arena_base = go->core.machine == GOCORE_X86_64 ? UINT64_C(0xffff800000000000) : 0;
}

hsd_status hsd_gocore_find_layout(gocore *go, hsd_error *err)
{
    const hsd_go_types *types = &go->typing.types;
    for (int i = 0; i < GOCORE_FIELDS; i++) {
        const wanted *w = &all_wanted[i];
        if (find_layout(types, w->type, w->path, &go->fields[i])) continue;
        if (w->other_type != NULL && find_layout(types, w->other_type, w->other_path, &go->fields[i])) continue;
        if (!w->is_optional)
            return hsd_fail(err, HSD_E_UNSUPPORTED, "the runtime of %s has no %s.%s: its cores are not known",
                            go->version, w->type, w->path);
    }
    choose_bits(go);
    find_queues(go);
    return HSD_OK;
}

hsd_status hsd_gocore_field(gocore *go, uint64_t base, gocore_field field, uint64_t *out, hsd_error *err)
{
    uint8_t bytes[8];
    const gocore_place *place = &go->fields[field];
    *out = 0;
    if (place->bytes == 0) return HSD_OK;
    const hsd_status status = hsd_gomemory_read(&go->typing.memory, base + place->offset, bytes, place->bytes, err);
    if (status == HSD_END) return HSD_OK;
    if (status != HSD_OK) return status;
    for (unsigned i = 0; i < place->bytes; i++)
        *out |= (uint64_t)bytes[i] << 8 * i;
    return HSD_OK;
}

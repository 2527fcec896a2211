/*
 * What holds the heap from outside but for stacks: globals, word by word where the runtime's masks say that pointers
 * are, and finalizers.
 */
#include "base/check.h"
#include "go/core/gocore.h"

#include <inttypes.h>
#include <string.h>

enum {
    MOST_MODULES = 64,
    MOST_SPECIALS = 1 << 24,
    FINALIZER = 1,
    CLEANUP = 6,
    KINDS_BEHIND_TINY = 1, /* by so many all other kinds come later */
    TINY_SINCE = 25,
    MOST_DUE = 1 << 22, /* blocks and what is in them */
    MOST_QUEUED = 4096, /* in one block */
    PIECE_BYTES = 512,
    NAME_BYTES = 2048
};

bool hsd_gocore_target(const void *context, uint64_t value, uint64_t *target)
{
    const gocore *go = context;
    goslot slot;
    if (value < 4096 || !hsd_goslots_find(&go->typing.slots, value, &slot) ||
        !hsd_goslots_is_live(&go->typing.slots, slot.number))
        return false;
    *target = slot.begin;
    return true;
}

/* ---- globals ---- */

static hsd_status refer_static(gocore *go, const gostatic *one, uint64_t address, uint64_t target, hsd_error *err)
{
    uint32_t label;
    uint64_t index;
    if (target == one->address) return HSD_OK;
    HSD_TRY(hsd_gocore_put_label(go, hsd_gotyped_of_static(one), address - one->address, &label, &index, err));
    HSD_WRITE(go->import, hsc_edge(go->import->writer, one->address, target, label, index), err);
    go->import->result->references++;
    return HSD_OK;
}

static hsd_status name_global(gocore *go, const char *segment, uint64_t begin, uint64_t address, hsc_root_record *root,
                              hsd_error *err)
{
    char name[NAME_BYTES];
    bool is_runtime;
    const size_t size = hsd_gotyping_name_global(&go->typing, address, name, sizeof name, &is_runtime);
    if (size == 0) return hsd_gowriter_format(&go->out, &root->label, err, "%s+0x%" PRIx64, segment, address - begin);
    if (is_runtime) root->flags = HSC_ROOT_SECONDARY;
    return hsd_gowriter_string(&go->out, (hsd_bytes){(const uint8_t *)name, size}, &root->label, err);
}

static hsd_status write_global(gocore *go, const char *segment, uint64_t begin, uint64_t address, hsd_error *err)
{
    hsc_root_record root = {.kind = HSC_ROOT_GLOBAL};
    uint64_t value;
    HSD_TRY(hsd_gomemory_word(&go->typing.memory, address, &value, err));
    const bool is_in_heap = hsd_gocore_target(go, value, &root.target);
    gostatic *other = is_in_heap ? NULL : hsd_gostatics_at(&go->typing, value);
    if (!is_in_heap && other == NULL) return HSD_OK;
    if (is_in_heap && hsd_id_table_find(&go->canon, root.target) != 0) return HSD_OK;
    const gostatic *inside = hsd_gostatics_at(&go->typing, address);
    if (inside != NULL) return refer_static(go, inside, address, is_in_heap ? root.target : other->address, err);
    HSD_TRY(name_global(go, segment, begin, address, &root, err));
    /* A goroutine is a root itself; the runtime's own variables, runtime.m0 of the first thread, know which one runs.
     */
    const bool is_runtimes = (root.flags & HSC_ROOT_SECONDARY) != 0;
    if (is_runtimes && is_in_heap && hsd_id_table_find(&go->goroutines, root.target) != 0) return HSD_OK;
    if (!is_in_heap) return hsd_gowriter_root_static(&go->out, other, root.label, root.flags, err);
    HSD_WRITE(go->import, hsc_root(go->import->writer, &root), err);
    return HSD_OK;
}

static hsd_status write_segment(gocore *go, const char *name, uint64_t begin, uint64_t end, uint64_t mask,
                                hsd_error *err)
{
    uint8_t bytes[PIECE_BYTES];
    if (begin > end || end - begin > go->core.input.bytes) return HSD_OK;
    const uint64_t words = (end - begin) / 8;
    for (uint64_t first = 0; first < words; first += 8 * sizeof bytes) {
        const size_t size = (size_t)hsd_min_u64(sizeof bytes, (words - first + 7) / 8);
        const hsd_status status = hsd_gomemory_read(&go->typing.memory, mask + first / 8, bytes, size, err);
        if (status == HSD_END) return HSD_OK;
        if (status != HSD_OK) return status;
        for (uint64_t i = 0; i < 8 * size && first + i < words; i++)
            if ((bytes[i / 8] >> i % 8 & 1) != 0) HSD_TRY(write_global(go, name, begin, begin + 8 * (first + i), err));
    }
    return HSD_OK;
}

hsd_status hsd_gocore_find_globals(gocore *go, hsd_error *err)
{
    gostatics *statics = &go->typing.statics;
    const uint64_t module = hsd_gocore_symbol(go, SYM_MODULE);
    HSD_TRY(hsd_gocore_field(go, module, MODULE_DATA, &statics->begin[0], err));
    HSD_TRY(hsd_gocore_field(go, module, MODULE_EDATA, &statics->end[0], err));
    HSD_TRY(hsd_gocore_field(go, module, MODULE_BSS, &statics->begin[1], err));
    return hsd_gocore_field(go, module, MODULE_EBSS, &statics->end[1], err);
}

static hsd_status write_modules(gocore *go, hsd_error *err)
{
    uint64_t module = hsd_gocore_symbol(go, SYM_MODULE), begin, end, mask;
    for (unsigned i = 0; module != 0 && i < MOST_MODULES; i++) {
        HSD_TRY(hsd_gocore_field(go, module, MODULE_DATA, &begin, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_EDATA, &end, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_DATA_MASK, &mask, err));
        HSD_TRY(write_segment(go, "data", begin, end, mask, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_BSS, &begin, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_EBSS, &end, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_BSS_MASK, &mask, err));
        HSD_TRY(write_segment(go, "bss", begin, end, mask, err));
        HSD_TRY(hsd_gocore_field(go, module, MODULE_NEXT, &module, err));
    }
    return HSD_OK;
}

/* ---- finalizers and cleanups ---- */

typedef hsd_status (*finalizer_fn)(gocore *go, const gospan *span, uint64_t special, hsd_error *err);

static hsd_status write_finalizer(gocore *go, const gospan *span, uint64_t special, hsd_error *err)
{
    hsc_root_record root = {.kind = HSC_ROOT_FINALIZER, .flags = HSC_ROOT_SECONDARY};
    uint64_t offset, function;
    HSD_TRY(hsd_gocore_field(go, special, SPECIAL_OFFSET, &offset, err));
    HSD_TRY(hsd_gocore_field(go, special, FINALIZER_FN, &function, err));
    HSD_TRY(hsd_gowriter_format(&go->out, &root.label, err, "(finalizers)"));
    if (hsd_gocore_target(go, span->begin + offset, &root.target))
        HSD_WRITE(go->import, hsc_root(go->import->writer, &root), err);
    if (hsd_gocore_target(go, function, &root.target)) HSD_WRITE(go->import, hsc_root(go->import->writer, &root), err);
    return HSD_OK;
}

static hsd_status offer_finalized(gocore *go, const gospan *span, uint64_t special, hsd_error *err)
{
    uint64_t offset, type;
    HSD_TRY(hsd_gocore_field(go, special, SPECIAL_OFFSET, &offset, err));
    HSD_TRY(hsd_gocore_field(go, special, FINALIZER_TYPE, &type, err));
    return type == 0 ? HSD_OK : hsd_gotyping_offer_pointed(&go->typing, span->begin + offset, type, err);
}

/* What the function of a cleanup has, and its argument, is there because the object is: as if that referred to it. */
static hsd_status write_cleanup(gocore *go, const gospan *span, uint64_t special, hsd_error *err)
{
    static const gocore_field fields[] = {CLEANUP_FN, CLEANUP_ARG};
    uint64_t offset, value, object, target;
    uint32_t label;
    HSD_TRY(hsd_gocore_field(go, special, SPECIAL_OFFSET, &offset, err));
    if (!hsd_gocore_target(go, span->begin + offset, &object)) return HSD_OK;
    HSD_TRY(hsd_gocore_put_cleanup_label(go, &label, err));
    for (size_t i = 0; i < HSD_ARRAY_LEN(fields); i++) {
        HSD_TRY(hsd_gocore_field(go, special, fields[i], &value, err));
        if (!hsd_gocore_target(go, value, &target)) continue;
        HSD_WRITE(go->import, hsc_edge(go->import->writer, object, target, label, 0), err);
        go->import->result->references++;
    }
    return HSD_OK;
}

static hsd_status each_special(gocore *go, uint64_t kind_before_tiny, finalizer_fn tell, hsd_error *err)
{
    const goslots *slots = &go->typing.slots;
    const uint64_t wanted = kind_before_tiny + (go->minor >= TINY_SINCE ? KINDS_BEHIND_TINY : 0);
    uint64_t special, kind, left = MOST_SPECIALS; /* of all spans: a list that leads in circles ends there */
    for (uint32_t i = 0; i < slots->span_count; i++) {
        HSD_TRY(hsd_gocore_field(go, slots->spans[i].where[0], SPAN_SPECIALS, &special, err));
        for (; special != 0 && left > 0; left--) {
            HSD_TRY(hsd_gocore_field(go, special, SPECIAL_KIND, &kind, err));
            if (kind == wanted) HSD_TRY(tell(go, &slots->spans[i], special, err));
            HSD_TRY(hsd_gocore_field(go, special, SPECIAL_NEXT, &special, err));
        }
    }
    return HSD_OK;
}

/* What waits for a goroutine that calls it: the runtime has taken it from its object, and keeps it in blocks of its own
 * memory. */
typedef struct due_queue {
    gocore_symbol symbol;
    gocore_field list; /* behind the symbol; GOCORE_FIELDS: the symbol is the list */
    gocore_field next, count, items, fn, arg, type;
} due_queue;

static const due_queue due_queues[] = {
    {SYM_FINALIZERS, GOCORE_FIELDS, QUEUE_NEXT, QUEUE_COUNT, QUEUE_ITEMS, QUEUED_FN, QUEUED_ARG, QUEUED_TYPE},
    {SYM_CLEANUPS, CLEANUPS_LIST, CLEANUPS_NEXT, CLEANUPS_COUNT, CLEANUPS_ITEMS, QUEUED_CLEANUP_FN, QUEUED_CLEANUP_ARG,
     GOCORE_FIELDS},
};

typedef hsd_status (*due_fn)(gocore *go, const due_queue *queue, uint64_t item, hsd_error *err);

static hsd_status write_due(gocore *go, const due_queue *queue, uint64_t item, hsd_error *err)
{
    hsc_root_record root = {.kind = HSC_ROOT_FINALIZER};
    uint64_t function, argument;
    HSD_TRY(hsd_gocore_field(go, item, queue->fn, &function, err));
    HSD_TRY(hsd_gocore_field(go, item, queue->arg, &argument, err));
    HSD_TRY(hsd_gowriter_format(&go->out, &root.label, err, "(finalizer queue)"));
    if (hsd_gocore_target(go, argument, &root.target)) HSD_WRITE(go->import, hsc_root(go->import->writer, &root), err);
    if (hsd_gocore_target(go, function, &root.target)) HSD_WRITE(go->import, hsc_root(go->import->writer, &root), err);
    return HSD_OK;
}

static hsd_status offer_due(gocore *go, const due_queue *queue, uint64_t item, hsd_error *err)
{
    uint64_t argument, type;
    if (queue->type == GOCORE_FIELDS) return HSD_OK;
    HSD_TRY(hsd_gocore_field(go, item, queue->arg, &argument, err));
    HSD_TRY(hsd_gocore_field(go, item, queue->type, &type, err));
    return type == 0 ? HSD_OK : hsd_gotyping_offer_pointed(&go->typing, argument, type, err);
}

static hsd_status first_block(gocore *go, const due_queue *queue, uint64_t *block, hsd_error *err)
{
    *block = 0;
    if (go->symbols[queue->symbol].address == 0 || go->fields[queue->items].bytes == 0) return HSD_OK;
    const uint64_t symbol = hsd_gocore_symbol(go, queue->symbol);
    if (queue->list != GOCORE_FIELDS) return hsd_gocore_field(go, symbol, queue->list, block, err);
    return hsd_gomemory_word(&go->typing.memory, symbol, block, err);
}

static hsd_status each_of_block(gocore *go, const due_queue *queue, uint64_t block, uint64_t *left, due_fn tell,
                                hsd_error *err)
{
    const uint64_t bytes = queue->symbol == SYM_FINALIZERS ? go->finalizer_bytes : go->cleanup_bytes;
    const uint64_t items = block + go->fields[queue->items].offset;
    uint64_t count;
    HSD_TRY(hsd_gocore_field(go, block, queue->count, &count, err));
    count = hsd_min_u64(hsd_min_u64(count, MOST_QUEUED), *left);
    *left -= count;
    for (uint64_t at = 0; at < count; at++)
        HSD_TRY(tell(go, queue, items + at * bytes, err));
    return HSD_OK;
}

/* A list that leads in circles ends where it comes to a block that was met. */
static hsd_status each_block(gocore *go, const due_queue *queue, uint64_t *left, due_fn tell, hsd_error *err)
{
    uint64_t block, met = 0, blocks = 0;
    HSD_TRY(first_block(go, queue, &block, err));
    for (; block != 0 && block != met && *left > 0; *left -= *left > 0) {
        if ((blocks & (blocks + 1)) == 0) met = block;
        blocks++;
        HSD_TRY(each_of_block(go, queue, block, left, tell, err));
        HSD_TRY(hsd_gocore_field(go, block, queue->next, &block, err));
    }
    return HSD_OK;
}

static hsd_status each_due(gocore *go, due_fn tell, hsd_error *err)
{
    uint64_t left = MOST_DUE;
    for (size_t i = 0; i < HSD_ARRAY_LEN(due_queues); i++)
        HSD_TRY(each_block(go, &due_queues[i], &left, tell, err));
    return HSD_OK;
}

hsd_status hsd_gocore_offer_finalized(gocore *go, hsd_error *err)
{
    HSD_TRY(each_special(go, FINALIZER, offer_finalized, err));
    return each_due(go, offer_due, err);
}

hsd_status hsd_gocore_write_roots(gocore *go, hsd_error *err)
{
    HSD_TRY(write_modules(go, err));
    HSD_TRY(hsd_gowriter_root_statics(&go->out, err));
    HSD_TRY(each_special(go, FINALIZER, write_finalizer, err));
    if (go->fields[CLEANUP_FN].bytes > 0) HSD_TRY(each_special(go, CLEANUP, write_cleanup, err));
    HSD_TRY(each_due(go, write_due, err));
    return hsd_gocore_write_stacks(go, err);
}

/*
 * The dump once more, into the capture: each object with its references, and what holds the heap from outside:
 *
 *      data, bss           main.cache, main.server.handlers    by the executable, where there is one
 *                          data+0x1a20, bss+0x40     else by their place in the segment
 *                          main.reg                a value without a name that a variable points to is an object of no bytes
 *      goroutines          goroutines in main.handle   by the function that they were started with; with the executable, and where:
 *                          goroutines in main.handle (started at server.go:41). Each is a thread with its frames
 *      timers              timer main.expire           by what they will call; secondary
 *      finalizers          (finalizers)              what is kept for one that may come is secondary
 *      other roots         by the name that the dump gives
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "go/heap/goheap.h"

enum { PROGRESS_EVERY = 4096, NAME_BYTES = 1024, NO_THREAD = 0, TOLD_WORDS = 8192 };

typedef struct writing {
    goheap *go;
    uint32_t thread;                /* goroutine that was told last */
    const goheap_pattern *pattern;  /* of the object under way */
    uint64_t address;               /* of the object or the segment under way */
    hsc_root_record root;           /* of the bytes under way */
    hsc_root_record goroutine;      /* of the one that was told last */
    bool is_main;                   /* that is the main one */
    uint64_t told[TOLD_WORDS / 64]; /* of the frame under way: words that its list of pointers has, one bit each */
    bool is_timer_list;             /* is the object under way one */
    const char *segment;
} writing;

/* ---- objects ---- */

/* Goroutines hang from where they were started, and timers from what they will call, not from what happens to list
 * them. */
static bool has_own_root(const writing *w, uint64_t target)
{
    if (w->is_timer_list && hsd_goheap_is_timer(w->go, target)) return true;
    return hsd_id_table_find(&w->go->goroutines, target) != 0;
}

static hsd_status tell_reference(void *context, uint64_t offset, uint64_t value, hsd_error *err)
{
    writing *w = context;
    uint64_t target, index = 0;
    uint32_t label = 0;
    if (!hsd_goheap_index_find(&w->go->index, value, &target)) return HSD_OK;
    const uint32_t slot = hsd_id_table_find(&w->go->slots, target);
    if (slot != 0 && target != w->address) w->go->is_referred[slot - 1] = 1;
    if (has_own_root(w, target))
        HSD_TRY(hsd_goheap_put_waiting_label(w->go, &label, err));
    else
        HSD_TRY(hsd_goheap_label_of(w->go, w->address, offset, &label, &index, err));
    if (label == 0) HSD_TRY(hsd_goheap_put_label(w->go, w->pattern, offset, &label, &index, err));
    HSD_WRITE(w->go->import, hsc_reference(w->go->import->writer, target, label, index), err);
    w->go->import->result->references++;
    return HSD_OK;
}

static hsd_status write_object(writing *w, hsd_error *err)
{
    goheap *go = w->go;
    hsc_writer *writer = go->import->writer;
    goheap_content content;
    goheap_pattern pattern;
    hsc_object object = {0};
    HSD_TRY(hsd_goheap_number(go, &object.id, err));
    HSD_TRY(hsd_goheap_open_content(go, &content, err));
    HSD_TRY(hsd_goheap_read_pattern(go, &pattern, err));
    HSD_TRY(hsd_goheap_type_of(go, object.id, &object.type, err));
    if (object.type == 0) HSD_TRY(hsd_goheap_put_type(go, content.size, &pattern, &object.type, err));
    w->address = object.id;
    go->import->result->objects++;
    go->import->result->bytes = hsd_add_saturating(go->import->result->bytes, content.size);
    if (go->import->options->summary_only) {
        HSD_WRITE(go->import, hsc_count(writer, object.type, 1, content.size), err);
        return HSD_OK;
    }
    object.size_bytes = content.size;
    object.site = hsd_goheap_site_of(go, object.id);
    if (pattern.count > 0) HSD_TRY(hsd_goheap_mapped_bytes(go, &content, &object.native_bytes, err));
    w->pattern = &pattern;
    w->is_timer_list = hsd_goheap_is_timer_list(go, object.type);
    HSD_WRITE(go->import, hsc_begin_object(writer, &object), err);
    if (pattern.count > 0) HSD_TRY(hsd_goheap_read_content(go, &content, tell_reference, w, err));
    HSD_WRITE(go->import, hsc_end_object(writer), err);
    return HSD_OK;
}

/* ---- roots ---- */

static hsd_status write_root(writing *w, uint64_t value, hsd_error *err)
{
    if (!hsd_goheap_index_find(&w->go->index, value, &w->root.target)) return HSD_OK;
    HSD_WRITE(w->go->import, hsc_root(w->go->import->writer, &w->root), err);
    return HSD_OK;
}

/* Of a word of the globals: into the heap, or to a value without a name; 0 = neither. */
static uint64_t target_of(const goheap *go, uint64_t value)
{
    uint64_t target;
    if (!hsd_goheap_index_find(&go->index, value, &target)) hsd_goheap_static_at(go, value, &target);
    return target;
}

static hsd_status tell_global(void *context, uint64_t offset, uint64_t value, hsd_error *err)
{
    writing *w = context;
    char name[2 * NAME_BYTES];
    size_t size;
    bool is_runtime;
    uint64_t inside;
    const uint64_t target = target_of(w->go, value);
    if (target == 0) return HSD_OK;
    hsd_goheap_global_at(w->go, w->address + offset, name, sizeof name, &size, &is_runtime);
    hsd_goheap_static_at(w->go, w->address + offset, &inside);
    if (size == 0 && inside != 0)
        return inside == target ? HSD_OK : hsd_goheap_refer_static(w->go, inside, w->address + offset, target, err);
    w->root.flags = is_runtime ? HSC_ROOT_SECONDARY : 0;
    if (size > 0)
        HSD_TRY(hsd_gowriter_string(&w->go->out, (hsd_bytes){(const uint8_t *)name, size}, &w->root.label, err));
    else
        HSD_TRY(hsd_gowriter_format(&w->go->out, &w->root.label, err, "%s+0x%" PRIx64, w->segment, offset));
    if (!hsd_goheap_index_find(&w->go->index, value, &w->root.target))
        return hsd_goheap_root_static(w->go, target, w->root.label, w->root.flags, err);
    return write_root(w, value, err);
}

static hsd_status write_segment(writing *w, const char *name, hsd_error *err)
{
    goheap_content content;
    HSD_TRY(hsd_goheap_number(w->go, &w->address, err));
    HSD_TRY(hsd_goheap_open_content(w->go, &content, err));
    w->root = (hsc_root_record){.kind = HSC_ROOT_GLOBAL};
    w->segment = name;
    return hsd_goheap_read_content(w->go, &content, tell_global, w, err);
}

/* The variable that a word of a frame is, where it is known: of the main goroutine, with the program at hand. */
static hsd_status find_local(writing *w, uint64_t offset, uint32_t *label, hsd_error *err)
{
    if (!w->is_main || w->go->typed == NULL) return HSD_OK;
    return hsd_gowriter_local(&w->go->out, w->address + offset, label, err);
}

static hsd_status tell_local(void *context, uint64_t offset, uint64_t value, hsd_error *err)
{
    writing *w = context;
    const uint64_t word = offset / w->go->pointer_bytes;
    if (word < TOLD_WORDS) w->told[word / 64] |= UINT64_C(1) << word % 64;
    w->root.label = w->goroutine.label;
    HSD_TRY(find_local(w, offset, &w->root.label, err));
    return write_root(w, value, err);
}

/* A word that is no pointer by the list. What objects refer to is held by them, unless the variable is known. */
static hsd_status tell_other(void *context, uint64_t offset, uint64_t value, hsd_error *err)
{
    writing *w = context;
    const goheap *go = w->go;
    const uint64_t word = offset / go->pointer_bytes;
    uint64_t target;
    if (word < TOLD_WORDS && (w->told[word / 64] >> word % 64 & 1) != 0) return HSD_OK;
    if (!hsd_goheap_index_find(&go->index, value, &target)) return HSD_OK;
    const uint32_t slot = hsd_id_table_find(&go->slots, target);
    w->root.label = 0;
    HSD_TRY(find_local(w, offset, &w->root.label, err));
    if (w->root.label == 0 && (slot == 0 || go->is_referred[slot - 1] != 0)) return HSD_OK;
    if (w->root.label == 0) w->root.label = w->goroutine.label;
    return write_root(w, value, err);
}

/*
 * The list has no variable whose address is taken: since 1.12 Go finds these from the pointers to them. A collection
 * ran just before, so what words of frames lead to was held, and where nothing else leads there, by them.
 */
static hsd_status write_slots(writing *w, const goheap_content *content, hsd_error *err)
{
    memset(w->told, 0, sizeof w->told);
    HSD_TRY(hsd_goheap_read_content(w->go, content, tell_local, w, err));
    w->root.flags |= HSC_ROOT_SECONDARY;
    return hsd_goheap_read_words(w->go, content, tell_other, w, err);
}

static hsd_status write_goroutine(writing *w, hsd_error *err)
{
    static const goheap_start unknown;
    uint64_t numbers[8], rest[4];
    hsd_bytes reason;
    uint32_t name;
    HSD_TRY(hsd_goheap_numbers(w->go, numbers, 8, err));
    HSD_TRY(hsd_goheap_text(w->go, NAME_BYTES, &reason, err));
    HSD_TRY(hsd_goheap_numbers(w->go, rest, 4, err));
    HSD_TRY(hsd_gowriter_format(&w->go->out, &name, err, "goroutine %" PRIu64, numbers[2]));
    if (w->thread == INT32_MAX) return hsd_goheap_corrupt(w->go, "it has more goroutines than there can be", err);
    HSD_WRITE(w->go->import, hsc_define_thread(w->go->import->writer, ++w->thread, name), err);
    const goheap_start *start = hsd_goheap_start_of(w->go, numbers[0]);
    w->root = (hsc_root_record){.kind = HSC_ROOT_STACK, .thread = w->thread};
    HSD_TRY(hsd_goheap_goroutine_label(w->go, start == NULL ? &unknown : start, &w->root.label, &w->root.flags, err));
    w->goroutine = w->root;
    w->is_main = numbers[2] == GOROUTINE_MAIN;
    HSD_TRY(write_root(w, rest[0], err));
    w->root.flags = HSC_ROOT_SECONDARY; /* from it the whole runtime can be reached */
    return write_root(w, numbers[0], err);
}

static hsd_status write_frame(writing *w, hsd_error *err)
{
    goheap *go = w->go;
    uint64_t head[3], pcs[3];
    goheap_content content;
    hsd_bytes function;
    uint32_t name;
    HSD_TRY(hsd_goheap_numbers(go, head, 3, err));
    HSD_TRY(hsd_goheap_open_content(go, &content, err));
    HSD_TRY(hsd_goheap_numbers(go, pcs, 3, err));
    HSD_TRY(hsd_goheap_text(go, NAME_BYTES, &function, err));
    content.fields_offset = hsd_source_offset(go->source);
    const uint32_t depth = (uint32_t)hsd_min_u64(head[1], INT32_MAX - 1);
    HSD_TRY(hsd_gowriter_string(&go->out, function, &name, err));
    if (w->thread == NO_THREAD) { /* a frame of no goroutine: others have their goroutine's label */
        const hsd_bytes text = hsd_names_get(&go->out.strings.names, name - 1);
        w->root = (hsc_root_record){.kind = HSC_ROOT_STACK};
        HSD_TRY(hsd_gowriter_format(&go->out, &w->root.label, err, "goroutines in %.*s", (int)text.size,
                                    (const char *)text.data));
        w->goroutine = w->root;
        return write_slots(w, &content, err);
    }
    HSD_WRITE(go->import, hsc_frame(go->import->writer, w->thread, depth, name, 0, 0), err);
    w->goroutine.frame = depth + 1;
    w->root = w->goroutine;
    w->address = head[0];
    return write_slots(w, &content, err);
}

static hsd_status write_finalizer(writing *w, bool is_queued, hsd_error *err)
{
    uint64_t numbers[5];
    HSD_TRY(hsd_goheap_numbers(w->go, numbers, 5, err));
    w->root = (hsc_root_record){.kind = HSC_ROOT_FINALIZER, .flags = is_queued ? 0 : HSC_ROOT_SECONDARY};
    HSD_TRY(hsd_gowriter_format(&w->go->out, &w->root.label, err, is_queued ? "(finalizer queue)" : "(finalizers)"));
    HSD_TRY(write_root(w, numbers[0], err));
    return write_root(w, numbers[1], err);
}

static hsd_status write_other_root(writing *w, hsd_error *err)
{
    hsd_bytes text;
    uint64_t value;
    w->root = (hsc_root_record){.kind = HSC_ROOT_RUNTIME};
    HSD_TRY(hsd_goheap_text(w->go, NAME_BYTES, &text, err));
    HSD_TRY(hsd_gowriter_string(&w->go->out, text, &w->root.label, err));
    HSD_TRY(hsd_goheap_number(w->go, &value, err));
    return write_root(w, value, err);
}

/* ---- all ---- */

static hsd_status write_record(writing *w, uint64_t tag, hsd_error *err)
{
    if (tag == GOHEAP_OBJECT) return write_object(w, err);
    if (w->go->import->options->summary_only) return hsd_goheap_skip_record(w->go, tag, err);
    switch (tag) {
    case GOHEAP_DATA: return write_segment(w, "data", err);
    case GOHEAP_BSS: return write_segment(w, "bss", err);
    case GOHEAP_GOROUTINE: return write_goroutine(w, err);
    case GOHEAP_FRAME: return write_frame(w, err);
    case GOHEAP_FINALIZER: return write_finalizer(w, false, err);
    case GOHEAP_QUEUED_FINALIZER: return write_finalizer(w, true, err);
    case GOHEAP_OTHER_ROOT: return write_other_root(w, err);
    default: return hsd_goheap_skip_record(w->go, tag, err);
    }
}

/* Of memstats, by their places in the dump (runtime.MemStats up to PauseTotalNs). */
static hsd_status write_metrics(goheap *go, hsd_error *err)
{
    enum { HEAP_ALLOC = 6, HEAP_SYS = 7, HEAP_RELEASED = 10, NEXT_GC = 21, PAUSE_TOTAL = 23 };
    hsc_writer *writer = go->import->writer;
    if (!go->has_stats) return HSD_OK;
    const uint64_t *stats = go->stats;
    const uint64_t committed = stats[HEAP_SYS] > stats[HEAP_RELEASED] ? stats[HEAP_SYS] - stats[HEAP_RELEASED] : 0;
    HSD_WRITE(go->import, hsc_metric(writer, "heap.used", "bytes", stats[HEAP_ALLOC]), err);
    HSD_WRITE(go->import, hsc_metric(writer, "heap.committed", "bytes", committed), err);
    HSD_WRITE(go->import, hsc_metric(writer, "heap.next_gc", "bytes", stats[NEXT_GC]), err);
    HSD_WRITE(go->import, hsc_metric(writer, "gc.count", "count", go->collections), err);
    HSD_WRITE(go->import, hsc_metric(writer, "gc.pause", "ns", stats[PAUSE_TOTAL]), err);
    return HSD_OK;
}

static hsd_status write_records(writing *w, hsd_error *err)
{
    goheap *go = w->go;
    uint64_t tag;
    HSD_TRY(hsd_source_rewind(go->source, err));
    HSD_TRY(hsd_source_skip(go->source, GOHEAP_MAGIC_BYTES, err));
    for (uint64_t records = 0; hsd_source_offset(go->source) < go->end_offset; records++) {
        HSD_TRY(hsd_goheap_number(go, &tag, err));
        HSD_TRY(write_record(w, tag, err));
        if (records % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(go->import->reporter, "importing", hsd_source_offset(go->source),
                                 go->source->total_bytes, err));
    }
    return HSD_OK;
}

hsd_status hsd_goheap_write(goheap *go, hsd_error *err)
{
    writing w = {.go = go};
    HSD_TRY(hsd_goheap_write_tables(go, err));
    if (!go->import->options->summary_only) {
        HSD_TRY(hsd_gowriter_statics(&go->out, err));
        HSD_TRY(hsd_gowriter_timers(&go->out, err));
    }
    HSD_TRY(write_records(&w, err));
    if (!go->import->options->summary_only) HSD_TRY(hsd_gowriter_root_statics(&go->out, err));
    return write_metrics(go, err);
}

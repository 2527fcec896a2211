/*
 * What holds the heap from outside, with names that say so:
 *
 *      JAVA_FRAME, JNI_LOCAL with a known frame    thread "main", com.x.Main.run(Main.java:12)
 *      … without one, THREAD_OBJECT, THREAD_BLOCK  thread "main"
 *      of a virtual thread                         virtual threads in com.x.Main.ask(Main.java:30)
 *      everything else                             by kind: (JNI globals), (system classes) …
 *
 * Allocation sites are in dumps of the hprof agent alone: there every object names the stack trace of
 * its allocation. A capture keeps them as a tree of frames, outermost first.
 */
#include "import/hprof/root.h"

#include "base/check.h"

typedef struct root_kind {
    uint8_t tag;
    hsc_root_kind kind;
    const char *label; /* NULL = from the thread */
    uint32_t flags;    /* SECONDARY: the VM's own hold, for a moment or for its own sake */
} root_kind;

static const root_kind root_kinds[] = {
    {HPROF_UNKNOWN_ROOT, HSC_ROOT_UNKNOWN, "(unknown roots)", 0},
    {HPROF_JNI_GLOBAL, HSC_ROOT_HANDLE, "(JNI globals)", 0},
    {HPROF_JNI_LOCAL, HSC_ROOT_HANDLE, NULL, HSC_ROOT_SECONDARY},
    {HPROF_JAVA_FRAME, HSC_ROOT_STACK, NULL, HSC_ROOT_SECONDARY},
    {HPROF_NATIVE_STACK, HSC_ROOT_STACK, NULL, HSC_ROOT_SECONDARY},
    {HPROF_STICKY_CLASS, HSC_ROOT_CLASS, "(system classes)", 0},
    {HPROF_THREAD_BLOCK, HSC_ROOT_THREAD, NULL, 0},
    {HPROF_MONITOR_USED, HSC_ROOT_MONITOR, "(monitors)", 0},
    {HPROF_THREAD_OBJECT, HSC_ROOT_THREAD, NULL, 0},
    {HPROF_INTERNED, HSC_ROOT_INTERNED, "(interned strings)", 0},
    {HPROF_FINALIZING, HSC_ROOT_FINALIZER, "(finalizing)", 0},
    {HPROF_DEBUGGER, HSC_ROOT_RUNTIME, "(debugger)", HSC_ROOT_SECONDARY},
    {HPROF_CLEANUP, HSC_ROOT_RUNTIME, "(reference cleanup)", HSC_ROOT_SECONDARY},
    {HPROF_VM_INTERNAL, HSC_ROOT_RUNTIME, "(VM internals)", HSC_ROOT_SECONDARY},
    {HPROF_JNI_MONITOR, HSC_ROOT_MONITOR, "(JNI monitors)", 0},
};

static const root_kind *find_kind(uint8_t tag)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(root_kinds); i++)
        if (root_kinds[i].tag == tag) return &root_kinds[i];
    return NULL; /* UNREACHABLE is no root, nor is HEAP_INFO */
}

/* ---- labels ---- */

static hsd_status finish_text(hprof_roots *roots, hsd_status status, uint32_t *string, hsd_error *err)
{
    if (status == HSD_OK)
        status = hsd_hprof_put_string(roots->output, (hsd_bytes){roots->text.data, roots->text.size}, string, err);
    hsd_buffer_clear(&roots->text);
    return status;
}

/* There are thousands of them, without names: by where they stand, in frame `own` of theirs, 0 = nowhere. */
static hsd_status virtual_text(hprof_roots *roots, const hprof_thread *thread, uint32_t own, hsd_error *err)
{
    static const char called[] = "virtual threads";
    const hprof *self = roots->self;
    const hprof_trace *trace = hsd_hprof_trace(&self->stacks, thread->trace);
    const hprof_frame *frame = NULL;
    if (own > 0 && trace != NULL && own <= trace->frame_count)
        frame = hsd_hprof_frame(&self->stacks, self->stacks.frame_ids[trace->first_frame + own - 1]);
    HSD_TRY(hsd_buffer_append(&roots->text, called, sizeof called - 1, err));
    if (frame == NULL) return HSD_OK;
    HSD_TRY(hsd_buffer_append(&roots->text, " in ", 4, err));
    return hsd_hprof_frame_text(frame, &self->classes, &self->names, true, &roots->text, err);
}

/* For a thread that no record names there is none to remember it by. */
static hsd_status label_of_serial(hprof_roots *roots, hprof_thread *thread, uint32_t serial, uint32_t *string,
                                  hsd_error *err)
{
    if (thread != NULL && thread->label != 0) {
        *string = thread->label;
        return HSD_OK;
    }
    const hsd_status status = thread != NULL && thread->is_virtual
                                  ? virtual_text(roots, thread, thread->own, err)
                                  : hsd_hprof_thread_text(thread, serial, &roots->self->names, &roots->text, err);
    HSD_TRY(finish_text(roots, status, string, err));
    if (thread != NULL) thread->label = *string;
    return HSD_OK;
}

hsd_status hsd_hprof_thread_label(hprof_roots *roots, hprof_thread *thread, uint32_t *string, hsd_error *err)
{
    return label_of_serial(roots, thread, thread->serial, string, err);
}

static hsd_status frame_label_text(hprof_roots *roots, const hprof_thread *thread, const hprof_frame *frame,
                                   uint32_t number, hsd_error *err)
{
    const hprof *self = roots->self;
    if (thread->is_virtual) {
        const bool is_of_jdk = hsd_hprof_frame_is_of_jdk(frame, &self->classes, &self->names);
        return virtual_text(roots, thread, is_of_jdk ? thread->own : number + 1, err);
    }
    HSD_TRY(hsd_hprof_thread_text(thread, thread->serial, &self->names, &roots->text, err));
    HSD_TRY(hsd_buffer_append(&roots->text, ", ", 2, err));
    return hsd_hprof_frame_text(frame, &self->classes, &self->names, true, &roots->text, err);
}

/* The label of a frame of a thread; *is_known false if there is no such frame. */
static hsd_status label_of_frame(hprof_roots *roots, const hprof_thread *thread, uint32_t number, bool *is_known,
                                 uint32_t *string, hsd_error *err)
{
    hprof_stacks *stacks = &roots->self->stacks;
    const hprof_trace *trace = thread == NULL ? NULL : hsd_hprof_trace(stacks, thread->trace);
    *is_known = trace != NULL && number < trace->frame_count;
    if (!*is_known) return HSD_OK;
    const uint64_t place = trace->first_frame + number;
    const hprof_frame *frame = hsd_hprof_frame(stacks, stacks->frame_ids[place]);
    *is_known = frame != NULL;
    if (!*is_known) return HSD_OK;
    *string = stacks->frame_labels[place];
    if (*string != 0) return HSD_OK;
    HSD_TRY(finish_text(roots, frame_label_text(roots, thread, frame, number, err), string, err));
    stacks->frame_labels[place] = *string;
    return HSD_OK;
}

/* ---- roots ---- */

static hsd_status plain_label(hprof_roots *roots, const root_kind *kind, uint32_t *string, hsd_error *err)
{
    uint32_t *known = &roots->plain[kind->tag];
    if (*known == 0) {
        const hsd_bytes text = {(const uint8_t *)kind->label, strlen(kind->label)};
        HSD_TRY(hsd_hprof_put_string(roots->output, text, known, err));
    }
    *string = *known;
    return HSD_OK;
}

hsd_status hsd_hprof_write_plain_root(hprof_roots *roots, uint8_t tag, uint64_t target, hsd_error *err)
{
    const root_kind *kind = find_kind(tag);
    hsc_root_record root = {.kind = kind->kind, .target = target, .flags = kind->flags};
    HSD_TRY(plain_label(roots, kind, &root.label, err));
    HSD_WRITE(roots->output->import, hsc_root(roots->output->writer, &root), err);
    return HSD_OK;
}

static hsd_status write_root_of_thread(hprof_roots *roots, const root_kind *kind, const hprof_sub *sub, hsd_error *err)
{
    const hprof_stacks *stacks = &roots->self->stacks;
    hprof_thread *thread = hsd_hprof_thread(stacks, sub->stack);
    hsc_root_record root = {.kind = kind->kind, .target = sub->id, .flags = kind->flags};
    bool has_frame = false;
    root.thread = hsd_id_table_find(&stacks->thread_table, sub->stack);
    if (sub->tag == HPROF_JAVA_FRAME || sub->tag == HPROF_JNI_LOCAL)
        HSD_TRY(label_of_frame(roots, thread, sub->frame, &has_frame, &root.label, err));
    if (has_frame)
        root.frame = sub->frame + 1;
    else
        HSD_TRY(label_of_serial(roots, thread, sub->stack, &root.label, err));
    HSD_WRITE(roots->output->import, hsc_root(roots->output->writer, &root), err);
    return HSD_OK;
}

hsd_status hsd_hprof_write_root(hprof_roots *roots, const hprof_sub *sub, hsd_error *err)
{
    const root_kind *kind = find_kind(sub->tag);
    if (kind == NULL || sub->id == 0) return HSD_OK;
    if (sub->tag == HPROF_JNI_GLOBAL) return hsd_hprof_write_handle(roots, sub->id, sub->class_id, err);
    return kind->label != NULL ? hsd_hprof_write_plain_root(roots, sub->tag, sub->id, err)
                               : write_root_of_thread(roots, kind, sub, err);
}

/* ---- threads ---- */

static hsd_status write_frame(hprof_roots *roots, uint32_t thread, uint32_t depth, const hprof_frame *frame,
                              hsd_error *err)
{
    const hprof *self = roots->self;
    uint32_t function = 0, file = 0;
    const hsd_status status = hsd_hprof_frame_text(frame, &self->classes, &self->names, false, &roots->text, err);
    HSD_TRY(finish_text(roots, status, &function, err));
    HSD_TRY(hsd_hprof_put_string(roots->output, hsd_hprof_name(&self->names, frame->file), &file, err));
    HSD_WRITE(roots->output->import,
              hsc_frame(roots->output->writer, thread, depth, function, file,
                        frame->line > 0 ? (uint32_t)frame->line : 0),
              err);
    return HSD_OK;
}

static hsd_status write_thread(hprof_roots *roots, uint32_t number, hsd_error *err)
{
    const hprof *self = roots->self;
    const hprof_stacks *stacks = &self->stacks;
    const hprof_thread *thread = &stacks->threads[number];
    const hprof_trace *trace = hsd_hprof_trace(stacks, thread->trace);
    uint32_t name = 0;
    HSD_TRY(hsd_hprof_put_string(roots->output, hsd_hprof_thread_name(thread, &self->names), &name, err));
    HSD_WRITE(roots->output->import, hsc_define_thread(roots->output->writer, number, name), err);
    for (uint32_t i = 0; trace != NULL && i < trace->frame_count; i++) {
        if (roots->frames_left == 0) return HSD_OK;
        roots->frames_left--;
        const hprof_frame *frame = hsd_hprof_frame(stacks, stacks->frame_ids[trace->first_frame + i]);
        if (frame != NULL) HSD_TRY(write_frame(roots, number, i, frame, err));
    }
    return HSD_OK;
}

/* Every thread has a trace of its own, so all of them together have no more frames than the file: what
 * claims more is not written. */
hsd_status hsd_hprof_write_threads(hprof_roots *roots, hsd_error *err)
{
    roots->frames_left = roots->self->stacks.frame_id_count;
    for (uint32_t i = 1; i <= roots->self->stacks.thread_table.count; i++)
        HSD_TRY(write_thread(roots, i, err));
    return HSD_OK;
}

/* ---- allocation sites ---- */

static hsd_status define_site(hprof_roots *roots, uint32_t site, uint32_t parent, const hprof_frame *frame,
                              hsd_error *err)
{
    const hprof *self = roots->self;
    uint32_t function = 0, file = 0;
    const hsd_status status = hsd_hprof_frame_text(frame, &self->classes, &self->names, false, &roots->text, err);
    HSD_TRY(finish_text(roots, status, &function, err));
    HSD_TRY(hsd_hprof_put_string(roots->output, hsd_hprof_name(&self->names, frame->file), &file, err));
    HSD_WRITE(roots->output->import,
              hsc_define_site(roots->output->writer, site, parent, function, file,
                              frame->line > 0 ? (uint32_t)frame->line : 0, 0),
              err);
    return HSD_OK;
}

/* The site of a trace: its frames from the outermost inwards, shared with other traces. */
static hsd_status make_site(hprof_roots *roots, const hprof_trace *trace, uint32_t *site, hsd_error *err)
{
    const hprof_stacks *stacks = &roots->self->stacks;
    uint32_t parent = 0;
    for (uint32_t i = trace->frame_count; i > 0; i--) {
        const uint64_t id = stacks->frame_ids[trace->first_frame + i - 1];
        const uint32_t number = hsd_id_table_find(&stacks->frame_table, id);
        if (number == 0) continue;
        const uint32_t before = roots->site_table.count;
        uint32_t here = 0;
        HSD_TRY(hsd_id_table_put(&roots->site_table, (uint64_t)parent << 32 | number, &here, err));
        if (roots->site_table.count != before) HSD_TRY(define_site(roots, here, parent, &stacks->frames[number], err));
        parent = here;
    }
    *site = parent;
    return HSD_OK;
}

hsd_status hsd_hprof_site(hprof_roots *roots, uint32_t serial, uint32_t *site, hsd_error *err)
{
    if (serial != roots->last_serial) {
        hprof_trace *trace = hsd_hprof_trace(&roots->self->stacks, serial);
        if (trace != NULL && !trace->has_site) {
            HSD_TRY(make_site(roots, trace, &trace->site, err));
            trace->has_site = true;
        }
        roots->last_serial = serial;
        roots->last_site = trace == NULL ? 0 : trace->site;
    }
    *site = roots->last_site;
    return HSD_OK;
}

uint64_t hsd_hprof_roots_memory(const hprof_roots *roots)
{
    return roots->text.capacity + hsd_id_table_memory(&roots->site_table);
}

void hsd_hprof_roots_release(hprof_roots *roots)
{
    hsd_buffer_release(&roots->text);
    hsd_id_table_release(&roots->site_table);
}

/*
 * Threads and stacks of an HPROF file: STACK_FRAME, STACK_TRACE and START_THREAD records, which
 * stand outside the heap, and the text made of them. HotSpot writes them for its threads; the hprof
 * agent writes one trace for every allocation site as well.
 */
#include "import/hprof/stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

/* Copies the fixed part of a record, if it is as long; *fits says so. */
static hsd_status fixed_part(hprof_reader *reader, uint64_t length, uint8_t *to, size_t size, bool *fits,
                             hsd_error *err)
{
    *fits = length >= size;
    if (!*fits) return HSD_OK;
    const hsd_status status = hsd_hprof_peek(reader, size, err);
    if (status == HSD_END) return hsd_hprof_cut(reader, err);
    HSD_TRY(status);
    memcpy(to, reader->source->at, size);
    hsd_source_take(reader->source, size);
    return HSD_OK;
}

hsd_status hsd_hprof_read_frame(hprof_stacks *stacks, hprof_names *names, hprof_reader *reader, uint64_t length,
                                hsd_error *err)
{
    uint8_t body[4 * 8 + 8] = {0};
    const unsigned w = reader->id_bytes;
    bool fits = false;
    uint32_t number = 0;
    hprof_frame frame = {0};
    HSD_TRY(fixed_part(reader, length, body, 4 * w + 8, &fits, err));
    if (!fits) return HSD_OK;
    HSD_TRY(hsd_hprof_want(names, hsd_hprof_id(body + w, w), &frame.method, err));
    HSD_TRY(hsd_hprof_want(names, hsd_hprof_id(body + 3 * w, w), &frame.file, err));
    frame.class_serial = hsd_hprof_u32(body + 4 * w);
    frame.line = (int32_t)hsd_hprof_u32(body + 4 * w + 4);
    HSD_TRY(hsd_id_table_put(&stacks->frame_table, hsd_hprof_id(body, w), &number, err));
    HSD_TRY(hsd_import_grow((void **)&stacks->frames, &stacks->frame_capacity, number, sizeof frame, err));
    stacks->frames[number] = frame;
    return HSD_OK;
}

static hsd_status add_frame_id(hprof_stacks *stacks, uint64_t id, hsd_error *err)
{
    HSD_TRY(hsd_import_grow((void **)&stacks->frame_ids, &stacks->frame_id_capacity, stacks->frame_id_count, sizeof id,
                            err));
    HSD_TRY(hsd_import_grow((void **)&stacks->frame_labels, &stacks->frame_label_capacity, stacks->frame_id_count,
                            sizeof *stacks->frame_labels, err));
    stacks->frame_labels[stacks->frame_id_count] = 0;
    stacks->frame_ids[stacks->frame_id_count++] = id;
    return HSD_OK;
}

hsd_status hsd_hprof_read_trace(hprof_stacks *stacks, hprof_reader *reader, uint64_t length, hsd_error *err)
{
    uint8_t body[12] = {0};
    bool fits = false;
    uint32_t number = 0;
    HSD_TRY(fixed_part(reader, length, body, sizeof body, &fits, err));
    if (!fits) return HSD_OK;
    const uint64_t room = (length - sizeof body) / reader->id_bytes;
    const uint64_t frames = hsd_min_u64(hsd_hprof_u32(body + 8), room);
    HSD_TRY(hsd_id_table_put(&stacks->trace_table, hsd_hprof_u32(body), &number, err));
    HSD_TRY(hsd_import_grow((void **)&stacks->traces, &stacks->trace_capacity, number, sizeof *stacks->traces, err));
    const uint64_t first = stacks->frame_id_count;
    for (uint64_t i = 0; i < frames; i++) {
        uint8_t id[8] = {0};
        HSD_TRY(fixed_part(reader, reader->id_bytes, id, reader->id_bytes, &fits, err));
        HSD_TRY(add_frame_id(stacks, hsd_hprof_id(id, reader->id_bytes), err));
    }
    stacks->traces[number] =
        (hprof_trace){.thread_serial = hsd_hprof_u32(body + 4), .frame_count = (uint32_t)frames, .first_frame = first};
    return HSD_OK;
}

static hsd_status put_thread(hprof_stacks *stacks, uint32_t serial, hprof_thread **out, hsd_error *err)
{
    uint32_t number = 0;
    HSD_TRY(hsd_id_table_put(&stacks->thread_table, serial, &number, err));
    HSD_TRY(hsd_import_grow((void **)&stacks->threads, &stacks->thread_capacity, number, sizeof *stacks->threads, err));
    *out = &stacks->threads[number];
    (*out)->serial = serial;
    return HSD_OK;
}

hsd_status hsd_hprof_read_start(hprof_stacks *stacks, hprof_names *names, hprof_reader *reader, uint64_t length,
                                hsd_error *err)
{
    uint8_t body[8 + 2 * 8] = {0}; /* thread serial, id of the thread, trace serial, name; groups follow */
    const unsigned w = reader->id_bytes;
    bool fits = false;
    hprof_thread *thread = NULL;
    HSD_TRY(fixed_part(reader, length, body, 8 + 2 * w, &fits, err));
    if (!fits) return HSD_OK;
    HSD_TRY(put_thread(stacks, hsd_hprof_u32(body), &thread, err));
    return hsd_hprof_want(names, hsd_hprof_id(body + 8 + w, w), &thread->start_name, err);
}

hsd_status hsd_hprof_note_thread(hprof_stacks *stacks, uint32_t serial, uint64_t object, uint32_t trace, hsd_error *err)
{
    hprof_thread *thread = NULL;
    uint32_t place = 0;
    HSD_TRY(put_thread(stacks, serial, &thread, err));
    thread->trace = trace;
    if (object == 0) return HSD_OK;
    thread->object = object;
    HSD_TRY(hsd_id_table_put(&stacks->object_table, object, &place, err));
    HSD_TRY(hsd_import_grow((void **)&stacks->object_thread, &stacks->object_capacity, place,
                            sizeof *stacks->object_thread, err));
    stacks->object_thread[place] = hsd_id_table_find(&stacks->thread_table, serial);
    return HSD_OK;
}

hprof_thread *hsd_hprof_thread(const hprof_stacks *stacks, uint32_t serial)
{
    const uint32_t number = hsd_id_table_find(&stacks->thread_table, serial);
    return number == 0 ? NULL : &stacks->threads[number];
}

hprof_thread *hsd_hprof_thread_of_object(const hprof_stacks *stacks, uint64_t object)
{
    const uint32_t place = hsd_id_table_find(&stacks->object_table, object);
    return place == 0 ? NULL : &stacks->threads[stacks->object_thread[place]];
}

hprof_trace *hsd_hprof_trace(const hprof_stacks *stacks, uint32_t serial)
{
    const uint32_t number = hsd_id_table_find(&stacks->trace_table, serial);
    return number == 0 ? NULL : &stacks->traces[number];
}

const hprof_frame *hsd_hprof_frame(const hprof_stacks *stacks, uint64_t id)
{
    const uint32_t number = hsd_id_table_find(&stacks->frame_table, id);
    return number == 0 ? NULL : &stacks->frames[number];
}

/* ---- virtual threads ---- */

/* Their stacks begin in VirtualThread.run, with nothing but what enters a continuation below. */
#define FRAMES_BELOW_RUN 4u

static hsd_bytes class_of_frame(const hprof_frame *frame, const hprof_classes *classes, const hprof_names *names)
{
    const hprof_class *class = hsd_hprof_class_of_serial(classes, frame->class_serial);
    return class == NULL ? (hsd_bytes){NULL, 0} : hsd_hprof_name(names, class->name);
}

bool hsd_hprof_frame_is_of_jdk(const hprof_frame *frame, const hprof_classes *classes, const hprof_names *names)
{
    static const char *const packages[] = {"java", "javax", "jdk", "sun"};
    const hsd_bytes name = class_of_frame(frame, classes, names);
    for (size_t i = 0; i < HSD_ARRAY_LEN(packages); i++) {
        const size_t size = strlen(packages[i]);
        const bool begins = name.size > size && memcmp(name.data, packages[i], size) == 0;
        if (begins && (name.data[size] == '/' || name.data[size] == '.')) return true;
    }
    return false;
}

static const hprof_frame *frame_of(const hprof_stacks *stacks, const hprof_trace *trace, uint32_t number)
{
    return hsd_hprof_frame(stacks, stacks->frame_ids[trace->first_frame + number]);
}

static bool begins_virtually(const hprof_stacks *stacks, const hprof_trace *trace, const hprof_classes *classes,
                             const hprof_names *names)
{
    for (uint32_t i = 0; i < FRAMES_BELOW_RUN && i < trace->frame_count; i++) {
        const hprof_frame *frame = frame_of(stacks, trace, trace->frame_count - 1 - i);
        const hsd_bytes class = frame == NULL ? (hsd_bytes){NULL, 0} : class_of_frame(frame, classes, names);
        if ((hsd_hprof_equals(class, "java/lang/VirtualThread") ||
             hsd_hprof_equals(class, "java.lang.VirtualThread")) &&
            hsd_hprof_equals(hsd_hprof_name(names, frame->method), "run"))
            return true;
    }
    return false;
}

void hsd_hprof_find_virtual(hprof_stacks *stacks, const hprof_classes *classes, const hprof_names *names)
{
    for (uint32_t i = 1; i <= stacks->thread_table.count; i++) {
        hprof_thread *thread = &stacks->threads[i];
        const hprof_trace *trace = hsd_hprof_trace(stacks, thread->trace);
        if (trace == NULL || thread->object == 0 || !begins_virtually(stacks, trace, classes, names)) continue;
        thread->is_virtual = stacks->has_virtual = true;
        for (uint32_t k = 0; k < trace->frame_count && thread->own == 0; k++) {
            const hprof_frame *frame = frame_of(stacks, trace, k);
            if (frame != NULL && !hsd_hprof_frame_is_of_jdk(frame, classes, names)) thread->own = k + 1;
        }
    }
}

/* ---- text ---- */

hsd_bytes hsd_hprof_thread_name(const hprof_thread *thread, const hprof_names *names)
{
    if (thread == NULL) return hsd_hprof_name(names, 0);
    return thread->name.data != NULL ? thread->name : hsd_hprof_name(names, thread->start_name);
}

hsd_status hsd_hprof_thread_text(const hprof_thread *thread, uint32_t serial, const hprof_names *names, hsd_buffer *out,
                                 hsd_error *err)
{
    const hsd_bytes name = hsd_hprof_thread_name(thread, names);
    if (name.size == 0) {
        char text[32];
        const int size = snprintf(text, sizeof text, "thread %" PRIu32, serial);
        return hsd_buffer_append(out, text, (size_t)size, err);
    }
    HSD_TRY(hsd_buffer_append(out, "thread \"", 8, err));
    HSD_TRY(hsd_buffer_append(out, name.data, name.size, err));
    return hsd_buffer_append(out, "\"", 1, err);
}

/* "(Main.java:12)", "(Main.java)", "(Native Method)", "(Unknown Source)": as Java prints them. */
static hsd_status append_place(const hprof_frame *frame, const hprof_names *names, hsd_buffer *out, hsd_error *err)
{
    const hsd_bytes file = hsd_hprof_name(names, frame->file);
    char line[16] = "";
    if (frame->line == -3) return hsd_buffer_append(out, "(Native Method)", 15, err);
    if (file.size == 0) return hsd_buffer_append(out, "(Unknown Source)", 16, err);
    if (frame->line > 0) snprintf(line, sizeof line, ":%" PRId32, frame->line);
    HSD_TRY(hsd_buffer_append(out, "(", 1, err));
    HSD_TRY(hsd_buffer_append(out, file.data, file.size, err));
    HSD_TRY(hsd_buffer_append(out, line, strlen(line), err));
    return hsd_buffer_append(out, ")", 1, err);
}

hsd_status hsd_hprof_frame_text(const hprof_frame *frame, const hprof_classes *classes, const hprof_names *names,
                                bool with_place, hsd_buffer *out, hsd_error *err)
{
    const hprof_class *class = hsd_hprof_class_of_serial(classes, frame->class_serial);
    const hsd_bytes method = hsd_hprof_name(names, frame->method);
    if (class != NULL && class->name != 0) {
        HSD_TRY(hsd_hprof_class_name(hsd_hprof_name(names, class->name), out, err));
        HSD_TRY(hsd_buffer_append(out, ".", 1, err));
    }
    HSD_TRY(hsd_buffer_append(out, method.data, method.size, err));
    return with_place ? append_place(frame, names, out, err) : HSD_OK;
}

uint64_t hsd_hprof_stacks_memory(const hprof_stacks *stacks)
{
    return hsd_id_table_memory(&stacks->frame_table) + hsd_id_table_memory(&stacks->trace_table) +
           hsd_id_table_memory(&stacks->thread_table) + hsd_id_table_memory(&stacks->object_table) +
           stacks->frame_capacity * sizeof *stacks->frames + stacks->trace_capacity * sizeof *stacks->traces +
           stacks->thread_capacity * sizeof *stacks->threads + stacks->frame_id_capacity * sizeof *stacks->frame_ids +
           stacks->frame_label_capacity * sizeof *stacks->frame_labels +
           stacks->object_capacity * sizeof *stacks->object_thread + stacks->arena.total_bytes;
}

void hsd_hprof_stacks_release(hprof_stacks *stacks)
{
    hsd_id_table_release(&stacks->frame_table);
    hsd_id_table_release(&stacks->trace_table);
    hsd_id_table_release(&stacks->thread_table);
    hsd_id_table_release(&stacks->object_table);
    hsd_arena_release(&stacks->arena);
    free(stacks->frames);
    free(stacks->traces);
    free(stacks->threads);
    free(stacks->frame_ids);
    free(stacks->frame_labels);
    free(stacks->object_thread);
    *stacks = (hprof_stacks){0};
}

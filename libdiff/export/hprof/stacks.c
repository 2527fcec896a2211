/*
 * Stacks: frames of threads, and allocation sites, which are stacks as well. All become STACK_FRAMEs and STACK_TRACEs:
 * trace 1 has no frames, those of threads follow, then those of the sites at which an object was made.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "export/hprof/hout.h"

#define MOST_FRAMES 512u /* of a stack, as everywhere */

/* ---- reading ---- */

static hsd_status take_thread(hout *h, const hsd_record *record, hsd_error *err)
{
    hout_stacks *s = &h->stacks;
    if (record->thread.id == 0 || hsd_id_map_get(&s->thread_index, record->thread.id) != HSD_ID_NONE) return HSD_OK;
    HSD_TRY(hsd_hout_grow((void **)&s->threads, &s->thread_capacity, s->thread_count, sizeof *s->threads, err));
    s->threads[s->thread_count] = (hout_thread){.id = record->thread.id, .name = record->thread.name};
    HSD_TRY(hsd_texts_want(&h->texts, record->thread.name, err));
    return hsd_id_map_put(&s->thread_index, record->thread.id, s->thread_count++, err);
}

static hsd_status take_frame(hout *h, const hsd_record *record, hsd_error *err)
{
    hout_stacks *s = &h->stacks;
    const hsd_frame *f = &record->frame;
    HSD_TRY(hsd_hout_grow((void **)&s->frames, &s->frame_capacity, s->frame_count, sizeof *s->frames, err));
    s->frames[s->frame_count++] =
        (hout_frame){.thread = f->thread, .depth = f->depth, .function = f->function, .file = f->file, .line = f->line};
    HSD_TRY(hsd_texts_want(&h->texts, f->function, err));
    return hsd_texts_want(&h->texts, f->file, err);
}

static hsd_status take_site(hout *h, const hsd_record *record, hsd_error *err)
{
    hout_stacks *s = &h->stacks;
    const hsd_site *from = &record->site;
    if (from->id == 0 || hsd_id_map_get(&s->site_index, from->id) != HSD_ID_NONE) return HSD_OK;
    HSD_TRY(hsd_hout_grow((void **)&s->sites, &s->site_capacity, s->site_count, sizeof *s->sites, err));
    s->sites[s->site_count] = (hout_site){
        .id = from->id, .parent = from->parent, .function = from->function, .file = from->file, .line = from->line};
    HSD_TRY(hsd_texts_want(&h->texts, from->function, err));
    HSD_TRY(hsd_texts_want(&h->texts, from->file, err));
    return hsd_id_map_put(&s->site_index, from->id, s->site_count++, err);
}

static hsd_status read_all_hprof_stacks(hout *h, hsd_record_kind kind,
                                        hsd_status (*take)(hout *, const hsd_record *, hsd_error *), hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, h->capture, kind, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK)
        if ((status = take(h, &record, err)) != HSD_OK) break;
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static int by_depth(const void *a, const void *b)
{
    const hout_frame *x = a, *y = b;
    if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
    return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static void deal_frames(hout_stacks *s)
{
    if (s->frame_count > 0) qsort(s->frames, s->frame_count, sizeof *s->frames, by_depth);
    for (uint32_t i = 0; i < s->frame_count; i++) {
        const uint32_t at = hsd_id_map_get(&s->thread_index, s->frames[i].thread);
        if (at == HSD_ID_NONE) continue;
        hout_thread *thread = &s->threads[at];
        if (thread->frame_count == 0) thread->first_frame = i;
        if (thread->frame_count < MOST_FRAMES) thread->frame_count++;
    }
}

hsd_status hsd_hout_load_stacks(hout *h, hsd_error *err)
{
    hout_stacks *s = &h->stacks;
    HSD_TRY(read_all_hprof_stacks(h, HSD_RECORD_THREAD, take_thread, err));
    HSD_TRY(read_all_hprof_stacks(h, HSD_RECORD_FRAME, take_frame, err));
    HSD_TRY(read_all_hprof_stacks(h, HSD_RECORD_SITE, take_site, err));
    deal_frames(s);
    for (uint32_t i = 0; i < s->site_count; i++) {
        const uint32_t parent =
            s->sites[i].parent == 0 ? HSD_ID_NONE : hsd_id_map_get(&s->site_index, s->sites[i].parent);
        s->sites[i].parent = parent == HSD_ID_NONE ? 0 : parent + 1;
    }
    return HSD_OK;
}

/* ---- asking ---- */

void hsd_hout_use_site(hout *h, uint32_t site)
{
    const uint32_t at = site == 0 ? HSD_ID_NONE : hsd_id_map_get(&h->stacks.site_index, site);
    if (at != HSD_ID_NONE) h->stacks.sites[at].is_used = true;
}

uint32_t hsd_hout_site_serial(const hout *h, uint32_t site)
{
    const uint32_t at = site == 0 ? HSD_ID_NONE : hsd_id_map_get(&h->stacks.site_index, site);
    return at == HSD_ID_NONE ? 1 : h->stacks.sites[at].serial;
}

hout_thread *hsd_hout_thread(const hout *h, uint32_t thread)
{
    const uint32_t at = thread == 0 ? HSD_ID_NONE : hsd_id_map_get(&h->stacks.thread_index, thread);
    return at == HSD_ID_NONE ? NULL : &h->stacks.threads[at];
}

uint32_t hsd_hout_thread_serial(const hout *h, const hout_thread *thread)
{
    return 2 + (uint32_t)(thread - h->stacks.threads);
}

/* ---- writing ---- */

/* A function of a JVM is "com.x.Main.run": where that class is in the dump the frame names it, and the method alone. */
static hsd_status split_function(hout *h, uint32_t function, uint32_t *serial, uint32_t *method, hsd_error *err)
{
    const hsd_bytes text = hsd_texts_get(&h->texts, function);
    size_t dot = text.size;
    uint32_t name = HSD_NAME_NONE;
    *serial = 0;
    while (dot > 0 && text.data[dot - 1] != '.')
        dot--;
    if (h->is_jvm && dot > 1) {
        HSD_TRY(hsd_hout_class_name(h, (hsd_bytes){text.data, dot - 1}, &name, err));
        *serial = name < h->class_name_count ? h->class_of_name[name] : 0;
    }
    const size_t begin = *serial != 0 ? dot : 0;
    return hsd_hout_intern(h, text.data + begin, text.size - begin, method, err);
}

/* A string that was interned while the head is written stands in front of what needs it. */
static hsd_status write_new_strings(hout *h, uint32_t from, hsd_error *err)
{
    for (uint32_t i = from; i < h->strings.count; i++) {
        const hsd_bytes text = hsd_names_get(&h->strings, i);
        HSD_TRY(hsd_hout_text(&h->out, (uint64_t)i + 1, text.data, text.size, err));
    }
    return HSD_OK;
}

static hsd_status write_frame(hout *h, uint64_t id, uint32_t function, uint32_t file, uint32_t line, hsd_error *err)
{
    const uint32_t known = h->strings.count;
    uint32_t serial, method, empty, source = 0;
    uint8_t *at;
    HSD_TRY(split_function(h, function, &serial, &method, err));
    HSD_TRY(hsd_hout_intern_word(h, "", &empty, err));
    if (hsd_texts_get(&h->texts, file).size > 0) HSD_TRY(hsd_hout_intern_text(h, file, &source, err));
    const bool has_file = hsd_texts_get(&h->texts, file).size > 0;
    HSD_TRY(write_new_strings(h, known, err));
    HSD_TRY(hsd_hout_record(&h->out, HOUT_FRAME, 4 * HOUT_ID_BYTES + 8, &at, err));
    at = hsd_hout_u8(at, id);
    at = hsd_hout_u8(at, (uint64_t)method + 1);
    at = hsd_hout_u8(at, (uint64_t)empty + 1); /* signature */
    at = hsd_hout_u8(at, has_file ? (uint64_t)source + 1 : 0);
    at = hsd_hout_u4(at, serial);
    hsd_hout_u4(at, line > INT32_MAX ? 0 : line);
    return HSD_OK;
}

static hsd_status begin_trace(hout *h, uint32_t serial, uint32_t thread, uint32_t frames, uint8_t **at, hsd_error *err)
{
    HSD_TRY(hsd_hout_record(&h->out, HOUT_TRACE, 12 + (size_t)frames * HOUT_ID_BYTES, at, err));
    *at = hsd_hout_u4(*at, serial);
    *at = hsd_hout_u4(*at, thread);
    *at = hsd_hout_u4(*at, frames);
    return HSD_OK;
}

/* Frames of threads have the ids 1 …, those of sites follow. */
static hsd_status write_thread_traces(hout *h, hsd_error *err)
{
    const hout_stacks *s = &h->stacks;
    uint8_t *at;
    for (uint32_t i = 0; i < s->frame_count; i++)
        HSD_TRY(write_frame(h, (uint64_t)i + 1, s->frames[i].function, s->frames[i].file, s->frames[i].line, err));
    for (uint32_t i = 0; i < s->thread_count; i++) {
        const hout_thread *thread = &s->threads[i];
        HSD_TRY(begin_trace(h, hsd_hout_thread_serial(h, thread), thread->id, thread->frame_count, &at, err));
        for (uint32_t k = 0; k < thread->frame_count; k++)
            at = hsd_hout_u8(at, (uint64_t)thread->first_frame + k + 1);
    }
    return HSD_OK;
}

static uint32_t depth_of(const hout_stacks *s, uint32_t place)
{
    uint32_t depth = 0;
    for (uint32_t at = place + 1; at != 0 && depth < MOST_FRAMES; at = s->sites[at - 1].parent)
        depth++;
    return depth;
}

static hsd_status write_site_traces(hout *h, hsd_error *err)
{
    hout_stacks *s = &h->stacks;
    uint8_t *out;
    for (uint32_t i = 0; i < s->site_count; i++)
        HSD_TRY(write_frame(h, (uint64_t)s->frame_count + i + 1, s->sites[i].function, s->sites[i].file,
                            s->sites[i].line, err));
    uint32_t serial = 2 + s->thread_count;
    for (uint32_t i = 0; i < s->site_count; i++) {
        if (!s->sites[i].is_used) continue;
        const uint32_t depth = depth_of(s, i);
        s->sites[i].serial = serial++;
        HSD_TRY(begin_trace(h, s->sites[i].serial, 0, depth, &out, err));
        uint32_t at = i + 1;
        for (uint32_t k = 0; k < depth; k++, at = s->sites[at - 1].parent)
            out = hsd_hout_u8(out, (uint64_t)s->frame_count + at);
    }
    return HSD_OK;
}

hsd_status hsd_hout_write_stacks(hout *h, hsd_error *err)
{
    uint8_t *at;
    HSD_TRY(begin_trace(h, 1, 0, 0, &at, err));
    HSD_TRY(write_thread_traces(h, err));
    return write_site_traces(h, err);
}

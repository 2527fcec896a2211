/* A heap with stacks, and its exports. See stack_case.h. */
#include "unit/export/stack_case.h"

#include "support/memfile.h"

char stack_notes[4096], path[96], other[96], out[96];
hsd_error err;
static char folder[] = "/tmp/hsdiff-stacks-XXXXXX";

void stack_begin(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/heap.hs", folder);
    snprintf(other, sizeof other, "%s/other.hs", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    hsd_error_init(&err);
    stack_notes[0] = '\0';
}

void stack_end(void)
{
    remove(path);
    remove(other);
    remove(out);
    rmdir(folder);
}

/* ---- captures ---- */

static hsc_writer *begin(const char *file, const char *process)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "Test 1.0";
    options.process_name = process;
    options.taken_unix_ns = 1700000000000000000;
    remove(file);
    cr_assert_eq(hsc_open_file(&w, file, &options), HSC_OK);
    return w;
}

static void finish(hsc_writer *w)
{
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

static void put_string(hsc_writer *w, uint32_t number, const char *text)
{
    hsc_define_string(w, number, text, strlen(text));
}

typedef struct numbering { /* what is added to numbers of tables */
    uint32_t types, strings, sites;
} numbering;

static const char *const strings[] = {"sessions", "main", "serve", "new Session", "load", "shop.c", "items"};

static void put_tables(hsc_writer *w, const stack_heap *heap, numbering n)
{
    static const char *const types[] = {"Map", "Session", "Buffer"};
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t at = heap->is_backward ? 2 - i : i;
        hsc_define_type(w, n.types + at + 1, types[at], strlen(types[at]), 0);
    }
    for (uint32_t i = 0; i < 7; i++)
        put_string(w, n.strings + i + 1, strings[i]);
    hsc_define_label(w, 1, HSC_LABEL_FIELD, 0, n.strings + 7);
    if (heap->has_no_sites) return;
    const hsd_site sites[] = {{1, 0, 2, 6, 10, 0}, {2, 1, 3, 6, 20, 5}, {3, 2, 4, 6, 30, 0}, {4, 1, 5, 6, 11, 0}};
    for (uint32_t i = 0; i < 4; i++) {
        const hsd_site *s = &sites[heap->is_backward ? 3 - i : i];
        hsc_define_site(w, n.sites + s->id, s->parent == 0 ? 0 : n.sites + s->parent, n.strings + s->function,
                        n.strings + s->file, s->line, s->column);
    }
}

static void put_session(hsc_writer *w, const stack_heap *heap, numbering n, unsigned i)
{
    const uint32_t site = heap->has_no_sites ? 0 : n.sites + 3;
    hsc_begin_object(
        w,
        &(hsc_object){.id = 0x200 + i, .type = n.types + STACK_SESSION, .site = site, .size_bytes = i < 2 ? 100 : 64});
    hsc_end_object(w);
}

static void put_map(hsc_writer *w, const stack_heap *heap, numbering n, unsigned sessions)
{
    const uint32_t site = heap->has_no_sites ? 0 : n.sites + 4;
    hsc_begin_object(
        w,
        &(hsc_object){.id = 0x100, .type = n.types + STACK_MAP, .site = site, .size_bytes = 48, .native_bytes = 1000});
    for (unsigned i = heap->has_no_large ? 2 : 0; i < sessions; i++)
        hsc_reference(w, 0x200 + i, 1, i);
    hsc_end_object(w);
}

static void put_buffer(hsc_writer *w, numbering n)
{
    hsc_begin_object(w, &(hsc_object){.id = 0x900, .type = n.types + STACK_BUFFER, .size_bytes = 16});
    hsc_end_object(w);
    hsc_begin_object(
        w,
        &(hsc_object){.id = 0x901, .type = n.types + STACK_BUFFER, .size_bytes = 1 << 20, .flags = HSC_OBJECT_PSEUDO});
    hsc_end_object(w);
}

void stack_write(const char *file, const stack_heap *heap)
{
    const numbering n = heap->is_backward ? (numbering){700, 5000, 90} : (numbering){0, 0, 0};
    const unsigned sessions = 5 + heap->more_sessions, first = heap->has_no_large ? 2 : 0;
    hsc_writer *w = begin(file, heap->process != NULL ? heap->process : "shop");
    if (!heap->is_backward) put_tables(w, heap, n);
    if (!heap->is_backward)
        put_map(w, heap, n, sessions);
    else
        put_buffer(w, n);
    for (unsigned i = first; i < sessions; i++)
        put_session(w, heap, n, heap->is_backward ? first + sessions - 1 - i : i);
    if (!heap->is_backward)
        put_buffer(w, n);
    else
        put_map(w, heap, n, sessions);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .label = n.strings + 1, .target = 0x100});
    if (heap->is_backward) put_tables(w, heap, n);
    finish(w);
}

void stack_write_named(const char *file, const char *name, size_t size)
{
    hsc_writer *w = begin(file, "shop");
    hsc_define_string(w, 1, name, size);
    hsc_define_type(w, 1, name, size, 0);
    hsc_define_site(w, 1, 0, 1, 1, 7, 0);
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = 1, .site = 1, .size_bytes = 8});
    hsc_end_object(w);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .label = 1, .target = 1});
    finish(w);
}

/* ---- exports ---- */

static void keep_note(void *context, hsd_note_level level, const char *text)
{
    const size_t used = strlen(stack_notes);
    (void)context;
    if (level != HSD_NOTE_DETAIL) snprintf(stack_notes + used, sizeof stack_notes - used, "%s\n", text);
}

hsd_status stack_export(const char *before, const char *after, const char *format, hsd_export_stacks stacks,
                        uint64_t memory_bytes)
{
    const hsd_run run = {.memory_bytes = memory_bytes, .threads = 1, .note = keep_note};
    const hsd_export_options options = {.format = format, .force = true, .stacks = stacks};
    hsd_capture *captures[2] = {NULL, NULL};
    hsd_error_init(&err);
    stack_notes[0] = '\0';
    hsd_status status = hsd_capture_open(&captures[1], after, HSD_DAMAGE_REFUSE, &run, &err);
    if (status == HSD_OK && before != NULL)
        status = hsd_capture_open(&captures[0], before, HSD_DAMAGE_REFUSE, &run, &err);
    if (status == HSD_OK) status = hsd_export_file(captures[0], captures[1], out, &options, &run, NULL, &err);
    hsd_capture_close(captures[0]);
    hsd_capture_close(captures[1]);
    return status;
}

char *stack_read(size_t *size)
{
    char *bytes = (char *)memfile_read_all(out, size);
    char *text = bytes == NULL ? NULL : realloc(bytes, *size + 1);
    cr_assert_not_null(text);
    text[*size] = '\0';
    return text;
}

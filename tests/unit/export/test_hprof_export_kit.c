/* Making captures and looking at their dumps. See test_hprof_export_kit.h. */
#include "unit/export/test_hprof_export_kit.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/import.h>

static void take_note(void *context, hsd_note_level level, const char *text)
{
    kit *k = context;
    const size_t used = strlen(k->notes);
    if (level != HSD_NOTE_DETAIL) snprintf(k->notes + used, sizeof k->notes - used, "%s\n", text);
}

void kit_begin(kit *k, const char *name)
{
    memset(k, 0, sizeof *k);
    snprintf(k->capture, sizeof k->capture, "/tmp/hsd-%.20s-%d.hs", name, (int)getpid());
    snprintf(k->dump, sizeof k->dump, "%s.hprof", k->capture);
    k->options.format = "hprof";
    k->options.force = true;
    hsd_error_init(&k->err);
}

static void close_views(kit *k)
{
    if (k->before.capture != NULL) view_close(&k->before);
    if (k->after.capture != NULL) view_close(&k->after);
    memset(&k->before, 0, sizeof k->before);
    memset(&k->after, 0, sizeof k->after);
    free(k->bytes);
    k->bytes = NULL;
}

void kit_end(kit *k)
{
    close_views(k);
    remove(k->capture);
    remove(k->dump);
}

/* ---- writing ---- */

hsc_writer *kit_writer(kit *k, const hsc_options *options)
{
    hsc_options usual;
    hsc_writer *w = NULL;
    hsc_options_init(&usual);
    usual.identity = HSC_IDENTITY_EXACT;
    usual.taken_unix_ns = UINT64_C(1700000000000000000);
    remove(k->capture);
    cr_assert(hsc_open_file(&w, k->capture, options != NULL ? options : &usual) == HSC_OK);
    return w;
}

void kit_finish(hsc_writer *w)
{
    cr_assert(hsc_finish(w) == HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

void kit_string(hsc_writer *w, uint32_t string, const char *text) { hsc_define_string(w, string, text, strlen(text)); }

void kit_type(hsc_writer *w, uint32_t type, const char *name) { hsc_define_type(w, type, name, strlen(name), 0); }

/* ---- there and back ---- */

hsd_status kit_export(kit *k)
{
    const hsd_run run = {.memory_bytes = k->memory_bytes != 0 ? k->memory_bytes : UINT64_C(64) << 20,
                         .note = take_note,
                         .note_context = k};
    hsd_capture *capture;
    k->notes[0] = '\0';
    cr_assert(hsd_capture_open(&capture, k->capture, HSD_DAMAGE_REFUSE, &run, &k->err) == HSD_OK, "%s", k->err.text);
    const hsd_status status = hsd_export_file(NULL, capture, k->dump, &k->options, &run, &k->result, &k->err);
    hsd_capture_close(capture);
    return status;
}

static void read_dump(kit *k)
{
    FILE *file = fopen(k->dump, "rb");
    cr_assert_not_null(file);
    fseek(file, 0, SEEK_END);
    k->size = (size_t)ftell(file);
    rewind(file);
    k->bytes = malloc(k->size);
    cr_assert(k->bytes != NULL && fread(k->bytes, 1, k->size, file) == k->size);
    fclose(file);
}

void kit_round(kit *k)
{
    const hsd_import_options options = {.compression = 1, .with_values = k->with_values};
    const hsd_run run = {.memory_bytes = UINT64_C(64) << 20};
    hsd_import_result result;
    int out = -1;
    close_views(k);
    cr_assert(kit_export(k) == HSD_OK, "%s", k->err.text);
    read_dump(k);
    cr_assert(hsd_import_temp(k->dump, &options, &run, &out, &result, &k->err) == HSD_OK, "%s", k->err.text);
    cr_assert(result.is_complete);
    cr_assert(view_open(&k->before, k->capture));
    cr_assert(view_open_fd(&k->after, out));
}

/* ---- comparing ---- */

bool kit_is_made_up(const char *type)
{
    static const char *const types[] = {"java.lang.Class", "(elements)[]",     "byte[]",
                                        "char[]",          "java.lang.String", "java.lang.Thread"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(type, types[i]) == 0) return true;
    return false;
}

typedef struct images {
    const kit *k;
    size_t *after_of;  /* object of before -> of after */
    size_t *before_of; /* and back; SIZE_MAX = made up */
} images;

static images match(const kit *k)
{
    images m = {.k = k,
                .after_of = calloc(k->before.object_count + 1, sizeof(size_t)),
                .before_of = calloc(k->after.object_count + 1, sizeof(size_t))};
    size_t next = 0;
    for (size_t i = 0; i < k->after.object_count; i++) {
        const bool is_made_up = kit_is_made_up(view_type(&k->after, k->after.objects[i].type));
        m.before_of[i] = is_made_up ? SIZE_MAX : next;
        if (is_made_up) continue;
        cr_assert(next < k->before.object_count, "more objects than there were");
        m.after_of[next++] = i;
    }
    cr_assert(next == k->before.object_count, "%zu objects of %zu", next, k->before.object_count);
    return m;
}

const view_object *kit_image(const kit *k, size_t i)
{
    const images m = match(k);
    const view_object *image = &k->after.objects[m.after_of[i]];
    free(m.after_of);
    free(m.before_of);
    return image;
}

static size_t index_of(const capture_view *view, uint64_t target)
{
    if (view->info->targets_are_ordinals) return target < view->object_count ? (size_t)target : SIZE_MAX;
    const view_object *object = view_find(view, target);
    return object == NULL ? SIZE_MAX : (size_t)(object - view->objects);
}

typedef struct expected {
    const char *name;
    size_t target;
    bool is_found;
} expected;

/* Takes one that is expected: with this name, or with any. Looks behind the last one first: most come in order. */
static bool take(expected *list, size_t count, const char *name, size_t target)
{
    static size_t last;
    for (size_t n = 1; n <= count; n++) {
        const size_t i = (last + n) % count;
        /* what has no name gets one */
        const bool fits = name == NULL || list[i].name[0] == '\0' || strcmp(list[i].name, name) == 0;
        if (list[i].is_found || list[i].target != target || !fits) continue;
        last = i;
        return list[i].is_found = true;
    }
    return false;
}

static const char *name_of(const capture_view *view, const view_reference *reference)
{
    const view_label label = view_label_of(view, reference);
    return label.kind == HSC_LABEL_ELEMENT ? "[]" : view_string(view, label.name);
}

static size_t list_references(const images *m, size_t i, expected *list)
{
    const capture_view *view = &m->k->before;
    const view_object *object = &view->objects[i];
    size_t count = 0;
    for (size_t r = 0; r < object->count; r++) {
        const view_reference *reference = &view->references[object->first + r];
        const size_t target = index_of(view, reference->target);
        const bool is_weak = (view_label_of(view, reference).flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_WEAK;
        if (target != SIZE_MAX && !is_weak) list[count++] = (expected){name_of(view, reference), target, false};
    }
    return count;
}

static size_t take_inside(const images *m, const view_object *inside, expected *list, size_t count)
{
    const capture_view *view = &m->k->after;
    size_t nameless = 0;
    for (size_t r = 0; r < inside->count; r++) {
        const view_reference *reference = &view->references[inside->first + r];
        const size_t target = m->before_of[index_of(view, reference->target)];
        const bool is_element = take(list, count, "[]", target);
        cr_assert(is_element || take(list, count, NULL, target), "a reference that was not there");
        nameless += !is_element;
    }
    return nameless;
}

static size_t compare_object(const images *m, size_t i)
{
    static expected list[1 << 17];
    const capture_view *view = &m->k->after;
    const view_object *image = &view->objects[m->after_of[i]];
    const size_t count = list_references(m, i, list);
    size_t nameless = 0;
    cr_assert_str_eq(view_type(view, image->type), view_type(&m->k->before, m->k->before.objects[i].type));
    for (size_t r = 0; r < image->count; r++) {
        const view_reference *reference = &view->references[image->first + r];
        const size_t at = index_of(view, reference->target);
        if (m->before_of[at] != SIZE_MAX)
            cr_assert(take(list, count, name_of(view, reference), m->before_of[at]), "object %zu: %s", i,
                      name_of(view, reference));
    }
    for (size_t r = 0; r < image->count; r++) { /* those without a name last: they take what is left */
        const size_t at = index_of(view, view->references[image->first + r].target);
        if (m->before_of[at] == SIZE_MAX && strcmp(view_type(view, view->objects[at].type), "(elements)[]") == 0)
            nameless += take_inside(m, &view->objects[at], list, count);
    }
    for (size_t r = 0; r < count; r++)
        cr_assert(list[r].is_found, "object %zu lost %s to %zu", i, list[r].name, list[r].target);
    return nameless;
}

/* ---- roots ---- */

static void take_statics(const images *m, expected *roots, size_t count)
{
    const capture_view *view = &m->k->after;
    for (size_t i = 0; i < view->object_count; i++) {
        const view_object *object = &view->objects[i];
        if (strcmp(view_type(view, object->type), "java.lang.Class") != 0) continue;
        for (size_t r = 0; r < object->count; r++) {
            const view_reference *reference = &view->references[object->first + r];
            const size_t target = m->before_of[index_of(view, reference->target)];
            if (view_label_of(view, reference).kind != HSC_LABEL_STATIC) continue;
            cr_assert(take(roots, count, name_of(view, reference), target), "a static %s that is no root",
                      name_of(view, reference));
        }
    }
}

static void compare_roots(const images *m)
{
    const kit *k = m->k;
    expected *roots = calloc(k->before.root_count + 1, sizeof *roots);
    size_t count = 0;
    for (size_t i = 0; i < k->before.root_count; i++) {
        const size_t target = index_of(&k->before, k->before.roots[i].target);
        if (target != SIZE_MAX)
            roots[count++] = (expected){view_string(&k->before, k->before.roots[i].label), target, false};
    }
    take_statics(m, roots, count);
    for (size_t i = 0; i < k->after.root_count; i++) {
        const size_t target = m->before_of[index_of(&k->after, k->after.roots[i].target)];
        if (target != SIZE_MAX) cr_assert(take(roots, count, NULL, target), "a root that was not there");
    }
    for (size_t i = 0; i < count; i++)
        cr_assert(roots[i].is_found, "root %s of %zu is lost", roots[i].name, roots[i].target);
    free(roots);
}

size_t kit_compare(const kit *k)
{
    const images m = match(k);
    size_t nameless = 0;
    for (size_t i = 0; i < k->before.object_count; i++)
        nameless += compare_object(&m, i);
    compare_roots(&m);
    free(m.after_of);
    free(m.before_of);
    return nameless;
}

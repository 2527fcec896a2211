/*
 * Strings, types, labels, values without a name and timers of Go. See writer.h.
 */
#include "go/types/writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"

enum { TEXT_BYTES = 4096, NAME_BYTES = 2048 };

hsd_status hsd_gowriter_open(gowriter *w, gotyping *typing, hsd_error *err)
{
    w->typing = typing;
    w->numbers = calloc(2 * ((size_t)typing->types.type_count + 1), sizeof *w->numbers);
    return w->numbers == NULL ? hsd_fail_nomem(err, "types") : HSD_OK;
}

uint64_t hsd_gowriter_memory(const gowriter *w)
{
    return hsd_names_memory(&w->strings.names) + hsd_names_memory(&w->types) + hsd_id_table_memory(&w->labels) +
           hsd_id_table_memory(&w->timers);
}

void hsd_gowriter_release(gowriter *w)
{
    hsd_names_release(&w->strings.names);
    hsd_names_release(&w->types);
    hsd_id_table_release(&w->labels);
    hsd_id_table_release(&w->timers);
    free(w->numbers);
}

/* ---- strings ---- */

hsd_status hsd_gowriter_string(gowriter *w, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    bool is_new;
    HSD_TRY(hsd_import_put_text(w->import, &w->strings, text, number, &is_new, err));
    return is_new ? w->check_memory(w->context, err) : HSD_OK;
}

hsd_status hsd_gowriter_format(gowriter *w, uint32_t *number, hsd_error *err, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const hsd_bytes formatted = hsd_import_format(text, sizeof text, format, arguments);
    va_end(arguments);
    return hsd_gowriter_string(w, formatted, number, err);
}

hsd_status hsd_gowriter_local(gowriter *w, uint64_t address, uint32_t *number, hsd_error *err)
{
    const gotyping *t = w->typing;
    const golocal *local = t == NULL ? NULL : hsd_golocals_find(&t->locals, address);
    const hsd_go_function *code = local == NULL ? NULL : hsd_go_types_code_at(&t->types, local->pc - t->bias);
    const char *file;
    uint32_t line;
    if (code == NULL) return HSD_OK;
    const char *name = (const char *)t->locals.names.data + local->name,
               *function = hsd_go_types_text(&t->types, code->name);
    if (!hsd_go_lines_find(&t->lines, code->low, &file, &line))
        return hsd_gowriter_format(w, number, err, "local %s of %s", name, function);
    return hsd_gowriter_format(w, number, err, "local %s of %s (%s:%" PRIu32 ")", name, function, file, line);
}

/* ---- types ---- */

static hsd_status put_type(gowriter *w, const char *name, size_t size, uint32_t flags, uint32_t *number, hsd_error *err)
{
    bool is_new;
    const hsd_bytes text = {(const uint8_t *)name, size};
    HSD_TRY(hsd_import_put_type(w->import, &w->types, text, flags, number, &is_new, err));
    return w->check_memory(w->context, err);
}

hsd_status hsd_gowriter_name_type(gowriter *w, const char *name, size_t size, uint32_t *number, hsd_error *err)
{
    return put_type(w, name, size, 0, number, err);
}

hsd_status hsd_gowriter_type(gowriter *w, gotyped typed, uint32_t *number, hsd_error *err)
{
    char name[NAME_BYTES];
    uint32_t flags = 0;
    const size_t types = w->typing->types.type_count;
    uint32_t *known = typed.type >= GOTYPE_TEXT ? &w->numbers[2 * types + typed.type - GOTYPE_TEXT]
                                                : &w->numbers[2 * (size_t)typed.type + typed.is_items];
    if (*known == 0) {
        const size_t size = hsd_gotyping_name(w->typing, typed, name, sizeof name, &flags);
        HSD_TRY(put_type(w, name, size, flags, known, err));
    }
    *number = *known;
    return HSD_OK;
}

hsd_status hsd_gowriter_type_at(gowriter *w, gotyped typed, uint64_t address, uint32_t *number, hsd_error *err)
{
    char name[NAME_BYTES];
    uint64_t code;
    gotyping *t = w->typing;
    if (typed.type != GOTYPE_CLOSURE || typed.is_items) return hsd_gowriter_type(w, typed, number, err);
    HSD_TRY(hsd_gomemory_word(&t->memory, address, &code, err));
    const char *function = code < t->bias ? NULL : hsd_go_types_function_at(&t->types, code - t->bias);
    if (function == NULL || *function == '\0') return hsd_gowriter_type(w, typed, number, err);
    const int size = snprintf(name, sizeof name, "func %s", function);
    if (size < 0) return hsd_gowriter_type(w, typed, number, err);
    return put_type(w, name, hsd_min_u64((uint64_t)size, sizeof name - 1), 0, number, err);
}

/* ---- labels ---- */

static hsd_status define_label(gowriter *w, uint32_t label, const goword *word, bool is_element, hsd_error *err)
{
    static const hsc_label_kind kinds[] = {[GO_FIELD] = HSC_LABEL_FIELD,
                                           [GO_KEY] = HSC_LABEL_KEY,
                                           [GO_VALUE] = HSC_LABEL_VALUE,
                                           [GO_INSIDE] = HSC_LABEL_FIELD};
    const hsd_bytes path = hsd_names_get(&w->typing->plans.paths, word->name);
    const hsc_label_kind kind = is_element ? HSC_LABEL_ELEMENT : kinds[word->part];
    const uint32_t fold = word->part == GO_INSIDE ? HSC_LABEL_FOLD : 0;
    uint32_t name = 0;
    if (kind == HSC_LABEL_FIELD && path.size > 0)
        HSD_TRY(hsd_gowriter_string(w, path, &name, err));
    else if (kind == HSC_LABEL_FIELD)
        HSD_TRY(hsd_gowriter_format(w, &name, err, "*"));
    HSD_WRITE(w->import, hsc_define_label(w->import->writer, label, kind, HSC_STRENGTH_STRONG | fold, name), err);
    return w->check_memory(w->context, err);
}

hsd_status hsd_gowriter_label(gowriter *w, gotyped typed, uint64_t offset, uint32_t *label, uint64_t *index,
                              hsd_error *err)
{
    const goword *word;
    uint64_t element;
    *label = 0;
    *index = 0;
    HSD_TRY(hsd_gotyping_word_at(w->typing, typed, offset, &word, &element, err));
    if (word == NULL) return HSD_OK;
    const bool is_element = typed.is_items && word->name == 0;
    const uint32_t before = w->labels.count;
    HSD_TRY(hsd_id_table_put(&w->labels, (uint64_t)word->name << 3 | (uint64_t)word->part << 1 | is_element, label,
                             err));
    *label += w->labels_before;
    *index = is_element ? element : 0;
    return w->labels.count > before ? define_label(w, *label, word, is_element, err) : HSD_OK;
}

/* ---- values without a name ---- */

static hsd_status write_static(gowriter *w, const gostatic *one, hsd_error *err)
{
    hsc_object object = {.id = one->address};
    HSD_TRY(hsd_gowriter_type(w, hsd_gotyped_of_static(one), &object.type, err));
    HSD_WRITE(w->import, hsc_begin_object(w->import->writer, &object), err);
    HSD_WRITE(w->import, hsc_end_object(w->import->writer), err);
    w->import->result->objects++;
    return HSD_OK;
}

hsd_status hsd_gowriter_statics(gowriter *w, hsd_error *err)
{
    const gostatics *statics = w->typing == NULL ? NULL : &w->typing->statics;
    for (uint32_t i = 0; statics != NULL && i < statics->count; i++)
        if (statics->at[i].is_needed) HSD_TRY(write_static(w, &statics->at[i], err));
    return HSD_OK;
}

hsd_status hsd_gowriter_root_static(gowriter *w, gostatic *one, uint32_t label, uint32_t flags, hsd_error *err)
{
    const hsc_root_record root = {.kind = HSC_ROOT_GLOBAL, .label = label, .target = one->address, .flags = flags};
    if (one->has_root) return HSD_OK;
    one->has_root = true;
    HSD_WRITE(w->import, hsc_root(w->import->writer, &root), err);
    return HSD_OK;
}

/* What no pointer of a variable leads to has a root of its own. */
hsd_status hsd_gowriter_root_statics(gowriter *w, hsd_error *err)
{
    char name[NAME_BYTES];
    uint32_t label, flags;
    gostatic *one;
    while (w->typing != NULL) {
        HSD_TRY(hsd_gostatics_unreached(w->typing, &one, err));
        if (one == NULL) break;
        hsd_gotyping_name(w->typing, hsd_gotyped_of_static(one), name, sizeof name, &flags);
        HSD_TRY(hsd_gowriter_format(w, &label, err, "static %s", name));
        HSD_TRY(hsd_gowriter_root_static(w, one, label, hsd_gotask_is_runtime(name) ? HSC_ROOT_SECONDARY : 0, err));
    }
    return HSD_OK;
}

/* ---- timers ---- */

static hsd_status root_timer(void *context, uint64_t timer, const char *function, hsd_error *err)
{
    gowriter *w = context;
    hsc_root_record root = {.kind = HSC_ROOT_RUNTIME, .flags = HSC_ROOT_SECONDARY};
    uint32_t number;
    if (!w->find(w->context, timer, &root.target)) return HSD_OK;
    HSD_TRY(hsd_gowriter_format(w, &root.label, err, "timer %s", function));
    HSD_WRITE(w->import, hsc_root(w->import->writer, &root), err);
    HSD_TRY(hsd_id_table_put(&w->timers, root.target, &number, err));
    return w->check_memory(w->context, err);
}

hsd_status hsd_gowriter_timers(gowriter *w, hsd_error *err)
{
    return w->typing == NULL ? HSD_OK : hsd_gotask_timers(w->typing, root_timer, w, err);
}

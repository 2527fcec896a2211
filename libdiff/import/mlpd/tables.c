/*
 * Strings, types and labels of the capture, defined when they are first met: all names are known from the scan.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/mlpd/mlpd.h"

hsd_status hsd_mlpd_check_memory(const mlpd *m, hsd_error *err)
{
    const hsd_id_table *tables[] = {&m->classes, &m->vtables, &m->threads, &m->types, &m->labels};
    uint64_t taken =
        hsd_names_memory(&m->class_names) + hsd_names_memory(&m->texts) + hsd_names_memory(&m->strings.names);
    for (size_t i = 0; i < HSD_ARRAY_LEN(tables); i++)
        taken += hsd_id_table_memory(tables[i]);
    taken += m->class_room * sizeof *m->class_rows + m->vtable_room * sizeof *m->vtable_classes +
             m->thread_room * sizeof *m->thread_names + m->change_room * sizeof *m->changes +
             m->shot_room * sizeof *m->shots + m->root_room * sizeof *m->roots;
    return hsd_import_expect_room(taken, m->import->memory_bytes / 2, "the names and roots of this file",
                                  taken * 4 + HSD_IMPORT_MORE, err);
}

hsd_status hsd_mlpd_put_string(mlpd *m, uint32_t *number, hsd_error *err, const char *format, ...)
{
    char text[MLPD_TEXT_BYTES + 256];
    bool is_new;
    va_list arguments;
    va_start(arguments, format);
    const hsd_bytes formatted = hsd_import_format(text, sizeof text, format, arguments);
    va_end(arguments);
    HSD_TRY(hsd_import_put_text(m->import, &m->strings, formatted, number, &is_new, err));
    return is_new ? hsd_mlpd_check_memory(m, err) : HSD_OK;
}

/* One type a class: application domains have vtables of their own for it. */
static hsd_status find_type(mlpd *m, uint64_t vtable, mlpd_known *known, hsd_error *err)
{
    const uint32_t row = hsd_id_table_find(&m->vtables, vtable), before = m->types.count;
    const uint64_t pointer = row == 0 ? vtable : m->vtable_classes[row - 1];
    const mlpd_class *class = hsd_mlpd_class_of(m, vtable);
    char unknown[64];
    hsd_bytes name = {(const uint8_t *)unknown, 0};
    *known = (mlpd_known){.vtable = vtable, .is_array = class != NULL && class->is_array};
    HSD_TRY(hsd_id_table_put(&m->types, pointer, &known->type, err));
    if (m->types.count == before) return HSD_OK;
    if (class != NULL && class->name != 0)
        name = hsd_names_get(&m->class_names, class->name - 1);
    else
        name.size = (size_t)snprintf(unknown, sizeof unknown, "(class 0x%" PRIx64 ")", pointer);
    HSD_WRITE(m->import, hsc_define_type(m->import->writer, known->type, name.data, name.size, 0), err);
    return hsd_mlpd_check_memory(m, err);
}

hsd_status hsd_mlpd_put_type(mlpd *m, uint64_t vtable, const mlpd_known **out, hsd_error *err)
{
    mlpd_known *known = &m->known[(vtable >> 3 ^ vtable >> 13) % MLPD_KNOWN];
    if (known->vtable != vtable || known->type == 0) HSD_TRY(find_type(m, vtable, known, err));
    *out = known;
    return HSD_OK;
}

hsd_status hsd_mlpd_put_label(mlpd *m, uint64_t offset, uint32_t *label, hsd_error *err)
{
    uint32_t name;
    const uint32_t before = m->labels.count;
    const uint64_t word = offset / sizeof(uint32_t);
    *label = word < MLPD_NEAR && offset % sizeof(uint32_t) == 0 ? m->near_labels[word] : 0;
    if (*label != 0) return HSD_OK;
    if (before >= MLPD_LABELS_MOST && hsd_id_table_find(&m->labels, offset) == 0) return HSD_OK;
    HSD_TRY(hsd_id_table_put(&m->labels, offset, label, err));
    *label += MLPD_LABEL_FIRST - 1;
    if (word < MLPD_NEAR && offset % sizeof(uint32_t) == 0) m->near_labels[word] = *label;
    if (m->labels.count == before) return HSD_OK;
    HSD_TRY(hsd_mlpd_put_string(m, &name, err, "+0x%" PRIx64, offset));
    HSD_WRITE(m->import, hsc_define_label(m->import->writer, *label, HSC_LABEL_FIELD, HSC_STRENGTH_STRONG, name), err);
    return HSD_OK;
}

hsd_status hsd_mlpd_begin_tables(mlpd *m, hsd_error *err)
{
    hsc_writer *writer = m->import->writer;
    HSD_WRITE(m->import, hsc_define_label(writer, MLPD_LABEL_ELEMENT, HSC_LABEL_ELEMENT, HSC_STRENGTH_STRONG, 0), err);
    HSD_WRITE(m->import, hsc_define_string(writer, MLPD_STRING_NURSERY, "nursery", strlen("nursery")), err);
    HSD_WRITE(m->import, hsc_define_string(writer, MLPD_STRING_MAJOR, "major heap", strlen("major heap")), err);
    return HSD_OK;
}

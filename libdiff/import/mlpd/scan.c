/*
 * Everything once: what has a name, where roots may lie, and which heap shots there are.
 */
#include <stdlib.h>
#include <string.h>

#include "import/mlpd/mlpd.h"

static hsd_status put_text(hsd_names *names, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    *number = 0;
    if (text.size == 0) return HSD_OK;
    HSD_TRY(hsd_names_put(names, text, number, err));
    ++*number;
    return HSD_OK;
}

static hsd_status put_class(mlpd *m, uint64_t pointer, hsd_bytes name, hsd_error *err)
{
    uint32_t row;
    HSD_TRY(hsd_id_table_put(&m->classes, pointer, &row, err));
    HSD_TRY(hsd_import_grow((void **)&m->class_rows, &m->class_room, row - 1, sizeof *m->class_rows, err));
    HSD_TRY(put_text(&m->class_names, name, &m->class_rows[row - 1].name, err));
    m->class_rows[row - 1].is_array = name.size > 0 && name.data[name.size - 1] == ']';
    return hsd_mlpd_check_memory(m, err);
}

/* The first event of a thread has no name: it counts it. */
static hsd_status put_thread(mlpd *m, uint64_t pointer, hsd_bytes name, hsd_error *err)
{
    uint32_t row;
    HSD_TRY(hsd_id_table_put(&m->threads, pointer, &row, err));
    HSD_TRY(hsd_import_grow((void **)&m->thread_names, &m->thread_room, row - 1, sizeof *m->thread_names, err));
    if (name.size > 0) HSD_TRY(put_text(&m->texts, name, &m->thread_names[row - 1], err));
    return hsd_mlpd_check_memory(m, err);
}

static hsd_status see_name(mlpd *m, mlpd_metadata kind, uint64_t pointer, hsd_bytes name, hsd_error *err)
{
    return kind == MLPD_CLASS ? put_class(m, pointer, name, err) : put_thread(m, pointer, name, err);
}

static hsd_status see_vtable(mlpd *m, uint64_t pointer, uint64_t class_pointer, hsd_error *err)
{
    uint32_t row;
    HSD_TRY(hsd_id_table_put(&m->vtables, pointer, &row, err));
    HSD_TRY(hsd_import_grow((void **)&m->vtable_classes, &m->vtable_room, row - 1, sizeof *m->vtable_classes, err));
    m->vtable_classes[row - 1] = class_pointer;
    return hsd_mlpd_check_memory(m, err);
}

static hsd_status see_range(mlpd *m, const mlpd_change *change, hsd_bytes name, hsd_error *err)
{
    HSD_TRY(hsd_import_grow((void **)&m->changes, &m->change_room, m->change_count, sizeof *m->changes, err));
    mlpd_change *row = &m->changes[m->change_count];
    *row = *change;
    row->order = m->change_count++;
    HSD_TRY(put_text(&m->texts, name, &row->name, err));
    return hsd_mlpd_check_memory(m, err);
}

static hsd_status begin_shot(mlpd *m, hsd_error *err)
{
    HSD_TRY(hsd_import_grow((void **)&m->shots, &m->shot_room, m->shot_count, sizeof *m->shots, err));
    m->shots[m->shot_count++] = (mlpd_shot){.time_ns = m->time_ns};
    return hsd_mlpd_check_memory(m, err);
}

static hsd_status end_shot(mlpd *m, hsd_error *err)
{
    (void)err;
    m->shots[m->shot_count - 1].is_whole = !m->is_shot_damaged;
    return HSD_OK;
}

static hsd_status see_object(mlpd *m, const mlpd_object *object, hsd_error *err)
{
    (void)err;
    m->shots[m->shot_count - 1].objects += object->size != 0;
    return HSD_OK;
}

static hsd_status see_move(mlpd *m, uint64_t from, uint64_t to, hsd_error *err)
{
    (void)from, (void)to, (void)err;
    m->tells_moves = true;
    return HSD_OK;
}

hsd_status hsd_mlpd_scan(mlpd *m, hsd_error *err)
{
    static const mlpd_visit visit = {.named = see_name,
                                     .vtable = see_vtable,
                                     .begin_shot = begin_shot,
                                     .end_shot = end_shot,
                                     .object = see_object,
                                     .range = see_range,
                                     .move = see_move};
    return hsd_mlpd_read_all(m, &visit, "reading names", err);
}

const mlpd_class *hsd_mlpd_class_of(const mlpd *m, uint64_t vtable)
{
    uint32_t row = hsd_id_table_find(&m->vtables, vtable);
    row = hsd_id_table_find(&m->classes, row == 0 ? vtable : m->vtable_classes[row - 1]);
    return row == 0 ? NULL : &m->class_rows[row - 1];
}

/*
 * What a ThreadLocal is called. Its values hang from threads, each in an entry of the thread's map:
 *
 *      thread "pool-1-thread-7" .threadLocals [*] Entry .value Context
 *                                               .referent (weak) ──► ThreadLocal ◄── static Srv.CTX
 *
 * The program knows it by the static field, so the entry is called "ThreadLocal Srv.CTX", and its value starts an owner
 * of its own: the values of one ThreadLocal are one owner, in however many threads they are. Statics are known from the
 * scan; they are brought into a table by what they refer to when the first entry is met, so a dump without entries
 * costs nothing. Where the ThreadLocal was collected nothing but the thread leads to its value, and the value is the
 * thread's.
 */
#include <stdlib.h>

#include "import/hprof/write.h"

static hsd_status note_static(hprof_writing *w, uint32_t class_number, uint32_t nth, uint64_t target, hsd_error *err)
{
    hprof_statics *statics = &w->statics;
    const uint32_t before = statics->table.count;
    uint32_t number = 0;
    HSD_TRY(hsd_id_table_put(&statics->table, target, &number, err));
    if (statics->table.count == before) return HSD_OK; /* the first field that holds it */
    HSD_TRY(hsd_import_grow((void **)&statics->places, &statics->capacity, number, sizeof *statics->places, err));
    statics->places[number] = (uint64_t)class_number << 32 | nth;
    return HSD_OK;
}

static hsd_status make_table(hprof_writing *w, hsd_error *err)
{
    const hprof_classes *classes = &w->self->classes;
    for (uint32_t i = 1; i <= classes->table.count; i++) {
        const hprof_class *of = &classes->items[i];
        for (uint32_t k = 0; k < of->static_count; k++) {
            const hprof_static *entry = &classes->statics[of->first_static + k];
            if (entry->value != 0 && entry->name != 0) HSD_TRY(note_static(w, i, k, entry->value, err));
        }
        HSD_TRY(hsd_hprof_check_memory(w->self, hsd_hprof_statics_memory(&w->statics), err));
    }
    w->statics.is_made = true;
    return HSD_OK;
}

static hsd_status append_field(const hprof_writing *w, uint64_t place, hsd_buffer *text, hsd_error *err)
{
    const hprof *self = w->self;
    const hprof_class *of = &self->classes.items[place >> 32];
    const hsd_bytes field =
        hsd_hprof_name(&self->names, self->classes.statics[of->first_static + (uint32_t)place].name);
    HSD_TRY(hsd_hprof_name_of_class(self, of, text, err));
    HSD_TRY(hsd_buffer_append(text, ".", 1, err));
    return hsd_buffer_append(text, field.data, field.size, err);
}

hsd_status hsd_hprof_name_local(hprof_writing *w, uint64_t id, uint32_t *string, hsd_error *err)
{
    static const char word[] = "ThreadLocal ", gone[] = "(collected)";
    hsd_buffer text = {0};
    if (!w->statics.is_made) HSD_TRY(make_table(w, err));
    const uint32_t number = id == 0 ? 0 : hsd_id_table_find(&w->statics.table, id);
    if (id != 0 && number == 0) return HSD_OK;
    hsd_status status = hsd_buffer_append(&text, word, sizeof word - 1, err);
    if (status == HSD_OK)
        status = id == 0 ? hsd_buffer_append(&text, gone, sizeof gone - 1, err)
                         : append_field(w, w->statics.places[number], &text, err);
    if (status == HSD_OK) status = hsd_hprof_put_string(&w->output, (hsd_bytes){text.data, text.size}, string, err);
    hsd_buffer_release(&text);
    if (status == HSD_OK && id == 0) w->statics.collected = *string;
    return status;
}

uint64_t hsd_hprof_statics_memory(const hprof_statics *statics)
{
    return hsd_id_table_memory(&statics->table) + statics->capacity * sizeof *statics->places;
}

void hsd_hprof_statics_release(hprof_statics *statics)
{
    hsd_id_table_release(&statics->table);
    free(statics->places);
    *statics = (hprof_statics){0};
}

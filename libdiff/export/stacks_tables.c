/* Stacks while they are gathered. See stacks_tables.h. */
#include "export/stacks_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include <hsdiff/report.h>

#include "base/check.h"

hsd_status hsd_stack_tables_init(hsd_stack_tables *tables, const hsd_stacks_form *form, uint64_t most_bytes,
                                 hsd_error *err)
{
    const hsd_stack_node_key bottom = {HSD_NAME_NONE, HSD_NAME_NONE};
    uint32_t number;
    *tables = (hsd_stack_tables){.form = *form, .most_bytes = most_bytes};
    HSD_TRY(hsd_names_put(&tables->texts, (hsd_bytes){0}, &number, err));
    return hsd_names_put(&tables->nodes, (hsd_bytes){(const uint8_t *)&bottom, sizeof bottom}, &number, err);
}

void hsd_stack_tables_release(hsd_stack_tables *tables)
{
    hsd_names_release(&tables->texts);
    hsd_names_release(&tables->frames);
    hsd_names_release(&tables->nodes);
    hsd_names_release(&tables->samples);
    hsd_buffer_release(&tables->marked);
    free(tables->amounts);
    *tables = (hsd_stack_tables){0};
}

static hsd_status check_memory(const hsd_stack_tables *t, hsd_error *err)
{
    const uint64_t bytes = hsd_names_memory(&t->texts) + hsd_names_memory(&t->frames) + hsd_names_memory(&t->nodes) +
                           hsd_names_memory(&t->samples) + t->amount_capacity * sizeof *t->amounts;
    if (bytes <= t->most_bytes) return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET, "its %u distinct stacks and their names do not fit", t->samples.count);
    hsd_error_set_hint(err, "give it more with --memory: twice as much is a good next try");
    return HSD_E_OVER_BUDGET;
}

/* Interns bytes, and looks at the memory when they are new. */
static hsd_status put_stack_table(hsd_stack_tables *t, hsd_names *names, const void *data, size_t size, uint32_t *out,
                                  hsd_error *err)
{
    const uint32_t known = names->count;
    HSD_TRY(hsd_names_put(names, (hsd_bytes){data, size}, out, err));
    return names->count == known ? HSD_OK : check_memory(t, err);
}

hsd_status hsd_stack_text(hsd_stack_tables *tables, hsd_bytes text, uint32_t *out, hsd_error *err)
{
    const char *data = (const char *)text.data;
    const size_t size = hsd_escape_terminal(NULL, 0, data, text.size);
    hsd_buffer *marked = &tables->marked;
    hsd_buffer_clear(marked);
    HSD_TRY(hsd_buffer_reserve(marked, size + 1, err));
    hsd_escape_terminal((char *)marked->data, size + 1, data, text.size);
    return put_stack_table(tables, &tables->texts, marked->data, size, out, err);
}

hsd_status hsd_stack_push(hsd_stack_tables *tables, uint32_t parent, hsd_stack_frame frame, uint32_t *node,
                          hsd_error *err)
{
    hsd_stack_node_key key = {.parent = parent};
    if (tables->form.functions_only && frame.function != 0) frame = (hsd_stack_frame){.function = frame.function};
    HSD_TRY(put_stack_table(tables, &tables->frames, &frame, sizeof frame, &key.frame, err));
    return put_stack_table(tables, &tables->nodes, &key, sizeof key, node, err);
}

hsd_status hsd_stack_push_text(hsd_stack_tables *tables, uint32_t parent, hsd_bytes text, uint32_t *node,
                               hsd_error *err)
{
    hsd_stack_frame frame = {0};
    HSD_TRY(hsd_stack_text(tables, text, &frame.function, err));
    return hsd_stack_push(tables, parent, frame, node, err);
}

static hsd_status make_room_for_stack_table(hsd_stack_tables *t, uint32_t sample, hsd_error *err)
{
    return HSD_ARRAY_GROW_ZEROED(t->amounts, t->amount_capacity, sample + 1, 64, "amounts of stacks", err);
}

hsd_status hsd_stack_add(hsd_stack_tables *tables, uint32_t node, uint32_t type, uint32_t root, hsd_stack_side side,
                         const hsd_amount *amount, hsd_error *err)
{
    const hsd_stack_sample_key key = {node, type, root};
    uint32_t sample;
    HSD_TRY(put_stack_table(tables, &tables->samples, &key, sizeof key, &sample, err));
    HSD_TRY(make_room_for_stack_table(tables, sample, err));
    hsd_amount *sum = side == HSD_STACK_BEFORE ? &tables->amounts[sample].before : &tables->amounts[sample].after;
    sum->objects = hsd_add_saturating(sum->objects, amount->objects);
    sum->bytes = hsd_add_saturating(sum->bytes, amount->bytes);
    return HSD_OK;
}

/*
 * The stack of a thread: its slots stand in front of their names, which are printed as they are. Where there are not as
 * many names as slots, no slot gets one.
 */
#include "import/luau/luau.h"

/* The object under way ends where its line does: what cannot be read of the names is not wanted either. */
static hsd_status give_up(luau *lu, hsd_error *err)
{
    while (lu->line.is_long) {
        lu->at = lu->end;
        HSD_TRY(hsd_luau_more(lu, 1, err));
    }
    lu->at = lu->end;
    if (lu->at[-1] == ',') lu->at--;
    if (lu->at[-1] == '}') lu->at--;
    return HSD_OK;
}

static hsd_status read_name(luau *lu, hsd_bytes *name, hsd_error *err)
{
    enum { NULL_BYTES = 8 };
    *name = (hsd_bytes){lu->name_text, 0};
    HSD_TRY(hsd_luau_look(lu, NULL_BYTES, err));
    if (HSD_LUAU_TAKE(lu, "null")) return HSD_OK;
    return hsd_luau_read_text(lu, LUAU_BEFORE_ITEM, lu->name_text, name, err);
}

/* Labels of all slots into lu->labels. */
static hsd_status read_names(luau *lu, size_t slots, hsd_error *err)
{
    if (!hsd_luau_take(lu, '[')) return HSD_END;
    for (size_t i = 0; i < slots; i++) {
        hsd_bytes name;
        uint32_t label, ignored;
        if (i > 0 && !hsd_luau_take(lu, ',')) return HSD_END;
        HSD_TRY(read_name(lu, &name, err));
        HSD_TRY(hsd_luau_variable_label(lu, name, &label, err));
        if (hsd_luau_is_name(name, "")) HSD_TRY(hsd_names_put(&lu->internals, name, &ignored, err));
        HSD_TRY(hsd_buffer_append(&lu->labels, &label, sizeof label, err));
    }
    HSD_TRY(hsd_luau_look(lu, 1, err));
    return hsd_luau_take(lu, ']') ? HSD_OK : HSD_END;
}

hsd_status hsd_luau_read_stack_names(luau *lu, hsd_error *err)
{
    const size_t slots = lu->stack.size / sizeof(uint64_t);
    hsd_buffer_clear(&lu->labels);
    const hsd_status status = read_names(lu, slots, err);
    if (status < 0) return status;
    if (status == HSD_END) {
        hsd_buffer_clear(&lu->labels);
        return give_up(lu, err);
    }
    return HSD_OK;
}

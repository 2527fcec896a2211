/*
 * Stacks, each once: a tree whose nodes are a place that another node has called. A place is a function, a file and a
 * line; an instruction of a code object is looked up in the table of lines once.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "import/memray/memray.h"

enum { CHECK_EVERY = 256, TABLE_STEP = 65536, MOST_TABLE_BYTES = 1 << 28 };

static hsd_status check_now_and_then(const mr *m, uint32_t count, hsd_error *err)
{
    return count % CHECK_EVERY == 0 ? hsd_mr_check_memory(m, err) : HSD_OK;
}

/* ---- code objects ---- */

static hsd_status read_table(mr *m, mr_code *code, hsd_error *err)
{
    uint64_t size;
    HSD_TRY(hsd_mr_number(m, &size, err));
    if (size > MOST_TABLE_BYTES) return hsd_mr_corrupt(m, "a table of lines is larger than any", err);
    code->table_at = m->tables_bytes;
    code->table_bytes = (uint32_t)size;
    while (size > 0) { /* as it arrives: a size alone takes no memory */
        const size_t part = (size_t)hsd_min_u64(size, TABLE_STEP);
        if (m->tables_room - m->tables_bytes < part) {
            const uint64_t room = m->tables_room * 2 + part;
            uint8_t *larger = realloc(m->tables, (size_t)room);
            if (larger == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for an import");
            m->tables = larger;
            m->tables_room = room;
            HSD_TRY(hsd_mr_check_memory(m, err));
        }
        const hsd_status status = hsd_source_copy(m->source, m->tables + m->tables_bytes, part, err);
        if (status == HSD_E_TRUNCATED) hsd_import_hint_partial(err);
        if (status < 0) return status;
        m->tables_bytes += part;
        size -= part;
    }
    return HSD_OK;
}

hsd_status hsd_mr_read_code(mr *m, hsd_error *err)
{
    mr_code code = {0};
    uint64_t id;
    uint32_t row;
    int64_t delta;
    HSD_TRY(hsd_mr_number(m, &id, err));
    HSD_TRY(hsd_mr_text(m, &code.function, err));
    HSD_TRY(hsd_mr_text(m, &code.file, err));
    HSD_TRY(hsd_mr_signed(m, &delta, err));
    m->last_line = (int64_t)((uint64_t)m->last_line + (uint64_t)delta);
    code.first_line = m->last_line > INT32_MAX || m->last_line < INT32_MIN ? 0 : m->last_line;
    HSD_TRY(read_table(m, &code, err));
    HSD_TRY(hsd_id_table_put(&m->codes, id, &row, err));
    HSD_TRY(hsd_import_grow((void **)&m->code_rows, &m->code_room, row - 1, sizeof *m->code_rows, err));
    m->code_rows[row - 1] = code;
    return check_now_and_then(m, row, err);
}

/* ---- places ---- */

static hsd_status put_place(mr *m, mr_place place, uint32_t *number, hsd_error *err)
{
    uint32_t name;
    HSD_TRY(hsd_id_table_put(&m->names, (uint64_t)place.function << 32 | place.file, &name, err));
    HSD_TRY(hsd_id_table_put(&m->places, (uint64_t)name << 32 | place.line, number, err));
    HSD_TRY(hsd_import_grow((void **)&m->place_rows, &m->place_room, *number - 1, sizeof *m->place_rows, err));
    m->place_rows[*number - 1] = place;
    return HSD_OK;
}

static hsd_status find_place(mr *m, uint32_t code_row, int64_t offset, uint32_t *number, hsd_error *err)
{
    mr_place place = {0};
    if (code_row == 0) {
        static const hsd_bytes unknown = {(const uint8_t *)"(unknown)", 9};
        HSD_TRY(hsd_names_put(&m->texts, unknown, &place.function, err));
        place.file = place.function;
    } else {
        const mr_code *code = &m->code_rows[code_row - 1];
        place.function = code->function;
        place.file = code->file;
        if (code->table_bytes > 0)
            place.line =
                hsd_mr_line(m->python_version, m->tables + code->table_at, code->table_bytes, code->first_line, offset);
    }
    return put_place(m, place, number, err);
}

hsd_status hsd_mr_place(mr *m, uint64_t code_id, int64_t offset, uint32_t *place, hsd_error *err)
{
    const uint32_t code = hsd_id_table_find(&m->codes, code_id), before = m->moments.count;
    const uint32_t instruction = offset < 0 || offset > INT32_MAX ? UINT32_MAX : (uint32_t)offset;
    uint32_t row;
    m->unknown_codes += code == 0;
    HSD_TRY(hsd_id_table_put(&m->moments, (uint64_t)code << 32 | instruction, &row, err));
    if (m->moments.count > before) {
        HSD_TRY(hsd_import_grow((void **)&m->moment_places, &m->moment_room, row - 1, sizeof *m->moment_places, err));
        HSD_TRY(find_place(m, code, instruction == UINT32_MAX ? -1 : offset, &m->moment_places[row - 1], err));
        HSD_TRY(check_now_and_then(m, row, err));
    }
    *place = m->moment_places[row - 1];
    return HSD_OK;
}

/* ---- the tree ---- */

hsd_status hsd_mr_node(mr *m, uint32_t parent, uint32_t place, uint32_t *node, hsd_error *err)
{
    const uint32_t before = m->nodes.count;
    HSD_TRY(hsd_id_table_put(&m->nodes, (uint64_t)parent << 32 | place, node, err));
    if (m->nodes.count == before) return HSD_OK;
    if (*node > INT32_MAX)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "this file has more than 2,147,483,647 different stacks");
    HSD_TRY(hsd_import_grow((void **)&m->node_parents, &m->parent_room, *node, sizeof *m->node_parents, err));
    HSD_TRY(hsd_import_grow((void **)&m->node_places, &m->node_room, *node, sizeof *m->node_places, err));
    m->node_parents[*node] = parent;
    m->node_places[*node] = place;
    return check_now_and_then(m, *node, err);
}

#define _GNU_SOURCE /* memmem */
/*
 * The tree of a snapshot. A line's depth is that of its blanks, its number of children stands in front, so that it is
 * known which line is the last. What a leaf says is a stack: its frames are those above it, the innermost at the top.
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "import/valgrind/frames.h"
#include "import/valgrind/massif.h"

static const char below[] = "(below massif's threshold)";

static hsd_status fail_tree(const massif *m, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, m->line.offset, "the tree of snapshot %" PRIu64 " is damaged: %s",
                       m->now.number, what);
}

static hsd_status fail_cut_tree(massif *m, hsd_error *err)
{
    m->is_cut = true;
    hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(m->source), "this file of massif ends inside snapshot %" PRIu64,
                m->now.number);
    hsd_import_hint_partial(err);
    return HSD_E_TRUNCATED;
}

/* ---- frames ---- */

/* "in 3 places, all below massif's threshold (1.00%)", "in 1 place, below massif's threshold (1.00%)" */
static bool is_of_many(hsd_bytes text)
{
    return hsd_bytes_begin(text, "in ") && memmem(text.data, text.size, below + 1, sizeof below - 3) != NULL;
}

static hsd_status find_frame(massif *m, hsd_bytes text, uint32_t *frame, hsd_error *err)
{
    const uint32_t before = m->frame_texts.count;
    uint32_t row;
    if (is_of_many(text)) text = (hsd_bytes){(const uint8_t *)below, sizeof below - 1};
    text.size = (size_t)hsd_min_u64(text.size, HSD_FRAME_TEXT_BYTES);
    HSD_TRY(hsd_names_put(&m->frame_texts, text, &row, err));
    if (m->frame_texts.count > before) {
        HSD_TRY(hsd_import_grow((void **)&m->frame_rows, &m->frame_room, row, sizeof *m->frame_rows, err));
        m->sums.other_bytes = hsd_names_memory(&m->frame_texts) + m->frame_room * sizeof *m->frame_rows;
        HSD_TRY(hsd_valgrind_frame(&m->sums, text, &m->frame_rows[row], err));
    }
    *frame = m->frame_rows[row];
    return HSD_OK;
}

/* From the outermost frame, the deepest, to the innermost. Depth 0 is no frame. Blocks are not counted there: a stack
 * counts as one. */
static hsd_status add_leaf(massif *m, size_t depth, uint64_t bytes, hsd_error *err)
{
    uint32_t site = 0;
    for (size_t at = depth; at > 0; at--)
        HSD_TRY(hsd_stack_sums_site(&m->sums, m->frames[at], &site, err));
    return hsd_stack_sums_add(&m->sums, site, 1, bytes, err);
}

/* ---- lines ---- */

typedef struct node {
    size_t depth;
    uint64_t children, bytes;
    hsd_bytes text;
} node;

/* "  n2: 8192 0x1097: fill(int) (shop.cc:10)" */
static bool parse_node(hsd_bytes line, node *out)
{
    out->depth = 0;
    while (out->depth < line.size && line.data[out->depth] == ' ')
        out->depth++;
    hsd_bytes at = {line.data + out->depth, line.size - out->depth};
    if (!hsd_bytes_begin(at, "n")) return false;
    at = (hsd_bytes){at.data + 1, at.size - 1};
    if (!hsd_massif_take_number(&at, &out->children) || !hsd_bytes_begin(at, ": ")) return false;
    at = (hsd_bytes){at.data + 2, at.size - 2};
    if (!hsd_massif_take_number(&at, &out->bytes) || !hsd_bytes_begin(at, " ")) return false;
    out->text = (hsd_bytes){at.data + 1, at.size - 1};
    return true;
}

static hsd_status take_node(massif *m, size_t depth, bool is_wanted, uint64_t *bytes, hsd_error *err)
{
    node line;
    if (!parse_node(m->line.text, &line)) return fail_tree(m, "this is no line of it", err);
    if (line.depth != depth) return fail_tree(m, "this line does not stand at its depth", err);
    if (line.children > 0 && depth == MASSIF_DEPTH) return fail_tree(m, "it is deeper than massif makes one", err);
    m->left[depth] = line.children;
    *bytes = line.bytes;
    if (!is_wanted) return HSD_OK;
    if (depth > 0) HSD_TRY(find_frame(m, line.text, &m->frames[depth], err));
    return line.children == 0 && line.bytes > 0 ? add_leaf(m, depth, line.bytes, err) : HSD_OK;
}

hsd_status hsd_massif_read_tree(massif *m, bool is_wanted, hsd_error *err)
{
    uint64_t whole = 0, leaves = 0, bytes = 0;
    size_t depth = 0;
    for (;;) {
        const hsd_status status = hsd_massif_next_line(m, err);
        if (status < 0) return status;
        if (status == HSD_END || !m->line.is_whole) return fail_cut_tree(m, err);
        HSD_TRY(take_node(m, depth, is_wanted, &bytes, err));
        if (depth == 0) whole = bytes;
        if (m->left[depth] == 0) leaves = hsd_add_saturating(leaves, bytes);
        while (m->left[depth] == 0 && depth > 0)
            depth--;
        if (m->left[depth] == 0) break;
        m->left[depth]--;
        depth++;
    }
    return leaves == whole ? HSD_OK : fail_tree(m, "its stacks do not add up to their sum", err);
}

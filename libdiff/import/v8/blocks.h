/*
 * Names of the variables that closures capture from a block. V8 names those of functions and modules
 * (edges of type "context"), and of blocks, loops and catch clauses it does not: their contexts have edges
 * without names. But the names are there, where the scope is described:
 *
 *      context ─internal "scope_info"─► scope info ─hidden 0─► string "request"
 *              ─hidden 0─► Request                 ─hidden 1─► string "started"
 *              ─hidden 1─► Date                    ─hidden 2─► the scope outside
 *
 * The number of a context's edge counts its variables but for small integers, which have no edge and are not
 * counted. So the names are sure only where the last edge of a context belongs to the last variable of its
 * scope. Where one or two numbers may have shifted it a variable is one of a few, "(seen or count)", and which one
 * its type tells; elsewhere it is "(block variable)". Checked on node 20 and 26.
 *
 * The strings are nodes, whose numbers are known when the scope passes and whose texts are not: see wishes.h.
 */
#ifndef HSD_IMPORT_V8_BLOCKS_H
#define HSD_IMPORT_V8_BLOCKS_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/id_map.h"
#include "import/v8/names.h"
#include "import/v8/wishes.h"

#define HSD_V8_NO_BLOCK        UINT32_MAX
#define HSD_V8_BLOCK_VARIABLES 32u /* of one block; scopes with more stay without names */

typedef struct hsd_v8_block { /* a scope that some context is of */
    uint32_t scope_info;      /* node */
    uint32_t proof;           /* entry that must prove SCOPE */
} hsd_v8_block;

typedef struct hsd_v8_scope_info { /* what may be one, ascending by ordinal */
    uint32_t ordinal;
    uint32_t first, count; /* nodes of its names, in the pool */
} hsd_v8_scope_info;

#define HSD_V8_MOST_CHOICES 4096u
#define HSD_V8_CHOICE_NAMES 3u

typedef struct hsd_v8_choice { /* a label that has one of a few names */
    uint32_t label;            /* entry */
    uint32_t count;
    struct {
        uint32_t at, size; /* in `texts`; 0 = it did not come, or is no name */
    } names[HSD_V8_CHOICE_NAMES];
} hsd_v8_choice;

typedef struct hsd_v8_blocks {
    hsd_id_map numbers; /* scope info -> block */
    hsd_v8_choice *choices;
    uint32_t choice_count, choice_capacity;
    hsd_buffer texts;
    hsd_v8_block *blocks;
    uint32_t block_count, block_capacity;
    hsd_v8_scope_info *infos;
    uint32_t info_count, info_capacity;
    uint32_t *names; /* the pool */
    uint32_t name_count, name_capacity;
} hsd_v8_blocks;

/* What may be a context: its first edge leads to what may be its scope info, under the name with this proof. */
hsd_status hsd_v8_blocks_context(hsd_v8_blocks *blocks, uint32_t scope_info, uint32_t proof, uint32_t *out,
                                 hsd_error *err);

/* What may be a scope info: the nodes that its first hidden edges lead to. */
hsd_status hsd_v8_blocks_info(hsd_v8_blocks *blocks, uint32_t ordinal, const uint32_t *names, uint32_t count,
                              hsd_error *err);

/* The label of the variable at `index` in a context whose last edge has the number `last`; HSD_V8_NO_ENTRY past
 * the limits. */
hsd_status hsd_v8_blocks_label(hsd_v8_names *names, uint32_t block, uint32_t last, uint32_t index, uint32_t *entry,
                               hsd_error *err);

/* All edges were seen: one wish for each label that is sure of its name, one for each name that another may have. */
hsd_status hsd_v8_blocks_resolve(hsd_v8_blocks *blocks, hsd_v8_names *names, hsd_v8_wishes *wishes, hsd_error *err);

/* The text of such a name came, an identifier; `owner` of its entry. */
hsd_status hsd_v8_blocks_text(hsd_v8_blocks *blocks, uint32_t owner, hsd_bytes text, hsd_error *err);

/* "(seen or count)" behind what *out has; nothing where a name is missing. */
hsd_status hsd_v8_blocks_choice(const hsd_v8_blocks *blocks, uint32_t choice, hsd_buffer *out, hsd_error *err);

void hsd_v8_blocks_release(hsd_v8_blocks *blocks);

#endif

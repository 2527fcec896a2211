/*
 * What a word of a block is called, by the type of the block as it is shown:
 *
 *      Session                            at 32   buffer_         debug information of the program knows the structure
 *      std::make_shared<Session>          at 48   buffer_         behind the counts
 *      node of std::list<Session>         at 0    the way to the next node
 *                                         at 8    the way back to the one before
 *                                         at 16   an item; [*].buffer_ where debug information knows it
 *      std::map<int, Session>             at 16   the way to its nodes
 *      Session[], Vec<Session>            at 16   an item
 *      BTreeMap<u64, Session>             at 16   a key or a value, an item; behind them a way to another node
 */
#ifndef HSD_SYMBOLS_MEMBERS_H
#define HSD_SYMBOLS_MEMBERS_H

#include "base/buffer.h"
#include "symbols/modules.h"
#include "symbols/text.h"

typedef enum hsd_member_kind {
    HSD_MEMBER_UNKNOWN,
    HSD_MEMBER_NAMED,  /* by its text */
    HSD_MEMBER_INSIDE, /* from a container into its own memory: a table, the next node */
    HSD_MEMBER_BESIDE, /* by its text: from an object into a container in it, to a node that others lead to anyway */
    HSD_MEMBER_BACK, /* to a node from which there is a way to this one: it keeps nothing alive that is not so anyway */
    HSD_MEMBER_ITEM  /* one of several that the block holds */
} hsd_member_kind;

typedef struct hsd_member_place {
    hsd_text type;
    uint64_t offset;
    bool is_of_llvm; /* a container of that C++ library: its nodes are others */
} hsd_member_place;

/*
 * The word `offset` bytes into a block of this type. `modules`: where its structure may be known; NULLs are passed
 * over. *name is appended to but for UNKNOWN and ITEM. HSD_E_NOMEM.
 */
hsd_status hsd_member_find(const hsd_module *const *modules, size_t count, const hsd_member_place *place,
                           hsd_member_kind *kind, hsd_buffer *name, hsd_error *err);

#endif

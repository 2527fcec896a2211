/*
 * What a block is, by who asked for it: types of C, C++, Rust and Zig that debug information knows. Where it is not
 * certain, nothing is said:
 *
 *      order *o = malloc(sizeof *o);                 order          by what the block is stored in, handed to or returned as (flow.h)
 *      s->orders = realloc(s->orders, …);            order *[]
 *      std::vector<Item>, std::map<long, Session>    Item[], node of std::map<long, Session>      by functions of libraries (generic.h)
 *      Vec::push, Box::new, HashMap::insert          Vec<Order>, Box<Account>, HashMap<u32, Session>
 *
 * The way from the block to its type goes through the callers as long as they return it as a pointer to anything. A
 * type of C or C++ must fit the size of the block.
 */
#ifndef HSD_SYMBOLS_SITE_TYPES_H
#define HSD_SYMBOLS_SITE_TYPES_H

#include "symbols/modules.h"

#define HSD_SITE_CALLS HSD_ALLOCATED_NAMES

typedef struct hsd_call_chain {
    const hsd_module *modules[HSD_SITE_CALLS]; /* of each call, the innermost first; NULL = not known */
    uint64_t addresses[HSD_SITE_CALLS];        /* of the last byte of the call */
    size_t count;
    uint64_t most_bytes; /* that the block has: its size class */
} hsd_call_chain;

typedef struct hsd_site_type {
    hsd_buffer text;  /* no NUL; empty: nothing is known */
    bool says_little; /* characters, numbers: who asked for them says more */
    bool is_of_llvm;  /* of the C++ library of LLVM, whose nodes are others */
} hsd_site_type;      /* zeroed: empty */

/* Fills an empty one. HSD_E_NOMEM. */
hsd_status hsd_site_type_find(hsd_site_type *out, const hsd_call_chain *site, hsd_error *err);
void hsd_site_type_release(hsd_site_type *type);

#endif

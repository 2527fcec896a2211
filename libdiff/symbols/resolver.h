/*
 * Texts with names resolved: what hsd_symbols_resolve does with each text of a capture.
 */
#ifndef HSD_SYMBOLS_RESOLVER_H
#define HSD_SYMBOLS_RESOLVER_H

#include <hsdiff/symbols.h>

#include "base/buffer.h"
#include "symbols/members.h"
#include "symbols/modules.h"

/* What is known of the code at one name. Texts are owned by the resolver. */
typedef struct hsd_code_name {
    const char *text;   /* "push_back (stl_vector.h:1287), inlined in make_session" */
    const char *around; /* the function that the address lies in: "make_session" */
    const char *wanted; /* the innermost function there that does not allocate for others; NULL if all do */
    bool is_known;      /* false: no symbol is there, and text is the name without its build id */
} hsd_code_name;

typedef struct hsd_resolver {
    hsd_modules modules;
    struct hsd_cached_name *cache; /* a hash table of names that were looked up */
    size_t cache_capacity, cache_used;
    uint64_t cache_bytes;       /* what it may take with the texts in it */
    hsd_arena arena;            /* of the cache */
    hsd_buffer text;            /* the one that is being built */
    hsd_buffer type, type_text; /* of the last member: that of its block as it is shown, and as it stood there */
    bool is_of_llvm;            /* the last type that debug information told was of that C++ library */
    bool type_is_of_llvm;       /* and the one in `type` */
    hsd_member_kind member;     /* of the last text, if that was one of a member */
    hsd_symbol_result result;
} hsd_resolver; /* zeroed: closed */

/* `options` and `reporter` are borrowed until close. */
hsd_status hsd_resolver_open(hsd_resolver *resolver, const hsd_symbol_options *options, uint64_t memory_bytes,
                             hsd_reporter *reporter, hsd_error *err);

/* The text as it is to be shown, the same text where there is nothing to resolve. Borrowed until the next call.
 * HSD_E_NOMEM, HSD_E_UNSUPPORTED. */
hsd_status hsd_resolver_replace(hsd_resolver *resolver, hsd_text text, hsd_text *out, hsd_error *err);

void hsd_resolver_close(hsd_resolver *resolver);

#endif

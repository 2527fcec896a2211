/*
 * Types that the names of library functions say: a block that std::allocator<shop::Item>::allocate asked for holds
 * items, one that RawVec<Order>::grow_one asked for is the store of a Vec<Order>. Functions come from the inside out;
 * the outer ones say what the inner ones were for.
 */
#ifndef HSD_SYMBOLS_GENERIC_H
#define HSD_SYMBOLS_GENERIC_H

#include <stdbool.h>

#include "base/buffer.h"
#include <hsdiff/status.h>

typedef enum hsd_generic_kind {
    HSD_GENERIC_NOTHING,
    HSD_GENERIC_ELEMENTS, /* of C++: what an allocator was asked for */
    HSD_GENERIC_WHOLE,    /* nothing further out says more */
    HSD_GENERIC_BOX,
    HSD_GENERIC_RAW,  /* of Rust, which more functions may tell more of */
    HSD_GENERIC_VEC,  /* of Rust: a vector, and nothing else */
    HSD_GENERIC_SLICE /* of Zig, likewise */
} hsd_generic_kind;

typedef struct hsd_generic {
    hsd_generic_kind kind;
    hsd_buffer type; /* of the elements, or the whole; as people write it, no NUL */
    bool says_little;
    bool is_in_vector; /* nothing but the vector that asked has been seen since */
    bool is_of_llvm;   /* the library is that of LLVM */
    bool is_from_pool; /* a pool of the library asked, which hands parts out to whoever calls it */
} hsd_generic;         /* zeroed: nothing is known yet */

/* What is known of a function: texts that are not known are NULL. */
typedef struct hsd_generic_function {
    const char *name;      /* demangled, as it is */
    const char *parameter; /* of Rust: the type of its parameter T, as DWARF has it */
    const char *result;    /* of Zig: the type that it returns */
} hsd_generic_function;

/* The next function, further out. HSD_E_NOMEM. */
hsd_status hsd_generic_add(hsd_generic *generic, const hsd_generic_function *function, hsd_error *err);

/* What the block is: "shop::Item[]", "Vec<Order>", "[]Order". Appended; nothing where nothing is known. */
hsd_status hsd_generic_append(const hsd_generic *generic, hsd_buffer *out, hsd_error *err);

/* A function of a library, by its demangled name: one that allocates for others and is none of C, whose functions say
 * by what they do whether they hand a block on. */
bool hsd_generic_is_library(const char *name);

/* A type of the insides of the library of C++, or a part of one of its classes, which a program keeps by no pointer of
 * its own: std::_Rb_tree_node<int>, std::string::_Alloc_hider. */
bool hsd_generic_is_part(const char *type, size_t size);

void hsd_generic_release(hsd_generic *generic);

/* A type of Zig without the files and containers that it is declared in: "[]shop.Order" is []Order. Appended. */
hsd_status hsd_generic_spell_zig(hsd_buffer *out, const char *type, size_t size, hsd_error *err);

/* Whether DWARF calls the frame of a coroutine so, by its function: GCC's "_Z4pollv.Frame", LLVM's
 * "_Z4pollv.coro_frame_ty". */
bool hsd_generic_is_coroutine(const char *name);
/* "coroutine poll" of such a name. HSD_E_NOMEM. */
hsd_status hsd_generic_spell_coroutine(hsd_buffer *out, const char *name, hsd_error *err);

#endif

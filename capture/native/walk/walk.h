/*
 * What the parts of a walk share. In the order in which they are used:
 *
 *      maps, modules   what is mapped, and names for addresses
 *      starts          where blocks begin
 *      names           strings, sites and labels, each written when it is first needed
 *      roots           globals, thread stacks, registers, thread-locals, other memory
 *      rests, streams  words that no program reads as pointers
 *      types, emit     objects by address with their references; what was scanned is given back to the system
 */
#ifndef HSN_WALK_H
#define HSN_WALK_H

#include "native/stacks.h"
#include "native/walk/maps.h"
#include "native/walk/modules.h"
#include "native/walk/pairs.h"
#include "native/walk/scan.h"

enum {
    HSN_OFFSET_LABELS = 512,
    HSN_TYPE_FRAMES = 8,
    HSN_OTHER_CONSTANTS = 4096,
    HSN_MAX_TYPES = 1 << 18,
    HSN_STREAMS = 256
};

/* Of a stack: what types and sites need of it, worked out once. */
typedef struct hsn_place {
    uint32_t frames;    /* number of its innermost frames outside allocators (types.c); 0 = not looked at yet */
    uint32_t site;      /* 0 = none */
    bool is_loader;     /* allocated by ld.so for itself */
    bool is_by_strings; /* its innermost frame is of libstdc++ */
    bool is_gobject;    /* GLib made it, as an object */
} hsn_place;

typedef struct hsn_walker {
    const hsn_world *world;
    hsa_arena arena; /* for everything here but the bitmap */
    hsc_allocator allocator;
    hsn_maps maps;
    hsn_modules modules;
    hsn_holes holes; /* memory that roots nothing, and is never given back */
    /* memory that malloc manages in small blocks: its free parts hold what was once in use */
    hsn_holes heaps;
    hsn_starts starts;
    int pagemap;
    hsc_writer *w;

    uint32_t strings, sites, labels, types; /* numbers given so far */
    hsn_pairs site_numbers;                 /* (parent, return address) */
    uint32_t offset_labels[HSN_OFFSET_LABELS], element_label;
    hsn_pairs member_labels; /* (type, offset) */

    hsn_place *places; /* by stack id */
    uint32_t place_count;
    hsn_pairs frames, type_numbers, vtables;
    uintptr_t (*type_frames)[HSN_TYPE_FRAMES];
    uint32_t frame_sets, frame_set_capacity;
    uint32_t rest_type;
    uint32_t thread_variables; /* labels of words in thread-locals */
    uint64_t other_bytes;      /* of memory that is no one's that is known (roots.c) */
    struct hsn_mapped *mapped; /* the mappings that have some of it, ascending (mapped.c) */
    size_t mapped_count;
    struct hsn_mapped_part *parts; /* by whom they were mapped (mapped.c) */
    size_t part_count;
    const struct hsn_mapped_by *mmaps; /* NULL: not asked for */
    size_t mmap_count;
    uint32_t other_label;                           /* of what holds it */
    uint64_t untyped, unplaced;                     /* blocks past the limits of types and sites */
    uintptr_t constants_low, constants_high;        /* of all modules */
    uintptr_t other_constants[HSN_OTHER_CONSTANTS]; /* first words that were seen to be no vtables */

    struct hsn_gobject_class *gobjects; /* classes of GLib, by their numbers from 1 (gobjects.c) */
    uint32_t gobject_count;
    hsn_pairs gobject_numbers; /* by the addresses of their structures */

    hsn_pairs seen;                 /* blocks that roots of one label hold */
    uint64_t started_ns, bytes;     /* bytes of all blocks */
    hsn_range scanned;              /* memory of blocks that is not given back yet */
    size_t heap;                    /* in k->heaps: where that is, or the next one */
    uintptr_t text, text_end;       /* the block whose text was looked at last, and to where (rests.c) */
    uintptr_t streams[HSN_STREAMS]; /* where their buffers begin, ascending (streams.c) */
    size_t stream_count;
    uintptr_t kept; /* end of the last block that must stay as it is */
} hsn_walker;

/* ---- names.c: 0 = the writer failed, which it says itself ---- */
uint32_t hsn_write_string(hsn_walker *k, const char *text, size_t size);
/* A string with the name of an address; for a caller, of its call. */
uint32_t hsn_write_name(hsn_walker *k, uintptr_t address);
/* The chain of sites of a stack, outermost first. */
uint32_t hsn_write_site(hsn_walker *k, const uintptr_t *frames, size_t count);
/* A block whose references are written. */
typedef struct hsn_typed_block {
    const hsn_block *block;
    uint32_t type;        /* as hsn_type_of gave it */
    uintptr_t first_word; /* as it got it */
} hsn_typed_block;
/*
 * For the word `offset` bytes into a block: an element in large ones, with its index; in small ones "+16", with the
 * type behind it where that may know the name of the member.
 */
uint32_t hsn_write_label(hsn_walker *k, const hsn_typed_block *of, uint64_t offset, uint64_t *index);

/* ---- rests.c ---- */
/*
 * Whether the word at `at`, which is an address of a block, lies where a std::string of libstdc++ has no pointer.
 * `block`: what it lies in; `low`: from there on it can be read.
 */
bool hsn_is_rest(hsn_walker *k, const hsn_block *block, uintptr_t low, uintptr_t at);

/* ---- streams.c ---- */
/* Finds the buffers of stdio's streams; of more than so many, those of the last that were opened. */
void hsn_find_streams(hsn_walker *k);
/* Whether a block that begins there is one. */
bool hsn_is_of_stream(const hsn_walker *k, uintptr_t address);

/* ---- types.c ---- */
bool hsn_types_open(hsn_walker *k);
hsn_place *hsn_place_of(hsn_walker *k, uint32_t stack);
/* The type of a block, whose first word is given where it has one (else 0). */
uint32_t hsn_type_of(hsn_walker *k, const hsn_block *block, uintptr_t first_word);

enum { HSN_TYPE_BYTES = 192 + HSN_TYPE_FRAMES * HSN_NAME_BYTES };
/* The text of the type that hsn_type_of gives such a block, unresolved; 0 bytes = it says nothing. */
size_t hsn_type_text(hsn_walker *k, const hsn_block *block, uintptr_t first_word, char out[HSN_TYPE_BYTES]);
/* The largest size of the class in which a block of this size is. */
uint64_t hsn_size_class(uint64_t size);

/* ---- vtables.c ---- */
/* 0, or the number of the type whose objects begin with this word. */
uint32_t hsn_vtable_type(hsn_walker *k, uintptr_t word);
/* The text of that type. */
size_t hsn_vtable_text(const hsn_walker *k, uintptr_t word, char out[HSN_TYPE_BYTES]);

/* ---- gobjects.c ---- */
/* Before anything of blocks is given back. */
void hsn_find_gobjects(hsn_walker *k);
/* Whether a stack is that of an object of GLib. */
bool hsn_is_made_by_glib(const hsn_walker *k, const uintptr_t *frames, size_t count);
/* 0, or the number of the type of such a block. */
uint32_t hsn_gobject_type(hsn_walker *k, const hsn_block *block);

/* ---- roots.c, roots_thread.c ---- */
/*
 * Globals are roots of their own right. Stacks, registers and memory of unknown purpose are secondary (FORMAT.md 7.8):
 * they keep alive what nothing else reaches, and do not share what a variable holds, on which a thread happens to work
 * just now.
 */
void hsn_write_roots(hsn_walker *k);
/* What that memory is called that the program maps itself and gave no name. */
uint32_t hsn_other_label(hsn_walker *k);
/* "{variable} MODULE+0x…{…}". */
uint32_t hsn_variable_label(hsn_walker *k, uintptr_t address);
/* Python keeps its objects in memory that it maps itself, and leads into it in many ways. */
bool hsn_is_python(const hsn_walker *k);
/*
 * Registers, stack and thread-locals. Of one block that a thread holds in several places the outermost frame is said.
 */
void hsn_write_thread(hsn_walker *k, const hsn_thread *thread, uint32_t number);

/* ---- mapped.c ---- */
/* Memory that is no one's that is known, of the mapping that is told next. */
void hsn_know_touched(hsn_walker *k, hsn_range touched);
/* A mapping has so many bytes that are no one's that is known. */
void hsn_know_mapped(hsn_walker *k, const hsn_mapping *mapping, uint64_t bytes);
/* Objects for memory that the program maps itself, behind those of blocks. */
hsc_status hsn_write_mapped(hsn_walker *k, uint32_t ordinal);

/* ---- heaps.c ---- */
/* Finds k->heaps. */
bool hsn_heaps_find(hsn_walker *k);
/*
 * Memory of blocks that no one needs any more goes back to the system, so that the program, which shares it, writes
 * into it without a copy. Ranges ascend. What lies between two of one heap goes too.
 */
void hsn_give_back(hsn_walker *k, hsn_range range);
/* Memory that stays, in its place among those ranges: what comes before goes at once. */
void hsn_keep(hsn_walker *k, hsn_range range);
/* The rest. */
void hsn_give_back_all(hsn_walker *k);

/* ---- emit.c, samples.c ---- */
hsc_status hsn_write_objects(hsn_walker *k);
/* Sampled mode: objects without references, as many as their blocks stand for. */
hsc_status hsn_write_samples(hsn_walker *k);

#endif

/*
 * ELF cores of Go programs (gcore, or a crash with GOTRACEBACK=crash), and the stages that they go through:
 *
 *      image    image.c     the core's segments, its notes, the executable that it is of, memory by address
 *      layout   layout.c    where the runtime's own structures have what, by the DWARF of that executable
 *      spans    spans.c     mheap_.allspans: which slots there are, which of them hold an object
 *      types    ../types    from globals through pointers
 *      write    write.c     objects with their references (bits.c says which words are pointers), roots (roots.c, stacks.c)
 *
 * A core of a Go program is as large as the address space that it has reserved, most of it holes: it is read here and
 * there, in blocks. What is read is never trusted: an address leads to a segment of the core or of the executable or to
 * nothing, lists of the runtime have a most.
 *
 * Go does not move objects: addresses are ids. The process instance is told by the sixteen random bytes that the kernel
 * gives each program.
 */
#ifndef HSD_GO_CORE_GOCORE_H
#define HSD_GO_CORE_GOCORE_H

#include "go/types/typing.h"
#include "go/types/writer.h"
#include "import/importer.h"

enum { GOCORE_X86_64 = 62, GOCORE_AARCH64 = 183 };
enum { GOCORE_NOSCAN = 1 }; /* of gospan.flags: its objects have no pointers */
enum { GOCORE_HEAD_BYTES = 8, GOCORE_LEAST_WITH_HEAD = 512, GOCORE_MOST_WITH_HEAD = 32768 };

/* How the runtime says which words are pointers. */
typedef enum gocore_bits_kind {
    GOCORE_BITS_PAIRS, /* 1.17 to 1.19 */
    GOCORE_BITS_ARENA, /* 1.20, 1.21 */
    GOCORE_BITS_SPAN   /* from 1.22 on */
} gocore_bits_kind;

/* Members of the runtime's structures that are read: layout.c has their names. */
typedef enum gocore_field {
    HEAP_SPANS,
    HEAP_ARENAS,
    SPAN_START,
    SPAN_PAGES,
    SPAN_SLOTS,
    SPAN_FREE_INDEX,
    SPAN_ALLOC_BITS,
    SPAN_SLOT_BYTES,
    SPAN_CLASS,
    SPAN_STATE,
    SPAN_SPECIALS,
    SPAN_LARGE_TYPE,
    MODULE_DATA,
    MODULE_EDATA,
    MODULE_BSS,
    MODULE_EBSS,
    MODULE_DATA_MASK,
    MODULE_BSS_MASK,
    MODULE_TEXT,
    MODULE_NEXT,
    G_STACK_LOW,
    G_STACK_HIGH,
    G_SP,
    G_PC,
    G_BP,
    G_SYSCALL_SP,
    G_SYSCALL_PC,
    G_STATUS,
    G_ID,
    G_START,
    G_CREATED,
    G_WAITING, /* for channels: sudogs */
    WAITING_NEXT,
    WAITING_VALUE,
    WAITING_CHANNEL,
    CHANNEL_TYPE,
    SPECIAL_NEXT,
    SPECIAL_OFFSET,
    SPECIAL_KIND,
    FINALIZER_FN,
    FINALIZER_TYPE,
    CLEANUP_FN,
    CLEANUP_ARG,
    QUEUE_NEXT, /* blocks of finalizers that are due */
    QUEUE_COUNT,
    QUEUE_ITEMS,
    QUEUED_FN,
    QUEUED_ARG,
    QUEUED_TYPE,
    CLEANUPS_LIST, /* the same of cleanups, from 1.25 on */
    CLEANUPS_NEXT,
    CLEANUPS_COUNT,
    CLEANUPS_ITEMS,
    QUEUED_CLEANUP_FN,
    QUEUED_CLEANUP_ARG,
    ARENA_BITS,
    ARENA_NO_MORE,
    TYPE_SIZE,
    TYPE_POINTER_BYTES,
    TYPE_MASK,
    TYPE_FLAGS,
    GOCORE_FIELDS
} gocore_field;

typedef struct gocore_place {
    uint64_t offset;
    unsigned bytes; /* of a number, 1 to 8; 0 = this version has none */
} gocore_place;

typedef struct gocore_thread { /* registers of one that ran */
    uint64_t sp, pc, bp;
} gocore_thread;

typedef enum gocore_symbol {
    SYM_HEAP,
    SYM_MODULE,
    SYM_ALL_G,
    SYM_VERSION,
    SYM_TYPES,
    SYM_TEXT,
    SYM_FINALIZERS, /* may be missing, like the next one */
    SYM_CLEANUPS,
    GOCORE_SYMBOLS
} gocore_symbol;

typedef struct gocore {
    hsd_import *import;
    hsd_elf core, program;
    hsd_elf_segment *loads; /* of the core, by address */
    uint32_t load_count;
    goblocks core_blocks, program_blocks;
    char program_path[1024];
    hsd_elf_symbol symbols[GOCORE_SYMBOLS];
    gotyping typing; /* with the slots, and memory by address */
    gocore_place fields[GOCORE_FIELDS];
    gocore_bits_kind bits;
    uint64_t inline_mark_bytes, arena_base;
    uint64_t finalizer_bytes, cleanup_bytes; /* of one in a queue */
    unsigned minor;                          /* of go1.minor */
    char version[64], process_name[17];
    uint64_t pid, entry, random_address;
    bool is_cut;
    goframes frames; /* of all goroutines, for the typing */
    gocore_thread *threads;
    uint32_t thread_count, thread_room;
    gowriter out;
    uint32_t thread_number;
    hsd_id_table goroutines; /* objects that have roots of their own */
    hsd_id_table led;        /* what variables of main lead to */
    hsd_id_table canon;      /* parts of the table of unique */
    hsd_buffer bytes;        /* of the object under way */
} gocore;

/* ---- image.c ---- */

/* Opens the core and the executable, and checks that they belong together. HSD_E_UNSUPPORTED for what is no core of a
 * Go program. */
hsd_status hsd_gocore_open(gocore *go, hsd_error *err);
void hsd_gocore_close(gocore *go);

/* ---- layout.c ---- */

/* Finds all places. HSD_E_UNSUPPORTED for a version whose structures are not known, naming the first that is missing.
 * */
hsd_status hsd_gocore_find_layout(gocore *go, hsd_error *err);

/* The number in this member of the structure at `base`; 0 where memory or member are missing. */
hsd_status hsd_gocore_field(gocore *go, uint64_t base, gocore_field field, uint64_t *out, hsd_error *err);
static inline uint64_t hsd_gocore_symbol(const gocore *go, gocore_symbol symbol)
{
    return go->symbols[symbol].address + go->typing.bias;
}

/* ---- spans.c ---- */

hsd_status hsd_gocore_find_spans(gocore *go, hsd_error *err);

/* Types that the allocator knows (from 1.22 on): offered to the typing. */
hsd_status hsd_gocore_offer_known(gocore *go, hsd_error *err);

/* ---- bits.c ---- */

/* Told of the words of an object that are pointers and not nil, in order. */
typedef hsd_status (*gocore_pointer_fn)(void *context, uint64_t offset, uint64_t value, hsd_error *err);
hsd_status hsd_gocore_pointers(gocore *go, const goslot *slot, gocore_pointer_fn tell, void *context, hsd_error *err);

/* ---- canon.c ---- */

/* Notes the parts of the table of the package unique: references to them keep nothing alive. */
hsd_status hsd_gocore_find_canon(gocore *go, hsd_error *err);

/* ---- tables.c ---- */

/* HSD_E_OVER_BUDGET when names and tables take more than they may. */
hsd_status hsd_gocore_check_memory(const void *go, hsd_error *err);
hsd_status hsd_gocore_put_type(gocore *go, const goslot *slot, uint32_t *number, hsd_error *err);

/* The label of a reference to what has a root of its own that says more: it keeps nothing alive. */
hsd_status hsd_gocore_put_waiting_label(gocore *go, uint32_t *label, hsd_error *err);
/* The label of a reference from an object to what a cleanup of it has. */
hsd_status hsd_gocore_put_cleanup_label(gocore *go, uint32_t *label, hsd_error *err);
/* The label of a reference from this place of a value, by its type if that knows the place. */
hsd_status hsd_gocore_put_label(gocore *go, gotyped typed, uint64_t offset, uint32_t *label, uint64_t *index,
                                hsd_error *err);

/* ---- led.c ---- */

/* Fills `led`, once it is known what variables there are. */
hsd_status hsd_gocore_find_led(gocore *go, hsd_error *err);

/* ---- stages ---- */

/* The live object that holds the address: its id. */
bool hsd_gocore_target(const void *go, uint64_t value, uint64_t *target);
hsd_status hsd_gocore_write_roots(gocore *go, hsd_error *err);
/* Objects that have a finalizer: their types are offered to the typing. */
hsd_status hsd_gocore_offer_finalized(gocore *go, hsd_error *err);
/* The segments of globals, for the typing; a module is all that there is unless the program loads plugins. */
hsd_status hsd_gocore_find_globals(gocore *go, hsd_error *err);

hsd_status hsd_gocore_find_frames(gocore *go, hsd_error *err);
hsd_status hsd_gocore_write_stacks(gocore *go, hsd_error *err);
hsd_status hsd_gocore_write(gocore *go, hsd_error *err);

#endif

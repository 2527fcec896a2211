/*
 * Heap dumps of Ruby (ObjectSpace.dump_all): one line of JSON an object, in the order of the heap, behind one line for
 * each kind of root.
 *
 *      text     text.c      the tokens of a line, straight from the window of the source
 *      line     line.c      one line, its keys in any order
 *      tables   tables.c    strings, sites, classes, types of the capture
 *      write    write.c     objects with their references, roots
 *
 * One pass, so a pipe is read as it comes. A line may have any length: an array of a million elements is one of 22 MB.
 * References come in front of the size, so they are collected first, sorted and rid of duplicates; what passes the room
 * for them goes out as edges. Classes stand behind their instances: types are numbered by the address of the class, and
 * named when all has been read.
 *
 * Almost JSON. `file`, `name` and `struct` are printed as they are, quotes, backslashes and newlines included: such a
 * text ends where a quote is followed by the next key or by the end of the line. Ruby 2.7 to 3.1 print a byte past 127
 * of an escaped text as \u00ff, a NUL and five bytes of anything. Control bytes may stand in any text.
 *
 * Two kinds of references hold what something else holds already: those from what the interpreter caches of constants
 * (imemo constcache), for the class that has the constant holds it; and those from the stacks of threads, on which
 * words of calls that returned long ago still stand. They are weak, and their targets get secondary roots, which keep
 * what nothing else does. A fiber that waits is an object of the program, and holds what is on its stack.
 *
 * The table of ObjectSpace.trace_object_allocations, which grows with the heap, is no part of it: its size is a metric,
 * tracer.used.
 *
 * Addresses stay while nobody compacts the heap. The process instance is told by the first reference of the root "vm":
 * the ractor or thread that the process began with, which lies where the kernel drew it, and stays. Processes that were
 * forked from one have it in common.
 */
#ifndef HSD_IMPORT_RUBY_H
#define HSD_IMPORT_RUBY_H

#include "base/buffer.h"
#include "import/importer.h"
#include "import/texts.h"

enum {
    RUBY_TEXT_BYTES = 4096,     /* kept of any text */
    RUBY_LEAST_ADDRESS = 0x100, /* what is below are nil, true and other values that are no objects */
    RUBY_SLOT_BYTES = 40,       /* of an object that says nothing of its size */
    RUBY_LABEL_CLASS = 1,
    RUBY_LABEL_STATE = 2,
    RUBY_LABEL_CACHE = 3,
    RUBY_LABEL_STACK = 4
};

typedef enum ruby_kind {
    RUBY_UNKNOWN,
    RUBY_ROOT,
    RUBY_SHAPE,
    RUBY_NONE,
    RUBY_STRING,
    RUBY_SYMBOL,
    RUBY_FLOAT,
    RUBY_CLASS,
    RUBY_MODULE,
    RUBY_ICLASS,
    RUBY_DATA,
    RUBY_IMEMO,
    RUBY_NODE,
    RUBY_OBJECT,
    RUBY_STRUCT,
    RUBY_ARRAY,
    RUBY_HASH,
    RUBY_REGEXP,
    RUBY_BIGNUM,
    RUBY_FILE,
    RUBY_MATCH,
    RUBY_COMPLEX,
    RUBY_RATIONAL,
    RUBY_ZOMBIE,
    RUBY_KINDS
} ruby_kind;

/* What was read of a text: its first bytes, and a hash of all. */
typedef struct ruby_text {
    uint8_t data[RUBY_TEXT_BYTES];
    size_t size;
    uint64_t bytes, word, hash;
} ruby_text;

/* One line. Strings are numbers of the capture's, 0 = not there. */
typedef struct ruby_line {
    ruby_kind kind;
    uint64_t address, class_address, superclass, elements, memsize, slot_size, generation, line;
    uint32_t file, method, name, detail, root; /* detail: name of the struct, kind of imemo or node */
    bool has_address, is_singleton, has_value;
    /* references went out before the object; the line could not be read to its end */
    bool is_spilled, is_cut;
} ruby_line;

/* Classes and modules: what they are instances of says nothing. */
static inline bool hsd_ruby_is_module(const ruby_line *line)
{
    return line->kind == RUBY_CLASS || line->kind == RUBY_MODULE || line->kind == RUBY_ICLASS;
}

/* Objects of the interpreter: where others have their class they have something of their own, which they do not hold.
 */
static inline bool hsd_ruby_is_internal(const ruby_line *line)
{
    return line->kind == RUBY_IMEMO || line->kind == RUBY_NODE;
}

typedef struct ruby_root {
    uint32_t category; /* string */
    uint64_t target;
} ruby_root;

typedef struct ruby {
    hsd_import *import;
    hsd_source *source;
    ruby_line line;
    ruby_text text, value;
    uint64_t *targets; /* of the line, as far as there is room */
    size_t target_count, target_room, target_most;
    ruby_root *roots;
    size_t root_count, root_room;
    uint64_t instance; /* first reference of the root "vm", 0 = not known */
    bool has_roots, is_cut;
    uint64_t objects, unreadable, tracer_bytes;               /* tracer: ObjectSpace.trace_object_allocations */
    uint32_t constant_cache, cache_root, thread, thread_root; /* strings */
    hsd_import_texts strings;
    hsd_names sites, classes, types; /* keys; number - 1, but for classes */
    struct ruby_class *class_rows;
    uint32_t class_room;
} ruby;

/* ---- text.c. HSD_END: it is not what it should be, HSD_E_TRUNCATED: the input ends in it ---- */

/* Slow path of hsd_ruby_look. */
hsd_status hsd_ruby_fill(ruby *rb, size_t want, hsd_error *err);

/* At least one byte is ahead, and `want` of them if the input has as many. */
static inline hsd_status hsd_ruby_look(ruby *rb, size_t want, hsd_error *err)
{
    return hsd_source_ahead(rb->source) >= want ? HSD_OK : hsd_ruby_fill(rb, want, err);
}

static inline hsd_status hsd_ruby_skip_spaces(ruby *rb, hsd_error *err)
{
    for (;;) {
        HSD_TRY(hsd_ruby_look(rb, 1, err));
        const uint8_t byte = *rb->source->at;
        if (byte != ' ' && byte != '\t' && byte != '\r') return HSD_OK;
        hsd_source_take(rb->source, 1);
    }
}

/* An escaped text with its quotes into `text`; NULL: past it. */
hsd_status hsd_ruby_read_text(ruby *rb, ruby_text *text, hsd_error *err);

/* A text that is printed as it is, with its quotes. */
hsd_status hsd_ruby_read_raw(ruby *rb, ruby_text *text, hsd_error *err);

/* "0x7f…" with its quotes; 0 for any other text. */
hsd_status hsd_ruby_read_address(ruby *rb, uint64_t *address, hsd_error *err);

/* Whole numbers; 0 for anything else, a very great one for what has no room. */
hsd_status hsd_ruby_read_number(ruby *rb, uint64_t *number, hsd_error *err);
hsd_status hsd_ruby_skip_value(ruby *rb, hsd_error *err);

/* Past the next newline. */
hsd_status hsd_ruby_skip_line(ruby *rb, hsd_error *err);

/* ---- line.c ---- */

/*
 * The next line into rb->line, rb->value and rb->targets, HSD_END behind the last. Lines that are no objects have kind
 * NONE, SHAPE or UNKNOWN without an address, and so have those that cannot be read, which are counted. Roots are put
 * into rb->roots.
 */
hsd_status hsd_ruby_read_line(ruby *rb, hsd_error *err);

/* ---- tables.c ---- */

/* The number of the text read last, 0 for an empty one. */
hsd_status hsd_ruby_put_string(ruby *rb, hsd_bytes text, uint32_t *number, hsd_error *err);
hsd_status hsd_ruby_put_site(ruby *rb, uint32_t *number, hsd_error *err);
hsd_status hsd_ruby_put_class(ruby *rb, hsd_error *err);
hsd_status hsd_ruby_put_type(ruby *rb, uint32_t *number, hsd_error *err);

/* Behind hsd_import_begin: strings that were met before. */
hsd_status hsd_ruby_begin_tables(ruby *rb, hsd_error *err);

/* When all lines have been read. */
hsd_status hsd_ruby_name_types(ruby *rb, hsd_error *err);

/* HSD_E_OVER_BUDGET when tables and roots take more than they may. */
hsd_status hsd_ruby_check_memory(const ruby *rb, hsd_error *err);

/* ---- write.c ---- */

/* One more reference of the line that is being read. */
hsd_status hsd_ruby_add_target(ruby *rb, uint64_t target, hsd_error *err);
hsd_status hsd_ruby_write_object(ruby *rb, hsd_error *err);
hsd_status hsd_ruby_write_roots(ruby *rb, hsd_error *err);

#endif

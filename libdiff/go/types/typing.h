/*
 * What type each object has: followed from values of known types (globals, the descriptions that the runtime keeps)
 * through pointers, slices, strings, maps, channels and interfaces, until nothing new is found.
 *
 *      value of a type ──plan──► words ──offer──► object gets a type ──► its own words …
 *
 * An object may be offered several types (a structure, its first field, an array of it): the one that says most of its
 * bytes stays, so that the order does not matter. What stacks say comes last, and is a guess: a variable that is over
 * still points to what was there, and another object may be there now. It gives a type to what has none, and takes the
 * place of another only where it begins with that (a structure for its first field). Pointers into objects say nothing,
 * but for slices, whose array is of their elements from the start of it. The objects that wait are on a stack of fixed
 * size; what does not fit is marked and found again by a look at all marks. Work is bounded by the size of the heap: a
 * hostile heap ends it early, and what has no type then goes without.
 */
#ifndef HSD_GO_TYPES_TYPING_H
#define HSD_GO_TYPES_TYPING_H

#include "go/dwarf/go_lines.h"
#include "go/types/locals.h"
#include "go/types/memory.h"
#include "go/types/plans.h"
#include "go/types/slots.h"
#include "go/types/statics.h"
#include "import/id_table.h"

/* Types that DWARF does not have. */
#define GOTYPE_TEXT    UINT32_C(0x1ffffffe)
#define GOTYPE_CLOSURE UINT32_C(0x1fffffff)

/* What is kept of a slot's type: goslots.types. */
typedef struct gotyped {
    uint32_t type;  /* 0 = not known */
    bool is_items;  /* as many as fit */
    bool is_strong; /* by a pointer to its beginning */
    bool is_guess;  /* by what a stack leads to */
} gotyped;

static inline gotyped hsd_gotyped_of(uint32_t packed)
{
    return (gotyped){packed >> 3, (packed & 2) != 0, (packed & 1) != 0, (packed & 4) != 0};
}

typedef struct gotyping {
    hsd_go_types types;
    hsd_go_lines lines; /* where the importer has read them */
    goplans plans;
    goslots slots;
    gostatics statics;
    golocals locals;
    gomemory memory;
    uint64_t bias;        /* added to addresses of the executable where the program is elsewhere */
    hsd_id_table itabs;   /* addresses of itabs whose types are in `itab_types` */
    uint64_t *itab_types; /* runtime types, by number - 1 */
    uint32_t itab_room;
    uint32_t *stack;
    uint32_t depth;
    bool has_pending;
    bool is_guessing;   /* offers are guesses from now on */
    uint64_t work_left; /* words */
} gotyping;

/* After hsd_goslots_finish and hsd_go_types_read. */
hsd_status hsd_gotyping_open(gotyping *t, uint64_t most_bytes, hsd_error *err);

/* An itab and the runtime type in it, where the runtime says so. */
hsd_status hsd_gotyping_put_itab(gotyping *t, uint64_t itab, uint64_t runtime_type, hsd_error *err);

/* What stands at this address is of this type: its pointers are followed. */
hsd_status hsd_gotyping_value(gotyping *t, uint64_t address, uint32_t type, hsd_error *err);

/* A pointer to one of this type, or to as many as the object holds. */
hsd_status hsd_gotyping_offer(gotyping *t, uint64_t pointer, uint32_t type, bool is_items, hsd_error *err);

/* The type of a description of the runtime's; 0 = none. */
uint32_t hsd_gotyping_described(const gotyping *t, uint64_t runtime_type);

typedef struct goframe {
    uint64_t pc;  /* of the program, in the instruction that it is in */
    uint64_t end; /* the frame's CFA */
    uint64_t low; /* the stack's end on the other side, as far as it is known */
    bool is_main; /* of the main goroutine */
} goframe;

/* Frames that are kept by an importer. */
typedef struct goframes {
    goframe *at;
    uint32_t count, room;
} goframes;

/* All globals, and all that can be found from what was offered. */
hsd_status hsd_gotyping_run(gotyping *t, hsd_error *err);

/* What was offered is followed until nothing new is found. */
hsd_status hsd_gotyping_settle(gotyping *t, hsd_error *err);

/* The variables of these frames, by the DWARF of the program, and all that can be found from them: guesses, so after
 * hsd_gotyping_run. Sorts the frames, and fills t->locals. */
hsd_status hsd_gotyping_frames(gotyping *t, const hsd_elf *program, goframes *frames, uint64_t most_bytes,
                               hsd_error *err);

/* Tables and directories of maps that nothing leads to which has a type: guesses, behind the frames. */
hsd_status hsd_gotyping_upward(gotyping *t, hsd_error *err);

/* Bytes of one, known types of it only: 1 for texts, 8 for closures. */
uint64_t hsd_gotyping_size(const gotyping *t, uint32_t type);
void hsd_gotyping_close(gotyping *t);

typedef struct goaim {
    uint64_t pointer;
    uint32_t type; /* of the one value there; 0 = none, or not known */
} goaim;

/* The one value that a pointer, a function or an interface leads to. */
hsd_status hsd_gotyping_aim(gotyping *t, const goword *word, uint64_t address, uint64_t value, goaim *out,
                            hsd_error *err);

/* What a word of a value leads to, where `value` stands at `address`. */
hsd_status hsd_gotyping_follow(gotyping *t, const goword *word, uint64_t address, uint64_t value, hsd_error *err);

/*
 * The variable that holds the word at this address, with the fields that lead to it: "main.server.handlers"; elements
 * of arrays are all called [*]. Returns the number of bytes, 0 = no variable.
 */
size_t hsd_gotyping_name_global(const gotyping *t, uint64_t address, char *out, size_t size, bool *is_runtime);

/* What has a finalizer, or is sent over a channel by pointer: its type is the one that the descriptor of the pointer to
 * it says. */
hsd_status hsd_gotyping_offer_pointed(gotyping *t, uint64_t object, uint64_t pointer_type, hsd_error *err);

/* ---- statics.c ---- */

/* A pointer to one of this type, or to so many: kept where it leads among the globals and no variable is there. */
hsd_status hsd_gostatics_offer(gotyping *t, uint64_t address, uint32_t type, bool is_items, uint64_t items,
                               hsd_error *err);

/* The next one whose pointers were not followed yet; false if there is none. */
bool hsd_gostatics_next(gotyping *t, gostatic *out);

/* Behind all typing: which of them lead to the heap. */
hsd_status hsd_gostatics_finish(gotyping *t, hsd_error *err);

/* The one that holds this address and leads to the heap; NULL = none. O(log). */
gostatic *hsd_gostatics_at(gotyping *t, uint64_t address);

/* Behind the roots of all variables: one that leads to the heap and is reached from none of those that have roots; NULL
 * = there is no more. The caller gives it a root. */
hsd_status hsd_gostatics_unreached(gotyping *t, gostatic **out, hsd_error *err);

/* ---- tasks.c ---- */

/* True for a variable or a function of the runtime's own: what it holds on to for its own sake. */
bool hsd_gotask_is_runtime(const char *name);

/* What is known of how a goroutine came to be. Texts are "" where it is not. */
typedef struct gostart {
    uint64_t created_at; /* where the call that started it returns to; 0 = not known */
    /* in the code of the wrapper that the compiler made for `go f(x)`; 0 = there is none */
    uint64_t wrapper_at;
    /* the outermost that it runs, but for the wrapper: f, or what f calls where f was copied into the wrapper */
    const char *function;
    const char *wrapper; /* its name */
    uint64_t own_at;     /* in the outermost of its frames that is the program's own code; 0 = none, or not known */
} gostart;

/* Is the code here the program's own: of the package main, or neither of Go's library nor of a module that was fetched?
 * False where its file is not known. */
bool hsd_gotask_is_own(const gotyping *t, uint64_t pc);

/*
 * What the root of a goroutine is called: "goroutines in main.wait (started at main.go:30)"; where f is not known,
 * "goroutines started by main.step (main.go:30)"; where a library started it, and runs the program's own code there,
 * by that and where it begins, "goroutines in main.fetch (main.go:12)". Returns the number of bytes.
 */
size_t hsd_gotask_goroutine(const gotyping *t, const gostart *start, bool *is_runtime, char *out, size_t size);

/* Told of each timer that waits, with the name of the function that it will call. */
typedef hsd_status (*gotimer_fn)(void *context, uint64_t timer, const char *function, hsd_error *err);
hsd_status hsd_gotask_timers(gotyping *t, gotimer_fn tell, void *context, hsd_error *err);

/* Their types: pointers to them lead into the objects that they are part of, which says nothing. */
hsd_status hsd_gotask_offer_timers(gotyping *t, hsd_error *err);

/* The type of the elements of the lists that timers wait in; 0 = not known. */
uint32_t hsd_gotask_timer_element(const gotyping *t);

/* ---- naming.c ---- */

/* What the capture calls it; at most `size` - 1 bytes. Returns their number. `flags`: HSC_TYPE_*. */
size_t hsd_gotyping_name(const gotyping *t, gotyped typed, char *out, size_t size, uint32_t *flags);

/* Of the pointer at this place of an object: its word, and which element it is in. NULL when the type says nothing of
 * it. */
hsd_status hsd_gotyping_word_at(gotyping *t, gotyped typed, uint64_t offset, const goword **word, uint64_t *index,
                                hsd_error *err);

#endif

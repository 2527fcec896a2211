/*
 * What both importers of Go write alike: strings, types by what is known of them, labels of words, values without a
 * name and timers. Each is numbered and written when it is first asked for.
 */
#ifndef HSD_GO_TYPES_WRITER_H
#define HSD_GO_TYPES_WRITER_H

#include "go/types/typing.h"
#include "import/texts.h"

typedef struct gowriter {
    hsd_import *import;
    gotyping *typing; /* NULL: there is no executable, and nothing is known of types */
    hsd_import_texts strings;
    hsd_names types;   /* name -> number - 1 */
    uint32_t *numbers; /* of types, by twice their number (+ 1 for items); 0 = not asked for yet */
    hsd_id_table labels;
    uint32_t labels_before; /* numbers of labels of the importer's own */
    hsd_id_table timers;    /* objects that have roots of their own */
    uint32_t timer_element; /* type of the elements of the lists that they wait in */
    /* The importer's: the live object that has this address, and whether tables still fit. */
    bool (*find)(const void *context, uint64_t address, uint64_t *target);
    hsd_status (*check_memory)(const void *context, hsd_error *err);
    const void *context;
} gowriter;

/* Before anything typed is written; `typing` has read the types. HSD_E_NOMEM. */
hsd_status hsd_gowriter_open(gowriter *w, gotyping *typing, hsd_error *err);
uint64_t hsd_gowriter_memory(const gowriter *w);
void hsd_gowriter_release(gowriter *w);

hsd_status hsd_gowriter_string(gowriter *w, hsd_bytes text, uint32_t *number, hsd_error *err);
hsd_status hsd_gowriter_format(gowriter *w, uint32_t *number, hsd_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* "local orders of main.main (shop.go:12)": the string of the variable at this address of a stack (locals.h). *number
 * stays where none is known. */
hsd_status hsd_gowriter_local(gowriter *w, uint64_t address, uint32_t *number, hsd_error *err);

/* A type by its name, and one that is known. */
hsd_status hsd_gowriter_name_type(gowriter *w, const char *name, size_t size, uint32_t *number, hsd_error *err);
hsd_status hsd_gowriter_type(gowriter *w, gotyped typed, uint32_t *number, hsd_error *err);
/* That of the object at this address: of a closure of which the executable does not say what it holds (one that the
 * compiler made for a deferred call; any before Go 1.23) the type has the name of its function. */
hsd_status hsd_gowriter_type_at(gowriter *w, gotyped typed, uint64_t address, uint32_t *number, hsd_error *err);

/* The label of a reference from the word at this place behind the beginning of a value; 0 where its type has no word
 * there. */
hsd_status hsd_gowriter_label(gowriter *w, gotyped typed, uint64_t offset, uint32_t *label, uint64_t *index,
                              hsd_error *err);

/* Values without a name (statics.h) are objects. A root to one, unless it has one; roots to all that have none. */
static inline gotyped hsd_gotyped_of_static(const gostatic *one)
{
    return (gotyped){.type = one->type, .is_items = one->is_items};
}
hsd_status hsd_gowriter_statics(gowriter *w, hsd_error *err);
hsd_status hsd_gowriter_root_static(gowriter *w, gostatic *one, uint32_t label, uint32_t flags, hsd_error *err);
hsd_status hsd_gowriter_root_statics(gowriter *w, hsd_error *err);

/* Roots of timers, by what they will call. */
hsd_status hsd_gowriter_timers(gowriter *w, hsd_error *err);

#endif

/*
 * Where the pointers of a type are, and what they lead to: its plan, a list of words by their place, made once for each
 * type when it is first asked for. Structures and arrays inside are laid flat. Go's own containers are known by the
 * names that its linker gives them: a map is hash<K,V> with bucket<K,V> (up to 1.23) or map<K,V>, table<K,V> and groups
 * (from 1.24 on), a channel hchan<T>; a sync.Map (from 1.24 on) is a tree of internal/sync.indirect and
 * internal/sync.entry.
 */
#ifndef HSD_GO_TYPES_PLANS_H
#define HSD_GO_TYPES_PLANS_H

#include "go/dwarf/go_types.h"

typedef enum gowhat {
    GO_POINTER,   /* to one `target` */
    GO_ITEMS,     /* to as many of `target` as the object holds */
    GO_TEXT,      /* to the bytes of a string */
    GO_EFACE,     /* a runtime type; the word behind it is the value or leads to it */
    GO_IFACE,     /* an itab; likewise */
    GO_FUNC,      /* to a closure */
    GO_DIRECTORY, /* of a map of 1.24 on: to one group, `other`, or to pointers to tables, `target` */
    /* of the tree that a sync.Map is: its first byte says whether to an inner one, `target`, or a leaf, `other` */
    GO_NODE,
    GO_ANY /* to what nobody knows */
} gowhat;

/* GO_INSIDE: into the insides of a container */
typedef enum gopart { GO_FIELD, GO_KEY, GO_VALUE, GO_INSIDE } gopart;

typedef struct goword {
    uint64_t offset;
    uint32_t target, other, name; /* name: number of `paths`, "list.head"; 0 = the whole is this one word */
    uint8_t what, part;
} goword;

typedef struct goplan {
    goword *words; /* by place */
    uint32_t count;
    bool is_made;
} goplan;

typedef struct goplans {
    const hsd_go_types *types;
    goplan *plans; /* by type */
    hsd_names paths;
    uint64_t taken_bytes, most_bytes;
} goplans;

hsd_status hsd_goplans_open(goplans *plans, const hsd_go_types *types, uint64_t most_bytes, hsd_error *err);

/* The plan of a type that is resolved. HSD_E_OVER_BUDGET, HSD_E_NOMEM. Of types that are too large to be laid flat, the
 * first words. */
hsd_status hsd_goplans_of(goplans *plans, uint32_t type, const goplan **out, hsd_error *err);
void hsd_goplans_close(goplans *plans);

bool hsd_gotype_begins(const hsd_go_types *types, uint32_t type, const char *prefix);

#endif

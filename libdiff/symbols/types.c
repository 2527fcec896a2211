/* Names and shapes of types. See types.h. */
#include "symbols/types.h"

#ifdef HSD_HAVE_DW
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "symbols/closures.h"
#include "symbols/generic.h"
#include "symbols/rust_crates.h"
#include "symbols/rust_spelling.h"
#include "symbols/spelling.h"

enum {
    MOST_STEPS = 32,
    MOST_MEMBERS = 4096,
    MOST_NESTED = 32,
    MOST_STATES = 4096,
    MOST_PATH_STEPS = 1 << 18,
    SMALL_CLASS = 128,
    SMALL_STEP = 8,
    WORD_BYTES = 8
};

/* Newer languages than the libdw that hsdiff is built with may know; Zig's has no name, compilers write C's. */
enum { LANG_CPP_17 = 0x2a, LANG_CPP_20 = 0x2b, LANG_C17 = 0x2c, LANG_ZIG = 0x27 };

bool hsd_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) != NULL;
}

static bool is_qualifier(int tag)
{
    return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
           tag == DW_TAG_atomic_type;
}

/* Without const and its kin, without typedefs if `and_names`. False where nothing is left: void. */
static bool peel(Dwarf_Die *type, bool and_names)
{
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        const int tag = dwarf_tag(type);
        if (!is_qualifier(tag) && !(and_names && tag == DW_TAG_typedef)) return true;
        Dwarf_Die inner;
        if (!hsd_type_of(type, &inner)) return false;
        *type = inner;
    }
    return false;
}

/* The pointer itself; false if the type is none. */
static bool as_pointer(const Dwarf_Die *type, Dwarf_Die *pointer)
{
    *pointer = *type;
    return peel(pointer, true) && dwarf_tag(pointer) == DW_TAG_pointer_type;
}

bool hsd_type_pointee(Dwarf_Die *type, Dwarf_Die *pointee)
{
    Dwarf_Die pointer;
    if (!as_pointer(type, &pointer) || !hsd_type_of(&pointer, pointee)) return false;
    Dwarf_Die bare = *pointee;
    return peel(&bare, true) && dwarf_tag(&bare) != DW_TAG_unspecified_type;
}

bool hsd_type_target(Dwarf_Die *type, Dwarf_Die *target)
{
    Dwarf_Die reference = *type;
    if (!peel(&reference, true)) return false;
    const int tag = dwarf_tag(&reference);
    const bool is_reference = tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
    return is_reference ? hsd_type_of(&reference, target) : hsd_type_pointee(type, target);
}

static bool is_base(Dwarf_Die *type)
{
    const int tag = dwarf_tag(type);
    return tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type;
}

bool hsd_type_is_bare_pointer(Dwarf_Die *type)
{
    Dwarf_Die pointer, pointee;
    if (!as_pointer(type, &pointer)) return false;
    if (!hsd_type_pointee(type, &pointee)) return true;
    return peel(&pointee, true) && dwarf_tag(&pointee) == DW_TAG_base_type && dwarf_bytesize(&pointee) == 1;
}

static bool is_aggregate(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool hsd_type_is_aggregate(Dwarf_Die *type)
{
    Dwarf_Die bare = *type;
    return peel(&bare, true) && is_aggregate(dwarf_tag(&bare));
}

/* Bytes of one of these; 0 = not known. */
static uint64_t bytes_of(Dwarf_Die *type)
{
    Dwarf_Word bytes;
    Dwarf_Die bare = *type;
    if (!peel(&bare, true)) return 0;
    if (dwarf_tag(&bare) == DW_TAG_pointer_type) return sizeof(uint64_t);
    return dwarf_aggregate_size(&bare, &bytes) == 0 ? bytes : 0;
}

/* ---- what stands at an offset ---- */

static bool member_place(Dwarf_Die *member, uint64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    *offset = 0;
    if (dwarf_attr(member, DW_AT_data_member_location, &attribute) == NULL) return true;
    if (dwarf_formudata(&attribute, &value) != 0) return false;
    *offset = value;
    return true;
}

/* A member of each object, or what it inherits; what is static is in none. */
static bool is_in_objects(Dwarf_Die *member)
{
    const int tag = dwarf_tag(member);
    return (tag == DW_TAG_member && !dwarf_hasattr(member, DW_AT_declaration)) || tag == DW_TAG_inheritance;
}

typedef struct found_member {
    Dwarf_Die die, type;
    uint64_t rest; /* of the offset, inside it */
} found_member;

/* The one member that has a whole word at the offset; of a union that has several, none. */
static bool find_member(Dwarf_Die *aggregate, uint64_t offset, found_member *out)
{
    Dwarf_Die member, of;
    unsigned found = 0, steps = 0;
    if (dwarf_child(aggregate, &member) != 0) return false;
    do {
        uint64_t at;
        if (!is_in_objects(&member) || !member_place(&member, &at) || offset < at || !hsd_type_of(&member, &of))
            continue;
        const uint64_t bytes = bytes_of(&of);
        if (bytes < WORD_BYTES || offset - at > bytes - WORD_BYTES) continue;
        *out = (found_member){member, of, offset - at};
        found++;
    } while (++steps < MOST_MEMBERS && hsd_die_go_on(&member));
    return found == 1;
}

/* The last member of a structure, an array whose length is not given, 0 or 1. */
static bool open_end(Dwarf_Die *type, Dwarf_Die *last, Dwarf_Die *array)
{
    Dwarf_Die member, range;
    Dwarf_Attribute attribute;
    Dwarf_Word count = 0;
    bool has_last = false;
    unsigned steps = 0;
    if (dwarf_tag(type) != DW_TAG_structure_type || dwarf_child(type, &member) != 0) return false;
    do {
        if (dwarf_tag(&member) != DW_TAG_member) continue;
        *last = member;
        has_last = true;
    } while (++steps < MOST_MEMBERS && hsd_die_go_on(&member));
    if (!has_last || !hsd_type_of(last, array) || !peel(array, true) || dwarf_tag(array) != DW_TAG_array_type ||
        dwarf_child(array, &range) != 0)
        return false;
    if (dwarf_attr(&range, DW_AT_count, &attribute) != NULL)
        return dwarf_formudata(&attribute, &count) == 0 && count <= 1;
    if (dwarf_attr(&range, DW_AT_upper_bound, &attribute) == NULL) return true;
    return dwarf_formudata(&attribute, &count) == 0 && (count == 0 || count + 1 == 0);
}

/* A word of that array, be it as long as it may: struct node *forward[]. */
static bool find_open_end(Dwarf_Die *aggregate, uint64_t offset, found_member *out)
{
    uint64_t at;
    if (!open_end(aggregate, &out->die, &out->type) || !member_place(&out->die, &at) || offset < at) return false;
    out->rest = offset - at;
    return true;
}

/* What libstdc++ makes room for by bytes: "__aligned_membuf<std::pair<int const, Account *>>". */
static bool is_room(Dwarf_Die *aggregate)
{
    static const char *const rooms[] = {"__aligned_membuf<", "__aligned_buffer<"};
    const char *name = dwarf_diename(aggregate);
    for (size_t i = 0; name != NULL && i < HSD_ARRAY_LEN(rooms); i++)
        if (strncmp(name, rooms[i], strlen(rooms[i])) == 0) return true;
    return false;
}

bool hsd_type_pointee_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *pointee)
{
    Dwarf_Die at = *type;
    for (int depth = 0; depth < MOST_NESTED; depth++) {
        Dwarf_Die inner;
        if (!peel(&at, true)) return false;
        const int tag = dwarf_tag(&at);
        if (tag == DW_TAG_pointer_type) return offset == 0 && hsd_type_pointee(&at, pointee);
        if (tag == DW_TAG_array_type) {
            if (!hsd_type_of(&at, &inner)) return false;
            const uint64_t bytes = bytes_of(&inner);
            if (bytes == 0) return false;
            offset %= bytes;
        } else if (is_aggregate(tag) && is_room(&at)) {
            if (!hsd_type_argument(&at, &inner)) return false;
        } else {
            found_member member;
            if (!is_aggregate(tag) || !find_member(&at, offset, &member)) return false;
            inner = member.type;
            offset = member.rest;
        }
        at = inner;
    }
    return false;
}

/* ---- names ---- */

static hsd_status append_word(hsd_buffer *out, const char *word, hsd_error *err)
{
    return hsd_buffer_append(out, word, strlen(word), err);
}

/* The last sibling that begins at or before the entry at `offset`: the entry, or what it stands in. */
static bool find_sibling(Dwarf_Die *at, Dwarf_Off offset, unsigned *steps_left)
{
    Dwarf_Die next = *at;
    if (dwarf_dieoffset(at) > offset) return false;
    while ((*steps_left)-- > 0 && hsd_die_go_on(&next) && dwarf_dieoffset(&next) <= offset)
        *at = next;
    return *steps_left > 0;
}

/* "shop::" and "shop::Session::" of what the entry stands in. Entries know nothing of that, so the way is looked for
 * from the unit down. */
static hsd_status append_path(hsd_buffer *out, Dwarf_Die *type, hsd_error *err)
{
    Dwarf_Die unit, at;
    unsigned steps_left = MOST_PATH_STEPS;
    const Dwarf_Off offset = dwarf_dieoffset(type);
    if (dwarf_diecu(type, &unit, NULL, NULL) == NULL || dwarf_child(&unit, &at) != 0) return HSD_OK;
    for (int depth = 0; depth < MOST_STEPS && find_sibling(&at, offset, &steps_left) && dwarf_dieoffset(&at) != offset;
         depth++) {
        const int tag = dwarf_tag(&at);
        const char *name = dwarf_diename(&at);
        if (tag == DW_TAG_namespace || is_aggregate(tag)) {
            HSD_TRY(append_word(out, name != NULL ? name : "(anonymous namespace)", err));
            HSD_TRY(append_word(out, "::", err));
        }
        Dwarf_Die child;
        if (dwarf_child(&at, &child) != 0) return HSD_OK;
        at = child;
    }
    return HSD_OK;
}

typedef enum language { OTHER, C, CPP, RUST, ZIG } language;

/* Zig's optimised code comes from a compiler that calls it C. */
static bool is_by_zig(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
    return producer != NULL && strncmp(producer, "zig", 3) == 0;
}

static language language_of(Dwarf_Die *type)
{
    Dwarf_Die unit;
    if (dwarf_diecu(type, &unit, NULL, NULL) == NULL) return OTHER;
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case LANG_CPP_17:
    case LANG_CPP_20: return CPP;
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case LANG_C17: return is_by_zig(&unit) ? ZIG : C;
    case DW_LANG_Rust: return RUST;
    case LANG_ZIG: return ZIG;
    default: return OTHER;
    }
}

/* "[u8; 200]" of an array, which has no name. */
static hsd_status append_rust_array(hsd_buffer *out, Dwarf_Die *type, hsd_error *err)
{
    char text[32];
    Dwarf_Die of;
    const uint64_t bytes = bytes_of(type), one = hsd_type_of(type, &of) ? bytes_of(&of) : 0;
    const char *name = one > 0 ? dwarf_diename(&of) : NULL;
    if (name == NULL || bytes == 0) return HSD_OK;
    HSD_TRY(append_word(out, "[", err));
    HSD_TRY(append_word(out, name, err));
    snprintf(text, sizeof text, "; %llu]", (unsigned long long)(bytes / one));
    return append_word(out, text, err);
}

hsd_status hsd_type_append_rust_name(hsd_buffer *out, Dwarf_Die *type, hsd_error *err)
{
    const char *name = dwarf_diename(type);
    if (dwarf_tag(type) == DW_TAG_array_type) return append_rust_array(out, type, err);
    if (name == NULL) return HSD_OK;
    if (name[0] == '{') HSD_TRY(append_path(out, type, err));
    return append_word(out, name, err);
}

static hsd_status append_rust(hsd_type_name *out, Dwarf_Die *type, hsd_error *err)
{
    hsd_buffer name = {0};
    hsd_status status = hsd_type_append_rust_name(&name, type, err);
    if (status == HSD_OK) status = hsd_buffer_append(&name, "", 1, err);
    if (status == HSD_OK) status = hsd_spell_rust(&out->text, (const char *)name.data, err);
    hsd_buffer_release(&name);
    return status;
}

static hsd_status append_named(hsd_type_name *out, Dwarf_Die *type, hsd_error *err)
{
    hsd_buffer path = {0};
    const char *name = dwarf_diename(type);
    if (hsd_closure_is(type)) return hsd_closure_append(&out->text, type, err);
    if (name == NULL || name[0] == '\0' || strnlen(name, 4096) == 4096) return HSD_OK;
    if (hsd_generic_is_coroutine(name)) return hsd_generic_spell_coroutine(&out->text, name, err);
    /* a dot is in no name of C and C++ */
    if (strchr(name, '.') != NULL) return hsd_generic_spell_zig(&out->text, name, strlen(name), err);
    const language of = language_of(type);
    if (of == RUST) return append_rust(out, type, err);
    if (of != CPP) return append_word(&out->text, name, err);
    hsd_status status = append_path(&path, type, err);
    if (status == HSD_OK) status = hsd_buffer_append(&path, name, strlen(name) + 1, err);
    if (status == HSD_OK) status = hsd_spell(&out->text, (const char *)path.data, err);
    hsd_buffer_release(&path);
    return status;
}

/* The last node of a list, the first and last of a tree: words of a container of C++ beside the one that holds
 * them all. */
static bool is_shortcut(const char *name)
{
    return strcmp(name, "_M_prev") == 0 || strcmp(name, "_M_left") == 0 || strcmp(name, "_M_right") == 0 ||
           strcmp(name, "__prev_") == 0 || strcmp(name, "__begin_node_") == 0;
}

/* Such names are a compiler's and a library's: _M_start, __tree_. A program may call a member _items. */
static bool is_reserved(const char *name)
{
    return name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/* What is called so, with its namespaces, is none of the program's types. */
static bool is_name_of_library(language of, const char *name)
{
    static const char *const cpp[] = {"std::", "__gnu_cxx::"};
    static const char *const rust[] = {
        "std::",      "core::",      "alloc::",   "hashbrown::", "tokio::", "parking_lot::",
        "lock_api::", "once_cell::", "crossbeam", "dashmap::",   "&",       "*"};
    static const char *const zig[] = {"[",      "?",    "array_list.", "hash_map.", "array_hash_map.", "mem.",
                                      "multi_", "Io.",  "deque.",      "heap.",     "linked_list.",    "priority_",
                                      "Thread", "std.", "atomic.",     "bit_set.",  "SinglyLinked",    "DoublyLinked"};
    const char *const *names = of == CPP ? cpp : of == RUST ? rust : zig;
    size_t count = of == CPP ? HSD_ARRAY_LEN(cpp) : 0;
    if (of == RUST) count = HSD_ARRAY_LEN(rust);
    if (of == ZIG) count = HSD_ARRAY_LEN(zig);
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* What Rust's libraries have inside of nearly all they have, and no program calls a type: their paths need not be
 * looked for, which takes longer than the rest of a word's name. */
static bool is_inside_of_rust(const char *name)
{
    static const char *const names[] = {
        "Unique<",      "NonNull<",       "RawVec<",       "RawVecInner<",       "UnsafeCell<",
        "MaybeUninit<", "MaybeDangling<", "ManuallyDrop<", "RawTable<",          "RawTableInner",
        "ArcInner<",    "RcInner<",       "RcBox<",        "LeafNode<",          "AtomicPtr<",
        "CachePadded<", "VecDeque<",      "CoreStage<",    "Option<core::ptr::", "Option<alloc::"};
    for (size_t i = 0; name != NULL && i < HSD_ARRAY_LEN(names); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static hsd_status is_of_library(language of, Dwarf_Die *type, bool *is_it, hsd_error *err)
{
    hsd_buffer path = {0};
    const char *name = dwarf_diename(type);
    *is_it = of == RUST && is_inside_of_rust(name);
    if (*is_it) return HSD_OK;
    hsd_status status = of != ZIG ? append_path(&path, type, err) : HSD_OK;
    if (status == HSD_OK && name != NULL && strnlen(name, 4096) < 4096) status = append_word(&path, name, err);
    if (status == HSD_OK) status = hsd_buffer_append(&path, "", 1, err);
    if (status == HSD_OK) *is_it = is_name_of_library(of, (const char *)path.data);
    if (status == HSD_OK && of == RUST && !*is_it) *is_it = hsd_crate_is_of_library(type, (const char *)path.data);
    hsd_buffer_release(&path);
    return status;
}

typedef struct way {
    hsd_buffer *out;
    size_t base; /* of what stood there before */
    language of;
    bool is_in_library, is_element;
    bool has_front;        /* a name of the program stands in front: what a library calls its members says no more */
    unsigned *steps_left;  /* states that are looked at: they stand one in another */
    bool leads_to_pointer; /* the word is a pointer, and no number */
} way;

/* Of a library's header, as boost's and Qt's; std::pair has names that programs use. */
static hsd_status is_of_installed_header(Dwarf_Die *type, bool *is_it, hsd_error *err)
{
    const char *file = dwarf_decl_file(type);
    bool is_standard = false;
    *is_it = file != NULL && hsd_die_file_is_of_system(file);
    if (!*is_it) return HSD_OK;
    HSD_TRY(is_of_library(CPP, type, &is_standard, err));
    *is_it = !is_standard;
    return HSD_OK;
}

/* One step. Of C++ the names tell what is a library's, until they are followed into what the program put there. */
static hsd_status append_step(way *w, Dwarf_Die *around, const char *name, bool *is_beside, hsd_error *err)
{
    *is_beside = false;
    if (name == NULL || name[0] == '\0') return HSD_OK;
    bool is_library = is_reserved(name = hsd_closure_member(around, name));
    const bool is_adapted = strcmp(name, "c") == 0; /* in a std::queue */
    if (!is_library && w->of != C && (w->of != CPP || w->is_in_library || is_adapted))
        HSD_TRY(is_of_library(w->of, around, &is_library, err));
    if (!is_library && w->of == CPP && w->has_front) HSD_TRY(is_of_installed_header(around, &is_library, err));
    w->is_in_library = is_library;
    *is_beside = is_library && w->out->size > w->base && is_shortcut(name);
    if (is_library) return HSD_OK;
    if (w->is_element) HSD_TRY(append_word(w->out, "[*]", err));
    w->is_element = false;
    w->has_front = true;
    HSD_TRY(append_word(w->out, ".", err));
    return w->of == RUST ? hsd_spell_rust_member(w->out, dwarf_diename(around), name, err)
                         : append_word(w->out, name, err);
}

static hsd_status append_way_from(way *w, const Dwarf_Die *from, uint64_t offset, bool *is_beside, hsd_error *err);

/* What is an enum of Rust, or an async function, has one structure for each of its states. */
typedef struct states {
    hsd_buffer name; /* of the word, as those say in which it is a pointer */
    bool has_some, is_of_waiting, is_ambiguous;
    bool has_nameless; /* one in which it is a pointer and has no name */
} states;

/* An async function that waits is in a state of these; before it runs it has its arguments alone. */
static bool is_waiting(Dwarf_Die *around, Dwarf_Die *state)
{
    const char *of = dwarf_diename(around), *name = dwarf_diename(state);
    return of == NULL || of[0] != '{' || (name != NULL && strncmp(name, "Suspend", 7) == 0);
}

static hsd_status add_state(states *all, const way *w, Dwarf_Die *around, const found_member *state, hsd_error *err)
{
    hsd_buffer name = {0};
    Dwarf_Die of = state->type;
    way inner = *w;
    bool is_beside;
    inner.out = &name;
    inner.base = 0;
    const bool waits = is_waiting(around, &of);
    inner.leads_to_pointer = false;
    hsd_status status = append_way_from(&inner, &of, state->rest, &is_beside, err);
    const bool counts = inner.leads_to_pointer && name.size > 0, is_of_others = !waits && all->is_of_waiting;
    all->has_nameless |= inner.leads_to_pointer && name.size == 0 && !is_of_others;
    if (status == HSD_OK && counts && (waits || !all->is_of_waiting)) {
        const bool is_first = !all->has_some || (waits && !all->is_of_waiting);
        const bool is_same =
            !is_first && name.size == all->name.size && memcmp(name.data, all->name.data, name.size) == 0;
        all->is_ambiguous = !is_first && (all->is_ambiguous || !is_same);
        all->is_of_waiting |= waits;
        all->has_some = true;
        if (is_first) {
            hsd_buffer_clear(&all->name);
            status = hsd_buffer_append(&all->name, name.data, name.size, err);
        }
    }
    hsd_buffer_release(&name);
    return status;
}

/* The states of one part of a structure. */
static hsd_status add_states(states *all, const way *w, Dwarf_Die *around, Dwarf_Die *part, uint64_t offset,
                             hsd_error *err)
{
    Dwarf_Die variant;
    if (dwarf_child(part, &variant) != 0) return HSD_OK;
    do {
        found_member state;
        if (dwarf_tag(&variant) != DW_TAG_variant || !find_member(&variant, offset, &state)) continue;
        HSD_TRY(add_state(all, w, around, &state, err));
    } while (*w->steps_left > 0 && --*w->steps_left > 0 && hsd_die_go_on(&variant));
    return HSD_OK;
}

/* The name of the word in all states that have one for it; nothing where they do not agree. */
static hsd_status append_states(way *w, Dwarf_Die *around, uint64_t offset, hsd_error *err)
{
    Dwarf_Die child;
    states all = {.is_ambiguous = false};
    hsd_status status = HSD_OK;
    unsigned steps = 0;
    if (w->of != RUST || dwarf_child(around, &child) != 0) return HSD_OK;
    do {
        if (dwarf_tag(&child) == DW_TAG_variant_part) status = add_states(&all, w, around, &child, offset, err);
    } while (status == HSD_OK && ++steps < MOST_MEMBERS && hsd_die_go_on(&child));
    w->leads_to_pointer = all.has_some || all.has_nameless;
    /* of Option, or of the state of a task, what has no name is the library's */
    bool may_have_none = false;
    if (status == HSD_OK && all.has_some && all.has_nameless)
        status = is_of_library(w->of, around, &may_have_none, err);
    if (status == HSD_OK && !all.is_ambiguous && (may_have_none || !all.has_nameless))
        status = hsd_buffer_append(w->out, all.name.data, all.name.size, err);
    hsd_buffer_release(&all.name);
    return status;
}

static hsd_status append_way_from(way *w, const Dwarf_Die *from, uint64_t offset, bool *is_beside, hsd_error *err)
{
    Dwarf_Die at = *from;
    *is_beside = false;
    for (int depth = 0; depth < MOST_NESTED && peel(&at, true); depth++) {
        Dwarf_Die inner;
        if (dwarf_tag(&at) == DW_TAG_array_type) {
            const uint64_t bytes = hsd_type_of(&at, &inner) ? bytes_of(&inner) : 0;
            if (bytes == 0) return HSD_OK;
            offset %= bytes;
            w->is_element = true;
            at = inner;
            continue;
        }
        found_member member;
        w->leads_to_pointer = dwarf_tag(&at) == DW_TAG_pointer_type;
        if (!is_aggregate(dwarf_tag(&at))) return HSD_OK;
        if (!find_member(&at, offset, &member) && !find_open_end(&at, offset, &member))
            return append_states(w, &at, offset, err);
        const char *name = dwarf_tag(&member.die) == DW_TAG_member ? dwarf_diename(&member.die) : NULL;
        if (name != NULL && strnlen(name, 4096) == 4096) return HSD_OK;
        HSD_TRY(append_step(w, &at, name, is_beside, err));
        at = member.type;
        offset = member.rest;
    }
    return HSD_OK;
}

static hsd_status append_way(hsd_buffer *out, Dwarf_Die *type, uint64_t offset, bool has_front, bool *is_beside,
                             hsd_error *err)
{
    unsigned steps_left = MOST_STATES;
    way w = {.out = out, .base = out->size, .of = language_of(type), .has_front = has_front, .steps_left = &steps_left};
    return append_way_from(&w, type, offset, is_beside, err);
}

hsd_status hsd_type_append_way(hsd_buffer *out, Dwarf_Die *type, uint64_t offset, bool *is_beside, hsd_error *err)
{
    return append_way(out, type, offset, true, is_beside, err);
}

hsd_status hsd_type_append_member(hsd_buffer *out, Dwarf_Die *type, uint64_t offset, bool *is_beside, hsd_error *err)
{
    const size_t base = out->size;
    HSD_TRY(append_way(out, type, offset, false, is_beside, err));
    const size_t marks = out->size == base ? 0 : out->data[base] == '.' ? 1 : 4; /* "[*]." */
    if (marks == 0) return HSD_OK;
    memmove(out->data + base, out->data + base + marks, out->size - base - marks);
    out->size -= marks;
    return HSD_OK;
}

const char *hsd_type_member_at(Dwarf_Die *type, uint64_t offset)
{
    Dwarf_Die at = *type;
    found_member member;
    if (!peel(&at, true) || !is_aggregate(dwarf_tag(&at)) || !find_member(&at, offset, &member)) return NULL;
    const char *name = dwarf_diename(&member.die);
    return name != NULL && strnlen(name, 4096) < 4096 ? name : NULL;
}

hsd_status hsd_type_is_of_library(Dwarf_Die *type, bool *is_it, hsd_error *err)
{
    const language of = language_of(type);
    *is_it = false;
    return of == RUST || of == ZIG ? is_of_library(of, type, is_it, err) : HSD_OK;
}

bool hsd_type_argument(Dwarf_Die *type, Dwarf_Die *argument)
{
    Dwarf_Die child;
    unsigned steps = 0;
    if (dwarf_child(type, &child) != 0) return false;
    do {
        if (dwarf_tag(&child) == DW_TAG_template_type_parameter) return hsd_type_of(&child, argument);
    } while (++steps < MOST_MEMBERS && hsd_die_go_on(&child));
    return false;
}

bool hsd_type_item(Dwarf_Die *iterator, Dwarf_Die *item, uint64_t *skipped)
{
    static const struct {
        const char *name;
        uint64_t skipped;
    } iterators[] = {{"_Rb_tree_iterator<", 32},       {"_List_iterator<", 16},       {"_Node_iterator<", 8},
                     {"_Rb_tree_const_iterator<", 32}, {"_List_const_iterator<", 16}, {"_Fwd_list_iterator<", 8}};
    Dwarf_Die bare = *iterator;
    const char *name = peel(&bare, true) && is_aggregate(dwarf_tag(&bare)) ? dwarf_diename(&bare) : NULL;
    for (size_t i = 0; name != NULL && i < HSD_ARRAY_LEN(iterators); i++) {
        if (strncmp(name, iterators[i].name, strlen(iterators[i].name)) != 0) continue;
        *skipped = iterators[i].skipped;
        return hsd_type_argument(&bare, item);
    }
    return false;
}

bool hsd_type_is_reserved(Dwarf_Die *type)
{
    Dwarf_Die bare = *type;
    const char *name = peel(&bare, true) ? dwarf_diename(&bare) : NULL;
    return name != NULL && is_reserved(name);
}

static bool is_open_ended(Dwarf_Die *type)
{
    Dwarf_Die last, array;
    return open_end(type, &last, &array);
}

/* "order *" of a pointer: what is at its end, and a star for each. */
static hsd_status append_pointer(hsd_type_name *out, Dwarf_Die *pointer, hsd_error *err)
{
    Dwarf_Die at = *pointer, inner;
    unsigned stars = 0;
    while (stars < 4 && dwarf_tag(&at) == DW_TAG_pointer_type) {
        stars++;
        if (!hsd_type_of(&at, &inner) || !peel(&inner, false)) break;
        at = inner;
    }
    out->says_little = dwarf_tag(&at) == DW_TAG_pointer_type;
    if (out->says_little)
        HSD_TRY(append_word(&out->text, "void", err));
    else
        HSD_TRY(append_named(out, &at, err));
    if (out->text.size == 0) return HSD_OK;
    if (peel(&at, true)) out->says_little |= is_base(&at);
    HSD_TRY(append_word(&out->text, " ", err));
    for (; stars > 0; stars--)
        HSD_TRY(append_word(&out->text, "*", err));
    return HSD_OK;
}

hsd_status hsd_type_describe(hsd_type_name *out, Dwarf_Die *type, hsd_error *err)
{
    Dwarf_Die named = *type, bare = *type;
    hsd_buffer_clear(&out->text);
    out->bytes = 0;
    out->says_little = out->is_open_ended = false;
    if (!peel(&named, false) || !peel(&bare, true)) return HSD_OK;
    const int tag = dwarf_tag(&bare);
    if (!is_aggregate(tag) && !is_base(&bare) && tag != DW_TAG_pointer_type) return HSD_OK;
    out->bytes = bytes_of(&bare);
    out->says_little = is_base(&bare);
    out->is_open_ended = is_open_ended(&bare);
    return dwarf_tag(&named) == DW_TAG_pointer_type ? append_pointer(out, &named, err) : append_named(out, &named, err);
}

void hsd_type_release(hsd_type_name *name)
{
    hsd_buffer_release(&name->text);
    *name = (hsd_type_name){.bytes = 0};
}

bool hsd_type_fits(const hsd_type_name *name, uint64_t most_bytes, uint64_t exact_bytes, bool *is_array)
{
    *is_array = false;
    if (exact_bytes > 0) return name->bytes == exact_bytes;
    if (name->bytes == 0 || name->bytes > most_bytes) return false;
    const uint64_t count = most_bytes / name->bytes, least = most_bytes <= SMALL_CLASS
                                                                 ? most_bytes - hsd_min_u64(SMALL_STEP, most_bytes)
                                                                 : most_bytes - most_bytes / 4;
    if (count * name->bytes <= least) return name->is_open_ended;
    *is_array = count > 1 && !name->is_open_ended;
    return true;
}

#endif

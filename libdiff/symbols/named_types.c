/* A list of all types of an image by the hashes of their bare names. See named_types.h. */
#include "symbols/named_types.h"

#ifdef HSD_HAVE_DW
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/names.h"
#include "base/search.h"
#include "symbols/closures.h"

enum { TYPES_MAX = 1 << 20, TRIED_MAX = 64, TASKS_TRIED_MAX = 4096 };

typedef struct hsd_listed_type {
    /* of its name without namespaces and arguments: "vector"; of a closure of Rust, and of what an async function
     * keeps, that of the function; of a closure of C++ all that it is described by */
    uint64_t hash;
    Dwarf_Off die;
} hsd_listed_type;

/* ---- the list ---- */

static bool is_structure(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* A structure that is defined here, or the name of one that has none of its own. */
static bool is_listed(Dwarf_Die *die)
{
    Dwarf_Die of;
    if (is_structure(dwarf_tag(die))) return !dwarf_hasattr(die, DW_AT_declaration);
    return dwarf_tag(die) == DW_TAG_typedef && hsd_type_of(die, &of) && is_structure(dwarf_tag(&of)) &&
           dwarf_diename(&of) == NULL;
}

typedef struct listing {
    hsd_type_list *list;
    const char *around; /* the last namespace but for those without a name of their own, "{closure#0}" */
} listing;

static hsd_status put_listed(hsd_type_list *list, hsd_text name, Dwarf_Die *die, hsd_error *err)
{
    if (list->count >= TYPES_MAX) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(list->at, list->capacity, list->count + 1, 256, "types", err));
    list->at[list->count++] = (hsd_listed_type){hsd_hash_bytes(name.data, name.size, 0), dwarf_dieoffset(die)};
    return HSD_OK;
}

/* Of C++ a closure stands inside of its function, where nobody looks; a template that std::function has for it knows
 * it. */
static hsd_status list_closure(hsd_type_list *list, Dwarf_Die *manager, hsd_error *err)
{
    hsd_type_name said = {.bytes = 0};
    Dwarf_Die closure;
    if (!hsd_type_argument(manager, &closure) || !hsd_closure_is(&closure)) return HSD_OK;
    hsd_status status = hsd_type_describe(&said, &closure, err);
    if (status == HSD_OK && said.text.size > 0)
        status = put_listed(list, (hsd_text){(const char *)said.text.data, said.text.size}, &closure, err);
    hsd_type_release(&said);
    return status;
}

static hsd_status list_type(void *context, Dwarf_Die *die, hsd_error *err)
{
    listing *l = context;
    hsd_type_list *list = l->list;
    const bool is_namespace = dwarf_tag(die) == DW_TAG_namespace;
    const char *name = is_namespace || is_listed(die) ? dwarf_diename(die) : NULL;
    if (name == NULL || name[0] == '\0') return HSD_OK;
    if (is_namespace && name[0] != '{') l->around = name;
    if (is_namespace) return HSD_OK;
    if (name[0] == '{' && l->around != NULL) name = l->around;
    if (strncmp(name, "_Base_manager<", 14) == 0) HSD_TRY(list_closure(list, die, err));
    return put_listed(list, (hsd_text){name, strcspn(name, "<")}, die, err);
}

static int compare_types(const void *a, const void *b)
{
    const hsd_listed_type *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->die < y->die ? -1 : x->die > y->die;
}

static hsd_status read_types(hsd_lines *lines, hsd_type_list *list, hsd_error *err)
{
    list->is_read = true;
    HSD_TRY(hsd_dies_walk(lines, hsd_die_is_around, list_type, &(listing){.list = list}, err));
    if (list->count > 1) qsort(list->at, list->count, sizeof *list->at, compare_types);
    return HSD_OK;
}

/* ---- looking up ---- */

static bool is_of_closure(hsd_text name) { return name.size > 8 && memcmp(name.data, "lambda (", 8) == 0; }

/* "Session" of shop::Session, "map" of std::map<shop::Id, Session>, "watch" of watch::{async fn}. */
static hsd_text bare_name(hsd_text name)
{
    size_t end = name.size, depth = 0;
    if (end > 0 && name.data[end - 1] == '>') {
        do {
            const char c = name.data[--end];
            depth = c == '>' ? depth + 1 : c == '<' ? depth - 1 : depth;
        } while (end > 0 && depth > 0);
    }
    size_t begin = end;
    while (begin > 0 && name.data[begin - 1] != ':')
        begin--;
    if (begin > 2 && begin < end && name.data[begin] == '{')
        for (end = begin -= 2; begin > 0 && name.data[begin - 1] != ':';)
            begin--;
    return (hsd_text){name.data + begin, end - begin};
}

/* ---- names that say the same ---- */

/*
 * Names come from symbols and from DWARF, which spell numbers and const in ways of their own: "long" and "long int",
 * "std::pair<long const, Row>" and "std::pair<const long int, Row>", "64ul" and "64". Both are compared without what
 * tells them apart.
 */
typedef struct reading {
    hsd_text text;
    size_t at;
} reading;

typedef struct word {
    char mark;     /* of punctuation; 0 = a word or the end */
    hsd_text text; /* empty: the end */
} word;

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c < 0;
}

static bool is_word_one_of(hsd_text text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == text.size && memcmp(words[i], text.data, text.size) == 0) return true;
    return false;
}

/* A number is known by "long", "short", "unsigned" and "char", in any order; "int" beside them says nothing. */
static word next_word(reading *r)
{
    static const char *const silent[] = {"const", "int"};
    for (;;) {
        while (r->at < r->text.size && r->text.data[r->at] == ' ')
            r->at++;
        const size_t begin = r->at;
        while (r->at < r->text.size && is_word_byte(r->text.data[r->at]))
            r->at++;
        hsd_text found = {r->text.data + begin, r->at - begin};
        if (found.size == 0 && begin == r->text.size) return (word){.text = {"", 0}};
        if (found.size == 0) return (word){.mark = r->text.data[r->at++], .text = {"", 0}};
        if (is_word_one_of(found, silent, HSD_ARRAY_LEN(silent))) continue;
        while (found.data[0] >= '0' && found.data[0] <= '9' && strchr("uUlL", found.data[found.size - 1]) != NULL)
            found.size--;
        return (word){.text = found};
    }
}

static bool is_unsigned(hsd_text text) { return text.size == 8 && memcmp(text.data, "unsigned", 8) == 0; }

/* "unsigned" may stand in front of "long" or behind it: it is counted, and compared where the number ends. */
static word next_of_number(reading *r, unsigned *unsigned_count)
{
    word w = next_word(r);
    while (is_unsigned(w.text)) {
        (*unsigned_count)++;
        w = next_word(r);
    }
    return w;
}

static bool are_same_names(hsd_text a, hsd_text b)
{
    reading x = {.text = a}, y = {.text = b};
    unsigned x_unsigned = 0, y_unsigned = 0;
    for (;;) {
        const word v = next_of_number(&x, &x_unsigned), w = next_of_number(&y, &y_unsigned);
        const bool is_end = v.mark == 0 && v.text.size == 0;
        if (v.mark != w.mark || v.text.size != w.text.size || memcmp(v.text.data, w.text.data, v.text.size) != 0)
            return false;
        if ((v.mark != 0 || is_end) && x_unsigned != y_unsigned) return false;
        if (is_end) return true;
    }
}

static hsd_status is_type_called(Dwarf_Die *die, hsd_text name, bool *is_it, hsd_error *err)
{
    hsd_type_name said = {.bytes = 0};
    const hsd_status status = hsd_type_describe(&said, die, err);
    *is_it = status == HSD_OK && said.text.size > 0 &&
             are_same_names((hsd_text){(const char *)said.text.data, said.text.size}, name);
    hsd_type_release(&said);
    return status;
}

hsd_status hsd_named_type_find(hsd_lines *lines, hsd_text name, Dwarf_Die *out, bool *is_found, hsd_error *err)
{
    return hsd_named_type_find_as(lines, is_of_closure(name) ? name : bare_name(name), name, out, is_found, err);
}

hsd_status hsd_named_type_find_as(hsd_lines *lines, hsd_text bare, hsd_text name, Dwarf_Die *out, bool *is_found,
                                  hsd_error *err)
{
    hsd_type_list *list = hsd_lines_types(lines);
    size_t at;
    *is_found = false;
    if (!list->is_read) HSD_TRY(read_types(lines, list, err));
    if (bare.size == 0) return HSD_OK;
    const uint64_t hash = hsd_hash_bytes(bare.data, bare.size, 0);
    HSD_LOWER_BOUND(at, 0, list->count, list->at[at].hash, hash);
    const bool is_task = name.size > 8 && memcmp(name.data, "task of ", 8) == 0; /* all are of one bare name */
    for (size_t tried = 0;
         !*is_found && tried < (is_task ? TASKS_TRIED_MAX : TRIED_MAX) && at < list->count && list->at[at].hash == hash;
         at++) {
        if (dwarf_offdie(hsd_lines_dwarf(lines), list->at[at].die, out) == NULL) continue;
        HSD_TRY(is_type_called(out, name, is_found, err));
        tried++;
    }
    return HSD_OK;
}

#endif

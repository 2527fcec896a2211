/*
 * Which first words are vtables. A pointer to constant data is not enough: C programs have those too. In front of the
 * address that an object holds, every C++ compiler of Linux puts how far it is to the whole object, which is 0 for the
 * start of a block, and the run-time type information, which begins with a pointer to a vtable itself and to a name:
 *
 *      [-2] 0      [-1] ──► { vtable of the information, ──► "7Session" }      [0] first virtual function
 *
 * Without run-time type information [-1] is 0, and then [0] must be code.
 */
#include "native/walk/walk.h"

#include <string.h>

enum { NAME_PART = 128, MAX_VTABLES = 1 << 16 };

/* What is constant once a program runs: what may not be written, of a file. */
static const hsn_mapping *constants_at(const hsn_walker *k, uintptr_t address)
{
    if (address % sizeof address != 0 || address < k->constants_low || address >= k->constants_high) return NULL;
    const hsn_mapping *m = hsn_maps_find(&k->maps, address);
    return m != NULL && m->kind == HSN_MAPPING_FILE && m->can_read && !m->can_write && !m->is_shared ? m : NULL;
}

static bool is_code(const hsn_walker *k, uintptr_t address)
{
    const hsn_mapping *m = hsn_maps_find(&k->maps, address);
    return m != NULL && m->can_run && m->kind == HSN_MAPPING_FILE;
}

static bool is_name(unsigned char c) { return c > ' ' && c < 0x7f; }

/*
 * The mangled name that type information has; 0 bytes = it is none. "*" in front says that the name is one file's own.
 */
static size_t read_type_name(const hsn_walker *k, uintptr_t information, char name[NAME_PART])
{
    uintptr_t words[2];
    const hsn_mapping *m;
    if (constants_at(k, information) == NULL || !hsn_copy(words, information, sizeof words)) return 0;
    if (hsn_module_of(&k->modules, words[0]) == NULL || words[0] % sizeof words[0] != 0) return 0;
    m = hsn_maps_find(&k->maps, words[1]);
    if (m == NULL || !m->can_read || m->can_write || m->kind != HSN_MAPPING_FILE) return 0;
    const size_t left = m->high - words[1], most = left < NAME_PART ? left : NAME_PART;
    if (!hsn_copy(name, words[1], most)) return 0;
    const size_t skip = name[0] == '*';
    size_t size = skip;
    while (size < most && is_name((unsigned char)name[size]))
        size++;
    if (size == skip || (size < most && name[size] != '\0')) return 0;
    memmove(name, name + skip, size - skip);
    return size == most ? (size_t)-1 : size - skip; /* too long to tell is a type all the same */
}

static bool is_vtable(const hsn_walker *k, uintptr_t word, char name[NAME_PART], size_t *name_size)
{
    uintptr_t words[3];
    const hsn_mapping *m = constants_at(k, word);
    *name_size = 0;
    if (m == NULL || hsn_module_of(&k->modules, word) == NULL || word - 2 * sizeof word < m->low) return false;
    if (!hsn_copy(words, word - 2 * sizeof word, sizeof words) || words[0] != 0) return false;
    if (words[1] == 0) return is_code(k, words[2]);
    *name_size = read_type_name(k, words[1], name);
    if (*name_size == 0) return false;
    if (*name_size == (size_t)-1) *name_size = 0;
    return true;
}

static size_t put_vtable(const hsn_walker *k, uintptr_t word, const char *name, size_t name_size,
                         char out[HSN_TYPE_BYTES])
{
    static const char mark[] = "{vtable} ";
    char *at = hsn_put_text(out, mark, sizeof mark - 1);
    at += hsn_name_address(&k->modules, word, at);
    if (name_size > 0) {
        *at++ = ' ';
        at = hsn_put_text(at, name, name_size);
    }
    return (size_t)(at - out);
}

static uint32_t write_type(hsn_walker *k, uintptr_t word, const char *name, size_t name_size)
{
    char text[HSN_TYPE_BYTES];
    const size_t size = put_vtable(k, word, name, name_size, text);
    return hsc_define_type(k->w, ++k->types, text, size, 0) == HSC_OK ? k->types : 0;
}

uint32_t hsn_vtable_type(hsn_walker *k, uintptr_t word)
{
    if (word % sizeof word != 0 || word < k->constants_low || word >= k->constants_high) return 0;
    const uint32_t known = hsn_pairs_get(&k->vtables, word, 0);
    if (known != 0) return known;
    uintptr_t *other = &k->other_constants[word / sizeof word % HSN_OTHER_CONSTANTS];
    if (*other == word) return 0;
    char name[NAME_PART];
    size_t name_size;
    if (k->vtables.count >= MAX_VTABLES || !is_vtable(k, word, name, &name_size)) {
        *other = word;
        return 0;
    }
    uint32_t *type = hsn_pairs_put(&k->vtables, word, 0);
    if (type == NULL) return 0;
    return *type = write_type(k, word, name, name_size);
}

size_t hsn_vtable_text(const hsn_walker *k, uintptr_t word, char out[HSN_TYPE_BYTES])
{
    char name[NAME_PART];
    size_t name_size;
    return is_vtable(k, word, name, &name_size) ? put_vtable(k, word, name, name_size, out) : 0;
}

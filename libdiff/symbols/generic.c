/*
 * Rules by the names of functions. See generic.h.
 *
 *      std::__new_allocator<T>::allocate, std::allocator<T>::allocate    T[]; "node of std::map<K, V>" and std::make_shared<T>, which are one, without []
 *      std::make_unique<T>                                              T
 *      std::basic_string<char>::_M_create                               std::string
 *      std::_Hashtable<K, std::pair<K const, V>, …> around buckets      buckets of std::unordered_map<K, V>
 *
 *      alloc::boxed::Box<T>::new                                        Box<T>; of ArcInner<T> Arc<T>, of RcInner<T> Rc<T>, of LeafNode<K, V> BTreeMap<K, V>
 *      alloc::raw_vec::RawVec<T>, alloc::vec::Vec<T>                    Vec<T>; VecDeque<T> and BinaryHeap<T> inside of those, String of u8
 *      hashbrown::raw::RawTable<(K, V)>                                 HashMap<K, V>; HashSet<K> where V is ()
 *
 *      mem.Allocator.create, mem.Allocator.alloc, by what they return   T, []T
 *      array_list.Aligned(T,null), hash_map.Custom(K,V,…)               ArrayList(T), HashMap(K, V)
 */
#include "symbols/generic.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "base/check.h"
#include "base/fail.h"
#include "symbols/demangle.h"
#include "symbols/rust_spelling.h"
#include "symbols/spelling.h"

enum { MOST_NAME = 16384 };

static bool begins(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static bool ends(const char *text, const char *suffix)
{
    const size_t size = strlen(text), tail = strlen(suffix);
    return size >= tail && strcmp(text + size - tail, suffix) == 0;
}

static bool is_text(const hsd_buffer *buffer, const char *text)
{
    return buffer->size == strlen(text) && memcmp(buffer->data, text, buffer->size) == 0;
}

static bool buffer_begins(const hsd_buffer *buffer, const char *prefix)
{
    return buffer->size >= strlen(prefix) && memcmp(buffer->data, prefix, strlen(prefix)) == 0;
}

static bool is_one_of(const char *const *words, size_t count, const hsd_buffer *text)
{
    for (size_t i = 0; i < count; i++)
        if (is_text(text, words[i])) return true;
    return false;
}

static hsd_status append_word(hsd_buffer *out, const char *word, hsd_error *err)
{
    return hsd_buffer_append(out, word, strlen(word), err);
}

/* Numbers and characters, which many things share. */
static bool is_plain(const hsd_buffer *type)
{
    static const char *const plain[] = {
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned int",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "float",
        "double",
        "long double",
        "bool",
        "wchar_t",
        "char8_t",
        "char16_t",
        "char32_t",
        "std::byte",
        "void*",
        "char*",
        "char const*",
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "usize",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "isize",
        "f32",
        "f64",
    };
    return is_one_of(plain, HSD_ARRAY_LEN(plain), type);
}

/* ---- arguments of templates ---- */

/* Behind the argument that begins at `at`: at a comma or the bracket that closes, of any kind. */
static const char *end_of_argument(const char *at)
{
    unsigned depth = 0;
    for (; *at != '\0'; at++) {
        const bool is_arrow = *at == '>' && at[-1] == '-';
        if (*at == '<' || *at == '(' || *at == '[') {
            depth++;
        } else if ((*at == '>' && !is_arrow) || *at == ')' || *at == ']') {
            if (depth == 0) return at;
            depth--;
        } else if (*at == ',' && depth == 0) {
            return at;
        }
    }
    return at;
}

/* The `number`-th argument of the bracket that opens at `open`; size 0 = there is none. */
static hsd_bytes argument_of(const char *open, unsigned number)
{
    const char *at = open + 1;
    for (;; number--) {
        while (*at == ' ')
            at++;
        const char *end = end_of_argument(at);
        if (number == 0) {
            while (end > at && end[-1] == ' ')
                end--;
            return (hsd_bytes){(const uint8_t *)at, (size_t)(end - at)};
        }
        if (*end != ',') return (hsd_bytes){(const uint8_t *)at, 0};
        at = end + 1;
    }
}

static hsd_status spell_part(hsd_buffer *out, hsd_bytes part, hsd_error *err)
{
    hsd_buffer text = {0};
    hsd_status status = hsd_buffer_append(&text, part.data, part.size, err);
    if (status == HSD_OK) status = hsd_buffer_append(&text, "", 1, err);
    if (status == HSD_OK) status = hsd_spell(out, (const char *)text.data, err);
    hsd_buffer_release(&text);
    return status;
}

/* ---- C++ ---- */

static hsd_status take_elements(hsd_generic *generic, const char *open, hsd_generic_kind kind, hsd_error *err)
{
    const hsd_bytes type = argument_of(open, 0);
    if (type.size == 0) return HSD_OK;
    hsd_buffer_clear(&generic->type);
    HSD_TRY(spell_part(&generic->type, type, err));
    generic->kind = kind;
    generic->says_little = is_plain(&generic->type);
    return HSD_OK;
}

static const char *allocator_of(const char *name)
{
    static const char *const allocators[] = {"std::__new_allocator<", "__gnu_cxx::new_allocator<", "std::allocator<",
                                             "std::__1::allocator<"};
    if (!ends(name, "::allocate")) return NULL;
    for (size_t i = 0; i < HSD_ARRAY_LEN(allocators); i++)
        if (begins(name, allocators[i])) return name + strlen(allocators[i]) - 1;
    return NULL;
}

/* "std::__cxx11::basic_string<char, …>::_M_create": the bracket behind basic_string. */
static const char *string_of(const char *name)
{
    static const char *const strings[] = {"std::__cxx11::basic_string<", "std::basic_string<",
                                          "std::__1::basic_string<"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(strings); i++)
        if (begins(name, strings[i])) return name + strlen(strings[i]) - 1;
    return NULL;
}

static hsd_status take_string(hsd_generic *generic, const char *name, const char *open, hsd_error *err)
{
    const char *end = open + 1;
    while (*end == ' ' || *(end = end_of_argument(end)) == ',')
        end++;
    if (*end != '>') return HSD_OK;
    hsd_buffer_clear(&generic->type);
    generic->kind = HSD_GENERIC_WHOLE;
    generic->says_little = true;
    return spell_part(&generic->type, (hsd_bytes){(const uint8_t *)name, (size_t)(end + 1 - name)}, err);
}

/* By a node of the table, which the speller knows: "node of std::unordered_map<K, V>". */
static hsd_status take_buckets(hsd_generic *generic, const char *open, hsd_error *err)
{
    static const char node[] = "node of ";
    hsd_buffer text = {0}, spelled = {0};
    const hsd_bytes element = argument_of(open, 1);
    hsd_status status = append_word(&text, "std::__detail::_Hash_node<", err);
    if (status == HSD_OK) status = hsd_buffer_append(&text, element.data, element.size, err);
    if (status == HSD_OK) status = hsd_buffer_append(&text, ", false>", sizeof ", false>", err);
    if (status == HSD_OK) status = hsd_spell(&spelled, (const char *)text.data, err);
    if (status == HSD_OK && buffer_begins(&spelled, node)) {
        hsd_buffer_clear(&generic->type);
        generic->kind = HSD_GENERIC_WHOLE;
        status = append_word(&generic->type, "buckets of ", err);
        if (status == HSD_OK)
            status = hsd_buffer_append(&generic->type, spelled.data + sizeof node - 1, spelled.size - (sizeof node - 1),
                                       err);
    }
    hsd_buffer_release(&text);
    hsd_buffer_release(&spelled);
    return status;
}

/* Tables of LLVM's library are arrays of "std::__hash_node_base<node of std::unordered_map<K, V>*>*". */
static hsd_status take_llvm_buckets(hsd_generic *generic, hsd_error *err)
{
    static const char before[] = "std::__hash_node_base<node of ", after[] = "*>*";
    const size_t skipped = sizeof before - 1, cut = sizeof after - 1;
    hsd_buffer inner = generic->type;
    if (!buffer_begins(&inner, before) || inner.size < skipped + cut ||
        memcmp(inner.data + inner.size - cut, after, cut) != 0)
        return HSD_OK;
    generic->type = (hsd_buffer){0};
    generic->kind = HSD_GENERIC_WHOLE;
    hsd_status status = append_word(&generic->type, "buckets of ", err);
    if (status == HSD_OK)
        status = hsd_buffer_append(&generic->type, inner.data + skipped, inner.size - skipped - cut, err);
    hsd_buffer_release(&inner);
    return status;
}

/* "std::_Vector_base<T, …>::_M_allocate", "std::vector<T, …>::assign": the bracket. */
static const char *vector_of(const char *name)
{
    static const char *const vectors[] = {"std::_Vector_base<", "std::vector<"};
    while (begins(name, "void ") || begins(name, "bool "))
        name += 5;
    for (size_t i = 0; i < HSD_ARRAY_LEN(vectors); i++)
        if (begins(name, vectors[i])) return name + strlen(vectors[i]) - 1;
    return NULL;
}

static bool is_of_allocators(const char *name)
{
    return begins(name, "operator new") || begins(name, "std::allocator") || begins(name, "std::__new_allocator<") ||
           begins(name, "__gnu_cxx::");
}

/* Functions with the same instructions may be one to the linker and the compiler, under the name of either: the
 * outermost of a vector knows best what is in it. */
static hsd_status add_to_elements(hsd_generic *generic, const char *name, hsd_error *err)
{
    const char *open = generic->is_in_vector ? vector_of(name) : NULL;
    if (open != NULL) return take_elements(generic, open, HSD_GENERIC_ELEMENTS, err);
    generic->is_in_vector = generic->is_in_vector && is_of_allocators(name);
    return HSD_OK;
}

static hsd_status add_cpp(hsd_generic *generic, const char *name, hsd_error *err)
{
    static const char unique[] = "std::make_unique<", table[] = "std::_Hashtable<";
    const char *open = allocator_of(name), *string = string_of(name);
    if (generic->kind == HSD_GENERIC_NOTHING)
        generic->is_from_pool |= begins(name, "std::pmr::memory_resource::") || begins(name, "std::pmr::polymorphic_");
    if (generic->is_from_pool) return HSD_OK;
    if (generic->kind == HSD_GENERIC_NOTHING && open != NULL) {
        generic->is_in_vector = true;
        generic->is_of_llvm = begins(name, "std::__1::");
        HSD_TRY(take_elements(generic, open, HSD_GENERIC_ELEMENTS, err));
        return take_llvm_buckets(generic, err);
    }
    if (generic->kind == HSD_GENERIC_ELEMENTS) HSD_TRY(add_to_elements(generic, name, err));
    if (generic->kind == HSD_GENERIC_NOTHING && begins(name, unique))
        return take_elements(generic, name + sizeof unique - 2, HSD_GENERIC_WHOLE, err);
    if (string != NULL &&
        (generic->kind == HSD_GENERIC_NOTHING || (generic->kind == HSD_GENERIC_ELEMENTS && generic->says_little)))
        return take_string(generic, name, string, err);
    if (generic->kind == HSD_GENERIC_ELEMENTS && begins(name, table) &&
        is_text(&generic->type, "std::__detail::_Hash_node_base*"))
        return take_buckets(generic, name + sizeof table - 2, err);
    return HSD_OK;
}

bool hsd_generic_is_coroutine(const char *name)
{
    const char *dot = begins(name, "_Z") ? strrchr(name, '.') : NULL;
    return dot != NULL && (strcmp(dot, ".Frame") == 0 || strcmp(dot, ".coro_frame_ty") == 0);
}

hsd_status hsd_generic_spell_coroutine(hsd_buffer *out, const char *name, hsd_error *err)
{
    char *linkage_name = strndup(name, (size_t)(strrchr(name, '.') - name)), *function = NULL;
    hsd_status status =
        linkage_name == NULL ? hsd_fail_nomem(err, "types") : hsd_demangle(linkage_name, &function, err);
    if (status == HSD_OK) status = append_word(out, "coroutine ", err);
    if (status == HSD_OK) status = hsd_spell(out, function, err);
    free(linkage_name);
    free(function);
    return status;
}

/* ---- Rust ---- */

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '{' ||
           c == '}' || c == '#';
}

static hsd_status set_rust(hsd_generic *generic, hsd_generic_kind kind, const char *before, hsd_bytes type,
                           const char *after, hsd_error *err)
{
    hsd_buffer text = {0};
    hsd_buffer_clear(&generic->type);
    hsd_status status = hsd_buffer_append(&text, type.data, type.size, err);
    if (status == HSD_OK) status = hsd_buffer_append(&text, "", 1, err);
    if (status == HSD_OK) status = append_word(&generic->type, before, err);
    if (status == HSD_OK) status = hsd_spell_rust(&generic->type, (const char *)text.data, err);
    if (status == HSD_OK) generic->says_little = before[0] == '\0' && is_plain(&generic->type);
    if (status == HSD_OK) status = append_word(&generic->type, after, err);
    generic->kind = kind;
    hsd_buffer_release(&text);
    return status;
}

static hsd_bytes whole(const char *text) { return (hsd_bytes){(const uint8_t *)text, strlen(text)}; }

/* The name of a type, whose arguments may have paths of their own. */
static const char *without_path(const char *type)
{
    const char *bare = type;
    for (const char *at = type; is_word_byte(*at) || *at == ':'; at++)
        if (*at == ':') bare = at + 1;
    return bare;
}

/* What libraries put a value into: "ArcInner<Node>" is the block of an Arc<Node>. */
static hsd_status take_box(hsd_generic *generic, const char *type, hsd_error *err)
{
    static const struct {
        const char *inner, *outer;
    } holders[] = {{"ArcInner<", "Arc<"}, {"RcInner<", "Rc<"}, {"RcBox<", "Rc<"}};
    static const char *const nodes[] = {"LeafNode<", "InternalNode<"};
    const char *bare = without_path(type), *open = strchr(bare, '<');
    for (size_t i = 0; i < HSD_ARRAY_LEN(holders); i++)
        if (begins(bare, holders[i].inner))
            return set_rust(generic, HSD_GENERIC_WHOLE, holders[i].outer, argument_of(open, 0), ">", err);
    for (size_t i = 0; i < HSD_ARRAY_LEN(nodes); i++) {
        if (!begins(bare, nodes[i])) continue;
        const hsd_bytes key = argument_of(open, 0), value = argument_of(open, 1);
        if (key.size + value.size == 0) return HSD_OK;
        const bool is_set = value.size >= 9 && memcmp(value.data + value.size - 9, "SetValZST", 9) == 0;
        const hsd_bytes both = {key.data, (size_t)(value.data + value.size - key.data)};
        return set_rust(generic, HSD_GENERIC_WHOLE, is_set ? "BTreeSet<" : "BTreeMap<", is_set ? key : both, ">", err);
    }
    HSD_TRY(set_rust(generic, HSD_GENERIC_WHOLE, "", whole(type), "", err));
    if (buffer_begins(&generic->type, "task of ")) return HSD_OK;
    return set_rust(generic, HSD_GENERIC_BOX, "Box<", whole(type), ">", err);
}

/* "(u32, shop::Session)". */
static hsd_status take_table(hsd_generic *generic, const char *pair, hsd_error *err)
{
    if (pair[0] != '(') return set_rust(generic, HSD_GENERIC_WHOLE, "HashTable<", whole(pair), ">", err);
    const hsd_bytes key = argument_of(pair, 0), value = argument_of(pair, 1);
    if (key.size == 0 || value.size == 0) return HSD_OK;
    const bool is_set = value.size == 2 && memcmp(value.data, "()", 2) == 0;
    const hsd_bytes both = {key.data, (size_t)(value.data + value.size - key.data)};
    return set_rust(generic, HSD_GENERIC_WHOLE, is_set ? "HashSet<" : "HashMap<", is_set ? key : both, ">", err);
}

static bool is_of(const char *name, const char *path)
{
    while (*name == '<' || *name == '&')
        name++;
    return begins(name, path);
}

/* Functions that may stand between one that knows the store of a vector and the one that knows what the vector is for.
 */
static bool is_around_vectors(const char *name)
{
    static const char *const paths[] = {"alloc::alloc::", "alloc::raw_vec::",     "alloc::vec::", "alloc::slice::",
                                        "core::",         "alloc::collections::", "T as ",        "[T] as "};
    for (size_t i = 0; i < HSD_ARRAY_LEN(paths); i++)
        if (is_of(name, paths[i])) return true;
    return begins(name, "_ZN");
}

static bool is_about_text(const char *name)
{
    static const char *const paths[] = {
        "alloc::string::", "alloc::fmt::", "alloc::str::", "str as alloc::", "alloc::borrow::"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(paths); i++)
        if (is_of(name, paths[i])) return true;
    return false;
}

/* Those that ask a vector for room. Nothing of another vector stands between them and the allocation, and functions of
 * the same code may be one: the outermost knows best what is in it. */
static bool is_filling(const char *name)
{
    static const char *const ends_in[] = {"::push", "::push_mut", "::insert", "::reserve", "::grow_one"};
    if (!is_of(name, "alloc::vec::Vec<") && !is_of(name, "alloc::raw_vec::RawVec<")) return false;
    for (size_t i = 0; i < HSD_ARRAY_LEN(ends_in); i++)
        if (ends(name, ends_in[i])) return true;
    return false;
}

static const struct {
    const char *path, *name;
} around_vectors[] = {{"alloc::collections::vec_deque::", "VecDeque<"},
                      {"alloc::collections::binary_heap::", "BinaryHeap<"}};

/* The same of a queue, which asks its vector for room. */
static hsd_status fill_queue(hsd_generic *generic, const char *name, hsd_bytes element, hsd_error *err)
{
    static const char *const ends_in[] = {"::push",           "::push_back", "::push_back_mut", "::push_front",
                                          "::push_front_mut", "::grow",      "::reserve"};
    for (size_t i = 0; element.size > 0 && i < HSD_ARRAY_LEN(around_vectors); i++) {
        if (!is_of(name, around_vectors[i].path) || !buffer_begins(&generic->type, around_vectors[i].name)) continue;
        for (size_t n = 0; n < HSD_ARRAY_LEN(ends_in); n++)
            if (ends(name, ends_in[n]))
                return set_rust(generic, HSD_GENERIC_WHOLE, around_vectors[i].name, element, ">", err);
    }
    return HSD_OK;
}

static hsd_status add_to_vector(hsd_generic *generic, const char *name, hsd_bytes element, hsd_error *err)
{
    if (element.size > 0 && is_filling(name)) return set_rust(generic, HSD_GENERIC_RAW, "", element, "", err);
    if (is_about_text(name) && is_text(&generic->type, "u8")) {
        hsd_buffer_clear(&generic->type);
        generic->kind = HSD_GENERIC_WHOLE;
        return append_word(&generic->type, "String", err);
    }
    for (size_t i = 0; i < HSD_ARRAY_LEN(around_vectors); i++) {
        if (!is_of(name, around_vectors[i].path)) continue;
        hsd_buffer inner = generic->type;
        generic->type = (hsd_buffer){0};
        hsd_status status = append_word(&generic->type, around_vectors[i].name, err);
        if (status == HSD_OK) status = hsd_buffer_append(&generic->type, inner.data, inner.size, err);
        if (status == HSD_OK) status = append_word(&generic->type, ">", err);
        hsd_buffer_release(&inner);
        generic->kind = HSD_GENERIC_WHOLE;
        return status == HSD_OK ? fill_queue(generic, name, element, err) : status;
    }
    if (is_around_vectors(name)) return HSD_OK;
    generic->kind = HSD_GENERIC_VEC; /* nothing further out is its business */
    return HSD_OK;
}

/* What channels and queues are lists of, "tokio::sync::mpsc::block::Block<T>::new": it asks for one of itself. NULL =
 * none of these. */
static const char *piece_of(const char *name)
{
    static const char *const pieces[] = {"Block<", "Segment<", "Node<", "Slot<"};
    if (!ends(name, "::new")) return NULL;
    for (size_t i = 0; i < HSD_ARRAY_LEN(pieces); i++) {
        const char *at = strstr(name, pieces[i]);
        const char *end = at != NULL && at > name && at[-1] == ':' ? end_of_argument(at + strlen(pieces[i])) : NULL;
        if (end != NULL && strcmp(end, ">::new") == 0) return pieces[i];
    }
    return NULL;
}

static hsd_status start_rust(hsd_generic *generic, const char *name, hsd_bytes type, hsd_error *err)
{
    hsd_buffer text = {0};
    hsd_status status = hsd_buffer_append(&text, type.data, type.size, err);
    if (status == HSD_OK) status = hsd_buffer_append(&text, "", 1, err);
    const char *whole_type = (const char *)text.data, *piece = piece_of(name);
    if (status != HSD_OK) return status;
    if (is_of(name, "alloc::boxed::"))
        status = take_box(generic, whole_type, err);
    else if (is_of(name, "alloc::sync::"))
        status = set_rust(generic, HSD_GENERIC_WHOLE, "Arc<", type, ">", err);
    else if (is_of(name, "alloc::rc::"))
        status = set_rust(generic, HSD_GENERIC_WHOLE, "Rc<", type, ">", err);
    else if (piece != NULL)
        status = set_rust(generic, HSD_GENERIC_WHOLE, piece, type, ">", err);
    else if (is_of(name, "hashbrown::raw::RawTable<") || is_of(name, "hashbrown::raw::inner::RawTable<"))
        status = take_table(generic, whole_type, err);
    else if (is_of(name, "alloc::raw_vec::RawVec<") || is_of(name, "alloc::vec::") || is_of(name, "alloc::slice::"))
        status = set_rust(generic, HSD_GENERIC_RAW, "", type, "", err);
    hsd_buffer_release(&text);
    return status;
}

/* "<alloc::vec::Vec<u8>>::with_capacity": newer names have what T is; older ones have the letter. */
static hsd_bytes argument_in_name(const char *name)
{
    static const char *const holders[] = {"alloc::boxed::Box<",
                                          "alloc::sync::Arc<",
                                          "alloc::rc::Rc<",
                                          "hashbrown::raw::RawTable<",
                                          "alloc::raw_vec::RawVec<",
                                          "alloc::vec::Vec<",
                                          "tokio::sync::mpsc::block::Block<"};
    while (*name == '<' || *name == '&')
        name++;
    for (size_t i = 0; i < HSD_ARRAY_LEN(holders); i++) {
        if (!begins(name, holders[i])) continue;
        const hsd_bytes type = argument_of(name + strlen(holders[i]) - 1, 0);
        return type.size == 1 && type.data[0] >= 'A' && type.data[0] <= 'Z' ? (hsd_bytes){NULL, 0} : type;
    }
    return (hsd_bytes){NULL, 0};
}

static hsd_status add_rust(hsd_generic *generic, const hsd_generic_function *function, hsd_error *err)
{
    const char *name = function->name;
    const hsd_bytes type = function->parameter != NULL ? whole(function->parameter) : argument_in_name(name);
    if (generic->kind == HSD_GENERIC_BOX && is_of(name, "alloc::collections::linked_list::") &&
        buffer_begins(&generic->type, "Box<Node<")) {
        const hsd_buffer inner = generic->type;
        generic->type = (hsd_buffer){0};
        const hsd_bytes element = {inner.data + 9, inner.size - 11};
        const hsd_status status = set_rust(generic, HSD_GENERIC_WHOLE, "LinkedList<", element, ">", err);
        hsd_buffer released = inner;
        hsd_buffer_release(&released);
        return status;
    }
    if (generic->kind == HSD_GENERIC_RAW) return add_to_vector(generic, name, type, err);
    if (generic->kind == HSD_GENERIC_WHOLE) return fill_queue(generic, name, type, err);
    return generic->kind == HSD_GENERIC_NOTHING && type.size > 0 ? start_rust(generic, name, type, err) : HSD_OK;
}

/* ---- Zig ---- */

hsd_status hsd_generic_spell_zig(hsd_buffer *out, const char *type, size_t size, hsd_error *err)
{
    const size_t base = out->size;
    for (size_t i = 0; i < size; i++) {
        if (type[i] == '.') {
            while (out->size > base && is_word_byte((char)out->data[out->size - 1]))
                out->size--;
            continue;
        }
        HSD_TRY(hsd_buffer_append(out, &type[i], 1, err));
    }
    return HSD_OK;
}

static hsd_status spell_zig(hsd_buffer *out, hsd_bytes type, hsd_error *err)
{
    return hsd_generic_spell_zig(out, (const char *)type.data, type.size, err);
}

static hsd_status take_zig(hsd_generic *generic, const char *before, hsd_bytes first, hsd_bytes second, hsd_error *err)
{
    hsd_buffer_clear(&generic->type);
    generic->kind = HSD_GENERIC_WHOLE;
    HSD_TRY(append_word(&generic->type, before, err));
    HSD_TRY(spell_zig(&generic->type, first, err));
    if (second.size > 0) {
        HSD_TRY(append_word(&generic->type, ", ", err));
        HSD_TRY(spell_zig(&generic->type, second, err));
    }
    return append_word(&generic->type, ")", err);
}

static bool is_zig_allocator(const char *name) { return begins(name, "mem.Allocator."); }

/* "error{OutOfMemory}!*shop.Node": behind the mark; a pointer to one, or a slice. */
static hsd_status take_result(hsd_generic *generic, const char *result, hsd_error *err)
{
    const char *mark = strrchr(result, '!');
    const char *type = mark != NULL ? mark + 1 : result;
    const bool is_slice = type[0] == '[';
    if (type[0] != '*' && !is_slice) return HSD_OK;
    hsd_buffer_clear(&generic->type);
    HSD_TRY(spell_zig(&generic->type, whole(is_slice ? type : type + 1), err));
    const char *element = is_slice ? strchr(type, ']') : NULL;
    const hsd_buffer inner = {.data = (uint8_t *)(element != NULL ? element + 1 : type),
                              .size = element != NULL ? strlen(element + 1) : 0};
    generic->says_little = is_plain(&inner);
    generic->kind = generic->says_little ? HSD_GENERIC_SLICE : is_slice ? HSD_GENERIC_SLICE : HSD_GENERIC_WHOLE;
    return HSD_OK;
}

static hsd_status add_zig(hsd_generic *generic, const hsd_generic_function *function, hsd_error *err)
{
    static const struct {
        const char *name, *shown;
        unsigned arguments;
    } containers[] = {
        {"array_list.Aligned(", "ArrayList(", 1},
        {"array_list.AlignedManaged(", "ArrayList(", 1},
        {"array_list.ArrayListAligned", "ArrayList(", 1},
        {"hash_map.Custom(", "HashMap(", 2},
        {"hash_map.HashMap", "HashMap(", 2},
        {"array_hash_map.Custom(", "ArrayHashMap(", 2},
        {"array_hash_map.ArrayHashMap", "ArrayHashMap(", 2},
        {"multi_array_list.MultiArrayList(", "MultiArrayList(", 1},
        {"deque.Deque(", "Deque(", 1},
    };
    const char *name = function->name;
    if (generic->kind != HSD_GENERIC_NOTHING && generic->kind != HSD_GENERIC_SLICE) return HSD_OK;
    for (size_t i = 0; i < HSD_ARRAY_LEN(containers); i++) {
        const char *open = begins(name, containers[i].name) ? strchr(name, '(') : NULL;
        if (open == NULL) continue;
        generic->says_little = false;
        return take_zig(generic, containers[i].shown, argument_of(open, 0),
                        containers[i].arguments > 1 ? argument_of(open, 1) : (hsd_bytes){NULL, 0}, err);
    }
    if (is_zig_allocator(name) && function->result != NULL && strstr(function->result, "u8") == NULL)
        return take_result(generic, function->result, err);
    if (is_zig_allocator(name) && function->result != NULL &&
        (begins(name, "mem.Allocator.alloc__") || begins(name, "mem.Allocator.dupe")))
        return take_result(generic, function->result, err);
    return HSD_OK;
}

/* ---- the whole ---- */

bool hsd_generic_is_library(const char *name)
{
    /* of Zig, inlined */
    static const char *const bare[] = {"rawAlloc", "createAdvancedWithRetAddr", "allocAdvancedWithRetAddr",
                                       "allocWithSizeAndAlignment"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(bare); i++)
        if (strcmp(name, bare[i]) == 0) return true;
    return hsd_function_allocates(name) && (strstr(name, "::") != NULL || strchr(name, '.') != NULL);
}

/* Not of std::vector<std::_X>, which is a vector. */
static bool has_reserved_name(const char *type, size_t size)
{
    static const char mark[] = "::_";
    unsigned depth = 0;
    for (size_t at = 0; at + sizeof mark - 1 < size; at++) {
        if (type[at] == '<') depth++;
        if (type[at] == '>' && depth > 0) depth--;
        if (depth == 0 && memcmp(type + at, mark, sizeof mark - 1) == 0) return true;
    }
    return false;
}

bool hsd_generic_is_part(const char *type, size_t size)
{
    static const char *const libraries[] = {"std::", "__gnu_cxx::"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(libraries); i++) {
        const size_t begins = strlen(libraries[i]);
        if (size > begins && memcmp(type, libraries[i], begins) == 0) return has_reserved_name(type, size);
    }
    return false;
}

hsd_status hsd_generic_add(hsd_generic *generic, const hsd_generic_function *function, hsd_error *err)
{
    if (strnlen(function->name, MOST_NAME) == MOST_NAME) return HSD_OK;
    HSD_TRY(add_cpp(generic, function->name, err));
    HSD_TRY(add_rust(generic, function, err));
    return add_zig(generic, function, err);
}

hsd_status hsd_generic_append(const hsd_generic *generic, hsd_buffer *out, hsd_error *err)
{
    const bool is_vector = generic->kind == HSD_GENERIC_RAW || generic->kind == HSD_GENERIC_VEC;
    const bool is_one = buffer_begins(&generic->type, "node of ") || buffer_begins(&generic->type, "std::make_shared<");
    if (generic->kind == HSD_GENERIC_NOTHING || generic->type.size == 0) return HSD_OK;
    if (is_vector) HSD_TRY(append_word(out, "Vec<", err));
    HSD_TRY(hsd_buffer_append(out, generic->type.data, generic->type.size, err));
    if (is_vector) return append_word(out, ">", err);
    return generic->kind == HSD_GENERIC_ELEMENTS && !is_one ? append_word(out, "[]", err) : HSD_OK;
}

void hsd_generic_release(hsd_generic *generic)
{
    hsd_buffer_release(&generic->type);
    *generic = (hsd_generic){.says_little = false};
}

/* Containers by what they are called, structures by DWARF. See members.h. */
#include "symbols/members.h"

#include <string.h>

#include "base/check.h"
#include "symbols/named_types.h"

/* libstdc++ keeps two counts and a table of functions in front of what is shared, Rust two counts. */
enum { SHARED_BYTES = 16 };

static bool take_prefix(hsd_text *text, const char *prefix)
{
    const size_t size = strlen(prefix);
    if (text->size < size || memcmp(text->data, prefix, size) != 0) return false;
    *text = (hsd_text){text->data + size, text->size - size};
    return true;
}

static bool text_begins(hsd_text text, const char *prefix) { return take_prefix(&text, prefix); }

static bool text_ends(hsd_text text, const char *suffix)
{
    const size_t size = strlen(suffix);
    return text.size >= size && memcmp(text.data + text.size - size, suffix, size) == 0;
}

/* ---- containers ---- */

/* Words at the beginning of a node that lead to other nodes. A list is held by its first node, a tree by its top. */
static const struct node {
    const char *container, *type;
    uint64_t first, bytes;
    const char *ways[3];
    const char *back;
} nodes[] = {
    {"list<", "_List_node", 0, 16, {"next", "previous"}, "previous"},
    {"forward_list<", "_Fwd_list_node", 0, 8, {"next"}, NULL},
    {"unordered_", "_Hash_node", 0, 8, {"next"}, NULL},
    {"map<", "_Rb_tree_node", 8, 32, {"parent", "left", "right"}, "parent"},
    {"multimap<", "_Rb_tree_node", 8, 32, {"parent", "left", "right"}, "parent"},
    {"set<", "_Rb_tree_node", 8, 32, {"parent", "left", "right"}, "parent"},
    {"multiset<", "_Rb_tree_node", 8, 32, {"parent", "left", "right"}, "parent"},
};

/* The same of LLVM's library. */
static const struct node nodes_of_llvm[] = {
    {"list<", "__list_node", 0, 16, {"previous", "next"}, "previous"},
    {"forward_list<", "__forward_list_node", 0, 8, {"next"}, NULL},
    {"unordered_", "__hash_node", 0, 8, {"next"}, NULL},
    {"map<", "__tree_node", 0, 24, {"left", "right", "parent"}, "parent"},
    {"multimap<", "__tree_node", 0, 24, {"left", "right", "parent"}, "parent"},
    {"set<", "__tree_node", 0, 24, {"left", "right", "parent"}, "parent"},
    {"multiset<", "__tree_node", 0, 24, {"left", "right", "parent"}, "parent"},
};

static const struct node *node_of(hsd_text container, bool is_of_llvm)
{
    const struct node *all = is_of_llvm ? nodes_of_llvm : nodes;
    for (size_t i = 0; i < HSD_ARRAY_LEN(nodes); i++)
        if (text_begins(container, all[i].container)) return &all[i];
    return NULL;
}

_Static_assert(HSD_ARRAY_LEN(nodes) == HSD_ARRAY_LEN(nodes_of_llvm), "both libraries have the same containers");

static hsd_member_kind find_in_node(hsd_text container, const hsd_member_place *place, const char **name)
{
    const struct node *n = node_of(container, place->is_of_llvm);
    const uint64_t offset = place->offset;
    if (n == NULL) return HSD_MEMBER_UNKNOWN;
    if (offset >= n->bytes) return HSD_MEMBER_ITEM;
    if (offset < n->first || (offset - n->first) % 8 != 0) return HSD_MEMBER_UNKNOWN;
    *name = n->ways[(offset - n->first) / 8];
    return n->back != NULL && strcmp(*name, n->back) == 0 ? HSD_MEMBER_BACK : HSD_MEMBER_INSIDE;
}

/* Whether the type is an array, or the store of a vector of Rust or Zig. */
static bool is_of_items(hsd_text type)
{
    static const char *const stores[] = {"Vec<",     "VecDeque<", "BinaryHeap<", "HashMap<",
                                         "HashSet<", "[]",        "ArrayList(",  "Box<["};
    for (size_t i = 0; i < HSD_ARRAY_LEN(stores); i++)
        if (text_begins(type, stores[i])) return true;
    return text_ends(type, "[]");
}

/* A string of GCC's library, whose first word leads to its characters. */
static bool is_string(hsd_text type)
{
    static const char *const strings[] = {"std::string", "std::wstring", "std::u8string", "std::u16string",
                                          "std::u32string"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(strings); i++)
        if (type.size == strlen(strings[i]) && text_begins(type, strings[i])) return true;
    return false;
}

/* A container of C++ in a block of its own, std::make_unique<std::map<…>>: all its words lead inside it. */
static bool is_container(hsd_text type)
{
    static const char *const containers[] = {
        "map",           "multimap",           "set",           "multiset",           "vector", "deque", "list",
        "unordered_map", "unordered_multimap", "unordered_set", "unordered_multiset", "queue",  "stack", "forward_list",
        "priority_queue"};
    if (!take_prefix(&type, "std::") || !text_ends(type, ">")) return false;
    for (size_t i = 0; i < HSD_ARRAY_LEN(containers); i++) {
        hsd_text behind = type;
        if (take_prefix(&behind, containers[i]) && text_begins(behind, "<")) return true;
    }
    return false;
}

/* What a pointer to it shares or owns, and how far into the block that is; false: the type is none of these. */
static bool find_inner(hsd_text *type, uint64_t *skipped)
{
    static const struct {
        const char *outer;
        uint64_t skipped;
    } outers[] = {{"std::make_shared<", SHARED_BYTES}, {"Arc<", SHARED_BYTES}, {"Rc<", SHARED_BYTES}, {"Box<", 0}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(outers); i++) {
        hsd_text inner = *type;
        if (!take_prefix(&inner, outers[i].outer) || !text_ends(inner, ">")) continue;
        *type = (hsd_text){inner.data, inner.size - 1};
        *skipped = outers[i].skipped;
        return true;
    }
    return false;
}

/* ---- structures ---- */

#ifdef HSD_HAVE_DW
/* Words of a library's own structures, a channel's blocks, lead on inside it. */
static hsd_status find_in_structure(const hsd_module *module, hsd_text type, uint64_t offset, hsd_member_kind *kind,
                                    hsd_buffer *name, hsd_error *err)
{
    Dwarf_Die die;
    bool is_found, is_beside, is_of_library;
    const size_t before = name->size;
    if (text_begins(type, "task of ")) /* of tokio: what it runs, and what tokio keeps of it */
        HSD_TRY(hsd_named_type_find_as(module->lines, (hsd_text){"Cell", 4}, type, &die, &is_found, err));
    else
        HSD_TRY(hsd_named_type_find(module->lines, type, &die, &is_found, err));
    if (!is_found) return HSD_OK;
    HSD_TRY(hsd_type_append_member(name, &die, offset, &is_beside, err));
    if (name->size > before) {
        *kind = is_beside ? HSD_MEMBER_BESIDE : HSD_MEMBER_NAMED;
        return HSD_OK;
    }
    const char *member = hsd_type_member_at(&die, offset);
    HSD_TRY(hsd_type_is_of_library(&die, &is_of_library, err));
    if (!is_of_library || member == NULL || member[0] == '\0') return HSD_OK;
    *kind = HSD_MEMBER_INSIDE;
    return hsd_buffer_append(name, member, strlen(member), err);
}

/* "BTreeMap<u64, Order>" is a node of it: eleven keys, eleven values, and behind them, where it is no leaf, ways down.
 */
static hsd_status find_in_btree(const hsd_module *module, hsd_text arguments, bool is_set, uint64_t offset,
                                hsd_member_kind *kind, hsd_buffer *name, hsd_error *err)
{
    static const char node[] = "LeafNode<";
    const hsd_text bare = {node, sizeof node - 2};
    hsd_buffer wanted = {0};
    Dwarf_Die die;
    Dwarf_Word bytes;
    bool is_found = false;
    hsd_status status = hsd_buffer_append(&wanted, node, sizeof node - 1, err);
    if (status == HSD_OK) status = hsd_buffer_append(&wanted, arguments.data, arguments.size - is_set, err);
    if (status == HSD_OK && is_set) status = hsd_buffer_append(&wanted, ", SetValZST>", 12, err);
    const hsd_text leaf = {(const char *)wanted.data, wanted.size};
    if (status == HSD_OK) status = hsd_named_type_find_as(module->lines, bare, leaf, &die, &is_found, err);
    hsd_buffer_release(&wanted);
    if (status != HSD_OK || !is_found || dwarf_aggregate_size(&die, &bytes) != 0) return status;
    const char *way = offset >= bytes ? "edges" : hsd_type_member_at(&die, offset);
    if (way == NULL) return HSD_OK;
    const bool is_way = strcmp(way, "edges") == 0 || strcmp(way, "parent") == 0;
    *kind = !is_way ? HSD_MEMBER_ITEM : strcmp(way, "parent") == 0 ? HSD_MEMBER_BACK : HSD_MEMBER_INSIDE;
    return is_way ? hsd_buffer_append(name, way, strlen(way), err) : HSD_OK;
}

/* "[*].street" of what a node holds, without what the library calls it; nothing where it is the item itself. LLVM's
 * nodes have it as a member, those of libstdc++ have bytes there. */
static hsd_status find_in_item(const hsd_module *module, const struct node *node, const hsd_member_place *place,
                               hsd_buffer *name, hsd_error *err)
{
    Dwarf_Die die, item;
    bool is_found, is_beside;
    const hsd_text type = place->type;
    const uint64_t begin = place->is_of_llvm ? 0 : node->bytes;
    const hsd_text bare = {node->type, strlen(node->type)};
    const size_t base = name->size;
    HSD_TRY(hsd_named_type_find_as(module->lines, bare, type, &die, &is_found, err));
    item = die;
    if (!is_found || (!place->is_of_llvm && !hsd_type_argument(&die, &item))) return HSD_OK;
    HSD_TRY(hsd_buffer_append(name, "[*]", 3, err));
    HSD_TRY(hsd_type_append_way(name, &item, place->offset - begin, &is_beside, err));
    const hsd_text way = {(const char *)name->data + base + 3, name->size - base - 3};
    const size_t pair = text_begins(way, ".first") ? 6 : text_begins(way, ".second") ? 7 : 0;
    if (pair > 0 && pair < way.size && way.data[pair] != '.' && way.data[pair] != '[') return HSD_OK;
    memmove(name->data + base + 3, way.data + pair, way.size - pair);
    name->size = way.size == pair ? base : name->size - pair;
    return HSD_OK;
}
#else
static hsd_status find_in_item(const hsd_module *module, const struct node *node, const hsd_member_place *place,
                               hsd_buffer *name, hsd_error *err)
{
    (void)module, (void)node, (void)place, (void)name, (void)err;
    return HSD_OK;
}

static hsd_status find_in_structure(const hsd_module *module, hsd_text type, uint64_t offset, hsd_member_kind *kind,
                                    hsd_buffer *name, hsd_error *err)
{
    (void)module, (void)type, (void)offset, (void)kind, (void)name, (void)err;
    return HSD_OK;
}

static hsd_status find_in_btree(const hsd_module *module, hsd_text arguments, bool is_set, uint64_t offset,
                                hsd_member_kind *kind, hsd_buffer *name, hsd_error *err)
{
    (void)module, (void)arguments, (void)is_set, (void)offset, (void)kind, (void)name, (void)err;
    return HSD_OK;
}
#endif

/* The module knows it: whatever kind it has got. */
static hsd_status find_in_module(const hsd_module *module, hsd_text type, uint64_t offset, hsd_member_kind *kind,
                                 hsd_buffer *name, hsd_error *err)
{
    hsd_text map = type, set = type;
    if (take_prefix(&map, "BTreeMap<")) return find_in_btree(module, map, false, offset, kind, name, err);
    if (take_prefix(&set, "BTreeSet<")) return find_in_btree(module, set, true, offset, kind, name, err);
    return find_in_structure(module, type, offset, kind, name, err);
}

static hsd_status find_in_modules(const hsd_module *const *modules, size_t count, hsd_text type, uint64_t offset,
                                  hsd_member_kind *kind, hsd_buffer *name, hsd_error *err)
{
    *kind = HSD_MEMBER_UNKNOWN;
    for (size_t i = 0; i < count && *kind == HSD_MEMBER_UNKNOWN; i++) {
        bool is_seen = modules[i] == NULL || modules[i]->lines == NULL;
        for (size_t n = 0; n < i && !is_seen; n++)
            is_seen = modules[n] == modules[i];
        if (!is_seen) HSD_TRY(find_in_module(modules[i], type, offset, kind, name, err));
    }
    return HSD_OK;
}

/* In front of what is shared stand two counts, and behind them what its alignment wants: the library's own structure
 * knows. Nothing where none is called so. */
static hsd_status find_in_counted(const hsd_module *const *modules, size_t count, const hsd_member_place *place,
                                  hsd_member_kind *kind, hsd_buffer *name, hsd_error *err)
{
    static const struct {
        const char *outer, *inner;
    } counted[] = {{"Arc<", "ArcInner<"}, {"Rc<", "RcInner<"}, {"Rc<", "RcBox<"}};
    hsd_status status = HSD_OK;
    for (size_t i = 0; i < HSD_ARRAY_LEN(counted) && status == HSD_OK && *kind == HSD_MEMBER_UNKNOWN; i++) {
        hsd_text of = place->type;
        hsd_buffer text = {0};
        if (!take_prefix(&of, counted[i].outer)) continue;
        status = hsd_buffer_append(&text, counted[i].inner, strlen(counted[i].inner), err);
        if (status == HSD_OK) status = hsd_buffer_append(&text, of.data, of.size, err);
        const hsd_text inner = {(const char *)text.data, text.size};
        if (status == HSD_OK) status = find_in_modules(modules, count, inner, place->offset, kind, name, err);
        hsd_buffer_release(&text);
    }
    return status;
}

/* An item of a node that is a member of what the node holds has a name that says both. */
static hsd_status name_item(const hsd_module *const *modules, size_t count, const hsd_member_place *place,
                            hsd_text container, hsd_member_kind *kind, hsd_buffer *name, hsd_error *err)
{
    const struct node *node = node_of(container, place->is_of_llvm);
    const size_t before = name->size;
    for (size_t i = 0; node != NULL && i < count && name->size == before; i++)
        if (modules[i] != NULL && modules[i]->lines != NULL) HSD_TRY(find_in_item(modules[i], node, place, name, err));
    if (name->size > before) *kind = HSD_MEMBER_NAMED;
    return HSD_OK;
}

hsd_status hsd_member_find(const hsd_module *const *modules, size_t count, const hsd_member_place *place,
                           hsd_member_kind *kind, hsd_buffer *name, hsd_error *err)
{
    hsd_text type = place->type;
    const char *way = "table";
    uint64_t skipped = 0;
    hsd_text container = type;
    *kind = HSD_MEMBER_UNKNOWN;
    if (take_prefix(&container, "node of std::"))
        *kind = find_in_node(container, place, &way);
    else if (take_prefix(&container, "buckets of std::"))
        *kind = HSD_MEMBER_INSIDE;
    else if (is_of_items(type))
        *kind = HSD_MEMBER_ITEM;
    if (*kind == HSD_MEMBER_INSIDE || *kind == HSD_MEMBER_BACK) return hsd_buffer_append(name, way, strlen(way), err);
    if (*kind == HSD_MEMBER_ITEM && text_begins(type, "node of std::"))
        return name_item(modules, count, place, container, kind, name, err);
    if (*kind == HSD_MEMBER_ITEM || text_begins(type, "node of std::")) return HSD_OK;
    if (find_inner(&type, &skipped) && place->offset < skipped) return HSD_OK;
    if (is_string(type) && place->offset == skipped && !place->is_of_llvm) {
        *kind = HSD_MEMBER_INSIDE;
        return hsd_buffer_append(name, "characters", 10, err);
    }
    if (is_container(type)) {
        *kind = HSD_MEMBER_INSIDE;
        return hsd_buffer_append(name, way, strlen(way), err);
    }
    HSD_TRY(find_in_counted(modules, count, place, kind, name, err));
    if (*kind != HSD_MEMBER_UNKNOWN) return HSD_OK;
    return find_in_modules(modules, count, type, place->offset - skipped, kind, name, err);
}

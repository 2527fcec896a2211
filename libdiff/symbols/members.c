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
    const char *container;
    uint64_t first, bytes;
    const char *ways[3];
    const char *back;
} nodes[] = {
    {"list<", 0, 16, {"next", "previous"}, "previous"},
    {"forward_list<", 0, 8, {"next"}, NULL},
    {"unordered_", 0, 8, {"next"}, NULL},
    {"map<", 8, 32, {"parent", "left", "right"}, "parent"},
    {"multimap<", 8, 32, {"parent", "left", "right"}, "parent"},
    {"set<", 8, 32, {"parent", "left", "right"}, "parent"},
    {"multiset<", 8, 32, {"parent", "left", "right"}, "parent"},
};

static hsd_member_kind find_in_node(hsd_text container, uint64_t offset, const char **name)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(nodes); i++) {
        const struct node *n = &nodes[i];
        if (!text_begins(container, n->container)) continue;
        if (offset >= n->bytes) return HSD_MEMBER_ITEM;
        if (offset < n->first || (offset - n->first) % 8 != 0) return HSD_MEMBER_UNKNOWN;
        *name = n->ways[(offset - n->first) / 8];
        return n->back != NULL && strcmp(*name, n->back) == 0 ? HSD_MEMBER_BACK : HSD_MEMBER_INSIDE;
    }
    return HSD_MEMBER_UNKNOWN;
}

/* Whether the type is an array, or the store of a vector of Rust or Zig. */
static bool is_of_items(hsd_text type)
{
    static const char *const stores[] = {"Vec<",     "VecDeque<", "BinaryHeap<", "HashMap<",
                                         "HashSet<", "[]",        "ArrayList("};
    for (size_t i = 0; i < HSD_ARRAY_LEN(stores); i++)
        if (text_begins(type, stores[i])) return true;
    return text_ends(type, "[]");
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
static hsd_status find_in_structure(const hsd_module *module, hsd_text type, uint64_t offset, bool *is_beside,
                                    hsd_buffer *name, hsd_error *err)
{
    Dwarf_Die die;
    bool is_found;
    HSD_TRY(hsd_named_type_find(module->lines, type, &die, &is_found, err));
    return is_found ? hsd_type_append_member(name, &die, offset, is_beside, err) : HSD_OK;
}
#else
static hsd_status find_in_structure(const hsd_module *module, hsd_text type, uint64_t offset, bool *is_beside,
                                    hsd_buffer *name, hsd_error *err)
{
    (void)module, (void)type, (void)offset, (void)is_beside, (void)name, (void)err;
    return HSD_OK;
}
#endif

static hsd_status find_in_modules(const hsd_module *const *modules, size_t count, hsd_text type, uint64_t offset,
                                  hsd_member_kind *kind, hsd_buffer *name, hsd_error *err)
{
    const size_t before = name->size;
    bool is_beside = false;
    for (size_t i = 0; i < count && name->size == before; i++) {
        bool is_seen = modules[i] == NULL || modules[i]->lines == NULL;
        for (size_t n = 0; n < i && !is_seen; n++)
            is_seen = modules[n] == modules[i];
        if (!is_seen) HSD_TRY(find_in_structure(modules[i], type, offset, &is_beside, name, err));
    }
    *kind = name->size == before ? HSD_MEMBER_UNKNOWN : is_beside ? HSD_MEMBER_BESIDE : HSD_MEMBER_NAMED;
    return HSD_OK;
}

hsd_status hsd_member_find(const hsd_module *const *modules, size_t count, hsd_text type, uint64_t offset,
                           hsd_member_kind *kind, hsd_buffer *name, hsd_error *err)
{
    const char *way = "table";
    uint64_t skipped = 0;
    hsd_text container = type;
    *kind = HSD_MEMBER_UNKNOWN;
    if (take_prefix(&container, "node of std::"))
        *kind = find_in_node(container, offset, &way);
    else if (take_prefix(&container, "buckets of std::"))
        *kind = HSD_MEMBER_INSIDE;
    else if (is_of_items(type))
        *kind = HSD_MEMBER_ITEM;
    if (*kind == HSD_MEMBER_INSIDE || *kind == HSD_MEMBER_BACK) return hsd_buffer_append(name, way, strlen(way), err);
    if (*kind == HSD_MEMBER_ITEM || text_begins(type, "node of std::")) return HSD_OK;
    if (find_inner(&type, &skipped) && offset < skipped) return HSD_OK;
    return find_in_modules(modules, count, type, offset - skipped, kind, name, err);
}

/*
 * Types laid flat. A stack of what is open (structures with their next member, arrays with their next element) in place
 * of recursion; its depth, the words and the steps have a most, for a type may be made to hold itself. See plans.h.
 */
#include "go/types/plans.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

enum { MOST_DEPTH = 24, MOST_WORDS = 4096, MOST_STEPS = 65536, PATH_BYTES = 256, NAME_BYTES = 1024 };

typedef struct opened {
    uint32_t type, path_bytes;
    uint64_t offset, next;
} opened;

typedef struct laying {
    goplans *plans;
    uint32_t top; /* the type whose plan it is */
    opened stack[MOST_DEPTH];
    unsigned depth, steps;
    goword words[MOST_WORDS];
    uint32_t count;
    char path[PATH_BYTES];
} laying;

bool hsd_gotype_begins(const hsd_go_types *types, uint32_t type, const char *prefix)
{
    const hsd_bytes name = hsd_names_get(&types->names, hsd_go_types_get(types, type)->name);
    const size_t size = strlen(prefix);
    return name.size >= size && memcmp(name.data, prefix, size) == 0;
}

/* ---- words ---- */

static uint8_t part_of(const laying *l, uint8_t what)
{
    const hsd_go_types *types = l->plans->types;
    const bool is_bucket = hsd_gotype_begins(types, l->top, "bucket<");
    const bool is_group =
        hsd_gotype_begins(types, l->top, "noalg.map.group[") || hsd_gotype_begins(types, l->top, "group<");
    if ((is_bucket && strncmp(l->path, "keys", 4) == 0) || (is_group && strncmp(l->path, "slots.key", 9) == 0))
        return GO_KEY;
    if ((is_bucket && strncmp(l->path, "values", 6) == 0) || (is_group && strncmp(l->path, "slots.elem", 10) == 0))
        return GO_VALUE;
    const bool is_leaf = hsd_gotype_begins(types, l->top, "internal/sync.entry[");
    if (is_leaf && strcmp(l->path, "key") == 0) return GO_KEY;
    if (is_leaf && strcmp(l->path, "value") == 0) return GO_VALUE;
    if (is_leaf || hsd_gotype_begins(types, l->top, "internal/sync.indirect[")) return GO_INSIDE;
    if (is_bucket || is_group || what == GO_DIRECTORY) return GO_INSIDE;
    const bool is_map = hsd_gotype_begins(types, l->top, "hash<") || hsd_gotype_begins(types, l->top, "map<") ||
                        hsd_gotype_begins(types, l->top, "table<") ||
                        hsd_gotype_begins(types, l->top, "internal/runtime/maps.table");
    return is_map || hsd_gotype_begins(types, l->top, "hchan<") ? GO_INSIDE : GO_FIELD;
}

static hsd_status add_word(laying *l, uint64_t offset, gowhat what, uint64_t target, uint64_t other, hsd_error *err)
{
    goword word = {.offset = offset,
                   .what = (uint8_t)what,
                   .target = (uint32_t)target,
                   .other = (uint32_t)other,
                   .part = part_of(l, (uint8_t)what)};
    if (l->count == MOST_WORDS) return HSD_OK;
    HSD_TRY(hsd_names_put(&l->plans->paths, (hsd_bytes){(const uint8_t *)l->path, strlen(l->path)}, &word.name, err));
    l->words[l->count++] = word;
    return HSD_OK;
}

static uint32_t target_of(const hsd_go_types *types, uint32_t type)
{
    return hsd_go_types_resolve(types, (uint32_t)hsd_go_types_get(types, type)->target);
}

/* What the pointer at this path of a structure leads to; 0 = nothing. */
static uint32_t target_at(const hsd_go_types *types, uint32_t type, const char *path)
{
    uint64_t offset;
    uint32_t member;
    if (!hsd_go_types_member(types, type, path, &offset, &member) ||
        hsd_go_types_get(types, member)->kind != HSD_GO_IS_POINTER)
        return 0;
    return target_of(types, member);
}

/* ---- structures with a meaning ---- */

/* T of atomic.Pointer[T], whose pointer is declared as one to anything: it has an array of no *T beside it, or its name
 * says it. */
static uint32_t target_of_atomic(const hsd_go_types *types, uint32_t owner)
{
    char name[PATH_BYTES];
    uint64_t offset;
    uint32_t type;
    if (hsd_go_types_member(types, owner, "_", &offset, &type) &&
        hsd_go_types_get(types, type)->kind == HSD_GO_IS_ARRAY)
        return target_of(types, target_of(types, type));
    const char *inside = strchr(hsd_go_types_text(types, hsd_go_types_get(types, owner)->name), '[');
    const size_t size = inside == NULL ? 0 : strlen(inside);
    if (size < 3 || size > sizeof name) return 0;
    snprintf(name, sizeof name, "%.*s", (int)size - 2, inside + 1);
    return hsd_go_types_named(types, name);
}

/* Inner nodes and leaves are told by their first byte, whose type both begin with: the other two have its parameters.
 */
static hsd_status add_node(laying *l, uint64_t offset, uint32_t node, hsd_error *err)
{
    static const char *const kinds[] = {"indirect", "entry"};
    uint32_t found[HSD_ARRAY_LEN(kinds)];
    char name[NAME_BYTES];
    const hsd_go_types *types = l->plans->types;
    const char *parameters = strchr(hsd_go_types_text(types, hsd_go_types_get(types, node)->name), '[');
    for (size_t i = 0; i < HSD_ARRAY_LEN(kinds); i++) {
        snprintf(name, sizeof name, "internal/sync.%s%s", kinds[i], parameters);
        found[i] = hsd_go_types_named(types, name);
    }
    return add_word(l, offset, GO_NODE, found[0], found[1], err);
}

/* The root of such a tree that is a part of something is called by the field that the tree is: users know no root. */
static void name_root(laying *l)
{
    static const char *const ends[] = {".m.root.v", ".root.v"};
    const size_t size = strlen(l->path);
    for (size_t i = 0; i < HSD_ARRAY_LEN(ends); i++) {
        const size_t end = strlen(ends[i]);
        if (size <= end || strcmp(l->path + size - end, ends[i]) != 0) continue;
        l->path[size - end] = '\0';
        return;
    }
}

static hsd_status add_atomic(laying *l, uint64_t offset, uint32_t owner, hsd_error *err)
{
    const uint32_t target = target_of_atomic(l->plans->types, owner);
    if (target != 0 && hsd_gotype_begins(l->plans->types, target, "internal/sync.node["))
        return add_node(l, offset, target, err);
    if (target != 0 && hsd_gotype_begins(l->plans->types, target, "internal/sync.indirect[")) name_root(l);
    return add_word(l, offset, GO_POINTER, target, 0, err);
}

/* A member that Go's linker declares as something else than it is. True if it was one. */
static hsd_status add_known_member(laying *l, uint32_t owner, const hsd_go_member *member, uint64_t offset,
                                   bool *is_known, hsd_error *err)
{
    const hsd_go_types *types = l->plans->types;
    const char *name = hsd_go_types_text(types, member->name);
    const uint32_t type = hsd_go_types_resolve(types, (uint32_t)member->type);
    *is_known = true;
    if (hsd_gotype_begins(types, owner, "bucket<") && strcmp(name, "overflow") == 0)
        return add_word(l, offset, GO_POINTER, owner, 0, err);
    const bool is_buckets = strcmp(name, "buckets") == 0 || strcmp(name, "oldbuckets") == 0;
    if (hsd_gotype_begins(types, owner, "hash<") && is_buckets)
        return add_word(l, offset, GO_ITEMS, target_of(types, type), 0, err);
    if (hsd_gotype_begins(types, owner, "groupReference<") && strcmp(name, "data") == 0)
        return add_word(l, offset, GO_ITEMS, target_of(types, type), 0, err);
    if (hsd_gotype_begins(types, owner, "map<") && strcmp(name, "dirPtr") == 0) {
        const uint32_t pointer = target_of(types, type);
        return add_word(l, offset, GO_DIRECTORY, pointer, target_at(types, target_of(types, pointer), "groups.data"),
                        err);
    }
    if (hsd_gotype_begins(types, owner, "hchan<") && strcmp(name, "buf") == 0) {
        const uint32_t waiting = target_at(types, owner, "recvq.first");
        return add_word(l, offset, GO_ITEMS, waiting == 0 ? 0 : target_at(types, waiting, "elem"), 0, err);
    }
    if (strcmp(name, "v") == 0 &&
        strstr(hsd_go_types_text(types, hsd_go_types_get(types, owner)->name), "atomic.Pointer[") != NULL)
        return add_atomic(l, offset, owner, err);
    const bool is_pool = strcmp(hsd_go_types_text(types, hsd_go_types_get(types, owner)->name), "sync.Pool") == 0;
    if (is_pool && (strcmp(name, "local") == 0 || strcmp(name, "victim") == 0))
        return add_word(l, offset, GO_ITEMS, hsd_go_types_named(types, "sync.poolLocal"), 0, err);
    *is_known = false;
    return HSD_OK;
}

static hsd_status open_type(laying *l, uint32_t type, uint64_t offset, hsd_error *err)
{
    const hsd_go_types *types = l->plans->types;
    const hsd_go_type *of = hsd_go_types_get(types, type);
    const char *name = hsd_go_types_text(types, of->name);
    if (of->kind == HSD_GO_IS_POINTER)
        return add_word(l, offset, target_of(types, type) == 0 ? GO_ANY : GO_POINTER, target_of(types, type), 0, err);
    if (of->kind == HSD_GO_IS_FUNCTION) return add_word(l, offset, GO_FUNC, 0, 0, err);
    if (of->go_kind == HSD_GO_UNSAFE_POINTER) return add_word(l, offset, GO_ANY, 0, 0, err);
    if (of->kind == HSD_GO_IS_STRUCT) {
        if (of->go_kind == HSD_GO_STRING) return add_word(l, offset, GO_TEXT, 0, 0, err);
        if (of->go_kind == HSD_GO_SLICE) return add_word(l, offset, GO_ITEMS, target_at(types, type, "array"), 0, err);
        if (strcmp(name, "runtime.eface") == 0) return add_word(l, offset, GO_EFACE, 0, 0, err);
        if (strcmp(name, "runtime.iface") == 0) return add_word(l, offset, GO_IFACE, 0, 0, err);
    } else if (of->kind != HSD_GO_IS_ARRAY) {
        return HSD_OK;
    }
    if (l->depth < MOST_DEPTH)
        l->stack[l->depth++] = (opened){.type = type, .offset = offset, .path_bytes = (uint32_t)strlen(l->path)};
    return HSD_OK;
}

/* ---- one step ---- */

static void extend_path(laying *l, uint32_t bytes, const char *name)
{
    const int used = snprintf(l->path + bytes, sizeof l->path - bytes, "%s%s", bytes == 0 ? "" : ".", name);
    if (used < 0) l->path[bytes] = '\0';
}

static hsd_status step_array(laying *l, opened *at, const hsd_go_type *of, hsd_error *err)
{
    const hsd_go_types *types = l->plans->types;
    const uint32_t element = hsd_go_types_resolve(types, (uint32_t)of->target);
    const uint64_t size = hsd_go_types_size(types, element);
    uint64_t offset;
    if (at->next >= of->count || element == 0 || size == 0 || !hsd_mul_u64(at->next, size, &offset) ||
        !hsd_add_u64(offset, at->offset, &offset)) {
        l->depth--;
        return HSD_OK;
    }
    at->next++;
    const uint32_t before = l->count;
    const unsigned depth = l->depth;
    HSD_TRY(open_type(l, element, offset, err));
    if (l->count == before && l->depth == depth) l->depth--; /* numbers: so are all that follow */
    return HSD_OK;
}

static hsd_status step_structure(laying *l, opened *at, const hsd_go_type *of, hsd_error *err)
{
    const hsd_go_types *types = l->plans->types;
    uint64_t offset;
    bool is_known = false;
    if (at->next >= of->member_count) {
        l->depth--;
        return HSD_OK;
    }
    const hsd_go_member *member = &types->members[of->member + at->next++];
    if (!hsd_add_u64(at->offset, member->offset, &offset)) return HSD_OK;
    extend_path(l, at->path_bytes, hsd_go_types_text(types, member->name));
    HSD_TRY(add_known_member(l, at->type, member, offset, &is_known, err));
    return is_known ? HSD_OK : open_type(l, hsd_go_types_resolve(types, (uint32_t)member->type), offset, err);
}

static int by_place(const void *a, const void *b)
{
    const goword *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->what < y->what ? -1 : x->what > y->what;
}

/* Words outside of the type are a lie, and of two at one place one is. */
static hsd_status keep(laying *l, goplan *plan, hsd_error *err)
{
    const uint64_t size = hsd_go_types_size(l->plans->types, l->top);
    uint32_t kept = 0;
    if (l->count > 1) qsort(l->words, l->count, sizeof *l->words, by_place);
    for (uint32_t i = 0; i < l->count; i++) {
        const goword *word = &l->words[i];
        const uint64_t bytes = word->what == GO_EFACE || word->what == GO_IFACE ? 16 : 8;
        if (size < bytes || word->offset > size - bytes || word->offset % 8 != 0) continue;
        if (kept > 0 && l->words[kept - 1].offset == word->offset) continue;
        l->words[kept++] = *word;
    }
    plan->is_made = true;
    if (kept == 0) return HSD_OK;
    const uint64_t bytes = kept * sizeof *plan->words;
    l->plans->taken_bytes += bytes;
    if (l->plans->taken_bytes + hsd_names_memory(&l->plans->paths) > l->plans->most_bytes)
        return hsd_fail(err, HSD_E_OVER_BUDGET, "the types of the program take more than %" PRIu64 " MiB",
                        l->plans->most_bytes >> 20);
    plan->words = malloc(bytes);
    if (plan->words == NULL) return hsd_fail_nomem(err, "types");
    memcpy(plan->words, l->words, bytes);
    plan->count = kept;
    return HSD_OK;
}

static hsd_status lay(laying *l, goplan *plan, hsd_error *err)
{
    HSD_TRY(open_type(l, l->top, 0, err));
    while (l->depth > 0 && l->count < MOST_WORDS && l->steps++ < MOST_STEPS) {
        opened *at = &l->stack[l->depth - 1];
        const hsd_go_type *of = hsd_go_types_get(l->plans->types, at->type);
        l->path[at->path_bytes] = '\0';
        HSD_TRY(of->kind == HSD_GO_IS_ARRAY ? step_array(l, at, of, err) : step_structure(l, at, of, err));
    }
    return keep(l, plan, err);
}

hsd_status hsd_goplans_of(goplans *plans, uint32_t type, const goplan **out, hsd_error *err)
{
    goplan *plan = &plans->plans[type];
    *out = plan;
    if (plan->is_made) return HSD_OK;
    laying *l = calloc(1, sizeof *l);
    if (l == NULL) return hsd_fail_nomem(err, "types");
    l->plans = plans;
    l->top = type;
    const hsd_status status = lay(l, plan, err);
    free(l);
    return status;
}

hsd_status hsd_goplans_open(goplans *plans, const hsd_go_types *types, uint64_t most_bytes, hsd_error *err)
{
    uint32_t nothing;
    *plans = (goplans){.types = types, .most_bytes = most_bytes};
    plans->plans = calloc(types->type_count, sizeof *plans->plans);
    if (plans->plans == NULL) return hsd_fail_nomem(err, "types");
    plans->taken_bytes = types->type_count * sizeof *plans->plans;
    return hsd_names_put(&plans->paths, (hsd_bytes){(const uint8_t *)"", 0}, &nothing, err);
}

void hsd_goplans_close(goplans *plans)
{
    for (uint32_t i = 0; plans->plans != NULL && i < plans->types->type_count; i++)
        free(plans->plans[i].words);
    free(plans->plans);
    hsd_names_release(&plans->paths);
    *plans = (goplans){0};
}

/*
 * Names as a Go programmer writes them, for what the linker calls hash<K,V> and bucket<K,V>, and the words of objects
 * by their place.
 */
#include <stdio.h>
#include <string.h>

#include "base/search.h"
#include "go/types/typing.h"
#include <hscapture/hscapture.h>

enum { NAME_BYTES = 2048 };

typedef struct container {
    const char *prefix, *behind;
    bool is_pair;     /* K and V between < and > */
    uint32_t flags;   /* of the capture's type */
    const char *name; /* as a whole, whatever its parameters */
} container;

static const container containers[] = {
    {"hash<", "", true, 0, NULL},
    {"map<", "", true, 0, NULL},
    {"bucket<", " buckets", true, HSC_TYPE_INTERNAL, NULL},
    {"table<", " table", true, HSC_TYPE_INTERNAL, NULL},
    {"group<", " groups", true, HSC_TYPE_INTERNAL, NULL},
    {"noalg.map.group[", " groups", false, HSC_TYPE_INTERNAL, NULL},
    {"map.group[", " groups", false, HSC_TYPE_INTERNAL, NULL},
    {"internal/runtime/maps.table", "", false, HSC_TYPE_INTERNAL, "map table"},
    {"hchan<", "", false, 0, NULL},
    {"internal/sync.indirect[", "", false, HSC_TYPE_INTERNAL, "sync.Map nodes"},
    {"internal/sync.entry[", "", false, HSC_TYPE_INTERNAL, "sync.Map entry"},
    {"sync.readOnly", "", false, HSC_TYPE_INTERNAL, "sync.Map table"},
    {"sync.entry", "", false, HSC_TYPE_INTERNAL, "sync.Map entry"},
    {NULL, NULL, false, 0, NULL},
};

static const container *container_of(const char *name)
{
    for (const container *c = containers; c->prefix != NULL; c++)
        if (strncmp(name, c->prefix, strlen(c->prefix)) == 0) return c;
    return NULL;
}

/* What the runtime has of each thread, and the table of all goroutines there have been. It starts a thread where all
 * others wait in the system, ends none, and keeps what a goroutine was for the next: how many there are follows the
 * load of the machine. With what hangs from them alone they are nobody's; goroutines that live are roots themselves. */
static bool is_kept_by_runtime(const char *name)
{
    static const char *const names[] = {"runtime.m", "runtime.mPadded", "internal/runtime/atomic.Pointer[runtime.m]",
                                        "*runtime.g"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* The comma between K and V: the first that stands in no brackets. NULL = there is none. */
static const char *comma_in(const char *text)
{
    int depth = 0;
    for (; *text != '\0'; text++) {
        if (strchr("<[({", *text) != NULL)
            depth++;
        else if (strchr(">])}", *text) != NULL)
            depth--;
        else if (*text == ',' && depth == 0)
            return text;
    }
    return NULL;
}

static void name_container(const container *c, const char *name, char *out, size_t size)
{
    const char *inside = name + strlen(c->prefix), *comma = c->is_pair ? comma_in(inside) : NULL;
    const size_t length = strlen(inside);
    const int kept = (int)(length > 0 && length < size ? length - 1 : 0); /* without the > */
    if (c->name != NULL)
        snprintf(out, size, "%s", c->name);
    else if (comma != NULL)
        snprintf(out, size, "map[%.*s]%.*s%s", (int)(comma - inside), inside,
                 (int)(length - 1 - (size_t)(comma + 1 - inside)), comma + 1, c->behind);
    else if (strncmp(c->prefix, "hchan", 5) == 0)
        snprintf(out, size, "chan %.*s", kept, inside);
    else if (!c->is_pair)
        snprintf(out, size, "map[%s%s", inside, c->behind);
    else
        snprintf(out, size, "%s", name);
}

size_t hsd_gotyping_name(const gotyping *t, gotyped typed, char *out, size_t size, uint32_t *flags)
{
    char text[NAME_BYTES];
    *flags = 0;
    if (typed.type == GOTYPE_TEXT)
        snprintf(text, sizeof text, "string");
    else if (typed.type == GOTYPE_CLOSURE)
        snprintf(text, sizeof text, "func");
    else {
        const char *name = hsd_go_types_text(&t->types, hsd_go_types_get(&t->types, typed.type)->name);
        const size_t stars = strspn(name, "*");
        const container *c = container_of(name + stars);
        char inner[NAME_BYTES / 2];
        if (c != NULL) name_container(c, name + stars, inner, sizeof inner);
        *flags = c == NULL ? 0 : c->flags;
        /* buckets are several by their name */
        const bool is_plain = !typed.is_items || (stars == 0 && *flags != 0);
        if (is_kept_by_runtime(name)) *flags = HSC_TYPE_CODE | HSC_TYPE_INTERNAL | HSC_TYPE_WHOLE;
        snprintf(text, sizeof text, "%s%.*s%s", is_plain ? "" : "[]", (int)(stars < 16 ? stars : 16), name,
                 c == NULL ? name + stars : inner);
    }
    const size_t kept = strnlen(text, size - 1);
    memcpy(out, text, kept);
    out[kept] = '\0';
    return kept;
}

/* ---- variables ---- */

enum { MOST_FIELDS = 4096, DEEPEST_FIELD = 8 };

/* The member of a structure that holds the byte at *offset, which becomes its place in the member; NULL = none. */
static const hsd_go_member *member_at(const hsd_go_types *types, const hsd_go_type *of, uint64_t *offset)
{
    for (uint32_t i = 0; of->kind == HSD_GO_IS_STRUCT && of->member_count <= MOST_FIELDS && i < of->member_count; i++) {
        const hsd_go_member *member = &types->members[of->member + i];
        if (*offset < member->offset || *offset - member->offset >= hsd_go_types_size(types, (uint32_t)member->type))
            continue;
        *offset -= member->offset;
        return member;
    }
    return NULL;
}

/* Is this a structure of the package that the variable is of, or one without a name? What others consist of is their
 * own affair, and so is what a slice or a text consists of, be its type of the package or not. */
static bool is_of_package(const hsd_go_types *types, const hsd_go_type *of, const char *variable)
{
    const char *name = hsd_go_types_text(types, of->name), *end = strrchr(variable, '/');
    end = strchr(end == NULL ? variable : end, '.');
    if (of->kind != HSD_GO_IS_STRUCT || end == NULL) return false;
    if (of->go_kind == HSD_GO_SLICE || of->go_kind == HSD_GO_STRING) return false;
    return strncmp(name, "struct {", 8) == 0 || strncmp(name, variable, (size_t)(end + 1 - variable)) == 0;
}

/* Appends the fields that lead to the word at `offset` of the variable. */
static size_t append_fields(const hsd_go_types *types, uint32_t type, uint64_t offset, const char *variable, char *out,
                            size_t size)
{
    size_t used = strlen(out);
    bool is_element = false;
    for (int depth = 0; depth < DEEPEST_FIELD; depth++) {
        const hsd_go_type *of = hsd_go_types_get(types, hsd_go_types_resolve(types, type));
        if (of->kind == HSD_GO_IS_ARRAY) {
            const uint64_t bytes = hsd_go_types_size(types, (uint32_t)of->target);
            if (bytes == 0) break;
            offset %= bytes;
            type = (uint32_t)of->target;
            is_element = true;
            continue;
        }
        const hsd_go_member *member = is_of_package(types, of, variable) ? member_at(types, of, &offset) : NULL;
        if (member == NULL) break;
        const int added =
            snprintf(out + used, size - used, "%s.%s", is_element ? "[*]" : "", hsd_go_types_text(types, member->name));
        if (added < 0 || (size_t)added >= size - used) break;
        used += (size_t)added;
        type = (uint32_t)member->type;
        is_element = false;
    }
    out[used] = '\0';
    return used;
}

size_t hsd_gotyping_name_global(const gotyping *t, uint64_t address, char *out, size_t size, bool *is_runtime)
{
    const hsd_go_global *global = hsd_go_types_global_at(&t->types, address - t->bias);
    *is_runtime = false;
    if (global == NULL) return 0;
    const char *name = hsd_go_types_text(&t->types, global->name);
    *is_runtime = hsd_gotask_is_runtime(name);
    const int used = snprintf(out, size, "%s", name);
    if (used < 0 || (size_t)used >= size) return used < 0 ? 0 : size - 1;
    return *is_runtime
               ? (size_t)used
               : append_fields(&t->types, (uint32_t)global->type, address - t->bias - global->address, name, out, size);
}

/* ---- words ---- */

static const goword *find_word(const goplan *plan, uint64_t offset)
{
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, plan->count, plan->words[low].offset, offset);
    if (low == 0) return NULL;
    const goword *found = &plan->words[low - 1];
    const bool is_interface = found->what == GO_EFACE || found->what == GO_IFACE;
    return offset == found->offset || (is_interface && offset == found->offset + 8) ? found : NULL;
}

hsd_status hsd_gotyping_word_at(gotyping *t, gotyped typed, uint64_t offset, const goword **word, uint64_t *index,
                                hsd_error *err)
{
    const goplan *plan;
    uint32_t type = typed.type;
    *word = NULL;
    *index = 0;
    if (type == 0 || type >= GOTYPE_TEXT) return HSD_OK;
    const hsd_go_type *of = hsd_go_types_get(&t->types, type);
    if (!typed.is_items && of->kind == HSD_GO_IS_ARRAY) {
        typed.is_items = true;
        type = hsd_go_types_resolve(&t->types, (uint32_t)of->target);
    }
    const uint64_t size = hsd_go_types_size(&t->types, type);
    if (size == 0 || type == 0) return HSD_OK;
    HSD_TRY(hsd_goplans_of(&t->plans, type, &plan, err));
    *index = typed.is_items ? offset / size : 0;
    *word = find_word(plan, typed.is_items ? offset % size : offset);
    return HSD_OK;
}

/*
 * What waits for maps, and what comes of it. See originals.h; original_scripts.c reads the maps.
 */
#include "import/v8/originals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"
#include "import/v8/heaps.h"

#define TEXT_BYTES  ((size_t)256) /* names are not longer; those that are stay as they are */
#define MOST_OF_ONE 3u            /* sources that one class of a bundle may stand for */
#define NAME_BYTES  ((size_t)512)

/* ---- constructors ---- */

static uint32_t slot_of(uint32_t script, uint32_t line, uint32_t column)
{
    const uint64_t key = (((uint64_t)script << 32) | line) * UINT64_C(0x9e3779b97f4a7c15) + column;
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & (HSD_V8_CONSTRUCTOR_SLOTS - 1);
}

hsd_status hsd_v8_originals_constructor(hsd_v8_originals *o, uint32_t node, uint32_t script, uint32_t line,
                                        uint32_t column, hsd_error *err)
{
    if (o->slots == NULL) o->slots = calloc(HSD_V8_CONSTRUCTOR_SLOTS, sizeof *o->slots);
    if (o->slots == NULL) return hsd_fail_nomem(err, "constructors");
    uint32_t slot = slot_of(script, line, column);
    for (; o->slots[slot] != 0; slot = (slot + 1) & (HSD_V8_CONSTRUCTOR_SLOTS - 1)) {
        const hsd_v8_constructor *c = &o->constructors[o->slots[slot] - 1];
        if (c->line == line && c->column == column && c->script == script) return HSD_OK;
    }
    if (o->constructor_count == HSD_V8_MOST_CONSTRUCTORS) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(o->constructors, o->constructor_room, o->constructor_count + 1, 64, "constructors", err));
    o->constructors[o->constructor_count++] = (hsd_v8_constructor){.script = script,
                                                                   .line = line,
                                                                   .column = column,
                                                                   .node = node,
                                                                   .entry = HSD_V8_NO_ENTRY,
                                                                   .type = HSD_V8_NO_ENTRY};
    o->slots[slot] = o->constructor_count;
    return HSD_OK;
}

hsd_status hsd_v8_originals_script(hsd_v8_originals *o, uint32_t script, uint32_t function, hsd_error *err)
{
    return hsd_id_map_get(&o->scripts, script) == HSD_ID_NONE ? hsd_id_map_put(&o->scripts, script, function, err)
                                                              : HSD_OK;
}

hsd_status hsd_v8_originals_wish(hsd_v8_originals *o, hsd_v8_names *names, hsd_v8_wishes *wishes, hsd_error *err)
{
    for (uint32_t i = 0; i < o->constructor_count; i++) {
        hsd_v8_constructor *c = &o->constructors[i];
        if (hsd_id_map_get(&o->scripts, c->script) == HSD_ID_NONE) continue;
        HSD_TRY(hsd_v8_names_add(names, HSD_V8_WAIT_CONSTRUCTED, i, HSD_V8_NO_STRING, 0, &c->entry, err));
        if (c->entry != HSD_V8_NO_ENTRY) HSD_TRY(hsd_v8_wishes_put(wishes, c->node, c->entry, err));
    }
    return HSD_OK;
}

void hsd_v8_originals_await(hsd_v8_originals *o, hsd_v8_names *names)
{
    for (uint32_t i = 0; i < o->constructor_count; i++) {
        hsd_v8_constructor *c = &o->constructors[i];
        if (c->entry == HSD_V8_NO_ENTRY || names->entries[c->entry].name == HSD_V8_NO_STRING) continue;
        c->type = hsd_v8_names_find(names, hsd_v8_key(HSD_V8_WAIT_TYPE, 0, 0, names->entries[c->entry].name));
        if (c->type != HSD_V8_NO_ENTRY) names->entries[c->type].flags |= HSD_V8_ENTRY_WAITS;
    }
}

/* ---- texts ---- */

static hsd_status copy_original(hsd_v8_originals *o, hsd_bytes text, hsd_bytes *out, hsd_error *err)
{
    const char *copy = hsd_arena_copy(&o->arena, text.data, text.size);
    if (copy == NULL) return hsd_fail_nomem(err, "names of sources");
    *out = (hsd_bytes){(const uint8_t *)copy, text.size};
    return HSD_OK;
}

hsd_status hsd_v8_originals_keep(hsd_v8_originals *o, uint32_t entry, hsd_bytes text, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(o->kept, o->kept_room, o->kept_count + 1, 64, "names of sources", err));
    hsd_v8_kept_text *kept = &o->kept[o->kept_count];
    kept->entry = entry;
    HSD_TRY(copy_original(o, text, &kept->text, err));
    return hsd_id_map_put(&o->kept_of, entry, o->kept_count++, err);
}

hsd_status hsd_v8_originals_keep_variable(hsd_v8_originals *o, uint32_t entry, uint32_t scope, hsd_bytes text,
                                          hsd_error *err)
{
    if (text.size == 0 || text.size > TEXT_BYTES || o->variable_count == HSD_V8_MOST_ORIGINALS / 2) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(o->variables, o->variable_room, o->variable_count + 1, 256, "names of sources", err));
    hsd_v8_variable *variable = &o->variables[o->variable_count];
    *variable = (hsd_v8_variable){.entry = entry, .scope = scope, .file = HSD_V8_NO_FILE};
    HSD_TRY(copy_original(o, text, &variable->text, err));
    return hsd_id_map_put(&o->variable_of, entry, o->variable_count++, err);
}

hsd_bytes hsd_v8_originals_kept(const hsd_v8_originals *o, uint32_t entry)
{
    const uint32_t at = entry == HSD_V8_NO_ENTRY ? HSD_ID_NONE : hsd_id_map_get(&o->kept_of, entry);
    return at == HSD_ID_NONE ? (hsd_bytes){NULL, 0} : o->kept[at].text;
}

/* ---- the capture ---- */

hsd_status hsd_v8_originals_string(hsd_v8 *v8, hsd_bytes text, uint32_t *out, hsd_error *err)
{
    hsd_v8_originals *o = &v8->originals;
    *out = 0;
    if (o->text_count == HSD_V8_MOST_ORIGINALS || text.size == 0) return HSD_OK;
    *out = HSD_V8_STRING_ORIGINALS + o->text_count++;
    return hsd_v8_write_string(v8, *out, text.data, text.size, err);
}

static bool is_same(hsd_bytes a, hsd_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Where one class of a bundle stands for several, which share the name that the bundle gave them: "Cache or Session".
 * Empty: it is not known of all, or they are too many. */
static size_t call_class(const hsd_v8_originals *o, const uint32_t *order, uint32_t count, char out[NAME_BYTES])
{
    hsd_bytes names[MOST_OF_ONE];
    unsigned found = 0;
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const hsd_bytes name = o->constructors[order[i]].name;
        unsigned at = 0;
        while (at < found && !is_same(names[at], name))
            at++;
        if (name.size == 0 || name.size > TEXT_BYTES / 2) return 0;
        if (at < found) continue;
        if (found == MOST_OF_ONE) return 0;
        names[found++] = name;
    }
    for (unsigned i = 0; i < found; i++)
        size += (size_t)snprintf(out + size, NAME_BYTES - size, "%s%.*s", i == 0 ? "" : " or ", (int)names[i].size,
                                 (const char *)names[i].data);
    return size;
}

static hsd_status define_class_of(hsd_v8 *v8, uint32_t entry, const uint32_t *order, uint32_t count, hsd_error *err)
{
    char name[NAME_BYTES];
    const size_t size = call_class(&v8->originals, order, count, name);
    const hsd_bytes text =
        size > 0 ? (hsd_bytes){(const uint8_t *)name, size} : hsd_v8_originals_kept(&v8->originals, entry);
    return hsd_v8_define_class(v8, &v8->names.entries[entry], text, err);
}

typedef struct class_place {
    uint32_t type, line, column, number;
} class_place;

/* By class; of a class by place, so that its names stand in the same order in each capture. */
static int compare_class_places(const void *left, const void *right)
{
    const class_place *a = left, *b = right;
    if (a->type != b->type) return a->type < b->type ? -1 : 1;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return a->column != b->column ? (a->column < b->column ? -1 : 1)
                                  : (a->number > b->number) - (a->number < b->number);
}

static hsd_status define_classes(hsd_v8 *v8, hsd_error *err)
{
    const hsd_v8_originals *o = &v8->originals;
    uint32_t count = 0;
    class_place *places = malloc(((size_t)o->constructor_count + 1) * sizeof *places);
    uint32_t *order = malloc(((size_t)o->constructor_count + 1) * sizeof *order);
    hsd_status status = places == NULL || order == NULL ? hsd_fail_nomem(err, "constructors") : HSD_OK;
    for (uint32_t i = 0; i < o->constructor_count && status == HSD_OK; i++) {
        const hsd_v8_constructor *c = &o->constructors[i];
        if (c->type == HSD_V8_NO_ENTRY || (v8->names.entries[c->type].flags & HSD_V8_ENTRY_SEEN) == 0) continue;
        places[count++] = (class_place){c->type, c->line, c->column, i};
    }
    if (status == HSD_OK && count > 0) qsort(places, count, sizeof *places, compare_class_places);
    for (uint32_t i = 0; i < count; i++)
        order[i] = places[i].number;
    for (uint32_t begin = 0, end; begin < count && status == HSD_OK; begin = end) {
        for (end = begin + 1; end < count && places[end].type == places[begin].type; end++)
            continue;
        status = define_class_of(v8, places[begin].type, order + begin, end - begin, err);
    }
    free(places);
    free(order);
    return status;
}

static hsd_status define_variable(hsd_v8 *v8, hsd_v8_variable *variable, hsd_error *err)
{
    char text[NAME_BYTES];
    const hsd_bytes file = hsd_v8_files_name(&v8->files, variable->file), name = variable->name;
    const int size =
        snprintf(text, sizeof text, "%.*s%s%.*s", (int)hsd_min_u64(file.size, NAME_BYTES / 4), (const char *)file.data,
                 file.size == 0 ? "" : ".", (int)hsd_min_u64(name.size, TEXT_BYTES), (const char *)name.data);
    return hsd_v8_originals_string(v8, (hsd_bytes){(const uint8_t *)text, (size_t)size}, &variable->string, err);
}

hsd_status hsd_v8_originals_define(hsd_v8 *v8, hsd_error *err)
{
    hsd_v8_originals *o = &v8->originals;
    for (uint32_t i = 0; i < o->variable_count; i++)
        if (o->variables[i].is_found) HSD_TRY(define_variable(v8, &o->variables[i], err));
    return define_classes(v8, err);
}

uint32_t hsd_v8_originals_variable(const hsd_v8_originals *o, uint32_t entry, bool *is_whole)
{
    const uint32_t at = hsd_id_map_get(&o->variable_of, entry);
    if (at == HSD_ID_NONE) return 0;
    *is_whole = o->variables[at].string != 0 && o->variables[at].file != HSD_V8_NO_FILE;
    return o->variables[at].string;
}

void hsd_v8_originals_release(hsd_v8_originals *o)
{
    free(o->constructors);
    free(o->slots);
    free(o->kept);
    free(o->variables);
    hsd_id_map_release(&o->scripts);
    hsd_id_map_release(&o->kept_of);
    hsd_id_map_release(&o->variable_of);
    hsd_arena_release(&o->arena);
    *o = (hsd_v8_originals){0};
}

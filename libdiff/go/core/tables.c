/*
 * Tables of the capture: strings, types and labels, defined when first asked for.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "go/core/gocore.h"

enum { TEXT_BYTES = 4096, NAMED_WORDS = 512 };
#define UNTYPED (UINT64_C(1) << 40)
#define WAITING (UINT64_C(1) << 41)

static hsd_status check_memory(const gocore *go, hsd_error *err)
{
    const uint64_t taken = hsd_names_memory(&go->strings.names) + hsd_names_memory(&go->types) +
                           hsd_id_table_memory(&go->labels) + hsd_id_table_memory(&go->goroutines) +
                           hsd_id_table_memory(&go->timers);
    return hsd_import_expect_room(taken, go->import->memory_bytes / 4, "the names of this core",
                                  taken * 8 + HSD_IMPORT_MORE, err);
}

hsd_status hsd_gocore_put_string(gocore *go, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    bool is_new;
    HSD_TRY(hsd_import_put_text(go->import, &go->strings, text, number, &is_new, err));
    return is_new ? check_memory(go, err) : HSD_OK;
}

hsd_status hsd_gocore_put_format(gocore *go, uint32_t *number, hsd_error *err, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const hsd_bytes formatted = hsd_import_format(text, sizeof text, format, arguments);
    va_end(arguments);
    return hsd_gocore_put_string(go, formatted, number, err);
}

/* ---- types ---- */

static hsd_status name_type(gocore *go, const char *name, size_t size, uint32_t flags, uint32_t *number, hsd_error *err)
{
    bool is_new;
    const hsd_bytes text = {(const uint8_t *)name, size};
    HSD_TRY(hsd_import_put_type(go->import, &go->types, text, flags, number, &is_new, err));
    return check_memory(go, err);
}

static hsd_status name_typed(gocore *go, gotyped typed, uint32_t *number, hsd_error *err)
{
    char name[2048];
    uint32_t flags = 0;
    const size_t types = go->typing.types.type_count;
    uint32_t *known = typed.type >= GOTYPE_TEXT ? &go->numbers[2 * types + typed.type - GOTYPE_TEXT]
                                                : &go->numbers[2 * (size_t)typed.type + typed.is_items];
    if (*known == 0) {
        const size_t size = hsd_gotyping_name(&go->typing, typed, name, sizeof name, &flags);
        HSD_TRY(name_type(go, name, size, flags, known, err));
    }
    *number = *known;
    return HSD_OK;
}

hsd_status hsd_gocore_put_type(gocore *go, const goslot *slot, uint32_t *number, hsd_error *err)
{
    char name[256];
    const gotyped typed = hsd_gotyped_of(go->typing.slots.types[slot->number]);
    if (typed.type != 0) return name_typed(go, typed, number, err);
    const int size = snprintf(name, sizeof name, "object of %" PRIu64 " B, %s", slot->span->slot_bytes,
                              (slot->span->flags & GOCORE_NOSCAN) != 0 ? "no pointers" : "with pointers");
    return name_type(go, name, (size_t)size, 0, number, err);
}

hsd_status hsd_gocore_put_static_type(gocore *go, const gostatic *one, uint32_t *number, hsd_error *err)
{
    return name_typed(go, (gotyped){.type = one->type, .is_items = one->is_items}, number, err);
}

/* ---- labels ---- */

static hsd_status define_label(gocore *go, uint32_t label, const goword *word, bool is_element, uint64_t offset,
                               hsd_error *err)
{
    static const hsc_label_kind kinds[] = {[GO_FIELD] = HSC_LABEL_FIELD,
                                           [GO_KEY] = HSC_LABEL_KEY,
                                           [GO_VALUE] = HSC_LABEL_VALUE,
                                           [GO_INSIDE] = HSC_LABEL_FIELD};
    const hsd_bytes path = word == NULL ? (hsd_bytes){0} : hsd_names_get(&go->typing.plans.paths, word->name);
    const hsc_label_kind kind = is_element ? HSC_LABEL_ELEMENT : word == NULL ? HSC_LABEL_FIELD : kinds[word->part];
    const uint32_t fold = word != NULL && word->part == GO_INSIDE ? HSC_LABEL_FOLD : 0;
    uint32_t name = 0;
    if (kind == HSC_LABEL_FIELD && path.size > 0)
        HSD_TRY(hsd_gocore_put_string(go, path, &name, err));
    else if (kind == HSC_LABEL_FIELD && word != NULL)
        HSD_TRY(hsd_gocore_put_format(go, &name, err, "*"));
    else if (kind == HSC_LABEL_FIELD)
        HSD_TRY(hsd_gocore_put_format(go, &name, err, "+%" PRIu64, offset));
    HSD_WRITE(go->import, hsc_define_label(go->import->writer, label, kind, HSC_STRENGTH_STRONG | fold, name), err);
    return check_memory(go, err);
}

static hsd_status label_word(gocore *go, gotyped typed, uint64_t offset, uint32_t *label, uint64_t *index,
                             hsd_error *err)
{
    const goword *word;
    uint64_t element, key;
    HSD_TRY(hsd_gotyping_word_at(&go->typing, typed, offset, &word, &element, err));
    const bool is_element = word == NULL ? offset / 8 >= NAMED_WORDS : typed.is_items && word->name == 0;
    if (word != NULL)
        key = (uint64_t)word->name << 3 | (uint64_t)word->part << 1 | is_element;
    else
        key = UNTYPED | (is_element ? 1 : offset);
    *index = !is_element ? 0 : word == NULL ? offset / 8 : element;
    const uint32_t before = go->labels.count;
    HSD_TRY(hsd_id_table_put(&go->labels, key, label, err));
    return go->labels.count > before ? define_label(go, *label, word, is_element, offset, err) : HSD_OK;
}

hsd_status hsd_gocore_put_label(gocore *go, const goslot *slot, uint64_t offset, uint32_t *label, uint64_t *index,
                                hsd_error *err)
{
    return label_word(go, hsd_gotyped_of(go->typing.slots.types[slot->number]), offset, label, index, err);
}

hsd_status hsd_gocore_put_static_label(gocore *go, const gostatic *one, uint64_t offset, uint32_t *label,
                                       uint64_t *index, hsd_error *err)
{
    return label_word(go, (gotyped){.type = one->type, .is_items = one->is_items}, offset, label, index, err);
}

hsd_status hsd_gocore_put_waiting_label(gocore *go, uint32_t *label, hsd_error *err)
{
    uint32_t name;
    const uint32_t before = go->labels.count;
    HSD_TRY(hsd_id_table_put(&go->labels, WAITING, label, err));
    if (go->labels.count == before) return HSD_OK;
    HSD_TRY(hsd_gocore_put_format(go, &name, err, "waiting"));
    HSD_WRITE(go->import, hsc_define_label(go->import->writer, *label, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, name),
              err);
    return check_memory(go, err);
}

/* Numbers of types and texts in a baseline. See baseline_names.h. */
#include "export/baseline_names.h"

#include <stdlib.h>

#include "base/fail.h"

static hsd_text cut_baseline_name(hsd_text text)
{
    if (text.size > HSD_BASELINE_TEXT_BYTES) text.size = HSD_BASELINE_TEXT_BYTES;
    return text;
}

static hsd_status init(hsd_numbered *numbered, size_t most, hsd_error *err)
{
    numbered->number_of = malloc((most + 1) * sizeof *numbered->number_of);
    numbered->texts = malloc((most + 1) * sizeof *numbered->texts);
    return numbered->number_of == NULL || numbered->texts == NULL ? hsd_fail_nomem(err, "the names of a baseline")
                                                                  : HSD_OK;
}

/* Gives a text its number: the next one if it is new, or if it `has_row` of its own. */
static hsd_status put_baseline_name(hsd_numbered *numbered, hsd_text text, bool has_row, uint32_t *out, hsd_error *err)
{
    const uint32_t known = numbered->names.count;
    uint32_t name;
    text = cut_baseline_name(text);
    HSD_TRY(hsd_names_put(&numbered->names, (hsd_bytes){(const uint8_t *)text.data, text.size}, &name, err));
    if (name == known || has_row) numbered->texts[numbered->count++] = text;
    if (name == known) numbered->number_of[name] = numbered->count;
    *out = has_row ? numbered->count : numbered->number_of[name];
    return HSD_OK;
}

static hsd_status put_place(hsd_baseline_names *names, const hsd_place *place, size_t row, hsd_error *err)
{
    names->place_names[row] = names->place_edges[row] = 0;
    if (row == 0) return HSD_OK;
    if (place->edge.size > 0)
        HSD_TRY(put_baseline_name(&names->strings, place->edge, false, &names->place_edges[row], err));
    return put_baseline_name(place->is_root ? &names->strings : &names->types, place->type, false,
                             &names->place_names[row], err);
}

hsd_status hsd_baseline_names_init(hsd_baseline_names *names, const hsd_profile *profile, hsd_error *err)
{
    uint32_t number;
    const size_t places = profile->place_count;
    *names = (hsd_baseline_names){.place_names = malloc((places + 1) * sizeof(uint32_t)),
                                  .place_edges = malloc((places + 1) * sizeof(uint32_t))};
    if (names->place_names == NULL || names->place_edges == NULL) return hsd_fail_nomem(err, "the names of a baseline");
    HSD_TRY(init(&names->types, profile->type_count + places, err));
    HSD_TRY(init(&names->strings, profile->root_count + 2 * places, err));
    for (size_t i = 0; i < profile->type_count; i++)
        HSD_TRY(put_baseline_name(&names->types, profile->types[i].name, true, &number, err));
    for (size_t i = 0; i < profile->root_count; i++)
        HSD_TRY(put_baseline_name(&names->strings, profile->roots[i].name, true, &number, err));
    for (size_t i = 0; i < places; i++)
        HSD_TRY(put_place(names, &profile->places[i], i, err));
    return HSD_OK;
}

static void release_baseline_name(hsd_numbered *numbered)
{
    hsd_names_release(&numbered->names);
    free(numbered->number_of);
    free(numbered->texts);
}

void hsd_baseline_names_release(hsd_baseline_names *names)
{
    release_baseline_name(&names->types);
    release_baseline_name(&names->strings);
    free(names->place_names);
    free(names->place_edges);
    *names = (hsd_baseline_names){0};
}

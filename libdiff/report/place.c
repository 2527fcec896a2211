/*
 * Paths as text. The reference from a root's name to what it names has no name of its own, so the first step adds
 * nothing; later ones without a name are told by the type they lead to.
 */
#include "report/place.h"

#include <stdio.h>
#include <string.h>

#include "report/holder_rows.h"

static hsd_status append(hsd_buffer *out, const char *text, hsd_error *err)
{
    return hsd_buffer_append(out, text, strlen(text), err);
}

/* "{x5,000}" and "{12 more}": braces around a count with a comma for each thousand. */
static hsd_status append_count(hsd_buffer *out, const char *before, uint64_t count,
                               const char *after, hsd_error *err)
{
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 16];
    snprintf(text, sizeof text, "{%s%s%s}", before, hsd_format_count(number, count), after);
    return append(out, text, err);
}

hsd_status hsd_step_append(hsd_buffer *out, const hsd_step *step, hsd_error *err)
{
    if (step->edge.size > 0) {
        HSD_TRY(hsd_buffer_append(out, step->edge.data, step->edge.size, err));
    } else {
        HSD_TRY(append(out, " -> ", err));
        HSD_TRY(hsd_buffer_append(out, step->type.data, step->type.size, err));
    }
    return step->repeat > 1 ? append_count(out, "x", step->repeat, "", err) : HSD_OK;
}

/* What the root itself names. */
static bool is_plain_start(const hsd_spot *place, size_t i)
{
    return i == 0 && place->steps[0].edge.size == 0 && place->steps[0].repeat <= 1;
}

hsd_status hsd_place_append(hsd_buffer *out, const hsd_spot *place, hsd_error *err)
{
    HSD_TRY(hsd_buffer_append(out, place->root.data, place->root.size, err));
    for (size_t i = 0; i < place->count; i++) {
        if (place->cut > 0 && i == place->count / 2)
            HSD_TRY(append_count(out, "", place->cut, " more", err));
        if (!is_plain_start(place, i)) HSD_TRY(hsd_step_append(out, &place->steps[i], err));
    }
    return HSD_OK;
}

bool hsd_place_ends_in_type(const hsd_spot *place)
{
    const size_t last = place->count - 1;
    return place->count > 0 && place->steps[last].edge.size == 0 && !is_plain_start(place, last);
}

hsd_status hsd_step_append_with_type(hsd_buffer *out, const hsd_step *step, hsd_error *err)
{
    if (step->edge.size == 0) { /* -> Type, without the blank before it */
        HSD_TRY(append(out, "-> ", err));
        return hsd_buffer_append(out, step->type.data, step->type.size, err);
    }
    HSD_TRY(hsd_step_append(out, step, err));
    HSD_TRY(append(out, ": ", err));
    return hsd_buffer_append(out, step->type.data, step->type.size, err);
}

hsd_status hsd_holder_append(hsd_buffer *out, const hsd_holder *holder, const char *before,
                             const char *after, hsd_error *err)
{
    const hsd_spot place = {holder->root, holder->path, holder->path_count, holder->path_cut};
    HSD_TRY(hsd_place_append(out, &place, err));
    if (hsd_holder_is_nobody(holder)) return append(out, ": held by no one object", err);
    if (holder->path_count == 0 || hsd_place_ends_in_type(&place)) return HSD_OK;
    HSD_TRY(append(out, before, err));
    HSD_TRY(hsd_buffer_append(out, holder->type.data, holder->type.size, err));
    return append(out, after, err);
}

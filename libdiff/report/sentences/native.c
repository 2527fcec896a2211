/* Places of native heaps in sentences. See native.h. */
#include "report/sentences/native.h"

#include <ctype.h>
#include <string.h>

#include "base/check.h"
#include "report/model/holder_rows.h"

static bool is_native(const hsd_diff *diff)
{
    static const char runtime[] = "native";
    const char *const of = diff->after.info.runtime;
    return of != NULL && strcmp(of, runtime) == 0;
}

/* ".+704" */
static bool is_offset(hsd_text edge)
{
    size_t at = 2;
    if (edge.size < 3 || memcmp(edge.data, ".+", 2) != 0) return false;
    while (at < edge.size && isdigit((unsigned char)edge.data[at]))
        at++;
    return at == edge.size;
}

/* Steps up to the last that has a name, or that the root names. */
static size_t count_named(const hsd_holder *holder)
{
    size_t count = holder->path_count;
    while (count > 0 && is_offset(holder->path[count - 1].edge))
        count--;
    return count;
}

static bool are_offsets_behind(const hsd_holder *holder)
{
    for (size_t i = 0; i < holder->by_count; i++)
        if (!is_offset(holder->by[i].path[holder->path_count].edge)) return false;
    return true;
}

/* The array of the holder or the first of its list, by a name; NULL where there is none. */
static const hsd_growth_edge *find_member(const hsd_holder *holder)
{
    const hsd_growth_edge *field = hsd_holder_field(holder);
    return field == NULL || is_offset(field->edge) ? NULL : field;
}

static hsd_status append_member(hsd_buffer *out, const hsd_spot *place, const hsd_growth_edge *member,
                                const char *before, const char *after, hsd_error *err)
{
    if (place->count == 1) { /* what the root leads to may be told in front of a member */
        const hsd_step steps[] = {place->steps[0], {.edge = member->edge, .type = member->type, .repeat = 1}};
        HSD_TRY(hsd_place_append(out, &(hsd_spot){place->root, steps, 2, place->cut}, err));
    } else {
        HSD_TRY(hsd_place_append(out, place, err));
        HSD_TRY(hsd_buffer_append(out, member->edge.data, member->edge.size, err));
    }
    if (member->type.size == 0 || member->type.data[0] == '<') return HSD_OK; /* "<=64 B at add", by place */
    HSD_TRY(hsd_buffer_append(out, before, strlen(before), err));
    HSD_TRY(hsd_buffer_append(out, member->type.data, member->type.size, err));
    return hsd_buffer_append(out, after, strlen(after), err);
}

static bool is_one_place(const hsd_holder *holder)
{
    return !hsd_holder_is_nobody(holder) && holder->thread_count == 0 && holder->path_cut == 0 &&
           (holder->by_count == 0 || hsd_holder_leads_to(holder));
}

int64_t hsd_holder_said_growth(const hsd_diff *diff, const hsd_holder *holder)
{
    const size_t named = count_named(holder);
    int64_t sum = 0;
    if (!is_native(diff) || !is_one_place(holder) || named == holder->path_count) return holder->growth_bytes;
    for (size_t i = 0; i < diff->holder_count; i++)
        if (!diff->holders[i].is_code && is_one_place(&diff->holders[i]) &&
            hsd_holder_goes_along(&diff->holders[i], holder, named))
            sum = (int64_t)((uint64_t)sum + (uint64_t)diff->holders[i].growth_bytes);
    return sum;
}

hsd_status hsd_holder_append_said(hsd_buffer *out, const hsd_diff *diff, const hsd_holder *holder, const char *before,
                                  const char *after, hsd_error *err)
{
    if (!is_one_place(holder) || !is_native(diff)) return hsd_holder_append_near(out, holder, before, after, err);
    const hsd_spot whole = {holder->root, holder->path, holder->path_count, 0},
                   named = {holder->root, holder->path, count_named(holder), 0};
    if (named.count < whole.count || (holder->by_count > 0 && are_offsets_behind(holder)))
        return hsd_place_append(out, &named, err);
    const hsd_growth_edge *member = holder->by_count == 0 ? find_member(holder) : NULL;
    return member != NULL ? append_member(out, &whole, member, before, after, err)
                          : hsd_holder_append_near(out, holder, before, after, err);
}

/* ---- members of one variable ---- */

/* A variable's member, as the root of a way: nothing but what the root names is on it. */
static bool is_member_alone(const hsd_co_holder *by)
{
    return by->path_count == 0 || (by->path_count == 1 && by->path[0].edge.size == 0);
}

/* Up to the last dot or bracket that both have. */
static size_t common_variable(hsd_text a, size_t size, hsd_text b)
{
    size_t at = 0;
    while (at < size && at < a.size && at < b.size && a.data[at] == b.data[at])
        at++;
    while (at > 0 && !(at < a.size && at < b.size && a.data[at] == '.' && b.data[at] == '.'))
        at--;
    return at;
}

hsd_text hsd_holder_variable(const hsd_diff *diff, const hsd_holder *holder)
{
    const hsd_text none = {"", 0};
    if (!is_native(diff) || holder->by_count < 2 || holder->by_count > HSD_CO_HOLDERS_NAMED + 1) return none;
    size_t size = holder->by[0].root.size;
    for (size_t i = 0; i < holder->by_count; i++) {
        if (!is_member_alone(&holder->by[i])) return none;
        size = common_variable(holder->by[0].root, size, holder->by[i].root);
    }
    const hsd_text variable = {holder->by[0].root.data, size};
    const bool is_in_file = memchr(variable.data, '(', size) != NULL; /* "queue (a.c)" and "queue (a.cc)" are two */
    return is_in_file && memchr(variable.data, ')', size) == NULL ? none : variable;
}

/* ".clients" of ".clients.next", where another one is of the same: the two ends of a list that lies in a structure. */
static hsd_text member_said(const hsd_holder *holder, size_t i, size_t variable)
{
    const hsd_text root = holder->by[i].root;
    size_t size = root.size;
    while (size > variable && root.data[size - 1] != '.')
        size--;
    if (size <= variable + 1) return (hsd_text){root.data + variable, root.size - variable};
    for (size_t j = 0; j < holder->by_count; j++) {
        const hsd_text other = holder->by[j].root;
        const bool is_of_same = other.size > size && memcmp(other.data, root.data, size) == 0 &&
                                memchr(other.data + size, '.', other.size - size) == NULL;
        if (j != i && is_of_same) return (hsd_text){root.data + variable, size - 1 - variable};
    }
    return (hsd_text){root.data + variable, root.size - variable};
}

hsd_status hsd_members_append(hsd_buffer *out, const hsd_holder *holder, hsd_text variable, hsd_error *err)
{
    hsd_text said[HSD_CO_HOLDERS_NAMED + 1];
    size_t count = 0;
    for (size_t i = 0; i < holder->by_count && count < HSD_ARRAY_LEN(said); i++) {
        size_t at = 0;
        said[count] = member_said(holder, i, variable.size);
        while (at < count &&
               (said[at].size != said[count].size || memcmp(said[at].data, said[count].data, said[count].size) != 0))
            at++;
        if (at == count) count++;
    }
    for (size_t i = 0; i < count; i++) {
        const char *joint = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        HSD_TRY(hsd_buffer_append(out, joint, strlen(joint), err));
        HSD_TRY(hsd_buffer_append(out, said[i].data, said[i].size, err));
    }
    return HSD_OK;
}

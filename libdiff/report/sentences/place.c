/*
 * Paths as text. The reference from a root's name to what it names has no name of its own, so the first step adds
 * nothing; later ones without a name are told by the type they lead to. Where the second is one of these and the root
 * is of many things, Object.(state) of all constants, the type of the first is told, too.
 */
#include "report/sentences/place.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/allocators.h"
#include "report/model/holder_rows.h"
#include "report/sentences/browser.h"
#include "report/sentences/owner.h"

static hsd_status append_place_all(hsd_buffer *out, const char *text, hsd_error *err)
{
    return hsd_buffer_append(out, text, strlen(text), err);
}

/* "{x5,000}" and "{12 more}": braces around a count with a comma for each thousand. */
static hsd_status append_count(hsd_buffer *out, const char *before, uint64_t count, const char *after, hsd_error *err)
{
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 16];
    snprintf(text, sizeof text, "{%s%s%s}", before, hsd_format_count(number, count), after);
    return append_place_all(out, text, err);
}

/* ---- what an object is called ---- */

/* "java.lang.Class" as "class": the last word of a type, as people write it in a sentence. */
static size_t kind_word(hsd_text type, char *out, size_t capacity)
{
    size_t first = type.size, used = 0;
    while (first > 0 && isalnum((unsigned char)type.data[first - 1]))
        first--;
    for (; first < type.size && used < capacity; first++)
        out[used++] = (char)tolower((unsigned char)type.data[first]);
    return used;
}

/* The name says itself what it is of: thread "main". */
static bool begins_with_kind(hsd_text name, const char *kind, size_t size)
{
    return name.size > size && memcmp(name.data, kind, size) == 0 && name.data[size] == ' ';
}

/* False for functions of V8, whose type is their name with its place: Function onChange (server.js:6). */
static bool has_name_of_its_own(const hsd_step *step)
{
    if (step->name.size == 0) return false;
    for (size_t i = 0; i + step->name.size <= step->type.size; i++)
        if (memcmp(step->type.data + i, step->name.data, step->name.size) == 0) return false;
    return true;
}

/* `class com.x.Cache`, `thread "main"`; the type where the object has no name. */
static hsd_status append_object(hsd_buffer *out, const hsd_step *step, hsd_error *err)
{
    char kind[32];
    if (!has_name_of_its_own(step)) return hsd_buffer_append(out, step->type.data, step->type.size, err);
    const size_t size = kind_word(step->type, kind, sizeof kind);
    if (size > 0 && !begins_with_kind(step->name, kind, size)) {
        HSD_TRY(hsd_buffer_append(out, kind, size, err));
        HSD_TRY(append_place_all(out, " ", err));
    }
    return hsd_buffer_append(out, step->name.data, step->name.size, err);
}

/* A reference that the runtime calls by the kind of what it leads to: <class>. */
static bool is_called_by_kind(const hsd_step *step)
{
    char kind[32];
    const size_t size = kind_word(step->type, kind, sizeof kind);
    return step->edge.size == size + 2 && step->edge.data[0] == '<' && memcmp(step->edge.data + 1, kind, size) == 0;
}

static hsd_status append_edge(hsd_buffer *out, const hsd_step *step, hsd_error *err)
{
    if (!has_name_of_its_own(step)) return hsd_buffer_append(out, step->edge.data, step->edge.size, err);
    const bool is_kind = is_called_by_kind(step);
    if (!is_kind) HSD_TRY(hsd_buffer_append(out, step->edge.data, step->edge.size, err));
    HSD_TRY(append_place_all(out, is_kind ? "<" : " (", err));
    HSD_TRY(append_object(out, step, err));
    return append_place_all(out, is_kind ? ">" : ")", err);
}

hsd_status hsd_step_append(hsd_buffer *out, const hsd_step *step, hsd_error *err)
{
    if (step->edge.size > 0) {
        HSD_TRY(append_edge(out, step, err));
    } else {
        HSD_TRY(append_place_all(out, " -> ", err));
        HSD_TRY(append_object(out, step, err));
    }
    return step->repeat > 1 ? append_count(out, "x", step->repeat, "", err) : HSD_OK;
}

/* What the root itself names. */
static bool is_plain_start(const hsd_spot *place, size_t i)
{
    return i == 0 && place->steps[0].edge.size == 0 && place->steps[0].repeat <= 1;
}

static bool is_text_of_step(hsd_text text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

/* A variable that a module of JavaScript exports lies in a cell of V8: the root is the variable, so what the cell has
 * is the variable's value. */
static bool is_value_of_variable(const hsd_spot *place, size_t i)
{
    return i == 1 && is_plain_start(place, 0) && is_text_of_step(place->steps[0].name, "system / Cell") &&
           is_text_of_step(place->steps[1].edge, "<value>") && place->steps[1].repeat <= 1;
}

static bool has_word(hsd_text text, const char *word, size_t size)
{
    for (size_t i = 0; size > 0 && i + size <= text.size; i++)
        if (strncasecmp(text.data + i, word, size) == 0) return true;
    return false;
}

bool hsd_place_says_type(hsd_text root, hsd_text type)
{
    char kind[64];
    return has_word(root, type.data, type.size) || has_word(root, kind, kind_word(type, kind, sizeof kind));
}

/* A frame of which no variable is known, or all that a thread has, leads to many things: a member behind it would look
 * like one of the function. Unlike a method, which is called like the class whose members it uses. */
static bool is_start_of_frame(const hsd_spot *place)
{
    const hsd_step *steps = place->steps;
    const bool is_bare = hsd_root_is_bare_frame(place->root.data, place->root.size) ||
                         hsd_root_is_all_thread_locals(place->root.data, place->root.size);
    return is_bare && steps[1].edge.size > 0 && steps[1].edge.data[0] == '.' && steps[0].type.size > 0 &&
           steps[0].type.data[0] != '<' && !hsd_place_says_type(place->root, steps[0].type);
}

/* A root in parentheses is not one variable. */
static bool is_start_told(const hsd_spot *place)
{
    const hsd_step *steps = place->steps;
    if (place->count > 1 && is_start_of_frame(place)) return true;
    return place->count > 1 && place->root.size > 0 && place->root.data[place->root.size - 1] == ')' &&
           steps[1].edge.size == 0 && !has_name_of_its_own(&steps[0]) &&
           !hsd_place_says_type(place->root, steps[0].type);
}

static hsd_status append_kept(hsd_buffer *out, const hsd_browser_word *word, hsd_error *err)
{
    if (word->element.size > 0) {
        HSD_TRY(append_place_all(out, " -> ", err));
        HSD_TRY(hsd_buffer_append(out, word->element.data, word->element.size, err));
    }
    return append_place_all(out, word->kept, err);
}

/* The way, with the class of the step `owner`, if that is not 0. */
static hsd_status append_way(hsd_buffer *out, const hsd_spot *place, size_t owner, hsd_error *err)
{
    HSD_TRY(hsd_buffer_append(out, place->root.data, place->root.size, err));
    for (size_t i = 0; i < place->count; i++) {
        hsd_browser_word kept;
        if (place->cut > 0 && i == place->count / 2) HSD_TRY(append_count(out, "", place->cut, " more", err));
        const size_t steps = hsd_browser_steps(place, i, &kept);
        if (steps > 0) {
            HSD_TRY(append_kept(out, &kept, err));
            i += steps - 1;
            continue;
        }
        if (is_value_of_variable(place, i)) continue;
        if (!is_plain_start(place, i) || is_start_told(place)) HSD_TRY(hsd_step_append(out, &place->steps[i], err));
        if (owner == 0 || i != owner) continue;
        HSD_TRY(append_place_all(out, " (", err));
        HSD_TRY(hsd_buffer_append(out, place->steps[i].type.data, place->steps[i].type.size, err));
        HSD_TRY(append_place_all(out, ")", err));
    }
    return HSD_OK;
}

hsd_status hsd_place_append(hsd_buffer *out, const hsd_spot *place, hsd_error *err)
{
    return append_way(out, place, 0, err);
}

/* A root that is called like what it leads to: class com.x.Cache. */
static bool is_said_by_root(const hsd_buffer *out, size_t start, hsd_text root)
{
    return out->size - start == root.size && memcmp(out->data + start, root.data, root.size) == 0;
}

/* A variable that is called as it is declared, as those of .NET are: static Shop.Cart[] carts. */
static bool is_declared(hsd_text root, hsd_text type)
{
    static const char word[] = "static ";
    const size_t before = sizeof word - 1;
    for (size_t at = 0; type.size > 0 && at + before + type.size < root.size; at++)
        if (memcmp(root.data + at, word, before) == 0)
            return root.data[at + before + type.size] == ' ' &&
                   memcmp(root.data + at + before, type.data, type.size) == 0;
    return false;
}

hsd_status hsd_place_append_type(hsd_buffer *out, const hsd_spot *place, const char *before, const char *after,
                                 hsd_error *err)
{
    const hsd_step *last = &place->steps[place->count - 1];
    const bool is_start = is_plain_start(place, place->count - 1);
    const size_t size = out->size;
    if (hsd_browser_ends(place)) return HSD_OK; /* its word was said */
    if (is_start && is_declared(place->root, last->type)) return HSD_OK;
    if (last->name.size > 0 && !is_start) return HSD_OK; /* it was told */
    if (last->name.size > 0) {
        HSD_TRY(append_object(out, last, err));
        const bool is_said = is_said_by_root(out, size, place->root);
        out->size = size;
        if (is_said) return HSD_OK;
    }
    HSD_TRY(append_place_all(out, before, err));
    HSD_TRY(append_object(out, last, err));
    return append_place_all(out, after, err);
}

bool hsd_place_ends_in_type(const hsd_spot *place)
{
    const size_t last = place->count - 1;
    return place->count > 0 && place->steps[last].edge.size == 0 && !is_plain_start(place, last);
}

hsd_status hsd_step_append_with_type(hsd_buffer *out, const hsd_step *step, hsd_error *err)
{
    if (step->edge.size == 0) { /* -> Type, without the blank before it */
        HSD_TRY(append_place_all(out, "-> ", err));
        return append_object(out, step, err);
    }
    HSD_TRY(hsd_buffer_append(out, step->edge.data, step->edge.size, err));
    if (step->repeat > 1) HSD_TRY(append_count(out, "x", step->repeat, "", err));
    HSD_TRY(append_place_all(out, ": ", err));
    return append_object(out, step, err);
}

/* ---- several together ---- */

static bool same_text(hsd_text a, hsd_text b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

static bool same_step(const hsd_step *a, const hsd_step *b)
{
    return a->repeat == b->repeat && same_text(a->edge, b->edge) && same_text(a->type, b->type);
}

/* True if the way to it leads on from the holder: then its own part says enough. */
static bool is_below(const hsd_co_holder *by, const hsd_holder *holder)
{
    if (holder->type.size == 0 || by->path_cut > 0 || holder->path_cut > 0) return false;
    if (!same_text(by->root, holder->root) || by->path_count <= holder->path_count) return false;
    for (size_t i = 0; i < holder->path_count; i++)
        if (!same_step(&by->path[i], &holder->path[i])) return false;
    return by->path[holder->path_count].edge.size > 0;
}

bool hsd_holder_leads_to(const hsd_holder *holder)
{
    for (size_t i = 0; i < holder->by_count; i++)
        if (!is_below(&holder->by[i], holder)) return false;
    return holder->by_count > 0;
}

static hsd_status append_type(hsd_buffer *out, const hsd_spot *place, const char *before, const char *after,
                              hsd_error *err)
{
    return place->count == 0 || hsd_place_ends_in_type(place) ? HSD_OK
                                                              : hsd_place_append_type(out, place, before, after, err);
}

#define LONGEST_TYPE_OF_SEVERAL 24u /* of two names and two types the names have to be read */

hsd_status hsd_co_holder_append(hsd_buffer *out, const hsd_co_holder *by, const char *before, const char *after,
                                hsd_error *err)
{
    const hsd_spot place = {by->root, by->path, by->path_count, by->path_cut};
    HSD_TRY(append_way(out, &place, hsd_place_owner(&place), err));
    if (by->type.size > LONGEST_TYPE_OF_SEVERAL) return HSD_OK;
    return append_type(out, &place, before, after, err);
}

/* ".root", behind a holder that was named. */
static hsd_status append_steps(hsd_buffer *out, const hsd_co_holder *by, size_t from, hsd_error *err)
{
    for (size_t i = from; i < by->path_count; i++)
        HSD_TRY(hsd_step_append(out, &by->path[i], err));
    return HSD_OK;
}

static const char *separator(size_t i, size_t count, bool has_more)
{
    if (i == 0) return "";
    return i + 1 == count && !has_more ? " and " : ", ";
}

hsd_status hsd_together_append(hsd_buffer *out, const hsd_holder *holder, const char *before, const char *after,
                               hsd_error *err)
{
    const size_t shown = holder->by_count > HSD_CO_HOLDERS_NAMED + 1 ? HSD_CO_HOLDERS_NAMED : holder->by_count;
    const bool below = hsd_holder_leads_to(holder), has_more = shown < holder->by_count;
    for (size_t i = 0; i < shown; i++) {
        HSD_TRY(append_place_all(out, separator(i, shown, has_more), err));
        HSD_TRY(below ? append_steps(out, &holder->by[i], holder->path_count, err)
                      : hsd_co_holder_append(out, &holder->by[i], before, after, err));
    }
    if (!has_more) return HSD_OK;
    HSD_TRY(append_place_all(out, " and ", err));
    return append_count(out, "", holder->by_count - shown, " more", err);
}

static hsd_status append_place(hsd_buffer *out, const hsd_holder *holder, const char *before, const char *after,
                               hsd_error *err)
{
    const hsd_spot place = {holder->root, holder->path, holder->path_count, holder->path_cut};
    HSD_TRY(append_way(out, &place, hsd_place_owner(&place), err));
    if (hsd_holder_is_nobody(holder)) return append_place_all(out, ": held by no one object", err);
    return append_type(out, &place, before, after, err);
}

static hsd_status append_threads(hsd_buffer *out, uint32_t count, hsd_error *err)
{
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 16];
    snprintf(text, sizeof text, ", in %s threads", hsd_format_count(number, count));
    return count > 0 ? append_place_all(out, text, err) : HSD_OK;
}

static hsd_status append_holder(hsd_buffer *out, const hsd_holder *holder, const char *before, const char *after,
                                hsd_error *err)
{
    if (holder->by_count == 0) return append_place(out, holder, before, after, err);
    if (hsd_holder_leads_to(holder)) {
        HSD_TRY(append_place(out, holder, before, after, err));
        HSD_TRY(append_place_all(out, ", by ", err));
    }
    HSD_TRY(hsd_together_append(out, holder, before, after, err));
    return holder->by_count > 1 ? append_place_all(out, ", together", err) : HSD_OK;
}

hsd_status hsd_holder_append(hsd_buffer *out, const hsd_holder *holder, const char *before, const char *after,
                             hsd_error *err)
{
    HSD_TRY(append_holder(out, holder, before, after, err));
    return append_threads(out, holder->thread_count, err);
}

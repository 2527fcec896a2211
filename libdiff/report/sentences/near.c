/*
 * A place that is far from its root, as a sentence says it: from the last function on the way whose place in the code
 * is known. What a function of the program keeps in its variables is reached over what the runtime does with its
 * closures, and nobody reads that:
 *
 *      node:internal/…is_main_thread.stdin._events.data (function ondata).self._events.line.round.sessions (Map)
 *      Function (anonymous) (server.js:9).sessions (Map)
 *
 * or from the class whose field it is (owner.h), whichever is further on. A place that people read at a glance is said
 * from its root, unless that is a module of Node.
 */
#include <ctype.h>
#include <string.h>

#include "report/model/holder_rows.h"
#include "report/sentences/browser.h"
#include "report/sentences/owner.h"
#include "report/sentences/place.h"
#include <hscapture/hscapture.h>

#define LONGEST_READ 60u /* bytes of a place that people read */
#define LEAST_SPARED 3u  /* steps */
#define MOST_STEPS   32u

/* "Function (anonymous) (server.js:9)", "coroutine main (tasks.py:18)" */
static bool has_place_in_code(hsd_text type)
{
    size_t at = type.size;
    if (at < 4 || type.data[--at] != ')') return false;
    const size_t end = at;
    while (at > 0 && isdigit((unsigned char)type.data[at - 1]))
        at--;
    if (at == end || at == 0 || type.data[at - 1] != ':') return false;
    while (at > 0 && type.data[at - 1] != '(' && type.data[at - 1] != ' ')
        at--;
    return at > 0 && type.data[at - 1] == '(';
}

/* The last function on the way whose place in the code is known; 0 = none. */
static size_t find_function(const hsd_spot *place)
{
    for (size_t i = place->count; i-- > LEAST_SPARED;)
        if (i + 1 < place->count && has_place_in_code(place->steps[i].type)) return i;
    return 0;
}

/* The step from which on the place is said: of that function, or of the class whose field it is. What hangs from a
 * variable of the function is said by the variable where the class is the runtime's. 0 = from its root. */
static size_t find_near(const hsd_spot *place)
{
    if (hsd_browser_ends(place)) return 0; /* a class of the engine has it */
    const size_t function = find_function(place), field = hsd_place_owner(place);
    const size_t owner = field > 0 ? field : hsd_place_class(place);
    const bool is_of_variable = function > 0 && hsd_type_is_of_runtime(place->steps[owner].type);
    const size_t from = owner > function && !is_of_variable ? owner : function;
    const bool is_cut_behind = place->cut > 0 && from < place->count / 2;
    return is_cut_behind || place->count - from > MOST_STEPS ? 0 : from;
}

static bool is_of_node(hsd_text root)
{
    static const char begin[] = "node:";
    return root.size >= sizeof begin - 1 && memcmp(root.data, begin, sizeof begin - 1) == 0;
}

/* So long may a place be that is said from its root: nobody looks for the program below "node:timers". */
static size_t longest_read(const hsd_spot *place) { return is_of_node(place->root) ? 0 : LONGEST_READ; }

static hsd_status place_size(const hsd_spot *place, size_t *size, hsd_error *err)
{
    hsd_buffer text = {0};
    const hsd_status status = hsd_place_append(&text, place, err);
    *size = text.size;
    hsd_buffer_release(&text);
    return status;
}

static hsd_status append_spot_near(hsd_buffer *out, const hsd_spot *whole, size_t from, const char *before,
                                   const char *after, hsd_error *err)
{
    hsd_step steps[MOST_STEPS];
    const size_t count = whole->count - from;
    memcpy(steps, whole->steps + from, count * sizeof steps[0]);
    steps[0].edge = (hsd_text){"", 0};
    steps[0].repeat = 1;
    const hsd_spot place = {steps[0].type, steps, count, 0};
    HSD_TRY(hsd_place_append(out, &place, err));
    return hsd_place_ends_in_type(&place) ? HSD_OK : hsd_place_append_type(out, &place, before, after, err);
}

hsd_status hsd_place_append_near(hsd_buffer *out, const hsd_spot *place, const char *before, const char *after,
                                 bool *is_near, hsd_error *err)
{
    const size_t from = find_near(place);
    size_t size = 0;
    *is_near = false;
    if (from > 0) HSD_TRY(place_size(place, &size, err));
    if (size <= longest_read(place)) return HSD_OK;
    *is_near = true;
    return append_spot_near(out, place, from, before, after, err);
}

static hsd_status append_near(hsd_buffer *out, const hsd_holder *holder, size_t from, const char *before,
                              const char *after, hsd_error *err)
{
    const hsd_spot place = {holder->root, holder->path, holder->path_count, holder->path_cut};
    HSD_TRY(append_spot_near(out, &place, from, before, after, err));
    if (holder->by_count == 0) return HSD_OK;
    HSD_TRY(hsd_buffer_append(out, ", by ", 5, err));
    HSD_TRY(hsd_together_append(out, holder, before, after, err));
    return holder->by_count > 1 ? hsd_buffer_append(out, ", together", 10, err) : HSD_OK;
}

static bool is_bound_this(const hsd_growth_edge *edge)
{
    static const char name[] = "<bound_this>";
    return edge->edge.size == sizeof name - 1 && memcmp(edge->edge.data, name, sizeof name - 1) == 0;
}

#define SHARE_OF_A_FUNCTION 8 /* one part in so many: objects of the engine may be larger than those of the page */

/* The one function that a browser keeps there, or the class whose bound method it is: most of all that are nearest to
 * the holder. NULL: there are several, or the rest is more than they are. */
static const hsd_growth_edge *function_below(const hsd_holder *holder)
{
    const hsd_growth_edge *largest = NULL;
    int64_t sum = 0;
    for (size_t i = 0; i < holder->edge_count; i++) {
        const hsd_growth_edge *edge = &holder->edges[i];
        const bool is_function = is_bound_this(edge) || has_place_in_code(edge->type);
        if (!is_function || edge->growth_bytes <= 0 || (largest != NULL && edge->depth != largest->depth)) continue;
        sum = (int64_t)((uint64_t)sum + (uint64_t)edge->growth_bytes);
        if (largest == NULL || edge->growth_bytes > largest->growth_bytes) largest = edge;
    }
    const bool is_told = largest != NULL && largest->growth_bytes > sum / 2 &&
                         largest->growth_bytes >= holder->growth_bytes / SHARE_OF_A_FUNCTION;
    return is_told ? largest : NULL;
}

/* ": Function onResize (chart.js:9)", ": a method of Menu" */
static hsd_status append_function_below(hsd_buffer *out, const hsd_holder *holder, hsd_error *err)
{
    const hsd_growth_edge *edge = function_below(holder);
    if (edge == NULL) return HSD_OK;
    HSD_TRY(hsd_buffer_append(out, ": ", 2, err));
    if (is_bound_this(edge)) HSD_TRY(hsd_buffer_append(out, "a method of ", 12, err));
    return hsd_buffer_append(out, edge->type.data, edge->type.size, err);
}

/* ---- a field that was given another object ---- */

#define SHARE_OF_A_FIELD 20 /* of what a holder has, all but one part in so many lies behind the field */

const hsd_growth_edge *hsd_holder_field(const hsd_holder *holder)
{
    const hsd_growth_edge *edge = holder->edge_count > 0 ? &holder->edges[0] : NULL;
    if (edge == NULL || edge->depth != 1 || edge->edge.size < 2 || edge->edge.data[0] != '.') return NULL;
    if (edge->before.objects > 1 || edge->after.objects != 1) return NULL;
    return edge->growth_bytes >= holder->growth_bytes - holder->growth_bytes / SHARE_OF_A_FIELD ? edge : NULL;
}

/* The head of a list that grows there, a list that is made anew with each element: the object that has the field was
 * there, so it is the holder, and it is the field that a program's author looks for. NULL: it is none. */
static const hsd_growth_edge *replaced_field(const hsd_holder *holder)
{
    const hsd_growth_edge *field = hsd_holder_field(holder);
    if (field == NULL || field->new_.objects != 1) return NULL;
    const bool is_array = field->type.size == 0 || field->type.data[field->type.size - 1] == ']'; /* of a container */
    return is_array ? NULL : field;
}

static hsd_status append_one_place(hsd_buffer *out, const hsd_holder *holder, bool is_one_place, const char *before,
                                   const char *after, hsd_error *err);

/* The same, with the field as the last step. */
static hsd_status append_with_field(hsd_buffer *out, const hsd_holder *holder, const hsd_growth_edge *field,
                                    const char *before, const char *after, hsd_error *err)
{
    hsd_step steps[MOST_STEPS + 1];
    hsd_holder below = *holder;
    memcpy(steps, holder->path, holder->path_count * sizeof *steps);
    steps[holder->path_count] = (hsd_step){.edge = field->edge, .type = field->type, .repeat = 1};
    below.path = steps;
    below.path_count++;
    below.type = field->type;
    return append_one_place(out, &below, true, before, after, err);
}

/* What finalizers, handles and the runtime's own variables keep are functions of the program, of which no variable of
 * it tells. */
static bool names_nothing(const hsd_holder *holder)
{
    const bool is_of_runtime = holder->root_kind == HSC_ROOT_HANDLE || holder->root_kind == HSC_ROOT_FINALIZER ||
                               holder->root_kind == HSC_ROOT_RUNTIME;
    return holder->by_count == 0 && (is_of_node(holder->root) || (is_of_runtime && holder->path_count == 0));
}

static hsd_status append_one_place(hsd_buffer *out, const hsd_holder *holder, bool is_one_place, const char *before,
                                   const char *after, hsd_error *err)
{
    const hsd_spot place = {holder->root, holder->path, holder->path_count, holder->path_cut};
    const size_t from = is_one_place ? find_near(&place) : 0;
    size_t size = 0;
    if (from > 0) HSD_TRY(place_size(&place, &size, err));
    const bool says_nothing = holder->root_kind == HSC_ROOT_HANDLE; /* held by C */
    if (size > (says_nothing ? 0 : longest_read(&place))) return append_near(out, holder, from, before, after, err);
    HSD_TRY(hsd_holder_append(out, holder, before, after, err));
    const bool is_of_browser = is_one_place && (hsd_browser_ends(&place) || hsd_browser_waits(&place));
    return is_of_browser || (is_one_place && names_nothing(holder)) ? append_function_below(out, holder, err) : HSD_OK;
}

hsd_status hsd_holder_append_near(hsd_buffer *out, const hsd_holder *holder, const char *before, const char *after,
                                  hsd_error *err)
{
    const bool is_one_place = !hsd_holder_is_nobody(holder) && holder->thread_count == 0 &&
                              (holder->by_count == 0 || hsd_holder_leads_to(holder));
    const hsd_growth_edge *field = is_one_place && holder->by_count == 0 ? replaced_field(holder) : NULL;
    if (field != NULL && holder->path_cut == 0 && holder->path_count > 0 && holder->path_count <= MOST_STEPS)
        return append_with_field(out, holder, field, before, after, err);
    return append_one_place(out, holder, is_one_place, before, after, err);
}

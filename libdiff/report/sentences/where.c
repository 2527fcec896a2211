/*
 * Where the growth hangs, in a sentence: the place, if there is one, with its share of the growth; how far it is
 * scattered, if there is none. By holders, or by roots where holders are not known, and then why not; where nothing is
 * known of either, by where it was allocated.
 */
#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "base/fail.h"
#include "report/model/holder_rows.h"
#include "report/model/series_rows.h"
#include "report/model/site_rows.h"
#include "report/sentences/fork.h"
#include "report/sentences/native.h"
#include "report/sentences/place.h"
#include "report/text/text.h"
#include "report/words/number.h"
#include "report/words/shorten.h"
#include <hscapture/hscapture.h>

/* Percent of the growth from which on one place is the answer, and from which on it is worth a word. */
#define SHARE_OF_AN_ANSWER 50
#define SHARE_WORTH_NAMING 10
#define PLACES_OF_A_CROWD  5
#define HIDDEN_ASKED       8u /* places that grew most, where the heap did not */

static unsigned share_of(int64_t bytes, int64_t growth) { return bytes > 0 ? hsd_percent_of(bytes, growth) : 0; }

/* "All of the growth", "91% of the growth", "The largest part of the growth, 34%,". */
static void print_share(hsd_screen *screen, unsigned percent)
{
    if (percent > 100)
        hsd_out_text(&screen->out, "All of the growth and more");
    else if (percent == 100)
        hsd_out_text(&screen->out, "All of the growth");
    else if (percent >= SHARE_OF_AN_ANSWER)
        hsd_out_format(&screen->out, "%u%% of the growth", percent);
    else
        hsd_out_format(&screen->out, "The largest part of the growth, %u%%,", percent);
}

#define LINES_OF_SEVERAL 2u /* places: in the width of one of them their names would be cut until nobody knows them */

static hsd_status shorten_where(hsd_screen *screen, const hsd_buffer *raw, unsigned lines, hsd_buffer *text,
                                hsd_short_name *name, hsd_arena *arena, hsd_error *err)
{
    HSD_TRY(hsd_escape_append(text, screen->form, (const char *)raw->data, raw->size, err));
    *name = (hsd_short_name){.full = (const char *)text->data, .full_size = text->size};
    name->text = name->full;
    name->size = name->full_size;
    const size_t width = screen->options->width > 0 ? screen->options->width : screen->options->name_width;
    return width > 0 ? hsd_shorten_names(name, 1, width * lines, screen->options->use_utf8, arena, err) : HSD_OK;
}

static bool begins_with_place(const hsd_short_name *name, const hsd_short_name *with)
{
    return name->size >= with->size && memcmp(name->text, with->text, with->size) == 0;
}

/* Cut in the middle; with its beginning alone where that fits and else would be cut. `beginning` may be empty. */
static void print_shortest(hsd_screen *screen, const hsd_buffer *raw, const hsd_buffer *beginning, unsigned lines)
{
    hsd_out *out = &screen->out;
    hsd_buffer text = {0}, first_text = {0};
    hsd_arena arena = {0};
    hsd_short_name name = {.size = 0}, first = {.size = 0};
    if (out->status == HSD_OK) out->status = shorten_where(screen, raw, lines, &text, &name, &arena, out->err);
    if (out->status == HSD_OK && beginning->size > 0)
        out->status = shorten_where(screen, beginning, lines, &first_text, &first, &arena, out->err);
    const bool fits = first.size > 0 && first.size == first.full_size;
    if (out->status == HSD_OK && fits && !begins_with_place(&name, &first)) name = first;
    if (out->status == HSD_OK) hsd_out_bytes(out, name.text, name.size);
    hsd_arena_release(&arena);
    hsd_buffer_release(&text);
    hsd_buffer_release(&first_text);
}

static void print_short(hsd_screen *screen, const hsd_buffer *raw, unsigned lines)
{
    print_shortest(screen, raw, &(hsd_buffer){0}, lines);
}

/* ---- by holders ---- */

/* "global.app.state.sessions (Map)" */
static void print_place(hsd_screen *screen, const hsd_holder *holder)
{
    hsd_out *out = &screen->out;
    hsd_buffer raw = {0}, place = {0};
    const hsd_spot spot = {holder->root, holder->path, holder->path_count, holder->path_cut};
    const bool is_plain = holder->by_count == 0 && holder->thread_count == 0 && !hsd_holder_is_nobody(holder);
    if (out->status == HSD_OK) out->status = hsd_holder_append_said(&raw, screen->diff, holder, " (", ")", out->err);
    if (out->status == HSD_OK && is_plain) out->status = hsd_place_append(&place, &spot, out->err);
    if (raw.size < place.size || (place.size > 0 && memcmp(raw.data, place.data, place.size) != 0)) place.size = 0;
    print_shortest(screen, &raw, &place, holder->by_count > 0 ? LINES_OF_SEVERAL : 1);
    hsd_buffer_release(&raw);
    hsd_buffer_release(&place);
}

/* "two", "three", "8" */
static const char *count_in_words(char text[HSD_NUMBER_CHARS], size_t count)
{
    return count == 2 ? "two" : count == 3 ? "three" : hsd_format_count(text, count);
}

/* What those hold alone by which a holder's growth is held together. */
static int64_t held_alone(const hsd_holder *holder)
{
    int64_t sum = 0;
    for (size_t i = 0; i < holder->by_count; i++)
        if (holder->by[i].growth_bytes > 0) sum = (int64_t)((uint64_t)sum + (uint64_t)holder->by[i].growth_bytes);
    return sum;
}

/* "hangs from two places together: A and B", with what each holds alone "from two places: A and B, 47% of it from both
 * together". */
static void print_together(hsd_screen *screen, const hsd_holder *holder, int64_t growth)
{
    hsd_out *out = &screen->out;
    char count[HSD_NUMBER_CHARS];
    hsd_buffer raw = {0};
    const unsigned together = share_of(holder->growth_bytes, growth);
    const int64_t all = (int64_t)((uint64_t)holder->growth_bytes + (uint64_t)held_alone(holder));
    const unsigned percent = share_of(all, growth);
    print_share(screen, percent);
    hsd_out_format(out, percent > together ? " hangs from %s places: " : " hangs from %s places together: ",
                   count_in_words(count, holder->by_count));
    if (out->status == HSD_OK) out->status = hsd_together_append(&raw, holder, " (", ")", out->err);
    print_short(screen, &raw, LINES_OF_SEVERAL);
    hsd_buffer_release(&raw);
    if (percent > together)
        hsd_out_format(out, ", %u%% from %s together", together, holder->by_count == 2 ? "both" : "several");
    hsd_out_text(out, percent > 100 ? "; others shrank." : ".");
}

/* Members of one variable hold it together: "hangs from one place: server.sessions, by .first and .last, together". */
static void print_members(hsd_screen *screen, const hsd_holder *holder, hsd_text variable, int64_t growth)
{
    hsd_out *out = &screen->out;
    hsd_buffer raw = {0};
    const unsigned percent = share_of((int64_t)((uint64_t)holder->growth_bytes + (uint64_t)held_alone(holder)), growth);
    print_share(screen, percent);
    hsd_out_text(out, " hangs from one place: ");
    hsd_out_said(out, screen->form, variable);
    hsd_out_text(out, ", by ");
    if (out->status == HSD_OK) out->status = hsd_members_append(&raw, holder, variable, out->err);
    print_short(screen, &raw, 1);
    hsd_buffer_release(&raw);
    hsd_out_text(out, percent > 100 ? ", together; others shrank." : ", together.");
}

/* What no place holds alone; NULL when there is none. */
static const hsd_holder *find_nobody(const hsd_diff *diff)
{
    for (size_t i = 0; i < diff->holder_count; i++)
        if (!diff->holders[i].is_code && hsd_holder_is_nobody(&diff->holders[i])) return &diff->holders[i];
    return NULL;
}

/* The largest holder that is a place, and did not only get what several held before; NULL when there is none. */
static const hsd_holder *find_place(const hsd_diff *diff)
{
    for (size_t i = 0; i < diff->holder_count; i++) {
        const hsd_holder *holder = &diff->holders[i];
        if (holder->is_code || hsd_holder_is_nobody(holder)) continue;
        if (i >= HIDDEN_ASKED || !hsd_holder_is_paid_by_nobody(diff, holder)) return holder;
    }
    return NULL;
}

static hsd_text format_of(const hsd_side *side)
{
    const char *name = side->info.source_format;
    return name == NULL ? (hsd_text){"", 0} : (hsd_text){name, strcspn(name, " ")};
}

static bool is_of_machine_alone(uint32_t root_kind)
{
    return root_kind == HSC_ROOT_RUNTIME || root_kind == HSC_ROOT_CLASS;
}

/* What the virtual machine keeps for itself, or has a part in keeping, by two formats: each of them tells something
 * else of that. */
static bool is_told_differently(const hsd_diff *diff, const hsd_holder *place)
{
    const hsd_text before = format_of(&diff->before), after = format_of(&diff->after);
    bool is_of_machine = is_of_machine_alone(place->root_kind);
    for (size_t i = 0; i < place->by_count; i++)
        is_of_machine |= is_of_machine_alone(place->by[i].root_kind);
    return is_of_machine && (before.size != after.size || memcmp(before.data, after.data, before.size) != 0);
}

/* Growth of the largest places together. */
static int64_t sum_of_largest(const hsd_diff *diff, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < diff->holder_count && count > 0; i++) {
        if (diff->holders[i].is_code || hsd_holder_is_nobody(&diff->holders[i])) continue;
        if (diff->holders[i].growth_bytes <= 0) break;
        sum = (int64_t)((uint64_t)sum + (uint64_t)diff->holders[i].growth_bytes);
        count--;
    }
    return sum;
}

static void print_scattered(hsd_screen *screen, int64_t growth, const hsd_holder *nobody)
{
    const hsd_diff *diff = screen->diff;
    char text[HSD_NUMBER_CHARS];
    const uint64_t places = hsd_holders_count(diff) - (nobody != NULL) - (hsd_holders_code(diff) != NULL);
    const unsigned percent = share_of(nobody ? nobody->growth_bytes : 0, growth);
    const unsigned largest = share_of(sum_of_largest(diff, PLACES_OF_A_CROWD), growth);
    hsd_out_format(&screen->out, "The growth is scattered: the %u largest of %s holders have ", PLACES_OF_A_CROWD,
                   hsd_format_count(text, places));
    hsd_out_format(&screen->out, largest > 0 ? "%u%% of it" : "less than 1%% of it", largest);
    if (percent >= SHARE_WORTH_NAMING) hsd_out_format(&screen->out, ", and %u%% is held by no one object", percent);
    hsd_out_text(&screen->out, ".");
}

/* "; 14% hangs from one place: app.open (Map)", behind what is no place; nothing where that says little. */
static void print_place_too(hsd_screen *screen, const hsd_holder *place, unsigned percent)
{
    if (percent < SHARE_WORTH_NAMING) return;
    hsd_out_format(&screen->out, "; %u%% hangs from one place: ", percent);
    print_place(screen, place);
}

static void print_nobody(hsd_screen *screen, unsigned percent, const hsd_holder *place, unsigned percent_of_place)
{
    print_share(screen, percent);
    hsd_out_text(&screen->out, " is held by no one object: it is reached in several ways");
    print_place_too(screen, place, percent_of_place);
    hsd_out_text(&screen->out, ".");
}

/* What the runtime compiled meanwhile, where that is most of the growth; and the place that has most of the rest. */
static bool print_code(hsd_screen *screen, int64_t growth)
{
    const hsd_holder *code = hsd_holders_code(screen->diff), *place = find_place(screen->diff);
    const unsigned percent = share_of(code ? code->growth_bytes : 0, growth);
    if (percent < SHARE_OF_AN_ANSWER) return false;
    const int64_t of_place = place ? place->growth_bytes : 0;
    print_share(screen, percent);
    hsd_out_format(&screen->out, " is %s", hsd_code_clause(&screen->diff->after));
    if (screen->diff->holders[0].is_code || screen->diff->holders[0].growth_bytes < (int64_t)screen->noise_bytes)
        hsd_out_text(&screen->out, "; nothing else grew by more than noise");
    else if (share_of(of_place, growth - code->growth_bytes) >= SHARE_OF_AN_ANSWER)
        print_place_too(screen, place, share_of(of_place, growth));
    hsd_out_text(&screen->out, ".");
    return true;
}

/* Fields of one object that are less than an answer each, and together most of it. */
static bool print_fork(hsd_screen *screen, const hsd_holder *first, int64_t growth)
{
    hsd_out *out = &screen->out;
    hsd_fork fork;
    hsd_buffer raw = {0};
    if (share_of(first->growth_bytes, growth) > SHARE_OF_AN_ANSWER) return false;
    if (!hsd_find_fork(screen->diff, first, growth / 3 * 2, &fork)) return false;
    const unsigned percent = share_of(fork.place.growth_bytes, growth);
    print_share(screen, percent);
    hsd_out_text(out, " hangs from one place: ");
    print_place(screen, &fork.place);
    if (out->status == HSD_OK) out->status = hsd_fork_append_fields(&raw, &fork, out->err);
    print_short(screen, &raw, 1);
    hsd_buffer_release(&raw);
    hsd_out_text(out, percent > 100 ? "; others shrank." : ".");
    return true;
}

static bool take_end(hsd_text *text, const char *end, size_t size)
{
    if (size > text->size || memcmp(text->data + text->size - size, end, size) != 0) return false;
    text->size -= size;
    return true;
}

/* The place was called by that step: "thread-locals of worker.notes (note)". */
static bool ends_in(hsd_text place, const hsd_growth_edge *edge)
{
    hsd_text rest = place;
    if (take_end(&rest, ")", 1) && take_end(&rest, edge->type.data, edge->type.size) && take_end(&rest, " (", 2))
        place = rest;
    return edge->edge.size > 0 && take_end(&place, edge->edge.data, edge->edge.size);
}

/* What the step below has, where a library's variable says nothing to the program: " -> task of watch". */
static void print_below(hsd_screen *screen, const hsd_holder *holder)
{
    hsd_buffer raw = {0};
    hsd_out *out = &screen->out;
    const hsd_growth_edge *edge = holder->edge_count > 0 ? &holder->edges[0] : NULL;
    if (edge == NULL || edge->depth != 1 || edge->growth_bytes < holder->growth_bytes / 2) return;
    if (edge->type.size == 0 || edge->type.data[0] == '<') return; /* "<=64 B at add", by place */
    if (out->status == HSD_OK) out->status = hsd_holder_append_said(&raw, screen->diff, holder, " (", ")", out->err);
    const bool is_said = ends_in((hsd_text){(const char *)raw.data, raw.size}, edge);
    hsd_buffer_release(&raw);
    if (is_said) return;
    if (edge->edge.size == 0) hsd_out_text(out, " ");
    const hsd_step step = {.edge = edge->edge, .type = edge->type, .repeat = 1};
    if (out->status == HSD_OK) out->status = hsd_step_append_with_type(&raw, &step, out->err);
    hsd_out_said(out, screen->form, (hsd_text){(const char *)raw.data, raw.size});
    hsd_buffer_release(&raw);
}

/* The function of the program that is on the stack; NULL where none is. */
static const hsd_site_frame *own_frame(const hsd_site_row *site)
{
    const size_t own = hsd_frames_own(site->frames, site->frame_count, 0);
    return own < site->frame_count ? &site->frames[own] : NULL;
}

typedef struct own_place { /* where the program asked for memory of one site */
    const hsd_site_frame *frame;
    int64_t growth;
    size_t site;
} own_place;

static int compare_texts(hsd_text a, hsd_text b)
{
    if (a.size != b.size) return a.size < b.size ? -1 : 1;
    return a.size > 0 ? memcmp(a.data, b.data, a.size) : 0;
}

static int compare_own_frames(const hsd_site_frame *a, const hsd_site_frame *b)
{
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    const int order = compare_texts(a->function, b->function);
    return order != 0 ? order : compare_texts(a->file, b->file);
}

static int compare_own_places(const void *left, const void *right)
{
    const own_place *a = left, *b = right;
    const int order = compare_own_frames(a->frame, b->frame);
    return order != 0 ? order : (a->site > b->site) - (a->site < b->site);
}

static size_t list_own_places(const hsd_diff *diff, own_place *out)
{
    size_t count = 0;
    for (size_t i = 0; i < diff->site_count; i++) {
        const hsd_site_frame *frame = own_frame(&diff->sites[i]);
        if (frame != NULL) out[count++] = (own_place){frame, hsd_change_bytes(&diff->sites[i].change), i};
    }
    qsort(out, count, sizeof *out, compare_own_places);
    return count;
}

/* Where the program allocated most of what grew, by whatever ways to it: a cache that was filled in one loop, and is in
 * another, did not grow. *growth is how much. NULL where there is none. */
static const hsd_site_frame *largest_own_place(hsd_out *out, const hsd_diff *diff, int64_t *growth)
{
    own_place *all = malloc((diff->site_count + 1) * sizeof *all);
    own_place largest = {0};
    *growth = 0;
    if (all == NULL) {
        if (out->status == HSD_OK) out->status = hsd_fail_nomem(out->err, "where memory was allocated");
        return NULL;
    }
    const size_t count = list_own_places(diff, all);
    for (size_t i = 0, end; i < count; i = end) {
        own_place sum = all[i];
        for (end = i + 1; end < count && compare_own_frames(all[i].frame, all[end].frame) == 0; end++)
            sum.growth = (int64_t)((uint64_t)sum.growth + (uint64_t)all[end].growth);
        if (sum.growth > largest.growth || (sum.growth == largest.growth && sum.site < largest.site)) largest = sum;
    }
    free(all);
    *growth = largest.growth;
    return largest.frame;
}

/* What only a library's variable leads to is the program's all the same: by where it was allocated. */
static void print_who_allocated(hsd_screen *screen, const hsd_holder *holder, int64_t growth)
{
    hsd_out *out = &screen->out;
    hsd_buffer raw = {0};
    int64_t of_place;
    if (!screen->diff->has_sites || (!hsd_variable_is_of_library(holder->root.data, holder->root.size) &&
                                     !hsd_root_is_frame_without_function(holder->root.data, holder->root.size)))
        return;
    print_below(screen, holder);
    const hsd_site_frame *frame = largest_own_place(out, screen->diff, &of_place);
    const unsigned percent = share_of(of_place, growth);
    if (percent < SHARE_WORTH_NAMING) return;
    if (percent >= 100)
        hsd_out_text(out, "; it was allocated at ");
    else
        hsd_out_format(out, "; %u%% was allocated at ", percent);
    if (out->status == HSD_OK) out->status = hsd_site_frame_append(&raw, frame, out->err);
    print_short(screen, &raw, 1);
    hsd_buffer_release(&raw);
}

/* Several holders have one name, as what is behind it has none: together they are the answer. */
static bool is_answer_by_name(const hsd_holder *place, const hsd_diff *diff, int64_t growth)
{
    const int64_t by_name = hsd_holder_said_growth(diff, place);
    return by_name != place->growth_bytes && share_of(by_name, growth) >= SHARE_OF_AN_ANSWER;
}

/* True if there was something to say. */
static bool print_by_holder(hsd_screen *screen, int64_t growth)
{
    const hsd_diff *diff = screen->diff;
    const hsd_holder *place = find_place(diff), *nobody = find_nobody(diff);
    const unsigned percent = share_of(place ? hsd_holder_said_growth(diff, place) : 0, growth),
                   of_nobody = share_of(nobody ? nobody->growth_bytes : 0, growth);
    const hsd_text variable = place != NULL ? hsd_holder_variable(diff, place) : (hsd_text){"", 0};
    if (percent < SHARE_OF_AN_ANSWER && of_nobody >= SHARE_OF_AN_ANSWER) {
        print_nobody(screen, of_nobody, place, percent);
    } else if (percent >= SHARE_WORTH_NAMING && place->by_count == 0 && is_told_differently(diff, place)) {
        print_share(screen, percent);
        hsd_out_text(&screen->out, " is in ");
        hsd_out_said(&screen->out, screen->form, place->root);
        hsd_out_text(&screen->out, ", of which the two formats tell differently.");
    } else if (place != NULL && !is_answer_by_name(place, diff, growth) && print_fork(screen, place, growth)) {
        return true;
    } else if (percent >= SHARE_WORTH_NAMING && variable.size > 0) {
        print_members(screen, place, variable, growth);
    } else if (percent >= SHARE_WORTH_NAMING && place->by_count > 1 && !hsd_holder_leads_to(place)) {
        print_together(screen, place, growth);
    } else if (percent >= SHARE_WORTH_NAMING) {
        print_share(screen, percent);
        hsd_out_text(&screen->out, place->is_reached_elsewhere ? " hangs from " : " hangs from one place: ");
        print_place(screen, place);
        if (place->is_reached_elsewhere) hsd_out_text(&screen->out, ", and is reached from elsewhere, too");
        print_who_allocated(screen, place, growth);
        hsd_out_text(&screen->out, percent > 100 ? "; others shrank." : ".");
    } else if (hsd_holders_count(diff) - (hsd_holders_code(diff) != NULL) > PLACES_OF_A_CROWD + (nobody != NULL)) {
        print_scattered(screen, growth, nobody);
    } else {
        return false;
    }
    return true;
}

/* The largest that is a place and did not only get what its items, or several, lost; NULL when there is none. */
static const hsd_holder *find_hidden(const hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    for (size_t i = 0;
         i < diff->holder_count && i < HIDDEN_ASKED && diff->holders[i].growth_bytes >= (int64_t)screen->noise_bytes;
         i++) {
        const hsd_holder *holder = &diff->holders[i];
        if (holder->is_code || hsd_holder_is_nobody(holder) || is_told_differently(diff, holder)) continue;
        if (hsd_holder_is_paid_by_nobody(diff, holder)) continue;
        if (!hsd_holder_is_paid_below(diff, holder, screen->noise_bytes)) return holder;
    }
    return NULL;
}

/* A heap that did not grow may leak all the same. */
static bool print_hidden_growth(hsd_screen *screen)
{
    char size[HSD_NUMBER_CHARS];
    const hsd_holder *place = find_hidden(screen);
    if (!place) return false;
    hsd_out_format(&screen->out,
                   "Even so, one place grew by %s: ", hsd_screen_size(screen, size, (uint64_t)place->growth_bytes));
    print_place(screen, place);
    hsd_out_text(&screen->out, ".");
    return true;
}

/* A container got a larger array once, and there are no more objects: no leak, as far as two captures tell. */
static bool print_room(hsd_screen *screen)
{
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS];
    const hsd_holder *place = &screen->diff->holders[0];
    const int64_t more = hsd_change_objects(&screen->diff->total);
    hsd_out_format(&screen->out, "%s of that is one array that doubled while ",
                   hsd_screen_size(screen, size, (uint64_t)place->types[0].net_bytes));
    if (more > 0)
        hsd_out_format(&screen->out, "the heap has %s object%s more, in ", hsd_format_count(count, (uint64_t)more),
                       more == 1 ? "" : "s");
    else
        hsd_out_text(&screen->out, "no objects came, in ");
    print_place(screen, place);
    hsd_out_text(&screen->out, ".");
    return true;
}

/* ---- by roots ---- */

/* The root that grew most: of those that share with others, or of those that do not. */
static const hsd_root_row *largest_root(const hsd_diff *diff, bool is_shared)
{
    const hsd_root_row *largest = NULL;
    for (size_t i = 0; i < diff->root_count; i++) {
        const hsd_root_row *root = &diff->roots[i];
        if (root->is_shared != is_shared || hsd_change_bytes(&root->live) <= 0) continue;
        if (!largest || hsd_change_bytes(&root->live) > hsd_change_bytes(&largest->live)) largest = root;
    }
    return largest;
}

static void print_name_and_growth(hsd_screen *screen, const hsd_root_row *root)
{
    char size[HSD_NUMBER_CHARS];
    hsd_out_said(&screen->out, screen->form, root->name);
    hsd_out_format(&screen->out, " (%s)", hsd_screen_growth_size(screen, size, hsd_change_bytes(&root->live)));
}

static void print_shared(hsd_screen *screen, unsigned percent, const hsd_root_row *alone, unsigned percent_alone)
{
    print_share(screen, percent < 100 ? percent : 100);
    hsd_out_text(&screen->out, " can be reached from several roots");
    if (percent_alone >= SHARE_WORTH_NAMING) {
        hsd_out_format(&screen->out, "; %u%% hangs from one alone: ", percent_alone);
        print_name_and_growth(screen, alone);
    }
    hsd_out_text(&screen->out, ".");
}

static bool print_by_root(hsd_screen *screen, int64_t growth)
{
    const hsd_root_row *alone = largest_root(screen->diff, false), *shared = largest_root(screen->diff, true);
    const unsigned percent = share_of(alone ? hsd_change_bytes(&alone->live) : 0, growth),
                   of_shared = share_of(shared ? hsd_change_bytes(&shared->live) : 0, growth);
    if (percent < SHARE_OF_AN_ANSWER && of_shared >= SHARE_OF_AN_ANSWER) {
        print_shared(screen, of_shared, alone, percent);
    } else if (percent >= SHARE_WORTH_NAMING) {
        print_share(screen, percent < 100 ? percent : 100);
        hsd_out_text(&screen->out, " hangs from one place: ");
        print_name_and_growth(screen, alone);
        hsd_out_text(&screen->out, ".");
    } else {
        return false;
    }
    return true;
}

/* ---- by sites ---- */

/* Go's runtime, for itself: goroutines, its lists, on a stack of its own that says nothing of who is served. */
static bool is_of_runtime(const hsd_site_row *site)
{
    static const char prefix[] = "runtime.";
    const size_t size = sizeof prefix - 1;
    for (size_t i = 0; i < site->frame_count; i++) {
        const hsd_text function = site->frames[i].function;
        if (function.size < size || memcmp(function.data, prefix, size) != 0) return false;
    }
    return true;
}

/* Of those that are known; of the program's own, if that is asked. */
static const hsd_site_row *largest_site(const hsd_diff *diff, bool of_program)
{
    for (size_t i = 0; i < diff->site_count && hsd_change_bytes(&diff->sites[i].change) > 0; i++)
        if (diff->sites[i].frame_count > 0 && !(of_program && is_of_runtime(&diff->sites[i]))) return &diff->sites[i];
    return NULL;
}

static void print_site(hsd_screen *screen, const hsd_site_row *site)
{
    hsd_out *out = &screen->out;
    hsd_buffer raw = {0};
    if (out->status == HSD_OK) out->status = hsd_site_append(&raw, site, out->err);
    print_short(screen, &raw, 1);
    hsd_buffer_release(&raw);
}

static void print_programs_site(hsd_screen *screen, int64_t growth)
{
    const hsd_site_row *site = largest_site(screen->diff, true);
    const unsigned percent = share_of(site ? hsd_change_bytes(&site->change) : 0, growth);
    if (percent == 0) return;
    hsd_out_format(&screen->out, "; of the program's own places %u%% at ", percent);
    print_site(screen, site);
}

static bool print_by_site(hsd_screen *screen, int64_t growth)
{
    const hsd_site_row *site = largest_site(screen->diff, false);
    const unsigned percent = share_of(site ? hsd_change_bytes(&site->change) : 0, growth);
    hsd_out *out = &screen->out;
    if (percent < SHARE_WORTH_NAMING) return false;
    print_share(screen, percent);
    const bool is_runtimes = is_of_runtime(site);
    hsd_out_text(out, is_runtimes ? " was allocated by Go's runtime for itself: " : " was allocated at one place: ");
    print_site(screen, site);
    if (is_runtimes) print_programs_site(screen, growth);
    hsd_out_text(out, percent > 100 ? "; others shrank." : ".");
    return true;
}

/* ---- */

static bool print_where(hsd_screen *screen, int64_t growth)
{
    const hsd_diff *diff = screen->diff;
    if (diff->has_holders) return print_code(screen, growth) || print_by_holder(screen, growth);
    return print_by_root(screen, growth) || (diff->has_sites && print_by_site(screen, growth));
}

static void print_why_not(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    if (diff->has_holders || diff->is_summary || diff->why_no_holders.size == 0) return;
    hsd_out_begin_paragraph(&screen->out);
    hsd_out_text(&screen->out, "Holders are not known: ");
    hsd_out_escaped(&screen->out, screen->form, diff->why_no_holders);
    hsd_out_text(&screen->out, ".");
    hsd_out_end_paragraph(&screen->out, 0);
}

void hsd_screen_where(hsd_screen *screen)
{
    const hsd_diff *diff = screen->diff;
    const int64_t growth = hsd_change_bytes(&diff->total);
    const bool is_room = hsd_growth_is_room(diff, screen->noise_bytes);
    const bool has_grown = growth >= (int64_t)screen->noise_bytes;
    if (!diff->is_partial) {
        hsd_out_begin_paragraph(&screen->out);
        const bool has_said = is_room     ? print_room(screen)
                              : has_grown ? print_where(screen, growth)
                                          : diff->has_holders && print_hidden_growth(screen);
        if (has_said)
            hsd_out_end_paragraph(&screen->out, 0);
        else
            screen->out.in_paragraph = false;
    }
    if (has_grown) print_why_not(screen);
}

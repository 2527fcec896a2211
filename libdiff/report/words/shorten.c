/*
 * Cutting names. Addresses that nobody has named lose their build ids first (address_names.h). Steps, the first that
 * suffices is taken:
 *
 *      java.util.HashMap$Node<java.lang.String,com.shop.Session>      58 columns wanted: as it is
 *      java.util.HashMap$Node<…>                                      30: what stands in <> is dropped
 *      j.u.HashMap$Node<…>                                            20: packages of Java by their letters (java_names.h)
 *      j.u.Hash…Node<…>                                               16: then the middle
 *
 * Namespaces of .NET's library go with the packages (net_names.h). Of a frame its method is what counts, and goes last;
 * of a name with a place of code behind it, the name and the line (code_names.h).
 *
 * Afterwards equal texts of different names are looked for by sorting, and lengthened until none is
 * left or a name stands there in full.
 */
#include "report/words/shorten.h"

#include <stdlib.h>
#include <string.h>

#include "report/words/address_names.h"
#include "report/words/code_names.h"
#include "report/words/java_names.h"
#include "report/words/net_names.h"
#include "report/words/utf8.h"
#include "report/words/width.h"

typedef struct ellipsis {
    const char *text;
    size_t size, width;
} ellipsis;

static ellipsis ellipsis_for(bool use_utf8)
{
    return use_utf8 ? (ellipsis){"\xE2\x80\xA6", 3, 1} : (ellipsis){"..", 2, 2};
}

/* Drops what stands between the outermost < and >, unless the name begins with it. */
static size_t collapse(const char *name, size_t size, ellipsis mark, char *out)
{
    size_t depth = 0, used = 0;
    for (size_t i = 0; i < size; i++) {
        if (name[i] == '>' && depth > 0 && --depth == 0) {
            memcpy(out + used, mark.text, mark.size);
            used += mark.size;
        }
        if (depth == 0) out[used++] = name[i];
        if (name[i] == '<' && i > 0) depth++;
    }
    return depth == 0 ? used : 0; /* unbalanced: not generics */
}

/* Bytes of the longest start of the text that is at most `width` columns wide. */
static size_t head_bytes(const char *text, size_t size, size_t width)
{
    size_t at = 0, columns = 0;
    while (at < size) {
        uint32_t code;
        const size_t step = hsd_utf8_next(text + at, size - at, &code);
        columns += hsd_width_of_character(code);
        if (columns > width) break;
        at += step;
    }
    return at;
}

/* Where the end of the text that is at most `width` columns wide begins. */
static size_t tail_start(const char *text, size_t size, size_t width)
{
    const size_t total = hsd_width_of_text(text, size);
    size_t at = 0, columns = 0;
    while (at < size && total - columns > width) {
        uint32_t code;
        at += hsd_utf8_next(text + at, size - at, &code);
        columns += hsd_width_of_character(code);
    }
    return at;
}

/* `out` may be the text itself. */
static size_t cut_middle(const char *text, size_t size, size_t width, ellipsis mark, char *out)
{
    const size_t room = width > mark.width ? width - mark.width : 1;
    const size_t tail_width = room / 2, head = head_bytes(text, size, room - tail_width);
    const size_t tail = tail_start(text, size, tail_width);
    memmove(out, text, head);
    memmove(out + head + mark.size, text + tail, size - tail);
    memcpy(out + head, mark.text, mark.size);
    return head + mark.size + (size - tail);
}

/* The name as `text` from now on; true if that is narrow enough. */
static bool take_shorten(hsd_short_name *name, const char *text, size_t size, size_t width)
{
    name->text = text;
    name->size = size;
    return hsd_width_of_text(text, size) <= width;
}

/* Packages of Java by their letters, as few of them as suffice. */
static bool shorten_packages(hsd_short_name *name, size_t width, char *text)
{
    const char *from = name->text;
    const size_t from_size = name->size;
    if (hsd_net_namespaces(from, from_size, text) < from_size)
        return take_shorten(name, text, hsd_net_namespaces(from, from_size, text), width);
    for (int keep_last = 1; keep_last >= 0; keep_last--) {
        const size_t size = hsd_java_packages(from, from_size, keep_last, text);
        if (take_shorten(name, text, size, width)) return true;
    }
    return false;
}

/* The widest that fits of what a frame can be shown as, else the narrowest; 0: it is none. */
static size_t cut_frame(const char *text, size_t size, size_t width, ellipsis mark, char *out)
{
    size_t used = 0;
    for (int step = 0; step < HSD_JAVA_FRAME_STEPS; step++) {
        used = hsd_java_frame(text, size, step, mark.text, mark.size, out);
        if (used == 0 || hsd_width_of_text(out, used) <= width) break;
    }
    return used;
}

/* A frame or a name with a place of code behind it, as narrow as it must be; 0: it is neither. */
static size_t cut_place(const char *text, size_t size, size_t width, ellipsis mark, char *out)
{
    const size_t frame = cut_frame(text, size, width, mark, out);
    return frame > 0 ? frame : hsd_code_cut(text, size, width, mark.text, mark.size, out);
}

static size_t cut(const char *text, size_t size, size_t width, ellipsis mark, char *out)
{
    size_t head, tail;
    const size_t place = cut_place(text, size, width, mark, out);
    if (place > 0) return hsd_width_of_text(out, place) <= width ? place : cut_middle(out, place, width, mark, out);
    if (width <= mark.width || !hsd_java_cut(text, size, width - mark.width, &head, &tail))
        return cut_middle(text, size, width, mark, out);
    memcpy(out, text, head);
    memcpy(out + head, mark.text, mark.size);
    memcpy(out + head + mark.size, text + tail, size - tail);
    return head + mark.size + (size - tail);
}

static bool is_cut(const hsd_short_name *name) { return name->text != name->full; }

static hsd_status leave_build_ids(hsd_short_name *name, hsd_arena *arena, hsd_error *err)
{
    if (!hsd_has_address_names(name->full, name->full_size)) return HSD_OK;
    char *text = hsd_arena_take(arena, name->full_size);
    if (text == NULL) return hsd_fail(err, HSD_E_NOMEM, "no memory to shorten a name");
    name->size = hsd_plain_address_names(name->full, name->full_size, name->bare == 1, text);
    name->text = text;
    return HSD_OK;
}

/* `collapsing` is given up when names that differ inside <> alone have to be told apart. */
static hsd_status shorten(hsd_short_name *name, size_t width, bool collapsing, ellipsis mark, hsd_arena *arena,
                          hsd_error *err)
{
    name->text = name->full;
    name->size = name->full_size;
    if (name->bare < 2) HSD_TRY(leave_build_ids(name, arena, err));
    const bool fits = hsd_width_of_text(name->text, name->size) <= width;
    if (fits && is_cut(name)) name->bare++;
    if (fits) return HSD_OK;
    const size_t capacity = 3 * name->full_size + mark.size + 1; /* each <> may grow by the mark */
    char *text = hsd_arena_take(arena, capacity), *other = hsd_arena_take(arena, capacity);
    if (!text || !other) return hsd_fail(err, HSD_E_NOMEM, "no memory to shorten a name");
    if (collapsing) {
        const size_t from_size = name->size, size = collapse(name->text, from_size, mark, other);
        if (size > 0 && size < from_size && take_shorten(name, other, size, width)) return HSD_OK;
        if (shorten_packages(name, width, text)) return HSD_OK;
    }
    char *last = collapsing ? other : text;
    take_shorten(name, last, cut(name->text, name->size, width, mark, last), width);
    return HSD_OK;
}

static int compare_shorten(const char *a, size_t a_size, const char *b, size_t b_size)
{
    const int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

static int by_text(const void *left, const void *right)
{
    const hsd_short_name *a = *(hsd_short_name *const *)left, *b = *(hsd_short_name *const *)right;
    const int order = compare_shorten(a->text, a->size, b->text, b->size);
    return order != 0 ? order : compare_shorten(a->full, a->full_size, b->full, b->full_size);
}

static bool look_equal(const hsd_short_name *a, const hsd_short_name *b)
{
    return compare_shorten(a->text, a->size, b->text, b->size) == 0;
}

/*
 * Marks the cut names that look like another name in the sorted order; returns how many. Names that are the same in
 * full stand together and may look it.
 */
static size_t find_equal(hsd_short_name **sorted, size_t count, bool *is_equal)
{
    size_t found = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && look_equal(sorted[first], sorted[end]);)
            end++;
        const hsd_short_name *a = sorted[first], *b = sorted[end - 1];
        const bool differ = compare_shorten(a->full, a->full_size, b->full, b->full_size) != 0;
        for (size_t i = first; i < end; i++) {
            is_equal[i] = differ && is_cut(sorted[i]);
            found += is_equal[i];
        }
    }
    return found;
}

static size_t room_of(const hsd_short_name *name, size_t width) { return name->room > 0 ? name->room : width; }

hsd_status hsd_shorten_names(hsd_short_name *names, size_t count, size_t width, bool use_utf8, hsd_arena *arena,
                             hsd_error *err)
{
    const ellipsis mark = ellipsis_for(use_utf8);
    hsd_short_name **sorted = calloc(count + 1, sizeof(hsd_short_name *));
    bool *is_equal = calloc(count + 1, sizeof *is_equal);
    hsd_status status =
        sorted && is_equal ? HSD_OK : hsd_fail(err, HSD_E_NOMEM, "no memory to shorten %zu names", count);
    for (size_t i = 0; status == HSD_OK && i < count; i++) {
        sorted[i] = &names[i];
        status = shorten(&names[i], room_of(&names[i], width), true, mark, arena, err);
    }
    for (size_t more = 0; status == HSD_OK; more += (width + more) / 2 + 1) {
        qsort(sorted, count, sizeof(hsd_short_name *), by_text);
        if (find_equal(sorted, count, is_equal) == 0) break;
        for (size_t i = 0; status == HSD_OK && i < count; i++)
            if (is_equal[i]) status = shorten(sorted[i], room_of(sorted[i], width) + more, false, mark, arena, err);
    }
    free(sorted);
    free(is_equal);
    return status;
}

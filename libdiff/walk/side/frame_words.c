/*
 * Frame by frame, as captures have them: the words of one are put into order by what they lead to. See frame_words.h.
 */
#include "walk/side/frame_words.h"

#include <stdlib.h>

#include "base/array.h"
#include <hscapture/hscapture.h>

bool hsd_root_is_frame_word(const hsd_root *root)
{
    return root->kind == HSC_ROOT_STACK && (root->flags & HSC_ROOT_SECONDARY) != 0 && root->frame != 0;
}

/* The one that counts comes first of those that lead to one object. */
static int compare_words(const void *a, const void *b)
{
    const hsd_frame_word *x = a, *y = b;
    if (x->target != y->target) return x->target < y->target ? -1 : 1;
    if (x->is_of_variable != y->is_of_variable) return x->is_of_variable ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static hsd_status leave_out(hsd_frame_words *w, uint32_t record, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW_ZEROED(w->left_out, w->left_out_bytes, (uint64_t)record / 8 + 1, 64, "the roots", err));
    w->left_out[record / 8] |= (uint8_t)(1 << record % 8);
    return HSD_OK;
}

hsd_status hsd_frame_words_end(hsd_frame_words *w, hsd_error *err)
{
    if (w->count > 1) qsort(w->words, w->count, sizeof *w->words, compare_words);
    for (uint32_t i = 1; i < w->count; i++)
        if (w->words[i].target == w->words[i - 1].target) HSD_TRY(leave_out(w, w->words[i].record, err));
    w->count = 0;
    return HSD_OK;
}

hsd_status hsd_frame_words_add(hsd_frame_words *w, const hsd_root *root, uint32_t record, bool is_of_variable,
                               hsd_error *err)
{
    const bool is_next = w->thread != root->thread || w->frame != root->frame;
    if (w->count > 0 && (is_next || w->count == HSD_FRAME_WORDS_MOST)) HSD_TRY(hsd_frame_words_end(w, err));
    w->thread = root->thread;
    w->frame = root->frame;
    HSD_TRY(HSD_ARRAY_GROW(w->words, w->capacity, (uint64_t)w->count + 1, 64, "the words of a frame", err));
    w->words[w->count++] = (hsd_frame_word){root->target, record, is_of_variable};
    return HSD_OK;
}

void hsd_frame_words_release(hsd_frame_words *w)
{
    free(w->words);
    free(w->left_out);
    *w = (hsd_frame_words){0};
}

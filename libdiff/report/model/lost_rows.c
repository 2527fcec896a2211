/* Rows of what is lost. */
#include "report/model/lost_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/allocators.h"
#include "report/model/site_rows.h"
#include "report/words/number.h"

static void add_amount(hsd_amount *to, hsd_amount amount)
{
    to->objects += amount.objects;
    to->bytes += amount.bytes;
}

static void add_row(hsd_lost_pick *pick, const hsd_lost_row *row)
{
    add_amount(&pick->others.before, row->before);
    add_amount(&pick->others.after, row->after);
    add_amount(&pick->others.heads_before, row->heads_before);
    add_amount(&pick->others.heads_after, row->heads_after);
    add_amount(&pick->others.revived, row->revived);
    pick->other_count++;
    pick->has_folded = pick->has_folded || hsd_lost_growth(row) > 0;
}

hsd_lost_pick hsd_lost_choose(const hsd_lost *lost, size_t most, uint64_t least_bytes)
{
    hsd_lost_pick pick = {.other_count = lost->other_count, .others = lost->others};
    while (pick.count < most && pick.count < lost->row_count &&
           (least_bytes == 0 || hsd_lost_growth(&lost->rows[pick.count]) >= (int64_t)least_bytes))
        pick.count++;
    for (size_t i = pick.count; i < lost->row_count; i++)
        add_row(&pick, &lost->rows[i]);
    return pick;
}

hsd_change hsd_lost_total(const hsd_diff *diff)
{
    return (hsd_change){.before = diff->unreached_before, .after = diff->unreached_after};
}

hsd_change hsd_lost_change(const hsd_lost_row *row) { return (hsd_change){.before = row->before, .after = row->after}; }

bool hsd_lost_matters(const hsd_diff *diff, uint64_t noise_bytes)
{
    const hsd_change total = hsd_lost_total(diff);
    return diff->lost.is_known && hsd_change_bytes(&total) > 0 &&
           hsd_magnitude(hsd_change_bytes(&total)) >= noise_bytes;
}

bool hsd_lost_leads(const hsd_diff *diff, uint64_t noise_bytes)
{
    const hsd_change total = hsd_lost_total(diff);
    return hsd_lost_matters(diff, noise_bytes) && hsd_change_bytes(&total) > hsd_change_bytes(&diff->total);
}

bool hsd_uncollected_matters(const hsd_diff *diff, uint64_t noise_bytes)
{
    const hsd_change total = hsd_lost_total(diff);
    const int64_t growth = hsd_change_bytes(&total);
    return diff->uncollected.is_known && growth > 0 && (uint64_t)growth >= noise_bytes &&
           (uint64_t)growth >= hsd_magnitude(hsd_change_bytes(&diff->total)) / 10;
}

/* ---- words ---- */

bool hsd_uncollected_revived(const hsd_lost_row *row, const char *size, char out[HSD_REVIVED_CHARS])
{
    char count[HSD_NUMBER_CHARS];
    out[0] = '\0';
    if (row->revived.objects == 0) return false;
    snprintf(out, HSD_REVIVED_CHARS, "%s of those before, %s, %s live again",
             hsd_format_count(count, row->revived.objects), size, row->revived.objects == 1 ? "is" : "are");
    return true;
}

static hsd_status append_lost_row(hsd_buffer *text, const char *words, hsd_error *err)
{
    return hsd_buffer_append(text, words, strlen(words), err);
}

static hsd_status append_text(hsd_buffer *text, hsd_text words, hsd_error *err)
{
    return words.size > 0 ? hsd_buffer_append(text, words.data, words.size, err)
                          : append_lost_row(text, "(no type)", err);
}

hsd_status hsd_lost_place_append(hsd_buffer *text, const hsd_lost_row *row, hsd_error *err)
{
    return row->place.size > 0 ? append_text(text, row->place, err) : hsd_lost_what_append(text, row, err);
}

hsd_status hsd_lost_asker_append(hsd_buffer *text, const hsd_lost_row *row, hsd_error *err)
{
    const size_t own = hsd_frames_own(row->frames, row->frame_count, row->wanted);
    return own < row->frame_count && own > row->wanted ? hsd_site_frame_append(text, &row->frames[own], err) : HSD_OK;
}

hsd_status hsd_lost_what_append(hsd_buffer *text, const hsd_lost_row *row, hsd_error *err)
{
    const uint64_t below = row->after.objects - row->heads_after.objects;
    char number[HSD_NUMBER_CHARS], words[HSD_NUMBER_CHARS + 32];
    if (row->cycle.size > 0) {
        HSD_TRY(append_lost_row(text, "cycle: ", err));
        return append_text(text, row->cycle, err);
    }
    HSD_TRY(append_text(text, row->type, err));
    if (below == 0) return HSD_OK;
    snprintf(words, sizeof words, ", with %s object%s below", hsd_format_count(number, below), below == 1 ? "" : "s");
    return append_lost_row(text, words, err);
}

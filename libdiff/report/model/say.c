/*
 * Sentences about one capture.
 */
#include "report/model/say.h"

#include <stdio.h>
#include <string.h>

#include "report/words/number.h"

hsd_status hsd_say(hsd_buffer *text, const char *words, hsd_error *err)
{
    return hsd_buffer_append(text, words, strlen(words), err);
}

char *hsd_said_size(const hsd_model *model, char out[HSD_NUMBER_CHARS], uint64_t bytes)
{
    return model->options->exact_bytes ? hsd_format_exact(out, bytes) : hsd_format_bytes(out, bytes);
}

char *hsd_format_id(char out[HSD_NUMBER_CHARS], const hsd_capture_info *info, uint64_t id)
{
    if (info->identity == HSD_IDENTITY_EXACT)
        snprintf(out, HSD_NUMBER_CHARS, "@%llu", (unsigned long long)id);
    else
        snprintf(out, HSD_NUMBER_CHARS, "0x%llx", (unsigned long long)id);
    return out;
}

#define SENTENCE_CHARS (3 * HSD_NUMBER_CHARS + 96)

hsd_status hsd_say_amount(hsd_buffer *text, const hsd_model *model, const char *words, hsd_amount amount,
                          hsd_error *err)
{
    char size[HSD_NUMBER_CHARS], count[HSD_NUMBER_CHARS], sentence[SENTENCE_CHARS];
    if (amount.objects == 0) return HSD_OK;
    snprintf(sentence, sizeof sentence, "%s: %s in %s object%s.", words, hsd_said_size(model, size, amount.bytes),
             hsd_format_count(count, amount.objects), amount.objects == 1 ? "" : "s");
    return hsd_say(text, sentence, err);
}

hsd_status hsd_say_size(hsd_buffer *text, const hsd_model *model, const hsd_side *side, hsd_error *err)
{
    const char *subject = side->has_roots ? "Live heap" : "Heap";
    if (side->live.objects > 0) return hsd_say_amount(text, model, subject, side->live, err);
    HSD_TRY(hsd_say(text, subject, err));
    return hsd_say(text, ": no objects.", err);
}

/* ---- the capture ---- */

static hsd_status say_fact(hsd_buffer *text, const char *fact, hsd_error *err)
{
    if (!fact || !fact[0]) return HSD_OK;
    if (text->size > 0) HSD_TRY(hsd_say(text, ", ", err));
    return hsd_say(text, fact, err);
}

hsd_status hsd_say_capture(hsd_buffer *text, const hsd_side *side, hsd_error *err)
{
    const hsd_capture_info *info = &side->info;
    char number[HSD_NUMBER_CHARS], pid[HSD_NUMBER_CHARS + 8];
    HSD_TRY(say_fact(text, info->path && strcmp(info->path, "-") == 0 ? "standard input" : info->path, err));
    if (info->taken_unix_ns > 0) HSD_TRY(say_fact(text, hsd_format_time(number, info->taken_unix_ns), err));
    HSD_TRY(say_fact(text, info->process_name, err));
    snprintf(pid, sizeof pid, "pid %llu", (unsigned long long)info->pid);
    if (info->pid > 0) HSD_TRY(say_fact(text, pid, err));
    HSD_TRY(say_fact(text, info->runtime, err));
    if (info->is_complete) return say_fact(text, "complete", err);
    HSD_TRY(say_fact(text, "incomplete", err));
    if (!info->incomplete_reason || !info->incomplete_reason[0]) return HSD_OK;
    HSD_TRY(hsd_say(text, ": ", err));
    return hsd_say(text, info->incomplete_reason, err);
}

/* ---- paths ---- */

static hsd_status say_subject(hsd_buffer *text, const hsd_paths *paths, hsd_error *err)
{
    char id[HSD_NUMBER_CHARS];
    const hsd_path_row *row = paths->row_count > 0 ? &paths->rows[0] : NULL;
    hsd_text type = paths->type;
    if (paths->is_id && type.size == 0 && row && row->step_count > 0) type = row->steps[row->step_count - 1].type;
    if (paths->is_id) HSD_TRY(hsd_say(text, hsd_format_id(id, &paths->side.info, paths->id), err));
    if (paths->is_id && type.size > 0) HSD_TRY(hsd_say(text, " ", err));
    return hsd_buffer_append(text, type.data, type.size, err);
}

static hsd_status say_objects(hsd_buffer *text, const hsd_model *model, const hsd_paths *paths, hsd_amount amount,
                              hsd_error *err)
{
    char objects[HSD_NUMBER_CHARS], bytes[HSD_NUMBER_CHARS], words[2 * HSD_NUMBER_CHARS + 16];
    snprintf(words, sizeof words, "%s object%s, ", hsd_format_count(objects, amount.objects),
             amount.objects == 1 ? "" : "s");
    if (!paths->is_id) HSD_TRY(hsd_say(text, words, err));
    return hsd_say(text, hsd_said_size(model, bytes, amount.bytes), err);
}

static hsd_status say_ways(hsd_buffer *text, const hsd_paths *paths, hsd_error *err)
{
    char count[HSD_NUMBER_CHARS], words[HSD_NUMBER_CHARS + 32];
    const uint64_t ways = paths->row_count + paths->other_rows;
    snprintf(words, sizeof words, ", reached over %s path%s", hsd_format_count(count, ways), ways == 1 ? "" : "s");
    return hsd_say(text, words, err);
}

hsd_status hsd_say_paths(hsd_buffer *text, const hsd_model *model, hsd_error *err)
{
    const hsd_paths *paths = model->result;
    HSD_TRY(say_subject(text, paths, err));
    HSD_TRY(hsd_say(text, ": ", err));
    if (paths->live.objects > 0) {
        HSD_TRY(say_objects(text, model, paths, paths->live, err));
        HSD_TRY(say_ways(text, paths, err));
    }
    if (paths->unreached.objects > 0) {
        if (paths->live.objects > 0) HSD_TRY(hsd_say(text, "; ", err));
        HSD_TRY(say_objects(text, model, paths, paths->unreached, err));
        HSD_TRY(hsd_say(text, ", unreached: no root leads there over strong references", err));
    }
    return hsd_say(text, ".", err);
}

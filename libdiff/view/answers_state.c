/*
 * /api/state: how far the work is, and what can be asked by now.
 */
#include "report/json_pieces.h"
#include "view/answers.h"

static void put_text_or_null(hsd_out *out, const char *key, const char *text)
{
    if (text && text[0])
        hsd_json_text(out, key, text);
    else
        hsd_out_format(out, "%snull", key);
}

static void put_captures(hsd_out *out, const hsd_view *view)
{
    hsd_out_text(out, ", \"captures\": [");
    for (size_t i = 0; i < view->name_count; i++) {
        hsd_json_text(out, i > 0 ? ", {\"name\": " : "{\"name\": ", view->names[i]);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

static void put_sides(hsd_out *out, const hsd_browse *browse)
{
    hsd_out_text(out, ", \"sides\": [");
    for (size_t i = 0; browse && i < hsd_browse_side_count(browse); i++) {
        const char *why_not = hsd_browse_why_not(browse, i);
        hsd_json_text(out, i > 0 ? ", {\"side\": " : "{\"side\": ", hsd_view_side_word(browse, i));
        hsd_json_bool(out, ", \"browsable\": ", why_not == NULL);
        put_text_or_null(out, ", \"why_not\": ", why_not);
        hsd_json_count(out, ", \"live_bytes\": ", hsd_browse_live(browse, i).bytes);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, "]");
}

static void put_failure(hsd_out *out, const hsd_view *view)
{
    if (view->phase != HSD_VIEW_FAILED) {
        hsd_out_text(out, ", \"error\": null");
        return;
    }
    char sentence[HSD_VIEW_SENTENCE_BYTES];
    hsd_view_say_error(sentence, &view->error);
    hsd_json_text(out, ", \"error\": {\"error\": ", sentence);
    hsd_json_text(out, ", \"hint\": ", view->error.hint);
    hsd_out_text(out, "}");
}

hsd_status hsd_view_answer_state(const hsd_view_asked *asked, hsd_out *out, hsd_error *err)
{
    static const char *const phases[] = {[HSD_VIEW_WORKING] = "working", [HSD_VIEW_READY] = "ready", [HSD_VIEW_FAILED] = "failed"};
    hsd_view *view = asked->view;
    (void)err;
    pthread_mutex_lock(&view->lock);
    hsd_json_text(out, "{\"phase\": ", phases[view->phase]);
    hsd_json_text(out, ", \"stage\": ", view->stage);
    hsd_json_count(out, ", \"done\": ", view->done);
    hsd_json_count(out, ", \"total\": ", view->total);
    put_captures(out, view);
    put_text_or_null(out, ", \"report\": ", !view->has_report ? NULL : view->is_series ? "series" : "diff");
    put_sides(out, view->browse);
    put_text_or_null(out, ", \"why_not\": ", view->why_not);
    put_failure(out, view);
    hsd_json_text(out, ", \"version\": ", HSDIFF_VERSION);
    hsd_out_text(out, "}");
    pthread_mutex_unlock(&view->lock);
    return HSD_OK;
}

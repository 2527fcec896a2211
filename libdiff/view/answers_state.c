/*
 * /api/state: how far the work is, and what can be asked by now.
 */
#include "view/answers.h"

static void put_text_or_null(hsd_json_writer *json, const char *key, const char *text)
{
    if (text && text[0])
        hsd_json_put_string(json, key, text);
    else
        hsd_json_put_null(json, key);
}

static void put_captures(hsd_json_writer *json, const hsd_view *view)
{
    hsd_json_open_list(json, "captures", HSD_JSON_INLINE);
    for (size_t i = 0; i < view->name_count; i++) {
        hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
        hsd_json_put_string(json, "name", view->names[i]);
        hsd_json_close(json);
    }
    hsd_json_close(json);
}

static void put_sides(hsd_json_writer *json, const hsd_browse *browse)
{
    hsd_json_open_list(json, "sides", HSD_JSON_INLINE);
    for (size_t i = 0; browse && i < hsd_browse_side_count(browse); i++) {
        const char *why_not = hsd_browse_why_not(browse, i);
        hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
        hsd_json_put_string(json, "side", hsd_view_side_word(browse, i));
        hsd_json_put_flag(json, "browsable", why_not == NULL);
        put_text_or_null(json, "why_not", why_not);
        hsd_json_put_count(json, "live_bytes", hsd_browse_live(browse, i).bytes);
        hsd_json_close(json);
    }
    hsd_json_close(json);
}

static void put_failure(hsd_json_writer *json, const hsd_view *view)
{
    if (view->phase != HSD_VIEW_FAILED) {
        hsd_json_put_null(json, "error");
        return;
    }
    char sentence[HSD_VIEW_SENTENCE_BYTES];
    hsd_view_say_error(sentence, &view->error);
    hsd_json_open_object(json, "error", HSD_JSON_INLINE);
    hsd_json_put_string(json, "error", sentence);
    hsd_json_put_string(json, "hint", view->error.hint);
    hsd_json_close(json);
}

hsd_status hsd_view_answer_state(const hsd_view_asked *asked, hsd_json_writer *json, hsd_error *err)
{
    static const char *const phases[] = {
        [HSD_VIEW_WORKING] = "working", [HSD_VIEW_READY] = "ready", [HSD_VIEW_FAILED] = "failed"};
    hsd_view *view = asked->view;
    (void)err;
    pthread_mutex_lock(&view->lock);
    hsd_json_put_string(json, "phase", phases[view->phase]);
    hsd_json_put_string(json, "stage", view->stage);
    hsd_json_put_count(json, "done", view->done);
    hsd_json_put_count(json, "total", view->total);
    put_captures(json, view);
    put_text_or_null(json, "report", !view->has_report ? NULL : view->is_series ? "series" : "diff");
    put_sides(json, view->browse);
    put_text_or_null(json, "why_not", view->why_not);
    put_failure(json, view);
    hsd_json_put_string(json, "version", HSDIFF_VERSION);
    pthread_mutex_unlock(&view->lock);
    return HSD_OK;
}

/* Words for what the engine of a browser keeps. See browser.h. */
#include "report/sentences/browser.h"

#include <string.h>

#include "base/check.h"

static bool equals(hsd_text text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static bool begins_so(hsd_text text, const char *word)
{
    return text.size >= strlen(word) && memcmp(text.data, word, strlen(word)) == 0;
}

static bool contains(hsd_text text, const char *word)
{
    const size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++)
        if (memcmp(text.data + i, word, size) == 0) return true;
    return false;
}

/* By a class of Blink on the way, the first that fits. Programs may have some of these names, too: *is_sure says that
 * no other does. */
static const char *kept_by(hsd_text type, bool *is_sure)
{
    static const struct {
        const char *class, *word;
        bool is_sure;
    } kinds[] = {
        {"ScriptedAnimationController", "<animation frames>", true},
        {"FrameRequestCallback", "<animation frames>", false},
        {"IntersectionObserverController", "<intersection observers>", true},
        {"IntersectionObserver", "<intersection observers>", false},
        {"MutationObserver", "<mutation observers>", false},
        {"ResizeObserver", "<resize observers>", false},
        {"UserTiming", "<performance marks>", false},
        {"DOMTimer", "<timers>", false},
        {"EventTargetData", "<event listeners>", false},
        {"RegisteredEventListener", "<event listeners>", false},
    };
    for (size_t i = 0; i < HSD_ARRAY_LEN(kinds); i++) {
        if (!contains(type, kinds[i].class)) continue;
        *is_sure |= kinds[i].is_sure;
        return kinds[i].word;
    }
    return NULL;
}

static bool is_wrapper(const hsd_step *step) { return equals(step->edge, "<cppgc_object>"); }

/* "blink::HeapVectorBacking<…>", of what is not in the document, too. */
static bool is_of_blink(hsd_text type) { return begins_so(type, "blink::") || begins_so(type, "Detached blink::"); }

/* What the engine refers to, as long as that is no function of the page. */
static bool is_of_engine(const hsd_step *step)
{
    return is_wrapper(step) || (equals(step->edge, "[*]") && !begins_so(step->type, "Function"));
}

/* "<body>", "Detached <li>": names of the page, too. */
static bool is_element(hsd_text type) { return begins_so(type, "<") || begins_so(type, "Detached <"); }

size_t hsd_browser_steps(const hsd_spot *place, size_t from, hsd_browser_word *word)
{
    bool is_browser = false; /* other programs have timers, too */
    size_t end = from;
    *word = (hsd_browser_word){.kept = NULL};
    for (; end < place->count && is_of_engine(&place->steps[end]); end++) {
        const hsd_step *step = &place->steps[end];
        if (place->cut > 0 && end == place->count / 2) return 0;
        is_browser |= is_wrapper(step) || is_of_blink(step->type);
        if (word->kept == NULL && is_element(step->type)) word->element = step->type;
        if (word->kept == NULL) word->kept = kept_by(step->type, &is_browser);
    }
    return is_browser && word->kept != NULL ? end - from : 0;
}

bool hsd_browser_waits(const hsd_spot *place)
{
    return place->count > 0 && equals(place->steps[place->count - 1].type, "Pending activities");
}

bool hsd_browser_ends(const hsd_spot *place)
{
    hsd_browser_word word;
    for (size_t i = place->count; i-- > 0 && is_of_engine(&place->steps[i]);) {
        const size_t steps = hsd_browser_steps(place, i, &word);
        if (steps > 0 && i + steps == place->count) return true;
    }
    return false;
}

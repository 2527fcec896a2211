/* The settings (settings.h). Runs in the first allocation of a program, so without anything of libc that might
 * allocate. */
#include "native/settings.h"

#include <string.h>

#include "native/stacks.h"

enum { MAX_SIGNAL = 64, MAX_STOP_MS = 60 * 1000, DEFAULT_DEPTH = 32, DEFAULT_STOP_MS = 500, MAX_CLEAR = 4096 };

hsn_settings hsn_set;

typedef struct word {
    const char *at;
    size_t size;
} word;

/* The value behind `key`, with its "="; size 0 when this is another key. */
static word value_of(word w, const char *key)
{
    const size_t size = strlen(key);
    if (w.size <= size || memcmp(w.at, key, size) != 0) return (word){0};
    return (word){w.at + size, w.size - size};
}

static bool is(word w, const char *text) { return w.size == strlen(text) && memcmp(w.at, text, w.size) == 0; }

static void setting_number(word w, const char *key, uint64_t least, uint64_t most, uint64_t *out)
{
    const word value = value_of(w, key);
    uint64_t n = 0;
    for (size_t i = 0; i < value.size; i++) {
        if (value.at[i] < '0' || value.at[i] > '9' || n > most) return;
        n = n * 10 + (uint64_t)(value.at[i] - '0');
    }
    if (value.size > 0 && n >= least && n <= most) *out = n;
}

static void read_word(hsn_settings *s, word w)
{
    const word stacks = value_of(w, "stacks="), fork = value_of(w, "fork="), stop = value_of(w, "stop=");
    if (is(stacks, "unwind")) s->stacks = HSN_UNWIND_CFI;
    if (is(stacks, "fp")) s->stacks = HSN_UNWIND_FP;
    if (is(stacks, "none")) s->stacks = HSN_UNWIND_NONE;
    if (is(fork, "later")) s->fork = HSN_FORK_LATER;
    if (is(fork, "now")) s->fork = HSN_FORK_NOW;
    if (is(fork, "off")) s->fork = HSN_FORK_OFF;
    if (is(stop, "auto")) s->stop = HSN_STOP_AUTO;
    if (is(stop, "trace")) s->stop = HSN_STOP_TRACE;
    if (is(stop, "signal")) s->stop = HSN_STOP_SIGNAL;
    uint64_t depth = s->depth, signal = (uint64_t)s->signal, listens = s->listens, follows = s->follows,
             clear = s->clear_bytes;
    setting_number(w, "depth=", 1, HSN_STACK_FRAMES, &depth);
    setting_number(w, "sample=", 0, UINT64_C(1) << 40, &s->sample_bytes);
    setting_number(w, "signal=", 1, MAX_SIGNAL, &signal);
    setting_number(w, "stop_ms=", 1, MAX_STOP_MS, &s->stop_ms);
    setting_number(w, "clear=", 0, MAX_CLEAR, &clear);
    setting_number(w, "listen=", 0, 1, &listens);
    setting_number(w, "follow=", 0, 1, &follows);
    s->depth = (size_t)depth;
    s->clear_bytes = (size_t)clear;
    s->signal = (int)signal;
    s->listens = listens != 0;
    s->follows = follows != 0;
}

void hsn_settings_read(hsn_settings *out, const char *text)
{
    *out = (hsn_settings){.stacks = HSN_UNWIND_CFI,
                          .depth = DEFAULT_DEPTH,
                          .stop_ms = DEFAULT_STOP_MS,
                          .clear_bytes = MAX_CLEAR,
                          .listens = true};
    while (text != NULL && *text != '\0') {
        const size_t size = strcspn(text, " ,");
        read_word(out, (word){text, size});
        text += size;
        text += strspn(text, " ,");
    }
    if (out->sample_bytes != 0) out->clear_bytes = 0; /* no references are told */
    if (out->follows && out->fork == HSN_FORK_LATER) out->fork = HSN_FORK_NOW;
}

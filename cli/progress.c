/*
 * The progress line. Drawn at most a few times a second; what two imports tell at once is shown together.
 * Nothing is drawn in the background (a stopped job must not scribble) or where nobody looks.
 */
#include "progress.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "signals.h"
#include "term.h"

#define DELAY_NS  UINT64_C(1000000000)
#define REDRAW_NS UINT64_C(200000000)

typedef struct progress_slot {
    char stage[160];
    uint64_t done, total;
    uint64_t stage_began_ns;
    bool is_used;
} progress_slot;

static struct {
    pthread_mutex_t lock;
    bool is_wanted, is_drawn;
    uint64_t began_ns, drawn_ns;
    progress_slot slots[2];
    hsd_progress_fn also;
    void *also_context;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void cli_progress_begin(const cli_app *cli)
{
    state.began_ns = now_ns();
    state.is_wanted = !cli->options.no_progress && !cli->options.quiet && cli_term_is_terminal(STDERR_FILENO);
}

/* "sorting 45 %, about 12 s left" */
static void describe_progress(const progress_slot *slot, uint64_t now, char *text, size_t capacity)
{
    char left[HSD_NUMBER_CHARS], rate[HSD_NUMBER_CHARS];
    const uint64_t elapsed_ns = now - slot->stage_began_ns;
    if (slot->total == 0 || slot->done > slot->total) {
        snprintf(text, capacity, "%s", slot->stage);
        return;
    }
    const unsigned percent = (unsigned)((double)slot->done * 100.0 / (double)slot->total);
    int used = snprintf(text, capacity, "%s %u %%", slot->stage, percent);
    const double rate_per_s = elapsed_ns > 0 ? (double)slot->done * 1e9 / (double)elapsed_ns : 0;
    /* imports and verify count bytes, everything else counts records */
    if (rate_per_s >= 1 && strncmp(slot->stage, "import", 6) == 0)
        used += snprintf(text + used, capacity - (size_t)used, ", %s/s", hsd_format_bytes(rate, (uint64_t)rate_per_s));
    if (rate_per_s > 0 && elapsed_ns > DELAY_NS && percent >= 3)
        snprintf(text + used, capacity - (size_t)used, ", about %s left",
                 hsd_format_duration(left, (uint64_t)((double)(slot->total - slot->done) / rate_per_s * 1e9)));
}

static void draw_progress(uint64_t now)
{
    char parts[2][256] = {"", ""}, line[600], safe[1200];
    for (size_t i = 0; i < 2; i++)
        if (state.slots[i].is_used) describe_progress(&state.slots[i], now, parts[i], sizeof parts[i]);
    snprintf(line, sizeof line, "%s%s%s", parts[0], parts[0][0] && parts[1][0] ? "; " : "", parts[1]);
    hsd_escape_terminal(safe, sizeof safe, line, strlen(line));
    const unsigned width = cli_term_width(STDERR_FILENO);
    fprintf(stderr, "\r\x1b[K%.*s", width > 1 ? (int)width - 1 : 79, safe);
    fflush(stderr);
    state.is_drawn = true;
    state.drawn_ns = now;
}

static void remember_progress(progress_slot *slot, const char *stage, uint64_t done, uint64_t total, uint64_t now)
{
    if (strcmp(slot->stage, stage) != 0) slot->stage_began_ns = now;
    snprintf(slot->stage, sizeof slot->stage, "%s", stage);
    slot->done = done;
    slot->total = total;
    slot->is_used = true;
}

bool cli_progress_tell(void *context, const char *stage, uint64_t done, uint64_t total)
{
    const cli_progress *progress = context;
    if (state.is_wanted) {
        const uint64_t now = now_ns();
        pthread_mutex_lock(&state.lock);
        remember_progress(&state.slots[progress ? progress->slot : 0], stage, done, total, now);
        if (now - state.began_ns >= DELAY_NS && now - state.drawn_ns >= REDRAW_NS &&
            cli_term_is_foreground(STDERR_FILENO))
            draw_progress(now);
        pthread_mutex_unlock(&state.lock);
    }
    if (progress && progress->stop && atomic_load(progress->stop)) return false;
    if (state.also && !state.also(state.also_context, stage, done, total)) return false;
    return cli_signal_seen() == 0;
}

void cli_progress_share(hsd_progress_fn also, void *context)
{
    state.also = also;
    state.also_context = context;
}

void cli_progress_clear(void)
{
    pthread_mutex_lock(&state.lock);
    if (state.is_drawn) {
        fputs("\r\x1b[K", stderr);
        fflush(stderr);
    }
    state.is_drawn = false;
    memset(state.slots, 0, sizeof state.slots);
    pthread_mutex_unlock(&state.lock);
}

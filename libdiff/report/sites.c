/*
 * GROWTH BY SITE: for captures that say where memory was allocated and not what holds it. A row is all that one stack allocated;
 * its callers stand below it.
 *
 *      SITE                              BEFORE     AFTER    GROWTH      %  OBJECTS
 *      main.(*Cache).Put (cache.go:31)   1.2 MiB   48.0 MiB  +46.8 MiB  x40  +12,000
 *        < main.handle (main.go:12)
 *        < net/http.(*conn).serve (server.go:1995)
 *        … 3 more
 *      TOTAL …
 */
#include <stdio.h>
#include <string.h>

#include "report/growth.h"
#include "report/number.h"

#define SITES_SHOWN   10
#define CALLERS_SHOWN 4

static hsd_text base_name(hsd_text path)
{
    size_t from = path.size;
    while (from > 0 && path.data[from - 1] != '/')
        from--;
    return (hsd_text){path.data + from, path.size - from};
}

static void append(hsd_screen *screen, hsd_buffer *text, const char *data, size_t size)
{
    if (screen->out.status == HSD_OK) screen->out.status = hsd_buffer_append(text, data, size, screen->out.err);
}

/* "main.fill (main.go:31)" behind `lead`. */
static void append_frame(hsd_screen *screen, hsd_buffer *text, const char *lead, const hsd_site_frame *frame)
{
    const hsd_text file = base_name(frame->file);
    char line[24];
    append(screen, text, lead, strlen(lead));
    if (frame->function.size > 0) append(screen, text, frame->function.data, frame->function.size);
    else append(screen, text, "(no name)", 9);
    if (file.size == 0) return;
    append(screen, text, " (", 2);
    append(screen, text, file.data, file.size);
    const int size = frame->line > 0 ? snprintf(line, sizeof line, ":%u)", frame->line) : snprintf(line, sizeof line, ")");
    append(screen, text, line, (size_t)size);
}

static void add_line(hsd_growth_table *growth, const char *lead, const hsd_site_frame *frame, size_t indent)
{
    hsd_buffer text = {0};
    append_frame(growth->screen, &text, lead, frame);
    hsd_growth_add_foreign(growth, (hsd_text){(const char *)text.data, text.size}, indent);
    hsd_buffer_release(&text);
}

static void add_site(hsd_growth_table *growth, const hsd_site_row *row)
{
    if (row->frame_count > 0) add_line(growth, "", &row->frames[0], 0);
    else hsd_growth_add(growth, "(no stack)", HSD_PAINT_NONE);
    hsd_growth_put(growth, &row->change, false);
    for (size_t i = 1; i < row->frame_count && i <= CALLERS_SHOWN; i++)
        add_line(growth, "< ", &row->frames[i], 2);
    if (row->frame_count <= CALLERS_SHOWN + 1) return;
    char text[48];
    snprintf(text, sizeof text, "  %s %zu more", growth->screen->options->use_utf8 ? "\xe2\x80\xa6" : "...",
             row->frame_count - CALLERS_SHOWN - 1);
    hsd_growth_add(growth, text, HSD_PAINT_NONE);
}

static void add_change(hsd_change *to, const hsd_change *change)
{
    to->before.objects += change->before.objects;
    to->before.bytes += change->before.bytes;
    to->after.objects += change->after.objects;
    to->after.bytes += change->after.bytes;
}

/* Those that grew or shrank worth telling stand first or last; so a row counts where its growth does. */
static bool is_shown(const hsd_screen *screen, const hsd_site_row *row)
{
    const int64_t growth = hsd_change_bytes(&row->change);
    return screen->options->top == HSD_TOP_ALL || hsd_magnitude(growth) >= screen->noise_bytes ||
           (screen->options->top > 0 && growth != 0);
}

static void add_others(hsd_growth_table *growth, const hsd_change *others, uint64_t count)
{
    char number[HSD_NUMBER_CHARS], text[HSD_NUMBER_CHARS + 32];
    if (count == 0) return;
    snprintf(text, sizeof text, "%s other site%s", hsd_format_count(number, count), count == 1 ? "" : "s");
    hsd_growth_add(growth, text, HSD_PAINT_NONE);
    hsd_growth_put(growth, others, false);
}

void hsd_screen_sites(hsd_screen *screen, bool *folded)
{
    const hsd_diff *diff = screen->diff;
    const size_t most = screen->options->top > 0 ? screen->options->top : SITES_SHOWN;
    hsd_growth_table growth;
    hsd_change others = diff->other_sites;
    uint64_t other_count = diff->other_site_count;
    size_t shown = 0;
    if (screen->out.status != HSD_OK || !diff->has_sites) return;
    for (size_t i = 0; i < diff->site_count; i++)
        shown += is_shown(screen, &diff->sites[i]);
    if (shown == 0) return;
    if (shown > most) shown = most;
    if (!hsd_growth_begin(&growth, screen, "SITE", shown * (CALLERS_SHOWN + 2) + 2, false)) return;
    for (size_t i = 0, added = 0; i < diff->site_count; i++) {
        if (added < shown && is_shown(screen, &diff->sites[i])) {
            add_site(&growth, &diff->sites[i]);
            added++;
            continue;
        }
        add_change(&others, &diff->sites[i].change);
        other_count++;
        *folded = *folded || hsd_change_bytes(&diff->sites[i].change) != 0;
    }
    add_others(&growth, &others, other_count);
    hsd_growth_add(&growth, "TOTAL", HSD_PAINT_HEADING);
    hsd_growth_put(&growth, &diff->total, true);
    hsd_growth_end(&growth);
}

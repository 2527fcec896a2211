/* The sites of one capture, and the spellings of their stacks. */
#include "totals/site_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

#define TABLE_SHARE 8u /* of the budget, for the sites of one capture */

/* How a frame of a spelling begins; the texts of function and file follow. */
typedef struct spelled {
    uint32_t function_bytes, file_bytes, line, column;
} spelled;

bool hsd_site_table_fits(const hsd_capture_info *info, const hsd_run *run)
{
    const uint64_t memory = run != NULL && run->memory_bytes != 0 ? run->memory_bytes : hsd_run_default_memory();
    return info->sites <= memory / TABLE_SHARE / (2 * sizeof(hsd_site));
}

/* ---- reading ---- */

static hsd_status make_room_for_site_table(hsd_site_table *table, hsd_error *err)
{
    return HSD_ARRAY_GROW(table->sites, table->capacity, table->count + 1, 64, "the allocation sites", err);
}

static hsd_status take_site(hsd_site_table *table, const hsd_site *site, hsd_error *err)
{
    /* the first of a number counts */
    if (hsd_id_map_get(&table->index, site->id) != HSD_ID_NONE) return HSD_OK;
    HSD_TRY(make_room_for_site_table(table, err));
    table->sites[table->count] = *site;
    return hsd_id_map_put(&table->index, site->id, table->count++, err);
}

hsd_status hsd_site_table_load(hsd_site_table *table, hsd_capture *capture, hsd_error *err)
{
    HSD_ASSERT(table->count == 0);
    hsd_record_reader *reader;
    hsd_record record;
    HSD_TRY(hsd_record_reader_open(&reader, capture, HSD_RECORD_SITE, err));
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        status = take_site(table, &record.site, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- spellings ---- */

/* Walks a stack outwards: `take` gets each frame. A chain that comes back on itself ends with the frames that fit. */
typedef hsd_status (*frame_fn)(hsd_site_table *table, const hsd_site *site, hsd_buffer *out, hsd_error *err);

static hsd_status walk_stack(hsd_site_table *table, uint32_t site, frame_fn take, hsd_buffer *out, hsd_error *err)
{
    for (uint32_t depth = 0; depth < HSD_SITE_FRAMES && site != 0; depth++) {
        const uint32_t at = hsd_id_map_get(&table->index, site);
        if (at == HSD_ID_NONE) return HSD_OK;
        HSD_TRY(take(table, &table->sites[at], out, err));
        site = table->sites[at].parent;
    }
    return HSD_OK;
}

static hsd_status want_texts(hsd_site_table *table, const hsd_site *site, hsd_buffer *out, hsd_error *err)
{
    (void)out;
    HSD_TRY(hsd_texts_want(&table->texts, site->function, err));
    return hsd_texts_want(&table->texts, site->file, err);
}

static hsd_status spell_frame(hsd_site_table *table, const hsd_site *site, hsd_buffer *out, hsd_error *err)
{
    const hsd_bytes function = hsd_texts_get(&table->texts, site->function),
                    file = hsd_texts_get(&table->texts, site->file);
    const spelled head = {(uint32_t)function.size, (uint32_t)file.size, site->line, site->column};
    HSD_TRY(hsd_buffer_append(out, &head, sizeof head, err));
    HSD_TRY(hsd_buffer_append(out, function.data, function.size, err));
    return hsd_buffer_append(out, file.data, file.size, err);
}

hsd_status hsd_site_table_want(hsd_site_table *table, uint32_t site, hsd_error *err)
{
    return walk_stack(table, site, want_texts, NULL, err);
}

hsd_status hsd_site_table_texts(hsd_site_table *table, hsd_capture *capture, hsd_error *err)
{
    return hsd_texts_load(&table->texts, capture, err);
}

hsd_status hsd_site_table_spell(hsd_site_table *table, uint32_t site, hsd_buffer *out, hsd_error *err)
{
    return walk_stack(table, site, spell_frame, out, err);
}

void hsd_site_table_release(hsd_site_table *table)
{
    free(table->sites);
    hsd_id_map_release(&table->index);
    hsd_texts_release(&table->texts);
    memset(table, 0, sizeof *table);
}

/* ---- the result ---- */

/* What a library does for itself: in a header of it, or where no name is. */
static bool is_inside_library(const hsd_site_frame *frame)
{
    return hsd_file_is_of_library(frame->file.data, frame->file.size) ||
           hsd_name_is_of_shared_library(frame->function.data, frame->function.size);
}

size_t hsd_site_wanted(const hsd_site_frame *frames, size_t count)
{
    size_t least = count;
    for (size_t i = 0; i < count; i++) {
        const hsd_text function = frames[i].function, file = frames[i].file;
        if (hsd_function_starts(function.data, function.size, file.data, file.size)) continue;
        if (hsd_function_allocates(function.data)) continue;
        if (!is_inside_library(&frames[i])) return i;
        if (least == count) least = i;
    }
    return least < count ? least : 0;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/*
 * "make (session.c:42)" and "make (session.c:42), inlined in main": a producer that knows addresses has its lines in
 * the text (FORMAT.md 7.12). They are put where others have them; the text is of ours, and is cut in place.
 */
static void part_line(hsd_site_frame *frame)
{
    char *text = (char *)frame->function.data;
    char *end = strstr(text, "), inlined in ");
    if (frame->file.size > 0 || frame->line > 0 || frame->function.size < 5) return;
    if (end == NULL) end = text + frame->function.size - 1;
    char *digits = end, *open = end;
    while (digits > text && is_digit(digits[-1]))
        digits--;
    if (*end != ')' || digits == end || end - digits > 9 || digits == text || digits[-1] != ':') return;
    for (open = digits - 1; open > text + 1 && !(open[-1] == '(' && open[-2] == ' ');)
        open--;
    if (open <= text + 2) return;
    frame->file = (hsd_text){open, (size_t)(digits - 1 - open)};
    frame->line = (uint32_t)strtoul(digits, NULL, 10);
    frame->function.size = (size_t)(open - 2 - text);
    text[frame->function.size] = digits[-1] = '\0';
}

hsd_status hsd_site_frames_of(hsd_bytes spelling, hsd_diff_store *store, const hsd_site_frame **out, size_t *count,
                              hsd_error *err)
{
    hsd_site_frame *frames = hsd_arena_take(&store->arena, HSD_SITE_FRAMES * sizeof *frames);
    if (frames == NULL) return hsd_fail_nomem(err, "the allocation sites");
    *out = frames;
    *count = 0;
    for (size_t at = 0; at < spelling.size;) {
        spelled head;
        hsd_site_frame *frame = &frames[(*count)++];
        memcpy(&head, spelling.data + at, sizeof head);
        at += sizeof head;
        HSD_TRY(hsd_store_text(store, (hsd_bytes){spelling.data + at, head.function_bytes}, &frame->function, err));
        at += head.function_bytes;
        HSD_TRY(hsd_store_text(store, (hsd_bytes){spelling.data + at, head.file_bytes}, &frame->file, err));
        at += head.file_bytes;
        frame->line = head.line;
        frame->column = head.column;
        part_line(frame);
    }
    return HSD_OK;
}

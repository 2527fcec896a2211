/* Stacks from tables on disk. See stacks.h. */
#include "browse/stacks.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "browse/browse.h"

/* Words of a row, as it is sorted: its number << 32 | which one it is in the capture, then these. */
enum { SITE_CALLER = 1 /* << 32 | function */, SITE_FILE /* << 32 | line */, SITE_COLUMN, SITE_WORDS };
enum { STRING_TEXT = 1 /* offset << SIZE_BITS | size */, STRING_WORDS };

_Static_assert(HSD_PAGE_BYTES % (SITE_WORDS * sizeof(uint64_t)) == 0 &&
                   HSD_PAGE_BYTES % (STRING_WORDS * sizeof(uint64_t)) == 0,
               "rows do not lie across pages");

#define SIZE_BITS 17u /* a text has at most 65,536 bytes */
#define SIZE_MASK ((UINT64_C(1) << SIZE_BITS) - 1)

/* Of strings that sites name: one bit for all numbers that are alike modulo this. Some that they do not name are kept
 * with them. */
#define NAMED_BITS (UINT32_C(1) << 20)

static uint32_t number_of(const uint64_t *row) { return (uint32_t)(row[0] >> 32); }

/* ---- making the tables ---- */

typedef struct making {
    hsd_index *index;
    uint8_t *is_named;
    hsd_column_file texts;
    uint64_t seen; /* records */
    uint64_t last; /* number of the row before */
} making;

static void name_string(making *m, uint32_t string)
{
    if (string != 0) hsd_bit_set(m->is_named, string % NAMED_BITS);
}

static hsd_status take_site(making *m, const hsd_record *record, hsd_sorter *sorter, hsd_error *err)
{
    const hsd_site *site = &record->site;
    const uint64_t row[SITE_WORDS] = {(uint64_t)site->id << 32 | (uint32_t)m->seen++,
                                      (uint64_t)site->parent << 32 | site->function,
                                      (uint64_t)site->file << 32 | site->line, site->column};
    name_string(m, site->function);
    name_string(m, site->file);
    return hsd_sorter_put(sorter, row, err);
}

static hsd_status take_string(making *m, const hsd_record *record, hsd_sorter *sorter, hsd_error *err)
{
    const hsd_string *string = &record->string;
    const uint64_t row[STRING_WORDS] = {(uint64_t)string->id << 32 | (uint32_t)m->seen++,
                                        m->texts.count << SIZE_BITS | string->text.size};
    if (!hsd_bit_get(m->is_named, string->id % NAMED_BITS)) return HSD_OK;
    HSD_TRY(hsd_column_put_bytes(&m->texts, string->text.data, string->text.size, err));
    return hsd_sorter_put(sorter, row, err);
}

typedef hsd_status (*take_fn)(making *m, const hsd_record *record, hsd_sorter *sorter, hsd_error *err);

static hsd_status read_table(making *m, hsd_record_kind kind, take_fn take, hsd_sorter *sorter, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    m->seen = 0;
    m->last = UINT64_MAX;
    HSD_TRY(hsd_record_reader_open(&reader, m->index->walk->request->capture, kind, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        status = take(m, &record, sorter, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_sites(void *context, hsd_sorter *sorter, hsd_error *err)
{
    return read_table(context, HSD_RECORD_SITE, take_site, sorter, err);
}

static hsd_status read_strings(void *context, hsd_sorter *sorter, hsd_error *err)
{
    return read_table(context, HSD_RECORD_STRING, take_string, sorter, err);
}

/* The first of a number counts. */
static hsd_status write_row(void *context, const uint64_t *row, hsd_column_file *file, hsd_error *err)
{
    making *m = context;
    if (number_of(row) == m->last) return HSD_OK;
    m->last = number_of(row);
    return hsd_column_put(file, row, err);
}

static hsd_status make_all(making *m, hsd_error *err)
{
    static const hsd_sorted sites = {SITE_WORDS, 1, SITE_WORDS * sizeof(uint64_t), read_sites, write_row, NULL};
    static const hsd_sorted strings = {STRING_WORDS, 1, STRING_WORDS * sizeof(uint64_t), read_strings, write_row, NULL};
    hsd_index *index = m->index;
    m->is_named = calloc(NAMED_BITS / 8, 1);
    if (m->is_named == NULL) return hsd_fail_nomem(err, "the index");
    HSD_TRY(hsd_index_sort(index, &sites, m, &index->sites, err));
    HSD_TRY(hsd_column_begin(&m->texts, 1, index->space, err));
    HSD_TRY(hsd_index_sort(index, &strings, m, &index->strings, err));
    HSD_TRY(hsd_column_end(&m->texts, &index->texts, 0, err));
    HSD_TRY(hsd_array_bound(&index->sites, index->page_bytes, err));
    HSD_TRY(hsd_array_bound(&index->strings, index->page_bytes, err));
    return hsd_array_bound(&index->texts, index->page_bytes, err);
}

/* Of tables that could not be made nothing stays: the next stack begins anew. */
static hsd_status make_browse_stack(hsd_index *index, hsd_error *err)
{
    making m = {.index = index};
    const hsd_status status = make_all(&m, err);
    hsd_column_close(&m.texts);
    free(m.is_named);
    index->has_stacks = status == HSD_OK;
    if (status == HSD_OK) return HSD_OK;
    hsd_array_close(&index->sites);
    hsd_array_close(&index->strings);
    hsd_array_close(&index->texts);
    hsd_error_set_file(err, index->walk->info->path);
    return status;
}

/* ---- looking ---- */

/* The row of a number. Numbers ascend, so it stands no further behind the first row than it is greater; where they
 * count up it is the first that is looked at. */
static bool find_browse_stack(hsd_paged *table, unsigned words, uint32_t number, uint64_t *row)
{
    const size_t bytes = words * sizeof *row;
    const uint64_t count = table->file.size_bytes / bytes;
    if (count == 0) return false;
    const uint32_t first = number_of((const uint64_t *)(const void *)hsd_paged_at(table, 0, HSD_FRAME_USED));
    if (number < first) return false;
    uint64_t low = 0, high = hsd_min_u64(count, (uint64_t)number - first + 1);
    for (uint64_t middle = high - 1; low < high; middle = low + (high - low) / 2) {
        memcpy(row, hsd_paged_at(table, middle * bytes, HSD_FRAME_USED), bytes);
        if (number_of(row) == number) return true;
        if (number_of(row) < number)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static void copy_bytes(hsd_paged *from, uint64_t offset, char *to, size_t size)
{
    while (size > 0) {
        const size_t part = (size_t)hsd_min_u64(size, HSD_PAGE_BYTES - offset % HSD_PAGE_BYTES);
        memcpy(to, hsd_paged_at(from, offset, HSD_FRAME_USED), part);
        offset += part;
        to += part;
        size -= part;
    }
}

static hsd_status take_text(hsd_index *index, uint32_t string, hsd_arena *arena, hsd_text *out, hsd_error *err)
{
    uint64_t row[STRING_WORDS];
    *out = (hsd_text){"", 0};
    if (string == 0 || !find_browse_stack(&index->strings, STRING_WORDS, string, row)) return HSD_OK;
    const size_t size = (size_t)(row[STRING_TEXT] & SIZE_MASK);
    const uint64_t offset = row[STRING_TEXT] >> SIZE_BITS, end = index->texts.file.size_bytes;
    if (size > end || offset > end - size) return HSD_OK; /* could not be read */
    char *text = hsd_arena_take(arena, size + 1);
    if (text == NULL) return hsd_fail_nomem(err, "an answer");
    copy_bytes(&index->texts, offset, text, size);
    *out = (hsd_text){text, size};
    return HSD_OK;
}

hsd_status hsd_index_frames(hsd_index *index, uint32_t site, hsd_arena *arena, hsd_site_frame **out, size_t *count,
                            hsd_error *err)
{
    uint64_t row[SITE_WORDS], bytes = 0;
    *out = NULL;
    *count = 0;
    if (site == 0 || index->walk->info->sites == 0) return HSD_OK;
    if (!index->has_stacks) HSD_TRY(make_browse_stack(index, err));
    *out = hsd_arena_take(arena, HSD_BROWSE_FRAMES * sizeof **out);
    if (*out == NULL) return hsd_fail_nomem(err, "an answer");
    while (*count < HSD_BROWSE_FRAMES && site != 0 && find_browse_stack(&index->sites, SITE_WORDS, site, row)) {
        hsd_site_frame *frame = &(*out)[*count];
        HSD_TRY(take_text(index, (uint32_t)row[SITE_CALLER], arena, &frame->function, err));
        HSD_TRY(take_text(index, (uint32_t)(row[SITE_FILE] >> 32), arena, &frame->file, err));
        bytes += frame->function.size + frame->file.size;
        if (bytes > HSD_BROWSE_FRAME_BYTES) break;
        frame->line = (uint32_t)row[SITE_FILE];
        frame->column = (uint32_t)row[SITE_COLUMN];
        (*count)++;
        site = (uint32_t)(row[SITE_CALLER] >> 32);
    }
    return HSD_OK;
}

/*
 * Paged arrays: the memory discipline of the graph stage. A fixed number of 16 KiB frames, a page
 * table, a use bit a frame, and a temporary file that exists only once a dirty page had to leave. A page that was never
 * written reads as zeros without touching the disk.
 *
 *      page number --page_frame--> frame      hit:  one table look-up, no call
 *                        |
 *                        └ absent: hsd_paged_fault() takes a free frame, or the first unused one from where
 *                          the hand was thrown, writes it out if dirty, reads
 *
 * Packed, a page stands in the file where it would stand otherwise, and takes less of its place: as sorters code the
 * records of their runs (sort/codec.h).
 */
#include "graph/paged.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/pages.h"
#include "base/touch.h"
#include "sort/codec.h"

#define MIN_FRAMES      16u
#define LOAD_PAGES      64u                 /* that are read at a time */
#define PUT_LEAST_BYTES (UINT64_C(4) << 20) /* of a file whose pages are lent by the system, and not copied */
#define TOUCH_BYTES     ((size_t)4 << 20)   /* what is larger has large pages */
#define PAGES_A_MISS    16u                 /* one that was missed lately is known for so many, in memory or not */
#define LATELY_MIN_BITS 2u
#define NOT_LATELY      UINT64_MAX
#define CELL_BYTES      32u /* what is asked for more than once at a time */
#define NOTHING_ALONE   UINT64_MAX
#define PAGES_A_CODING  16u /* that are packed alike, before it is looked again how */
#define MOST_PACK_WORDS 8u

static uint64_t pages_of(uint64_t bytes) { return (bytes >> HSD_PAGE_SHIFT) + ((bytes & (HSD_PAGE_BYTES - 1)) != 0); }

/* Tables cost 4 bytes and a bit a page, 5 bytes a frame; cells that were missed lately a byte a frame at most. */
static uint64_t table_bytes(uint64_t pages, uint64_t frames) { return pages * 4 + pages / 8 + 1 + frames * 5; }

uint64_t hsd_paged_full_bytes(uint64_t bytes)
{
    const uint64_t pages = hsd_max_u64(pages_of(bytes), 1);
    return pages * HSD_PAGE_BYTES + table_bytes(pages, pages);
}

uint64_t hsd_paged_least_bytes(uint64_t bytes)
{
    const uint64_t pages = hsd_max_u64(pages_of(bytes), 1);
    const uint64_t frames = hsd_min_u64(pages, MIN_FRAMES);
    return frames * HSD_PAGE_BYTES + table_bytes(pages, frames);
}

uint64_t hsd_paged_bytes_within(uint64_t bytes, uint64_t memory_bytes)
{
    return hsd_max_u64(hsd_paged_least_bytes(bytes), hsd_min_u64(hsd_paged_full_bytes(bytes), memory_bytes));
}

/* Frames that fit in memory_bytes beside the tables. */
static uint64_t frames_for(uint64_t pages, uint64_t memory_bytes)
{
    const uint64_t fixed = table_bytes(pages, 0);
    if (memory_bytes <= fixed) return 0;
    return hsd_min_u64(pages, (memory_bytes - fixed) / (HSD_PAGE_BYTES + 5));
}

bool hsd_paged_is_within(const hsd_paged *paged, uint64_t memory_bytes)
{
    return frames_for(paged->page_count, memory_bytes) == paged->frame_count;
}

static uint8_t *take_frames(uint32_t count)
{
    hsd_pages pages;
    return hsd_pages_take(&pages, (size_t)count * HSD_PAGE_BYTES) ? pages.data : NULL;
}

static void give_frames(hsd_paged *paged)
{
    hsd_pages pages = {paged->frames, (size_t)paged->frame_count * HSD_PAGE_BYTES};
    hsd_pages_give(&pages);
}

static bool take_lately(hsd_paged *paged)
{
    uint32_t bits = LATELY_MIN_BITS;
    /* of accesses that are equally likely, as few bring a page by chance whether few or most of them are in memory */
    const uint64_t pages = hsd_min_u64(paged->frame_count, paged->page_count - paged->frame_count);
    while ((UINT64_C(1) << bits) < pages / PAGES_A_MISS)
        bits++;
    free(paged->lately);
    paged->lately = malloc(sizeof *paged->lately << bits);
    paged->lately_bits = bits;
    paged->alone = NOTHING_ALONE;
    if (paged->lately == NULL) return false;
    memset(paged->lately, 0xff, sizeof *paged->lately << bits);
    return true;
}

static hsd_status take_tables(hsd_paged *paged, hsd_error *err)
{
    paged->page_frame = malloc((size_t)paged->page_count * sizeof *paged->page_frame);
    paged->frame_page = calloc(paged->frame_count, sizeof *paged->frame_page);
    paged->frame_state = calloc(paged->frame_count, 1);
    paged->on_disk = calloc((size_t)(paged->page_count / 8 + 1), 1);
    /* frames become resident only when they are used */
    paged->frames = take_frames(paged->frame_count);
    if (paged->page_frame == NULL || paged->frame_page == NULL || paged->frame_state == NULL ||
        paged->on_disk == NULL || paged->frames == NULL || !take_lately(paged)) {
        hsd_paged_close(paged);
        return hsd_fail(err, HSD_E_NOMEM, "out of memory for a paged array of %llu pages",
                        (unsigned long long)paged->page_count);
    }
    memset(paged->page_frame, 0xff, (size_t)paged->page_count * sizeof *paged->page_frame);
    return HSD_OK;
}

static hsd_status open_common(hsd_paged *paged, uint64_t bytes, uint64_t memory_bytes, hsd_error *err)
{
    const uint64_t pages = hsd_max_u64(pages_of(bytes), 1);
    const uint64_t least = hsd_min_u64(pages, MIN_FRAMES);
    const uint64_t frames = frames_for(pages, memory_bytes);
    if (frames < least || pages >= HSD_PAGE_ABSENT) {
        const uint64_t need = table_bytes(pages, least) + least * HSD_PAGE_BYTES;
        return hsd_fail(err, HSD_E_OVER_BUDGET,
                        "an array of %llu bytes needs at least %llu bytes of memory, %llu are planned",
                        (unsigned long long)bytes, (unsigned long long)need, (unsigned long long)memory_bytes);
    }
    paged->page_count = pages;
    paged->frame_count = (uint32_t)frames;
    return take_tables(paged, err);
}

/* All pages have their frame from the start: nothing is ever brought in. */
static void make_flat(hsd_paged *paged)
{
    for (uint32_t page = 0; page < paged->frame_count; page++) {
        paged->page_frame[page] = page;
        paged->frame_page[page] = page;
    }
    paged->frames_used = paged->frame_count;
    paged->is_flat = true;
}

hsd_status hsd_paged_open(hsd_paged *paged, uint64_t bytes, uint64_t memory_bytes, hsd_temp_space *space,
                          hsd_error *err)
{
    HSD_ASSERT(space != NULL);
    memset(paged, 0, sizeof *paged);
    paged->file.fd = -1;
    paged->space = space;
    HSD_TRY(open_common(paged, bytes, memory_bytes, err));
    if (paged->frame_count == paged->page_count) make_flat(paged);
    return HSD_OK;
}

void hsd_paged_expect_two(const hsd_paged *paged)
{
    const hsd_pages pages = {paged->frames, (size_t)paged->frame_count * HSD_PAGE_BYTES};
    hsd_pages_expect_two(&pages);
}

void hsd_paged_touch(const hsd_paged *paged)
{
    const size_t bytes = (size_t)paged->frame_count * HSD_PAGE_BYTES;
    if (paged->is_flat && bytes < TOUCH_BYTES) hsd_touch(paged->frames, bytes);
}

/* Takes the file, or borrows it. */
static hsd_status open_over(hsd_paged *paged, const hsd_temp *file, bool is_view, uint64_t memory_bytes, hsd_error *err)
{
    HSD_ASSERT(file->space != NULL);
    memset(paged, 0, sizeof *paged);
    paged->file = *file;
    paged->space = paged->file.space;
    paged->is_read_only = true;
    paged->is_view = is_view;
    const hsd_status status = open_common(paged, paged->file.size_bytes, memory_bytes, err);
    if (status != HSD_OK) {
        hsd_paged_close(paged);
        return status;
    }
    memset(paged->on_disk, 0xff, (size_t)(paged->page_count / 8 + 1));
    return HSD_OK;
}

hsd_status hsd_paged_open_file(hsd_paged *paged, hsd_temp *file, uint64_t memory_bytes, hsd_error *err)
{
    const hsd_temp taken = *file;
    file->fd = -1;
    return open_over(paged, &taken, false, memory_bytes, err);
}

hsd_status hsd_paged_open_view(hsd_paged *view, const hsd_paged *paged, uint64_t memory_bytes, hsd_error *err)
{
    HSD_ASSERT(paged->is_read_only && paged->pack == NULL);
    return open_over(view, &paged->file, true, memory_bytes, err);
}

static void stick(hsd_paged *paged, hsd_status status, const hsd_error *error)
{
    if (paged->status != HSD_OK) return;
    paged->status = status;
    paged->error = *error;
}

/* ---- packed pages ---- */

/* A page in the file: how each word of a record is coded, a byte a word, then the records. */
typedef struct hsd_page_pack {
    unsigned words; /* of a record */
    hsd_run_coder coder;
    uint8_t coding[HSD_SORT_MAX_WORDS];
    uint32_t until_choice; /* pages that are packed alike yet */
    uint16_t *sizes;       /* of each page in the file; that of a whole one is as it is */
    uint8_t buffer[HSD_PAGE_BYTES + HSD_RUN_RECORD_MAX_BYTES + HSD_RUN_SLACK_BYTES];
} page_pack;

_Static_assert(HSD_RUN_SLACK_BYTES >= HSD_RUN_CODER_SLACK_BYTES, "what a coder touches must be there");

hsd_status hsd_paged_pack(hsd_paged *paged, unsigned words, hsd_error *err)
{
    HSD_ASSERT(words >= 1 && words <= MOST_PACK_WORDS && HSD_PAGE_BYTES / sizeof(uint64_t) % words == 0);
    if (paged->pack != NULL || paged->file.fd >= 0) return HSD_OK;
    page_pack *pack = malloc(sizeof *pack);
    uint16_t *sizes = malloc((size_t)paged->page_count * sizeof *sizes);
    if (pack == NULL || sizes == NULL) {
        free(pack);
        free(sizes);
        return hsd_fail_nomem(err, "a paged array");
    }
    pack->words = words;
    pack->coder = hsd_run_coder_best(words);
    pack->until_choice = 0;
    pack->sizes = sizes;
    paged->pack = pack;
    return HSD_OK;
}

/* What is to be written of a page, `size` bytes. */
static const uint8_t *pack_page(page_pack *pack, const uint8_t *data, uint64_t page, size_t *size)
{
    static const uint64_t none[MOST_PACK_WORDS];
    const uint64_t *records = (const uint64_t *)(const void *)data;
    const size_t all = HSD_PAGE_BYTES / sizeof *records / pack->words;
    size_t count = all;
    if (pack->until_choice-- == 0) {
        hsd_run_choose_coding(pack->coding, records, all, pack->words);
        pack->until_choice = PAGES_A_CODING - 1;
    }
    memcpy(pack->buffer, pack->coding, pack->words);
    const uint8_t *end = pack->coder.encode(pack->buffer + pack->words, pack->buffer + HSD_PAGE_BYTES - 1, records,
                                            &count, none, pack->coding);
    *size = (size_t)(end - pack->buffer);
    const bool is_shorter = count == all && *size < HSD_PAGE_BYTES;
    if (!is_shorter) *size = HSD_PAGE_BYTES;
    pack->sizes[page] = (uint16_t)*size;
    return is_shorter ? pack->buffer : data;
}

static hsd_status read_packed(hsd_paged *paged, uint64_t page, uint8_t *data, hsd_error *err)
{
    page_pack *pack = paged->pack;
    const size_t size = pack->sizes[page], all = HSD_PAGE_BYTES / sizeof(uint64_t) / pack->words;
    uint64_t previous[MOST_PACK_WORDS] = {0};
    uint8_t coding[HSD_SORT_MAX_WORDS] = {HSD_WORD_PLAIN};
    const uint8_t *at = pack->buffer + pack->words;
    if (size == HSD_PAGE_BYTES) return hsd_temp_read(&paged->file, page << HSD_PAGE_SHIFT, data, size, err);
    HSD_TRY(hsd_temp_read(&paged->file, page << HSD_PAGE_SHIFT, pack->buffer, size, err));
    memcpy(coding, pack->buffer, pack->words);
    memset(pack->buffer + size, 0, HSD_RUN_SLACK_BYTES);
    const size_t count = pack->coder.decode(&at, pack->buffer + size, (uint64_t *)(void *)data, all, previous, coding);
    return count == all ? HSD_OK : hsd_fail(err, HSD_E_CORRUPT, "a page of a temporary file is damaged");
}

static void close_pack(hsd_paged *paged)
{
    if (paged->pack != NULL) free(paged->pack->sizes);
    free(paged->pack);
    paged->pack = NULL;
}

/* ---- pages ---- */

static void write_out(hsd_paged *paged, uint32_t frame, uint64_t page)
{
    const uint8_t *data = paged->frames + ((uint64_t)frame << HSD_PAGE_SHIFT);
    size_t size = HSD_PAGE_BYTES;
    hsd_error error;
    hsd_error_init(&error);
    hsd_status status = HSD_OK;
    paged->transfers++;
    if (paged->file.fd < 0) status = hsd_temp_open(&paged->file, paged->space, &error);
    if (paged->pack != NULL) data = pack_page(paged->pack, data, page, &size);
    if (status == HSD_OK) status = hsd_temp_write(&paged->file, page << HSD_PAGE_SHIFT, data, size, &error);
    if (status != HSD_OK) stick(paged, status, &error);
    hsd_bit_set(paged->on_disk, page);
}

static void read_in(hsd_paged *paged, uint32_t frame, uint64_t page)
{
    uint8_t *data = paged->frames + ((uint64_t)frame << HSD_PAGE_SHIFT);
    hsd_error error;
    hsd_error_init(&error);
    size_t size = HSD_PAGE_BYTES;
    if (paged->is_read_only) { /* the last page of a file may be short */
        const uint64_t left = paged->file.size_bytes - (page << HSD_PAGE_SHIFT);
        if (left < size) {
            memset(data + left, 0, size - (size_t)left);
            size = (size_t)left;
        }
    }
    if (paged->status != HSD_OK) return;
    paged->transfers++;
    const hsd_status status = paged->pack != NULL
                                  ? read_packed(paged, page, data, &error)
                                  : hsd_temp_read(&paged->file, page << HSD_PAGE_SHIFT, data, size, &error);
    if (status != HSD_OK) stick(paged, status, &error);
}

/* Where the hand is put: the same each time that a program runs, and in no order. */
static uint32_t throw_hand(hsd_paged *paged)
{
    paged->hand = paged->hand * UINT32_C(747796405) + UINT32_C(2891336453);
    return (uint32_t)((uint64_t)paged->hand * paged->frame_count >> 32);
}

/* The first frame from there on that was not used since a hand passed it. A hand that went round instead would leave
 * nothing of what is asked for in turns: a list whose objects lie a stride apart, a little larger than the memory. */
static uint32_t choose_victim(hsd_paged *paged)
{
    uint32_t frame = throw_hand(paged);
    while (paged->frame_state[frame] & HSD_FRAME_USED) {
        paged->frame_state[frame] = (uint8_t)(paged->frame_state[frame] & ~HSD_FRAME_USED);
        frame = frame + 1 == paged->frame_count ? 0 : frame + 1;
    }
    return frame;
}

/* The page comes into the frame, and what is there goes. */
static void bring_page(hsd_paged *paged, uint32_t frame, uint64_t page)
{
    const bool is_fresh = frame == paged->frames_used;
    HSD_ASSERT(paged->page_frame[page] == HSD_PAGE_ABSENT);
    if (is_fresh) {
        paged->frames_used++;
    } else {
        const uint32_t old = paged->frame_page[frame];
        if (paged->frame_state[frame] & HSD_FRAME_DIRTY) write_out(paged, frame, old);
        paged->page_frame[old] = HSD_PAGE_ABSENT;
    }
    paged->faults++;
    if (hsd_bit_get(paged->on_disk, page)) {
        read_in(paged, frame, page);
    } else if (!is_fresh) {
        memset(paged->frames + ((uint64_t)frame << HSD_PAGE_SHIFT), 0, HSD_PAGE_BYTES);
    }
    paged->frame_state[frame] = HSD_FRAME_USED;
    paged->frame_page[frame] = (uint32_t)page;
    paged->page_frame[page] = frame;
}

uint32_t hsd_paged_fault(hsd_paged *paged, uint64_t page)
{
    HSD_ASSERT(page < paged->page_count);
    const uint32_t frame = paged->frames_used < paged->frame_count ? paged->frames_used : choose_victim(paged);
    bring_page(paged, frame, page);
    return frame;
}

/* ---- elements of pages that are not in memory ---- */

/* In the file alone. */
static bool is_waiting(const hsd_paged *paged, uint64_t page)
{
    return page < paged->page_count && paged->page_frame[page] == HSD_PAGE_ABSENT && hsd_bit_get(paged->on_disk, page);
}

static uint32_t cell_of(uint64_t byte) { return (uint32_t)(byte & (HSD_PAGE_BYTES - 1)) / CELL_BYTES; }

bool hsd_paged_should_bring(hsd_paged *paged, uint64_t page, uint32_t cell)
{
    const uint64_t missed = page << 32 | cell;
    if (paged->frames_used < paged->frame_count) return true;
    uint64_t *slot = &paged->lately[(uint32_t)page * UINT32_C(0x9e3779b1) >> (32 - paged->lately_bits)];
    const bool is_another = *slot >> 32 == page && *slot != missed;
    *slot = is_another ? NOT_LATELY : missed;
    return is_another;
}

void hsd_paged_read_alone(hsd_paged *paged, uint64_t byte, void *out, uint32_t size)
{
    hsd_error error;
    hsd_error_init(&error);
    HSD_ASSERT(paged->pack == NULL);
    memset(out, 0, size);
    if (paged->status != HSD_OK || !hsd_bit_get(paged->on_disk, byte >> HSD_PAGE_SHIFT)) return;
    paged->elements++;
    const hsd_status status = hsd_temp_read(&paged->file, byte, out, size, &error);
    if (status == HSD_OK) return;
    memset(out, 0, size);
    stick(paged, status, &error);
}

/* From `byte` on to the end of the last of the pages that are read together. */
static size_t peek_length(const hsd_paged *paged, uint64_t byte, size_t size)
{
    size_t length = HSD_PAGE_BYTES - (size_t)(byte & (HSD_PAGE_BYTES - 1));
    while (length < size && is_waiting(paged, (byte + length) >> HSD_PAGE_SHIFT))
        length += HSD_PAGE_BYTES;
    return length;
}

hsd_status hsd_paged_peek(const hsd_paged *paged, uint64_t byte, void *out, size_t size, hsd_error *err)
{
    HSD_ASSERT(paged->pack == NULL);
    HSD_TRY(hsd_paged_check(paged, err));
    for (uint8_t *to = out; size > 0;) {
        const uint64_t page = byte >> HSD_PAGE_SHIFT, within = byte & (HSD_PAGE_BYTES - 1);
        const uint32_t frame = paged->page_frame[page];
        const bool waits = is_waiting(paged, page);
        const size_t length = hsd_min_u64(size, waits ? peek_length(paged, byte, size) : HSD_PAGE_BYTES - within);
        if (waits)
            HSD_TRY(hsd_temp_read(&paged->file, byte, to, length, err));
        else if (frame != HSD_PAGE_ABSENT)
            memcpy(to, paged->frames + ((uint64_t)frame << HSD_PAGE_SHIFT) + within, length);
        else
            memset(to, 0, length);
        to += length;
        byte += length;
        size -= length;
    }
    return HSD_OK;
}

static void write_alone(hsd_paged *paged, uint64_t byte, const void *in, uint32_t size)
{
    hsd_error error;
    hsd_error_init(&error);
    if (paged->status != HSD_OK) return;
    paged->elements++;
    const hsd_status status = hsd_temp_write(&paged->file, byte, in, size, &error);
    if (status != HSD_OK) stick(paged, status, &error);
}

void hsd_paged_copy(hsd_paged *paged, uint64_t byte, void *out, uint32_t size)
{
    HSD_ASSERT((byte & (HSD_PAGE_BYTES - 1)) + size <= HSD_PAGE_BYTES);
    if (!hsd_paged_is_absent(paged, byte) || paged->pack != NULL ||
        hsd_paged_should_bring(paged, byte >> HSD_PAGE_SHIFT, cell_of(byte))) {
        memcpy(out, hsd_paged_at(paged, byte, HSD_FRAME_USED), size);
        return;
    }
    hsd_paged_read_alone(paged, byte, out, size);
    paged->alone = byte;
}

uint64_t hsd_paged_get_absent(hsd_paged *paged, uint64_t byte, uint32_t size)
{
    uint64_t value = 0;
    uint32_t word = 0;
    HSD_ASSERT(size == sizeof word || size == sizeof value);
    void *out = size == sizeof word ? (void *)&word : (void *)&value;
    hsd_paged_copy(paged, byte, out, size);
    return size == sizeof word ? word : value;
}

/* A page that is no part of the file yet comes into memory once. What was just read alone is written alone. */
void hsd_paged_set_absent(hsd_paged *paged, uint64_t byte, uint64_t value, uint32_t size)
{
    const uint64_t page = byte >> HSD_PAGE_SHIFT;
    const uint32_t word = (uint32_t)value;
    HSD_ASSERT((size == sizeof word || size == sizeof value) && !paged->is_read_only);
    const void *in = size == sizeof word ? (const void *)&word : (const void *)&value;
    const bool is_alone = hsd_bit_get(paged->on_disk, page) && paged->pack == NULL &&
                          (paged->alone == byte || !hsd_paged_should_bring(paged, page, cell_of(byte)));
    if (!is_alone) {
        memcpy(hsd_paged_at(paged, byte, HSD_FRAME_USED | HSD_FRAME_DIRTY), in, size);
        return;
    }
    write_alone(paged, byte, in, size);
}

/* ---- windows ---- */

uint64_t hsd_paged_window(const hsd_paged *paged, uint32_t item_bytes)
{
    HSD_ASSERT(HSD_PAGE_BYTES % item_bytes == 0);
    return (uint64_t)paged->frame_count * (HSD_PAGE_BYTES / item_bytes);
}

/* As many pages as there are frames at most, so none of them drives out another: they take the frames of the others. */
void hsd_paged_bring(hsd_paged *paged, uint64_t first, uint64_t count, uint32_t item_bytes)
{
    const uint64_t items = HSD_PAGE_BYTES / item_bytes;
    HSD_ASSERT(count <= paged->frame_count * items && first % items == 0);
    if (paged->is_flat) return;
    const uint64_t start = first / items, end = hsd_min_u64((first + count + items - 1) / items, paged->page_count);
    uint32_t frame = 0;
    for (uint64_t page = start; page < end; page++) {
        if (paged->page_frame[page] != HSD_PAGE_ABSENT) continue;
        while (frame < paged->frames_used && paged->frame_page[frame] >= start && paged->frame_page[frame] < end)
            frame++;
        bring_page(paged, frame, page);
    }
}

/* ---- all at once ---- */

/* Pages that follow each other into frames that do. The last page of a file may be short. */
static void load_pages(hsd_paged *paged, uint64_t first, uint32_t count)
{
    const uint64_t byte = first << HSD_PAGE_SHIFT;
    const uint64_t size = hsd_min_u64((uint64_t)count << HSD_PAGE_SHIFT, paged->file.size_bytes - byte);
    const uint32_t frame = paged->frames_used;
    hsd_error error;
    hsd_error_init(&error);
    const hsd_status status =
        hsd_temp_read(&paged->file, byte, paged->frames + ((uint64_t)frame << HSD_PAGE_SHIFT), (size_t)size, &error);
    if (status != HSD_OK) {
        stick(paged, status, &error);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        paged->page_frame[first + i] = frame + i;
        paged->frame_page[frame + i] = (uint32_t)(first + i);
    }
    paged->frames_used += count;
    paged->transfers += count;
    paged->faults += count;
}

/* Whole pages of a file that is not short of any: the system has them, and lends them. */
static void put_pages(hsd_paged *paged)
{
    const uint64_t bytes = hsd_min_u64(paged->file.size_bytes, paged->page_count << HSD_PAGE_SHIFT);
    if (paged->frames_used > 0 || bytes < PUT_LEAST_BYTES) return;
    const uint64_t put = hsd_temp_put(&paged->file, paged->frames, (size_t)(bytes & ~(uint64_t)(HSD_PAGE_BYTES - 1)));
    paged->frames_used = (uint32_t)(put >> HSD_PAGE_SHIFT);
    for (uint32_t page = 0; page < paged->frames_used; page++)
        paged->page_frame[page] = paged->frame_page[page] = page;
    paged->faults += paged->frames_used;
}

/* A page that was never written, in a frame that was not used yet. */
static void place_zeros(hsd_paged *paged, uint64_t page)
{
    const uint32_t frame = paged->frames_used++;
    paged->page_frame[page] = frame;
    paged->frame_page[frame] = (uint32_t)page;
}

void hsd_paged_load(hsd_paged *paged)
{
    HSD_ASSERT(paged->pack == NULL);
    if (paged->frame_count < paged->page_count || paged->is_flat) return;
    put_pages(paged);
    for (uint64_t page = 0; page < paged->page_count && paged->status == HSD_OK;) {
        uint32_t count = 0;
        while (count < LOAD_PAGES && is_waiting(paged, page + count))
            count++;
        if (count > 0) load_pages(paged, page, count);
        if (count == 0 && paged->page_frame[page] == HSD_PAGE_ABSENT) place_zeros(paged, page);
        page += hsd_max_u64(count, 1);
    }
}

/* Everything that is dirty goes to the file, and other frames come. */
static hsd_status reframe(hsd_paged *paged, uint64_t frames, hsd_error *err)
{
    paged->is_flat = false;
    for (uint32_t frame = 0; frame < paged->frames_used; frame++) {
        const uint32_t page = paged->frame_page[frame];
        if (paged->frame_state[frame] & HSD_FRAME_DIRTY) write_out(paged, frame, page);
        paged->page_frame[page] = HSD_PAGE_ABSENT;
    }
    give_frames(paged);
    free(paged->frame_page);
    free(paged->frame_state);
    paged->frame_count = (uint32_t)frames;
    paged->frames_used = 0;
    paged->hand = 0;
    paged->frame_page = calloc(paged->frame_count, sizeof *paged->frame_page);
    paged->frame_state = calloc(paged->frame_count, 1);
    paged->frames = take_frames(paged->frame_count);
    if (paged->frames == NULL || paged->frame_page == NULL || paged->frame_state == NULL || !take_lately(paged)) {
        return hsd_fail_nomem(err, "a paged array");
    }
    return hsd_paged_check(paged, err);
}

hsd_status hsd_paged_shrink(hsd_paged *paged, uint64_t memory_bytes, hsd_error *err)
{
    const uint64_t least = hsd_min_u64(paged->page_count, MIN_FRAMES);
    const uint64_t frames = hsd_max_u64(frames_for(paged->page_count, memory_bytes), least);
    return frames < paged->frame_count ? reframe(paged, frames, err) : HSD_OK;
}

hsd_status hsd_paged_grow(hsd_paged *paged, uint64_t memory_bytes, hsd_error *err)
{
    const uint64_t frames = frames_for(paged->page_count, memory_bytes);
    return frames > paged->frame_count ? reframe(paged, frames, err) : HSD_OK;
}

const void *hsd_paged_plain(const hsd_paged *paged)
{
    if (paged->frames_used != paged->page_count || paged->status != HSD_OK) return NULL;
    for (uint32_t page = 0; page < paged->frames_used; page++)
        if (paged->page_frame[page] != page) return NULL;
    return paged->frames;
}

const void *hsd_paged_plain_front(const hsd_paged *paged, uint64_t bytes)
{
    const uint64_t pages = (bytes + HSD_PAGE_BYTES - 1) >> HSD_PAGE_SHIFT;
    if (pages > paged->frame_count || paged->status != HSD_OK) return NULL;
    for (uint64_t page = 0; page < pages; page++)
        if (paged->page_frame[page] != page) return NULL;
    return paged->frames;
}

void *hsd_paged_plain_to_write(hsd_paged *paged)
{
    HSD_ASSERT(!paged->is_read_only);
    if (hsd_paged_plain(paged) == NULL) return NULL;
    memset(paged->frame_state, HSD_FRAME_USED | HSD_FRAME_DIRTY, paged->frame_count);
    return paged->frames;
}

hsd_status hsd_paged_check(const hsd_paged *paged, hsd_error *err)
{
    if (paged->status != HSD_OK && err != NULL) *err = paged->error;
    return paged->status;
}

void hsd_paged_forget(hsd_paged *paged, uint64_t from, uint64_t until)
{
    HSD_ASSERT(from <= until && until <= paged->page_count << HSD_PAGE_SHIFT);
    if (paged->is_flat && !paged->is_read_only) hsd_pages_forget(paged->frames + from, (size_t)(until - from));
}

void hsd_paged_close(hsd_paged *paged)
{
    give_frames(paged);
    free(paged->page_frame);
    free(paged->frame_page);
    free(paged->frame_state);
    free(paged->on_disk);
    free(paged->lately);
    close_pack(paged);
    if (paged->space != NULL && !paged->is_view) hsd_temp_close(&paged->file);
    memset(paged, 0, sizeof *paged);
    paged->file.fd = -1;
}

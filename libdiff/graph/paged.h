/*
 * An array larger than its memory: 16 KiB pages, replaced at random but for those in use, page table of its own, over
 * an unnamed temporary file that is only made when the array does not fit. Zero-initialised. mmap under a memory cgroup
 * thrashes and gets killed; this does not (measured: 246 s against 23-29 s for one walk of 43 M nodes).
 *
 * A page comes into memory when it is asked for in two places within little time. What is asked for once, here and
 * there, is read and written alone: 4 or 8 bytes and not 16 KiB. So a walk at random costs a call of the system for
 * each access that misses, and a walk in order one more for each page.
 *
 * Where an array is gone through in order its pages may be *packed* (hsd_paged_pack): in the file stand the differences
 * of its records, a third to a half of the bytes as a rule.
 */
#ifndef HSD_GRAPH_PAGED_H
#define HSD_GRAPH_PAGED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/node.h"
#include "io/temp.h"
#include <hsdiff/status.h>

#define HSD_PAGE_SHIFT  14
#define HSD_PAGE_BYTES  (UINT32_C(1) << HSD_PAGE_SHIFT)
#define HSD_PAGE_ABSENT UINT32_MAX

struct hsd_page_pack;

typedef struct hsd_paged {
    uint8_t *frames;      /* frame_count pages */
    uint32_t *page_frame; /* page -> frame, or HSD_PAGE_ABSENT */
    uint32_t *frame_page;
    uint8_t *frame_state; /* HSD_FRAME_USED | HSD_FRAME_DIRTY */
    uint8_t *on_disk;     /* one bit a page */
    uint64_t page_count;
    uint32_t frame_count;
    uint32_t frames_used;
    uint32_t hand;
    uint64_t *lately;           /* page << 32 | cell that was missed there lately, by a hash of the page */
    uint32_t lately_bits;       /* of the hash */
    uint64_t alone;             /* the byte of the last element that was read alone */
    bool is_read_only;          /* pages come from `file` and are never written */
    bool is_view;               /* `file` is another's */
    bool is_flat;               /* everything is resident: element i lies at i, see "flat" below */
    uint64_t faults;            /* pages brought in */
    uint64_t transfers;         /* pages read from and written to the file */
    struct hsd_page_pack *pack; /* NULL: pages stand in the file as they are */
    uint64_t elements;          /* the same, one alone */
    hsd_temp file;
    hsd_temp_space *space;
    hsd_status status; /* first failure; sticks, checked once a stage by hsd_paged_check */
    hsd_error error;
} hsd_paged;

#define HSD_FRAME_USED  1
#define HSD_FRAME_DIRTY 2

/* An array of `bytes` zero bytes that keeps at most memory_bytes resident (tables included).
 * HSD_E_OVER_BUDGET if memory_bytes cannot hold the tables and 16 pages. */
hsd_status hsd_paged_open(hsd_paged *paged, uint64_t bytes, uint64_t memory_bytes, hsd_temp_space *space,
                          hsd_error *err);

/* A hint for one that is all in memory, before it is touched: two threads will fill it at once (base/pages.h). */
void hsd_paged_expect_two(const hsd_paged *paged);

/* A hint: all of an array that is small and lies in memory as a whole will be written soon (base/touch.h). */
void hsd_paged_touch(const hsd_paged *paged);

/* The same over a finished temporary file (moved into the array), read only. */
hsd_status hsd_paged_open_file(hsd_paged *paged, hsd_temp *file, uint64_t memory_bytes, hsd_error *err);

/* Another one over the file of an array that was opened so, which must be closed later: for another thread. */
hsd_status hsd_paged_open_view(hsd_paged *view, const hsd_paged *paged, uint64_t memory_bytes, hsd_error *err);

/* From now on pages are packed as records of `words` words of 64 bits, 1, 2, 4 or 8, unless some were written to the
 * file before: of an array that is gone through in order as long as it does not fit. An element of a page that is not
 * in memory brings the page; none is read alone, and several threads do not look at once. HSD_E_NOMEM. */
hsd_status hsd_paged_pack(hsd_paged *paged, unsigned words, hsd_error *err);

/* What hsd_paged_open needs to keep everything resident, and what it needs at least. */
uint64_t hsd_paged_full_bytes(uint64_t bytes);
uint64_t hsd_paged_least_bytes(uint64_t bytes);

/* What an array of so many bytes takes where it may have memory_bytes: no more than it can use, no less than it needs.
 */
uint64_t hsd_paged_bytes_within(uint64_t bytes, uint64_t memory_bytes);

/* True if the array would have as much of itself in memory with memory_bytes as it has now. */
bool hsd_paged_is_within(const hsd_paged *paged, uint64_t memory_bytes);

/* Brings a page in and returns its frame. On an I/O failure the error sticks and frame 0 is
 * returned, so that hot loops need no check: call hsd_paged_check after them. */
uint32_t hsd_paged_fault(hsd_paged *paged, uint64_t page);

/* True if a page that is not in memory was missed lately in another cell, or there is a free frame: it is worth being
 * brought. If not it counts as missed. Who asks for one thing again and again is at one place. */
bool hsd_paged_should_bring(hsd_paged *paged, uint64_t page, uint32_t cell);

/* An element of `size` bytes, 4 or 8, of a page that is not in memory. Failures stick, and 0 is returned. */
uint64_t hsd_paged_get_absent(hsd_paged *paged, uint64_t byte, uint32_t size);
void hsd_paged_set_absent(hsd_paged *paged, uint64_t byte, uint64_t value, uint32_t size);

/*
 * Windows: where an array does not fit and all of it is asked for at random, one that is walked again and again, each
 * time for the elements of one window alone, moves every page once. hsd_paged_window says how many elements of
 * `item_bytes` a window has (all of them where the array fits), hsd_paged_bring brings those from `first` on.
 */
uint64_t hsd_paged_window(const hsd_paged *paged, uint32_t item_bytes);
void hsd_paged_bring(hsd_paged *paged, uint64_t first, uint64_t count, uint32_t item_bytes);

/* Copies `size` bytes of a page that is not in memory and stays so. Failures stick, and zeros are copied. */
void hsd_paged_read_alone(hsd_paged *paged, uint64_t byte, void *out, uint32_t size);

/* Copies bytes that need not be in memory, of as many pages as they lie in, and brings none: for several threads at
 * once, too, while nobody does anything else to the array. Fails as the array did, or as hsd_temp_read. */
hsd_status hsd_paged_peek(const hsd_paged *paged, uint64_t byte, void *out, size_t size, hsd_error *err);

/* Copies `size` bytes of one page, which need not be in memory, and brings the page if it should be. */
void hsd_paged_copy(hsd_paged *paged, uint64_t byte, void *out, uint32_t size);

/*
 * Keeps at most memory_bytes resident from now on: where more is resident, what is dirty goes to the
 * file and the frames are given back. Nothing happens when the array fits. At least 16 pages and the
 * tables stay.
 */
hsd_status hsd_paged_shrink(hsd_paged *paged, uint64_t memory_bytes, hsd_error *err);

/* The other way: keeps up to memory_bytes resident from now on. Nothing happens where as much is resident already. What
 * is resident goes to the file first, and comes back when it is asked for. */
hsd_status hsd_paged_grow(hsd_paged *paged, uint64_t memory_bytes, hsd_error *err);

/* Where every page has a place in memory: all come to theirs, those that are in the file and those that were never
 * written. Else nothing happens. Failures stick. */
void hsd_paged_load(hsd_paged *paged);

/*
 * Plain: the array as memory, where all of it is there in its order; else NULL. For loops that ask for much at random,
 * until it is grown, shrunk or closed. Of one to write to all counts as written.
 */
const void *hsd_paged_plain(const hsd_paged *paged);
void *hsd_paged_plain_to_write(hsd_paged *paged);

/* The same of its first `bytes` alone: of an array with room for more than came. To read. */
const void *hsd_paged_plain_front(const hsd_paged *paged, uint64_t bytes);

/* Nobody asks for bytes `from` … `until` - 1 any more: of an array that is plain their memory goes back. */
void hsd_paged_forget(hsd_paged *paged, uint64_t from, uint64_t until);

/* First failure since open. */
hsd_status hsd_paged_check(const hsd_paged *paged, hsd_error *err);

void hsd_paged_close(hsd_paged *paged);

static inline uint8_t *hsd_paged_at(hsd_paged *paged, uint64_t byte, uint8_t state)
{
    HSD_ASSERT(byte >> HSD_PAGE_SHIFT < paged->page_count);
    HSD_ASSERT(!paged->is_read_only || (state & HSD_FRAME_DIRTY) == 0);
    const uint64_t page = byte >> HSD_PAGE_SHIFT;
    uint32_t frame = paged->page_frame[page];
    if (__builtin_expect(frame == HSD_PAGE_ABSENT, 0)) frame = hsd_paged_fault(paged, page);
    paged->frame_state[frame] |= state;
    return paged->frames + ((uint64_t)frame << HSD_PAGE_SHIFT) + (byte & (HSD_PAGE_BYTES - 1));
}

static inline bool hsd_paged_is_absent(const hsd_paged *paged, uint64_t byte)
{
    HSD_ASSERT(byte >> HSD_PAGE_SHIFT < paged->page_count);
    return __builtin_expect(paged->page_frame[byte >> HSD_PAGE_SHIFT] == HSD_PAGE_ABSENT, 0);
}

static inline uint32_t hsd_paged_get_u32(hsd_paged *paged, uint64_t index)
{
    if (hsd_paged_is_absent(paged, index << 2)) return (uint32_t)hsd_paged_get_absent(paged, index << 2, 4);
    return *(const uint32_t *)(const void *)hsd_paged_at(paged, index << 2, HSD_FRAME_USED);
}

static inline void hsd_paged_set_u32(hsd_paged *paged, uint64_t index, uint32_t value)
{
    if (hsd_paged_is_absent(paged, index << 2)) {
        hsd_paged_set_absent(paged, index << 2, value, 4);
        return;
    }
    *(uint32_t *)(void *)hsd_paged_at(paged, index << 2, HSD_FRAME_USED | HSD_FRAME_DIRTY) = value;
}

static inline uint64_t hsd_paged_get_u64(hsd_paged *paged, uint64_t index)
{
    if (hsd_paged_is_absent(paged, index << 3)) return hsd_paged_get_absent(paged, index << 3, 8);
    return *(const uint64_t *)(const void *)hsd_paged_at(paged, index << 3, HSD_FRAME_USED);
}

static inline void hsd_paged_set_u64(hsd_paged *paged, uint64_t index, uint64_t value)
{
    if (hsd_paged_is_absent(paged, index << 3)) {
        hsd_paged_set_absent(paged, index << 3, value, 8);
        return;
    }
    *(uint64_t *)(void *)hsd_paged_at(paged, index << 3, HSD_FRAME_USED | HSD_FRAME_DIRTY) = value;
}

/*
 * Flat: the same for hot loops that are compiled twice, `is_flat` being a constant in each. With `true`, which
 * needs an array with is_flat, they cost what a plain array costs; they do not mark what they write, so such an
 * array must not be shrunk.
 */
static inline uint32_t hsd_flat_get_u32(hsd_paged *paged, uint64_t index, bool is_flat)
{
    HSD_ASSERT(!is_flat || (paged->is_flat && index << 2 >> HSD_PAGE_SHIFT < paged->page_count));
    return is_flat ? ((const uint32_t *)(const void *)paged->frames)[index] : hsd_paged_get_u32(paged, index);
}

static inline void hsd_flat_set_u32(hsd_paged *paged, uint64_t index, uint32_t value, bool is_flat)
{
    HSD_ASSERT(!is_flat || (paged->is_flat && index << 2 >> HSD_PAGE_SHIFT < paged->page_count));
    if (is_flat)
        ((uint32_t *)(void *)paged->frames)[index] = value;
    else
        hsd_paged_set_u32(paged, index, value);
}

static inline uint64_t hsd_flat_get_u64(hsd_paged *paged, uint64_t index, bool is_flat)
{
    HSD_ASSERT(!is_flat || (paged->is_flat && index << 3 >> HSD_PAGE_SHIFT < paged->page_count));
    return is_flat ? ((const uint64_t *)(const void *)paged->frames)[index] : hsd_paged_get_u64(paged, index);
}

static inline void hsd_flat_set_u64(hsd_paged *paged, uint64_t index, uint64_t value, bool is_flat)
{
    HSD_ASSERT(!is_flat || (paged->is_flat && index << 3 >> HSD_PAGE_SHIFT < paged->page_count));
    if (is_flat)
        ((uint64_t *)(void *)paged->frames)[index] = value;
    else
        hsd_paged_set_u64(paged, index, value);
}

/* The same of numbers of nodes, and of two of them in one element. */
static inline hsd_node hsd_flat_get_node(hsd_paged *paged, uint64_t index, bool is_flat)
{
    if (HSD_NODE_BITS == 32) return hsd_flat_get_u32(paged, index, is_flat);
    return (hsd_node)hsd_flat_get_u64(paged, index, is_flat);
}

static inline void hsd_flat_set_node(hsd_paged *paged, uint64_t index, hsd_node value, bool is_flat)
{
    if (HSD_NODE_BITS == 32)
        hsd_flat_set_u32(paged, index, (uint32_t)value, is_flat);
    else
        hsd_flat_set_u64(paged, index, value, is_flat);
}

static inline hsd_two hsd_flat_get_two(hsd_paged *paged, uint64_t index, bool is_flat)
{
    if (HSD_NODE_BITS == 32) return hsd_flat_get_u64(paged, index, is_flat);
    return hsd_two_of((hsd_node)hsd_flat_get_u64(paged, 2 * index, is_flat),
                      (hsd_node)hsd_flat_get_u64(paged, 2 * index + 1, is_flat));
}

static inline void hsd_flat_set_two(hsd_paged *paged, uint64_t index, hsd_two value, bool is_flat)
{
    if (HSD_NODE_BITS == 32) {
        hsd_flat_set_u64(paged, index, (uint64_t)value, is_flat);
        return;
    }
    hsd_flat_set_u64(paged, 2 * index, hsd_two_first(value), is_flat);
    hsd_flat_set_u64(paged, 2 * index + 1, hsd_two_second(value), is_flat);
}

static inline hsd_node hsd_paged_get_node(hsd_paged *paged, uint64_t index)
{
    return hsd_flat_get_node(paged, index, false);
}

static inline void hsd_paged_set_node(hsd_paged *paged, uint64_t index, hsd_node value)
{
    hsd_flat_set_node(paged, index, value, false);
}

static inline hsd_two hsd_paged_get_two(hsd_paged *paged, uint64_t index)
{
    return hsd_flat_get_two(paged, index, false);
}
static inline void hsd_paged_set_two(hsd_paged *paged, uint64_t index, hsd_two value)
{
    hsd_flat_set_two(paged, index, value, false);
}

/* Brings an element's cache line near, if its page is resident: of an array of u32, and of one of numbers of nodes. */
static inline void hsd_paged_prefetch(const hsd_paged *paged, uint64_t byte)
{
    HSD_ASSERT(byte >> HSD_PAGE_SHIFT < paged->page_count);
    const uint32_t frame = paged->page_frame[byte >> HSD_PAGE_SHIFT];
    if (frame == HSD_PAGE_ABSENT) return;
    __builtin_prefetch(paged->frames + ((uint64_t)frame << HSD_PAGE_SHIFT) + (byte & (HSD_PAGE_BYTES - 1)));
}

static inline void hsd_paged_prefetch_u32(const hsd_paged *paged, uint64_t index)
{
    hsd_paged_prefetch(paged, index << 2);
}

static inline void hsd_paged_prefetch_node(const hsd_paged *paged, uint64_t index)
{
    hsd_paged_prefetch(paged, index * HSD_NODE_BYTES);
}

#endif

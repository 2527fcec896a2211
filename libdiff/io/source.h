/*
 * Where input bytes come from: a file, a pipe, standard input ("-"), memory. Importers and readers
 * peek and consume and never seek, so all of them work from a pipe; those that need a second look
 * ask for a rewindable source, and a pipe is then spooled to a temporary file while it is read.
 *
 *      peek(n)  ->  view of at least n bytes ahead (fewer only at the end of input)
 *      take(n)  ->  the same n bytes are gone
 *
 * Filters (gzip) are sources on top of sources: see import/gzip.h.
 */
#ifndef HSD_IO_SOURCE_H
#define HSD_IO_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/buffer.h"
#include "io/temp.h"
#include <hsdiff/status.h>

typedef struct hsd_source hsd_source;

/* What a kind of source does. A filter of another folder makes its own. */
typedef struct hsd_source_ops {
    /* Up to `size` bytes into `data`; *got 0 only at the end of input. */
    hsd_status (*read)(void *context, void *data, size_t size, size_t *got, hsd_error *err);
    /* Back to byte 0; HSD_E_UNSUPPORTED where that cannot be. */
    hsd_status (*rewind)(void *context, hsd_error *err);
    void (*close)(void *context);
    /* The next read begins at `offset`; NULL where only rewind can be. */
    hsd_status (*seek)(void *context, uint64_t offset, hsd_error *err);
} hsd_source_ops;

struct hsd_source {
    const uint8_t *at;    /* next unread byte */
    const uint8_t *end;   /* one past the last byte in the window */
    uint64_t base_offset; /* offset in the input of window[0] */
    uint8_t *window;
    size_t window_bytes; /* capacity */
    bool is_at_end;      /* the input has no bytes beyond `end` */
    bool is_borrowed;    /* the window is the caller's: a source over memory */
    bool can_rewind;
    uint64_t total_bytes; /* size of the input, 0 = unknown (pipe, filter) */
    const hsd_source_ops *ops;
    void *context;
    char name[512]; /* for errors */
};

/* Window sizes: what one peek can ask for at most, unless opened with more. */
#define HSD_SOURCE_WINDOW_BYTES ((size_t)1 << 20)

/*
 * Opens `path` ("-" = standard input) with O_CLOEXEC, O_NOCTTY; directories are refused. A regular
 * file is rewindable. window_bytes 0 = HSD_SOURCE_WINDOW_BYTES.
 */
hsd_status hsd_source_open_file(hsd_source *source, const char *path, size_t window_bytes, hsd_error *err);

/* Over an open descriptor (not closed by close). Rewindable if it is a regular file. */
hsd_status hsd_source_open_fd(hsd_source *source, int fd, const char *name, size_t window_bytes, hsd_error *err);

/* Over a temporary file, from its begin, which stays open as long. */
hsd_status hsd_source_open_temp(hsd_source *source, const hsd_temp *temp, const char *name, size_t window_bytes,
                                hsd_error *err);

/* Over bytes that outlive the source. */
hsd_status hsd_source_open_memory(hsd_source *source, hsd_bytes bytes, const char *name, hsd_error *err);

/*
 * The seek of a source that can only be read on and rewound, as unpacking can: reads up to `offset`.
 *
 *   ops       its read and rewind
 *   position  where it stands, which both keep
 *
 * HSD_E_TRUNCATED: it ends before. Else what read and rewind return.
 */
hsd_status hsd_source_seek_by_reading(const hsd_source_ops *ops, void *context, const uint64_t *position,
                                      uint64_t offset, hsd_error *err);

/* Opens `source` over `below`, unpacking what it gives: the filters of importers. */
typedef hsd_status (*hsd_source_filter)(hsd_source *source, hsd_source *below, size_t window_bytes, bool can_rewind,
                                        hsd_error *err);

/* Unpacks the start of a file into `out`; how many bytes came out: 0 where it is not packed so, or cannot be unpacked.
 */
size_t hsd_source_unpack_prefix(hsd_source_filter open, const void *prefix, size_t size, void *out, size_t capacity);

/* Over anything. On failure `context` is closed too. */
hsd_status hsd_source_open_custom(hsd_source *source, const hsd_source_ops *ops, void *context, const char *name,
                                  size_t window_bytes, bool can_rewind, hsd_error *err);

/* Copies everything that passes into a temporary file from now on, so that rewind works. No effect
 * on a rewindable source; must be called before the first byte is taken. */
hsd_status hsd_source_make_rewindable(hsd_source *source, hsd_temp_space *space, hsd_error *err);

/*
 * A digest of the whole input, whatever of it is read, in which order and how often: bytes are added as they pass for
 * the first time, and what a seek leaves out is read for it. begin must be called before the first byte is taken and
 * before the source is made rewindable; the watch lives until the source is closed. HSD_E_NOMEM; HSD_E_MISUSE for
 * memory, and for what goes back to its start alone.
 */
typedef struct hsd_watch hsd_watch;
hsd_status hsd_watch_begin(hsd_watch **out, hsd_source *source, hsd_error *err);

/* The digest, hsd_digest_get of checksum.h. Nothing is read from the source any more. What can be read at any place is
 * read to its end; of anything else the end must have been seen, or the digest is not known (*is_known). HSD_E_IO. */
hsd_status hsd_watch_finish(hsd_watch *watch, uint8_t digest[16], bool *is_known, hsd_error *err);

/*
 * From now on what follows is read by a thread of its own while the window is looked at, where the input is long and
 * can be read at any place; else nothing happens. Bytes, errors and where they are told are the same. Only this source
 * may be asked for what is below it, a watch too. Returns the bytes of memory that it takes.
 */
uint64_t hsd_source_read_ahead(hsd_source *source);

/* Nothing is being read ahead until the next read: what is below may be asked. */
void hsd_source_wait(hsd_source *source);

/* Slow path of hsd_source_peek: fills the window. */
hsd_status hsd_source_fill(hsd_source *source, size_t want, hsd_error *err);

/* Offset in the input of the next unread byte. */
static inline uint64_t hsd_source_offset(const hsd_source *source)
{
    return source->base_offset + (uint64_t)(source->at - source->window);
}

static inline size_t hsd_source_ahead(const hsd_source *source) { return (size_t)(source->end - source->at); }

/*
 * Makes at least `want` bytes (<= window size) visible from source->at. HSD_END when the input has
 * fewer left (what there is stays visible: hsd_source_ahead()).
 */
static inline hsd_status hsd_source_peek(hsd_source *source, size_t want, hsd_error *err)
{
    return hsd_source_ahead(source) >= want ? HSD_OK : hsd_source_fill(source, want, err);
}

/* Moves past `size` visible bytes. */
static inline void hsd_source_take(hsd_source *source, size_t size)
{
    HSD_ASSERT(size <= (size_t)(source->end - source->at));
    source->at += size;
}

/* Moves past `size` bytes, visible or not; HSD_E_TRUNCATED when the input ends before, and then
 * there is nothing left ahead. Seeks where it can. */
hsd_status hsd_source_skip(hsd_source *source, uint64_t size, hsd_error *err);

/* Copies the next `size` bytes; HSD_E_TRUNCATED when the input ends before. */
hsd_status hsd_source_copy(hsd_source *source, void *data, size_t size, hsd_error *err);

/* Back to byte 0. HSD_E_UNSUPPORTED if not rewindable. */
hsd_status hsd_source_rewind(hsd_source *source, hsd_error *err);

/* Moves to an absolute offset of a rewindable, seekable source (regular file, memory, spool);
 * HSD_E_TRUNCATED past the end, HSD_E_UNSUPPORTED elsewhere. */
hsd_status hsd_source_seek(hsd_source *source, uint64_t offset, hsd_error *err);

/* Accepts a zeroed or closed one. */
void hsd_source_close(hsd_source *source);

#endif

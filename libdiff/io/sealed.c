/* Encrypted files, read and written. See sealed.h. */
#include "io/sealed.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/fail.h"
#include "io/fd.h"

#define FIRST_READ_BYTES ((size_t)4096)
#define NO_CHUNK         UINT64_MAX

/* Chunk n has its place in slot n % SLOTS: what is read on and on finds it free, and threads that read at different
 * places seldom wait for each other. */
enum { SLOTS = 4 };

typedef struct chunk_slot {
    pthread_mutex_t lock;
    uint64_t number; /* of the chunk that is in it, or NO_CHUNK */
    uint8_t *data;   /* HSD_AGE_SEALED_BYTES */
} chunk_slot;

struct hsd_unsealed {
    hsd_stored_read_fn read;
    void *context;
    uint64_t payload_offset, stored_bytes, size_bytes, chunk_count;
    chunk_slot slots[SLOTS];
    uint8_t *room; /* of all slots */
    uint8_t key[HSD_KEY_BYTES];
};

/* ---- the header ---- */

/* What a header is read into. */
typedef struct header_room {
    uint8_t data[HSD_AGE_HEADER_MAX + HSD_AGE_NONCE_BYTES];
    hsd_age_stanza stanzas[HSD_AGE_STANZAS_MAX];
    hsd_age_header header;
} header_room;

static hsd_status fail_short(uint64_t stored_bytes, const char *where, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_TRUNCATED, stored_bytes, "is encrypted, and was cut short: it ends %s", where);
}

/* A little at first: few have so many recipients that more is needed. */
static hsd_status read_header(hsd_unsealed *file, header_room *room, hsd_error *err)
{
    for (size_t wanted = FIRST_READ_BYTES;; wanted *= 4) {
        const size_t size = (size_t)hsd_min_u64(hsd_min_u64(wanted, HSD_AGE_HEADER_MAX), file->stored_bytes);
        HSD_TRY(file->read(file->context, 0, room->data, size, err));
        const hsd_status status = hsd_age_parse(&room->header, room->stanzas, room->data, size, err);
        if (status != HSD_END) return status;
        if (size == file->stored_bytes) return fail_short(size, "inside its header", err);
        if (size == HSD_AGE_HEADER_MAX)
            return hsd_fail_at(err, HSD_E_CORRUPT, size, "the header of age does not end within %d bytes",
                               HSD_AGE_HEADER_MAX);
    }
}

static hsd_status find_key(hsd_unsealed *file, header_room *room, hsd_crypt *crypt, hsd_error *err)
{
    HSD_TRY(read_header(file, room, err));
    const size_t bytes = room->header.bytes;
    file->payload_offset = bytes + (uint64_t)HSD_AGE_NONCE_BYTES;
    if (file->stored_bytes < file->payload_offset) return fail_short(file->stored_bytes, "behind its header", err);
    HSD_TRY(file->read(file->context, bytes, room->data + bytes, HSD_AGE_NONCE_BYTES, err));
    return hsd_age_unlock(file->key, &room->header, room->data, crypt, err);
}

/* ---- chunks ---- */

static uint64_t offset_of(const hsd_unsealed *file, uint64_t number)
{
    return file->payload_offset + number * HSD_AGE_SEALED_BYTES;
}

static size_t stored_size_of(const hsd_unsealed *file, uint64_t number)
{
    return (size_t)hsd_min_u64(HSD_AGE_SEALED_BYTES, file->stored_bytes - offset_of(file, number));
}

/* What the last chunk is, if it is not the one that was sealed as the last. */
static hsd_status blame_end(const hsd_unsealed *file, chunk_slot *slot, size_t size, hsd_error *err)
{
    const uint64_t number = file->chunk_count - 1, offset = offset_of(file, number);
    HSD_TRY(file->read(file->context, offset, slot->data, size, err));
    if (hsd_age_unseal(slot->data, slot->data, size, number, false, file->key))
        return fail_short(file->stored_bytes, "behind a chunk that is not the last", err);
    return hsd_fail_at(err, size < HSD_AGE_SEALED_BYTES ? HSD_E_TRUNCATED : HSD_E_CORRUPT, offset,
                       "is encrypted, and its last chunk (%llu of %llu) is damaged%s", (unsigned long long)number + 1,
                       (unsigned long long)file->chunk_count,
                       size < HSD_AGE_SEALED_BYTES ? ", or the file was cut short in it" : "");
}

/* Reads a chunk into its slot, which is locked. */
static hsd_status load_chunk(const hsd_unsealed *file, chunk_slot *slot, uint64_t number, hsd_error *err)
{
    const size_t size = stored_size_of(file, number);
    const bool is_last = number + 1 == file->chunk_count;
    slot->number = NO_CHUNK;
    HSD_TRY(file->read(file->context, offset_of(file, number), slot->data, size, err));
    if (hsd_age_unseal(slot->data, slot->data, size, number, is_last, file->key)) {
        slot->number = number;
        return HSD_OK;
    }
    if (is_last) return blame_end(file, slot, size, err);
    return hsd_fail_at(err, HSD_E_CORRUPT, offset_of(file, number),
                       "is encrypted, and chunk %llu of %llu is damaged: its bytes are not those that were written",
                       (unsigned long long)number + 1, (unsigned long long)file->chunk_count);
}

static hsd_status copy_chunk(hsd_unsealed *file, uint64_t number, size_t from, void *data, size_t size, hsd_error *err)
{
    chunk_slot *slot = &file->slots[number % SLOTS];
    pthread_mutex_lock(&slot->lock);
    const hsd_status status = slot->number == number ? HSD_OK : load_chunk(file, slot, number, err);
    if (status == HSD_OK) memcpy(data, slot->data + from, size);
    pthread_mutex_unlock(&slot->lock);
    return status;
}

hsd_status hsd_unsealed_read(hsd_unsealed *file, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    uint8_t *at = data;
    if (offset > file->size_bytes || size > file->size_bytes - offset)
        return hsd_fail_at(err, HSD_E_TRUNCATED, file->size_bytes, "what is encrypted ends here");
    while (size > 0) {
        const size_t from = (size_t)(offset % HSD_AGE_CHUNK_BYTES);
        const size_t step = (size_t)hsd_min_u64(size, HSD_AGE_CHUNK_BYTES - from);
        HSD_TRY(copy_chunk(file, offset / HSD_AGE_CHUNK_BYTES, from, at, step, err));
        at += step;
        offset += step;
        size -= step;
    }
    return HSD_OK;
}

uint64_t hsd_unsealed_size(const hsd_unsealed *file) { return file->size_bytes; }

/* ---- open ---- */

/* Every chunk has its tag, and only a file of nothing has an empty one. */
static hsd_status count_chunks(hsd_unsealed *file, hsd_error *err)
{
    const uint64_t bytes = file->stored_bytes - file->payload_offset;
    const uint64_t rest = bytes % HSD_AGE_SEALED_BYTES;
    file->chunk_count = bytes / HSD_AGE_SEALED_BYTES + (rest > 0);
    if (bytes == 0) return fail_short(file->stored_bytes, "before its first chunk", err);
    if ((rest > 0 && rest < HSD_SEAL_TAG_BYTES) || (rest == HSD_SEAL_TAG_BYTES && file->chunk_count > 1))
        return fail_short(file->stored_bytes, "at the begin of a chunk", err);
    file->size_bytes = bytes - HSD_SEAL_TAG_BYTES * file->chunk_count;
    return HSD_OK;
}

static hsd_status set_up(hsd_unsealed *file, hsd_crypt *crypt, hsd_error *err)
{
    uint8_t nothing[1];
    header_room *room = malloc(sizeof *room);
    if (room == NULL) return hsd_fail_nomem(err, "the header of age");
    hsd_status status = find_key(file, room, crypt, err);
    free(room);
    if (status == HSD_OK) status = count_chunks(file, err);
    return status == HSD_OK ? copy_chunk(file, file->chunk_count - 1, 0, nothing, 0, err) : status;
}

hsd_status hsd_unsealed_open(hsd_unsealed **out, hsd_stored_read_fn read, void *context, uint64_t stored_bytes,
                             hsd_crypt *crypt, hsd_error *err)
{
    *out = NULL;
    hsd_unsealed *file = calloc(1, sizeof *file);
    if (file == NULL) return hsd_fail_nomem(err, "an encrypted file");
    file->read = read;
    file->context = context;
    file->stored_bytes = stored_bytes;
    file->room = malloc((size_t)SLOTS * HSD_AGE_SEALED_BYTES);
    for (size_t i = 0; i < SLOTS; i++) {
        pthread_mutex_init(&file->slots[i].lock, NULL);
        file->slots[i].number = NO_CHUNK;
        file->slots[i].data = file->room == NULL ? NULL : file->room + i * HSD_AGE_SEALED_BYTES;
    }
    const hsd_status status = file->room == NULL ? hsd_fail_nomem(err, "an encrypted file") : set_up(file, crypt, err);
    if (status == HSD_OK)
        *out = file;
    else
        hsd_unsealed_close(file);
    return status;
}

void hsd_unsealed_close(hsd_unsealed *file)
{
    if (file == NULL) return;
    for (size_t i = 0; i < SLOTS; i++)
        pthread_mutex_destroy(&file->slots[i].lock);
    if (file->room != NULL) hsd_forget_secret(file->room, (size_t)SLOTS * HSD_AGE_SEALED_BYTES);
    free(file->room);
    hsd_forget_secret(file->key, sizeof file->key);
    free(file);
}

/* ---- over a descriptor ---- */

static hsd_status read_descriptor(void *context, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    uint8_t *at = data;
    const int fd = (int)(intptr_t)context;
    while (size > 0) {
        size_t got = 0;
        const int error = hsd_fd_read(fd, at, size, (off_t)offset, &got);
        if (error != 0) return hsd_fail_errno(err, error, "cannot read");
        if (got == 0) return hsd_fail_at(err, HSD_E_TRUNCATED, offset, "became shorter while it was read");
        at += got;
        offset += got;
        size -= got;
    }
    return HSD_OK;
}

hsd_status hsd_unsealed_open_fd(hsd_unsealed **out, int fd, hsd_crypt *crypt, hsd_error *err)
{
    struct stat what;
    *out = NULL;
    if (fstat(fd, &what) != 0) return hsd_fail_errno(err, errno, "cannot be examined");
    return hsd_unsealed_open(out, read_descriptor, (void *)(intptr_t)fd, (uint64_t)what.st_size, crypt, err);
}

/* ---- over a source ---- */

typedef struct unsealed_source {
    hsd_unsealed *file;
    uint64_t position;
} unsealed_source;

static hsd_status read_below(void *context, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    HSD_TRY(hsd_source_seek(context, offset, err));
    return hsd_source_copy(context, data, size, err);
}

static hsd_status read_unsealed(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    unsealed_source *self = context;
    *got = (size_t)hsd_min_u64(size, self->file->size_bytes - self->position);
    HSD_TRY(hsd_unsealed_read(self->file, self->position, data, *got, err));
    self->position += *got;
    return HSD_OK;
}

static hsd_status seek_unsealed(void *context, uint64_t offset, hsd_error *err)
{
    unsealed_source *self = context;
    if (offset > self->file->size_bytes)
        return hsd_fail_at(err, HSD_E_TRUNCATED, self->file->size_bytes, "what is encrypted ends here");
    self->position = offset;
    return HSD_OK;
}

static hsd_status rewind_unsealed(void *context, hsd_error *err) { return seek_unsealed(context, 0, err); }

static void close_unsealed(void *context)
{
    unsealed_source *self = context;
    hsd_unsealed_close(self->file);
    free(self);
}

static const hsd_source_ops unsealed_ops = {
    .read = read_unsealed, .rewind = rewind_unsealed, .close = close_unsealed, .seek = seek_unsealed};

/* A pipe that was spooled says how long it is once its end was seen. */
static hsd_status measure_below(hsd_source *below, uint64_t *size_bytes, hsd_error *err)
{
    hsd_status status;
    *size_bytes = below->total_bytes;
    if (*size_bytes > 0) return HSD_OK;
    while ((status = hsd_source_peek(below, 1, err)) == HSD_OK)
        hsd_source_take(below, hsd_source_ahead(below));
    *size_bytes = hsd_source_offset(below);
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_source_unseal(hsd_source *source, hsd_source *below, hsd_crypt *crypt, size_t window_bytes,
                             hsd_error *err)
{
    uint64_t stored_bytes = 0;
    *source = (hsd_source){0};
    HSD_TRY(measure_below(below, &stored_bytes, err));
    unsealed_source *self = calloc(1, sizeof *self);
    if (self == NULL) return hsd_fail_nomem(err, "an encrypted input");
    const hsd_status status = hsd_unsealed_open(&self->file, read_below, below, stored_bytes, crypt, err);
    if (status != HSD_OK) {
        free(self);
        return status;
    }
    const uint64_t size_bytes = self->file->size_bytes;
    HSD_TRY(hsd_source_open_custom(source, &unsealed_ops, self, below->name, window_bytes, true, err));
    source->total_bytes = size_bytes;
    return HSD_OK;
}

/* ---- writing ---- */

hsd_status hsd_sealing_begin(hsd_sealing *sealing, hsd_crypt *crypt, bool is_own, hsd_stored_write_fn write,
                             void *context, hsd_error *err)
{
    hsd_buffer header = {0};
    *sealing = (hsd_sealing){.write = write, .context = context, .chunk = malloc(HSD_AGE_SEALED_BYTES)};
    if (sealing->chunk == NULL) return hsd_fail_nomem(err, "encrypting");
    hsd_status status = hsd_age_begin(&header, sealing->key, crypt, is_own, err);
    if (status == HSD_OK) status = write(context, header.data, header.size, err);
    hsd_buffer_release(&header);
    if (status != HSD_OK) hsd_sealing_release(sealing);
    return status;
}

static hsd_status put_chunk(hsd_sealing *sealing, bool is_last, hsd_error *err)
{
    const size_t size = sealing->used;
    hsd_age_seal(sealing->chunk, size, sealing->number++, is_last, sealing->key);
    sealing->used = 0;
    return sealing->write(sealing->context, sealing->chunk, size + HSD_SEAL_TAG_BYTES, err);
}

hsd_status hsd_sealing_add(hsd_sealing *sealing, const void *data, size_t size, hsd_error *err)
{
    const uint8_t *at = data;
    while (size > 0) {
        if (sealing->used == HSD_AGE_CHUNK_BYTES) HSD_TRY(put_chunk(sealing, false, err));
        const size_t step = (size_t)hsd_min_u64(size, HSD_AGE_CHUNK_BYTES - sealing->used);
        memcpy(sealing->chunk + sealing->used, at, step);
        sealing->used += step;
        at += step;
        size -= step;
    }
    return HSD_OK;
}

hsd_status hsd_sealing_finish(hsd_sealing *sealing, hsd_error *err) { return put_chunk(sealing, true, err); }

void hsd_sealing_release(hsd_sealing *sealing)
{
    if (sealing->chunk != NULL) hsd_forget_secret(sealing->chunk, HSD_AGE_SEALED_BYTES);
    free(sealing->chunk);
    hsd_forget_secret(sealing->key, sizeof sealing->key);
    *sealing = (hsd_sealing){0};
}

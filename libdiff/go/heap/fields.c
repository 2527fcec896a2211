/*
 * A list of pointers stands behind the bytes that they are in, and both may be of any size. Small ones are seen at once
 * in the window of the source. Of large ones the list is taken in pieces: read so many places, go back to the bytes for
 * their words, go on.
 */
#include "go/heap/goheap.h"

#include "base/check.h"
#include "base/mix.h"

enum { PIECE = 4096, SMALL_BYTES = 65536 };

hsd_status hsd_goheap_open_content(goheap *go, goheap_content *content, hsd_error *err)
{
    HSD_TRY(hsd_goheap_number(go, &content->size, err));
    if (content->size <= SMALL_BYTES) { /* all of it into the window, where going back costs nothing */
        const hsd_status status = hsd_source_peek(go->source, (size_t)content->size, err);
        if (status < 0) return status;
    }
    content->bytes_offset = hsd_source_offset(go->source);
    HSD_TRY(hsd_source_skip(go->source, content->size, err));
    content->fields_offset = hsd_source_offset(go->source);
    return HSD_OK;
}

/* Up to PIECE offsets that lie inside the content; *is_last when the list is over. Others are dropped: the outermost
 * frame claims words that are none of it. */
static hsd_status read_piece(goheap *go, const goheap_content *content, uint64_t *offsets, size_t *count, bool *is_last,
                             hsd_error *err)
{
    hsd_status status = HSD_OK;
    *count = 0;
    while (*count < PIECE && (status = hsd_goheap_field(go, &offsets[*count], err)) == HSD_OK) {
        const uint64_t offset = offsets[*count];
        if (content->size >= go->pointer_bytes && offset <= content->size - go->pointer_bytes) ++*count;
    }
    *is_last = status == HSD_END;
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status tell_word(goheap *go, const uint8_t *word, uint64_t offset, goheap_pointer_fn tell, void *context,
                            hsd_error *err)
{
    const uint64_t value = hsd_goheap_word(go, word);
    return value == 0 ? HSD_OK : tell(context, offset, value, err);
}

/* The bytes are in go->bytes. */
static hsd_status tell_small(goheap *go, const uint64_t *offsets, size_t count, goheap_pointer_fn tell, void *context,
                             hsd_error *err)
{
    for (size_t i = 0; i < count; i++)
        HSD_TRY(tell_word(go, go->bytes.data + offsets[i], offsets[i], tell, context, err));
    return HSD_OK;
}

/* They are in the input: places ascend, so that going there is going on. */
static hsd_status tell_large(goheap *go, const goheap_content *content, const uint64_t *offsets, size_t count,
                             goheap_pointer_fn tell, void *context, hsd_error *err)
{
    uint8_t word[8];
    const uint64_t here = hsd_source_offset(go->source);
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = content->bytes_offset + offsets[i];
        if (i == 0 || at < hsd_source_offset(go->source))
            HSD_TRY(hsd_source_seek(go->source, at, err));
        else
            HSD_TRY(hsd_source_skip(go->source, at - hsd_source_offset(go->source), err));
        HSD_TRY(hsd_source_copy(go->source, word, go->pointer_bytes, err));
        HSD_TRY(tell_word(go, word, offsets[i], tell, context, err));
    }
    return hsd_source_seek(go->source, here, err);
}

hsd_status hsd_goheap_read_content(goheap *go, const goheap_content *content, goheap_pointer_fn tell, void *context,
                                   hsd_error *err)
{
    uint64_t offsets[PIECE];
    size_t count;
    bool is_last = false;
    const bool is_small = content->size <= SMALL_BYTES && tell != NULL;
    if (is_small) {
        HSD_TRY(hsd_source_seek(go->source, content->bytes_offset, err));
        HSD_TRY(hsd_buffer_reserve(&go->bytes, SMALL_BYTES, err));
        HSD_TRY(hsd_source_copy(go->source, go->bytes.data, (size_t)content->size, err));
    }
    HSD_TRY(hsd_source_seek(go->source, content->fields_offset, err));
    while (!is_last) {
        HSD_TRY(read_piece(go, content, offsets, &count, &is_last, err));
        if (tell == NULL) continue;
        HSD_TRY(is_small ? tell_small(go, offsets, count, tell, context, err)
                         : tell_large(go, content, offsets, count, tell, context, err));
    }
    return HSD_OK;
}

hsd_status hsd_goheap_read_words(goheap *go, const goheap_content *content, goheap_pointer_fn tell, void *context,
                                 hsd_error *err)
{
    uint8_t word[8];
    const uint64_t here = hsd_source_offset(go->source);
    HSD_TRY(hsd_source_seek(go->source, content->bytes_offset, err));
    for (uint64_t offset = 0; offset + go->pointer_bytes <= content->size; offset += go->pointer_bytes) {
        HSD_TRY(hsd_source_copy(go->source, word, go->pointer_bytes, err));
        HSD_TRY(tell_word(go, word, offset, tell, context, err));
    }
    return hsd_source_seek(go->source, here, err);
}

hsd_status hsd_goheap_read_pattern(goheap *go, goheap_pattern *pattern, hsd_error *err)
{
    uint64_t offset;
    hsd_status status;
    *pattern = (goheap_pattern){.is_dense = true};
    while ((status = hsd_goheap_field(go, &offset, err)) == HSD_OK) {
        if (pattern->count < GOHEAP_NAMED_POINTERS) pattern->first[pattern->count] = offset;
        pattern->is_dense = pattern->is_dense && offset / go->pointer_bytes == pattern->count;
        pattern->hash = hsd_mix(pattern->hash, offset);
        pattern->count++;
    }
    return status == HSD_END ? HSD_OK : status;
}

/* Arrays: of references (objects.h), and of primitives. */
#include "export/hprof/objects.h"

#define CHUNK_ELEMENTS (HOUT_CHUNK_BYTES / HOUT_ID_BYTES)
#define PRIMITIVE_HEAD 18u
#define MOST_TEXT      ((size_t)65536)

static void put_head(uint8_t *at, uint64_t id, uint32_t serial, uint64_t class_id, uint64_t length)
{
    at = hsd_hout_u8(hsd_hout_u1(at, HOUT_OBJECTS), id);
    at = hsd_hout_u4(at, serial);
    at = hsd_hout_u4(at, (uint32_t)length);
    hsd_hout_u8(at, class_id);
}

hsd_status hsd_hout_begin_array(hout_array *a, hout *h, uint64_t id, uint32_t serial, uint64_t class_id,
                                uint64_t length, hsd_error *err)
{
    const uint64_t size = HOUT_HEAD_BYTES + length * HOUT_ID_BYTES;
    uint8_t head[HOUT_HEAD_BYTES], *at;
    *a = (hout_array){.h = h, .length = length};
    if (size <= HOUT_PIECE_BYTES) {
        HSD_TRY(hsd_hout_sub(&h->out, (size_t)size, &at, err));
        put_head(at, id, serial, class_id, length);
        a->small = at + HOUT_HEAD_BYTES;
        memset(a->small, 0, (size_t)length * HOUT_ID_BYTES);
        return HSD_OK;
    }
    put_head(head, id, serial, class_id, length);
    HSD_TRY(hsd_hout_large(&h->out, size, err));
    return hsd_hout_piece(&h->out, head, sizeof head, err);
}

static hsd_status spill_hprof_array(hout_array *a, hsd_error *err)
{
    const size_t size = a->held * HOUT_ID_BYTES;
    a->held = 0;
    return hsd_hout_piece(&a->h->out, a->h->chunk, size, err);
}

hsd_status hsd_hout_put_element(hout_array *a, uint64_t index, uint64_t id, hsd_error *err)
{
    if (a->small != NULL) {
        hsd_hout_u8(a->small + index * HOUT_ID_BYTES, id);
        return HSD_OK;
    }
    if (index > a->next) {
        HSD_TRY(spill_hprof_array(a, err));
        HSD_TRY(hsd_hout_zeros(&a->h->out, (index - a->next) * HOUT_ID_BYTES, err));
    }
    hsd_hout_u8(a->h->chunk + a->held++ * HOUT_ID_BYTES, id);
    a->next = index + 1;
    return a->held == CHUNK_ELEMENTS ? spill_hprof_array(a, err) : HSD_OK;
}

hsd_status hsd_hout_end_array(hout_array *a, hsd_error *err)
{
    if (a->small != NULL) return HSD_OK;
    HSD_TRY(spill_hprof_array(a, err));
    return hsd_hout_zeros(&a->h->out, (a->length - a->next) * HOUT_ID_BYTES, err);
}

/* ---- of primitives ---- */

static const uint8_t widths[] = {[HOUT_BOOLEAN] = 1, [HOUT_CHAR] = 2,  [HOUT_FLOAT] = 4, [HOUT_DOUBLE] = 8,
                                 [HOUT_BYTE] = 1,    [HOUT_SHORT] = 2, [HOUT_INT] = 4,   [HOUT_LONG] = 8};

hsd_status hsd_hout_write_primitives(hout *h, uint64_t id, uint32_t serial, uint8_t element, uint64_t count,
                                     hsd_error *err)
{
    const uint64_t body = count * widths[element], size = PRIMITIVE_HEAD + body;
    const size_t known = (size_t)hsd_min_u64(h->text.size, body);
    uint8_t head[PRIMITIVE_HEAD], *at = hsd_hout_u8(hsd_hout_u1(head, HOUT_PRIMITIVES), id);
    at = hsd_hout_u4(at, serial);
    at = hsd_hout_u4(at, (uint32_t)count);
    hsd_hout_u1(at, element);
    if (size > HOUT_PIECE_BYTES) {
        HSD_TRY(hsd_hout_large(&h->out, size, err));
        HSD_TRY(hsd_hout_piece(&h->out, head, sizeof head, err));
        HSD_TRY(hsd_hout_piece(&h->out, h->text.data, known, err));
        return hsd_hout_zeros(&h->out, body - known, err);
    }
    HSD_TRY(hsd_hout_sub(&h->out, (size_t)size, &at, err));
    memcpy(at, head, sizeof head);
    if (known > 0) memcpy(at + sizeof head, h->text.data, known);
    memset(at + sizeof head + known, 0, (size_t)body - known);
    return HSD_OK;
}

/* As many elements as the object counts, if they fit into its size; else as many as it is large. */
uint64_t hsd_hout_primitive_count(const hout *h, uint8_t element, uint64_t elements, uint64_t size)
{
    const unsigned width = widths[element], header = h->header + 4;
    const uint64_t most = (UINT32_MAX - PRIMITIVE_HEAD) / width, fitting = size > header ? (size - header) / width : 0;
    const bool is_counted = (elements > 0 || h->is_jvm) && elements <= size / width;
    if (!h->keeps_sizes) return 0;
    return hsd_min_u64(is_counted ? elements : fitting, most);
}

hsd_status hsd_hout_write_bytes(hout *h, uint64_t id, uint64_t bytes, hsd_error *err)
{
    const uint64_t most = UINT32_MAX - PRIMITIVE_HEAD, count = bytes > h->header + 4 ? bytes - h->header - 4 : 0;
    h->left.cut += count > most;
    hsd_buffer_clear(&h->text);
    return hsd_hout_write_primitives(h, id, 1, HOUT_BYTE, hsd_min_u64(count, most), err);
}

hsd_status hsd_hout_write_chars(hout *h, uint64_t id, const void *text, size_t size, hsd_error *err)
{
    if (size > MOST_TEXT) size = MOST_TEXT;
    hsd_buffer_clear(&h->text);
    HSD_TRY(hsd_hout_to_units(&h->text, text, size, 2, err));
    return hsd_hout_write_primitives(h, id, 1, HOUT_CHAR, h->text.size / 2, err);
}

hsd_status hsd_hout_write_string(hout *h, const void *text, size_t size, uint64_t *id, hsd_error *err)
{
    const hout_class *of = hsd_hout_known(h, HOUT_K_STRING);
    const uint64_t chars = hsd_hout_new_id(h);
    uint8_t *at;
    *id = hsd_hout_new_id(h);
    HSD_TRY(hsd_hout_write_chars(h, chars, text, size, err));
    HSD_TRY(hsd_hout_sub(&h->out, HOUT_HEAD_BYTES + of->data_bytes, &at, err));
    memset(at, 0, HOUT_HEAD_BYTES + of->data_bytes);
    at = hsd_hout_u8(hsd_hout_u1(at, HOUT_INSTANCE), *id);
    at = hsd_hout_u8(hsd_hout_u4(at, 1), of->id);
    at = hsd_hout_u4(at, of->data_bytes);
    hsd_hout_u8(at, chars); /* its first field */
    return HSD_OK;
}

/*
 * Records of a portable heap dump, one after another. See phd.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/phd/phd.h"

enum {
    TAG_HEADER = 1,
    TAG_BODY = 2,
    TAG_END = 3,
    TAG_LONG = 4,
    TAG_OLD_ARRAY = 5,
    TAG_CLASS = 6,
    TAG_LONG_PRIMITIVES = 7,
    TAG_ARRAY = 8
};
enum { HEADER_TOTALS = 1, HEADER_END, HEADER_RANDOMS, HEADER_VERSION };
enum { FLAG_64 = 1, FLAG_SHORT_HASHES = 2, FLAG_J9 = 4, RECORD_HAS_HASH = 2, CLASS_HAS_HASH = 8 };

/* ---- numbers ---- */

static hsd_status fail_cut_record(const phd *p, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(p->source) + hsd_source_ahead(p->source),
                       "the heap dump is cut off: it has no end");
}

static inline hsd_status need_bytes(phd *p, size_t bytes, hsd_error *err)
{
    if (__builtin_expect(hsd_source_ahead(p->source) >= bytes, 1)) return HSD_OK;
    const hsd_status status = hsd_source_fill(p->source, bytes, err);
    return status == HSD_END ? fail_cut_record(p, err) : status;
}

/* Of 1, 2, 4 or 8 bytes, and with its sign. */
static inline uint64_t number_at(const uint8_t *at, unsigned bytes)
{
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    switch (bytes) {
    case 1: return *at;
    case 2: memcpy(&two, at, sizeof two); return __builtin_bswap16(two);
    case 4: memcpy(&four, at, sizeof four); return __builtin_bswap32(four);
    default: memcpy(&eight, at, sizeof eight); return __builtin_bswap64(eight);
    }
}

static inline uint64_t signed_at(const uint8_t *at, unsigned bytes)
{
    const uint64_t value = number_at(at, bytes);
    switch (bytes) {
    case 1: return (uint64_t)(int64_t)(int8_t)value;
    case 2: return (uint64_t)(int64_t)(int16_t)value;
    case 4: return (uint64_t)(int64_t)(int32_t)value;
    default: return value;
    }
}

static inline hsd_status take_number(phd *p, unsigned bytes, uint64_t *out, hsd_error *err)
{
    HSD_TRY(need_bytes(p, bytes, err));
    *out = number_at(p->source->at, bytes);
    hsd_source_take(p->source, bytes);
    return HSD_OK;
}

/* Addresses wrap around as the JVM's do. */
static inline uint64_t address_of(const phd *p, uint64_t from, uint64_t distance)
{
    const uint64_t address = from + (distance << p->shift);
    return p->is_64 ? address : (uint32_t)address;
}

static inline hsd_status take_address(phd *p, unsigned bytes, phd_record *record, hsd_error *err)
{
    HSD_TRY(need_bytes(p, bytes, err));
    record->address = p->last_address = address_of(p, p->last_address, signed_at(p->source->at, bytes));
    hsd_source_take(p->source, bytes);
    return HSD_OK;
}

static unsigned word_bytes(const phd *p) { return p->is_64 ? 8 : 4; }

/* Two bytes where all objects have one, else four where a flag says so. */
static hsd_status skip_hash(phd *p, bool is_flagged, hsd_error *err)
{
    uint64_t hash;
    if (p->has_short_hashes) return take_number(p, 2, &hash, err);
    return is_flagged ? take_number(p, 4, &hash, err) : HSD_OK;
}

static hsd_status take_count(phd *p, uint32_t *count, hsd_error *err)
{
    uint64_t number;
    HSD_TRY(take_number(p, 4, &number, err));
    if (number > INT32_MAX)
        return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(p->source) - 4,
                           "not a valid heap dump: an object with %" PRIu64 " references", number);
    *count = (uint32_t)number;
    return HSD_OK;
}

static hsd_status take_size(phd *p, phd_record *record, hsd_error *err)
{
    uint64_t words;
    record->has_size = p->version >= 6;
    if (!record->has_size) return HSD_OK;
    HSD_TRY(take_number(p, 4, &words, err));
    record->size_bytes = words * 4;
    return HSD_OK;
}

/* ---- the header ---- */

/* Into p->name: it may be longer than what is seen at once. */
static hsd_status take_text(phd *p, hsd_bytes *text, hsd_error *err)
{
    uint64_t size;
    HSD_TRY(take_number(p, 2, &size, err));
    const hsd_status status = hsd_source_copy(p->source, p->name, (size_t)size, err);
    if (status == HSD_E_TRUNCATED) return fail_cut_record(p, err);
    *text = (hsd_bytes){p->name, (size_t)size};
    return status;
}

static hsd_status take_version(phd *p, hsd_error *err)
{
    hsd_bytes text;
    HSD_TRY(take_text(p, &text, err));
    const size_t kept = text.size < sizeof p->vm ? text.size : sizeof p->vm - 1;
    memcpy(p->vm, text.data, kept);
    p->vm[kept] = '\0';
    return HSD_OK;
}

static hsd_status read_header_records(phd *p, hsd_error *err)
{
    for (;;) {
        uint64_t tag, ignored;
        HSD_TRY(take_number(p, 1, &tag, err));
        if (tag == HEADER_END) return HSD_OK;
        if (tag == HEADER_TOTALS || tag == HEADER_RANDOMS)
            HSD_TRY(take_number(p, 8, &ignored, err));
        else if (tag == HEADER_VERSION)
            HSD_TRY(take_version(p, err));
        else
            return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(p->source) - 1,
                               "not a valid heap dump: its header has a record of kind %" PRIu64, tag);
    }
}

static hsd_status expect_tag(phd *p, uint64_t wanted, const char *what, hsd_error *err)
{
    uint64_t tag;
    HSD_TRY(take_number(p, 1, &tag, err));
    if (tag == wanted) return HSD_OK;
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(p->source) - 1,
                       "not a valid heap dump: %s should begin here", what);
}

hsd_status hsd_phd_header(phd *p, hsd_error *err)
{
    uint64_t version, flags;
    HSD_TRY(need_bytes(p, PHD_MAGIC_BYTES, err));
    hsd_source_take(p->source, PHD_MAGIC_BYTES); /* the probe has seen it */
    HSD_TRY(take_number(p, 4, &version, err));
    if (version < 4 || version > 6)
        return hsd_fail_at(err, version > 6 ? HSD_E_TOO_NEW : HSD_E_UNSUPPORTED, PHD_MAGIC_BYTES,
                           "this portable heap dump is of version %" PRIu64 ": hsdiff knows 4 to 6", version);
    HSD_TRY(take_number(p, 4, &flags, err));
    p->version = (uint32_t)version;
    p->is_64 = (flags & FLAG_64) != 0;
    p->is_j9 = (flags & FLAG_J9) != 0;
    p->has_short_hashes = p->is_j9 && (flags & FLAG_SHORT_HASHES) != 0;
    p->shift = p->is_j9 || version == 5 ? 2 : 3;
    p->last_address = 0;
    memset(p->cache, 0, sizeof p->cache);
    p->cache_next = 0;
    HSD_TRY(expect_tag(p, TAG_HEADER, "its header", err));
    HSD_TRY(read_header_records(p, err));
    return expect_tag(p, TAG_BODY, "its body", err);
}

/* ---- records, up to their references ---- */

static hsd_status take_class(phd *p, phd_record *record, hsd_error *err)
{
    HSD_TRY(take_number(p, word_bytes(p), &record->class_address, err));
    p->cache[p->cache_next] = record->class_address;
    p->cache_next = (p->cache_next + 1) % 4;
    return HSD_OK;
}

static hsd_status short_object(phd *p, unsigned tag, phd_record *record, hsd_error *err)
{
    record->class_address = p->cache[tag >> 5 & 3];
    record->references = tag >> 3 & 3;
    record->width = 1u << (tag & 3);
    HSD_TRY(take_address(p, 1 + (tag >> 2 & 1), record, err));
    return skip_hash(p, false, err);
}

static hsd_status medium_object(phd *p, unsigned tag, phd_record *record, hsd_error *err)
{
    record->references = tag >> 3 & 7;
    record->width = 1u << (tag & 3);
    HSD_TRY(take_address(p, 1 + (tag >> 2 & 1), record, err));
    HSD_TRY(take_class(p, record, err));
    return skip_hash(p, false, err);
}

static hsd_status long_object(phd *p, phd_record *record, hsd_error *err)
{
    uint64_t flags;
    HSD_TRY(take_number(p, 1, &flags, err));
    record->width = 1u << (flags >> 4 & 3);
    HSD_TRY(take_address(p, 1u << (flags >> 6 & 3), record, err));
    HSD_TRY(take_class(p, record, err));
    HSD_TRY(skip_hash(p, (flags & RECORD_HAS_HASH) != 0, err));
    return take_count(p, &record->references, err);
}

static hsd_status primitives(phd *p, unsigned kind, unsigned bytes, bool has_hash, phd_record *record, hsd_error *err)
{
    record->kind = PHD_PRIMITIVES;
    record->primitive = kind;
    record->has_length = true;
    HSD_TRY(take_address(p, bytes, record, err));
    HSD_TRY(take_number(p, bytes, &record->length, err));
    HSD_TRY(skip_hash(p, has_hash, err));
    return take_size(p, record, err);
}

static hsd_status long_primitives(phd *p, phd_record *record, hsd_error *err)
{
    uint64_t flags;
    HSD_TRY(take_number(p, 1, &flags, err));
    return primitives(p, flags >> 5 & 7, (flags & 0x10) != 0 ? word_bytes(p) : 1, (flags & RECORD_HAS_HASH) != 0,
                      record, err);
}

static hsd_status array_of_objects(phd *p, bool has_length, phd_record *record, hsd_error *err)
{
    uint64_t flags;
    record->kind = PHD_ARRAY;
    record->has_length = has_length;
    HSD_TRY(take_number(p, 1, &flags, err));
    record->width = 1u << (flags >> 4 & 3);
    HSD_TRY(take_address(p, 1u << (flags >> 6 & 3), record, err));
    HSD_TRY(take_number(p, word_bytes(p), &record->class_address, err));
    HSD_TRY(skip_hash(p, (flags & RECORD_HAS_HASH) != 0, err));
    HSD_TRY(take_count(p, &record->references, err));
    record->length = record->references;
    return HSD_OK;
}

static hsd_status class_record(phd *p, phd_record *record, hsd_error *err)
{
    uint64_t flags, bytes;
    record->kind = PHD_CLASS;
    HSD_TRY(take_number(p, 1, &flags, err));
    record->width = 1u << (flags >> 4 & 3);
    HSD_TRY(take_address(p, 1u << (flags >> 6 & 3), record, err));
    HSD_TRY(take_number(p, 4, &bytes, err));
    record->instance_bytes = (uint32_t)bytes;
    HSD_TRY(skip_hash(p, (flags & CLASS_HAS_HASH) != 0, err));
    HSD_TRY(take_number(p, word_bytes(p), &record->class_address, err));
    HSD_TRY(take_text(p, &record->name, err));
    return take_count(p, &record->references, err);
}

hsd_status hsd_phd_next(phd *p, phd_record *record, hsd_error *err)
{
    uint64_t tag;
    *record = (phd_record){.offset = hsd_source_offset(p->source), .width = 1};
    HSD_TRY(take_number(p, 1, &tag, err));
    if ((tag & 0x80) != 0) return short_object(p, (unsigned)tag, record, err);
    if ((tag & 0x40) != 0) return medium_object(p, (unsigned)tag, record, err);
    if ((tag & 0x20) != 0) return primitives(p, tag >> 2 & 7, 1u << (tag & 3), false, record, err);
    switch (tag) {
    case TAG_END: return HSD_END;
    case TAG_LONG: return long_object(p, record, err);
    case TAG_CLASS: return class_record(p, record, err);
    case TAG_LONG_PRIMITIVES: return long_primitives(p, record, err);
    case TAG_OLD_ARRAY:
    case TAG_ARRAY: return array_of_objects(p, tag == TAG_ARRAY, record, err);
    default:
        return hsd_fail_at(err, HSD_E_CORRUPT, record->offset, "not a valid heap dump: a record of kind %" PRIu64, tag);
    }
}

/* ---- references, and what stands behind them ---- */

/* J9 writes an object's class as its first reference. */
static bool is_own_class(const phd *p, const phd_record *record)
{
    return p->is_j9 && record->kind != PHD_CLASS && record->taken == 0 && p->targets[0] == record->class_address;
}

/* A loop for each width. */
static void read_targets(phd *p, const phd_record *record, size_t count)
{
    const uint8_t *at = p->source->at;
    for (size_t i = 0; record->width == 1 && i < count; i++)
        p->targets[i] = address_of(p, record->address, signed_at(at + i, 1));
    for (size_t i = 0; record->width == 2 && i < count; i++)
        p->targets[i] = address_of(p, record->address, signed_at(at + 2 * i, 2));
    for (size_t i = 0; record->width == 4 && i < count; i++)
        p->targets[i] = address_of(p, record->address, signed_at(at + 4 * i, 4));
    for (size_t i = 0; record->width == 8 && i < count; i++)
        p->targets[i] = address_of(p, record->address, signed_at(at + 8 * i, 8));
    hsd_source_take(p->source, count * record->width);
}

hsd_status hsd_phd_targets(phd *p, phd_record *record, size_t *count, hsd_error *err)
{
    const unsigned width = record->width;
    const size_t seen = p->source->is_borrowed ? PHD_BATCH : p->source->window_bytes / width;
    do {
        const size_t most = (size_t)hsd_min_u64(record->references - record->taken, hsd_min_u64(seen, PHD_BATCH));
        *count = most;
        if (most == 0) return HSD_OK;
        HSD_TRY(need_bytes(p, most * width, err));
        read_targets(p, record, most);
        if (is_own_class(p, record)) memmove(p->targets, p->targets + 1, --*count * sizeof *p->targets);
        record->taken += (uint32_t)most;
    } while (*count == 0);
    return HSD_OK;
}

static hsd_status take_tail(phd *p, phd_record *record, hsd_error *err)
{
    if (record->kind != PHD_ARRAY) return HSD_OK;
    if (record->has_length) HSD_TRY(take_number(p, 4, &record->length, err));
    return take_size(p, record, err);
}

hsd_status hsd_phd_finish_record(phd *p, phd_record *record, hsd_error *err)
{
    if (record->taken == record->references && record->kind != PHD_ARRAY) return HSD_OK;
    const uint64_t left = (uint64_t)(record->references - record->taken) * record->width;
    record->taken = record->references;
    if (left <= hsd_source_ahead(p->source)) {
        hsd_source_take(p->source, (size_t)left);
    } else {
        const hsd_status status = hsd_source_skip(p->source, left, err);
        if (status == HSD_E_TRUNCATED) return fail_cut_record(p, err);
        HSD_TRY(status);
    }
    return take_tail(p, record, err);
}

hsd_status hsd_phd_look_behind(phd *p, phd_record *record, hsd_error *err)
{
    hsd_source *source = p->source;
    if (record->kind != PHD_ARRAY) return HSD_OK;
    const uint32_t references = record->references;
    const uint64_t bytes = (uint64_t)references * record->width, offset = hsd_source_offset(source);
    phd_record end = *record;
    if (bytes + 8 <= hsd_source_ahead(source)) {
        const uint8_t *at = source->at;
        HSD_TRY(hsd_phd_finish_record(p, &end, err));
        source->at = at;
    } else {
        HSD_TRY(hsd_phd_finish_record(p, &end, err));
        HSD_TRY(hsd_source_seek(source, offset, err));
    }
    record->length = end.length;
    record->size_bytes = end.size_bytes;
    record->has_size = end.has_size;
    return HSD_OK;
}

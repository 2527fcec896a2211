/*
 * Whether bytes may be a profile. A message of protobuf has no magic: what it has are fields, each with a number and a
 * wire type, and of 15 fields with known insides a few in a row are no chance.
 */
#include "import/pprof/pprof.h"

#include "base/check.h"

enum { BITS_A_FIELD = 5, MOST_BITS = 100, LEAST_FIELDS = 3, ANY = 16 };

/* The wire types that fields 1 to 15 may have: bit 0 number, bit 1 bytes. */
typedef struct shape {
    uint8_t wires[ANY];
} shape;

static const shape value_type = {{0, 1, 1}}, label = {{0, 1, 1, 1, 1}}, sample = {{0, 3, 3, 2}}, line = {{0, 1, 1, 1}},
                   mapping = {{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, location = {{0, 1, 1, 1, 2, 1}},
                   function = {{0, 1, 1, 1, 1, 1}}, profile = {{0, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 2, 1, 3, 1, 1}};

static const shape *inside(const shape *of, uint32_t number)
{
    static const shape *const of_profile[ANY] = {NULL, &value_type, &sample, &mapping, &location, &function,
                                                 NULL, NULL,        NULL,    NULL,     NULL,      &value_type};
    if (of == &profile) return of_profile[number];
    if (of == &sample && number == 3) return &label;
    return of == &location && number == 4 ? &line : NULL;
}

/* The fields of a message that are as they should be; *is_wrong if one is not. What the prefix cuts off is neither. */
static unsigned count_fields(hsd_proto_message *message, const shape *of, unsigned depth, bool *is_wrong)
{
    hsd_proto_field field;
    hsd_status status;
    unsigned count = 0;
    while ((status = hsd_proto_next(message, &field, NULL)) == HSD_OK) {
        const unsigned bit = field.wire == HSD_PROTO_VARINT ? 1 : field.wire == HSD_PROTO_BYTES ? 2 : 0;
        if (field.number >= ANY || (of->wires[field.number] & bit) == 0) {
            *is_wrong = true;
            return 0;
        }
        const shape *in = bit == 2 && depth < 3 ? inside(of, field.number) : NULL;
        hsd_proto_message inner;
        count++;
        if (in == NULL || hsd_proto_enter(message, &field, &inner, NULL) != HSD_OK) continue;
        count_fields(&inner, in, depth + 1, is_wrong);
        if (*is_wrong) return 0;
    }
    *is_wrong = *is_wrong || (status < 0 && status != HSD_E_TRUNCATED);
    return count;
}

unsigned hsd_pprof_probe(const uint8_t *prefix, size_t size)
{
    hsd_source source;
    bool is_wrong = false;
    if (size < 8 || hsd_source_open_memory(&source, (hsd_bytes){prefix, size}, "prefix", NULL) != HSD_OK) return 0;
    hsd_proto_message all = hsd_proto_all(&source);
    const unsigned count = count_fields(&all, &profile, 0, &is_wrong);
    hsd_source_close(&source);
    if (is_wrong || count < LEAST_FIELDS) return 0;
    return count * BITS_A_FIELD < MOST_BITS ? count * BITS_A_FIELD : MOST_BITS;
}

/*
 * Is it a trace? Packets are fields of number 1, and what is known of their fields must have the right wire type;
 * something that every packet of a trace has (a time, a sequence) must be among it.
 */
#include "import/perfetto/perfetto.h"

enum { ANY = 0xff, FIELDS_LOOKED_AT = 64, NUMBER_MOST = 10000 };

typedef struct bytes_left {
    const uint8_t *at, *end;
} bytes_left;

/* Wire types of fields of a packet that are looked for; ANY else. */
static unsigned wire_of(uint64_t number)
{
    switch (number) {
    case 3:
    case 8:
    case 10:
    case 13:
    case 41:
    case 42:
    case 58:
    case 79:
    case 87: return HSD_PROTO_VARINT;
    case 1:
    case 2:
    case 4:
    case 6:
    case 9:
    case 12:
    case 33:
    case 34:
    case 35:
    case 36:
    case 43:
    case 45:
    case 50:
    case 53:
    case 56:
    case 59: return HSD_PROTO_BYTES;
    default: return ANY;
    }
}

static bool tells(uint64_t number)
{
    return number == 8 || number == 10 || number == 36 || number == 50 || number == 56;
}

static bool take_varint(bytes_left *in, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        const uint8_t byte = *in->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

/* Fields of a packet; `end` of what there is of it. The known ones are counted; false = it is none. */
static bool look_into(bytes_left packet, unsigned *known, unsigned *telling)
{
    for (unsigned i = 0; packet.at < packet.end && i < FIELDS_LOOKED_AT; i++) {
        uint64_t tag, value = 0;
        if (!take_varint(&packet, &tag)) return packet.at == packet.end;
        const unsigned wanted = wire_of(tag >> 3), wire = tag & 7;
        if (tag >> 3 == 0 || tag >> 3 > NUMBER_MOST || (wanted != ANY && wire != wanted)) return false;
        if (wire == HSD_PROTO_VARINT || wire == HSD_PROTO_BYTES) {
            if (!take_varint(&packet, &value)) return packet.at == packet.end;
        } else if (wire == HSD_PROTO_FIXED64 || wire == HSD_PROTO_FIXED32) {
            value = wire == HSD_PROTO_FIXED64 ? 8 : 4;
        } else {
            return false;
        }
        *known += wanted != ANY;
        *telling += tells(tag >> 3);
        const uint64_t passed = wire == HSD_PROTO_VARINT ? 0 : value;
        packet.at = passed < (uint64_t)(packet.end - packet.at) ? packet.at + passed : packet.end;
    }
    return true;
}

unsigned hsd_perfetto_probe(const uint8_t *prefix, size_t size)
{
    bytes_left in = {prefix, prefix + size};
    unsigned known = 0, telling = 0, packets = 0;
    for (; in.at < in.end && packets < FIELDS_LOOKED_AT; packets++) {
        uint64_t length;
        if (*in.at++ != 0x0a) return 0;
        if (!take_varint(&in, &length)) break;
        const uint64_t visible = length < (uint64_t)(in.end - in.at) ? length : (uint64_t)(in.end - in.at);
        if (!look_into((bytes_left){in.at, in.at + visible}, &known, &telling)) return 0;
        in.at += visible;
    }
    if (telling == 0 || known < 2) return 0;
    return (packets + known) * 8 < 160 ? (packets + known) * 8 : 160;
}

/*
 * The inner loop of reading: PACKED column data into arrays (FORMAT.md §5).
 *
 *      control bytes   11 00 01 00 | ...      two bits a value, lowest first: 1, 2, 4 or 8 bytes
 *      value bytes     aa bb bb cc dd dd dd dd dd dd dd dd | ...
 *
 * One step takes a control byte and gives four values without a branch: a table says where the four
 * values start and how far the next group lies; each value is one unaligned 8-byte load and a mask.
 * The only chain from group to group is one addition. Measured on an EPYC core: 0.5 ns a value, 0.7 ns
 * with DELTA, for any mix of lengths (bench/bench_decode). Without differences, and with
 * shuffles, it is half of that.
 *
 * The loads reach past the last value: HSD_UNPACK_SLACK_BYTES behind the data must be readable, and
 * output arrays hold HSD_UNPACK_count values; no more is written.
 */
#ifndef HSD_FORMAT_UNPACK_H
#define HSD_FORMAT_UNPACK_H

#include <stdint.h>

#define HSD_UNPACK_SLACK_BYTES  40
#define HSD_UNPACK_ROUND(count) (((size_t)(count) + 3) & ~(size_t)3)

/* Number of control bytes of `count` values. */
static inline uint32_t hsd_unpack_control_bytes(uint32_t count) { return count / 4 + (count % 4 != 0); }

/* What the control bytes say the values take, in bytes. Codes past `count` do not count. */
uint64_t hsd_unpack_value_bytes(const uint8_t *control, uint32_t count);

/* True if the codes past `count` in the last control byte are 0. */
int hsd_unpack_tail_is_zero(const uint8_t *control, uint32_t count);

/*
 * Unpacks `count` values. `values` must hold what hsd_unpack_value_bytes() says. With `is_delta` each is
 * the zigzag of the difference to the one before. Returns the or of all results (of all 64 bits, for the
 * 32-bit form too), so that one comparison tells whether any value was too big.
 */
uint64_t hsd_unpack_u64(const uint8_t *control, const uint8_t *values, uint32_t count, int is_delta, uint64_t *out);
uint64_t hsd_unpack_u32(const uint8_t *control, const uint8_t *values, uint32_t count, int is_delta, uint32_t *out);

static inline uint64_t hsd_unzigzag(uint64_t value) { return (value >> 1) ^ (UINT64_C(0) - (value & 1)); }

#endif

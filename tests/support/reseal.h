/*
 * Makes the checksums of a capture right again after its bytes were changed, so that what lies behind the checksums can
 * be tested and fuzzed. Follows the lengths that stand in the bytes, as far as they make sense.
 */
#ifndef HSD_TESTS_RESEAL_H
#define HSD_TESTS_RESEAL_H

#include <stddef.h>
#include <stdint.h>

/* File header, then block after block until one does not fit, then the trailer if the last 32 bytes are one. In place.
 */
void reseal(uint8_t *bytes, size_t size);

/* Offsets of the blocks of an undamaged capture; returns how many there are, at most `capacity`. */
size_t block_offsets(const uint8_t *bytes, size_t size, size_t *offsets, size_t capacity);

/* Bytes of the block at an offset, header included. */
size_t block_bytes(const uint8_t *bytes, size_t offset);

#endif

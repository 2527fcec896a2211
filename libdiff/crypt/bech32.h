/*
 * Bech32 (BIP 173), the letters in which age writes keys: five bits a letter, a checksum of six that finds any mistyped
 * one. The limit of 90 letters, which is for addresses of money, does not hold here, as it does not in age.
 */
#ifndef HSD_CRYPT_BECH32_H
#define HSD_CRYPT_BECH32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads "PREFIX1data": exactly `out_size` bytes behind the prefix.
 *
 *   prefix   in small letters; the text may be all small or all capital letters, as the format has it
 *
 * NULL, or what is wrong in words.
 */
const char *hsd_bech32_decode(uint8_t *out, size_t out_size, const char *prefix, const char *text, size_t size);

#endif

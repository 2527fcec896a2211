/*
 * Names that nobody has resolved (capture/FORMAT.md 7.12), as people read them: without build ids, and without the
 * marks that say what is to be resolved.
 *
 *      {allocated} <=24 B at shop+0x11d3{c815…} < shop+0x10d0{c815…}     <=24 B at shop+0x11d3, with its calls < shop+0x10d0
 *      {variable} shop+0x4058{c815…}                                     shop+0x4058
 *      {local} 24 8 stack of shop: shop+0x1210{c815…}                    stack of shop: shop+0x1210
 *
 * Two of different builds may look the same then: who shows several tells them apart (shorten.h).
 */
#ifndef HSD_REPORT_ADDRESS_NAMES_H
#define HSD_REPORT_ADDRESS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Is there one in the text? */
bool hsd_has_address_names(const char *text, size_t size);

/* Writes the text so to `out`, which has room for it and may be the text itself. Returns its bytes. */
size_t hsd_plain_address_names(const char *text, size_t size, bool with_calls, char *out);

#endif

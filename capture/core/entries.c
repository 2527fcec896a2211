/*
 * Lists of entries, the payload of INFO and END (FORMAT.md 8.1). An entry that is 0 or empty is left out.
 */
#include "bytes.h"
#include "layout.h"
#include "writer.h"

void hsc_entry_bytes(hsc_entries *entries, unsigned key, const void *bytes, size_t size)
{
    hsc_put_u16(entries->end, (uint16_t)key);
    hsc_put_u16(entries->end + 2, 0);
    hsc_put_u32(entries->end + 4, (uint32_t)size);
    memcpy(entries->end + HSC_ENTRY_HEADER_BYTES, bytes, size);
    entries->end += HSC_ENTRY_HEADER_BYTES + size;
    entries->count++;
}

void hsc_entry_text(hsc_entries *entries, unsigned key, const char *text)
{
    if (text != NULL && text[0] != '\0') hsc_entry_bytes(entries, key, text, strlen(text));
}

void hsc_entry_number(hsc_entries *entries, unsigned key, uint64_t number)
{
    unsigned char bytes[8];
    hsc_put_u64(bytes, number);
    if (number != 0) hsc_entry_bytes(entries, key, bytes, sizeof bytes);
}

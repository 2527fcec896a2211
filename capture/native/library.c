/* Names of libraries. See library.h. */
#include "native/library.h"

#include <elf.h>
#include <link.h>
#include <string.h>

uint32_t hsn_library_name(const char *path, size_t size, char out[HSN_LIBRARY_NAME_BYTES])
{
    size_t from = 0;
    for (size_t i = 0; i < size; i++)
        if (path[i] == '/') from = i + 1;
    size -= from;
    if (size > HSN_LIBRARY_NAME_BYTES) size = HSN_LIBRARY_NAME_BYTES;
    for (size_t i = 0; i < size; i++) {
        const char c = path[from + i];
        out[i] = (char)(c == '+' || c == '{' ? '_' : c);
    }
    return (uint32_t)size;
}

uint32_t hsn_library_build_id(const unsigned char *notes, size_t size, uint8_t out[HSN_BUILD_ID_BYTES])
{
    ElfW(Nhdr) note;
    for (size_t at = 0; at + sizeof note <= size;) {
        memcpy(&note, notes + at, sizeof note);
        const size_t name = at + sizeof note, text = name + ((note.n_namesz + (size_t)3) & ~(size_t)3);
        const size_t next = text + ((note.n_descsz + (size_t)3) & ~(size_t)3);
        if (next > size || next <= at) return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0 &&
            note.n_descsz <= HSN_BUILD_ID_BYTES) {
            memcpy(out, notes + text, note.n_descsz);
            return note.n_descsz;
        }
        at = next;
    }
    return 0;
}

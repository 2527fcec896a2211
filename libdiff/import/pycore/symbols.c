/*
 * Where the names of an interpreter are: those that it exports (.dynsym, which a stripped one has too), then all
 * others.
 */
#include <string.h>

#include "base/check.h"
#include "import/pycore/pycore.h"

enum { SYMBOL_BYTES = 24, DYNAMIC_SYMBOLS = 11, ALL_SYMBOLS = 2 };
#define MOST_BYTES (UINT64_C(32) << 20)

static uint64_t number_pysymbol(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* Nothing where it is not all there, or too much. */
static hsd_status load_pysymbol(const hsd_elf *elf, const hsd_elf_section *section, hsd_buffer *out, hsd_error *err)
{
    out->size = 0;
    if (section->bytes > MOST_BYTES || section->offset > elf->input.bytes ||
        section->bytes > elf->input.bytes - section->offset)
        return HSD_OK;
    HSD_TRY(hsd_buffer_reserve(out, (size_t)section->bytes + 1, err));
    HSD_TRY(elf->input.read(elf->input.context, section->offset, out->data, (size_t)section->bytes, err));
    out->data[section->bytes] = 0;
    out->size = (size_t)section->bytes;
    return HSD_OK;
}

static void match(const hsd_buffer *symbols, const hsd_buffer *texts, uint64_t bias, pysymbol *wanted, size_t count)
{
    for (size_t i = 0; i + SYMBOL_BYTES <= symbols->size; i += SYMBOL_BYTES) {
        const uint64_t name = number_pysymbol(symbols->data + i, 4),
                       section = number_pysymbol(symbols->data + i + 6, 2),
                       value = number_pysymbol(symbols->data + i + 8, 8);
        if (section == 0 || value == 0 || name >= texts->size) continue;
        const char *text = (const char *)texts->data + name;
        for (size_t k = 0; k < count; k++) {
            const char *want = wanted[k].name;
            if (wanted[k].address == 0 && (strcmp(text, want) == 0 || (want[0] == '_' && strcmp(text, want + 1) == 0)))
                wanted[k].address = value + bias;
        }
    }
}

static hsd_status look_in(const hsd_elf *elf, uint32_t type, uint64_t bias, pysymbol *wanted, size_t count,
                          hsd_buffer buffers[2], hsd_error *err)
{
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const hsd_elf_section *section = &elf->sections[i];
        if (section->type != type || section->link >= elf->section_count) continue;
        HSD_TRY(load_pysymbol(elf, section, &buffers[0], err));
        HSD_TRY(load_pysymbol(elf, &elf->sections[section->link], &buffers[1], err));
        match(&buffers[0], &buffers[1], bias, wanted, count);
        return HSD_OK;
    }
    return HSD_OK;
}

hsd_status hsd_pysymbols_find(const hsd_elf *elf, uint64_t bias, pysymbol *wanted, size_t count, hsd_error *err)
{
    hsd_buffer buffers[2] = {0};
    hsd_status status = look_in(elf, DYNAMIC_SYMBOLS, bias, wanted, count, buffers, err);
    if (status == HSD_OK) status = look_in(elf, ALL_SYMBOLS, bias, wanted, count, buffers, err);
    hsd_buffer_release(&buffers[0]);
    hsd_buffer_release(&buffers[1]);
    return status;
}

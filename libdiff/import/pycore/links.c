/*
 * Where calls from one file of the program into another lead. A call goes through a slot of the caller's, which the
 * loader fills with where the function is: at once, or when it is first called. Until then the slot leads to the
 * loader, which is no function that could be interpreted, so what it would find is found here, by the name of the slot.
 *
 * A few functions are known by their names and answered here: those of the C library are written for the very
 * processor, and those that make an int of Python's would take memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/pycore/pycore.h"

enum {
    SYMBOL_BYTES = 24,
    DYNAMIC_SYMBOLS = 11,
    RELOCATIONS = 4,
    RELOCATION_BYTES = 24,
    GLOBAL_DATA = 6,
    JUMP_SLOT = 7
};
enum { MOST_FILES = 512 };
#define MOST_BYTES (UINT64_C(16) << 20)

static const struct {
    const char *name;
    pyanswer answer;
} answers[] = {{"PyLong_FromSsize_t", ANSWER_INT}, {"PyLong_FromSize_t", ANSWER_INT}, {"PyLong_FromLong", ANSWER_INT},
               {"_PySys_GetSizeOf", ANSWER_SIZE},  {"strlen", ANSWER_LENGTH},         {"strcmp", ANSWER_COMPARISON}};

static uint64_t number_pylink(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* ---- a file's tables ---- */

typedef struct pytable {
    hsd_buffer symbols, texts, relocations;
} pytable;

static void release_pylink(pytable *t)
{
    hsd_buffer_release(&t->symbols);
    hsd_buffer_release(&t->texts);
    hsd_buffer_release(&t->relocations);
}

/* Nothing where it is not all there, or too much. */
static hsd_status load_pylink(const hsd_elf *elf, const hsd_elf_section *section, hsd_buffer *out, hsd_error *err)
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

static hsd_status load_symbols(const hsd_elf *elf, pytable *t, hsd_error *err)
{
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const hsd_elf_section *section = &elf->sections[i];
        if (section->type != DYNAMIC_SYMBOLS || section->link >= elf->section_count) continue;
        HSD_TRY(load_pylink(elf, section, &t->symbols, err));
        return load_pylink(elf, &elf->sections[section->link], &t->texts, err);
    }
    return HSD_OK;
}

static const uint8_t *symbol_at(const pytable *t, uint64_t i)
{
    return i < t->symbols.size / SYMBOL_BYTES ? t->symbols.data + i * SYMBOL_BYTES : NULL;
}

static const char *name_of(const pytable *t, const uint8_t *symbol)
{
    const uint64_t at = number_pylink(symbol, 4);
    return at < t->texts.size ? (const char *)t->texts.data + at : "";
}

/* ---- what is known by its name ---- */

static hsd_status put_pylink(pycore *c, uint64_t address, pylink link, hsd_error *err)
{
    uint32_t at;
    if (address == 0) return HSD_OK;
    HSD_TRY(hsd_id_table_put(&c->link_ids, address, &at, err));
    HSD_TRY(hsd_import_grow((void **)&c->links_of_files, &c->link_room, at, sizeof link, err));
    c->links_of_files[at - 1] = link;
    return HSD_OK;
}

static pyanswer answer_of(const char *name)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(answers); i++)
        if (strcmp(answers[i].name, name) == 0) return answers[i].answer;
    return ANSWER_NONE;
}

static hsd_status put_export(pycore *c, const char *name, uint64_t address, hsd_error *err)
{
    uint32_t at;
    const pyanswer answer = answer_of(name);
    HSD_TRY(hsd_names_put(&c->exports, (hsd_bytes){(const uint8_t *)name, strlen(name)}, &at, err));
    HSD_TRY(hsd_import_grow((void **)&c->export_addresses, &c->export_room, at, sizeof address, err));
    c->export_addresses[at] = address;
    return answer == ANSWER_NONE ? HSD_OK : put_pylink(c, address, (pylink){.answer = answer}, err);
}

static hsd_status read_exports(pycore *c, hsd_error *err)
{
    uint64_t bias;
    pytable t = {0};
    const hsd_elf *elf = hsd_pymemory_file(&c->memory, c->python_file, &bias);
    hsd_status status = elf == NULL ? HSD_OK : load_symbols(elf, &t, err);
    const uint8_t *symbol;
    for (uint64_t i = 0; status == HSD_OK && (symbol = symbol_at(&t, i)) != NULL; i++)
        if (number_pylink(symbol + 6, 2) != 0 && number_pylink(symbol + 8, 8) != 0)
            status = put_export(c, name_of(&t, symbol), number_pylink(symbol + 8, 8) + bias, err);
    release_pylink(&t);
    return status;
}

/* ---- slots ---- */

static hsd_status take_slot(pycore *c, const char *name, uint64_t leads_to, hsd_error *err)
{
    const pyanswer answer = answer_of(name);
    if (answer != ANSWER_NONE) return put_pylink(c, leads_to, (pylink){.answer = answer}, err);
    const uint32_t at = hsd_names_find(&c->exports, (hsd_bytes){(const uint8_t *)name, strlen(name)});
    if (at == HSD_NAME_NONE || c->export_addresses[at] == leads_to) return HSD_OK;
    return put_pylink(c, leads_to, (pylink){.target = c->export_addresses[at]}, err);
}

static hsd_status take_slots(pycore *c, const hsd_elf *elf, uint64_t bias, pytable *t, hsd_error *err)
{
    for (uint32_t i = 0; i < elf->section_count; i++) {
        if (elf->sections[i].type != RELOCATIONS) continue;
        HSD_TRY(load_pylink(elf, &elf->sections[i], &t->relocations, err));
        for (size_t at = 0; at + RELOCATION_BYTES <= t->relocations.size; at += RELOCATION_BYTES) {
            const uint8_t *row = t->relocations.data + at;
            const uint64_t kind = number_pylink(row + 8, 4);
            const uint8_t *symbol = symbol_at(t, number_pylink(row + 12, 4));
            if (symbol == NULL || (kind != GLOBAL_DATA && kind != JUMP_SLOT)) continue;
            const char *name = name_of(t, symbol);
            if (kind == GLOBAL_DATA && answer_of(name) == ANSWER_NONE) continue;
            HSD_TRY(take_slot(c, name, py_word(c, number_pylink(row, 8) + bias), err));
        }
    }
    return HSD_OK;
}

static hsd_status read_slots(pycore *c, hsd_error *err)
{
    for (uint32_t i = 0; i < c->memory.file_count && i < MOST_FILES; i++) {
        uint64_t bias;
        pytable t = {0};
        const hsd_elf *elf = hsd_pymemory_file(&c->memory, i, &bias);
        hsd_status status = elf == NULL ? HSD_OK : load_symbols(elf, &t, err);
        if (status == HSD_OK && elf != NULL) status = take_slots(c, elf, bias, &t, err);
        release_pylink(&t);
        HSD_TRY(status);
    }
    return HSD_OK;
}

hsd_status hsd_pylinks_read(pycore *c, hsd_error *err)
{
    HSD_TRY(read_exports(c, err));
    return read_slots(c, err);
}

bool hsd_pylinks_find(const pycore *c, uint64_t address, pylink *out)
{
    const uint32_t at = hsd_id_table_find(&c->link_ids, address);
    if (at != 0) *out = c->links_of_files[at - 1];
    return at != 0;
}

void hsd_pylinks_close(pycore *c)
{
    hsd_id_table_release(&c->link_ids);
    hsd_names_release(&c->exports);
    free(c->links_of_files);
    free(c->export_addresses);
}

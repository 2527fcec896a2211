/*
 * ELF files and DWARF out of hostile hands: whatever a file says, its symbols and lines are looked up or refused, in
 * bounded time.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/memfile.h"
#include "symbols/code.h"
#include "symbols/locals.h"
#include "symbols/members.h"
#include "symbols/site_types.h"
#include "symbols/variables.h"

#define STEPS       64
#define DEBUG_BYTES ((uint64_t)8 << 20)

/* Words and registers of frames, and members of what may be defined there. */
static void find_words(const hsd_module *module, uint64_t address)
{
    static const char *const types[] = {"session", "Order", "shop::Session", "node of std::list<Order>", "Arc<Node>"};
    const hsd_text type = {types[address % 5], strlen(types[address % 5])};
    const hsd_member_place place = {type, address % 128 & ~UINT64_C(7), address % 2 != 0};
    hsd_buffer text = {0};
    hsd_member_kind kind;
    hsd_error err;
    const hsd_frame_place word = {.below = 8 + address % 256, .above = address % 192};
    const hsd_frame_place in_register = {.is_register = true, .reg = address % 18};
    if (hsd_local_append(module, address, &word, &text, &err) != HSD_OK) abort();
    hsd_buffer_clear(&text);
    if (hsd_local_append(module, address, &in_register, &text, &err) != HSD_OK) abort();
    hsd_buffer_clear(&text);
    if (hsd_member_find(&module, 1, &place, &kind, &text, &err) != HSD_OK) abort();
    if ((kind == HSD_MEMBER_UNKNOWN || kind == HSD_MEMBER_ITEM) != (text.size == 0)) abort();
    if (module->lines != NULL && hsd_variable_append_member(module->lines, address, &text, &err) != HSD_OK) abort();
    hsd_buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const hsd_module *module, uint64_t address)
{
    hsd_code code = {.text = {0}};
    hsd_error err;
    for (int kind = 0; kind < HSD_SYMBOL_KINDS; kind++) {
        const char *name = hsd_module_find(module, (hsd_symbol_kind)kind, address);
        if (name != NULL && name[0] == '\0') abort();
    }
    if (hsd_append_code(&code, module, address, &err) != HSD_OK) abort();
    if ((code.wanted.size > 0 || code.around.size > 0) && code.text.size == 0) abort();
    hsd_code_release(&code);
}

/* Types of blocks whose callers are at any addresses, of any size. */
static void find_type(const hsd_module *module, uint64_t address, uint64_t step)
{
    hsd_call_chain chain = {.count = HSD_SITE_CALLS, .most_bytes = address % 512};
    hsd_site_type type = {.says_little = false};
    hsd_error err;
    for (size_t i = 0; i < HSD_SITE_CALLS; i++) {
        chain.modules[i] = module;
        chain.addresses[i] = address + i * step;
    }
    if (hsd_site_type_find(&type, &chain, &err) != HSD_OK) abort();
    hsd_site_type_release(&type);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_module module = {.image_count = 1};
    char build_id[HSD_BUILD_ID_DIGITS + 1];
    hsd_error err;
    memfile file = memfile_of(data, size);
    const bool is_elf = hsd_image_build_id(file.fd, build_id);
    const hsd_status status = hsd_image_open(&module.images[0], dup(file.fd), (uint64_t)16 << 20, &err);
    if (!is_elf && status == HSD_OK) abort();
    if (strlen(build_id) > HSD_BUILD_ID_DIGITS) abort();
    if (status == HSD_OK) {
        const uint64_t bytes = hsd_image_debug_bytes(module.images[0]);
        if (bytes > 0 && bytes < DEBUG_BYTES && hsd_lines_open(&module.lines, module.images[0], &err) != HSD_OK)
            abort();
        for (unsigned i = 0; i < STEPS; i++)
            look_up(&module, 0x1000 + i * 0x51);
        for (unsigned i = 0; i < STEPS; i++)
            find_type(&module, 0x1000 + i * 0x1d, 0x3b);
        for (unsigned i = 0; i < STEPS; i++)
            find_words(&module, 0x1000 + i * 0x13);
        look_up(&module, 0x4010);
        look_up(&module, UINT64_MAX);
        hsd_lines_close(module.lines);
        hsd_image_close(module.images[0]);
    }
    memfile_close(&file);
    return 0;
}

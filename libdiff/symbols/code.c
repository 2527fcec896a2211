/* Names of code. See code.h. */
#include "symbols/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "base/check.h"
#include "base/fail.h"
#include "symbols/demangle.h"
#include "symbols/spelling.h"

static bool is_one_of(const char *word, size_t size, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0) return true;
    return false;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/*
 * What compilers put behind a name, when they make a second function or variable of one: "fill.part.0", "fill.cold",
 * "fill.avx2", "_Z4taski.actor". Zig writes a dot between a file and what is in it, so a word that may be a name there
 * ("main.clone", "main.Pool.destroy", "shop.strings") is a part only where a number follows, or behind a name that is
 * mangled.
 */
static bool is_number_or_part(const char *word, bool is_mangled)
{
    static const char *const numbered[] = {"part",       "constprop", "isra", "lto_priv", "llvm", "clone",  "_omp_fn",
                                           "_omp_cpyfn", "str",       "pow2", "ipa",      "warm", "default"};
    static const char *const alone[] = {"cold", "hot", "unlikely", "localalias", "lto_priv", "resolver"};
    static const char *const of_mangled[] = {"actor", "resume", "destroy", "cleanup"};
    const size_t size = strcspn(word, ".@");
    const bool has_number = word[size] == '.' && is_digit(word[size + 1]);
    if (size > 0 && strspn(word, "0123456789") == size) return true;
    if (has_number && is_one_of(word, size, numbered, HSD_ARRAY_LEN(numbered))) return true;
    if (is_one_of(word, size, alone, HSD_ARRAY_LEN(alone))) return true;
    if (is_mangled && is_one_of(word, size, of_mangled, HSD_ARRAY_LEN(of_mangled))) return true;
    if (strncmp(word, "avx", 3) == 0 || strncmp(word, "sse", 3) == 0) return size == 3 || is_digit(word[3]);
    return strncmp(word, "arch_", 5) == 0;
}

/* "stdout@GLIBC_2.2.5", "make.part.0", "cache.1": what stands in front. ".L5" is none of these, nor is "shop.plant" of
 * Zig, and two dots are Rust's way to write "::". */
static size_t plain_length(const char *name)
{
    const bool is_mangled = name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
    size_t at = 0;
    for (;;) {
        at += strcspn(name + at, ".@");
        if (name[at] != '.' || (at > 0 && name[at + 1] != '.' && is_number_or_part(name + at + 1, is_mangled))) break;
        at += name[at + 1] == '.' ? 2 : 1;
    }
    return at > 0 ? at : strlen(name);
}

/* Demangled and spelled; ends with NUL, of which the size says nothing. */
static hsd_status show(const char *linkage_name, hsd_buffer *out, hsd_error *err)
{
    char *demangled = NULL, *plain = strndup(linkage_name, plain_length(linkage_name));
    if (plain == NULL) return hsd_fail_nomem(err, "a name");
    hsd_status status = hsd_demangle(plain, &demangled, err);
    if (status == HSD_OK) status = hsd_spell(out, demangled, err);
    if (status == HSD_OK && out->size > HSD_SHOWN_NAME_BYTES) {
        out->size = HSD_SHOWN_NAME_BYTES;
        memcpy(out->data + out->size - 3, "...", 3);
    }
    if (status == HSD_OK) status = hsd_buffer_append(out, "", 1, err);
    if (status == HSD_OK) out->size--;
    free(demangled);
    free(plain);
    return status;
}

hsd_status hsd_append_name(hsd_buffer *out, const char *linkage_name, hsd_error *err)
{
    hsd_buffer name = {0};
    hsd_status status = show(linkage_name, &name, err);
    if (status == HSD_OK) status = hsd_buffer_append(out, name.data, name.size, err);
    hsd_buffer_release(&name);
    return status;
}

/* Of a place's function. One of the library whose namespace DWARF has left out gets it: who looks for the function of
 * the program that wanted a block knows it by that. */
static hsd_status show_function(hsd_buffer *out, const hsd_place *place, size_t i, hsd_error *err)
{
    hsd_buffer name = {0};
    hsd_status status = show(place->functions[i], &name, err);
    const bool is_bare =
        status == HSD_OK && place->is_of_library[i] && !hsd_function_allocates((const char *)name.data);
    if (is_bare) status = hsd_buffer_append(out, "std::", 5, err);
    if (status == HSD_OK) status = hsd_buffer_append(out, name.data, name.size + 1, err); /* with its NUL */
    if (status == HSD_OK) out->size--;
    hsd_buffer_release(&name);
    return status;
}

/* "(shop.cpp:12)", and as a program includes it "(<memory.hpp>:120)" of a header that was installed. */
static hsd_status append_line(hsd_buffer *out, const hsd_place *place, size_t at, hsd_error *err)
{
    char line[16];
    const char *file = place->files[at];
    const bool is_of_system = place->is_of_system[at];
    if (file == NULL) return HSD_OK;
    snprintf(line, sizeof line, "%s:%u)", is_of_system ? ">" : "", (unsigned)place->lines[at]);
    HSD_TRY(hsd_buffer_append(out, is_of_system ? " (<" : " (", is_of_system ? 3 : 2, err));
    HSD_TRY(hsd_buffer_append(out, file, strnlen(file, HSD_SHOWN_NAME_BYTES), err));
    return hsd_buffer_append(out, line, strlen(line), err);
}

/* The innermost of the functions that does not allocate for others and is none of a library's header; *at is its place,
 * 0 where there is none. */
static hsd_status append_wanted(hsd_buffer *out, const hsd_place *place, size_t *at, hsd_error *err)
{
    *at = 0;
    for (size_t i = 0; i < place->function_count; i++) {
        hsd_buffer name = {0};
        hsd_status status = show_function(&name, place, i, err);
        const bool is_wanted =
            status == HSD_OK && !place->is_of_system[i] && !hsd_function_allocates((const char *)name.data);
        if (is_wanted) status = hsd_buffer_append(out, name.data, name.size, err);
        hsd_buffer_release(&name);
        if (is_wanted) *at = i;
        if (is_wanted || status != HSD_OK) return status;
    }
    return HSD_OK;
}

/* Debug information of the C library, which distributions have apart, says how it is made: a program has called
 * getaddrinfo, and knows no generate_addrinfo (getaddrinfo.c:1075). */
static void mark_library(hsd_place *place)
{
    for (size_t i = 0; i < place->function_count; i++)
        place->is_of_system[i] |= place->files[i] != NULL;
}

hsd_status hsd_append_code(hsd_code *code, const hsd_module *module, uint64_t address, hsd_error *err)
{
    static const char inlined[] = ", inlined in ";
    hsd_place place = {.function_count = 0};
    size_t shown;
    if (module->lines != NULL) HSD_TRY(hsd_lines_find(module->lines, address, &place, err));
    if (hsd_module_is_of_system(module->name.data, module->name.size)) mark_library(&place);
    if (place.function_count == 0) {
        const char *symbol = hsd_module_find(module, HSD_SYMBOL_FUNCTION, address);
        if (symbol == NULL) return HSD_OK;
        place.functions[place.function_count++] = symbol;
    }
    HSD_TRY(show_function(&code->around, &place, place.function_count - 1, err));
    HSD_TRY(append_wanted(&code->wanted, &place, &shown, err));
    HSD_TRY(show_function(&code->text, &place, shown, err));
    HSD_TRY(append_line(&code->text, &place, shown, err));
    if (shown + 1 < place.function_count) {
        HSD_TRY(hsd_buffer_append(&code->text, inlined, sizeof inlined - 1, err));
        HSD_TRY(hsd_buffer_append(&code->text, code->around.data, code->around.size, err));
    }
    return HSD_OK;
}

void hsd_code_release(hsd_code *code)
{
    hsd_buffer_release(&code->text);
    hsd_buffer_release(&code->around);
    hsd_buffer_release(&code->wanted);
}

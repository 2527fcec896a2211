/* Modules and their files. See modules.h. */
#include "symbols/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/names.h"

hsd_status hsd_modules_open(hsd_modules *modules, const hsd_symbol_options *options, uint64_t memory_bytes,
                            hsd_reporter *reporter, hsd_error *err)
{
    *modules = (hsd_modules){.memory_bytes = memory_bytes, .reporter = reporter};
    return hsd_elf_files_list(&modules->files, options, err);
}

/* ---- the files of one ---- */

/* A profile that has no build ids may be of another build than the file that has its name now. */
static void tell_by_name(const hsd_modules *modules, const hsd_module *module, int fd)
{
    char build_id[HSD_BUILD_ID_DIGITS + 1];
    if (module->build_id.size > 0 || module->image_count > 0 || !hsd_image_build_id(fd, build_id) ||
        build_id[0] == '\0')
        return;
    hsd_note(
        modules->reporter, HSD_NOTE_WARNING,
        "%.*s is found by its name alone, as the capture has no build id of it: after a rebuild its names are wrong",
        (int)module->name.size, module->name.data);
}

static void close_images(hsd_module *module)
{
    for (size_t i = 0; i < module->image_count; i++)
        hsd_image_close(module->images[i]);
    module->image_count = 0;
}

/* Without a build id nobody could say later which file is meant. */
static void leave_mute(hsd_module *module)
{
    bool is_mute = module->image_count > 0 && module->build_id.size > 0;
    for (size_t i = 0; i < module->image_count; i++)
        is_mute = is_mute && hsd_image_is_mute(module->images[i]);
    if (!is_mute) return;
    module->is_stripped = true;
    close_images(module);
}

static hsd_status open_images(hsd_modules *modules, hsd_module *module, hsd_error *err)
{
    for (size_t skip = 0; module->image_count < HSD_IMAGES_OF_A_MODULE; skip++) {
        hsd_error why;
        const int fd = hsd_elf_files_open(&modules->files, module->name, module->build_id, skip);
        if (fd < 0) break;
        tell_by_name(modules, module, fd);
        hsd_error_init(&why);
        const hsd_status status =
            hsd_image_open(&module->images[module->image_count], fd, modules->memory_bytes / 4, &why);
        if (status == HSD_OK) module->image_count++;
        if (status == HSD_E_OVER_BUDGET)
            hsd_note(modules->reporter, HSD_NOTE_WARNING, "%.*s is left out: %s", (int)module->name.size,
                     module->name.data, why.text);
        if (status == HSD_E_NOMEM) return hsd_fail(err, status, "%s", why.text);
    }
    leave_mute(module);
    if (module->image_count > 0) modules->found++;
    return HSD_OK;
}

static hsd_status open_lines(hsd_modules *modules, hsd_module *module, hsd_error *err)
{
    for (size_t i = 0; i < module->image_count && module->lines == NULL; i++) {
        const uint64_t bytes = hsd_image_debug_bytes(module->images[i]);
        if (bytes == 0) continue;
        if (bytes > modules->memory_bytes / 2) { /* as they are read, and as they are copied */
            hsd_note(
                modules->reporter, HSD_NOTE_WARNING,
                "names of %.*s come without lines: its debug information takes %llu MiB, more than --memory leaves",
                (int)module->name.size, module->name.data, (unsigned long long)(bytes >> 20));
            continue;
        }
        HSD_TRY(hsd_lines_open(&module->lines, module->images[i], err));
        if (module->lines != NULL) modules->memory_bytes -= 2 * bytes;
    }
    return HSD_OK;
}

/* ---- the list ---- */

static bool equals(hsd_text a, hsd_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static hsd_status copy_text(hsd_modules *modules, hsd_text text, hsd_text *out, hsd_error *err)
{
    const char *copy = hsd_arena_copy(&modules->arena, text.data, text.size);
    if (copy == NULL) return hsd_fail_nomem(err, "a module");
    *out = (hsd_text){copy, text.size};
    return HSD_OK;
}

static hsd_status add_module(hsd_modules *modules, const hsd_unresolved *name, uint64_t hash, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(modules->modules, modules->capacity, modules->count + 1, 32, "a module", err));
    hsd_module *module = &modules->modules[modules->count];
    *module = (hsd_module){.hash = hash};
    HSD_TRY(copy_text(modules, name->module, &module->name, err));
    HSD_TRY(copy_text(modules, name->build_id, &module->build_id, err));
    modules->count++;
    HSD_TRY(open_images(modules, module, err));
    return open_lines(modules, module, err);
}

hsd_status hsd_modules_get(hsd_modules *modules, const hsd_unresolved *name, hsd_module **out, hsd_error *err)
{
    const uint64_t hash = hsd_hash_bytes(name->module.data, name->module.size,
                                         hsd_hash_bytes(name->build_id.data, name->build_id.size, 0));
    *out = NULL;
    for (size_t i = 0; i < modules->count; i++) {
        hsd_module *module = &modules->modules[i];
        if (module->hash == hash && equals(module->name, name->module) && equals(module->build_id, name->build_id)) {
            *out = module;
            return HSD_OK;
        }
    }
    if (modules->count == HSD_MODULES_MAX) return HSD_OK;
    HSD_TRY(add_module(modules, name, hash, err));
    *out = &modules->modules[modules->count - 1];
    return HSD_OK;
}

const char *hsd_module_find(const hsd_module *module, hsd_symbol_kind kind, uint64_t address)
{
    const char *found = NULL;
    for (size_t i = 0; i < module->image_count && found == NULL; i++)
        found = hsd_image_find(module->images[i], kind, address);
    return found;
}

size_t hsd_module_code(const hsd_module *module, uint64_t address, uint8_t *out, size_t room)
{
    size_t got = 0;
    for (size_t i = 0; i < module->image_count && got == 0; i++)
        got = hsd_image_code(module->images[i], address, out, room);
    return got;
}

void hsd_modules_tell_missing(const hsd_modules *modules)
{
    const hsd_module *first = NULL;
    char others[64] = "";
    size_t missing = 0;
    for (size_t i = 0; i < modules->count; i++) {
        const hsd_module *module = &modules->modules[i];
        if (module->image_count > 0) continue;
        if (first == NULL) first = module;
        missing++;
    }
    if (missing == 0) return;
    if (missing > 1) snprintf(others, sizeof others, " and of %zu other files", missing - 1);
    hsd_note(modules->reporter, HSD_NOTE_WARNING,
             "names of %.*s%s stay addresses: %s; hsdiff symbolize with --symbols FOLDER puts them later",
             (int)first->name.size, first->name.data, others,
             first->is_stripped ? "its file is stripped"
                                : "no file of the build that runs is found, it may have been replaced since");
}

void hsd_modules_close(hsd_modules *modules)
{
    for (size_t i = 0; i < modules->count; i++) {
        hsd_module *module = &modules->modules[i];
        hsd_lines_close(module->lines);
        close_images(module);
    }
    free(modules->modules);
    hsd_elf_files_release(&modules->files);
    hsd_arena_release(&modules->arena);
    *modules = (hsd_modules){.count = 0};
}

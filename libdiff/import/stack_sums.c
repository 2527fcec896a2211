#define _GNU_SOURCE /* memmem */
/*
 * Frames, sites and sums of profiles of allocations. See stack_sums.h.
 */
#include "import/stack_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "base/check.h"
#include "base/fail.h"
#include "import/places.h"

enum { CHECK_EVERY = 256, PROGRAM_BYTES = 256 };

static const char unknown_function[] = "(unknown function)";

uint64_t hsd_stack_sums_memory(const hsd_stack_sums *s)
{
    const uint64_t names = hsd_names_memory(&s->texts) + hsd_names_memory(&s->frame_keys) +
                           hsd_names_memory(&s->strings.names) + hsd_names_memory(&s->types);
    const uint64_t rows = s->frame_room * sizeof *s->frames + s->site_room * sizeof *s->sites +
                          s->sum_room * sizeof *s->sums + s->text_room * sizeof *s->text_strings +
                          hsd_pair_table_memory(&s->site_rows) + s->other_bytes;
    return names + rows;
}

hsd_status hsd_stack_sums_check_memory(const hsd_stack_sums *s, hsd_error *err)
{
    const uint64_t taken = hsd_stack_sums_memory(s), allowed = s->import->memory_bytes / 4 * 3;
    return hsd_import_expect_room(taken, allowed, "the stacks of this profile", taken * 4 + HSD_IMPORT_MORE, err);
}

static hsd_status check_sums_now_and_then(const hsd_stack_sums *s, uint32_t count, hsd_error *err)
{
    return count % CHECK_EVERY == 0 ? hsd_stack_sums_check_memory(s, err) : HSD_OK;
}

/* ---- frames ---- */

/* Headers of libstdc++ and libc++ by their names alone, since valgrind leaves folders out. What was inlined from them
 * has no scope in its name: "push_back". */
static bool is_of_containers(hsd_bytes path)
{
    static const char *const names[] = {"new_allocator.h",
                                        "alloc_traits.h",
                                        "allocator.h",
                                        "allocated_ptr.h",
                                        "basic_string.h",
                                        "basic_string.tcc",
                                        "vector.tcc",
                                        "deque.tcc",
                                        "list.tcc",
                                        "shared_ptr.h",
                                        "shared_ptr_base.h",
                                        "unique_ptr.h",
                                        "hashtable.h",
                                        "hashtable_policy.h",
                                        "unordered_map.h",
                                        "unordered_set.h",
                                        "std_function.h",
                                        "invoke.h",
                                        "move.h",
                                        "aligned_buffer.h",
                                        "memoryfwd.h",
                                        "vector",
                                        "memory",
                                        "string",
                                        "allocate_at_least.h",
                                        "allocator_traits.h",
                                        "__tree",
                                        "__hash_table"};
    const hsd_bytes name = hsd_import_file_name(path);
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        if (name.size == strlen(names[i]) && hsd_bytes_end(name, names[i])) return true;
    return hsd_bytes_begin(name, "stl_") || memmem(path.data, path.size, "/include/c++/", 13) != NULL;
}

static hsd_status put_frame_text(hsd_stack_sums *s, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    text.size = (size_t)hsd_min_u64(text.size, HSD_FRAME_TEXT_BYTES);
    HSD_TRY(hsd_names_put(&s->texts, text, number, err));
    ++*number;
    return HSD_OK;
}

static hsd_status put_frame_row(hsd_stack_sums *s, const hsd_frame_row *row, uint32_t *frame, hsd_error *err)
{
    const uint32_t key[] = {row->function, row->file, row->line}, before = s->frame_keys.count;
    HSD_TRY(hsd_names_put(&s->frame_keys, (hsd_bytes){(const uint8_t *)key, sizeof key}, frame, err));
    if (s->frame_keys.count == before) return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&s->frames, &s->frame_room, *frame, sizeof *s->frames, err));
    s->frames[*frame] = *row;
    return check_sums_now_and_then(s, *frame, err);
}

/* A function of the library's, so that everybody sees that: "push_back" is "std::push_back", and what it returns is
 * left out of "void std::vector<int>::_M_realloc_insert(…)". */
static hsd_bytes qualify(char out[HSD_FRAME_TEXT_BYTES], hsd_bytes function)
{
    static const char scope[] = "std::";
    int depth = 0;
    for (size_t at = 0; at < function.size; at++) {
        const uint8_t c = function.data[at];
        depth += (c == '<' || c == '(') - (c == '>' || c == ')');
        const hsd_bytes rest = {function.data + at, function.size - at};
        if (depth == 0 && (at == 0 || function.data[at - 1] == ' ') && hsd_bytes_begin(rest, scope)) return rest;
    }
    const size_t size = (size_t)hsd_min_u64(function.size, HSD_FRAME_TEXT_BYTES - sizeof scope);
    memcpy(out, scope, sizeof scope - 1);
    memcpy(out + sizeof scope - 1, function.data, size);
    return (hsd_bytes){(const uint8_t *)out, sizeof scope - 1 + size};
}

hsd_status hsd_stack_sums_frame(hsd_stack_sums *s, hsd_bytes function, hsd_bytes path, uint32_t line, uint32_t *frame,
                                hsd_error *err)
{
    char qualified[HSD_FRAME_TEXT_BYTES];
    hsd_frame_row row = {.line = line};
    if (function.size == 0)
        function = (hsd_bytes){(const uint8_t *)unknown_function, sizeof unknown_function - 1};
    else if (path.size > 0 && is_of_containers(path))
        function = qualify(qualified, function);
    HSD_TRY(put_frame_text(s, function, &row.function, err));
    if (path.size > 0) HSD_TRY(put_frame_text(s, path, &row.file, err));
    row.allocates = hsd_function_allocates((const char *)hsd_names_get(&s->texts, row.function - 1).data);
    return put_frame_row(s, &row, frame, err);
}

hsd_status hsd_stack_sums_module_frame(hsd_stack_sums *s, hsd_bytes module_path, uint32_t *frame, hsd_error *err)
{
    char name[PROGRAM_BYTES + 32], plain[PROGRAM_BYTES];
    hsd_frame_row row = {0};
    const hsd_bytes file = hsd_import_file_name(module_path);
    const size_t size = (size_t)hsd_min_u64(file.size, PROGRAM_BYTES);
    if (size == 0) return hsd_stack_sums_frame(s, (hsd_bytes){0}, (hsd_bytes){0}, 0, frame, err);
    for (size_t i = 0; i < size; i++)
        plain[i] = (char)(file.data[i] == '+' ? '_' : file.data[i]);
    const int used = snprintf(name, sizeof name, "(unknown function of %.*s)", (int)size, (const char *)file.data);
    HSD_TRY(put_frame_text(s, (hsd_bytes){(const uint8_t *)name, (size_t)used}, &row.function, err));
    row.allocates = hsd_module_is_of_system(plain, size) || hsd_bytes_begin(file, "vgpreload_") ||
                    hsd_bytes_begin(file, "libheaptrack_");
    return put_frame_row(s, &row, frame, err);
}

/* ---- sites and sums ---- */

hsd_status hsd_stack_sums_site(hsd_stack_sums *s, uint32_t frame, uint32_t *site, hsd_error *err)
{
    const uint32_t parent = *site, before = s->site_rows.count;
    HSD_TRY(hsd_pair_table_put(&s->site_rows, parent, frame, site, err));
    if (s->site_rows.count == before) return HSD_OK;
    if (*site > INT32_MAX)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "this profile has more than 2,147,483,647 different stacks");
    HSD_TRY(hsd_import_grow((void **)&s->sites, &s->site_room, *site - 1, sizeof *s->sites, err));
    s->sites[*site - 1] = (hsd_stack_site){parent, frame};
    return check_sums_now_and_then(s, *site, err);
}

hsd_status hsd_stack_sums_add(hsd_stack_sums *s, uint32_t site, uint64_t objects, uint64_t bytes, hsd_error *err)
{
    if (site >= s->sum_room) {
        HSD_TRY(hsd_import_grow((void **)&s->sums, &s->sum_room, site, sizeof *s->sums, err));
        HSD_TRY(hsd_stack_sums_check_memory(s, err));
    }
    s->sums[site].objects = hsd_add_saturating(s->sums[site].objects, objects);
    s->sums[site].bytes = hsd_add_saturating(s->sums[site].bytes, bytes);
    return HSD_OK;
}

void hsd_stack_sums_clear(hsd_stack_sums *s)
{
    hsd_pair_table_release(&s->site_rows);
    if (s->sum_room > 0) memset(s->sums, 0, s->sum_room * sizeof *s->sums);
}

static bool has_sum(const hsd_stack_sums *s, uint32_t site)
{
    return site < s->sum_room && (s->sums[site].objects > 0 || s->sums[site].bytes > 0);
}

/* ---- the capture ---- */

/* The innermost frame that allocates for nobody else; the innermost where all do. */
static uint32_t find_wanted(const hsd_stack_sums *s, uint32_t site)
{
    for (uint32_t at = site; at != 0; at = s->sites[at - 1].parent)
        if (!s->frames[s->sites[at - 1].frame].allocates) return at;
    return site;
}

static hsd_status put_sum_type(hsd_stack_sums *s, uint32_t site, uint32_t *type, hsd_error *err)
{
    static const char begin[] = "allocated at ";
    static const hsd_bytes none = {(const uint8_t *)"(no stack)", 10};
    char name[sizeof begin + HSD_FRAME_TEXT_BYTES];
    bool is_new;
    if (site == 0) return hsd_import_put_type(s->import, &s->types, none, 0, type, &is_new, err);
    hsd_frame_row *frame = &s->frames[s->sites[find_wanted(s, site) - 1].frame];
    if (frame->type == 0) {
        const hsd_bytes function = hsd_names_get(&s->texts, frame->function - 1);
        memcpy(name, begin, sizeof begin - 1);
        memcpy(name + sizeof begin - 1, function.data, function.size);
        const hsd_bytes text = {(const uint8_t *)name, sizeof begin - 1 + function.size};
        HSD_TRY(hsd_import_put_type(s->import, &s->types, text, 0, &frame->type, &is_new, err));
        if (is_new) HSD_TRY(check_sums_now_and_then(s, frame->type, err));
    }
    *type = frame->type;
    return HSD_OK;
}

static hsd_status write_sum(hsd_stack_sums *s, uint32_t site, hsd_error *err)
{
    const hsd_stack_sum *sum = &s->sums[site];
    hsd_import_result *result = s->import->result;
    uint32_t type;
    HSD_TRY(put_sum_type(s, site, &type, err));
    if (site == 0 || s->import->options->summary_only)
        HSD_WRITE(s->import, hsc_count(s->import->writer, type, sum->objects, sum->bytes), err);
    else
        HSD_WRITE(s->import, hsc_count_site(s->import->writer, type, site, sum->objects, sum->bytes), err);
    result->objects = hsd_add_saturating(result->objects, sum->objects);
    result->bytes = hsd_add_saturating(result->bytes, sum->bytes);
    return HSD_OK;
}

/* The string of a text, which is looked up once. */
static hsd_status put_sum_string(hsd_stack_sums *s, uint32_t text, uint32_t *number, hsd_error *err)
{
    bool is_new;
    *number = text == 0 ? 0 : s->text_strings[text - 1];
    if (text == 0 || *number != 0) return HSD_OK;
    HSD_TRY(hsd_import_put_text(s->import, &s->strings, hsd_names_get(&s->texts, text - 1), number, &is_new, err));
    s->text_strings[text - 1] = *number;
    return check_sums_now_and_then(s, *number, err);
}

static hsd_status write_site(hsd_stack_sums *s, uint32_t site, hsd_error *err)
{
    const hsd_stack_site *row = &s->sites[site - 1];
    const hsd_frame_row *frame = &s->frames[row->frame];
    uint32_t function, file;
    HSD_TRY(put_sum_string(s, frame->function, &function, err));
    HSD_TRY(put_sum_string(s, frame->file, &file, err));
    HSD_WRITE(s->import, hsc_define_site(s->import->writer, site, row->parent, function, file, frame->line, 0), err);
    return HSD_OK;
}

/* Sites that have sums, and those above them, which have smaller numbers. */
static hsd_status write_sites(hsd_stack_sums *s, hsd_error *err)
{
    const uint32_t count = s->site_rows.count;
    uint8_t *is_wanted = calloc((size_t)count + 1, 1);
    hsd_status status =
        hsd_import_grow((void **)&s->text_strings, &s->text_room, s->texts.count, sizeof *s->text_strings, err);
    if (is_wanted == NULL) return hsd_fail_nomem(err, "the stacks of a profile");
    for (uint32_t site = count; site > 0; site--) {
        if (!is_wanted[site] && !has_sum(s, site)) continue;
        is_wanted[site] = 1;
        is_wanted[s->sites[site - 1].parent] = 1;
    }
    for (uint32_t site = 1; site <= count && status == HSD_OK; site++)
        if (is_wanted[site]) status = write_site(s, site, err);
    free(is_wanted);
    return status;
}

hsd_status hsd_stack_sums_begin(hsd_stack_sums *s, hsd_bytes command, uint64_t pid, hsd_error *err)
{
    char program[PROGRAM_BYTES];
    const uint8_t *blank = command.size == 0 ? NULL : memchr(command.data, ' ', command.size);
    if (blank != NULL) command.size = (size_t)(blank - command.data);
    const hsd_bytes name = hsd_import_file_name(command);
    const int size = (int)hsd_min_u64(name.size, sizeof program - 1);
    snprintf(program, sizeof program, "%.*s", size, size == 0 ? "" : (const char *)name.data);
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "native";
    options.pid = pid;
    options.taken_unix_ns = UINT64_MAX;
    options.facts = HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES;
    options.has_site_totals = !s->import->options->summary_only;
    if (size > 0) options.process_name = program;
    return hsd_import_begin(s->import, &options, err);
}

hsd_status hsd_stack_sums_write(hsd_stack_sums *s, hsd_error *err)
{
    if (!s->import->options->summary_only) HSD_TRY(write_sites(s, err));
    for (uint32_t site = 0; site <= s->site_rows.count; site++)
        if (has_sum(s, site)) HSD_TRY(write_sum(s, site, err));
    return HSD_OK;
}

void hsd_stack_sums_release(hsd_stack_sums *s)
{
    hsd_names *const names[] = {&s->texts, &s->frame_keys, &s->strings.names, &s->types};
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        hsd_names_release(names[i]);
    free(s->frames);
    free(s->text_strings);
    free(s->sites);
    free(s->sums);
    hsd_pair_table_release(&s->site_rows);
}

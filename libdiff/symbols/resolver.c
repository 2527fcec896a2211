#define _GNU_SOURCE /* memmem */
/*
 * From a text to the text that is shown. See resolver.h.
 *
 *      shop+0x11f4{3fa4…}                                       make_session (session.c:42)
 *      stack of worker 1: shop+0x11f4{3fa4…}                    stack of worker 1: make_session
 *      {vtable} shop+0x3d60{3fa4…}                              shop::Session
 *      {variable} shop+0x4048{3fa4…}                            sessions, or shop.sessions of a structure; queue (worker.c) where other files have a queue, too
 *      {thread-local} shop+0x3d10{3fa4…}                        thread-local current
 *      {allocated} <=48 B at shop+0x1190{…} < shop+0x11f4{…}    session (site_types.h), or <=48 B at make_session
 *      {local} 120 40 stack of worker: shop+0x11f4{3fa4…}       stack of worker: main.shop.sessions (locals.h), or stack of worker: main
 *      {register} 3 stack of worker: shop+0x11f4{3fa4…}         the same of what the frame has in a register
 *      +16 {member} {allocated} <=48 B at shop+0x1190{…}        cart (members.h), or +16
 *
 * Every name of code is looked up once and kept; when what is kept would pass its share of the memory, all of it is
 * given up.
 */
#include "symbols/resolver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/names.h"
#include "core/layout.h"
#include "symbols/code.h"
#include "symbols/locals.h"
#include "symbols/site_types.h"
#include "symbols/variables.h"

typedef struct hsd_cached_name {
    uint64_t hash; /* 0 = free place */
    hsd_text key;
    hsd_code_name code;
} hsd_cached_name;

static hsd_status append_resolver(hsd_buffer *buffer, hsd_text text, hsd_error *err)
{
    return hsd_buffer_append(buffer, text.data, text.size, err);
}

static hsd_status append_word(hsd_buffer *buffer, const char *word, hsd_error *err)
{
    return hsd_buffer_append(buffer, word, strlen(word), err);
}

/* ---- names that were looked up ---- */

static hsd_cached_name *find_place(hsd_cached_name *cache, size_t capacity, uint64_t hash, hsd_text key)
{
    for (size_t at = (size_t)hash & (capacity - 1);; at = (at + 1) & (capacity - 1)) {
        hsd_cached_name *place = &cache[at];
        if (place->hash == 0 ||
            (place->hash == hash && place->key.size == key.size && memcmp(place->key.data, key.data, key.size) == 0))
            return place;
    }
}

static hsd_status grow_cache(hsd_resolver *resolver, hsd_error *err)
{
    const size_t capacity = resolver->cache_capacity == 0 ? 1024 : 2 * resolver->cache_capacity;
    hsd_cached_name *bigger = calloc(capacity, sizeof *bigger);
    if (bigger == NULL) return hsd_fail_nomem(err, "names");
    for (size_t i = 0; i < resolver->cache_capacity; i++) {
        const hsd_cached_name *old = &resolver->cache[i];
        if (old->hash != 0) *find_place(bigger, capacity, old->hash, old->key) = *old;
    }
    free(resolver->cache);
    resolver->cache = bigger;
    resolver->cache_capacity = capacity;
    return HSD_OK;
}

static void forget_all(hsd_resolver *resolver)
{
    free(resolver->cache);
    resolver->cache = NULL;
    resolver->cache_capacity = resolver->cache_used = 0;
    hsd_arena_release(&resolver->arena);
}

static uint64_t cache_bytes(const hsd_resolver *resolver)
{
    return resolver->arena.total_bytes + 3 * (uint64_t)resolver->cache_capacity * sizeof(hsd_cached_name);
}

/* Text of a buffer, kept by the cache. NULL when there is no memory. */
static const char *keep(hsd_resolver *resolver, const hsd_buffer *buffer)
{
    return hsd_arena_copy(&resolver->arena, buffer->size > 0 ? (const void *)buffer->data : "", buffer->size);
}

static hsd_status keep_code(hsd_resolver *resolver, hsd_code *code, hsd_code_name *out, hsd_error *err)
{
    out->text = keep(resolver, &code->text);
    out->around = out->is_known ? keep(resolver, &code->around) : out->text;
    out->wanted = code->wanted.size > 0 ? keep(resolver, &code->wanted) : NULL;
    const bool is_kept = out->text != NULL && out->around != NULL && (out->wanted != NULL || code->wanted.size == 0);
    return is_kept ? HSD_OK : hsd_fail_nomem(err, "names");
}

static hsd_status look_up(hsd_resolver *resolver, const hsd_module *module, const hsd_unresolved *name,
                          hsd_code_name *out, hsd_error *err)
{
    hsd_code code = {.text = {0}};
    hsd_status status = hsd_append_code(&code, module, name->offset, err);
    out->is_known = code.text.size > 0;
    if (status == HSD_OK && !out->is_known) { /* the file is known and says nothing: the build id says no more */
        const hsd_text bare = {name->whole.data, name->whole.size - name->build_id.size - 2};
        status = append_resolver(&code.text, bare, err);
    }
    if (status == HSD_OK) status = keep_code(resolver, &code, out, err);
    hsd_code_release(&code);
    return status;
}

/* What is known of the code at a name; NULL where its file is not known. Borrowed until the next call. */
static hsd_status find_code(hsd_resolver *resolver, const hsd_unresolved *name, const hsd_code_name **out,
                            hsd_error *err)
{
    hsd_module *module;
    const uint64_t hash = hsd_hash_bytes(name->whole.data, name->whole.size, 0) | 1;
    *out = NULL;
    HSD_TRY(hsd_modules_get(&resolver->modules, name, &module, err));
    if (module == NULL || module->image_count == 0) return HSD_OK;
    if (cache_bytes(resolver) > resolver->cache_bytes) forget_all(resolver);
    if (4 * resolver->cache_used >= 3 * resolver->cache_capacity) HSD_TRY(grow_cache(resolver, err));
    hsd_cached_name *place = find_place(resolver->cache, resolver->cache_capacity, hash, name->whole);
    if (place->hash == 0) {
        const char *key = hsd_arena_copy(&resolver->arena, name->whole.data, name->whole.size);
        if (key == NULL) return hsd_fail_nomem(err, "names");
        HSD_TRY(look_up(resolver, module, name, &place->code, err));
        place->key = (hsd_text){key, name->whole.size};
        place->hash = hash;
        resolver->cache_used++;
    }
    *out = &place->code;
    return HSD_OK;
}

/* ---- the forms of texts ---- */

static void count(hsd_resolver *resolver, bool is_resolved)
{
    resolver->result.names++;
    resolver->result.resolved += is_resolved;
}

/* "vtable for shop::Session" and its kin: the class. */
static const char *class_of(const char *symbol)
{
    static const char *const forms[] = {"vtable for ", "typeinfo name for ", "construction vtable for ", "VTT for "};
    for (size_t i = 0; i < HSD_ARRAY_LEN(forms); i++) {
        const size_t size = strlen(forms[i]);
        if (strncmp(symbol, forms[i], size) == 0) return symbol + size;
    }
    return NULL;
}

/* The class of a symbol; *is_done is false where it is none of a class. With `or_else` in front, then the symbol
 * itself. */
static hsd_status append_class(hsd_resolver *resolver, const char *symbol, const char *or_else, bool *is_done,
                               hsd_error *err)
{
    hsd_buffer name = {0};
    hsd_status status = hsd_append_name(&name, symbol, err);
    if (status == HSD_OK) status = hsd_buffer_append(&name, "", 1, err);
    if (status == HSD_OK) {
        const char *class_name = class_of((const char *)name.data);
        const char *shown = class_name != NULL ? class_name : (const char *)name.data;
        *is_done = class_name != NULL || or_else != NULL;
        if (class_name == NULL && or_else != NULL) status = append_word(&resolver->text, or_else, err);
        if (status == HSD_OK && *is_done) status = append_word(&resolver->text, shown, err);
    }
    hsd_buffer_release(&name);
    return status;
}

/* Run-time type information says the class itself: "7Session", of which the symbol "_ZTS7Session" would hold the
 * letters. */
static hsd_status append_type_name(hsd_resolver *resolver, hsd_text type_name, bool *is_done, hsd_error *err)
{
    char symbol[1024];
    const int size =
        snprintf(symbol, sizeof symbol, "_ZTS%.*s", (int)hsd_min_u64(type_name.size, sizeof symbol), type_name.data);
    if (type_name.size == 0 || size < 0 || (size_t)size >= sizeof symbol) return HSD_OK;
    return append_class(resolver, symbol, NULL, is_done, err);
}

/* Where a variable stands there that is no vtable, objects begin with a pointer to it: a table of functions in C. */
static hsd_status replace_vtable(hsd_resolver *resolver, const hsd_marked *marked, hsd_error *err)
{
    hsd_unresolved name;
    hsd_module *module = NULL;
    bool is_done = false;
    HSD_TRY(append_type_name(resolver, marked->type_name, &is_done, err));
    const bool is_name = hsd_unresolved_parse(marked->name, &name);
    if (!is_done && is_name) {
        HSD_TRY(hsd_modules_get(&resolver->modules, &name, &module, err));
        const char *symbol = module != NULL ? hsd_module_find(module, HSD_SYMBOL_OBJECT, name.offset) : NULL;
        if (symbol != NULL) HSD_TRY(append_class(resolver, symbol, "with ", &is_done, err));
    }
    if (is_done || is_name) count(resolver, is_done);
    return HSD_OK;
}

/* Variables of threads have the place of their template, which others may have too: then where no program can write to
 * those. */
static const char *find_variable(const hsd_module *module, uint64_t address)
{
    const char *shared = hsd_module_find(module, HSD_SYMBOL_OBJECT, address);
    const char *of_thread = hsd_module_find(module, HSD_SYMBOL_THREAD_OBJECT, address);
    if (shared == NULL || of_thread == NULL) return shared != NULL ? shared : of_thread;
    return hsd_image_is_relro(module->images[0], address) ? of_thread : shared;
}

/* "queue (worker.c)": other files have a variable of that name, too. */
static hsd_status append_file_of(hsd_resolver *resolver, const hsd_module *module, hsd_symbol_kind kind,
                                 const char *symbol, uint64_t address, hsd_error *err)
{
    const char *file = NULL;
    for (size_t i = 0; i < module->image_count && file == NULL; i++)
        if (hsd_image_find(module->images[i], kind, address) == symbol)
            file = hsd_image_file_of(module->images[i], kind, address);
    if (file == NULL || strnlen(file, 256) == 256) return HSD_OK;
    HSD_TRY(append_word(&resolver->text, " (", err));
    HSD_TRY(append_word(&resolver->text, file, err));
    return append_word(&resolver->text, ")", err);
}

static hsd_status append_data_of(hsd_resolver *resolver, const char *what, const hsd_unresolved *name, hsd_error *err)
{
    HSD_TRY(append_word(&resolver->text, what, err));
    HSD_TRY(append_resolver(&resolver->text, name->module, err));
    return append_word(&resolver->text, ")", err);
}

/* What Rust's thread_local! puts around the value of a variable: "CONTEXT::{{constant}}::{{closure}}::…". */
static void leave_out_inside(hsd_buffer *text, size_t from)
{
    static const char *const inner[] = {"::{{constant}}", "::__getit"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(inner); i++) {
        const size_t size = strlen(inner[i]);
        const uint8_t *at = text->size > from ? memmem(text->data + from, text->size - from, inner[i], size) : NULL;
        if (at != NULL && at > text->data + from) text->size = (size_t)(at - text->data);
    }
}

/* What Rust's lazy_static! keeps a variable in: "<shop::CACHE as core::ops::deref::Deref>::deref::__stability::LAZY".
 */
static void leave_out_around(hsd_buffer *text)
{
    static const char around[] = " as core::ops::deref::Deref>::deref::";
    const uint8_t *at = text->size > 0 ? memmem(text->data, text->size, around, sizeof around - 1) : NULL;
    if (at == NULL || text->data[0] != '<' || memcmp(text->data + text->size - 4, "LAZY", 4) != 0) return;
    text->size = (size_t)(at - text->data) - 1;
    memmove(text->data, text->data + 1, text->size);
}

/* A variable of each thread, by the place of its initial value, where others may be too. */
static hsd_status replace_thread_local(hsd_resolver *resolver, const hsd_marked *marked, hsd_error *err)
{
    hsd_unresolved name;
    hsd_module *module;
    if (!hsd_unresolved_parse(marked->name, &name)) return HSD_OK;
    HSD_TRY(hsd_modules_get(&resolver->modules, &name, &module, err));
    const bool is_found = module != NULL && module->image_count > 0;
    const char *symbol = is_found ? hsd_module_find(module, HSD_SYMBOL_THREAD_OBJECT, name.offset) : NULL;
    count(resolver, symbol != NULL);
    if (!is_found) return HSD_OK;
    if (symbol == NULL) return append_data_of(resolver, "(thread-locals of ", &name, err);
    HSD_TRY(append_word(&resolver->text, "thread-local ", err));
    const size_t before = resolver->text.size;
    HSD_TRY(hsd_append_name(&resolver->text, symbol, err));
    leave_out_inside(&resolver->text, before);
    HSD_TRY(append_file_of(resolver, module, HSD_SYMBOL_THREAD_OBJECT, symbol, name.offset, err));
    const uint64_t begin = hsd_image_thread_begin(module->images[0]);
    return module->lines != NULL && name.offset >= begin
               ? hsd_variable_append_thread_member(module->lines, name.offset - begin, &resolver->text, err)
               : HSD_OK;
}

static hsd_status replace_variable(hsd_resolver *resolver, const hsd_marked *marked, hsd_error *err)
{
    hsd_unresolved name;
    hsd_module *module;
    if (!hsd_unresolved_parse(marked->name, &name)) return HSD_OK;
    HSD_TRY(hsd_modules_get(&resolver->modules, &name, &module, err));
    const bool is_found = module != NULL && module->image_count > 0;
    const char *symbol = is_found ? find_variable(module, name.offset) : NULL;
    count(resolver, symbol != NULL);
    if (symbol == NULL) return is_found ? append_data_of(resolver, "(data of ", &name, err) : HSD_OK;
    HSD_TRY(hsd_append_name(&resolver->text, symbol, err));
    leave_out_around(&resolver->text);
    HSD_TRY(append_file_of(resolver, module, HSD_SYMBOL_OBJECT, symbol, name.offset, err));
    return module->lines != NULL ? hsd_variable_append_member(module->lines, name.offset, &resolver->text, err)
                                 : HSD_OK;
}

/* Of the system's libraries nobody wants a block, and who called a library says more than a place in it that has no
 * name. */
static bool is_of_nobody(hsd_text module)
{
    return hsd_module_is_of_system(module.data, module.size) || hsd_module_is_shared(module.data, module.size);
}

/* "<=48 B at FUNCTION", or another thing in front, for one of the names of a text, if it is the one, or the last. What
 * has a type is called by that alone where no function of the program is among them. */
static hsd_status try_allocated(hsd_resolver *resolver, const hsd_marked *marked, hsd_text what, size_t i,
                                bool *is_done, hsd_error *err)
{
    const bool has_type = what.data != marked->size.data;
    hsd_unresolved name;
    const hsd_code_name *code = NULL;
    const char *function = NULL;
    const bool is_name = hsd_unresolved_parse(marked->names[i], &name);
    if (is_name) {
        HSD_TRY(find_code(resolver, &name, &code, err));
        count(resolver, code != NULL && code->is_known);
        *is_done = true; /* a file that is not known, or the place itself */
        if (code == NULL) return HSD_OK;
        function = code->is_known ? code->wanted : is_of_nobody(name.module) ? NULL : code->text;
        if (function == NULL && i + 1 < marked->name_count) {
            *is_done = false;
            return HSD_OK;
        }
        if (function == NULL && has_type) return append_resolver(&resolver->text, what, err);
        if (function == NULL) function = code->text;
    }
    *is_done = true;
    HSD_TRY(append_resolver(&resolver->text, what, err));
    HSD_TRY(append_word(&resolver->text, " at ", err));
    return function != NULL ? append_word(&resolver->text, function, err)
                            : append_resolver(&resolver->text, marked->names[i], err);
}

/* The number in "<=48 B"; 0 = there is none. */
static uint64_t most_bytes_of(hsd_text size)
{
    uint64_t bytes = 0;
    for (size_t i = 2; i < size.size && size.data[i] >= '0' && size.data[i] <= '9' && bytes < UINT64_MAX / 16; i++)
        bytes = 10 * bytes + (uint64_t)(size.data[i] - '0');
    return bytes;
}

/* The type of the blocks, as far as their place tells. */
static hsd_status find_site_type(hsd_resolver *resolver, const hsd_marked *marked, hsd_site_type *out, hsd_error *err)
{
    hsd_call_chain site = {.most_bytes = most_bytes_of(marked->size)};
    hsd_unresolved names[HSD_SITE_CALLS];
    hsd_module *module;
    while (site.count < marked->name_count && hsd_unresolved_parse(marked->names[site.count], &names[site.count]))
        HSD_TRY(hsd_modules_get(&resolver->modules, &names[site.count++], &module, err));
    for (size_t i = 0; i < site.count; i++) { /* all are there: none moves any more */
        HSD_TRY(hsd_modules_get(&resolver->modules, &names[i], &module, err));
        site.modules[i] = module;
        site.addresses[i] = names[i].offset;
    }
    return site.most_bytes > 0 ? hsd_site_type_find(out, &site, err) : HSD_OK;
}

static hsd_status append_places(hsd_resolver *resolver, const hsd_marked *marked, hsd_text what, hsd_error *err)
{
    bool is_done = false;
    for (size_t i = 0; i < marked->name_count && !is_done; i++)
        HSD_TRY(try_allocated(resolver, marked, what, i, &is_done, err));
    return HSD_OK;
}

/* A type of the program alone says what the blocks are; of one that many things share, the place says more. */
static hsd_status replace_allocated(hsd_resolver *resolver, const hsd_marked *marked, hsd_error *err)
{
    hsd_site_type type = {.says_little = false};
    if (marked->name_count == 0) return append_resolver(&resolver->text, marked->size, err);
    hsd_status status = find_site_type(resolver, marked, &type, err);
    resolver->is_of_llvm = type.is_of_llvm;
    const hsd_text what = type.text.size > 0 ? (hsd_text){(const char *)type.text.data, type.text.size} : marked->size;
    if (status == HSD_OK && type.text.size > 0 && !type.says_little) {
        count(resolver, true);
        status = append_resolver(&resolver->text, what, err);
    } else if (status == HSD_OK) {
        status = append_places(resolver, marked, what, err);
    }
    hsd_site_type_release(&type);
    return status;
}

/* A name that is the whole text, or names anywhere in other text: those without lines, as the text is more than a
 * place, and should be the same wherever in a function that is. */
static hsd_status replace_names(hsd_resolver *resolver, hsd_text text, hsd_error *err)
{
    hsd_unresolved name;
    const hsd_code_name *code;
    size_t at = 0;
    bool is_whole = hsd_unresolved_parse(text, &name);
    while (is_whole || hsd_unresolved_find(text, at, &name)) {
        const size_t begin = (size_t)(name.whole.data - text.data);
        HSD_TRY(find_code(resolver, &name, &code, err));
        count(resolver, code != NULL && code->is_known);
        HSD_TRY(append_resolver(&resolver->text, (hsd_text){text.data + at, begin - at}, err));
        HSD_TRY(code == NULL ? append_resolver(&resolver->text, name.whole, err)
                             : append_word(&resolver->text, is_whole ? code->text : code->around, err));
        at = begin + name.whole.size;
        if (is_whole) break;
    }
    if (at == 0) return HSD_OK;
    return append_resolver(&resolver->text, (hsd_text){text.data + at, text.size - at}, err);
}

/* "stack of worker: NAME" by the function that runs there, which says nothing where it is a library's. */
static hsd_status replace_frame(hsd_resolver *resolver, hsd_text text, const hsd_unresolved *name, hsd_error *err)
{
    const hsd_code_name *code;
    const size_t before = (size_t)(name->whole.data - text.data);
    HSD_TRY(find_code(resolver, name, &code, err));
    if (code == NULL || !code->is_known || before < 2 || hsd_allocator_prefix(code->around) == 0)
        return replace_names(resolver, text, err);
    count(resolver, true);
    return append_resolver(&resolver->text, (hsd_text){text.data, before - 2}, err);
}

/* A frame, and nothing else: "stack of worker: NAME". */
static bool is_frame(hsd_text text, hsd_unresolved *name)
{
    static const char stack[] = "stack of ";
    return text.size > sizeof stack - 1 && memcmp(text.data, stack, sizeof stack - 1) == 0 &&
           hsd_unresolved_find(text, 0, name) && name->whole.data + name->whole.size == text.data + text.size &&
           name->whole.data - text.data > 2 && name->whole.data[-1] == ' ' && name->whole.data[-2] == ':';
}

/* A word or a register of a frame, by the variable that lies there; where none is known, as the whole frame is called.
 */
static hsd_status replace_local(hsd_resolver *resolver, const hsd_marked *marked, hsd_error *err)
{
    hsd_unresolved name;
    hsd_module *module;
    const size_t before = (size_t)(marked->name.data - marked->whole.data);
    if (!hsd_unresolved_parse(marked->name, &name)) return HSD_OK;
    HSD_TRY(hsd_modules_get(&resolver->modules, &name, &module, err));
    if (module == NULL || module->image_count == 0) return HSD_OK;
    HSD_TRY(append_resolver(&resolver->text, (hsd_text){marked->whole.data, before}, err));
    const hsd_frame_place place = {marked->kind == HSD_MARKED_REGISTER, marked->offset, marked->below, marked->above};
    HSD_TRY(hsd_local_append(module, name.offset, &place, &resolver->text, err));
    if (resolver->text.size > before) {
        count(resolver, true);
        return HSD_OK;
    }
    hsd_buffer_clear(&resolver->text);
    return replace_frame(resolver, marked->whole, &name, err);
}

/* ---- members ---- */

/* The modules of the names in the text of a type. */
static hsd_status find_modules(hsd_resolver *resolver, const hsd_marked *type,
                               const hsd_module *modules[HSD_ALLOCATED_NAMES], size_t *count, hsd_error *err)
{
    const size_t most = type->kind == HSD_MARKED_VTABLE ? 1 : type->name_count;
    hsd_unresolved names[HSD_ALLOCATED_NAMES];
    hsd_module *module;
    *count = 0;
    for (size_t i = 0; i < most; i++)
        if (hsd_unresolved_parse(type->kind == HSD_MARKED_VTABLE ? type->name : type->names[i], &names[*count]))
            HSD_TRY(hsd_modules_get(&resolver->modules, &names[(*count)++], &module, err));
    for (size_t i = 0; i < *count; i++) { /* all are there: none moves any more */
        HSD_TRY(hsd_modules_get(&resolver->modules, &names[i], &module, err));
        modules[i] = module;
    }
    return HSD_OK;
}

static bool is_any_found(const hsd_module *const *modules, size_t count)
{
    bool is_found = false;
    for (size_t i = 0; i < count; i++)
        is_found |= modules[i] != NULL && modules[i]->image_count > 0;
    return is_found;
}

/* The text of its type as it is shown, in resolver->type. It counts where it stands as a type. Members of a type mostly
 * come one after the other. */
static hsd_status resolve_type(hsd_resolver *resolver, hsd_text type, hsd_error *err)
{
    const hsd_symbol_result result = resolver->result;
    hsd_text shown;
    hsd_buffer *known = &resolver->type_text;
    if (known->size == type.size && type.size > 0 && memcmp(known->data, type.data, type.size) == 0) return HSD_OK;
    hsd_buffer_clear(known);
    resolver->is_of_llvm = false;
    HSD_TRY(hsd_resolver_replace(resolver, type, &shown, err));
    resolver->type_is_of_llvm = resolver->is_of_llvm;
    resolver->result = result;
    hsd_buffer_clear(&resolver->type);
    HSD_TRY(append_resolver(&resolver->type, shown, err));
    return append_resolver(known, type, err);
}

static hsd_status replace_member(hsd_resolver *resolver, const hsd_marked *marked, hsd_error *err)
{
    hsd_marked type;
    const hsd_module *modules[HSD_ALLOCATED_NAMES];
    hsd_member_kind kind = HSD_MEMBER_UNKNOWN;
    size_t count;
    hsd_marked_parse(marked->type, &type);
    if (type.kind == HSD_MARKED_ALLOCATED || type.kind == HSD_MARKED_VTABLE) {
        HSD_TRY(find_modules(resolver, &type, modules, &count, err));
        if (!is_any_found(modules, count)) return HSD_OK; /* whoever has the files can say it later */
        HSD_TRY(resolve_type(resolver, marked->type, err));
        HSD_TRY(find_modules(resolver, &type, modules, &count, err)); /* others were opened meanwhile */
        hsd_buffer_clear(&resolver->text);
        const hsd_text shown = {(const char *)resolver->type.data, resolver->type.size};
        const hsd_member_place place = {shown, marked->offset, resolver->type_is_of_llvm};
        HSD_TRY(hsd_member_find(modules, count, &place, &kind, &resolver->text, err));
    }
    resolver->member = kind;
    if (resolver->text.size > 0) return HSD_OK;
    return append_resolver(&resolver->text, marked->place, err);
}

/* ---- the whole ---- */

hsd_status hsd_resolver_open(hsd_resolver *resolver, const hsd_symbol_options *options, uint64_t memory_bytes,
                             hsd_reporter *reporter, hsd_error *err)
{
    *resolver = (hsd_resolver){.cache_bytes = memory_bytes / 8};
    return hsd_modules_open(&resolver->modules, options, memory_bytes / 2, reporter, err);
}

static hsd_status fail_unsupported(hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED,
             "the names of its functions and variables cannot be resolved: this build has no libdw");
    hsd_error_set_hint(
        err, "install elfutils' libdw with its headers (Debian: apt-get install libdw-dev) and build hsdiff again");
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_resolver_replace(hsd_resolver *resolver, hsd_text text, hsd_text *out, hsd_error *err)
{
    hsd_marked marked;
    hsd_unresolved name;
    hsd_status status = HSD_OK;
    *out = text;
    resolver->member = HSD_MEMBER_UNKNOWN;
    hsd_marked_parse(text, &marked);
    if (marked.kind == HSD_MARKED_NOT && !hsd_unresolved_find(text, 0, &name)) return HSD_OK;
    if (!hsd_lines_are_supported()) return fail_unsupported(err);
    hsd_buffer_clear(&resolver->text);
    if (marked.kind == HSD_MARKED_VTABLE) status = replace_vtable(resolver, &marked, err);
    if (marked.kind == HSD_MARKED_VARIABLE) status = replace_variable(resolver, &marked, err);
    if (marked.kind == HSD_MARKED_THREAD_LOCAL) status = replace_thread_local(resolver, &marked, err);
    if (marked.kind == HSD_MARKED_ALLOCATED) status = replace_allocated(resolver, &marked, err);
    if (marked.kind == HSD_MARKED_MEMBER) status = replace_member(resolver, &marked, err);
    if (marked.kind == HSD_MARKED_LOCAL || marked.kind == HSD_MARKED_REGISTER)
        status = replace_local(resolver, &marked, err);
    if (marked.kind == HSD_MARKED_NOT)
        status = is_frame(text, &name) ? replace_frame(resolver, text, &name, err) : replace_names(resolver, text, err);
    resolver->result.modules = resolver->modules.count;
    resolver->result.modules_found = resolver->modules.found;
    if (status == HSD_OK && resolver->text.size > 0 && resolver->text.size <= HSC_MAX_TEXT_BYTES)
        *out = (hsd_text){(const char *)resolver->text.data, resolver->text.size};
    return status;
}

void hsd_resolver_close(hsd_resolver *resolver)
{
    hsd_modules_close(&resolver->modules);
    forget_all(resolver);
    hsd_buffer_release(&resolver->text);
    hsd_buffer_release(&resolver->type);
    hsd_buffer_release(&resolver->type_text);
    *resolver = (hsd_resolver){.cache_used = 0};
}

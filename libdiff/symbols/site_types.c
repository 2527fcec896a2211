/*
 * From the call that allocated out to the function that wanted the block. Functions of libraries are asked by their
 * names; those that allocate for others in C, and the one that wanted the block, by what they do with it. See
 * site_types.h.
 */
#include "symbols/site_types.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "symbols/callees.h"
#include "symbols/demangle.h"
#include "symbols/flow.h"
#include "symbols/generic.h"

#ifdef HSD_HAVE_DW

enum { MOST_CHILDREN = 256 };

typedef struct search {
    const hsd_call_chain *site;
    hsd_site_type *out;
    hsd_generic generic;
    hsd_flow flow;
    hsd_flow_block block; /* its spot: what is returned leads there */
    /* the call of the frame returns the block: nothing but functions that were seen to return it stands inside */
    bool is_block;
    bool is_done;
    /* what the first that wanted the block has kept it as: characters, numbers. For where its callers say no more */
    hsd_type_name little;
    bool little_is_array;
} search;

/* ---- functions of libraries ---- */

static bool names_parameter(Dwarf_Die *function, Dwarf_Die *type)
{
    Dwarf_Die child;
    unsigned steps = 0;
    if (dwarf_child(function, &child) != 0) return false;
    do {
        const char *name = dwarf_tag(&child) == DW_TAG_template_type_parameter ? dwarf_diename(&child) : NULL;
        if (name != NULL && strcmp(name, "T") == 0) return hsd_type_of(&child, type);
    } while (++steps < MOST_CHILDREN && hsd_die_go_on(&child));
    return false;
}

/* The type of the parameter T of a function of Rust: what was inlined and what is defined elsewhere says so there. */
static bool find_parameter(Dwarf_Die *function, Dwarf_Die *type)
{
    static const unsigned ways[] = {DW_AT_abstract_origin, DW_AT_specification};
    Dwarf_Die at = *function;
    Dwarf_Attribute attribute;
    if (names_parameter(&at, type)) return true;
    for (size_t i = 0; i < 2; i++) {
        Dwarf_Die other;
        if (dwarf_formref_die(dwarf_attr(&at, ways[i], &attribute), &other) == NULL) continue;
        if (names_parameter(&other, type)) return true;
        at = other;
    }
    return false;
}

static hsd_status add_rust_function(search *s, Dwarf_Die *function, const char *name, hsd_error *err)
{
    hsd_buffer parameter = {0};
    hsd_generic_function known = {.name = name};
    Dwarf_Die type;
    hsd_status status = HSD_OK;
    if (find_parameter(function, &type)) {
        status = hsd_type_append_rust_name(&parameter, &type, err);
        if (status == HSD_OK) status = hsd_buffer_append(&parameter, "", 1, err);
        if (parameter.size > 1) known.parameter = (const char *)parameter.data;
    }
    if (status == HSD_OK) status = hsd_generic_add(&s->generic, &known, err);
    hsd_buffer_release(&parameter);
    return status;
}

static hsd_status add_function(search *s, Dwarf_Die *unit, Dwarf_Die *function, const char *name, hsd_error *err)
{
    hsd_generic_function known = {.name = name};
    Dwarf_Die result;
    if (function != NULL && dwarf_srclang(unit) == DW_LANG_Rust) return add_rust_function(s, function, name, err);
    if (function != NULL && strchr(name, '.') != NULL && hsd_type_of(function, &result))
        known.result = dwarf_diename(&result);
    return hsd_generic_add(&s->generic, &known, err);
}

static hsd_status take_generic(search *s, hsd_error *err)
{
    s->is_done = true;
    s->out->says_little = s->generic.says_little;
    s->out->is_of_llvm = s->generic.is_of_llvm;
    return hsd_generic_append(&s->generic, &s->out->text, err);
}

/* ---- what functions do with it ---- */

static hsd_status take_type(search *s, const hsd_type_name *name, bool is_array, hsd_error *err)
{
    s->is_done = true;
    s->out->says_little = name->says_little;
    HSD_TRY(hsd_buffer_append(&s->out->text, name->text.data, name->text.size, err));
    return is_array ? hsd_buffer_append(&s->out->text, "[]", 2, err) : HSD_OK;
}

/* Of those that allocate for others it says nothing. */
static void keep_little(search *s, Dwarf_Die *function)
{
    const char *name = dwarf_diename(function);
    if (s->little.text.size > 0 || s->flow.type.text.size == 0 || name == NULL || hsd_function_allocates(name)) return;
    s->little = s->flow.type;
    s->little_is_array = s->flow.is_array;
    s->flow.type = (hsd_type_name){.bytes = 0};
}

/* The type that the function says it returns a pointer to, where it fits what lies there; empty otherwise. */
static hsd_status describe_returned(search *s, Dwarf_Die *type, hsd_type_name *name, bool *is_array, hsd_error *err)
{
    Dwarf_Die pointee;
    const uint64_t skipped = s->block.spot.is_unknown ? 0 : (uint64_t)s->block.spot.skipped;
    if (!hsd_type_pointee(type, &pointee) || skipped >= s->site->most_bytes) return HSD_OK;
    const hsd_status status = hsd_type_describe(name, &pointee, err);
    const bool is_fit = status == HSD_OK && name->text.size > 0 &&
                        hsd_type_fits(name, s->site->most_bytes - skipped, s->block.exact_bytes, is_array);
    if (!is_fit || (s->block.spot.is_unknown && !name->says_little)) hsd_type_release(name);
    return status;
}

/* The function returns the block: as what? A pointer to anything or to characters, and the caller decides; characters
 * are what it is when he does not. */
static hsd_status take_returned(search *s, Dwarf_Die *function, hsd_error *err)
{
    hsd_type_name name = {.bytes = 0};
    Dwarf_Die type;
    bool is_array = false;
    if (!hsd_type_of(function, &type)) {
        s->is_done = true;
        return HSD_OK;
    }
    s->block.spot = s->flow.spot;
    s->is_done = !hsd_type_is_bare_pointer(&type);
    HSD_TRY(describe_returned(s, &type, &name, &is_array, err));
    if (!s->is_done && s->flow.type.text.size == 0) {
        s->flow.type = name;
        s->flow.is_array = is_array;
        name = (hsd_type_name){.bytes = 0};
    }
    if (!s->is_done) keep_little(s, function);
    const hsd_status status = s->is_done && name.text.size > 0 ? take_type(s, &name, is_array, err) : HSD_OK;
    hsd_type_release(&name);
    return status;
}

static hsd_status follow(search *s, const hsd_module *module, hsd_scope *scope, uint64_t address, hsd_error *err)
{
    if (!s->is_block) {
        s->is_done = true;
        return HSD_OK;
    }
    HSD_TRY(hsd_flow_follow(&s->flow, module, scope, address + 1, &s->block, err));
    if (s->flow.end == HSD_FLOW_TYPED) return take_type(s, &s->flow.type, s->flow.is_array, err);
    if (s->flow.end == HSD_FLOW_RETURNED) return take_returned(s, &scope->functions[0], err);
    s->is_done = true;
    return HSD_OK;
}

/* ---- calls ---- */

/* 0 where a block of so many bytes would be of another size class: FORMAT.md 7.12. */
static uint64_t in_class(const search *s, uint64_t bytes)
{
    enum { FINE_BYTES = 128, FINE_STEP = 8, PART = 4 };
    const uint64_t most = s->site->most_bytes, step = most <= FINE_BYTES ? FINE_STEP : most / PART;
    return bytes <= most && most - bytes < step ? bytes : 0;
}

/* A function that ends with a jump to what allocates is on no stack: what it returns is the block, and its type may say
 * what that is. */
static hsd_status take_tail(search *s, const hsd_module *module, uint64_t target, hsd_error *err)
{
    hsd_scope scope;
    bool does;
    HSD_TRY(hsd_callee_ends_in_allocator(module, target, &scope, &does, err));
    if (!does) return HSD_OK;
    s->is_block = true;
    return take_returned(s, &scope.functions[0], err);
}

/* The function that the innermost call calls is none of the calls: it lies in a library that allocates, or has ended.
 */
static hsd_status add_callee(search *s, const hsd_module *module, uint64_t address, hsd_error *err)
{
    char *name = NULL;
    uint64_t target;
    const char *symbol = hsd_callee_before(module, address + 1, &target);
    if (symbol == NULL) return HSD_OK;
    HSD_TRY(hsd_demangle(symbol, &name, err));
    const bool allocates = hsd_function_allocates(name);
    s->is_block = allocates && strstr(name, "::") == NULL;
    /* `new T`; of `new T[n]` and of malloc it may be several */
    if (strcmp(name, "operator new") == 0)
        s->block.exact_bytes = in_class(s, hsd_callee_wanted_bytes(module, address + 1));
    hsd_status status = hsd_generic_add(&s->generic, &(hsd_generic_function){.name = name}, err);
    if (status == HSD_OK && !allocates && !hsd_generic_is_library(name)) status = take_tail(s, module, target, err);
    free(name);
    return status;
}

/* g_malloc0 of a library without debug information: what it returns is the block, as of malloc. asprintf has none. */
static hsd_status returns_block(const search *s, const char *symbol, bool *does, hsd_error *err)
{
    char *name = NULL;
    *does = false;
    if (symbol == NULL || !s->is_block) return HSD_OK;
    HSD_TRY(hsd_demangle(symbol, &name, err));
    *does = hsd_allocator_is_plain(name) && strstr(name, "printf") == NULL;
    free(name);
    return HSD_OK;
}

/* One function, *is_wanted tells whether it is none that allocates for others. */
/*
 * What std::function calls, where that is too large to stand in it: it asked for the block. DWARF may know the template
 * by a bare name, "_M_create<subscribe(int)::<lambda()> >", which no rule about names can read.
 */
static bool find_functor(Dwarf_Die *function, Dwarf_Die *functor)
{
    const char *name = function != NULL ? dwarf_diename(function) : NULL, *file;
    Dwarf_Die origin = *function, argument;
    Dwarf_Attribute attribute;
    if (name == NULL || strncmp(name, "_M_create<", 10) != 0) return false;
    file = dwarf_decl_file(function);
    if (file == NULL || strstr(file, "/bits/std_function.h") == NULL) return false;
    for (unsigned i = 0; i < 3 && !hsd_type_argument(&origin, &argument); i++) {
        Dwarf_Die other;
        if (dwarf_formref_die(dwarf_attr(&origin, DW_AT_abstract_origin, &attribute), &other) == NULL &&
            dwarf_formref_die(dwarf_attr(&origin, DW_AT_specification, &attribute), &other) == NULL)
            return false;
        origin = other;
    }
    if (!hsd_type_argument(&origin, &argument)) return false;
    if (!hsd_type_target(&argument, functor)) *functor = argument;
    return true;
}

static hsd_status take_functor(search *s, Dwarf_Die *functor, hsd_error *err)
{
    hsd_type_name name = {.bytes = 0};
    hsd_status status = hsd_type_describe(&name, functor, err);
    if (status == HSD_OK && name.text.size > 0 && !name.says_little && name.bytes <= s->site->most_bytes)
        status = take_type(s, &name, false, err);
    hsd_type_release(&name);
    return status;
}

static hsd_status add_named(search *s, hsd_scope *scope, Dwarf_Die *function, const char *linkage_name, bool *is_passed,
                            hsd_error *err)
{
    char *name = NULL;
    Dwarf_Die functor;
    *is_passed = false;
    if (linkage_name == NULL) return HSD_OK;
    if (function != NULL && s->generic.kind == HSD_GENERIC_NOTHING && find_functor(function, &functor))
        HSD_TRY(take_functor(s, &functor, err));
    if (s->is_done) return HSD_OK;
    HSD_TRY(hsd_demangle(linkage_name, &name, err));
    *is_passed = hsd_generic_is_library(name);
    const hsd_status status = *is_passed ? add_function(s, &scope->unit, function, name, err) : HSD_OK;
    free(name);
    return status;
}

static hsd_status add_call(search *s, size_t i, hsd_error *err)
{
    const hsd_module *module = s->site->modules[i];
    hsd_scope scope = {.count = 0};
    bool is_passed = true;
    s->is_done = module == NULL || module->image_count == 0;
    if (s->is_done) return HSD_OK;
    if (i == 0) HSD_TRY(add_callee(s, module, s->site->addresses[i], err));
    if (s->is_done) return HSD_OK;
    if (module->lines != NULL) HSD_TRY(hsd_lines_scope(module->lines, s->site->addresses[i], &scope, err));
    for (size_t n = scope.count; n > 0 && is_passed; n--)
        HSD_TRY(add_named(s, &scope, &scope.functions[n - 1], hsd_die_linkage_name(&scope.functions[n - 1]), &is_passed,
                          err));
    if (s->is_done) return HSD_OK;
    if (scope.count == 0) {
        const char *symbol = hsd_module_find(module, HSD_SYMBOL_FUNCTION, s->site->addresses[i]);
        bool is_wrapper = false;
        HSD_TRY(returns_block(s, symbol, &is_wrapper, err));
        if (is_wrapper) return HSD_OK;
        HSD_TRY(add_named(s, &scope, NULL, symbol, &is_passed, err));
    }
    if (is_passed) {
        s->is_block = false; /* what functions of libraries return is their own business */
        return HSD_OK;
    }
    if (s->generic.kind != HSD_GENERIC_NOTHING) return take_generic(s, err);
    if (scope.count > 0) return follow(s, module, &scope, s->site->addresses[i], err);
    s->is_done = true;
    return HSD_OK;
}

hsd_status hsd_site_type_find(hsd_site_type *out, const hsd_call_chain *site, hsd_error *err)
{
    search s = {.site = site, .out = out, .block = {.most_bytes = site->most_bytes}, .is_block = true};
    hsd_status status = HSD_OK;
    for (size_t i = 0; i < site->count && status == HSD_OK && !s.is_done; i++)
        status = add_call(&s, i, err);
    if (status == HSD_OK && out->text.size == 0 && s.generic.kind != HSD_GENERIC_NOTHING)
        status = take_generic(&s, err);
    if (status == HSD_OK && out->text.size == 0 && s.little.text.size > 0)
        status = take_type(&s, &s.little, s.little_is_array, err);
    hsd_generic_release(&s.generic);
    hsd_type_release(&s.little);
    hsd_flow_release(&s.flow);
    return status;
}

#else

hsd_status hsd_site_type_find(hsd_site_type *out, const hsd_call_chain *site, hsd_error *err)
{
    (void)out, (void)site, (void)err;
    return HSD_OK;
}

#endif

void hsd_site_type_release(hsd_site_type *type)
{
    hsd_buffer_release(&type->text);
    *type = (hsd_site_type){.says_little = false};
}

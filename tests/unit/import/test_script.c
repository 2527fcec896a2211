/*
 * Where names stand in JavaScript, as bundlers write it and as people do.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "import/sourcemap/script.h"

static hsd_bytes bytes_of(const char *text) { return (hsd_bytes){(const uint8_t *)text, strlen(text)}; }

static hsd_script_spot spot_of(const char *text, const char *where)
{
    const char *at = strstr(text, where);
    hsd_script_spot spot = {0, 0};
    cr_assert(at != NULL, "%s in %s", where, text);
    for (const char *c = text; c < at; c++) {
        spot.column += (unsigned)(((unsigned char)*c & 0xc0) != 0x80) + ((unsigned char)*c >= 0xf0);
        if (*c != '\n') continue;
        spot.line++;
        spot.column = 0;
    }
    return spot;
}

/* Reads the script for one function, which begins at `where`; the caller releases it. */
static void read_one(hsd_script *script, hsd_script_function *f, const char *text, const char *where, const char *name)
{
    hsd_error err;
    hsd_error_init(&err);
    *f = (hsd_script_function){.at = spot_of(text, where), .name = bytes_of(name)};
    script->functions = f;
    script->function_count = 1;
    cr_assert_eq(hsd_script_read(script, bytes_of(text), &err), HSD_OK, "%s", err.text);
}

Test(script, the_name_of_a_function_is_found)
{
    static const struct {
        const char *text, *where, *name, *named; /* where it stands; NULL = it has none */
        bool is_constructor;
    } cases[] = {
        {"function onChange(a){}", "(a)", "onChange", "onChange", false},
        {"x;function*onChange(a){}", "(a)", "onChange", "onChange", false},
        {"var t=class{constructor(e){}}", "(e)", "t", "t=", true},
        {"class t extends u{#a=1;constructor(e){}}", "(e)", "t", "t extends", true},
        {"class t{a=1}", "class", "t", "t{", true},
        {"s.Cache=class{b(){return{c(){}}}constructor(e){}}", "(e)", "s.Cache", "Cache", true},
        {"const a=e=>e", "e=>", "a", "a=", false},
        {"const a=async(e)=>e", "(e)", "a", "a=", false},
        {"x={t:function(e){}}", "(e)", "t", "t:", false},
        {"class t{get size(){}}", "()", "get size", "size", false},
        {"class t{#go(e){}}", "(e)", "#go", "#go", false},
        {"f(function(e){})", "(e)", "", NULL, false},
        {"\xc3\xa4=1;\xf0\x9f\x98\x80;function b(e){}", "(e)", "b", "b(", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hsd_script script = {0};
        hsd_script_function f;
        read_one(&script, &f, cases[i].text, cases[i].where, cases[i].name);
        const hsd_script_spot named = cases[i].named ? spot_of(cases[i].text, cases[i].named) : f.named;
        cr_expect(!f.is_misfit, "%s", cases[i].text);
        cr_expect_eq(f.has_name, cases[i].named != NULL, "%s", cases[i].text);
        cr_expect(f.named.line == named.line && f.named.column == named.column, "%s: %u", cases[i].text,
                  f.named.column);
        cr_expect_eq(f.is_constructor, cases[i].is_constructor, "%s", cases[i].text);
        hsd_script_release(&script);
    }
}

Test(script, a_function_that_stands_elsewhere_is_a_misfit)
{
    static const struct {
        const char *text, *where, *name;
    } cases[] = {
        {"function other(a){}", "(a)", "onChange"},
        {"function onChange(a){}", "nge(", "onChange"},
        {"a = 1;", "= 1", "a"},
        {"x='(a)'", "(a)", ""},
        {"/* (a) */", "(a)", ""},
        {"a\n\n(b)\n", "b", "b"}, /* asked beyond, below */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hsd_script script = {0};
        hsd_script_function f = {.at = spot_of(cases[i].text, cases[i].where), .name = bytes_of(cases[i].name)};
        hsd_error err;
        if (i + 1 == sizeof cases / sizeof cases[0]) f.at.line = 40;
        script.functions = &f;
        script.function_count = 1;
        cr_assert_eq(hsd_script_read(&script, bytes_of(cases[i].text), &err), HSD_OK);
        cr_expect(f.is_misfit, "%s", cases[i].text);
        hsd_script_release(&script);
    }
}

/* From the function at "(here)", outwards: in which block `v` is declared, and where. */
static void expect_declared(const char *text, const char *where, bool is_at_once)
{
    hsd_script script = {0};
    hsd_script_function f;
    hsd_names wanted = {0};
    hsd_error err;
    uint32_t name;
    cr_assert_eq(hsd_names_put(&wanted, bytes_of("v"), &name, &err), HSD_OK);
    script.wanted = &wanted;
    read_one(&script, &f, text, "(here)", "");
    const hsd_script_declaration *found = NULL;
    uint32_t block = f.block;
    cr_assert(script.is_balanced, "%s", text);
    for (; block != HSD_SCRIPT_NONE && found == NULL; block = script.blocks[block].parent)
        found = hsd_script_find(&script, block, name);
    cr_assert_eq(found != NULL, where != NULL, "%s", text);
    if (found != NULL) {
        const hsd_script_spot spot = spot_of(text, where);
        cr_expect(found->at.line == spot.line && found->at.column == spot.column, "%s: %u", text, found->at.column);
        cr_expect_eq(hsd_script_find(&script, f.block, name) == found, is_at_once, "%s", text);
    }
    hsd_script_release(&script);
    hsd_names_release(&wanted);
}

Test(script, the_declaration_of_a_variable_is_found)
{
    expect_declared("var a=1,v=2;f=(here)=>v", "v=2", true);
    expect_declared("f=(here)=>v;var a=[b,v],v=2", "v=2", true);
    expect_declared("const{a:v=b,c}=d;f=(here)=>v", "v=b", true);
    expect_declared("const{v:a}=d;f=(here)=>v", NULL, false);
    expect_declared("let[a,[v]]=d;function e(){g((here)=>v)}", "v]]", false);
    expect_declared("function v(){}f=(here)=>v", "v(){}", true);
    expect_declared("x=function v(){};f=(here)=>v", NULL, false);
    expect_declared("class v{a(here){}}", "v{", false);
    expect_declared("if(a){var v=1}f=(here)=>v", "v=1", true);
    expect_declared("if(a){let v=1}f=(here)=>v", NULL, false);
    expect_declared("((a,v,b)=>{f=(here)=>v})()", "v,b", true);
    expect_declared("a(v,b);{f=(here)=>v}", NULL, false);
    expect_declared("var v=1;(v=>{f=(here)=>v})()", "v=>", true);
    expect_declared("for(let v of a)b;f=(here)=>v", NULL, false);
    expect_declared("var a=/[/'\"}]/.test(b)?`${{c:`}`}}`:d/2/1,v=3;f=(here)=>v", "v=3", true);
    expect_declared("// {\n/* ( */var v=1\nf=(here)=>v", "v=1", true);
    expect_declared("var v=1,v=2;f=(here)=>v", NULL, false); /* which of the two is not known */
}

Test(script, brackets_that_do_not_match_say_nothing)
{
    static const char *const texts[] = {"f((here)=>{", "f((here)=>])", "}", "`${(here)"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hsd_script script = {0};
        hsd_error err;
        cr_assert_eq(hsd_script_read(&script, bytes_of(texts[i]), &err), HSD_OK);
        cr_expect(!script.is_balanced, "%s", texts[i]);
        hsd_script_release(&script);
    }
}

Test(script, mappings_begin_words)
{
    hsd_script script = {0};
    hsd_error err;
    cr_assert_eq(hsd_script_read(&script, bytes_of("ab c\n\xc3\xa4\xc3\xb6(x)\n"), &err), HSD_OK);
    cr_expect(!hsd_script_is_misfit(&script, 0, 0) && hsd_script_is_misfit(&script, 0, 1));
    cr_expect(!hsd_script_is_misfit(&script, 0, 2) && !hsd_script_is_misfit(&script, 0, 3));
    cr_expect(!hsd_script_is_misfit(&script, 0, 4) && hsd_script_is_misfit(&script, 0, 5));
    cr_expect(!hsd_script_is_misfit(&script, 1, 0) && hsd_script_is_misfit(&script, 1, 1));
    cr_expect(!hsd_script_is_misfit(&script, 1, 2) && hsd_script_is_misfit(&script, 3, 0));
    hsd_script_release(&script);
}

/*
 * Cutting names: never wider than asked for where names differ, never two that look the same.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/words/shorten.h"
#include "report/words/width.h"

static hsd_arena arena;

static void shorten(hsd_short_name *names, size_t count, size_t width, bool use_utf8)
{
    cr_assert(hsd_shorten_names(names, count, width, use_utf8, &arena, NULL) == HSD_OK);
}

static hsd_short_name name_of(const char *text) { return (hsd_short_name){.full = text, .full_size = strlen(text)}; }

/* What one name becomes. */
static char *alone(const char *text, size_t width, bool use_utf8)
{
    static char shown[1024];
    hsd_short_name name = name_of(text);
    shorten(&name, 1, width, use_utf8);
    memcpy(shown, name.text, name.size);
    shown[name.size] = 0;
    hsd_arena_release(&arena);
    return shown;
}

Test(shorten, leaves_alone_what_fits)
{
    cr_expect_str_eq(alone("Session", 7, true), "Session");
    cr_expect_str_eq(alone("", 7, true), "");
}

Test(shorten, drops_type_arguments_first)
{
    cr_expect_str_eq(alone("HashMap$Node<java.lang.String,com.shop.Session>", 30, true), "HashMap$Node<\xE2\x80\xA6>");
    cr_expect_str_eq(alone("std::map<int, std::vector<long>>::node", 24, true), "std::map<\xE2\x80\xA6>::node");
}

Test(shorten, cuts_the_middle_and_keeps_both_ends)
{
    cr_expect_str_eq(alone("Com.example.very.long.package.OrderService", 21, true), "Com.exampl\xE2\x80\xA6"
                                                                                    "derService");
    cr_expect_str_eq(alone("Com.example.very.long.package.OrderService", 21, false), "Com.exampl..erService");
}

/* Of Java, and surely packages. */
Test(shorten, takes_packages_by_their_letters)
{
    cr_expect_str_eq(alone("com.acme.pricing.PriceServer", 27, true), "c.a.pricing.PriceServer");
    cr_expect_str_eq(alone("com.acme.pricing.PriceServer", 22, true), "c.a.p.PriceServer");
    cr_expect_str_eq(alone("com.acme.pricing.PriceServer", 15, true), "c.a.p.P\xE2\x80\xA6"
                                                                      "eServer");
    cr_expect_str_eq(alone("java.util.HashMap$Node<java.lang.String,com.shop.Session>", 30, true),
                     "java.util.HashMap$Node<\xE2\x80\xA6>");
    cr_expect_str_eq(alone("java.util.HashMap$Node<java.lang.String,com.shop.Session>", 20, true),
                     "j.u.HashMap$Node<\xE2\x80\xA6>");
    cr_expect_str_eq(alone("thread \"main\", com.acme.Main.run(Main.java:12)", 44, true),
                     "thread \"main\", c.acme.Main.run(Main.java:12)");
    cr_expect_str_eq(alone("static acme.shop.Cache.map", 24, true), "static a.shop.Cache.map");
    cr_expect_str_eq(alone("lambda in acme.shop.Cache[]", 25, true), "lambda in a.shop.Cache[]");
}

Test(shorten, leaves_what_may_be_no_package)
{
    cr_expect_str_eq(alone("global.app.state.Sessions", 21, true), "global.app\xE2\x80\xA6"
                                                                   "e.Sessions");
    cr_expect_str_eq(alone("main.Session", 10, true), "main.\xE2\x80\xA6sion");
    cr_expect_str_eq(alone("com.acme.lower", 10, true), "com.a\xE2\x80\xA6ower");
    cr_expect_str_eq(alone("app.com.acme.Cache", 12, true), "app.co\xE2\x80\xA6"
                                                            "Cache");
}

Test(shorten, keeps_the_class_and_the_last_fields_of_a_path)
{
    cr_expect_str_eq(alone("static com.acme.PriceServer.context.region.cache.map", 38, true),
                     "static c.a.PriceServer\xE2\x80\xA6.cache.map");
    cr_expect_str_eq(alone("static com.acme.PriceServer.context.region.cache.map: java.util.HashMap", 41, true),
                     "static c.a.PriceServer\xE2\x80\xA6.map: j.u.HashMap");
    cr_expect_str_eq(alone("class com.acme.Cache.entriesOfAll[*].value", 31, true),
                     "class c.a.Cache\xE2\x80\xA6[*].value");
    cr_expect_str_eq(alone("static com.acme.Cache.aVeryLongNameOfAField", 30, true), "static c.a.Cach\xE2\x80\xA6"
                                                                                     "ngNameOfAField");
}

/* What it does is worth more than the file it stands in, and its class. */
Test(shorten, keeps_the_method_of_a_frame)
{
    static const char frame[] = "thread \"importer\", LocalOfWorker.importRows(LocalOfWorker.java:19)";
    cr_expect_str_eq(alone(frame, 60, true), "thread \"importer\", LocalOfWorker.importRows(\xE2\x80\xA6:19)");
    cr_expect_str_eq(alone(frame, 45, true), "thread \"importer\", \xE2\x80\xA6importRows(\xE2\x80\xA6:19)");
    cr_expect_str_eq(alone(frame, 31, true), "thread \"importer\", \xE2\x80\xA6importRows");
    cr_expect_str_eq(alone(frame, 20, false), "thread \"i..mportRows");
    cr_expect_str_eq(
        alone("thread \"importer\", LocalOfWorker.importRows(LocalOfWorker.java:19).rows: java.util.ArrayList", 60,
              true),
        "thread \"importer\", \xE2\x80\xA6importRows(\xE2\x80\xA6:19).rows: j.u.ArrayList");
    cr_expect_str_eq(alone("thread \"main\", Server.accept(Native Method)", 30, true),
                     "thread \"main\", Server.accept");
}

/* Of JavaScript's functions, and of sites: the name and the line tell more than the file. */
Test(shorten, keeps_the_function_and_the_line_of_code)
{
    static const char function[] = "Function removeFiles (process_listeners.cjs:11)",
                      mine[] = "< serve_clients (stack_of_loop.c:25)";
    cr_expect_str_eq(alone(function, 46, true), "removeFiles (process_listeners.cjs:11)");
    cr_expect_str_eq(alone(function, 30, true), "removeFiles (proces\xE2\x80\xA6rs.cjs:11)");
    cr_expect_str_eq(alone(function, 18, true), "removeFiles (\xE2\x80\xA6:11)");
    cr_expect_str_eq(alone(function, 14, false), "removeFiles");
    cr_expect_str_eq(alone(function, 8, false), "rem..les");
    cr_expect_str_eq(alone("[*]: Function save (cart.js:12)", 24, true), "[*]: save (cart.js:12)");
    cr_expect_str_eq(alone(mine, 30, true), "< serve_clients (stac\xE2\x80\xA6op.c:25)");
    cr_expect_str_eq(alone(mine, 17, false), "< serve_clients");
    cr_expect_str_eq(alone("Function (a_file_without_a_name.js:3)", 20, true), "(a_file_w\xE2\x80\xA6"
                                                                               "name.js:3)");
    cr_expect_str_eq(alone("Function (anonymous) (once_never.mjs:15)", 27, true), "(once_never.mjs:15)");
}

Test(shorten, takes_what_is_no_place_of_code_as_it_is)
{
    cr_expect_str_eq(alone("Function (:12)", 8, true), "Func\xE2\x80\xA6"
                                                       "12)");
    cr_expect_str_eq(alone("call(a.c:12)", 8, true), "call\xE2\x80\xA6"
                                                     "12)");
}

/* Those of frames may look alike where they are short: then they get longer. */
Test(shorten, keeps_frames_apart)
{
    hsd_short_name names[2] = {name_of("thread \"w\", Reader.run(Reader.java:7)"),
                               name_of("thread \"w\", Writer.run(Writer.java:7)")};
    shorten(names, 2, 22, true);
    cr_expect(names[0].size != names[1].size || memcmp(names[0].text, names[1].text, names[0].size) != 0);
    hsd_arena_release(&arena);
}

Test(shorten, leaves_out_namespaces_of_the_library_of_net)
{
    cr_expect_str_eq(alone("static System.Collections.Concurrent.BlockingCollection<Job> mailbox", 40, true),
                     "static BlockingCollection<Job> mailbox");
    cr_expect_str_eq(alone("static System.Threading.Timer.Scheduler.instance.list", 44, true),
                     "static Timer.Scheduler.instance.list");
    cr_expect_str_eq(alone("System.String[]", 10, true), "String[]");
    cr_expect_str_eq(alone("Acme.System.Collections.Bag", 20, true), "Acme.Syste\xE2\x80\xA6"
                                                                     "tions.Bag");
    cr_expect_str_eq(alone("System.", 5, true), "Sy\xE2\x80\xA6"
                                                "m.");
}

Test(shorten, takes_unbalanced_brackets_as_part_of_the_name)
{
    cr_expect_str_eq(alone("operator<very_long_operand_name", 12, true), "operat\xE2\x80\xA6_name");
    cr_expect_str_eq(alone("<div class=\"a b c d e f g\">", 12, true), "<div c\xE2\x80\xA6"
                                                                       "f g\">");
}

Test(shorten, counts_columns_and_not_bytes)
{
    cr_expect_eq(hsd_width_of_text("\xE6\x97\xA5\xE6\x9C\xAC", 6), 4);
    cr_expect_eq(hsd_width_of_text("e\xCC\x81", 3), 1); /* a combining accent takes none */
    const char *shown = alone("\xE6\x97\xA5\xE6\x9C\xAC\xE6\x97\xA5\xE6\x9C\xAC\xE6\x97\xA5\xE6\x9C\xAC", 7, true);
    cr_expect_leq(hsd_width_of_text(shown, strlen(shown)), 7);
}

Test(shorten, never_makes_two_names_look_the_same)
{
    hsd_short_name names[] = {name_of("com.example.a.very.long.package.name.Session"),
                              name_of("com.example.b.very.long.package.name.Session"),
                              name_of("com.example.HashMap$Node<java.lang.String,A>"),
                              name_of("com.example.HashMap$Node<java.lang.String,B>")};
    shorten(names, 4, 16, true);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = i + 1; j < 4; j++)
            cr_expect(names[i].size != names[j].size || memcmp(names[i].text, names[j].text, names[i].size) != 0);
    hsd_arena_release(&arena);
}

/* Random names over a small alphabet, many of which become equal when cut. */
Test(shorten, keeps_a_thousand_similar_names_apart)
{
    enum { COUNT = 1000, SIZE = 60 };
    static char texts[COUNT][SIZE + 1];
    static hsd_short_name names[COUNT];
    uint64_t state = 42;
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < SIZE; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            texts[i][j] = "aaaaaaab<>.$"[state >> 40 & 7];
        }
        snprintf(texts[i] + 20, 8, "%06zu", i);
        texts[i][26] = 'a';
        texts[i][SIZE] = 0;
        names[i] = name_of(texts[i]);
    }
    shorten(names, COUNT, 14, true);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = i + 1; j < COUNT; j++)
            cr_assert(names[i].size != names[j].size || memcmp(names[i].text, names[j].text, names[i].size) != 0,
                      "%s and %s", texts[i], texts[j]);
    hsd_arena_release(&arena);
}

Test(shorten, lets_equal_names_look_equal)
{
    hsd_short_name names[] = {name_of("the same long name of a type"), name_of("the same long name of a type"),
                              name_of("the same long name, not of a type")};
    shorten(names, 2, 10, true);
    cr_expect_leq(hsd_width_of_text(names[0].text, names[0].size), 10);
    cr_expect_leq(hsd_width_of_text(names[1].text, names[1].size), 10);
    shorten(names, 3, 10, true); /* all three end in "type" and begin with "the s" */
    for (size_t i = 0; i < 2; i++)
        cr_expect(names[i].size != names[2].size || memcmp(names[i].text, names[2].text, names[2].size) != 0);
    hsd_arena_release(&arena);
}

Test(shorten, gives_a_name_the_room_that_it_has)
{
    hsd_short_name names[] = {name_of("Com.example.very.long.package.OrderService"),
                              name_of("Org.example.very.long.package.PriceService")};
    names[0].room = 30;
    shorten(names, 2, 12, true);
    cr_expect_eq(hsd_width_of_text(names[0].text, names[0].size), 30);
    cr_expect_eq(hsd_width_of_text(names[1].text, names[1].size), 12);
    hsd_arena_release(&arena);
}

/* Of what nobody has named: without build ids, as long as they tell nothing apart. */
Test(shorten, leaves_build_ids_of_addresses_out)
{
    cr_expect_str_eq(alone("{allocated} <=24 B at shop+0x11d3{c815} < shop+0x10d0{}", 60, true),
                     "<=24 B at shop+0x11d3");
    cr_expect_str_eq(alone("{local} 24 8 stack of shop: shop+0x11d3{c815}", 60, true), "stack of shop: shop+0x11d3");
    cr_expect_str_eq(alone("{register} 3 stack of shop: shop+0x11d3{c815}", 60, true), "stack of shop: shop+0x11d3");
    cr_expect_str_eq(alone("{thread-local} shop+0x8{c8}", 60, true), "thread-local shop+0x8");
    cr_expect_str_eq(alone("shop+0x8{c8", 60, true), "shop+0x8{c8");
    cr_expect_str_eq(alone("shop+0x8{C8}", 60, true), "shop+0x8{C8}");
    cr_expect_str_eq(alone("{variable} of a template", 60, true), "{variable} of a template");
    hsd_short_name names[] = {name_of("shop+0x8{c815}"), name_of("shop+0x8{c816}"), name_of("shop+0x9{c815}")};
    shorten(names, 3, 60, true);
    cr_expect(names[0].text == names[0].full && names[1].text == names[1].full, "of two builds");
    cr_expect_eq(names[2].size, strlen("shop+0x9"));
    hsd_short_name calls[] = {name_of("{allocated} <=8 B at shop+0x8{c8} < shop+0x9{c8}"),
                              name_of("{allocated} <=8 B at shop+0x8{c8} < shop+0xa{c8}")};
    shorten(calls, 2, 60, true);
    cr_expect_eq(calls[0].size, strlen("<=8 B at shop+0x8 < shop+0x9"));
    cr_expect_arr_eq(calls[1].text, "<=8 B at shop+0x8 < shop+0xa", calls[1].size);
    hsd_short_name cut[] = {name_of("{allocated} <=24 B at shop+0x11d3{c815} < shop+0x10d0{c815}"),
                            name_of("{allocated} <=24 B at shop+0x11d3{c815} < shop+0x20d0{c815}")};
    shorten(cut, 2, 12, true);
    for (int i = 0; i < 2; i++)
        cr_expect_null(memchr(cut[i].text, '{', cut[i].size), "%.*s", (int)cut[i].size, cut[i].text);
    hsd_arena_release(&arena);
}

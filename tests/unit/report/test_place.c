/*
 * Paths as text: names of references read on from the name of the root; what has no name is told by its type.
 */
#include <criterion/criterion.h>

#include "report/sentences/place.h"
#include "unit/report/sample.h"
#include <hscapture/hscapture.h>

static const char *text_of(const char *root, const hsd_step *steps, size_t count, uint64_t cut)
{
    static char text[512];
    hsd_buffer buffer = {0};
    const hsd_spot place = {sample_text(root), steps, count, cut};
    cr_assert(hsd_place_append(&buffer, &place, NULL) == HSD_OK && buffer.size < sizeof text);
    memcpy(text, buffer.data, buffer.size);
    text[buffer.size] = 0;
    hsd_buffer_release(&buffer);
    return text;
}

Test(place, is_the_root_and_the_names_of_references)
{
    const hsd_step steps[] = {sample_step("", "Object"), sample_step(".state", "Object"),
                              sample_step("[\"a b\"]", "Map")};
    cr_expect_str_eq(text_of("global.app", steps, 0, 0), "global.app");
    cr_expect_str_eq(text_of("global.app", steps, 1, 0), "global.app");
    cr_expect_str_eq(text_of("global.app", steps, 3, 0), "global.app.state[\"a b\"]");
}

Test(place, tells_a_reference_without_a_name_by_its_type)
{
    const hsd_step steps[] = {sample_step("", "Queue"), sample_step("", "Timer"), sample_step(".callback", "Function")};
    const hsd_spot all = {sample_text("(pending)"), steps, 3, 0}, two = {sample_text("(pending)"), steps, 2, 0},
                   one = {sample_text("(pending)"), steps, 1, 0}, none = {sample_text("(pending)"), steps, 0, 0};
    cr_expect_str_eq(text_of("(pending)", steps, 3, 0), "(pending) -> Queue -> Timer.callback");
    cr_expect_str_eq(text_of("(pending)", steps, 2, 0), "(pending) -> Queue -> Timer");
    cr_expect(hsd_place_ends_in_type(&two));
    cr_expect(!hsd_place_ends_in_type(&all) && !hsd_place_ends_in_type(&one) && !hsd_place_ends_in_type(&none));
}

Test(place, tells_the_type_that_a_root_names_where_nothing_else_does)
{
    const hsd_step steps[] = {sample_step("", "Scheduler"), sample_step("", "Hash")};
    const hsd_step named[] = {sample_step("", "Scheduler"), sample_step("@waiting", "Hash")};
    cr_expect_str_eq(text_of("Object.(state)", steps, 2, 0), "Object.(state) -> Scheduler -> Hash");
    cr_expect_str_eq(text_of("Scheduler.(state)", steps, 2, 0), "Scheduler.(state) -> Hash");
    cr_expect_str_eq(text_of("Object.(state)", steps, 1, 0), "Object.(state)");
    cr_expect_str_eq(text_of("Object.(state)", named, 2, 0), "Object.(state)@waiting");
    cr_expect_str_eq(text_of("static Shop shop", steps, 2, 0), "static Shop shop -> Hash");
}

/* "system / Cell" of V8 is where a variable lies that a module exports. */
Test(place, of_an_exported_variable_is_that_of_its_value)
{
    hsd_step steps[] = {sample_step("", "(system)"), sample_step("<value>", "Object"), sample_step(".lines", "Array")};
    cr_expect_str_eq(text_of("log.mjs.debug", steps, 3, 0), "log.mjs.debug<value>.lines");
    steps[0].name = sample_text("system / Cell");
    cr_expect_str_eq(text_of("log.mjs.debug", steps, 3, 0), "log.mjs.debug.lines");
    cr_expect_str_eq(text_of("log.mjs.debug", steps, 2, 0), "log.mjs.debug");
    cr_expect_str_eq(text_of("log.mjs.debug", steps, 1, 0), "log.mjs.debug");
    steps[0].edge = sample_text(".cell"); /* a cell that the variable leads to is none that it lies in */
    cr_expect_not_null(strstr(text_of("log.mjs.debug", steps, 2, 0), "<value>"));
}

Test(place, counts_steps_that_repeat_and_steps_that_were_left_out)
{
    hsd_step steps[] = {sample_step(".head", "Node"), sample_step(".next", "Node"), sample_step(".value", "Order"),
                        sample_step(".lines", "Line[]")};
    steps[1].repeat = 5000;
    cr_expect_str_eq(text_of("global.list", steps, 4, 0), "global.list.head.next{x5,000}.value.lines");
    steps[1].repeat = 1;
    cr_expect_str_eq(text_of("global.list", steps, 4, 12345), "global.list.head.next{12,345 more}.value.lines");
    hsd_step first = sample_step("", "Node");
    first.repeat = 3;
    cr_expect_str_eq(text_of("global.list", &first, 1, 0), "global.list -> Node{x3}");
}

/* ---- objects with a name ---- */

static hsd_step named_step(const char *edge, const char *type, const char *name)
{
    hsd_step step = sample_step(edge, type);
    step.name = sample_text(name);
    return step;
}

static const char *object_at_end(const char *root, const hsd_step *steps, size_t count)
{
    static char text[512];
    hsd_buffer buffer = {0};
    const hsd_spot place = {sample_text(root), steps, count, 0};
    cr_assert(hsd_place_append(&buffer, &place, NULL) == HSD_OK &&
              hsd_place_append_type(&buffer, &place, " (", ")", NULL) == HSD_OK);
    memcpy(text, buffer.data, buffer.size);
    text[buffer.size] = 0;
    hsd_buffer_release(&buffer);
    return text;
}

Test(place, calls_objects_by_their_names)
{
    const hsd_step steps[] = {sample_step("", "Loader"),
                              named_step("[*]", "java.lang.Class", "com.x.Cache"),
                              sample_step(".map", "Map"),
                              named_step("<class>", "java.lang.Class", "com.x.Plug"),
                              named_step(".thread", "java.lang.Thread", "thread \"main\""),
                              named_step("", "java.lang.Class", "com.x.Main")};
    cr_expect_str_eq(text_of("main", steps, 3, 0), "main[*] (class com.x.Cache).map");
    cr_expect_str_eq(text_of("main", steps, 4, 0), "main[*] (class com.x.Cache).map<class com.x.Plug>");
    cr_expect_str_eq(text_of("main", steps + 3, 2, 0), "main<class com.x.Plug>.thread (thread \"main\")");
    cr_expect_str_eq(text_of("main", steps + 4, 2, 0), "main.thread (thread \"main\") -> class com.x.Main");
}

Test(place, says_a_name_once)
{
    const hsd_step start = named_step("", "java.lang.Class", "com.x.Main"),
                   field = named_step(".type", "java.lang.Class", "com.x.Main"),
                   plain = sample_step(".map", "java.util.HashMap");
    cr_expect_str_eq(object_at_end("static X.type", &start, 1), "static X.type (class com.x.Main)");
    cr_expect_str_eq(object_at_end("class com.x.Main", &start, 1), "class com.x.Main");
    cr_expect_str_eq(object_at_end("main", &field, 1), "main.type (class com.x.Main)");
    cr_expect_str_eq(object_at_end("main", &plain, 1), "main.map (java.util.HashMap)");
}

static const char *near_of(const hsd_holder *holder)
{
    static char text[512];
    hsd_buffer buffer = {0};
    cr_assert(hsd_holder_append_near(&buffer, holder, " (", ")", NULL) == HSD_OK && buffer.size < sizeof text);
    memcpy(text, buffer.data, buffer.size);
    text[buffer.size] = 0;
    hsd_buffer_release(&buffer);
    return text;
}

/* In a sentence, where the way from the root is longer than a line of it. */
Test(place, begins_at_the_last_function_with_a_place_in_code)
{
    const hsd_step far[] = {
        sample_step("", "Context"),        sample_step(".stdin", "ReadStream"),
        sample_step("._events", "Object"), sample_step(".data", "Function"),
        sample_step(".self", "Interface"), sample_step(".onLine", "Function (anonymous) (server.js:9)"),
        sample_step(".sessions", "Map")};
    hsd_holder holder = sample_holder("node:internal/bootstrap/is_main_thread", far, 7, 1000);
    cr_expect_str_eq(near_of(&holder), "Function (anonymous) (server.js:9).sessions (Map)");
    holder.root = sample_text("app.js"); /* short enough to be read */
    cr_expect_str_eq(near_of(&holder), "app.js.stdin._events.data.self.onLine.sessions (Map)");
    holder.root = sample_text("node:x"); /* as short, and nothing of the program */
    cr_expect_str_eq(near_of(&holder), "Function (anonymous) (server.js:9).sessions (Map)");
    holder.root = sample_text("node:internal/bootstrap/is_main_thread");
    holder.path_count = 6; /* the function holds it itself */
    cr_expect_str_eq(near_of(&holder), "Interface.onLine (Function (anonymous) (server.js:9))");
    holder.path_count = 5;
    cr_expect_eq(strncmp(near_of(&holder), "node:internal/", 14), 0, "none is known");
}

Test(place, begins_there_also_for_what_several_fields_hold)
{
    const hsd_step far[] = {
        sample_step("", "Context"),        sample_step(".a_long_name_of_a_field_of_the_runtime", "Object"),
        sample_step(".handlers", "Array"), sample_step("[*]", "Function main (server.js:9)"),
        sample_step(".queue", "Queue"),    sample_step(".head", "Node")};
    const hsd_step tail[] = {far[0], far[1], far[2], far[3], far[4], sample_step(".tail", "Node")};
    const hsd_co_holder by[] = {{.root = sample_text("node:internal/x"), .path = far, .path_count = 6},
                                {.root = sample_text("node:internal/x"), .path = tail, .path_count = 6}};
    hsd_holder holder = sample_holder("node:internal/x", far, 5, 1000);
    holder.by = by;
    holder.by_count = 2;
    cr_expect_str_eq(near_of(&holder), "Function main (server.js:9).queue (Queue), by .head and .tail, together");
}

/* A framework reaches all that it runs from one variable: what a programmer knows is the class that has the field. */
Test(place, begins_at_the_last_class_of_the_program)
{
    hsd_step far[] = {sample_step("", "org.x.Hook"),
                      sample_step(".contexts", "java.util.Map"),
                      sample_step("[*].key", "org.x.Context"),
                      sample_step(".beans", "java.util.Map"),
                      sample_step("[*].val", "com.shop.QuoteService"),
                      sample_step(".quotes", "java.util.HashMap")};
    hsd_holder holder = sample_holder("static org.x.boot.Application.a_hook_for_the_end", far, 6, 1000);
    cr_expect_str_eq(near_of(&holder), "com.shop.QuoteService.quotes (java.util.HashMap)");
    holder.root = sample_text("static com.shop.Application.a_hook_for_the_end_of_all"); /* it says whose it is */
    cr_expect_eq(strncmp(near_of(&holder), "static com.shop.", 16), 0);
    holder.root = sample_text("static org.x.boot.Application.a_hook_for_the_end");
    far[4].type = sample_text("lambda in com.shop.QuoteService");
    cr_expect_eq(strncmp(near_of(&holder), "static org.x.", 13), 0, "a lambda has no fields that anybody named");
    far[4].type = sample_text("java.util.concurrent.FutureTask");
    cr_expect_eq(strncmp(near_of(&holder), "static org.x.", 13), 0, "nothing but containers");
    far[4].type = sample_text("com.shop.Quotes[]");
    cr_expect_eq(strncmp(near_of(&holder), "static org.x.", 13), 0, "an array");
    far[4].type = sample_text("com.shop.QuoteService");
    far[5].edge = sample_text("[*]");
    cr_expect_eq(strncmp(near_of(&holder), "static org.x.", 13), 0, "no field");
    far[5].edge = sample_text(".this$0");
    cr_expect_eq(strncmp(near_of(&holder), "static org.x.", 13), 0, "no field that anybody named");
}

/* A queue of asyncio in a field of the program's class: the class is the news. */
Test(place, begins_at_the_class_that_has_what_the_library_made)
{
    hsd_step far[] = {sample_step("", "functools.partial"),
                      sample_step(".keywords", "dict"),
                      sample_step("[\"main_task\"]", "_asyncio.Task"),
                      sample_step("._coro", "coroutine main (service.py:10)"),
                      sample_step(".tracker", "shop.Tracker"),
                      sample_step(".queue", "asyncio.queues.Queue"),
                      sample_step("._queue", "collections.deque")};
    hsd_holder holder = sample_holder("held by C", far, 7, 1000);
    holder.root_kind = HSC_ROOT_HANDLE;
    cr_expect_str_eq(near_of(&holder), "shop.Tracker.queue._queue (collections.deque)");
    far[4].type = sample_text("asyncio.locks.Event"); /* the function's, then */
    cr_expect_str_eq(near_of(&holder), "coroutine main (service.py:10).tracker.queue._queue (collections.deque)");
    far[3].type = sample_text("_asyncio.Task"); /* nobody's: the library's is all there is */
    cr_expect_str_eq(near_of(&holder), "asyncio.queues.Queue._queue (collections.deque)");
}

/* What the runtime's own classes are called says less than a variable or a frame of the program. */
Test(place, begins_at_no_class_of_the_runtime_behind_code_of_the_program)
{
    const hsd_step far[] = {sample_step("", "shop.Orders"), sample_step(".scope", "kotlinx.coroutines.Scope"),
                            sample_step(".context", "kotlin.coroutines.CombinedContext"),
                            sample_step(".left", "kotlinx.coroutines.Job"),
                            sample_step("._state$volatile", "kotlinx.coroutines.NodeList")};
    hsd_holder holder = sample_holder("thread \"main\", shop.Main.main(All.kt:15)", far, 5, 1000);
    cr_expect_eq(strncmp(near_of(&holder), "thread \"main\", shop.Main.main(All.kt:15).scope.context.left", 59), 0,
                 "%s", near_of(&holder));
    holder.root = sample_text("static shop.Orders.the_only_one_that_there_is");
    cr_expect_eq(strncmp(near_of(&holder), "static shop.Orders.", 19), 0);
    holder.root = sample_text("thread \"main\", java.lang.Thread.run(Thread.java:840)");
    cr_expect_eq(strncmp(near_of(&holder), "kotlin.coroutines.CombinedContext.left", 38), 0);
    holder.root = sample_text("thread \"DefaultDispatcher-worker-1\"");
    cr_expect_eq(strncmp(near_of(&holder), "kotlin.coroutines.CombinedContext.left", 38), 0);
}

/* A branch of a stream that nobody reads: the variable says which, and each stream has such a controller. */
Test(place, begins_at_no_stream_of_node_behind_a_variable_of_the_program)
{
    const hsd_step far[] = {sample_step("", "InternalReadableStream"), sample_step(".<symbol>", "Function"),
                            sample_step("<bound_this>", "ReadableStreamDefaultController"),
                            sample_step(".<symbol>", "Object"), sample_step(".queue", "Array")};
    hsd_holder holder = sample_holder("feed.mjs.mirror", far, 5, 1000);
    cr_expect_str_eq(near_of(&holder), "feed.mjs.mirror.<symbol><bound_this>.<symbol>.queue (Array)");
    holder.root = sample_text("node:internal/streams.all_that_are_there_of_a_kind");
    cr_expect_str_eq(near_of(&holder), "ReadableStreamDefaultController.<symbol>.queue (Array)");
}

Test(place, begins_there_also_where_references_have_no_names)
{
    const hsd_step far[] = {sample_step("", "Engine[]"),
                            sample_step("", "System.Net.Engine"),
                            sample_step("", "Microsoft.Extensions.Provider"),
                            sample_step("", "Microsoft.Extensions.Scope"),
                            sample_step("", "Shop.QuoteService"),
                            sample_step("", "System.Dictionary<System.String, Shop.Quote>"),
                            sample_step("", "Entry<System.String, Shop.Quote>[]")};
    hsd_holder holder = sample_holder("static Engine[] s_currentEngines", far, 6, 1000);
    cr_expect_str_eq(near_of(&holder), "Shop.QuoteService -> System.Dictionary<System.String, Shop.Quote>");
    holder.path_count = 5; /* a class of the runtime's own libraries, where there is none of the program */
    cr_expect_eq(strncmp(near_of(&holder), "Microsoft.Extensions.Scope -> Shop.QuoteService", 47), 0);
}

Test(place, begins_there_also_where_classes_have_small_letters)
{
    hsd_step far[] = {sample_step("", "gin.Pool"),
                      sample_step(".private", "gin.Context"),
                      sample_step(".handlers", "[]gin.Handler"),
                      sample_step("[*]", "closure"),
                      sample_step(".receiver", "main.server"),
                      sample_step(".carts", "map[string]*main.cart")};
    hsd_holder holder = sample_holder("sync.allPools[*].pool.local.poolLocalInternal", far, 6, 1000);
    cr_expect_str_eq(near_of(&holder), "main.server.carts (map[string]*main.cart)");
    far[4].type = sample_text("gin.engine"); /* whose field it is, of whatever package */
    cr_expect_str_eq(near_of(&holder), "gin.engine.carts (map[string]*main.cart)");
}

Test(place, says_the_type_of_a_declaration_once)
{
    const hsd_step start = sample_step("", "Shop.Cart[]"), other = sample_step("", "Shop.Cart");
    cr_expect_str_eq(object_at_end("static Shop.Cart[] carts", &start, 1), "static Shop.Cart[] carts");
    cr_expect_str_eq(object_at_end("[ThreadStatic] static Shop.Cart[] carts", &start, 1),
                     "[ThreadStatic] static Shop.Cart[] carts");
    cr_expect_str_eq(object_at_end("static Shop.Cart[] carts", &other, 1), "static Shop.Cart[] carts (Shop.Cart)");
    cr_expect_str_eq(object_at_end("static Shop.Cart[]", &start, 1), "static Shop.Cart[] (Shop.Cart[])");
    cr_expect_str_eq(object_at_end("Shop.Cart[] carts", &start, 1), "Shop.Cart[] carts (Shop.Cart[])");
}

/* Whose field it is, where the root is far and the class says more than the references. */
Test(place, tells_the_class_of_a_far_field)
{
    const hsd_step far[] = {sample_step("", "Container"), sample_step(".scopes", "Map"),
                            sample_step("[*].instance", "OrdersService"), sample_step(".byId", "Map"),
                            sample_step("[*]", "Order")};
    hsd_holder holder = sample_holder("main.js.app", far, 4, 1000);
    cr_expect_str_eq(near_of(&holder), "main.js.app.scopes[*].instance (OrdersService).byId (Map)");
    holder.path_count = 5; /* an item of it */
    cr_expect_str_eq(near_of(&holder), "main.js.app.scopes[*].instance (OrdersService).byId[*] (Order)");
    holder.root = sample_text("@nestjs/core/exceptions/base-exception-filter-context.js.constants_2");
    holder.path_count = 4; /* longer than a line */
    cr_expect_str_eq(near_of(&holder), "OrdersService.byId (Map)");
    holder.path_count = 3; /* of no field of it */
    cr_expect_eq(strncmp(near_of(&holder), "@nestjs/core/", 13), 0);
}

/* The step before the last field of main.app.list.item.last, by what it is called and what it is. */
static const char *owned_by(const char *root, const char *edge, const char *type)
{
    const hsd_step steps[] = {sample_step("", "App"), sample_step(".list", "List"), sample_step(edge, type),
                              sample_step(".last", "Map")};
    const hsd_holder holder = sample_holder(root, steps, 4, 1000);
    return near_of(&holder);
}

/* Of a list that another library keeps: a node says nothing, what has the list does. */
Test(place, tells_the_class_that_has_a_list_and_not_its_nodes)
{
    hsd_step steps[] = {sample_step("", "java.lang.Thread"),         sample_step(".provider", "org.actors.Provider"),
                        sample_step(".guardian", "org.actors.Cell"), sample_step(".messageQueue", "org.actors.Mailbox"),
                        sample_step(".tail", "org.actors.Node"),     sample_step(".next", "org.actors.Node")};
    const hsd_holder holder = {.root = sample_text("thread \"blocking-6\""), .path = steps, .path_count = 6};
    steps[5].repeat = 1999;
    cr_expect_str_eq(near_of(&holder), "org.actors.Mailbox.tail.next{x1,999} (org.actors.Node)");
    steps[5].type = sample_text("org.actors.Envelope");
    cr_expect_str_eq(near_of(&holder), "org.actors.Node.next{x1,999} (org.actors.Envelope)");
}

Test(place, tells_no_class_that_says_nothing)
{
    cr_expect_str_eq(owned_by("main.app", ".item", "shop.Stock"), "main.app.list.item (shop.Stock).last (Map)");
    cr_expect_str_eq(owned_by("main.app", ".stockItem", "shop.Stock"), "main.app.list.stockItem.last (Map)");
    cr_expect_str_eq(owned_by("main.stock", ".item", "shop.Stock"), "main.stock.list.item.last (Map)");
    cr_expect_str_eq(owned_by("main.app", ".item", "shop.List"), "main.app.list.item.last (Map)");
    cr_expect_str_eq(owned_by("main.app", ".item", "Object"), "main.app.list.item.last (Map)");
    cr_expect_str_eq(owned_by("main.app", ".item", "system / Context"), "main.app.list.item.last (Map)");
    cr_expect_str_eq(owned_by("shop.depot.app", ".item", "shop.depot.Stock"),
                     "shop.depot.app.list.item (shop.depot.Stock).last (Map)", "a variable of the same module");
    cr_expect_str_eq(owned_by("main.app", "", "shop.Stock"), "main.app.list -> shop.Stock.last (Map)");
}

/* A plain object on the way says nothing: what it is a part of does. */
Test(place, tells_the_class_that_has_the_plain_object_of_a_field)
{
    const hsd_step far[] = {sample_step("", "Container"),
                            sample_step(".scopes", "Map"),
                            sample_step("[*].instance", "OrdersService"),
                            sample_step(".prices", "EventEmitter"),
                            sample_step("._events", "Object"),
                            sample_step(".change", "Array")};
    hsd_holder holder = sample_holder("main.js.app", far, 6, 1000);
    cr_expect_str_eq(near_of(&holder), "main.js.app.scopes[*].instance (OrdersService).prices._events.change (Array)");
    holder.path_cut = 9; /* steps are missing behind it: whose the field is nobody knows */
    cr_expect_str_eq(near_of(&holder), "main.js.app.scopes[*].instance{9 more}.prices._events.change (Array)");
}

Test(place, tells_no_class_where_the_root_is_near)
{
    const hsd_step near[] = {sample_step("", "App"), sample_step(".item", "shop.Stock"), sample_step(".last", "Map")};
    const hsd_holder holder = sample_holder("main.app", near, 3, 1000);
    cr_expect_str_eq(near_of(&holder), "main.app.item.last (Map)");
}

/* ---- what a browser keeps ---- */

Test(place, says_by_which_call_a_browser_keeps_it)
{
    static const hsd_growth_edge below[] = {
        {.edge = {"[*]", 3}, .type = {"EventListener", 13}, .depth = 1, .growth_bytes = 900},
        {.edge = {"[*]", 3}, .type = {"Function onResize (chart.js:9)", 30}, .depth = 2, .growth_bytes = 800},
        {.edge = {"[*]", 3}, .type = {"Function (anonymous) (chart.js:20)", 34}, .depth = 2, .growth_bytes = 100}};
    const hsd_step listeners[] = {
        sample_step("", "Window [JSGlobalObject] / https:"),
        sample_step("<cppgc_object>", "Window / https:"),
        sample_step("[*]", "blink::EventTargetData"),
        sample_step("[*]", "blink::BasicHeapVector<blink::internal::HeapCollectionType::kGCed>"),
        sample_step("[*]", "V8EventListener"),
        sample_step("[*]", "Function onResize (chart.js:9)"),
        sample_step(".chart", "Chart")};
    hsd_holder holder = sample_holder("window", listeners, 4, 1000);
    cr_expect_str_eq(near_of(&holder), "window<event listeners>", "which function is not known");
    holder.edges = below;
    holder.edge_count = 3;
    cr_expect_str_eq(near_of(&holder), "window<event listeners>: Function onResize (chart.js:9)");
    hsd_growth_edge bound[2] = {below[0], below[1]};
    bound[1] = (hsd_growth_edge){.edge = {"<bound_this>", 12}, .type = {"Menu", 4}, .depth = 3, .growth_bytes = 800};
    holder.edges = bound;
    holder.edge_count = 2;
    cr_expect_str_eq(near_of(&holder), "window<event listeners>: a method of Menu");
    holder.edges = below;
    holder.edge_count = 3;
    holder.growth_bytes = 7000; /* most is of the engine */
    cr_expect_str_eq(near_of(&holder), "window<event listeners>");
    holder.growth_bytes = 1000;
    hsd_growth_edge several[3] = {below[0], below[1], below[2]};
    several[2].growth_bytes = 800;
    holder.edges = several;
    cr_expect_str_eq(near_of(&holder), "window<event listeners>", "two functions");
    cr_expect_str_eq(text_of("window", listeners, 7, 0), "window<event listeners>[*].chart");
    cr_expect_str_eq(text_of("window", listeners, 2, 0), "window<cppgc_object>", "no listener yet");
    cr_expect_str_eq(text_of("window", listeners, 4, 7), "window<cppgc_object>{7 more}[*][*]",
                     "what is left out may be anything");
}

Test(place, says_what_waits_for_an_event)
{
    static const hsd_growth_edge below[] = {
        {.edge = {"[*]", 3}, .type = {"Function onChange (theme.js:3)", 30}, .depth = 2, .growth_bytes = 800}};
    const hsd_step pending[] = {sample_step("", "Pending activities")};
    hsd_holder holder = sample_holder("C++ Persistent roots", pending, 1, 1000);
    holder.edges = below;
    holder.edge_count = 1;
    cr_expect_str_eq(near_of(&holder), "C++ Persistent roots (Pending activities): Function onChange (theme.js:3)");
}

Test(place, says_for_which_element_of_a_page)
{
    const hsd_step body[] = {sample_step("", "HTMLDocument"),
                             sample_step("[*]", "<html>"),
                             sample_step("[*]", "<head>"),
                             sample_step("[*]", "<body>"),
                             sample_step("[*]", "blink::NodeRareData"),
                             sample_step("[*]", "blink::NodeMutationObserverData")};
    const hsd_step row[] = {sample_step("", "Array"), sample_step("[*]", "Row"), sample_step(".el", "Detached <li>"),
                            sample_step("[*]", "Detached blink::EventTargetData")};
    const hsd_step timers[] = {sample_step("", "Window"), sample_step("[*]", "blink::HeapHashTableBacking<x>"),
                               sample_step("[*]", "blink::(anonymous namespace)::DOMTimerCoordinator")};
    cr_expect_str_eq(text_of("window.document", body, 6, 0), "window.document -> <body><mutation observers>");
    cr_expect_str_eq(text_of("shop.js.rows", row, 4, 0), "shop.js.rows[*].el<event listeners>");
    const hsd_step frames[] = {sample_step("", "HTMLDocument"), sample_step("[*]", "ScriptedAnimationController")};
    cr_expect_str_eq(text_of("window", timers, 3, 0), "window<timers>");
    cr_expect_str_eq(text_of("window.document", frames, 2, 0), "window.document<animation frames>");
}

Test(place, leaves_programs_alone_that_are_no_browser)
{
    const hsd_step steps[] = {sample_step("", "Map"), sample_step("[*]", "DOMTimer"),
                              sample_step("[*]", "MutationObserver")};
    const hsd_holder holder = sample_holder("fake.js.registry", steps, 3, 1000);
    cr_expect_str_eq(near_of(&holder), "fake.js.registry[*][*] (MutationObserver)");
}

/* A variable of a function that refers to an object of a library's class: the variable says whose it is. */
Test(place, is_said_from_the_variable_of_a_function)
{
    const hsd_step far[] = {sample_step("", "functools.partial"),
                            sample_step(".keywords", "dict"),
                            sample_step("[\"main_task\"]", "_asyncio.Task"),
                            sample_step("._coro", "coroutine main (serve.py:7)"),
                            sample_step(".inbox", "asyncio.queues.Queue"),
                            sample_step("._queue", "collections.deque")};
    hsd_holder holder = sample_holder("held by C", far, 6, 1000);
    holder.root_kind = HSC_ROOT_HANDLE;
    cr_expect_str_eq(near_of(&holder), "coroutine main (serve.py:7).inbox._queue (collections.deque)");
    const hsd_step own[] = {sample_step("", "app.Application"),
                            sample_step("._middleware_chain", "function answer_for.<locals>.inner (middleware.py:8)"),
                            sample_step(".get_response", "app.middleware.Timing"), sample_step(".history", "list")};
    holder = sample_holder("app.middleware.APPLICATION", own, 4, 1000); /* a class of the program says more */
    cr_expect_str_eq(near_of(&holder), "app.middleware.Timing.history (list)");
}

/* Where the object that has it was there and the field got another one. */
Test(place, ends_in_the_field_that_was_given_another_object)
{
    const hsd_step ledger[] = {sample_step("", "Ledger")};
    hsd_growth_edge newest = {.edge = sample_text(".newest"),
                              .type = sample_text("Entry"),
                              .depth = 1,
                              .before = {1, 40},
                              .after = {1, 40},
                              .new_ = {1, 40},
                              .growth_bytes = 1000};
    hsd_holder holder = sample_holder("app.ledger", ledger, 1, 1000);
    holder.edges = &newest;
    holder.edge_count = 1;
    cr_expect_str_eq(near_of(&holder), "app.ledger.newest (Entry)");
    newest.type = sample_text("Entry[]"); /* the array of a container */
    cr_expect_str_eq(near_of(&holder), "app.ledger (Ledger)");
    newest.type = sample_text("Entry");
    newest.new_.objects = newest.after.objects = 2; /* entries of the holder's own */
    cr_expect_str_eq(near_of(&holder), "app.ledger (Ledger)");
    newest.new_.objects = newest.after.objects = 1;
    newest.growth_bytes = 500; /* and half of it elsewhere */
    cr_expect_str_eq(near_of(&holder), "app.ledger (Ledger)");
}

/* The runtime's own lists are told with the function of the program that is in them. */
Test(place, of_the_runtime_is_told_with_the_function_there)
{
    const hsd_step set[] = {sample_step("", "Set")};
    hsd_growth_edge edges[] = {
        {.edge = sample_text("[*]"), .type = sample_text("EventTarget"), .depth = 1, .growth_bytes = 1000},
        {.edge = sample_text(".callback"),
         .type = sample_text("Function (anonymous) (upload.mjs:9)"),
         .depth = 2,
         .growth_bytes = 300}};
    hsd_holder holder = sample_holder("node:internal/abort_controller.signals", set, 1, 1000), root = holder;
    holder.edges = root.edges = edges;
    holder.edge_count = root.edge_count = 2;
    cr_expect_str_eq(near_of(&holder),
                     "node:internal/abort_controller.signals (Set): Function (anonymous) (upload.mjs:9)");
    holder.root = sample_text("app.js.signals");
    cr_expect_str_eq(near_of(&holder), "app.js.signals (Set)");
    root.root = sample_text("finalizers");
    root.root_kind = HSC_ROOT_FINALIZER;
    root.path_count = 0;
    edges[1].type = sample_text("Proc (handle.rb:6)");
    cr_expect_str_eq(near_of(&root), "finalizers: Proc (handle.rb:6)");
}

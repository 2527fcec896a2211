/*
 * Which of the types that an object is offered stays; values without a name among the globals; lines of code. What
 * follows whole programs is in test_gocore.c and test_goheap.c.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "go/dwarf/go_reading.h"
#include "go/types/typing.h"

enum { FIELD = 1, WHOLE, OTHER, COUNT = OTHER }; /* 8 bytes; 64, begins with a FIELD; 64 */
#define SLOT UINT64_C(0xc000000000)

enum { DATA_WORDS = 64 };
#define DATA UINT64_C(0x600000)

static hsd_go_type types[COUNT + 1];
static hsd_go_member members[1];
static hsd_go_global globals[1];
static gotyping typing;
static uint64_t words[DATA_WORDS]; /* of the globals */
static goblocks blocks;

static hsd_status read_words(void *context, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    (void)context, (void)err;
    memcpy(data, (const uint8_t *)words + offset, size);
    return HSD_OK;
}

static bool locate(void *context, uint64_t address, goplace *place)
{
    (void)context;
    if (address < DATA || address >= DATA + sizeof words) return false;
    *place = (goplace){&blocks, address - DATA, DATA + sizeof words - address};
    return true;
}

static void open_typing(void)
{
    hsd_error err;
    const gospan span = {.begin = SLOT, .slot_bytes = 64, .count = 2};
    memset(types, 0, sizeof types);
    types[FIELD] = (hsd_go_type){.size = 8, .kind = HSD_GO_IS_BASE};
    types[WHOLE] = (hsd_go_type){.size = 64, .kind = HSD_GO_IS_STRUCT, .member = 0, .member_count = 1};
    types[OTHER] = (hsd_go_type){.size = 64, .kind = HSD_GO_IS_STRUCT};
    members[0] = (hsd_go_member){.offset = 0, .type = FIELD};
    typing = (gotyping){.types = {.types = types, .members = members, .type_count = COUNT + 1, .member_count = 1},
                        .slots = {.most_bytes = 1 << 20}};
    cr_assert(hsd_goslots_add(&typing.slots, &span, &err) == HSD_OK);
    cr_assert(hsd_goslots_finish(&typing.slots, &err) == HSD_OK);
    cr_assert(hsd_gotyping_open(&typing, 1 << 16, &err) == HSD_OK);
    for (uint32_t i = 0; i < span.count; i++)
        hsd_goslots_set_live(&typing.slots, i);
    memset(words, 0, sizeof words);
    const hsd_elf_input input = {.read = read_words, .bytes = sizeof words};
    cr_assert(hsd_goblocks_open(&blocks, &input, 1 << 16, &err) == HSD_OK);
    typing.memory = (gomemory){.locate = locate};
    typing.statics.begin[0] = DATA;
    typing.statics.end[0] = DATA + sizeof words;
    typing.statics.most_bytes = 1 << 20;
}

static void close_typing(void)
{
    typing.types = (hsd_go_types){0}; /* they are the test's */
    hsd_gotyping_close(&typing);
    hsd_goblocks_close(&blocks);
}

static void offer(uint32_t type, bool is_guess)
{
    hsd_error err;
    typing.is_guessing = is_guess;
    cr_assert(hsd_gotyping_offer(&typing, SLOT, type, false, &err) == HSD_OK);
}

static uint32_t type_of_slot(void) { return hsd_gotyped_of(typing.slots.types[0]).type; }

TestSuite(gotyping, .init = open_typing, .fini = close_typing);

Test(gotyping, what_says_most_of_the_bytes_stays)
{
    offer(FIELD, false);
    offer(OTHER, false);
    cr_expect_eq(type_of_slot(), OTHER);
    offer(FIELD, false);
    cr_expect_eq(type_of_slot(), OTHER);
}

Test(gotyping, a_guess_does_not_contradict_what_is_known)
{
    offer(FIELD, false);
    offer(OTHER, true);
    cr_expect_eq(type_of_slot(), FIELD);
}

Test(gotyping, a_guess_may_be_what_a_known_one_stands_at_the_beginning_of)
{
    offer(FIELD, false);
    offer(WHOLE, true);
    cr_expect_eq(type_of_slot(), WHOLE);
}

Test(gotyping, a_guess_is_better_than_nothing_and_gives_way)
{
    offer(OTHER, true);
    cr_expect_eq(type_of_slot(), OTHER);
    offer(FIELD, false);
    cr_expect_eq(type_of_slot(), FIELD);
}

Test(gotyping, a_type_that_begins_with_itself_ends)
{
    members[0].type = WHOLE;
    offer(FIELD, false);
    offer(WHOLE, true);
    cr_expect_eq(type_of_slot(), FIELD);
}

/* ---- values without a name ---- */

static void put_static(unsigned word, uint32_t type)
{
    hsd_error err;
    cr_assert(hsd_gostatics_offer(&typing, DATA + 8 * word, type, false, 1, &err) == HSD_OK);
}

static void finish(void)
{
    hsd_error err;
    cr_assert(hsd_gostatics_finish(&typing, &err) == HSD_OK);
}

static const gostatic *static_at(unsigned word) { return hsd_gostatics_at(&typing, DATA + 8 * word); }

Test(gotyping, a_value_that_only_a_pointer_leads_to_has_its_place)
{
    words[8 + 5] = SLOT;
    put_static(8, FIELD); /* its first field, before and after it */
    put_static(8, WHOLE);
    put_static(8, FIELD);
    put_static(10, FIELD); /* one in the middle */
    finish();
    cr_assert_not_null(static_at(15));
    cr_expect_eq(static_at(15)->type, WHOLE);
    cr_expect_eq(static_at(15)->address, DATA + 64);
    cr_expect_null(static_at(16));
    cr_expect_null(static_at(7));
}

Test(gotyping, only_values_that_lead_to_the_heap_are_needed)
{
    words[8] = SLOT + 64;
    words[16] = DATA + 64;  /* over the first */
    words[24] = DATA + 256; /* to one that leads nowhere */
    words[40] = SLOT + 128; /* behind the last object */
    for (unsigned word = 8; word <= 40; word += 8)
        put_static(word, WHOLE);
    finish();
    cr_expect_not_null(static_at(8));
    cr_expect_not_null(static_at(16));
    cr_expect_null(static_at(24));
    cr_expect_null(static_at(32));
    cr_expect_null(static_at(40));
}

Test(gotyping, no_value_is_where_a_variable_or_nothing_is)
{
    hsd_error err;
    globals[0] = (hsd_go_global){.address = DATA + 64, .type = WHOLE};
    typing.types.globals = globals;
    typing.types.global_count = 1;
    words[8] = words[20] = words[60] = SLOT;
    put_static(8, WHOLE);
    put_static(60, WHOLE); /* runs past the end */
    cr_assert(hsd_gostatics_offer(&typing, DATA + 161, WHOLE, false, 1, &err) == HSD_OK);
    cr_assert(hsd_gostatics_offer(&typing, DATA + 160, WHOLE, true, UINT64_MAX / 2, &err) == HSD_OK);
    typing.is_guessing = true;
    put_static(20, WHOLE);
    finish();
    cr_expect_eq(typing.statics.count, 0);
}

Test(gotyping, a_slice_without_a_name_has_as_many_as_it_says)
{
    hsd_error err;
    words[8 + 15] = SLOT;
    cr_assert(hsd_gostatics_offer(&typing, DATA + 64, WHOLE, true, 2, &err) == HSD_OK);
    finish();
    cr_assert_not_null(static_at(8));
    cr_expect_eq(static_at(8)->bytes, 128);
    cr_expect(static_at(8)->is_items);
}

Test(gotyping, each_value_is_reached_from_a_root_once)
{
    hsd_error err;
    gostatic *one;
    words[8] = SLOT;
    words[9] = DATA + 8 * 16; /* two that lead to each other, and none else to them */
    words[16] = DATA + 64;
    words[24] = SLOT;
    for (unsigned word = 8; word <= 24; word += 8)
        put_static(word, WHOLE);
    finish();
    for (unsigned expected = 8; expected <= 24; expected += 16) {
        cr_assert(hsd_gostatics_unreached(&typing, &one, &err) == HSD_OK);
        cr_assert_not_null(one);
        cr_expect_eq(one->address, DATA + 8 * expected);
        one->has_root = true;
    }
    cr_assert(hsd_gostatics_unreached(&typing, &one, &err) == HSD_OK);
    cr_expect_null(one);
}

/* ---- what runs later ---- */

static const char *label_of(uint64_t created_at, const char *function, bool *is_runtime)
{
    static char text[64];
    const gostart start = {.created_at = created_at, .function = function, .wrapper = ""};
    hsd_gotask_goroutine(&typing, &start, is_runtime, text, sizeof text);
    return text;
}

Test(gotyping, goroutines_are_called_by_what_is_known_of_their_start)
{
    bool is_runtime;
    cr_expect_str_eq(label_of(0, "runtime.main", &is_runtime), "main goroutine");
    cr_expect(!is_runtime);
    cr_expect_str_eq(label_of(0x1000, "main.serve", &is_runtime), "goroutines in main.serve");
    cr_expect(!is_runtime);
    cr_expect_str_eq(label_of(0, "runtime.bgsweep", &is_runtime), "goroutines in runtime.bgsweep");
    cr_expect(is_runtime);
    cr_expect_str_eq(label_of(0, "", &is_runtime), "goroutines in (unknown)");
}

static const char *label_behind(const char *wrapper, const char *function, bool *is_runtime)
{
    static char text[64];
    const gostart start = {.function = function, .wrapper = wrapper};
    hsd_gotask_goroutine(&typing, &start, is_runtime, text, sizeof text);
    return text;
}

Test(gotyping, goroutines_behind_a_wrapper_are_called_by_what_it_calls)
{
    bool is_runtime;
    cr_expect_str_eq(label_behind("main.plant.gowrap1", "main.wait", &is_runtime), "goroutines in main.wait");
    /* What it calls was copied into it, and nothing says what that is: the runtime's own function below is not it. */
    cr_expect_str_eq(label_behind("main.plant.gowrap1", "runtime.chanrecv1", &is_runtime),
                     "goroutines started by main.plant");
    cr_expect(!is_runtime);
    cr_expect_str_eq(label_behind("runtime.gcenable.gowrap1", "runtime.bgsweep", &is_runtime),
                     "goroutines in runtime.bgsweep");
    cr_expect(is_runtime);
}

Test(gotyping, goroutines_in_a_wrapper_are_called_by_what_was_copied_into_it)
{
    static const char *const names[] = {"", "main.plant.gowrap1", "main.wait"};
    hsd_go_function functions[] = {{.low = 0x1000, .high = 0x1100, .name = 1, .calls = 2}};
    gotyping with = {.types = {.functions = functions, .function_count = 1}};
    bool is_runtime;
    char text[64];
    hsd_error err;
    for (uint32_t i = 0, number; i < 3; i++)
        cr_assert(hsd_names_put(&with.types.names, (hsd_bytes){(const uint8_t *)names[i], strlen(names[i])}, &number,
                                &err) == HSD_OK);
    const gostart start = {.wrapper_at = 0x1010, .function = "main.read", .wrapper = names[1]};
    hsd_gotask_goroutine(&with, &start, &is_runtime, text, sizeof text);
    cr_expect_str_eq(text, "goroutines in main.wait");
    hsd_names_release(&with.types.names);
}

/* Up to Go 1.21 the wrapper of `go wait(x)` is called like a closure: the compiler says what it is. */
Test(gotyping, wrappers_are_known_by_what_the_compiler_says_of_them)
{
    static const char name[] = "main.plant.func1";
    hsd_go_types described = {0};
    hsd_error err;
    uint32_t number;
    cr_assert(hsd_names_put(&described.names, (hsd_bytes){(const uint8_t *)name, strlen(name)}, &number, &err) ==
              HSD_OK);
    cr_expect(!hsd_go_types_is_wrapper(&described, &(hsd_go_function){.name = number}));
    cr_expect(hsd_go_types_is_wrapper(&described, &(hsd_go_function){.name = number, .is_wrapper = true}));
    hsd_names_release(&described.names);
}

/* ---- variables ---- */

/* var server struct { address string; pool [2]worker }; type worker struct { queue, done *int }; var list list.List;
 * type todo []*int; var tasks todo */
Test(gotyping, variables_are_called_by_the_fields_of_their_package)
{
    enum { WORD = 1, WORKER, POOL, SERVER, LIST, TASKS, TYPES };
    static const char *const names[] = {"",
                                        "main.worker",
                                        "struct { address string; pool [2]main.worker }",
                                        "container/list.List",
                                        "queue",
                                        "done",
                                        "address",
                                        "pool",
                                        "root",
                                        "main.server",
                                        "main.list",
                                        "main.todo",
                                        "array",
                                        "main.tasks"};
    hsd_go_type described[TYPES] = {
        [WORD] = {.size = 8, .kind = HSD_GO_IS_POINTER},
        [WORKER] = {.size = 16, .kind = HSD_GO_IS_STRUCT, .name = 1, .member = 0, .member_count = 2},
        [POOL] = {.count = 2, .size = 32, .kind = HSD_GO_IS_ARRAY, .target = WORKER},
        [SERVER] = {.size = 40, .kind = HSD_GO_IS_STRUCT, .name = 2, .member = 2, .member_count = 2},
        [LIST] = {.size = 8, .kind = HSD_GO_IS_STRUCT, .name = 3, .member = 4, .member_count = 1},
        [TASKS] =
            {.size = 24, .kind = HSD_GO_IS_STRUCT, .go_kind = HSD_GO_SLICE, .name = 11, .member = 5, .member_count = 1},
    };
    hsd_go_member parts[] = {{.offset = 0, .type = WORD, .name = 4}, {.offset = 8, .type = WORD, .name = 5},
                             {.offset = 0, .type = WORD, .name = 6}, {.offset = 8, .type = POOL, .name = 7},
                             {.offset = 0, .type = WORD, .name = 8}, {.offset = 0, .type = WORD, .name = 12}};
    hsd_go_global variables[] = {{.address = 0x1000, .type = SERVER, .name = 9},
                                 {.address = 0x2000, .type = LIST, .name = 10},
                                 {.address = 0x2800, .type = TASKS, .name = 13}};
    gotyping with = {.bias = 0x100,
                     .types = {.types = described,
                               .members = parts,
                               .globals = variables,
                               .type_count = TYPES,
                               .member_count = 6,
                               .global_count = 3}};
    static const struct {
        uint64_t at;
        const char *name;
    } wanted[] = {{0x1000, "main.server.address"},
                  {0x1008, "main.server.pool[*].queue"},
                  {0x1020, "main.server.pool[*].done"},
                  {0x2000, "main.list"},
                  {0x2800, "main.tasks"},
                  {0x3000, ""}};
    hsd_error err;
    char text[64];
    bool is_runtime;
    for (uint32_t i = 0, number; i < sizeof names / sizeof names[0]; i++)
        cr_assert(hsd_names_put(&with.types.names, (hsd_bytes){(const uint8_t *)names[i], strlen(names[i])}, &number,
                                &err) == HSD_OK);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const size_t size = hsd_gotyping_name_global(&with, wanted[i].at + 0x100, text, sizeof text, &is_runtime);
        cr_expect(size == strlen(wanted[i].name) && (size == 0 || strcmp(text, wanted[i].name) == 0), "%s, not %s",
                  text, wanted[i].name);
    }
    hsd_names_release(&with.types.names);
}

/* ---- lines ---- */

/* One function of 32 bytes at the beginning of the text: 16 in line 7 of a.go, 16 in line 5. */
static hsd_go_lines make_lines(uint8_t *bytes, size_t size)
{
    static const uint8_t files[] = {2, 32, 0}, lines[] = {16, 16, 3, 16, 0};
    enum { FUNCTIONS = 64, RECORD = 96, UNITS = 160, FILES = 176, VALUES = 192 };
    memset(bytes, 0, size);
    bytes[FUNCTIONS + 4] = RECORD - FUNCTIONS;
    bytes[RECORD + 20] = 1; /* files and lines: where their values begin */
    bytes[RECORD + 24] = 8;
    memcpy(bytes + VALUES + 1, files, sizeof files);
    memcpy(bytes + VALUES + 8, lines, sizeof lines);
    memcpy(bytes + FILES, "/home/a.go", 11);
    return (hsd_go_lines){.bytes = {.data = bytes, .size = size},
                          .text = 0x1000,
                          .functions = FUNCTIONS,
                          .function_count = 1,
                          .files = FILES,
                          .units = UNITS,
                          .values = VALUES,
                          .entry_bytes = 1};
}

Test(golines, are_found_by_address)
{
    uint8_t bytes[256];
    const char *file;
    uint32_t line;
    const hsd_go_lines lines = make_lines(bytes, sizeof bytes);
    cr_assert(hsd_go_lines_find(&lines, 0x1000, &file, &line));
    cr_expect_str_eq(file, "a.go");
    cr_expect_eq(line, 7);
    cr_assert(hsd_go_lines_find(&lines, 0x101f, &file, &line));
    cr_expect_eq(line, 5);
    cr_expect(!hsd_go_lines_find(&lines, 0x1020, &file, &line));
    cr_expect(!hsd_go_lines_find(&lines, 0xfff, &file, &line));
}

Test(golines, know_the_folders_of_a_file)
{
    uint8_t bytes[256];
    const hsd_go_lines lines = make_lines(bytes, sizeof bytes);
    cr_expect_str_eq(hsd_go_lines_path(&lines, 0x1010), "/home/a.go");
    cr_expect_null(hsd_go_lines_path(&lines, 0x1020));
}

/* A function at 0x1000 … 0x101f of this name, in this file. */
static gotyping one_function(const char *name, const char *path, hsd_go_function *function, uint8_t bytes[256])
{
    hsd_error err;
    uint32_t none, number;
    *function = (hsd_go_function){.low = 0x1000, .high = 0x1020};
    gotyping t = {.lines = make_lines(bytes, 256), .types = {.functions = function, .function_count = 1}};
    cr_assert_lt(strlen(path), 50);
    t.lines.files = 206; /* behind all values */
    memcpy(bytes + t.lines.files, path, strlen(path) + 1);
    cr_assert(hsd_names_put(&t.types.names, (hsd_bytes){(const uint8_t *)"", 0}, &none, &err) == HSD_OK);
    cr_assert(hsd_names_put(&t.types.names, (hsd_bytes){(const uint8_t *)name, strlen(name)}, &number, &err) == HSD_OK);
    function->name = number;
    return t;
}

static bool is_own(const char *name, const char *path)
{
    uint8_t bytes[256];
    hsd_go_function function;
    gotyping t = one_function(name, path, &function, bytes);
    const bool is = hsd_gotask_is_own(&t, 0x1010);
    cr_expect(!hsd_gotask_is_own(&t, 0x1020) && !hsd_gotask_is_own(&t, 0));
    hsd_names_release(&t.types.names);
    return is;
}

Test(gotyping, code_of_the_program_is_told_from_that_of_libraries)
{
    cr_expect(is_own("main.main.func1.1", "/home/u/shop/main.go"));
    cr_expect(is_own("main.main.func1.1", "shop/main.go"));
    cr_expect(is_own("acme.com/shop/jobs.(*Job).Run", "/home/u/shop/jobs/jobs.go"));
    cr_expect(is_own("shop/jobs.(*pool[go.shape.*uint8]).Run", "/home/u/shop/jobs/jobs.go"));
    cr_expect(is_own("acme.com/shop/jobs.New", "acme.com/shop/jobs/jobs.go"));
    cr_expect(!is_own("net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go"));
    cr_expect(!is_own("net/http.(*conn).serve", "net/http/server.go"));
    cr_expect(!is_own("internal/poll.runtime_pollWait", "/usr/local/go/src/runtime/netpoll.go"));
    cr_expect(!is_own("time.Sleep", "runtime/time.go"));
    cr_expect(!is_own("golang.org/x/sync/errgroup.(*Group).Go.func1", "/mod/golang.org/x/sync@v0.9.0/errgroup/e.go"));
    cr_expect(!is_own("acme.com/log.Print", "/home/u/shop/vendor/acme.com/log/log.go"));
    cr_expect(!is_own("main.(*server).order-fm", "<autogenerated>"));
    cr_expect(!is_own("main.plant.gowrap1", "/home/u/shop/main.go"));
    cr_expect(!is_own("goexit", "/home/u/shop/asm.s"));
}

/* What a library started is called by what it runs of the program; what the program started is not. */
static const char *label_with_own(const char *function, const char *own)
{
    static char text[96];
    uint8_t bytes[256];
    hsd_go_function code;
    bool is_runtime;
    gotyping t = one_function(own, "/home/u/shop/main.go", &code, bytes);
    const gostart start = {.function = function, .wrapper = "", .own_at = 0x1010};
    hsd_gotask_goroutine(&t, &start, &is_runtime, text, sizeof text);
    hsd_names_release(&t.types.names);
    return text;
}

Test(gotyping, goroutines_of_a_library_are_called_by_what_the_program_does_there)
{
    cr_expect_str_eq(label_with_own("sync.(*WaitGroup).Go.func1", "main.fetch"),
                     "goroutines in main.fetch (main.go:7)");
    cr_expect_str_eq(label_with_own("time.goFunc", "main.(*pool[go.shape.int]).run"),
                     "goroutines in main.(*pool[...]).run (main.go:7)");
    cr_expect_str_eq(label_with_own("main.serve", "main.fetch"), "goroutines in main.serve");
    cr_expect_str_eq(label_with_own("main.fetch", "main.fetch"), "goroutines in main.fetch");
    cr_expect_str_eq(label_with_own("runtime.main", "main.main"), "main goroutine");
    cr_expect_str_eq(label_with_own("runtime.bgsweep", "main.fetch"), "goroutines in runtime.bgsweep");
}

/* Any byte of the table may be another: an answer may be wrong, and nothing outside of it is read. */
Test(golines, survive_any_byte)
{
    const char *file;
    uint32_t line;
    for (size_t at = 0; at < 256; at++)
        for (unsigned value = 0; value < 256; value += 5) {
            uint8_t *bytes = malloc(256); /* where sanitizers see its end */
            const hsd_go_lines lines = make_lines(bytes, 256);
            bytes[at] = (uint8_t)value;
            for (uint64_t address = 0x1000; address < 0x1030; address += 15)
                if (hsd_go_lines_find(&lines, address, &file, &line) &&
                    (file = hsd_go_lines_path(&lines, address)) != NULL)
                    cr_assert(file > (const char *)bytes && file < (const char *)bytes + 256);
            free(bytes);
        }
}

/* ---- generic code ---- */

/* What the last type, which has shapes for arguments, is a name for. */
static const char *meant_by(const char *const *names, uint32_t count, uint64_t size_of_first)
{
    static hsd_go_type made[8];
    static hsd_go_types program;
    static char text[64];
    hsd_error err;
    hsd_names_release(&program.names);
    memset(made, 0, sizeof made);
    program = (hsd_go_types){.types = made, .type_count = count + 1};
    uint32_t number;
    cr_assert_eq(hsd_names_put(&program.names, (hsd_bytes){(const uint8_t *)"", 0}, &number, &err), HSD_OK);
    for (uint32_t i = 1; i <= count; i++) {
        made[i] = (hsd_go_type){.size = i == 1 ? size_of_first : 40, .kind = HSD_GO_IS_STRUCT};
        cr_assert_eq(hsd_names_put(&program.names, (hsd_bytes){(const uint8_t *)names[i - 1], strlen(names[i - 1])},
                                   &made[i].name, &err),
                     HSD_OK);
    }
    cr_assert_eq(hsd_go_find_shapes(&program, &err), HSD_OK);
    const uint32_t type = hsd_go_types_resolve(&program, count);
    snprintf(text, sizeof text, "%s", hsd_go_types_text(&program, made[type].name));
    hsd_names_release(&program.names);
    program = (hsd_go_types){0};
    return text;
}

#define MEANS(wanted, ...)                                                                                             \
    do {                                                                                                               \
        static const char *const names_[] = {__VA_ARGS__};                                                             \
        cr_expect_str_eq(meant_by(names_, sizeof names_ / sizeof *names_, 40), wanted);                                \
    } while (0)

Test(gotyping, a_shape_is_the_type_of_the_program_that_has_it)
{
    static const char shape[] = "main.Cache[go.shape.string,go.shape.*uint8]";
    MEANS("main.Cache[string,*main.Quote]", "main.Cache[string,*main.Quote]", "main.Cache[int,*main.Quote]",
          "main.Cache[string,main.Quote]", "main.Cached[string,*main.Quote]", "main.Cache[string]", shape);
    MEANS("main.Cache[main.Key,*main.Map[int,string]]", "main.Cache[main.Key,*main.Map[int,string]]", shape);
    MEANS(shape, "main.Cache[string,*main.Quote]", "main.Cache[string,*main.Order]", shape); /* which of the two? */
    MEANS("main.Cache[string,*main.Quote]", "main.Cache[string,*main.Quote]", "main.Cache[string,*main.Quote]", shape);
    MEANS(shape, "main.Cache[,*main.Quote]", "main.Cache[string,*main.Quote", "main.Cache[string,*main.Quote]x", shape);
    MEANS("map[string]main.entry[*main.Quote]", "map[string]main.entry[*main.Quote]", "map[string]main.entry",
          "map[go.shape.string]main.entry[go.shape.*uint8]");
    static const char *const other_size[] = {"main.Cache[string,*main.Quote]", shape};
    cr_expect_str_eq(meant_by(other_size, 2, 48), shape);
    MEANS("go.shape.string", "go.shape.string");
}

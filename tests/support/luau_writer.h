/*
 * Heap dumps of Luau as luaC_dump prints them, object by object, with all that is no JSON; and some of known programs,
 * for tests and as seeds of the fuzz target. Sizes are those of a 64-bit build.
 */
#ifndef HSD_TESTS_LUAU_WRITER_H
#define HSD_TESTS_LUAU_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct luau_dump {
    char *data; /* owned */
    size_t size, room;
    bool is_msvc;      /* addresses have 16 digits and no 0x */
    unsigned category; /* of the objects that follow */
} luau_dump;

typedef struct luau_list {
    const uint64_t *items; /* 0: null, where that can be */
    size_t count;
} luau_list;

#define LUAU_LIST(...)                                                                                                 \
    ((luau_list){(const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)})
#define LUAU_NONE ((luau_list){NULL, 0})

void luau_begin(luau_dump *dump);
/* A line as it is. */
void luau_raw(luau_dump *dump, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Metatables, names and sources may be 0 or NULL. Each begins a line and ends it. */
void luau_string(luau_dump *dump, uint64_t address, const char *data);
void luau_table(luau_dump *dump, uint64_t address, luau_list pairs, luau_list array, uint64_t metatable);
void luau_function(luau_dump *dump, uint64_t address, uint64_t env, const char *name, uint64_t proto,
                   luau_list upvalues);
void luau_userdata(luau_dump *dump, uint64_t address, int size, int tag, uint64_t metatable);
void luau_thread(luau_dump *dump, uint64_t address, uint64_t env, const char *source, int line, luau_list stack,
                 const char *names);
void luau_buffer(luau_dump *dump, uint64_t address, int size);
void luau_proto(luau_dump *dump, uint64_t address, const char *source, int line, luau_list constants, luau_list protos);
void luau_upvalue(luau_dump *dump, uint64_t address, bool is_open, uint64_t object);
void luau_class(luau_dump *dump, uint64_t address, const char *name, luau_list member_names, luau_list statics,
                uint64_t offsets);
void luau_object(luau_dump *dump, uint64_t address, uint64_t class_address, luau_list members);
void luau_vector_of_doubles(luau_dump *dump, uint64_t address);

/* Sentinel and roots; then luau_category for each, then the end. */
void luau_roots(luau_dump *dump, uint64_t main_thread, uint64_t registry, int size);
void luau_category(luau_dump *dump, unsigned number, const char *name, int size);
void luau_end(luau_dump *dump);
void luau_release(luau_dump *dump);

/*
 * A shop: _G.sessions (0x7f0000002000) holds `sessions` tables of metatable _G.Session, each with a name of its own and
 * an owner, which is the upvalue of a function of shop.luau:12; a cache with weak values; the library `string`;
 * category 3 "cat "3"" for the sessions. All kinds of objects and all flaws are in it.
 */
void luau_shop(luau_dump *dump, unsigned sessions, bool is_msvc);
#define LUAU_SHOP_SESSIONS UINT64_C(0x7f0000002000)
#define LUAU_SHOP_FIRST    UINT64_C(0x7f0000100000) /* session i, 0x1000 apart; its name 0x100 behind it */
enum { LUAU_SHOP_OTHERS = 44 /* objects that are no sessions and no names of them */ };

#endif

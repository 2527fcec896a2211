/*
 * A program that embeds Luau and leaks sessions into a global table of its script, while coroutines come and go. Obeys
 * the lines of tests/agents/kit.py, and
 *
 *      dump PATH      writes the memory dump of the virtual machine, and prints "dumped PATH"
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lua.h"
#include "luacode.h"
#include "lualib.h"

static const char script[] = R"(
local Session = {}
Session.__index = Session
Session.__type = "Session"
sessions = {}
weak = setmetatable({}, {__mode = "k"})

local function open(number: number)
    local one = setmetatable({number = number, name = "session " .. number, visits = {number}}, Session)
    weak[one] = true
    return one
end

local function work()
    local kept = {}
    for i = 1, 200 do
        kept[i % 20] = {tostring(i), coroutine.wrap(function() coroutine.yield(i) end)}
    end
    return #kept
end

function leak(count: number)
    for i = 1, count do
        table.insert(sessions, open(#sessions + 1))
    end
    work()
    return #sessions
end
)";

static void check(lua_State *state, int status)
{
    if (status == 0) return;
    std::fprintf(stderr, "%s\n", lua_tostring(state, -1));
    std::exit(1);
}

static void leak(lua_State *state, int count)
{
    lua_getglobal(state, "leak");
    lua_pushinteger(state, count);
    check(state, lua_pcall(state, 1, 1, 0));
    std::printf("leaked %d\n", (int)lua_tointeger(state, -1));
    lua_pop(state, 1);
}

static void dump(lua_State *state, const char *path)
{
    std::FILE *file = std::fopen(path, "w");
    if (file == nullptr) std::exit(1);
    lua_gc(state, LUA_GCCOLLECT, 0);
    lua_memorydump(state, file, nullptr);
    if (std::fclose(file) != 0) std::exit(1);
    std::printf("dumped %s\n", path);
}

int main()
{
    char line[4096];
    size_t size = 0;
    lua_State *state = luaL_newstate();
    luaL_openlibs(state);
    char *code = luau_compile(script, sizeof script - 1, nullptr, &size);
    check(state, luau_load(state, "=shop.luau", code, size, 0));
    std::free(code);
    check(state, lua_pcall(state, 0, 0, 0));
    std::puts("ready");
    std::fflush(stdout);
    while (std::fgets(line, sizeof line, stdin) != nullptr && std::strcmp(line, "quit\n") != 0) {
        line[std::strcspn(line, "\n")] = '\0';
        if (std::strncmp(line, "leak ", 5) == 0) leak(state, std::atoi(line + 5));
        if (std::strncmp(line, "dump ", 5) == 0) dump(state, line + 5);
        std::fflush(stdout);
    }
    lua_close(state);
    return 0;
}

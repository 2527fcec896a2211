/*
 * The module that a program requires:
 *
 *      local hsdiff = require "hsdiff"
 *      hsdiff.capture("before.hs")     -- now; the file must not exist. true, or nil and why not
 *      hsdiff.listen()                 -- from now on `hsdiff capture PID` works. true, or nil and why not
 *      hsdiff.poll()                   -- answers who asks just now: for schedulers of coroutines, and loops that wait in C
 *      hsdiff.stop()
 *
 * Without poll() a program answers between two instructions: LuaJIT in any coroutine, the others in their main thread,
 * for a hook there is one thread's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lua_agent.h"

#define AGENT_EXPORT __attribute__((visibility("default")))

static int fail_lua_module(lua_State *L, const char *what)
{
    lua_pushnil(L);
    lua_pushstring(L, what);
    return 2;
}

static ptrdiff_t write_file(void *context, const void *data, size_t size)
{
    return write(*(const int *)context, data, size);
}

static int capture_lua_module(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    char why[128];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return fail_lua_module(L, strerror_r(errno, why, sizeof why));
    const hsc_sink sink = {.write = write_file, .context = &fd};
    const char *refused = walk_all(L, &sink, 1, false);
    if (close(fd) != 0 && refused == NULL) refused = "the file could not be written";
    if (refused != NULL) {
        unlink(path);
        return fail_lua_module(L, refused);
    }
    lua_pushboolean(L, 1);
    return 1;
}

static int listen_now_in_lua_module(lua_State *L)
{
    char why[128];
    const int failed = serve_listen(L);
    if (failed != 0 && failed != EALREADY) return fail_lua_module(L, strerror_r(failed, why, sizeof why));
    lua_pushboolean(L, 1);
    return 1;
}

static int poll_now(lua_State *L)
{
    serve_poll(L);
    return 0;
}

static int stop(lua_State *L)
{
    (void)L;
    serve_stop();
    return 0;
}

static void set_lua_module(lua_State *L, const char *name, lua_CFunction function)
{
    lua_pushcfunction(L, function);
    lua_setfield(L, -2, name);
}

AGENT_EXPORT int luaopen_hsdiff(lua_State *L);

/* A userdata in the registry whose end is that of the VM: no walk may begin behind it. */
static void stop_with(lua_State *L)
{
    (void)lua_newuserdata(L, 1);
    lua_newtable(L);
    lua_pushcfunction(L, stop);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_setfield(L, LUA_REGISTRYINDEX, "hsdiff.agent");
}

/* Lua has no question for the main thread: it is kept when the module is loaded there, which is where programs begin.
 */
static void keep_main_thread(lua_State *L)
{
#if !LUA_HAS_REGISTRY_GLOBALS
    if (lua_pushthread(L) != 0)
        lua_setfield(L, LUA_REGISTRYINDEX, MAIN_THREAD_KEY);
    else
        lua_pop(L, 1);
#else
    (void)L;
#endif
}

int luaopen_hsdiff(lua_State *L)
{
    keep_main_thread(L);
    stop_with(L);
    lua_newtable(L);
    set_lua_module(L, "capture", capture_lua_module);
    set_lua_module(L, "listen", listen_now_in_lua_module);
    set_lua_module(L, "poll", poll_now);
    set_lua_module(L, "stop", stop);
    return 1;
}

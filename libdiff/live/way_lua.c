/*
 * Lua 5.1 to 5.4 and LuaJIT: a module that the program has required, or that LUA_INIT requires for it. It walks the
 * heap between two instructions of the VM and answers over its own socket.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/command.h"
#include "live/facts.h"
#include "live/procfs.h"

typedef struct variant {
    const char *runtime, *folder, *init, *cpath;
} variant;

/* Variables with a version go before those without, and leave other Luas alone; 5.1 and LuaJIT have none. */
static const variant versions[] = {
    {"Lua 5.4", "lua5.4", "LUA_INIT_5_4", "LUA_CPATH_5_4"},
    {"Lua 5.3", "lua5.3", "LUA_INIT_5_3", "LUA_CPATH_5_3"},
    {"Lua 5.2", "lua5.2", "LUA_INIT_5_2", "LUA_CPATH_5_2"},
    {"Lua 5.1", "lua5.1", "LUA_INIT", "LUA_CPATH"},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };
static const variant luajit = {"LuaJIT", "luajit", "LUA_INIT", "LUA_CPATH"};

/* "lua5.3", "lua53", "lua-5.3", and what is linked or packed behind it. */
static const variant *version_of(const char *name, size_t size)
{
    for (size_t i = 0; i < VERSIONS; i++) {
        const char *digits = versions[i].folder + 3; /* "5.3" */
        const char without_dot[] = {digits[0], digits[2]};
        const size_t dash = size > 3 && name[3] == '-';
        if (size >= 6 + dash && memcmp(name + 3 + dash, digits, 3) == 0) return &versions[i];
        if (size == 5 && memcmp(name + 3, without_dot, 2) == 0) return &versions[i];
    }
    return NULL;
}

/* One that is called lua alone may be any: of those the newest. */
static const variant *variant_of(const char *path)
{
    size_t size = 0;
    const char *name = hsd_procfs_last_part(path, &size);
    if (size >= 6 && memcmp(name, "luajit", 6) == 0) return &luajit;
    if (size < 3 || memcmp(name, "lua", 3) != 0) return NULL;
    return size == 3 ? &versions[0] : version_of(name, size);
}

/* A command called lua is often a link to one with a version. */
static const variant *variant_of_command(const char *command)
{
    char resolved[1024];
    const variant *kind = variant_of(command), *behind = NULL;
    if (kind != NULL && hsd_command_resolve(command, resolved, sizeof resolved)) behind = variant_of(resolved);
    return behind == NULL ? kind : behind;
}

static const variant *variant_of_process(const hsd_process_facts *facts)
{
    char library[32];
    if (hsd_process_maps(facts, "libluajit-5.1.so", true)) return &luajit;
    for (size_t i = 0; i < VERSIONS; i++) {
        snprintf(library, sizeof library, "lib%s.so", versions[i].folder);
        if (hsd_process_maps(facts, library, true)) return &versions[i];
    }
    return variant_of(facts->executable);
}

static hsd_gate look_lua_way(const hsd_process_facts *facts, hsd_process *process, hsd_error *err)
{
    const variant *kind = variant_of_process(facts);
    const hsd_gate gate = hsd_live_find_agent(facts, "lua", err);
    if (kind == NULL && gate == HSD_GATE_NOT_MINE) return gate;
    snprintf(process->runtime, sizeof process->runtime, "%s", kind == NULL ? "Lua" : kind->runtime);
    if (gate != HSD_GATE_NOT_MINE) return gate;
    hsd_fail(err, HSD_E_UNSUPPORTED, "process %ld is %s, and the hsdiff module does not listen in it", facts->pid,
             kind->runtime);
    hsd_error_set_hint(err,
                       "start it with  hsdiff capture -- %s app.lua,  or have it call  require(\"hsdiff\").listen()",
                       kind->folder);
    return HSD_GATE_CLOSED;
}

static hsd_status capture_lua_way(hsd_live *live, hsd_error *err)
{
    char options[64];
    snprintf(options, sizeof options, "compression=%d", live->options->compression);
    return hsd_live_ask(live, "lua", options, err);
}

/* ---- a command ---- */

/* What there is under the name with a version, else under that without. */
static const char *inherited(const char *versioned, const char *plain)
{
    const char *value = getenv(versioned);
    if (value == NULL) value = getenv(plain);
    return value == NULL ? "" : value;
}

static bool set_path(const variant *kind, const char *module, hsd_set_variable_fn set, void *context)
{
    char value[4096];
    const char *before = inherited(kind->cpath, "LUA_CPATH"), *slash = strrchr(module, '/');
    const int size = snprintf(value, sizeof value, "%.*s/?.so;%s", slash == NULL ? 0 : (int)(slash - module), module,
                              before[0] == '\0' ? ";" : before);
    if (size < 0 || (size_t)size >= sizeof value) return false;
    set(context, kind->cpath, value);
    return true;
}

/* In front of what is there: code, or @ and a file. */
static bool set_init(const variant *kind, hsd_set_variable_fn set, void *context)
{
    static const char listen[] = "local ok, why = pcall(function() return assert(require('hsdiff').listen()) end) "
                                 "if not ok then io.stderr:write('hsdiff: ', tostring(why), '\\n') end ";
    char value[8192];
    const char *before = inherited(kind->init, "LUA_INIT");
    const bool is_file = before[0] == '@';
    const int size = snprintf(value, sizeof value, "do %send %s%s%s", listen, is_file ? "dofile([==[" : "",
                              before + (is_file ? 1 : 0), is_file ? "]==])" : "");
    if (size < 0 || (size_t)size >= sizeof value) return false;
    set(context, kind->init, value);
    return true;
}

static bool prepare_lua_way(const char *const *command, hsd_set_variable_fn set, void *context, hsd_status *status,
                            hsd_error *err)
{
    char module[1024], name[64];
    const variant *kind = command[0] == NULL ? NULL : variant_of_command(command[0]);
    if (kind == NULL) return false;
    snprintf(name, sizeof name, "%s/hsdiff.so", kind->folder);
    *status = hsd_agent_path(module, sizeof module, name, err);
    if (*status == HSD_OK && !(set_path(kind, module, set, context) && set_init(kind, set, context)))
        *status = hsd_fail(err, HSD_E_UNSUPPORTED, "%s or %s would be too long", kind->cpath, kind->init);
    return true;
}

const hsd_way hsd_way_lua = {
    .name = "lua",
    .summary =
        "Lua 5.1 to 5.4 and LuaJIT with the hsdiff module: walked by the VM's own thread between two instructions",
    .stored = "shapes only: no strings, no numbers, and of keys of tables those that code mentions or 16 tables have",
    .look = look_lua_way,
    .capture = capture_lua_way,
    .prepare = prepare_lua_way,
};

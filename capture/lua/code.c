/*
 * The words that code mentions: `moving` in `world.moving`. A function's constants are asked of no API, but lua_dump
 * writes them, each behind its length and before the kind or the length of what follows. In no version, LuaJIT's
 * included, is one of these a letter or a digit beside a text of a name's length, so words stand there by themselves
 * and no format of byte code is read.
 */
#include <stdio.h>
#include <string.h>

#include "lua_agent.h"

const char *code_file(const lua_Debug *frame)
{
    const char *file = strrchr(frame->short_src, '/');
    if (file == NULL) return frame->short_src;
    if (strcmp(file, "/init.lua") != 0) return file + 1;
    while (file > frame->short_src && file[-1] != '/')
        file--;
    return file;
}

typedef struct word {
    names *names;
    size_t size; /* above IDENTIFIER_BYTES_MAX: too long for a name */
    char text[IDENTIFIER_BYTES_MAX];
} word;

static void end_word(word *one)
{
    if (one->size > 0 && one->size <= sizeof one->text) names_mention(one->names, one->text, one->size);
    one->size = 0;
}

static int read_dump(lua_State *L, const void *data, size_t size, void *context)
{
    word *one = context;
    const char *bytes = data;
    (void)L;
    for (size_t i = 0; i < size; i++) {
        if (!names_is_identifier((char[]){'_', bytes[i]}, 2)) {
            end_word(one);
        } else {
            if (one->size < sizeof one->text) one->text[one->size] = bytes[i];
            if (one->size <= sizeof one->text) one->size++;
        }
    }
    return 0;
}

/* A function is known by its lines: all closures of one have one code, and a file is compiled once. */
static bool is_new_code(walk *w)
{
    char place[NAME_BYTES_MAX];
    const lua_Debug *where = &w->function, *last = &w->last_code;
    if (where->source == last->source && where->linedefined == last->linedefined &&
        where->lastlinedefined == last->lastlinedefined)
        return false;
    w->last_code = *where;
    snprintf(place, sizeof place, "%s:%d-%d", where->short_src, where->linedefined, where->lastlinedefined);
    return names_is_new_code(&w->names, place);
}

void code_mentions(walk *w)
{
    word one = {.names = &w->names};
    if (lua_iscfunction(w->L, -1) || !is_new_code(w)) return;
#if LUA_VERSION_NUM >= 503
    (void)lua_dump(w->L, read_dump, &one, 1);
#else
    (void)lua_dump(w->L, read_dump, &one);
#endif
    end_word(&one);
}

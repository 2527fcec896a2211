/*
 * Where code of the program stands. What profilers ask of a frame is asked of the instructions themselves: it makes no
 * object.
 */
#include <stdio.h>
#include <string.h>

#include "ruby_agent.h"

bool code_is_instructions(VALUE object)
{
    if (RB_SPECIAL_CONST_P(object) || RB_BUILTIN_TYPE(object) != T_IMEMO) return false;
    const char *name = rb_imemo_name((int)(RBASIC(object)->flags >> FL_USHIFT) & IMEMO_MASK);
    return name != NULL && strcmp(name, "iseq") == 0;
}

size_t code_proc_type(const edges *references, char out[NAME_BYTES])
{
    VALUE code = Qnil;
    for (size_t i = 0; i < references->count && NIL_P(code); i++)
        if (code_is_instructions(references->rows[i].target)) code = references->rows[i].target;
    const VALUE path = NIL_P(code) ? Qnil : rb_profile_frame_path(code),
                line = NIL_P(code) ? Qnil : rb_profile_frame_first_lineno(code);
    if (!RB_TYPE_P(path, T_STRING) || !RB_FIXNUM_P(line)) return (size_t)snprintf(out, NAME_BYTES, "Proc");
    const char *text = RSTRING_PTR(path), *from = text + RSTRING_LEN(path);
    while (from > text && from[-1] != '/')
        from--;
    const int size =
        snprintf(out, NAME_BYTES, "Proc (%.*s:%ld)", (int)(text + RSTRING_LEN(path) - from), from, RB_FIX2LONG(line));
    return size < NAME_BYTES ? (size_t)size : NAME_BYTES - 1;
}

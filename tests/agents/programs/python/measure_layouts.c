/*
 * The recipe of capture/python/layouts.c: built against the headers of one CPython, it prints the row of that version.
 *
 *      cc -I$(python3.12 -c 'import sysconfig; print(sysconfig.get_path("include"))') -Wl,--unresolved-symbols=ignore-all measure_layouts.c -o measure && ./measure
 *
 * Nothing of the agent needs a header of Python.
 */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <stddef.h>
#include <stdio.h>

#if PY_VERSION_HEX < 0x030b0000
#include <frameobject.h>
#endif
#if PY_VERSION_HEX >= 0x030a0000
#undef HAVE_STD_ATOMIC
#endif
#include <internal/pycore_pylifecycle.h>
#include <internal/pycore_pystate.h>
#if PY_VERSION_HEX < 0x03090000
#include <internal/pycore_pymem.h>
#else
#include <internal/pycore_code.h>
#include <internal/pycore_gc.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif
#if PY_VERSION_HEX >= 0x030b0000
#include <internal/pycore_dict.h>
#include <internal/pycore_frame.h>
#endif
#if PY_VERSION_HEX >= 0x030e0000
#include <internal/pycore_genobject.h>
#include <internal/pycore_interpframe_structs.h>
#endif

#define SAY(name, value)      printf("     ." #name " = %zu,\n", (size_t)(value))
#define AT(name, type, field) SAY(name, offsetof(type, field))
typedef struct _gc_runtime_state gc_state;

static void say_interpreter(void)
{
#if PY_VERSION_HEX < 0x03090000
    AT(runtime_gc, _PyRuntimeState, gc);
#else
    AT(interp_gc, PyInterpreterState, gc);
#endif
#if PY_VERSION_HEX < 0x030e0000
    AT(gc_generations, gc_state, generations);
#else
    AT(gc_generations, gc_state, young);
#endif
    AT(gc_permanent, gc_state, permanent_generation);
    AT(gc_collecting, gc_state, collecting);
    AT(gc_enabled, gc_state, enabled);
    AT(gc_garbage, gc_state, garbage);
    AT(gc_callbacks, gc_state, callbacks);
#if PY_VERSION_HEX < 0x030c0000
    AT(interp_modules, PyInterpreterState, modules);
    AT(interp_importlib, PyInterpreterState, importlib);
    AT(interp_import_func, PyInterpreterState, import_func);
#else
    AT(interp_modules, PyInterpreterState, imports.modules);
    AT(interp_importlib, PyInterpreterState, imports.importlib);
    AT(interp_import_func, PyInterpreterState, imports.import_func);
    AT(interp_own_gil, PyInterpreterState, ceval.own_gil);
#endif
    AT(interp_sysdict, PyInterpreterState, sysdict);
    AT(interp_builtins, PyInterpreterState, builtins);
#if PY_VERSION_HEX < 0x030d0000
    AT(interp_codec_search_path, PyInterpreterState, codec_search_path);
    AT(interp_codec_search_cache, PyInterpreterState, codec_search_cache);
    AT(interp_codec_errors, PyInterpreterState, codec_error_registry);
#else
    AT(interp_codec_search_path, PyInterpreterState, codecs.search_path);
    AT(interp_codec_search_cache, PyInterpreterState, codecs.search_cache);
    AT(interp_codec_errors, PyInterpreterState, codecs.error_registry);
#endif
    AT(interp_dict, PyInterpreterState, dict);
#if PY_VERSION_HEX >= 0x030a0000 && PY_VERSION_HEX < 0x030d0000
    AT(interp_atexit, PyInterpreterState, atexit);
    SAY(atexit_callbacks, offsetof(struct atexit_state, callbacks));
    SAY(atexit_count, offsetof(struct atexit_state, ncallbacks));
#elif PY_VERSION_HEX >= 0x030d0000
    AT(interp_atexit, PyInterpreterState, atexit);
    SAY(atexit_callbacks, offsetof(struct atexit_state, callbacks));
#if PY_VERSION_HEX < 0x030e0000
    SAY(atexit_count, offsetof(struct atexit_state, ncallbacks));
#endif
#endif
}

static void say_thread(void)
{
    AT(thread_dict, PyThreadState, dict);
    AT(thread_ident, PyThreadState, thread_id);
    AT(thread_context, PyThreadState, context);
    AT(thread_exc_info, PyThreadState, exc_info);
#if PY_VERSION_HEX < 0x030b0000
    AT(thread_frame, PyThreadState, frame);
#elif PY_VERSION_HEX < 0x030d0000
    AT(thread_cframe, PyThreadState, cframe);
    AT(thread_frame, _PyCFrame, current_frame);
#else
    AT(thread_frame, PyThreadState, current_frame);
#endif
}

#if PY_VERSION_HEX < 0x030b0000
static void say_frame(void)
{
    AT(frame_previous, PyFrameObject, f_back);
    AT(frame_code, PyFrameObject, f_code);
    AT(frame_builtins, PyFrameObject, f_builtins);
    AT(frame_globals, PyFrameObject, f_globals);
    AT(frame_locals, PyFrameObject, f_locals);
    AT(frame_stack, PyFrameObject, f_valuestack);
#if PY_VERSION_HEX < 0x030a0000
    AT(frame_top, PyFrameObject, f_stacktop);
#else
    AT(frame_top, PyFrameObject, f_stackdepth);
#endif
    AT(frame_instruction, PyFrameObject, f_lasti);
    AT(frame_variables, PyFrameObject, f_localsplus);
}
#else
static void say_frame(void)
{
    AT(frame_previous, _PyInterpreterFrame, previous);
#if PY_VERSION_HEX < 0x030d0000
    AT(frame_code, _PyInterpreterFrame, f_code);
#else
    AT(frame_code, _PyInterpreterFrame, f_executable);
#endif
#if PY_VERSION_HEX < 0x030c0000
    AT(frame_function, _PyInterpreterFrame, f_func);
#else
    AT(frame_function, _PyInterpreterFrame, f_funcobj);
#endif
    AT(frame_builtins, _PyInterpreterFrame, f_builtins);
    AT(frame_globals, _PyInterpreterFrame, f_globals);
    AT(frame_locals, _PyInterpreterFrame, f_locals);
    AT(frame_object, _PyInterpreterFrame, frame_obj);
#if PY_VERSION_HEX < 0x030d0000
    AT(frame_instruction, _PyInterpreterFrame, prev_instr);
#else
    AT(frame_instruction, _PyInterpreterFrame, instr_ptr);
#endif
#if PY_VERSION_HEX < 0x030e0000
    AT(frame_top, _PyInterpreterFrame, stacktop);
#else
    AT(frame_top, _PyInterpreterFrame, stackpointer);
#endif
    AT(frame_owner, _PyInterpreterFrame, owner);
    AT(frame_variables, _PyInterpreterFrame, localsplus);
    AT(frame_of_object, PyFrameObject, f_frame);
}
#endif

static void say_code(void)
{
    AT(code_name, PyCodeObject, co_name);
    AT(code_filename, PyCodeObject, co_filename);
    AT(code_first_line, PyCodeObject, co_firstlineno);
    AT(code_arguments, PyCodeObject, co_argcount);
    AT(code_stack_size, PyCodeObject, co_stacksize);
#if PY_VERSION_HEX < 0x030b0000
    AT(code_local_names, PyCodeObject, co_varnames);
    AT(code_cell_names, PyCodeObject, co_cellvars);
    AT(code_free_names, PyCodeObject, co_freevars);
#else
    AT(code_qualname, PyCodeObject, co_qualname);
    AT(code_local_names, PyCodeObject, co_localsplusnames);
    AT(code_free_count, PyCodeObject, co_nfreevars);
    AT(code_instructions, PyCodeObject, co_code_adaptive);
#endif
}

static void say_objects(void)
{
#if PY_VERSION_HEX < 0x030b0000
    AT(generator_frame, PyGenObject, gi_frame);
#else
    AT(generator_frame, PyGenObject, gi_iframe);
    AT(generator_state, PyGenObject, gi_frame_state);
#endif
#if PY_VERSION_HEX < 0x030c0000
    AT(generator_code, PyGenObject, gi_code);
#endif
    AT(generator_name, PyGenObject, gi_name);
    AT(generator_qualname, PyGenObject, gi_qualname);
    AT(function_code, PyFunctionObject, func_code);
    AT(function_globals, PyFunctionObject, func_globals);
#if PY_VERSION_HEX >= 0x030a0000
    AT(function_builtins, PyFunctionObject, func_builtins);
#endif
    AT(function_name, PyFunctionObject, func_name);
    AT(function_qualname, PyFunctionObject, func_qualname);
    AT(function_defaults, PyFunctionObject, func_defaults);
    AT(function_kwdefaults, PyFunctionObject, func_kwdefaults);
    AT(function_closure, PyFunctionObject, func_closure);
    AT(function_doc, PyFunctionObject, func_doc);
    AT(function_dict, PyFunctionObject, func_dict);
    AT(function_module, PyFunctionObject, func_module);
    AT(function_annotations, PyFunctionObject, func_annotations);
    AT(exception_dict, PyBaseExceptionObject, dict);
    AT(exception_args, PyBaseExceptionObject, args);
    AT(exception_traceback, PyBaseExceptionObject, traceback);
    AT(exception_context, PyBaseExceptionObject, context);
    AT(exception_cause, PyBaseExceptionObject, cause);
    AT(heap_cached_keys, PyHeapTypeObject, ht_cached_keys);
    AT(heap_name, PyHeapTypeObject, ht_name);
    AT(heap_qualname, PyHeapTypeObject, ht_qualname);
    SAY(heap_type_bytes, sizeof(PyHeapTypeObject));
    SAY(text_ascii, sizeof(PyASCIIObject));
    SAY(text_compact, sizeof(PyCompactUnicodeObject));
    SAY(text_data, offsetof(PyUnicodeObject, data));
    PyASCIIObject text = {0};
    unsigned int *word = (unsigned int *)((char *)&text + offsetof(PyASCIIObject, state));
    SAY(text_state, offsetof(PyASCIIObject, state));
    text.state.interned = 3;
    SAY(text_interned_mask, *word);
    text.state.interned = 0;
    text.state.kind = 1;
    SAY(text_kind_shift, __builtin_ctz(*word));
    text.state.kind = 0;
    text.state.compact = 1;
    SAY(text_compact_mask, *word);
    text.state.compact = 0;
    text.state.ascii = 1;
    SAY(text_ascii_mask, *word);
    SAY(tuple_items, offsetof(PyTupleObject, ob_item));
}

int main(void)
{
    printf("    {.minor = %d,\n", PY_MINOR_VERSION);
    say_interpreter();
    say_thread();
    say_frame();
    say_code();
    say_objects();
    printf("    },\n");
    return 0;
}

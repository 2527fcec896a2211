/*
 * Where the structures of a CPython have what the agent reads, one row a minor version: bytes from the start of the
 * structure that a field's first word names. 0 = the version has no such field, but where 0 is the only possible place.
 * Rows are what tests/agents/programs/python/measure_layouts.c prints, and test_python_layouts.py holds them against
 * the headers that are there. That of 3.14 has been computed from published structures and is held by the tests that
 * run it. What is the same in all versions stands in python.h.
 */
#ifndef HSPY_LAYOUTS_H
#define HSPY_LAYOUTS_H

#include <stdint.h>

typedef struct layout {
    uint32_t minor;
    /* the interpreter, its collector, what it keeps */
    uint32_t runtime_gc, gc_generations, gc_permanent, gc_collecting, gc_enabled, gc_garbage, gc_callbacks,
        interp_modules, interp_importlib, interp_import_func, interp_sysdict, interp_builtins, interp_codec_search_path,
        interp_codec_search_cache, interp_codec_errors, interp_dict, interp_gc, interp_atexit, atexit_callbacks,
        atexit_count, interp_own_gil;
    /* a thread */
    uint32_t thread_dict, thread_ident, thread_context, thread_exc_info, thread_frame, thread_cframe;
    /* a frame: an object up to 3.10, a structure behind */
    uint32_t frame_previous, frame_code, frame_builtins, frame_globals, frame_locals, frame_stack, frame_top,
        frame_instruction, frame_variables, frame_function, frame_object, frame_owner, frame_of_object;
    /* code */
    uint32_t code_name, code_filename, code_first_line, code_arguments, code_stack_size, code_local_names,
        code_cell_names, code_free_names, code_qualname, code_free_count, code_instructions;
    /* functions, generators, exceptions */
    uint32_t generator_frame, generator_code, generator_name, generator_qualname, function_code, function_globals,
        function_name, function_qualname, function_defaults, function_kwdefaults, function_closure, function_doc,
        function_dict, function_module, function_annotations, exception_dict, exception_args, exception_traceback,
        exception_context, exception_cause, function_builtins, generator_state;
    /* types, str, tuple */
    uint32_t heap_cached_keys, heap_name, heap_qualname, heap_type_bytes, text_ascii, text_compact, text_data,
        text_state, text_interned_mask, text_kind_shift, text_compact_mask, text_ascii_mask, tuple_items;
} layout;

/* NULL: this minor version is not known. */
const layout *layout_of(unsigned minor);

#endif

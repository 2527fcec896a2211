/*
 * Which functions allocate for others. See allocators.h.
 *
 *      xmalloc, g_strdup, __libc_calloc       the name of a function of malloc's family is in it
 *      pool_alloc, mem_allocate, alloc        the word, and beside it only words that say nothing of what is allocated
 *      session_alloc, evbuffer_alloc_state    are none: they know what they make
 */
#include "base/allocators.h"

#include <string.h>

#include "base/check.h"

/* Demangled names that begin so: the standard libraries of C++, Rust and Zig, what stands for new and malloc there, and
 * the runtime of Go. */
static const char *const prefixes[] = {
    "operator new",
    "std::",
    "__gnu_cxx::",
    "alloc::",
    "<alloc::",
    "core::",
    "<core::",
    "__rust_",
    "__rustc::",
    "hashbrown::",
    "<hashbrown::",
    "<T as alloc::",
    "<T as core::",
    "<[T] as alloc::",
    "<[T] as core::",
    "<std::alloc::",
    "<u8 as alloc::",
    "<u8 as core::",
    "<str as alloc::",
    "<I as core::",
    "<F as core::",
    "tokio::runtime::",
    "tokio::sync::",
    "tokio::task::",
    "crossbeam_channel::",
    "crossbeam_queue::",
    "crossbeam_deque::",
    "bytes::bytes",
    "smallvec::",
    "indexmap::",
    "__rdl_",
    "__rg_",
    "boost::container::",
    "boost::make_",
    "absl::container_internal::",
    "folly::detail::",
    "tcmalloc::",
    /* jemalloc's, from malloc down to where it takes a sample of the stack */
    "je_",
    "_rjem_",
    "imalloc",
    "fallback_impl",
    "do_rallocx",
    "prof_alloc_prep",
    "prof_tctx_create",
    "prof_backtrace",
    /* Zig's: its names have dots, and none for what was inlined. */
    "mem.Allocator.",
    "heap.c_allocator_impl.",
    "heap.CAllocator.",
    "heap.arena_allocator.",
    "array_list.",
    "hash_map.",
    "array_hash_map.",
    "multi_array_list.",
    "deque.",
    "rawAlloc",
    "createAdvancedWithRetAddr",
    "allocAdvancedWithRetAddr",
    "allocWithSizeAndAlignment",
    /* Go's, and variants of them: mallocgcSmallNoscan, growsliceNoAlias, mallocgc.func2. Go leaves its own out of
     * profiles, but not of stacks that are the runtime's alone: runtime.mallocgc < runtime.newobject < runtime.malg is
     * what goroutines take. */
    "runtime.mallocgc",
    "runtime.newobject",
    "runtime.newarray",
    "runtime.makeslice",
    "runtime.growslice",
    "runtime.makechan",
    "runtime.makemap",
    "runtime.rawstring",
    "runtime.rawbyteslice",
    "runtime.rawruneslice",
    "runtime.concatstring",
    "runtime.slicebytetostring",
    "runtime.convT",
};

/* Anywhere in the name of a C function. */
static const char *const families[] = {
    "malloc",        "calloc", "realloc", "memalign", "zalloc",   "valloc",
    "aligned_alloc", "strdup", "strndup", "memdup",   "asprintf",
};

/* Words of a C function that allocates … */
static const char *const verbs[] = {"alloc", "allocate", "allocator", "new"};

/* … and those that may stand beside one of them. */
static const char *const fillers[] = {
    "x",     "g",        "z",       "my",      "mem",    "memory",  "safe",    "sys",  "do",     "pool",
    "arena", "heap",     "block",   "raw",     "bytes",  "slab",    "obstack", "gc",   "try",    "try0",
    "n",     "must",     "checked", "buf",     "buffer", "chunk",   "slice",   "bump", "region", "zone",
    "apr",   "internal", "array",   "zero",    "zeroed", "or",      "die",     "fail", "size",   "sized",
    "impl",  "fast",     "slow",    "default", "helper", "wrapper", "hook",
};

static bool is_one_of_allocators(const char *const *words, size_t count, const char *word, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0) return true;
    }
    return false;
}

static bool is_word_byte(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/* Every word of a name of C is a filler, and at least one a verb. A lone "new" is C's own word for many things. */
static bool is_made_of_fillers(const char *name)
{
    unsigned verb_count = 0, others = 0;
    bool is_new = false;
    while (*name != '\0') {
        size_t size = 0;
        while (is_word_byte(name[size]))
            size++;
        if (size == 0) {
            if (*name++ != '_') return false;
            continue;
        }
        size_t bare = size; /* of alloc0 */
        while (bare > 1 && name[bare - 1] >= '0' && name[bare - 1] <= '9')
            bare--;
        if (is_one_of_allocators(verbs, HSD_ARRAY_LEN(verbs), name, bare)) {
            verb_count++;
            is_new |= size == 3;
        } else if (is_one_of_allocators(fillers, HSD_ARRAY_LEN(fillers), name, size)) {
            others++;
        } else {
            return false;
        }
        name += size;
    }
    return verb_count > (is_new && others == 0 ? 1u : 0u);
}

/* The name without "(…)" of an anonymous namespace or of parameters, and what is around it: only names of C are looked
 * at closely. */
static bool is_of_c(const char *function)
{
    for (; *function != '\0'; function++) {
        if (!is_word_byte(*function) && *function != '_' && *function != '.' && *function != '@') return false;
    }
    return true;
}

/* The name of a C function in lower case without underscores in front and versions or parts behind ("@@GLIBC_2.2.5",
 * ".part.0"). */
static void normalise(char *out, size_t room, const char *function)
{
    size_t size = 0;
    while (*function == '_')
        function++;
    for (; *function != '\0' && *function != '.' && *function != '@' && size + 1 < room; function++)
        out[size++] = (char)(*function >= 'A' && *function <= 'Z' ? *function - 'A' + 'a' : *function);
    out[size] = '\0';
}

bool hsd_variable_is_of_library(const char *name, size_t size)
{
    /* namespaces of libraries that keep what they are given in variables of their own, and places without a name */
    static const char *const begins[] = {"(data of ",
                                         "(dynamic loader)",
                                         "(thread-locals of ",
                                         "(anonymous memory)",
                                         "thread-locals of ",
                                         "std::",
                                         "core::",
                                         "alloc::",
                                         "__gnu_cxx::",
                                         "tokio::",
                                         "google::protobuf::",
                                         "boost::",
                                         "absl::",
                                         "spdlog::",
                                         "crossbeam_epoch::",
                                         "crossbeam_channel::",
                                         "crossbeam_utils::",
                                         "rayon_core::",
                                         "grpc_core::",
                                         "folly::"};
    static const char of_thread[] = "thread-local ";
    const size_t skipped = sizeof of_thread - 1;
    if (size >= skipped && memcmp(name, of_thread, skipped) == 0) {
        name += skipped;
        size -= skipped;
    }
    for (size_t i = 0; i < HSD_ARRAY_LEN(begins); i++)
        if (size >= strlen(begins[i]) && memcmp(name, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

bool hsd_module_is_of_system(const char *name, size_t size)
{
    static const char *const begins[] = {"libc.so",     "libc-2.",  "libstdc__.so", "libc__.so",
                                         "libgcc_s.so", "ld-linux", "ld-musl"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(begins); i++)
        if (size >= strlen(begins[i]) && memcmp(name, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

bool hsd_file_is_of_library(const char *file, size_t size)
{
    static const char *const endings[] = {".h>",   ".hpp>", ".hh>",  ".hxx>", ".ipp>", ".inl>",
                                          ".tcc>", ".c>",   ".cpp>", ".rs>",  ".S>"};
    if (size == 0 || file[0] != '<') return false;
    for (size_t i = 0; i < HSD_ARRAY_LEN(endings); i++) {
        const size_t bytes = strlen(endings[i]);
        if (size > bytes && memcmp(file + size - bytes, endings[i], bytes) == 0) return true;
    }
    return false;
}

/* Where libc and the loader have them, as files of a library, <clone3.S>; a program may have a function clone
 * (copy.js:7). */
static bool is_source_of_start(const char *file, size_t size)
{
    static const char *const files[] = {"libc_start_call_main.h",
                                        "libc-start.h",
                                        "libc-start.c",
                                        "pthread_create.c",
                                        "clone.S",
                                        "clone3.S",
                                        "dl-init.c",
                                        "start.S"};
    if (size > 2 && file[0] == '<' && file[size - 1] == '>') {
        file++;
        size -= 2;
    }
    size_t from = size;
    while (from > 0 && file[from - 1] != '/')
        from--;
    for (size_t i = 0; i < HSD_ARRAY_LEN(files); i++)
        if (strlen(files[i]) == size - from && memcmp(file + from, files[i], size - from) == 0) return true;
    return size == 0;
}

bool hsd_function_starts(const char *function, size_t size, const char *file, size_t file_size)
{
    static const char *const names[] = {"_start",
                                        "__libc_start_main",
                                        "__libc_start_call_main",
                                        "__libc_start_main_impl",
                                        "generic_start_main",
                                        "start_thread",
                                        "clone",
                                        "clone3",
                                        "__clone",
                                        "__clone3",
                                        "call_init",
                                        "_dl_init",
                                        "_dl_start_user"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(names); i++)
        if (strlen(names[i]) == size && memcmp(function, names[i], size) == 0)
            return is_source_of_start(file, file_size);
    return false;
}

bool hsd_module_is_shared(const char *name, size_t size)
{
    for (size_t i = 0; i + 3 <= size; i++)
        if (memcmp(name + i, ".so", 3) == 0 && (i + 3 == size || name[i + 3] == '.')) return true;
    return false;
}

bool hsd_name_is_of_shared_library(const char *name, size_t size)
{
    size_t at = 0;
    while (at < size && name[at] != '+')
        at++;
    return at + 2 < size && name[at + 1] == '0' && name[at + 2] == 'x' && hsd_module_is_shared(name, at);
}

size_t hsd_allocator_prefix(const char *function)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(prefixes); i++) {
        if (strncmp(function, prefixes[i], strlen(prefixes[i])) == 0) return strlen(prefixes[i]);
    }
    return 0;
}

/* The name with "alloc" where the name of the family stood; false where letters touch it, but for the x of xmalloc. */
static bool put_verb(char *name, const char *family)
{
    char *at = strstr(name, family);
    const size_t size = strlen(family);
    if (at == NULL || (at > name + 1 && at[-1] != '_') || (at == name + 1 && *name != 'x' && *name != '_'))
        return false;
    memcpy(at, "alloc", 5); /* shorter than each of them, and a verb */
    memmove(at + 5, at + size, strlen(at + size) + 1);
    if (at == name + 1) *name = '_';
    return true;
}

bool hsd_allocator_is_plain(const char *function)
{
    char name[128];
    if (strlen(function) >= sizeof name || !is_of_c(function)) return false;
    normalise(name, sizeof name, function);
    for (size_t i = 0; i < HSD_ARRAY_LEN(families) && !is_made_of_fillers(name); i++) {
        if (put_verb(name, families[i])) break;
    }
    return is_made_of_fillers(name);
}

bool hsd_function_allocates(const char *function)
{
    char name[128];
    if (hsd_allocator_prefix(function) > 0) return true;
    if (!is_of_c(function)) return false;
    normalise(name, sizeof name, function);
    for (size_t i = 0; i < HSD_ARRAY_LEN(families); i++) {
        if (strstr(name, families[i]) != NULL) return true;
    }
    return is_made_of_fillers(name);
}

static bool is_own(const hsd_site_frame *frame)
{
    char name[128];
    const hsd_text function = frame->function, file = frame->file;
    if (file.size == 0 || frame->line == 0 || hsd_file_is_of_library(file.data, file.size)) return false;
    if (hsd_function_starts(function.data, function.size, file.data, file.size)) return false;
    if (function.size >= sizeof name) return true;
    memcpy(name, function.data, function.size);
    name[function.size] = '\0';
    return !hsd_function_allocates(name);
}

size_t hsd_frames_own(const hsd_site_frame *frames, size_t count, size_t from)
{
    while (from < count && !is_own(&frames[from]))
        from++;
    return from < count ? from : count;
}

/* Of "stack of worker: serve.queue" where the function begins, `size` where none is told; 0 = it is no frame. */
static size_t function_of_frame(const char *name, size_t size)
{
    static const char begin[] = "stack of ";
    if (size < sizeof begin - 1 || memcmp(name, begin, sizeof begin - 1) != 0) return 0;
    for (size_t at = sizeof begin - 1; at + 1 < size; at++)
        if (name[at] == ':' && name[at + 1] == ' ') return at + 2;
    return size;
}

bool hsd_root_is_frame_without_function(const char *name, size_t size)
{
    return size > 0 && function_of_frame(name, size) == size;
}

bool hsd_root_is_frame_variable(const char *name, size_t size)
{
    const size_t at = function_of_frame(name, size);
    return at > 0 && at < size && memchr(name + at, '.', size - at) != NULL;
}

bool hsd_root_is_all_thread_locals(const char *name, size_t size)
{
    static const char begins[] = "thread-locals of ";
    return size >= sizeof begins - 1 && memcmp(name, begins, sizeof begins - 1) == 0;
}

bool hsd_root_is_bare_frame(const char *name, size_t size)
{
    return function_of_frame(name, size) > 0 && !hsd_root_is_frame_variable(name, size);
}

/*
 * The names that are public. See public.h. A name belongs here if every user of a runtime has it and it says nothing
 * about a program: the runtime's own types, the packages of its standard library, the words that hsdiff itself puts
 * into names.
 */
#include "redact/public.h"

#include <string.h>

#include "base/check.h"

/* Identifiers. Words of one or two letters and what every language calls so are among them: they tell nothing. */
/* Each list is sorted by its bytes. */
/* clang-format off */
static const char *const words[] = {
    "AbortController", "AbortSignal", "Action", "AggregateError", "Arc", "Arguments", "Array", "ArrayBuffer",
    "ArrayDeque", "ArrayList", "AsyncFunction", "AsyncGenerator", "AsyncLocalStorage", "Atomics", "Attach", "B",
    "BTreeMap", "BigInt", "BigInt64Array", "BigUint64Array", "Blob", "Boolean", "Box", "Buffer", "Byte", "Character",
    "Class", "ClassLoader", "Cleaner", "Closure", "Common", "Communication", "Comparable", "Compiler", "Complex",
    "ConcurrentHashMap", "Context", "DOM", "DataView", "Date", "DateTime", "Decimal", "Deflation", "Delegate",
    "Detached", "Dictionary", "Dir", "Dispatcher", "Document", "Double", "Dumper", "Duplex", "Entry", "Enumerable",
    "Enumerator", "Error", "Eternal", "EvalError", "Event", "EventEmitter", "EventHandler", "EventTarget",
    "Exception", "Expando", "External", "Fiber", "File",
    "Finalizer", "Float", "Float32Array", "Float64Array", "Float64List", "FormData",
    "Func", "Function", "Future", "GC", "Generator",
    "GeneratorFunction", "Global", "Guid", "Handle", "Hash", "HashMap",
    "HashSet", "Hashtable", "Headers", "Helper", "IO", "Immediate", "IncomingMessage", "Infinity", "Int16",
    "Int16Array", "Int32", "Int32Array", "Int32List", "Int64",
    "Int8Array", "Integer", "Internalized", "Intl", "Isolate",
    "Iterator", "JIT", "JNI", "JSON", "Kernel", "LinkedHashMap", "LinkedList", "List", "Listener", "Long", "Map",
    "Math", "MessagePort", "Method", "Module", "Monitor", "Mutex", "NaN", "Node", "None", "NoneType", "Notification",
    "Number", "Object", "Option", "PhantomReference", "Proc", "Process", "Profiler", "Promise", "Proxy", "Queue",
    "Range", "RangeError", "Rational", "Rc", "ReadStream", "Readable", "Reaper", "Record", "RefCell", "Reference",
    "ReferenceError", "Reflect", "RegExp", "Regexp", "Request", "Response", "Result", "Runtime", "SByte", "Sampler",
    "Server", "ServerResponse", "Service", "Set", "SharedArrayBuffer", "Short", "Signal", "Single", "Socket",
    "SoftReference", "Stack", "Stream", "StreamController", "StreamSubscription", "String", "StringBuilder",
    "Struct", "Symbol", "SyntaxError", "Task", "TextDecoder",
    "TextEncoder", "Thread", "ThreadLocal", "Throwable", "Time", "Timeout", "Timer", "Traced", "Transform", "TreeMap",
    "TypeError", "UInt16", "UInt32", "UInt64", "URIError",
    "URL", "URLSearchParams", "Uint16Array", "Uint32Array", "Uint32List",
    "Uint8Array", "Uint8ClampedArray", "Uint8List", "V8", "VM",
    "Vec", "VecDeque", "WeakMap", "WeakRef", "WeakReference",
    "WeakSet", "WebAssembly", "Window", "Worker", "Writable", "WriteStream", "Writer", "_G", "_LOADED",
    "__annotations__", "__bases__", "__builtins__", "__call__", "__class__", "__closure__", "__code__",
    "__defaults__", "__del__", "__dict__", "__doc__", "__file__", "__func__", "__globals__", "__init__",
    "__kwdefaults__", "__libc_start_call_main", "__libc_start_main", "__libc_start_main_impl", "__loader__",
    "__main__", "__module__", "__mro__", "__name__", "__new__", "__path__",
    "__qualname__", "__self__", "__slots__", "__spec__", "__weakref__", "__wrapped__", "_dl_init", "_start", "a",
    "allocated", "allocation",
    "and", "android", "androidx", "anon", "anonymous", "application", "arenas", "arguments", "array", "assert",
    "async", "async_hooks", "at", "backing_store", "basic", "basic_string", "batch", "bigint", "bool", "boolean",
    "bound", "bound_this", "bss", "buckets", "buffer", "builtin", "builtin_function_or_method", "builtins", "by",
    "byte", "bytearray", "bytes", "cache", "call_init", "callee", "caller", "capture", "cell", "ch", "chan", "char",
    "child",
    "child_process", "children", "class", "classes", "classmethod", "cleaner", "clone3", "closure", "cluster", "cn",
    "code",
    "collections", "com", "committed", "compiled", "complex", "concatenated", "console", "const", "constructor",
    "context", "copied", "coroutine", "coroutines", "count", "crypto", "data", "de", "default", "deque", "detached",
    "dev", "diagnostics_channel", "dict", "dns", "document", "domain", "double", "duration", "dynamic", "eden", "edu",
    "element", "elementData", "elements", "elements_kind", "ellipsis", "entries", "entry", "enum", "env", "events",
    "exports", "false", "feedback_cell", "field", "fields", "file", "files", "finalizer", "finalizers", "first",
    "float", "fr", "frame", "frames", "free", "freed", "frozenset", "fs", "func", "function", "gc", "generation",
    "generator", "get", "getset_descriptor", "github", "global", "globalThis", "global_proxy", "globals", "golang",
    "goroutine", "goroutines", "gov", "handle", "handles", "head", "heap", "hidden", "http", "http2", "https", "id",
    "ids", "imports", "in", "index", "initial_map", "inspector",
    "int", "interface", "internal", "interned", "io", "isolate",
    "items", "iterator", "jakarta", "java", "javax", "jdk", "jp", "key", "key_map", "kotlin", "lambda", "large",
    "last", "left", "length", "lightuserdata", "limit", "list", "loaded", "loader", "local", "locals", "lock", "long",
    "main", "major", "map", "mappingproxy", "member_descriptor", "memory", "memoryview", "metadata", "metaspace",
    "metatable", "metatables", "method", "method_descriptor", "module", "modules", "monitor", "monitors", "name",
    "namespace", "native", "net", "next", "nl", "no", "node", "nodes", "not", "ns", "null", "number", "nursery",
    "object", "objects", "of", "old", "optional", "or", "org", "os", "other", "overlap", "package", "pair", "parent",
    "path", "pause", "peak", "percent", "perf_hooks", "pinned", "places", "prev", "private", "process", "property",
    "protection", "proto", "prototype", "punycode", "querystring", "queue", "range", "readline", "receiver",
    "referent", "regexp", "registers", "registry", "repl", "require", "right", "rodata", "root", "roots", "rss", "ru",
    "runtime", "scala", "scope", "second", "self", "set", "shape", "shared", "shared_ptr", "short", "signalled",
    "signed", "signers", "size", "slice", "sliced", "slot_wrapper", "so", "soft", "source", "stack", "stacks",
    "start_thread", "static",
    "static_fields", "staticmethod", "statics", "str", "stream", "string", "string_decoder", "strings", "strong",
    "struct", "sun", "super", "survivor", "symbol", "synthetic", "system", "table", "tail", "target", "tenured",
    "the", "third", "this", "thread", "thread_local", "threads", "timers", "tls", "to", "traceback", "tracer", "tree",
    "trees", "true", "tty", "tuple", "type", "types", "uk", "undefined", "union", "unique_ptr", "unknown",
    "unordered_map", "unordered_set", "unsafe", "unsigned", "upvalue", "upvalues", "url", "used", "userdata", "util",
    "v8", "val", "value", "variable", "variant", "vector", "version", "vm", "void", "vtable", "wasi", "weak",
    "weak_ptr", "weakproxy", "weakref", "window", "with", "without", "worker_threads", "wrapper_descriptor", "young",
    "zlib",
};

/* Endings of files behind a dot. */
static const char *const endings[] = {
    "c", "cc", "cjs", "cpp", "cs", "css", "cxx", "dart", "dll",
    "dylib", "exe", "fs", "go", "h", "hpp", "hs", "html", "jar",
    "java", "js", "json", "jsx", "kt", "lua", "luau", "mjs", "o", "php", "pl", "py", "rb", "rs", "scala", "so",
    "swift", "ts", "tsx", "wasm", "wat", "zig",
};

/* What the name of a producer, a runtime or a format is made of, beside versions. */
static const char *const products[] = {
    "(hprof", ".NET", "32-Bit", "64-Bit", "ART", "Android", "C", "C++", "CPython", "Chrome", "Chromium", "Client",
    "CoreCLR", "Dalvik", "Dart", "Debian", "ELF", "Eclipse",
    "Firefox", "Go", "GraalVM", "HotSpot", "JAVA", "JVM", "Java",
    "JavaScript", "Lua", "LuaJIT", "Luau", "Mono", "Node", "Node.js", "ObjectSpace.dump_all", "OpenJ9", "OpenJDK",
    "PROFILE", "PyHeap", "PyPy", "Python", "Ruby", "Runtime", "Rust", "Server", "Ubuntu", "V8", "VM", "WebAssembly",
    "Zig", "agent", "agent)", "baseline", "by", "capture", "core",
    "dart", "dump", "firefox", "from", "gcdump", "go", "go1.7",
    "gocore", "gperftools", "heap", "heapprofile", "hprof", "hsd_synth", "hsdiff", "import", "jemalloc", "jvm", "log",
    "lua", "luaC_dump", "make_samples", "memray", "mlpd", "module", "mono", "native", "nettrace", "node", "of",
    "perfetto", "pprof", "profiler", "pycore", "python", "ruby", "sample", "samples", "synth", "tcmalloc",
    "tracemalloc", "v8", "wasm",
};

/* Whole texts: what hsdiff's own agents and importers say. */
static const char *const phrases[] = {
    "(Document DOM trees)", "(Eternal handles)", "(External strings)", "(GC handles)", "(GC roots)",
    "(Global handles)", "(Handle scope)", "(Internalized strings)", "(Isolate)", "(JIT)", "(JNI globals)",
    "(JNI monitors)", "(Native Method)", "(Stack roots)", "(Traced handles)", "(Unknown Source)", "(V8 internal)",
    "(VM internals)", "(all classes)", "(anon)", "(anonymous memory)", "(anonymous namespace)", "(anonymous)",
    "(application classes)", "(application domain)", "(block variable)",
    "(caches of constants)", "(class values)", "(classes)", "(cleanups)", "(closure context)",
    "(collected)", "(compiled code)", "(context statics)", "(data URL)", "(debugger)", "(dynamic loader)",
    "(ephemerons)", "(finalizer queue)", "(finalizers)", "(finalizing)", "(globals)",
    "(in a Map, a Set or native code that Bun does not tell)", "(included module)",
    "(internal Array)", "(internal Hash)", "(internal String)", "(internal)", "(interned strings)", "(marshalling)",
    "(members)", "(metatables of basic types)", "(monitors)", "(native handles)", "(no file)", "(no stack)",
    "(other classes)", "(other places of allocation)", "(other roots)", "(reference cleanup)", "(references)",
    "(reflection)", "(registers)", "(roots from before the agent)", "(roots of no known range)",
    "(roots of the embedding program)", "(roots)", "(runtime handles)", "(runtime)", "(shared)", "(singleton class)",
    "(stacks)", "(state)", "(static fields)", "(statics)", "(system classes)", "(system)", "(thread pool)",
    "(thread statics)", "(thread without a name)", "(threads)", "(toggle references)", "(type without a name)",
    "(undefined type)", "(unknown class)", "(unknown function)", "(unknown roots)", "(unknown type)", "(unknown)",
    "(unnamed type)", "(value)", "C++ native stack roots", "C++ native stack traced handles", "Dart VM",
    "allocation stacks past the limit", "buffers of the profiler that could not be read to their end",
    "bytes of heap segments that could not be read", "class values", "constant pool", "dotnet-gcdump stops at 10,000,000 objects",
    "events dropped by the runtime", "frames of code that the file does not name",
    "interpreters with a lock of their own",
    "isolate (stack, handles)", "lines of the heap dump that could not be read",
    "lists of the collector that were being changed", "objects of C that were looked through word by word",
    "objects of classes that were loaded while the capture began", "objects that are referred to and not told",
    "objects whose buffers are not counted", "objects whose memory outside the heap was not counted",
    "objects with other numbers of references than of fields", "protection domain",
    "ranges of roots", "read-only pages",
    "references to nodes that are not in the snapshot", "references to what is no object",
    "references without their object", "samples without a value for each sample type",
    "stack frames that there was no room for", "stacks that were cut", "stacks with less than nothing",
    "the agent ran out of memory", "the core was cut off", "the dump was cut off", "the heap dump was cut off",
    "the heap shot was cut off", "the heap snapshot was cut off",
    "the runtime did not make a full collection", "the snapshot was cut off",
    "the trace ends before the heap graph does", "traces that are none",
};

/* What qualified names of runtimes and standard libraries begin with. */
static const char *const prefixes[] = {
    "Microsoft.", "Mono.", "System.", "__cxxabiv1::", "__gnu_cxx::", "_frozen_importlib", "alloc::", "android.",
    "androidx.", "asyncio.", "bufio.", "builtins.", "collections.", "com.sun.", "compress/flate.", "compress/gzip.",
    "core::", "dalvik.", "encoding/json.", "functools.", "hashbrown::", "importlib.", "internal/poll.", "java.",
    "javax.", "jdk.", "kotlin.", "kotlinx.", "libcore.", "net/http.", "org.w3c.dom.", "org.xml.sax.", "reflect.",
    "runtime.", "runtime/debug.", "runtime/pprof.", "scala.", "std::", "sun.", "sync.", "threading.", "typing.",
    "weakref.",
};

/* clang-format on */
static int compare_public(const char *word, const char *text, size_t size)
{
    const size_t length = strlen(word), shorter = length < size ? length : size;
    const int order = memcmp(word, text, shorter);
    return order != 0 ? order : (length > size) - (length < size);
}

static bool is_listed(const char *const *list, size_t count, hsd_text text)
{
    size_t low = 0, high = count;
    if (text.size == 0) return false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_public(list[middle], text.data, text.size);
        if (order == 0) return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool hsd_public_word(hsd_text word) { return is_listed(words, HSD_ARRAY_LEN(words), word); }
bool hsd_public_ending(hsd_text word) { return is_listed(endings, HSD_ARRAY_LEN(endings), word); }
bool hsd_public_product(hsd_text word) { return is_listed(products, HSD_ARRAY_LEN(products), word); }
bool hsd_public_phrase(hsd_text text) { return is_listed(phrases, HSD_ARRAY_LEN(phrases), text); }

bool hsd_public_begins(hsd_text name)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(prefixes); i++) {
        const size_t size = strlen(prefixes[i]);
        if (name.size <= size || memcmp(name.data, prefixes[i], size) != 0) continue;
        if (memchr(name.data + size, '/', name.size - size) == NULL) return true; /* else it is a path */
    }
    return false;
}

const char *hsd_public_get(hsd_public_list list, size_t i)
{
    static const struct {
        const char *const *names;
        size_t count;
    } lists[] = {[HSD_PUBLIC_WORDS] = {words, HSD_ARRAY_LEN(words)},
                 [HSD_PUBLIC_ENDINGS] = {endings, HSD_ARRAY_LEN(endings)},
                 [HSD_PUBLIC_PRODUCTS] = {products, HSD_ARRAY_LEN(products)},
                 [HSD_PUBLIC_PHRASES] = {phrases, HSD_ARRAY_LEN(phrases)},
                 [HSD_PUBLIC_PREFIXES] = {prefixes, HSD_ARRAY_LEN(prefixes)}};
    return (size_t)list < HSD_ARRAY_LEN(lists) && i < lists[list].count ? lists[list].names[i] : NULL;
}

/*
 * The capture library as a module of its own, for hosts that know their heap and have no C: every call of hscapture.h
 * that a producer needs, with numbers and memory of the module as arguments. One capture at a time. Texts and arrays
 * are put where hsc_wasm_buffer says.
 *
 *      const w = instance.exports;  w.hsc_wasm_open(nameBytes, 1);  w.hsc_wasm_type(1, bytes);  w.hsc_wasm_begin(1n, 1, 64n);  …
 */
#include <stdint.h>
#include <string.h>

#include <hscapture/hscapture.h>

#define EXPORT(name) __attribute__((export_name(#name)))

__attribute__((import_module("hsdiff"), import_name("write"))) extern int32_t host_write(const void *data,
                                                                                         uint32_t size);

static hsc_writer *writer;
static char buffer[65536];

static ptrdiff_t write_out_stream(void *context, const void *data, size_t size)
{
    (void)context;
    return host_write(data, (uint32_t)size);
}

/* Where texts and arrays are expected: 65,536 bytes. */
EXPORT(hsc_wasm_buffer) void *hsc_wasm_buffer(void) { return buffer; }

/* The buffer begins with the name of the process and, if it is to be compared by ids, 16 bytes of its domain behind
 * that. */
EXPORT(hsc_wasm_open) int hsc_wasm_open(uint32_t name_bytes, int identity, int has_domain)
{
    static char name[256];
    hsc_options options;
    const hsc_sink sink = {.write = write_out_stream};
    if (writer != NULL || name_bytes >= sizeof name) return HSC_E_MISUSE;
    memcpy(name, buffer, name_bytes);
    name[name_bytes] = '\0';
    hsc_options_init(&options);
    options.producer = "hsdiff wasm module";
    options.process_name = name;
    options.identity = (hsc_identity)identity;
    options.compression = 0;
    if (has_domain) memcpy(options.domain, buffer + name_bytes, sizeof options.domain);
    return hsc_open(&writer, &sink, &options);
}

EXPORT(hsc_wasm_string) int hsc_wasm_string(uint32_t number, uint32_t bytes)
{
    return hsc_define_string(writer, number, buffer, bytes);
}
EXPORT(hsc_wasm_type) int hsc_wasm_type(uint32_t number, uint32_t bytes)
{
    return hsc_define_type(writer, number, buffer, bytes, 0);
}

EXPORT(hsc_wasm_label) int hsc_wasm_label(uint32_t number, int kind, uint32_t flags, uint32_t string)
{
    return hsc_define_label(writer, number, (hsc_label_kind)kind, flags, string);
}

EXPORT(hsc_wasm_begin) int hsc_wasm_begin(uint64_t id, uint32_t type, uint64_t bytes)
{
    return hsc_begin_object(writer, &(hsc_object){.id = id, .type = type, .size_bytes = bytes});
}

EXPORT(hsc_wasm_reference) int hsc_wasm_reference(uint64_t target, uint32_t label, uint64_t index)
{
    return hsc_reference(writer, target, label, index);
}

/* Several at once: the buffer holds their targets, 8 bytes each. */
EXPORT(hsc_wasm_references) int hsc_wasm_references(uint32_t count)
{
    static uint64_t targets[sizeof buffer / sizeof(uint64_t)];
    if (count > sizeof targets / sizeof targets[0]) return HSC_E_MISUSE;
    memcpy(targets, buffer, count * sizeof targets[0]);
    return hsc_references(writer, targets, NULL, NULL, count);
}

EXPORT(hsc_wasm_end) int hsc_wasm_end(void) { return hsc_end_object(writer); }

EXPORT(hsc_wasm_root) int hsc_wasm_root(int kind, uint32_t string, uint64_t target)
{
    return hsc_root(writer, &(hsc_root_record){.kind = (hsc_root_kind)kind, .label = string, .target = target});
}

EXPORT(hsc_wasm_close) int hsc_wasm_close(void)
{
    const int status = writer == NULL ? HSC_E_MISUSE : hsc_finish(writer);
    hsc_close(writer);
    writer = NULL;
    return status;
}

// A C++ program that embeds the capture library the way a runtime does: the header compiles, the library links, a capture comes out
// through a callback. Compiled by embed.sh, not by the build: the project itself needs no C++ compiler.
#include <hscapture/hscapture.h>

#include <cstdio>
#include <cstring>
#include <vector>

static ptrdiff_t take(void *context, const void *data, size_t size)
{
    auto *bytes = static_cast<std::vector<unsigned char> *>(context);
    const auto *from = static_cast<const unsigned char *>(data);
    bytes->insert(bytes->end(), from, from + size);
    return static_cast<ptrdiff_t>(size);
}

int main(int argc, char **argv)
{
    std::vector<unsigned char> bytes;
    hsc_sink sink = {take, nullptr, &bytes};
    hsc_options options;
    hsc_options_init(&options);
    options.runtime = "C++";
    options.identity = HSC_IDENTITY_ADDRESS;
    hsc_writer *w = nullptr;
    if (hsc_open(&w, &sink, &options) != HSC_OK) return 1;
    hsc_define_type(w, 1, "std::vector", 11, 0);
    for (uint64_t i = 0; i < 1000; i++) {
        hsc_object object = {};
        object.id = 0x1000 + 64 * i;
        object.type = 1;
        object.size_bytes = 24;
        hsc_begin_object(w, &object);
        hsc_reference(w, object.id + 64, 0, i);
        hsc_end_object(w);
    }
    hsc_root_record root = {};
    root.kind = HSC_ROOT_GLOBAL;
    root.target = 0x1000;
    hsc_root(w, &root);
    if (hsc_finish(w) != HSC_OK) return std::fprintf(stderr, "%s\n", hsc_error_text(w)), 1;
    hsc_close(w);
    std::FILE *out = argc > 1 ? std::fopen(argv[1], "wb") : nullptr;
    if (out == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), out) != bytes.size()) return 1;
    return std::fclose(out) == 0 ? 0 : 1;
}

/*
 * Objects of C++ as a compiler makes them, at places that a test chooses.
 */
#include <new>

namespace shop {
struct Base {
    virtual ~Base() {}
    int number = 1;
};
struct Other {
    virtual ~Other() {}
    virtual int size() const { return 7; }
    long space[2] = {0, 0};
};
struct Session : Base, Other {
    void *next = nullptr;
};
struct Abstract {
    virtual void run() = 0;
};
struct Virtual : virtual Base {};
template <class T> struct Box : Abstract {
    void run() override {}
    T value{};
};
namespace {
struct Hidden : Base {};
} // namespace
} // namespace shop

extern "C" {
/* 0 to 5, in room of at least 128 bytes. Returns NULL past the last. */
const char *make_shape(unsigned which, void *room)
{
    switch (which) {
    case 0: new (room) shop::Base; return "N4shop4BaseE";
    case 1: new (room) shop::Session; return "N4shop7SessionE";
    case 2: new (room) shop::Box<shop::Session *>; return "N4shop3BoxIPNS_7SessionEEE";
    case 3: new (room) shop::Virtual; return "N4shop7VirtualE";
    case 4: new (room) shop::Hidden; return "N4shop12_GLOBAL__N_16HiddenE";
    default: return nullptr;
    }
}

/* Not a vtable: what C programs point to. */
struct operations {
    const char *name;
    int (*open)(int);
};
static int open_it(int n) { return n; }
extern const struct operations operations_table[];
const struct operations operations_table[2] = {{"file", open_it}, {"pipe", open_it}};
const void *some_constant(unsigned which)
{
    static const char text[] = "a constant text that is longer than sixteen bytes";
    static const long numbers[] = {0, 0, 0, 5, 0, 0};
    switch (which) {
    case 0: return &operations_table[1];
    case 1: return text + 16;
    case 2: return &numbers[2];
    default: return &numbers[5];
    }
}
}

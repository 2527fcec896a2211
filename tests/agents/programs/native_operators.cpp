// What a program of C++ makes by each operator new. Sessions and wide blocks stay; all else is given back, each by another operator delete.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct Session {
    char name[96];
    Session *next;
};

struct alignas(64) Wide {
    char bytes[256];
};

static std::vector<Session *> sessions;
static std::vector<std::unique_ptr<Wide>> wide;

__attribute__((noinline)) static void plant()
{
    sessions.push_back(new Session());
    wide.push_back(std::make_unique<Wide>());
}

__attribute__((noinline)) static void pass()
{
    delete new Session();
    delete new Wide();
    delete[] new Session[2];
    delete[] new (std::nothrow) char[33];
    ::operator delete(::operator new(40));
    ::operator delete(::operator new(48, std::nothrow), std::nothrow);
    ::operator delete(::operator new(128, std::align_val_t(128)), std::align_val_t(128));
    ::operator delete[](::operator new[](128, std::align_val_t(128), std::nothrow), std::align_val_t(128));
}

int main()
{
    long total = 0;
    sessions.reserve(1 << 20);
    wide.reserve(1 << 20);
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line) && line != "quit";) {
        const long count = std::atol(line.c_str() + 5);
        for (long i = 0; i < count; i++) {
            plant();
            pass();
        }
        std::cout << "leaked " << (total += count) << std::endl;
    }
    return 0;
}

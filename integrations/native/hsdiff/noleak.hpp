// What catch2.hpp and gtest.hpp share: hsdiff_find_leak() for anything that can be called. noleak.h says what it needs.
#ifndef HSDIFF_NOLEAK_HPP
#define HSDIFF_NOLEAK_HPP

#include "noleak.h"

#include <string>
#include <type_traits>

namespace hsdiff {

// What hsdiff_noleak has, by name: no_leak().calls(300).max_growth("64 KiB").
class no_leak {
public:
    no_leak &name(const std::string &text) { return name_ = text, *this; }
    no_leak &rounds(int count) { return rounds_ = count, *this; }
    no_leak &calls(int count) { return calls_ = count, *this; }
    no_leak &max_growth(const std::string &limit) { return max_growth_ = limit, *this; }
    no_leak &allow(const std::string &holder) { return allow_ = holder, *this; }

    // Empty where nothing leaks; else what is to be said.
    template <class function> std::string find(function &&call, const std::string &usual_name) const
    {
        hsdiff_noleak options;
        const std::string name = name_.empty() ? usual_name : name_;
        options.name = name.c_str();
        options.rounds = rounds_;
        options.calls = calls_;
        options.max_growth = max_growth_.empty() ? nullptr : max_growth_.c_str();
        options.allow = allow_.empty() ? nullptr : allow_.c_str();
        using plain = typename std::remove_reference<function>::type;
        char *leak = hsdiff_find_leak([](void *context) { (*static_cast<plain *>(context))(); }, &call, &options);
        const std::string said = leak == nullptr ? "" : leak;
        std::free(leak);
        return said;
    }

private:
    std::string name_, max_growth_, allow_;
    int rounds_ = 5, calls_ = 1;
};

} // namespace hsdiff

#endif

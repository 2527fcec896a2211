// For GoogleTest:
//
//      TEST(Shop, EndsSessions) {
//          Shop shop;
//          EXPECT_NO_LEAK([&] { shop.serve(); }, .calls(300));
//      }
#ifndef HSDIFF_GTEST_HPP
#define HSDIFF_GTEST_HPP

#include <gtest/gtest.h>

#include "noleak.hpp"

namespace hsdiff {

inline std::string current_gtest()
{
    const ::testing::TestInfo *test = ::testing::UnitTest::GetInstance()->current_test_info();
    return test == nullptr ? "the test" : std::string(test->test_suite_name()) + "." + test->name();
}

} // namespace hsdiff

#define HSDIFF_GTEST(fail, call, ...)                                                                                                                          \
    do {                                                                                                                                                       \
        const std::string hsdiff_leak = (hsdiff::no_leak() __VA_ARGS__).find(call, hsdiff::current_gtest());                                                   \
        if (!hsdiff_leak.empty()) fail() << hsdiff_leak;                                                                                                       \
    } while (false)

// The last argument, if there is one, are settings in their short form: .calls(300).rounds(5)
#define EXPECT_NO_LEAK(call, ...) HSDIFF_GTEST(ADD_FAILURE, call, __VA_ARGS__)
#define ASSERT_NO_LEAK(call, ...) HSDIFF_GTEST(FAIL, call, __VA_ARGS__)

#endif

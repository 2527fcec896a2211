// For Catch2, 2 and 3:
//
//      TEST_CASE("sessions end") {
//          Shop shop;
//          REQUIRE_NO_LEAK([&] { shop.serve(); }, .calls(300));
//      }
#ifndef HSDIFF_CATCH2_HPP
#define HSDIFF_CATCH2_HPP

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#include <catch2/interfaces/catch_interfaces_capture.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include "noleak.hpp"

#define HSDIFF_CATCH2(how, call, ...)                                                                                                                          \
    do {                                                                                                                                                       \
        const std::string hsdiff_leak = (hsdiff::no_leak() __VA_ARGS__).find(call, Catch::getResultCapture().getCurrentTestName());                           \
        if (!hsdiff_leak.empty()) how(hsdiff_leak);                                                                                                            \
        SUCCEED();                                                                                                                                             \
    } while (false)

// The last argument, if there is one, are settings in their short form: .calls(300).rounds(5)
#define REQUIRE_NO_LEAK(call, ...) HSDIFF_CATCH2(FAIL, call, __VA_ARGS__)
#define CHECK_NO_LEAK(call, ...) HSDIFF_CATCH2(FAIL_CHECK, call, __VA_ARGS__)

#endif

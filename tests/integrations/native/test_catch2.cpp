#include <hsdiff/catch2.hpp>

#include "shop.hpp"

static const int rounds = std::atoi(std::getenv("ROUNDS")); // of the test that starts this one

TEST_CASE("sessions are forgotten")
{
    Shop shop;
    REQUIRE_NO_LEAK([&] { shop.serve(Forgets::session); }, .calls(300).rounds(rounds));
}

TEST_CASE("invoices are lost")
{
    sessions().clear();
    Shop shop;
    CHECK_NO_LEAK([&] { shop.serve(Forgets::invoice); }, .calls(300).rounds(rounds));
}

TEST_CASE("a shop lets go")
{
    Shop shop;
    REQUIRE_NO_LEAK([&] { shop.serve(Forgets::nothing); }, .calls(300).rounds(rounds));
}

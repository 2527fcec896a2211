#include <hsdiff/gtest.hpp>

#include "shop.hpp"

static const int rounds = std::atoi(std::getenv("ROUNDS")); // of the test that starts this one
static Shop *shop_of_all;

TEST(Shop, ForgetsListeners)
{
    shop_of_all = new Shop();
    EXPECT_NO_LEAK([&] { shop_of_all->serve(Forgets::listener); }, .calls(300).rounds(rounds));
}

TEST(Shop, LetsGo)
{
    Shop shop;
    ASSERT_NO_LEAK([&] { shop.serve(Forgets::nothing); }, .calls(300).rounds(rounds).max_growth("16 KiB"));
}

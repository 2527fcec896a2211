// Accounts by name: an unordered_map of shared_ptr in an object that a unique_ptr refers to.
#include "program.hpp"

namespace {
struct Account {
    std::string owner;
    long balance = 0;
    char history[64] = {};
};

class Bank {
public:
    [[gnu::noinline]] void open(const std::string &owner)
    {
        auto account = std::make_shared<Account>(); // truth: made
        account->owner = owner;
        accounts_.emplace(owner, account);
    }

private:
    std::unordered_map<std::string, std::shared_ptr<Account>> accounts_;
};

std::unique_ptr<Bank> the_bank;
}

static void setup() { the_bank = std::make_unique<Bank>(); }

static void plant(long number) { the_bank->open("customer of the bank " + std::to_string(1000000 + number)); }

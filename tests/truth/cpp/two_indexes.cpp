// Users by number and by name, in two maps of shared_ptr: each user is held by both.
#include "program.hpp"
#include <map>

struct User {
    long number;
    std::string name;
    char profile[100];
};

static std::map<long, std::shared_ptr<User>> users_by_number;
static std::unordered_map<std::string, std::shared_ptr<User>> users_by_name;

static void setup() {}

[[gnu::noinline]] static void sign_up(long number)
{
    auto user = std::make_shared<User>(); // truth: made
    user->number = number;
    user->name = "user " + std::to_string(number);
    users_by_number[number] = user;
    users_by_name[user->name] = user;
}

static void plant(long number) { sign_up(number); }

// Values of any type by name.
#include "program.hpp"
#include <any>
#include <map>

struct Matrix {
    double cells[16];
};

static std::map<std::string, std::any> any_settings;

static void setup() {}

[[gnu::noinline]] static void put_setting(long number)
{
    any_settings["matrix of request " + std::to_string(1000000 + number)] = Matrix{{double(number)}}; // truth: made
}

static void plant(long number) { put_setting(number); }

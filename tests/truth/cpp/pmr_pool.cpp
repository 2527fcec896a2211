// Strings in a monotonic resource of std::pmr, which gives nothing back.
#include "program.hpp"
#include <memory_resource>

static std::pmr::monotonic_buffer_resource *string_resource;
static std::pmr::vector<std::pmr::string> *current_words;

static void setup() { string_resource = new std::pmr::monotonic_buffer_resource(4096); }

[[gnu::noinline]] static size_t split(long number)
{
    std::pmr::vector<std::pmr::string> words(string_resource); // truth: made
    for (int i = 0; i < 4; i++)
        words.emplace_back("a word that is too long for the string itself " + std::to_string(number));
    return words.size();
}

static void plant(long number)
{
    split(number);
    current_words = nullptr;
}

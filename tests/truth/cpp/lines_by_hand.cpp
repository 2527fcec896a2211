// Strings that a program made itself: characters, size and capacity as a std::string has them, and the next one right behind.
#include "program.hpp"

struct Line {
    char *characters;
    size_t size, capacity;
    Line *next;
};

static Line *lines;

static void setup() {}

[[gnu::noinline]] static void append(long number)
{
    auto line = new Line; // truth: made
    line->size = 20 + number % 40;
    line->capacity = 2 * line->size;
    line->characters = new char[line->capacity + 1];
    std::memset(line->characters, 'x', line->size);
    line->characters[line->size] = '\0';
    line->next = lines;
    lines = line;
}

static void plant(long number) { append(number); }

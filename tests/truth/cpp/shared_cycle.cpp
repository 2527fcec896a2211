// A document and its pages refer to each other by shared_ptr: nobody else does, and they live for ever.
#include "program.hpp"

struct Leaf;
struct Document {
    std::shared_ptr<Leaf> first;
    char title[60];
};
struct Leaf {
    std::shared_ptr<Document> owner;
    char text[80];
};

static long letters;

static void setup() {}

[[gnu::noinline]] static size_t print_document(long number)
{
    auto document = std::make_shared<Document>(); // truth: document
    document->first = std::make_shared<Leaf>(); // truth: leaf
    document->first->owner = document;
    document->title[0] = char(number);
    return sizeof document->title;
}

static void plant(long number) { letters += long(print_document(number)); }

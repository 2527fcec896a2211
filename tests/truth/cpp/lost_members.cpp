// A base class without a virtual destructor: what the derived one owns is never freed.
#include "program.hpp"

struct Shape {
    long id = 0;
};
struct Polygon : Shape {
    std::vector<double> corners;
    [[gnu::noinline]] explicit Polygon(int count) { corners.resize(size_t(count)); } // truth: made
};

static long drawn;

static void setup() {}

[[gnu::noinline]] static void draw(Shape *shape)
{
    drawn += shape->id;
    delete shape;
}

static void plant(long number)
{
    auto *polygon = new Polygon(16);
    polygon->id = number;
    draw(polygon);
}

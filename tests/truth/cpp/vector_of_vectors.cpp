// Samples of each sensor in a vector of vectors.
#include "program.hpp"

static std::vector<std::vector<double>> samples_of_sensor;

static void setup() { samples_of_sensor.reserve(65536); }

[[gnu::noinline]] static void add_sensor(long number) { samples_of_sensor.emplace_back(20, double(number)); } // truth: made

static void plant(long number) { add_sensor(number); }

// An array by new[] that only the path of success deletes.
#include "program.hpp"

static long refused;

static void setup() {}

[[gnu::noinline]] static double *read_samples(long number)
{
    auto *samples = new double[24]; // truth: made
    for (int i = 0; i < 24; i++)
        samples[i] = double(number);
    return samples;
}

[[gnu::noinline]] static bool measure(long number)
{
    double *samples = read_samples(number);
    if (samples[3] >= 0) return false;
    delete[] samples;
    return true;
}

static void plant(long number) { refused += !measure(number); }

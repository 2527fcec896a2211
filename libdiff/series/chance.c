/*
 * Chance: Gaussian binomials by multiplication and exact division of polynomials, the normal tail by its continued
 * fraction.
 */
#include "series/chance.h"

#include <string.h>

void hsd_arrangements_begin(hsd_arrangements *all)
{
    memset(all, 0, sizeof *all);
    all->with[0] = all->total = 1;
}

/* times 1 - q^step */
static void multiply(hsd_arrangements *all, uint32_t step)
{
    all->most += step;
    for (uint32_t i = all->most; i >= step; i--)
        all->with[i] -= all->with[i - step];
}

/* by 1 - q^step, which goes without a rest */
static void divide_chance(hsd_arrangements *all, uint32_t step)
{
    for (uint32_t i = step; i <= all->most; i++)
        all->with[i] += all->with[i - step];
    all->most -= step;
}

void hsd_arrangements_add(hsd_arrangements *all, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++) { /* [values + i] / [i]; each quotient is a whole polynomial */
        multiply(all, all->values + i);
        divide_chance(all, i);
        all->total = all->total * (all->values + i) / i;
    }
    all->values += count;
}

uint32_t hsd_arrangements_chance(const hsd_arrangements *all, uint32_t inversions)
{
    const uint32_t near_end = inversions < all->most - inversions ? inversions : all->most - inversions;
    uint64_t as_far = 0;
    if (2 * near_end >= all->most) return HSD_CHANCE_MOST_SURE;
    for (uint32_t i = 0; i <= near_end; i++)
        as_far += 2 * all->with[i];
    return (uint32_t)((as_far * 1000000 + all->total / 2) / all->total);
}

uint32_t hsd_chance_least(size_t a, size_t b)
{
    const size_t few = a < b ? a : b, all = a + b;
    uint64_t orders = 1;
    for (size_t i = 0; i < few && orders <= 1000; i++)
        orders = orders * (all - i) / (i + 1);
    if (orders > 1000) orders = 1000;
    return few == 0 || orders < 2 ? HSD_CHANCE_MOST_SURE : (uint32_t)(2000000 / orders);
}

/* ---- the normal distribution ---- */

/* e^-x for x >= 0: halved until a short series serves, then squared back. */
static double exponential(double x)
{
    double term = 1, sum = 1;
    unsigned halved = 0;
    for (; x > 0.0625; halved++)
        x /= 2;
    for (int i = 1; i < 14; i++) {
        term *= -x / i;
        sum += term;
    }
    for (; halved > 0; halved--)
        sum *= sum;
    return sum;
}

static double root(double x)
{
    double r = x > 1 ? x : 1;
    for (int i = 0; i < 64; i++)
        r = (r + x / r) / 2;
    return r;
}

#define INVERSE_ROOT_OF_2_PI 0.39894228040143267794

/* One side beyond z: what is left of one half near 0, a continued fraction further out (Abramowitz and
 * Stegun 26.2.11, 26.2.14). */
static double tail(double z)
{
    const double density = INVERSE_ROOT_OF_2_PI * exponential(z * z / 2);
    if (z < 2.5) {
        double term = z, sum = z;
        for (int i = 1; i < 60; i++) {
            term *= z * z / (2 * i + 1);
            sum += term;
        }
        return 0.5 - density * sum;
    }
    double fraction = z;
    for (int i = 60; i > 0; i--)
        fraction = z + i / fraction;
    return density / fraction;
}

uint32_t hsd_chance_normal(double square)
{
    if (!(square > 0)) return HSD_CHANCE_MOST_SURE;
    if (square > 64) return 0;
    const double millionths = 2e6 * tail(root(square)) + 0.5;
    return millionths >= HSD_CHANCE_MOST_SURE ? HSD_CHANCE_MOST_SURE : (uint32_t)millionths;
}

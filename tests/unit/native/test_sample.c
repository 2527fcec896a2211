/* Samples: as often as the rule says, and settings that choose them. */
#include <criterion/criterion.h>
#include <math.h>

#include "native/sample.h"
#include "native/settings.h"

enum { INTERVAL = 4096, TRIES = 400000 };

/* 1 - exp(-size / interval), within five standard deviations. */
Test(sample, takes_as_many_as_it_says)
{
    static const size_t sizes[] = {1, 16, 100, 1000, 4096, 10000, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hsn_sampler sampler = {0};
        const double chance = 1 - exp(-(double)sizes[i] / INTERVAL);
        double taken = 0;
        for (int n = 0; n < TRIES; n++)
            if (!hsn_sample_passes(&sampler, sizes[i])) taken += hsn_sample_draw(&sampler, sizes[i], INTERVAL);
        const double expected = TRIES * chance, spread = 5 * sqrt(TRIES * chance * (1 - chance)) + 1;
        cr_assert(fabs(taken - expected) < spread, "size %zu: %.0f taken, %.0f expected", sizes[i], taken, expected);
    }
}

Test(sample, takes_sizes_without_end)
{
    hsn_sampler sampler = {0};
    cr_assert_not(hsn_sample_passes(&sampler, SIZE_MAX));
    cr_assert(hsn_sample_draw(&sampler, SIZE_MAX, INTERVAL));
}

Test(settings, have_defaults)
{
    hsn_settings s;
    hsn_settings_read(&s, NULL);
    cr_assert_eq(s.stacks, HSN_UNWIND_CFI);
    cr_assert_eq(s.depth, 32);
    cr_assert_eq(s.sample_bytes, 0);
    cr_assert_eq(s.signal, 0);
    cr_assert_eq(s.clear_bytes, 4096);
    cr_assert_eq(s.stop, HSN_STOP_AUTO);
    cr_assert(s.listens && !s.follows);
    cr_assert_eq(s.fork, HSN_FORK_LATER);
}

Test(settings, are_read)
{
    hsn_settings s;
    hsn_settings_read(&s, "stacks=fp,depth=7  sample=524288 signal=44 stop_ms=9 listen=0 follow=1");
    cr_assert_eq(s.stacks, HSN_UNWIND_FP);
    cr_assert_eq(s.depth, 7);
    cr_assert_eq(s.sample_bytes, 524288);
    cr_assert_eq(s.clear_bytes, 0, "no references are told");
    cr_assert_eq(s.signal, 44);
    cr_assert_eq(s.stop_ms, 9);
    cr_assert(!s.listens && s.follows);
    cr_assert_eq(s.fork, HSN_FORK_NOW);
    hsn_settings_read(&s, "stacks=none fork=off follow=1 stop=trace");
    cr_assert_eq(s.stop, HSN_STOP_TRACE);
    hsn_settings_read(&s, "clear=256 clear=4097");
    cr_assert_eq(s.clear_bytes, 256);
    hsn_settings_read(&s, "stop=signal stop=never");
    cr_assert_eq(s.stop, HSN_STOP_SIGNAL);
    hsn_settings_read(&s, "stacks=none fork=off follow=1");
    cr_assert_eq(s.stacks, HSN_UNWIND_NONE);
    cr_assert_eq(s.fork, HSN_FORK_OFF);
}

Test(settings, leave_alone_what_they_do_not_know)
{
    hsn_settings s;
    hsn_settings_read(&s, "depth=0 depth=65 depth= depth=x depth=3x signal=65 sample=-1 stop_ms=99999999999999999999 "
                          "stacks=none2 =, follow");
    cr_assert_eq(s.depth, 32);
    cr_assert_eq(s.signal, 0);
    cr_assert_eq(s.sample_bytes, 0);
    cr_assert_eq(s.stop_ms, 500);
    cr_assert_eq(s.stacks, HSN_UNWIND_CFI);
    cr_assert_not(s.follows);
}

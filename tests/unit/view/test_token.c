/*
 * Tokens: random, well formed, told apart in every place by every bit.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "view/token.h"

Test(token, is_32_hexadecimal_digits)
{
    char token[HSD_VIEW_TOKEN_CHARS + 1];
    cr_assert_eq(hsd_view_token_make(token, NULL), HSD_OK);
    cr_assert_eq(strlen(token), 32);
    cr_assert_eq(strspn(token, "0123456789abcdef"), 32);
}

Test(token, is_never_the_same)
{
    char tokens[64][HSD_VIEW_TOKEN_CHARS + 1];
    for (size_t i = 0; i < 64; i++) {
        cr_assert_eq(hsd_view_token_make(tokens[i], NULL), HSD_OK);
        for (size_t j = 0; j < i; j++)
            cr_assert_str_neq(tokens[i], tokens[j]);
    }
}

Test(token, uses_every_bit)
{
    char token[HSD_VIEW_TOKEN_CHARS + 1];
    unsigned seen[HSD_VIEW_TOKEN_CHARS] = {0};
    for (size_t i = 0; i < 400;
         i++) { /* a digit that stays away from a place in 400 draws: 1 in 10^8 for all 512 of them */
        cr_assert_eq(hsd_view_token_make(token, NULL), HSD_OK);
        for (size_t at = 0; at < HSD_VIEW_TOKEN_CHARS; at++)
            seen[at] |= 1u << (token[at] <= '9' ? token[at] - '0' : token[at] - 'a' + 10);
    }
    for (size_t at = 0; at < HSD_VIEW_TOKEN_CHARS; at++)
        cr_assert_eq(seen[at], 0xffff, "place %zu", at);
}

Test(token, knows_itself_alone)
{
    char token[HSD_VIEW_TOKEN_CHARS + 1], said[HSD_VIEW_TOKEN_CHARS + 2];
    cr_assert_eq(hsd_view_token_make(token, NULL), HSD_OK);
    cr_assert(hsd_view_token_is(token, token));
    for (size_t at = 0; at < HSD_VIEW_TOKEN_CHARS; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            memcpy(said, token, sizeof token);
            said[at] = (char)(said[at] ^ (1 << bit));
            cr_assert_not(hsd_view_token_is(token, said), "place %zu, bit %u", at, bit);
        }
    memcpy(said, token, sizeof token);
    memcpy(said + HSD_VIEW_TOKEN_CHARS, "0", 2);
    cr_assert_not(hsd_view_token_is(token, said), "longer");
    for (size_t size = 0; size < HSD_VIEW_TOKEN_CHARS; size++) {
        memcpy(said, token, sizeof token);
        said[size] = 0;
        cr_assert_not(hsd_view_token_is(token, said), "%zu characters", size);
    }
}

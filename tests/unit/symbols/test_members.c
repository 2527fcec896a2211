/* Words of containers, which are known by the names of their types alone. */
#include <criterion/criterion.h>
#include <string.h>

#include "symbols/members.h"

static void expect_word(const char *type, uint64_t offset, bool is_of_llvm, hsd_member_kind wanted,
                        const char *wanted_name)
{
    const hsd_member_place place = {{type, strlen(type)}, offset, is_of_llvm};
    hsd_buffer name = {0};
    hsd_member_kind kind = HSD_MEMBER_NAMED;
    cr_assert_eq(hsd_member_find(NULL, 0, &place, &kind, &name, NULL), HSD_OK);
    cr_assert_eq(kind, wanted, "%s +%d: %d", type, (int)offset, (int)kind);
    cr_assert(name.size == strlen(wanted_name) && (name.size == 0 || memcmp(name.data, wanted_name, name.size) == 0),
              "%s +%d", type, (int)offset);
    hsd_buffer_release(&name);
}

static void expect_member(const char *type, uint64_t offset, hsd_member_kind wanted, const char *wanted_name)
{
    expect_word(type, offset, false, wanted, wanted_name);
}

Test(members, nodes_lead_to_nodes_and_hold_items)
{
    expect_member("node of std::list<Order>", 0, HSD_MEMBER_INSIDE, "next");
    expect_member("node of std::list<Order>", 8, HSD_MEMBER_BACK, "previous");
    expect_member("node of std::list<Order>", 16, HSD_MEMBER_ITEM, "");
    expect_member("node of std::forward_list<Order>", 0, HSD_MEMBER_INSIDE, "next");
    expect_member("node of std::forward_list<Order>", 8, HSD_MEMBER_ITEM, "");
    expect_member("node of std::unordered_multimap<int, Order>", 0, HSD_MEMBER_INSIDE, "next");
    expect_member("node of std::unordered_set<Order>", 8, HSD_MEMBER_ITEM, "");
    expect_member("node of std::map<int, Order>", 0, HSD_MEMBER_UNKNOWN, ""); /* a color */
    expect_member("node of std::map<int, Order>", 8, HSD_MEMBER_BACK, "parent");
    expect_member("node of std::multiset<int>", 16, HSD_MEMBER_INSIDE, "left");
    expect_member("node of std::set<Order>", 24, HSD_MEMBER_INSIDE, "right");
    expect_member("node of std::multimap<int, Order>", 32, HSD_MEMBER_ITEM, "");
    expect_member("node of std::chart<Order>", 8, HSD_MEMBER_UNKNOWN, "");
    expect_member("buckets of std::unordered_map<int, Order>", 40, HSD_MEMBER_INSIDE, "table");
}

Test(members, nodes_of_llvm_have_an_order_of_their_own)
{
    expect_word("node of std::map<int, Order>", 0, true, HSD_MEMBER_INSIDE, "left");
    expect_word("node of std::map<int, Order>", 8, true, HSD_MEMBER_INSIDE, "right");
    expect_word("node of std::set<Order>", 16, true, HSD_MEMBER_BACK, "parent");
    expect_word("node of std::multiset<Order>", 32, true, HSD_MEMBER_ITEM, "");
    expect_word("node of std::list<Order>", 0, true, HSD_MEMBER_BACK, "previous");
    expect_word("node of std::list<Order>", 8, true, HSD_MEMBER_INSIDE, "next");
    expect_word("node of std::unordered_map<int, Order>", 0, true, HSD_MEMBER_INSIDE, "next");
}

Test(members, arrays_and_stores_hold_items)
{
    static const char *const types[] = {"Order[]", "order *[]", "Vec<Order>", "HashMap<u32, Order>", "[]Order"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        expect_member(types[i], 0, HSD_MEMBER_ITEM, "");
        expect_member(types[i], 64, HSD_MEMBER_ITEM, "");
    }
}

Test(members, a_container_in_a_block_of_its_own_leads_inside)
{
    expect_member("std::map<int, Order>", 32, HSD_MEMBER_INSIDE, "table");
    expect_member("std::make_shared<std::unordered_map<int, Order>>", 16, HSD_MEMBER_INSIDE, "table");
    expect_word("std::vector<Order>", 0, true, HSD_MEMBER_INSIDE, "table");
    expect_member("std::mapping<int>", 8, HSD_MEMBER_UNKNOWN, "");
    expect_member("std::map", 8, HSD_MEMBER_UNKNOWN, "");
    expect_member("std::vector<Order>::iterator", 0, HSD_MEMBER_UNKNOWN, "");
}

Test(members, a_string_leads_to_its_characters)
{
    expect_member("std::string", 0, HSD_MEMBER_INSIDE, "characters");
    expect_member("std::string", 8, HSD_MEMBER_UNKNOWN, "");
    expect_member("std::make_shared<std::u16string>", 16, HSD_MEMBER_INSIDE, "characters");
    expect_member("std::make_shared<std::string>", 0, HSD_MEMBER_UNKNOWN, "");
    expect_member("std::string_view", 0, HSD_MEMBER_UNKNOWN, "");
    expect_word("std::string", 0, true, HSD_MEMBER_UNKNOWN, ""); /* a short one stands in its first bytes */
}

Test(members, of_what_no_module_knows_nothing_is_said)
{
    static const char *const types[] = {"",           "Order", "std::make_shared<Order>", "std::make_shared<",
                                        "Box<Order>", "Arc<>", "char[] at main",          "<=48 B at main"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        for (uint64_t offset = 0; offset <= 32; offset += 8)
            expect_member(types[i], offset, HSD_MEMBER_UNKNOWN, "");
}

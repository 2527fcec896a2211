// Members of every kind. Prints where each word of them stands, and what a programmer calls it.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace shop {

struct Address {
    long number;
    std::string street;
    struct Town {
        int code;
        char *name;
    } town;
};

struct Named {
    virtual ~Named() {}
    char *label = nullptr;
};

class Desk : public Named {
public:
    static int count;
    static Desk *first;
    long opened : 3, closed : 5;
    Address address;
    std::list<std::string> lines_;
    std::map<int, Address> by_number_;
    std::unordered_map<int, Address> by_hash_;
    std::unique_ptr<Address> owner_;
    std::shared_ptr<Address> heir_;
    std::vector<Address> history;
    std::function<void()> on_close;
    char *_mark;
    Address *shelves[4];
    union {
        struct {
            void *only;
            long rest;
        };
    };
    union {
        Address *here;
        Desk *there;
    } either;
};

int Desk::count;
Desk *Desk::first;

} // namespace shop

template <typename M> static void print(const shop::Desk &desk, const M &member, size_t inside, const char *name)
{
    const auto at = reinterpret_cast<const char *>(&member) - reinterpret_cast<const char *>(&desk);
    std::printf("%zu %s\n", static_cast<size_t>(at) + inside, name);
}

shop::Desk the_desk;

static shop::Address &the_address()
{
    static shop::Address address;
    return address;
}

int main()
{
    shop::Desk &desk = the_desk;
    the_address().number++;
    shop::Desk::first = &desk;
    shop::Desk::count++;
    print(desk, desk.label, 0, "label");
    print(desk, desk.address.street, 0, "address.street");
    print(desk, desk.address.town.name, 0, "address.town.name");
    for (size_t i = 0; i < 2; i++)
        print(desk, desk.lines_, 8 * i, "lines_");
    for (size_t i = 2; i < 5; i++)
        print(desk, desk.by_number_, 8 * i - 8, "by_number_");
    print(desk, desk.by_hash_, 0, "by_hash_");
    print(desk, desk.by_hash_, 16, "by_hash_");
    print(desk, desk.owner_, 0, "owner_");
    print(desk, desk.heir_, 0, "heir_");
    print(desk, desk.heir_, 8, "heir_");
    for (size_t i = 0; i < 3; i++)
        print(desk, desk.history, 8 * i, "history");
    for (size_t i = 0; i < 4; i++)
        print(desk, desk.shelves, 8 * i, "shelves");
    print(desk, desk._mark, 0, "_mark");
    print(desk, desk.only, 0, "only");
    print(desk, desk.either, 0, "either");
}

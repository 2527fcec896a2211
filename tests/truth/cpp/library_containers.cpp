// Accounts in a map of a library, of which the header is installed: what the library calls its members and functions
// says nothing to a program, as of boost's unordered_flat_map and abseil's flat_hash_map. #line stands in for the
// installation.
#include "program.hpp"

#line 1 "/usr/include/grove/flat_map.hpp"
namespace grove::detail {

template <class T> T *reserve(std::size_t count) { return static_cast<T *>(::operator new(count * sizeof(T))); }

template <class K, class V> struct table {
    std::size_t mask = 0, size = 0;
    unsigned char *groups = nullptr; // points behind the slots, as those of boost do
    std::pair<const K, V> *elements = nullptr;

    [[gnu::noinline]] void rehash(std::size_t slots)
    {
        table fresh;
        const std::size_t words = slots / sizeof(std::pair<const K, V>) + 1;
        fresh.mask = slots - 1;
        fresh.elements = reserve<std::pair<const K, V>>(slots + words);
        fresh.groups = reinterpret_cast<unsigned char *>(fresh.elements + slots);
        std::memset(static_cast<void *>(fresh.elements), 0, (slots + words) * sizeof(std::pair<const K, V>));
        for (std::size_t i = 0; elements != nullptr && i <= mask; i++)
            if (groups[i] != 0) fresh.place(elements[i].first, elements[i].second);
        ::operator delete(elements);
        *this = fresh;
    }

    void place(const K &key, V value)
    {
        std::size_t at = std::size_t(key) & mask;
        while (groups[at] != 0)
            at = (at + 1) & mask;
        ::new (&elements[at]) std::pair<const K, V>(key, value);
        groups[at] = 1;
        size++;
    }
};

} // namespace grove::detail

namespace grove {

template <class K, class V> class flat_map {
    detail::table<K, V> table_;

public:
    void insert(const K &key, V value)
    {
        if (table_.groups == nullptr || 8 * table_.size >= 7 * table_.mask)
            table_.rehash(table_.groups == nullptr ? 16 : 2 * (table_.mask + 1));
        table_.place(key, value);
    }
};

} // namespace grove

#line 60 "library_containers.cpp"
struct Account {
    long number;
    char owner[72];
};

struct Bank {
    std::string name;
    grove::flat_map<long, Account *> accounts;
};

static Bank bank;

static void setup() {}

[[gnu::noinline]] static Account *make_account(long number)
{
    auto account = new Account; // truth: made
    account->number = number;
    std::memset(account->owner, 'o', sizeof account->owner);
    return account;
}

[[gnu::noinline]] static void open_account(long number)
{
    bank.accounts.insert(number, make_account(number));
}

static void plant(long number) { open_account(number); }

/* A program in C++ whose classes have no virtual functions, for types by debug information. Obeys the lines of tests/agents/kit.py. */
#include <cstdio>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace shop {

struct Order {
    long number, amount[11];
    explicit Order(long n) : number(n), amount() {}
};
struct Item { char text[48]; };
struct Visit { Visit *before; long at[13]; };
struct Account { long number; double balance[8]; };
/* what containers lead to by pointers */
struct Card { int number; char text[148]; };
struct Lane { int number; char text[164]; };
struct Mark { int number; char text[180]; };
struct Rule { int number; char text[196]; };
struct Form { int kind; };
struct Disc : Form { double across[5]; }; /* is kept as a Form *, and is no array of those */
struct Session {
    std::string name;
    std::vector<Item> items;
    std::unique_ptr<Account> account;
    std::shared_ptr<Order> last;
    Order *first;
};

std::map<long, Session> sessions;
std::unordered_map<long, Visit> by_number;
std::list<Item> recent;
std::deque<Order *> queue;
std::map<long, Card *> cards;
std::map<long, std::pair<int, Lane *>> lanes;
std::unordered_map<std::string, Mark *> marks;
std::set<Rule *> rules;
std::vector<Form *> forms;
Visit *visits;
long *numbers[1 << 16];
std::size_t planted;

[[gnu::noinline]] void visit(long number)
{
    Visit *v = new Visit;
    v->before = visits;
    v->at[0] = number;
    visits = v;
    by_number[number] = *v;
}

[[gnu::noinline]] void rule() { rules.insert(new Rule{}); }

[[gnu::noinline]] void pointers(long number)
{
    cards[number] = new Card{static_cast<int>(number), {}};
    lanes[number] = {1, new Lane{}};
    marks.emplace(std::to_string(number), new Mark{});
    forms.push_back(new Disc{{1}, {}});
}

[[gnu::noinline]] Order *order(long number) { return new Order(number); }

[[gnu::noinline]] void session(long number)
{
    Session &s = sessions[number];
    s.name = "a name that is too long to be kept in place, of " + std::to_string(number);
    for (int i = 0; i < 5; i++)
        s.items.push_back(Item{"item"});
    s.account = std::make_unique<Account>();
    s.last = std::make_shared<Order>(number);
    s.first = order(number);
    queue.push_back(s.first);
    recent.push_back(Item{"recent"});
    numbers[number % (1 << 16)] = new long[20];
    visit(number);
    pointers(number);
    rule();
}

}

int main()
{
    char text[64];
    long count;
    std::puts("ready");
    std::fflush(stdout);
    while (std::fgets(text, sizeof text, stdin) != nullptr && std::strncmp(text, "quit", 4) != 0) {
        if (std::sscanf(text, "leak %ld", &count) != 1) continue;
        for (long i = 0; i < count; i++)
            shop::session(static_cast<long>(shop::planted++));
        std::printf("leaked %zu\n", shop::planted);
        std::fflush(stdout);
    }
}

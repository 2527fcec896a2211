// Closures in std::function: templates of the library with a type of a function among their arguments, of which DWARF has bare names.
#include <functional>
#include <vector>

struct Mail {
    char address[64];
    long number;
};

static std::vector<std::function<void()>> tasks;
static long sent;

__attribute__((noinline)) static void notify(long number)
{
    Mail mail{"somebody@example.org", number};
    tasks.push_back([mail] { sent += mail.number; });
}

int main(int count, char **)
{
    notify(count);
    tasks[0]();
    return 0;
}

// Classes with vtables, templates, namespaces, inlined members: what names of C++ are made of.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shop {

class Session {
public:
    explicit Session(int number) : number_(number) {}
    virtual ~Session();
    virtual int cost() const;

protected:
    int number_;
};

Session::~Session() {}
int Session::cost() const { return number_; }

class Account : public virtual Session {
public:
    Account() : Session(1) {}
    int cost() const override;
};

int Account::cost() const { return 7; }

template <typename T> class Box : public Session {
public:
    explicit Box(const T &value) : Session(2), value_(value) {}
    int cost() const override { return 3; }

private:
    T value_;
};

namespace {
class Hidden : public Session {
public:
    Hidden() : Session(3) {}
    int cost() const override { return 4; }
};
} // namespace

static std::map<int, std::string> names;
std::vector<Session *> all;

template <typename T> __attribute__((noinline)) int add(T *session)
{
    all.push_back(session);
    names[session->cost()] = "a name that is longer than what a string holds inside";
    return session->cost();
}

} // namespace shop

int main()
{
    int total = shop::add(new shop::Session(5));
    total += shop::add(new shop::Account);
    total += shop::add(new shop::Box<std::string>("x"));
    total += shop::add(new shop::Box<int>(4));
    total += shop::add(new shop::Hidden);
    auto shared = std::make_shared<shop::Account>();
    std::printf("%d\n", total + shared->cost());
    return 0;
}

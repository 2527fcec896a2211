// A subject keeps its observers, who never say goodbye.
#include "program.hpp"

class Observer {
public:
    virtual ~Observer() = default;
    virtual void changed(long price) = 0;
};

class Ticker : public Observer {
public:
    explicit Ticker(long number) : number_(number) {}
    void changed(long price) override { number_ += price; }

private:
    long number_;
    char view_[96] = {};
};

class Stock {
public:
    void watch(Observer *observer) { observers_.push_back(observer); }

private:
    std::list<Observer *> observers_;
};

namespace market {
Stock *acme_stock;
}

static void setup() { market::acme_stock = new Stock; }

[[gnu::noinline]] static void open_view(long number) { market::acme_stock->watch(new Ticker(number)); } // truth: made

static void plant(long number) { open_view(number); }

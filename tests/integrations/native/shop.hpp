// A shop as services are written: prices cached on first use, a log of the last lines, listeners of the stock, workers that send mails. Some customers'
// invoices are forgotten where the test asks for it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Session {
    std::string customer;
    std::vector<std::string> lines;
};

struct Invoice {
    int number;
    char text[100];
};

enum class Forgets { nothing, session, listener, invoice };

inline std::map<std::string, std::unique_ptr<Session>> &sessions()
{
    static std::map<std::string, std::unique_ptr<Session>> all;
    return all;
}

inline int price_of(const std::string &item)
{
    static std::unordered_map<std::string, int> prices; // at most one for each item
    return prices.emplace(item, 100 + static_cast<int>(item.size())).first->second;
}

class Mails {
public:
    Mails()
    {
        for (int i = 0; i < 2; i++) workers_.emplace_back([this] { work(); });
    }

    ~Mails()
    {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            ends_ = true;
        }
        changed_.notify_all();
        for (std::thread &worker : workers_) worker.join();
    }

    void send(std::string mail)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        waiting_.push_back(std::move(mail));
        changed_.notify_all();
        changed_.wait(lock, [this] { return waiting_.empty(); });
    }

private:
    void work()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
            if (ends_) return;
            waiting_.pop_front();
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> waiting_;
    std::vector<std::thread> workers_;
    bool ends_ = false;
};

class Shop {
public:
    void serve(Forgets forgets)
    {
        const std::string customer = "customer number " + std::to_string(++customers_);
        Session *session = (sessions()[customer] = std::make_unique<Session>()).get();
        session->customer = customer;
        for (int i = 0; i < 3; i++) session->lines.push_back("an item with the number " + std::to_string((customers_ + i) % 50));
        const std::shared_ptr<std::string> listener = std::make_shared<std::string>(customer);
        listeners_.push_back(listener);
        auto *invoice = new Invoice();
        invoice->number = customers_;
        for (const std::string &item : session->lines) invoice->number += price_of(item);
        log_.push_back(customer + " got invoice " + std::to_string(invoice->number));
        if (log_.size() > 200) log_.pop_front();
        mails_.send(customer);
        if (forgets != Forgets::invoice) delete invoice;
        if (forgets != Forgets::session) sessions().erase(customer);
        if (forgets != Forgets::listener) listeners_.pop_back();
    }

private:
    std::vector<std::shared_ptr<std::string>> listeners_;
    std::deque<std::string> log_;
    Mails mails_;
    int customers_ = 0;
};

// A map of sessions that each have a buffer, and a list of lines, in one object on the heap. The table of the map is made anew as it grows, and
// strings lie in the memory of the old one.
#include "program.hpp"

struct Session {
    std::string user;
    std::vector<char> buffer;
};

class Chat {
public:
    [[gnu::noinline]] void join(long number)
    {
        const std::string user = "a user with a long name, " + std::to_string(number);
        sessions_.emplace(number, std::make_unique<Session>(Session{user, std::vector<char>(300)})); // truth: made
        if (number % 2 == 0) log_.push_back("line number " + std::to_string(number) + " of a log that is kept"); // truth: logged
    }

private:
    std::unordered_map<long, std::unique_ptr<Session>> sessions_;
    std::list<std::string> log_;
};

static std::unique_ptr<Chat> chat;

static void setup() { chat = std::make_unique<Chat>(); }

static void plant(long number) { chat->join(number); }

// Words stand in a deque, and a set of views finds them: both are members of an object behind a pointer to its implementation.
#include "program.hpp"

#include <string_view>
#include <unordered_set>

namespace text {
class Dictionary {
public:
    Dictionary();
    ~Dictionary();
    std::string_view intern(std::string word);

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

struct Dictionary::Implementation {
    std::deque<std::string> words;
    std::unordered_set<std::string_view> known;
};

Dictionary::Dictionary() : implementation_(std::make_unique<Implementation>()) {}
Dictionary::~Dictionary() = default;

[[gnu::noinline]] std::string_view Dictionary::intern(std::string word)
{
    if (auto found = implementation_->known.find(word); found != implementation_->known.end()) return *found;
    implementation_->words.push_back(std::move(word)); // truth: made
    return *implementation_->known.insert(implementation_->words.back()).first;
}

Dictionary &dictionary()
{
    static Dictionary the_words;
    return the_words;
}
}

static void setup() {}

static void plant(long number) { text::dictionary().intern("a rather long word " + std::to_string(100000 + number)); }

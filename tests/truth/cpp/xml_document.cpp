// Elements of a document own children and attributes in maps; documents pile up in the history of an editor.
#include "program.hpp"
#include <map>
#include <optional>

namespace editor {
class Element {
public:
    explicit Element(std::string name) : name_(std::move(name)) {}
    Element &child(std::string name) { return *children_.emplace_back(std::make_unique<Element>(std::move(name))); }
    void set(const std::string &key, std::string value) { attributes_[key] = std::move(value); }

private:
    std::string name_;
    std::map<std::string, std::optional<std::string>> attributes_;
    std::vector<std::unique_ptr<Element>> children_;
};

class History {
public:
    [[gnu::noinline]] void remember(long number)
    {
        auto root = std::make_unique<Element>("document"); // truth: root
        for (int i = 0; i < 3; i++)
            root->child("paragraph").set("id", std::to_string(number % 10));
        versions_.push_back(std::move(root));
    }

private:
    std::deque<std::unique_ptr<Element>> versions_;
};

struct Session {
    History undo_history;
    int cursor = 0;
};
}

static auto editor_session = std::make_unique<editor::Session>();

static void setup() {}

static void plant(long number) { editor_session->undo_history.remember(number); }

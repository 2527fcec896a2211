// Widgets own their children; a panel is added to for ever.
#include "program.hpp"

class Widget {
public:
    explicit Widget(std::string title) : title_(std::move(title)) {}
    virtual ~Widget() = default;
    Widget &add(std::unique_ptr<Widget> child)
    {
        children_.push_back(std::move(child));
        return *children_.back();
    }
    size_t size() const { return children_.size(); }

private:
    std::string title_;
    std::vector<std::unique_ptr<Widget>> children_;
};

class Label : public Widget {
public:
    using Widget::Widget;

private:
    char style_[64] = {};
};

static std::unique_ptr<Widget> main_window;
static Widget *panel;

static void setup()
{
    main_window = std::make_unique<Widget>("window");
    panel = &main_window->add(std::make_unique<Widget>("panel"));
}

[[gnu::noinline]] static void show_message(long number)
{
    panel->add(std::make_unique<Label>("message " + std::to_string(number % 100))); // truth: made
}

static void plant(long number) { show_message(number); }

// No leak: shared_ptr that are all given back, and a vector that is cleared and filled.
#include "program.hpp"

struct Node {
    std::vector<std::shared_ptr<Node>> children;
    std::weak_ptr<Node> parent;
    std::string name;
};

static std::shared_ptr<Node> last_tree;
static std::vector<std::string> batch;

static std::shared_ptr<Node> make_tree(const std::shared_ptr<Node> &parent, int depth)
{
    auto node = std::make_shared<Node>();
    node->parent = parent;
    node->name = "a node of the depth " + std::to_string(depth);
    for (int i = 0; i < 2 && depth > 0; i++)
        node->children.push_back(make_tree(node, depth - 1));
    return node;
}

static void setup() {}

static void plant(long number)
{
    if (number % 20 == 0) last_tree = make_tree(nullptr, 7);
    if (batch.size() == 500) batch.clear();
    batch.emplace_back(std::string(100 + size_t(number % 7), 'b'));
}

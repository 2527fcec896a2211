"""Dominators and retained sizes in memory, for the programs here that say why two tools differ: no part of hsdiff, and written apart from it."""
import array
import collections


def dominators(count, roots, successors):
    """(immediate dominator of each node, nodes in preorder) of what the roots reach, by the semi-NCA algorithm.

    Nodes are 1..count-1; node 0 stands above the roots. successors(node) gives the nodes that a node refers to.
    """
    number, order, parent = array.array("I", bytes(4 * count)), [0], array.array("I", [0])
    stack = [(root, 0) for root in reversed(roots)]
    while stack:
        node, above = stack.pop()
        if number[node]:
            continue
        number[node] = here = len(order)
        order.append(node)
        parent.append(above)
        stack.extend((target, here) for target in successors(node) if not number[target])
    total = len(order)
    before = [[] for _ in range(total)]
    for here in range(1, total):
        for target in successors(order[here]):
            before[number[target]].append(here)
    for root in roots:
        before[number[root]].append(0)
    semi, label = array.array("I", range(total)), array.array("I", range(total))
    ancestor, idom = array.array("i", [-1]) * total, array.array("I", parent)
    for here in range(total - 1, 0, -1):
        semi[here] = min(other if other <= here else semi[least_label(other, ancestor, label, semi)] for other in before[here])
        ancestor[here] = parent[here]
        before[here] = None
    for here in range(1, total):
        while idom[here] > semi[here]:
            idom[here] = idom[idom[here]]
    found = array.array("I", bytes(4 * count))
    for here in range(1, total):
        found[order[here]] = order[idom[here]]
    return found, order


def least_label(node, ancestor, label, semi):
    """The node with the least semidominator above `node` in the forest; paths are compressed."""
    path = []
    while ancestor[ancestor[node]] >= 0:
        path.append(node)
        node = ancestor[node]
    for at in reversed(path):
        up = ancestor[at]
        if semi[label[up]] < semi[label[at]]:
            label[at] = label[up]
        ancestor[at] = ancestor[up]
    return label[path[0] if path else node]


def retained(count, tree, sizes):
    """Sums of sizes over the tree, 0 for what is not in it."""
    idom, order = tree
    sums = array.array("Q", bytes(8 * count))
    for node in reversed(order):
        sums[node] += sizes[node]
        if node:
            sums[idom[node]] += sums[node]
    return sums


def causes(steps):
    """{node: name of the step after which it is equal for good} of what differs at first or in the end, from [(name, nodes that
    differ after it)]; None = after no step."""
    found = dict.fromkeys(steps[0][1] | steps[-1][1])
    for (_, wrong), (name, _) in zip(steps, steps[1:] + [(None, None)]):
        found.update((node, name) for node in wrong if node in found)
    return found


def print_causes(steps, total):
    found = causes(steps)
    counts = collections.Counter(found.values())
    print(f"{len(found)} of {total} differ:")
    for name in [name for name, _ in steps[1:]] + [None]:
        print(f"{counts[name]:8} {name or 'not explained'}")
    return found

#!/usr/bin/env python3
"""Types of programs in Rust by debug information: what boxes, vectors, maps and reference counts hold, called as people write them."""
import platform
import re

import kit
from kit import check
from test_types import COUNT, build, capture, has

TYPES = {"Box<Account>": (1, 160), "Box<Mail>": (1, 200), "Rc<Visit>": (1, 144), "Arc<Node>": (2, 128)}
# Containers that grow: few blocks, or blocks of a size that is the library's choice.
CONTAINERS = ("HashMap<u32, Session>", "HashSet<u64>", "BTreeMap<String, u64>", "VecDeque<Order>", "Vec<Arc<Node>>", "Vec<Box<dyn Job>>", "Vec<String>")


def program(tool, folder, name, *flags):
    objects, bytes_ = capture(tool, folder, build(name, ["rustc", "-g", "-C", "link-arg=-Wl,--build-id"], "types_leak.rs", *flags))
    has(f"rustc {' '.join(flags)}", objects, bytes_, TYPES, CONTAINERS)
    check(objects["Vec<Order>"] == COUNT, f"orders: {objects['Vec<Order>']}")
    texts = sum(count for name, count in objects.items() if name.startswith("String at types_leak::"))
    check(texts == 3 * COUNT, f"texts: {texts} of {list(objects)}")
    # Members of the variable of main, inside of what the library has around them, and what nodes of a tree hold.
    if platform.machine() == "x86_64":
        said = tool.run("dump", folder / f"{name}.hs").stdout
        stacks = sorted(set(re.findall(r'"(stack of [^"]*)"', said)))
        for member in ("sessions", "by_name", "seen", "queue", "jobs", "nodes", "labels.inner"):
            check(f"stack of {name[:15]}: types_leak::main.shop.{member}" in stacks, f"{name}: no {member} among {stacks}")
        check('text="other"' in said and 'text="parent"' in said, f"{name}: members of nodes")


def debug(tool, folder):
    """As cargo builds it: without optimisation."""
    program(tool, folder, "rust-debug")


def release(tool, folder):
    """Optimised, with debug = true."""
    program(tool, folder, "rust-release", "-C", "opt-level=3")


if __name__ == "__main__":
    kit.main({"debug": debug, "release": release})

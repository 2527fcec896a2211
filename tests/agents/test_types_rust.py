#!/usr/bin/env python3
"""Types of programs in Rust by debug information: what boxes, vectors, maps and reference counts hold, called as people write them."""
import kit
from kit import check
from test_types import COUNT, build, capture, has

TYPES = {"Box<Account>": (1, 160), "Box<Mail>": (1, 200), "Rc<Visit>": (1, 144), "Arc<Node>": (2, 128)}
# Containers that grow: few blocks, or blocks of a size that is the library's choice.
CONTAINERS = ("HashMap<u32, Session>", "HashSet<u64>", "BTreeMap<String, u64>", "VecDeque<Order>", "Vec<Arc<Node>>", "Vec<Box<dyn Job>>")


def program(tool, folder, name, *flags):
    objects, bytes_ = capture(tool, folder, build(name, ["rustc", "-g", "-C", "link-arg=-Wl,--build-id"], "types_leak.rs", *flags))
    has(f"rustc {' '.join(flags)}", objects, bytes_, TYPES, CONTAINERS)
    check(objects["Vec<Order>"] == COUNT, f"orders: {objects['Vec<Order>']}")
    texts = sum(count for name, count in objects.items() if name.startswith("String at types_leak::"))
    check(texts == 2 * COUNT, f"texts: {texts} of {list(objects)}")


def debug(tool, folder):
    """As cargo builds it: without optimisation."""
    program(tool, folder, "rust-debug")


def release(tool, folder):
    """Optimised, with debug = true."""
    program(tool, folder, "rust-release", "-C", "opt-level=3")


if __name__ == "__main__":
    kit.main({"debug": debug, "release": release})

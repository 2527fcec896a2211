#!/usr/bin/env python3
"""Types of programs in Rust by debug information: what boxes, vectors, maps and reference counts hold, called as people write them."""
import platform
import re
import subprocess

import kit
from kit import check
from test_types import COUNT, build, capture, has

TYPES = {"Box<Account>": (1, 160), "Box<Mail>": (1, 200), "Rc<Visit>": (1, 144), "Arc<Node>": (2, 128), "Box<[u8; 120]>": (1, 120)}
# Containers that grow: few blocks, or blocks of a size that is the library's choice.
CONTAINERS = ("HashMap<u32, Session>", "HashSet<u64>", "BTreeMap<String, u64>", "VecDeque<Order>", "Vec<Arc<Node>>", "Vec<Box<dyn Job>>", "Vec<String>")


def program(tool, folder, name, *flags):
    objects, bytes_ = capture(tool, folder, build(name, ["rustc", "--edition=2021", "-g", "-C", "link-arg=-Wl,--build-id"], "types_leak.rs", *flags))
    has(f"rustc {' '.join(flags)}", objects, bytes_, TYPES, CONTAINERS)
    check(objects["Vec<Order>"] == COUNT, f"orders: {objects['Vec<Order>']}")
    check(objects["Box<watch::{closure}>"] == COUNT, f"closures: {list(objects)}")
    check(objects["Box<watch::{async fn}>"] == COUNT, f"futures: {list(objects)}")
    texts = sum(count for name, count in objects.items() if name.startswith("String at types_leak::"))
    check(texts == 3 * COUNT, f"texts: {texts} of {list(objects)}")
    # Members of the variable of main, inside of what the library has around them, and what nodes of a tree hold.
    if platform.machine() == "x86_64":
        said = tool.run("dump", folder / f"{name}.hs").stdout
        stacks = sorted(set(re.findall(r'"(stack of [^"]*)"', said)))
        for member in ("sessions", "by_name", "seen", "queue", "jobs", "nodes", "labels.inner"):
            check(f"stack of {name[:15]}: types_leak::main.shop.{member}" in stacks, f"{name}: no {member} among {stacks}")
        check('text="other"' in said and 'text="parent"' in said, f"{name}: members of nodes")
        check('text="steps"' in said, f"{name}: no local variable of an async function")


def debug(tool, folder):
    """As cargo builds it: without optimisation."""
    program(tool, folder, "rust-debug")


def release(tool, folder):
    """Optimised, with debug = true."""
    program(tool, folder, "rust-release", "-C", "opt-level=3")


CRATE = """pub struct Cache<V> { first: Option<Box<Entry<V>>>, pub hits: u64 }
pub struct Entry<V> { value: V, next: Option<Box<Entry<V>>> }
impl<V> Cache<V> {
    pub fn new() -> Self { Cache { first: None, hits: 0 } }
    pub fn put(&mut self, value: V) { let next = self.first.take(); self.first = Some(Box::new(Entry { value, next })); self.hits += 1; }
    pub fn drain(&mut self) -> usize { let mut n = 0; while let Some(mut e) = self.first.take() { self.first = e.next.take(); n += std::mem::size_of_val(&e.value); } n }
}
"""
MAIN = """use std::io::BufRead;
pub struct Page { body: [u8; 200] }
#[derive(Default)]
struct Own { newest: Option<Box<Page>>, names: Vec<String> }
enum Doc { Lines(Vec<Page>), Pair { key: Box<Page>, value: Box<Page> } }
struct App { pages: cache::Cache<Page>, own: Own, doc: Option<Doc> }
#[inline(never)]
fn plant(app: &mut App) { app.pages.put(Page { body: [1; 200] }); app.own.names.push(app.pages.hits.to_string()); app.own.newest = Some(Box::new(Page { body: [2; 200] }));
    app.doc = Some(if app.pages.hits == 0 { Doc::Pair { key: Box::new(Page { body: [3; 200] }), value: Box::new(Page { body: [4; 200] }) } } else { Doc::Lines(vec![Page { body: [5; 200] }]) }); }
fn main() {
    let mut app = App { pages: cache::Cache::new(), own: Own::default(), doc: None };
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        if let Some(count) = line.strip_prefix("leak ") {
            for _ in 0..count.parse::<u64>().unwrap() { plant(&mut app); }
            println!("leaked {}", app.pages.hits);
        } else { break; }
    }
    let doc = match &app.doc { Some(Doc::Pair { key, value }) => key.body[0] + value.body[1], Some(Doc::Lines(lines)) => lines[0].body[2], None => 0 };
    eprintln!("{} {} {} {doc}", app.pages.drain(), app.own.names.len(), app.own.newest.map_or(0, |p| p.body[0]));
}
"""


def crates(tool, folder):
    """What a crate that cargo has fetched calls its members says nothing to whoever uses it; the program's own words stay."""
    fetched = folder / "registry" / "src" / "index" / "cache-1.0.0"
    fetched.mkdir(parents=True)
    (fetched / "lib.rs").write_text(CRATE)
    (folder / "main.rs").write_text(MAIN)
    rustc = ["rustc", "--edition=2021", "-g", "-C", "opt-level=2"]
    kit.need("rustc")
    subprocess.run([*rustc, "--crate-type=rlib", "--crate-name=cache", fetched / "lib.rs", "-o", folder / "libcache.rlib"], check=True)
    program_path = folder / "uses-cache"
    subprocess.run([*rustc, "-C", "link-arg=-Wl,--build-id", "--crate-name=uses_cache", "--extern", f"cache={folder / 'libcache.rlib'}", "main.rs", "-o", program_path],
                   check=True, cwd=folder)
    objects, _ = capture(tool, folder, program_path)
    check(objects["Box<Entry<Page>>"] == COUNT, f"entries: {list(objects)}")
    if platform.machine() == "x86_64":
        said = set(re.findall(r'"stack of uses-cache: ([^"]*)"', tool.run("dump", folder / "uses-cache.hs").stdout))
        check({"uses_cache::main.app.pages", "uses_cache::main.app.own.names", "uses_cache::main.app.own.newest"} <= said, f"{sorted(said)}")
        check("uses_cache::main.app.pages.first" not in said, "the crate's own word")
        check("uses_cache::main.app.doc" in said and not any(".doc." in name for name in said), f"a word that two states call differently: {sorted(said)}")


if __name__ == "__main__":
    kit.main({"debug": debug, "release": release, "crates": crates})

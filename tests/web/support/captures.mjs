/*
 * Captures of real leaks in Node, in a JVM and in C, and made-up heaps for the edges: once for each build folder, whole or not at all.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostileTexts } from "./names.mjs";
import { writeProfile } from "./profile.mjs";
import { Program } from "./program.mjs";
import { writeSnapshot } from "./snapshot.mjs";
import { agents, diff, folder, isInstalled, run, skip, source } from "./work.mjs";

const programs = join(source, "tests/agents/programs");
const demo = join(source, "scripts/demo.d");

/* The server of the README, after 2,000 requests and after 14,000. */
function node(into) {
  run("node", [join(demo, "shop.js"), into]);
}

/* The shop of the README in Java, after 5,000 orders and after 45,000. */
async function jvm(into) {
  run("javac", ["-J-XX:TieredStopAtLevel=1", "-d", into, join(demo, "Shop.java")]);
  const shop = new Program("java", ["-Xmx256m", "-cp", into, "Shop"]);
  try {
    for (const name of ["before", "after"]) {
      await shop.expect("ready");
      diff(["capture", "-q", String(shop.pid), "-o", join(into, `${name}.hs`)]);
      shop.tell("");
    }
  } finally {
    await shop.end();
  }
}

/* Five leaks of a program in C. */
async function native(into) {
  const program = join(into, "native_leak");
  run("cc", ["-O1", "-g", "-pthread", "-Wl,--build-id", join(programs, "native_leak.c"), "-o", program]);
  const leak = new Program(program, [], { LD_PRELOAD: join(agents, "libhsdiff-native.so") });
  try {
    await leak.expect("ready");
    for (const [name, count] of [["before", 2000], ["after", 5000]]) {
      leak.tell(`leak ${count}`);
      await leak.expect("leaked");
      diff(["capture", "-q", String(leak.pid), "-o", join(into, `${name}.hs`)]);
    }
  } finally {
    await leak.end();
  }
}

/* Seven captures of a JVM, between which a map takes 300 sessions more. */
async function series(into) {
  run("javac", ["-J-XX:TieredStopAtLevel=1", "-d", into, join(programs, "JvmLeak.java")]);
  const leak = new Program("java", ["-Xmx256m", "-cp", into, "JvmLeak", "quiet", "1000"]);
  try {
    await leak.expect("ready");
    for (let round = 0; round < 7; round++) {
      leak.tell("leak 300");
      await leak.expect("leaked");
      leak.tell("gc");
      await leak.expect("collected");
      diff(["capture", "-q", String(leak.pid), "-o", join(into, `c${round}.hs`)]);
    }
  } finally {
    await leak.end();
  }
}

/* Every hostile name as a type and as a property of the global object; each grows by an amount of its own. */
function hostile(into) {
  const groups = (count) => hostileTexts().map((text, at) => ({ name: text, type: text, count: count(at), bytes: 32 }));
  writeSnapshot(join(into, "before.heapsnapshot"), groups(() => 1));
  writeSnapshot(join(into, "after.heapsnapshot"), groups((at) => 2 + (at % 40)));
}

/* A heap of one type: also its root is of it. */
function single(into) {
  for (const [name, count] of [["before", 10], ["after", 100]])
    writeSnapshot(join(into, `${name}.heapsnapshot`), [{ name: "all", type: "Map", count, bytes: 32 }], "Map");
}

/* Profiles of a server in Go: a cache that is never emptied, and more places that allocate than a report has rows for. */
function sites(into) {
  const server = [["net/http.HandlerFunc.ServeHTTP", "/usr/lib/go/src/net/http/server.go", 2286], ["net/http.(*ServeMux).ServeHTTP", "/usr/lib/go/src/net/http/server.go", 2828], ["net/http.serverHandler.ServeHTTP", "/usr/lib/go/src/net/http/server.go", 3311], ["net/http.(*conn).serve", "/usr/lib/go/src/net/http/server.go", 2073]];
  const put = [["main.(*Cache).Put", "/srv/shop/cache.go", 31], ["main.checkout", "/srv/shop/main.go", 88], ...server];
  const worker = (i) => [[`main.(*Worker).step${i % 30}`, `/srv/shop/worker${i % 30}.go`, 10 + i], ["main.(*Pool).run", "/srv/shop/pool.go", 54]];
  for (const [name, isAfter] of [["before", 0], ["after", 1]]) {
    const workers = Array.from({ length: 1100 }, (_, i) => ({ frames: worker(i), objects: 30 + ((i * 7) % 50) + isAfter * (((i * 37) % 61) - 20), bytes: 512 }));
    const unknown = { frames: [], objects: 40 + 10 * isAfter, bytes: 64 };
    writeProfile(join(into, `${name}.pb.gz`), [{ frames: put, objects: 1000 + isAfter * 47000, bytes: 1024 }, ...workers, unknown], 1_795_166_042 + isAfter * 3600);
  }
}

/* A capture that was cut off, and the one before it. */
function partial(into, made) {
  for (const name of ["before", "after"]) {
    const bytes = readFileSync(join(made("jvm"), `${name}.hs`));
    writeFileSync(join(into, `${name}.hs`), name === "after" ? bytes.subarray(0, Math.floor(bytes.length * 0.8)) : bytes);
  }
}

const makers = { node, jvm, native, series, hostile, single, sites, partial };

/* Captures are made anew when what makes them has changed. */
function stamp() {
  const own = ["captures.mjs", "profile.mjs", "snapshot.mjs"].map((name) => join(source, "tests/web/support", name));
  const leaks = ["JvmLeak.java", "native_leak.c"].map((name) => join(programs, name));
  const shops = ["Shop.java", "shop.js"].map((name) => join(demo, name));
  const hash = createHash("sha256");
  for (const file of [...own, ...leaks, ...shops, join(source, "tests/formats/kit.py")]) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 12);
}

/** The folder with the captures of that kind: before.*, after.*, or c0.hs to c6.hs. */
export function captures(kind) {
  return join(folder("captures"), `${kind}-${stamp()}`);
}

/** Makes those that are not there. */
export async function makeCaptures() {
  for (const program of ["node", "java", "javac", "cc", "python3"]) if (!isInstalled(program)) skip(`${program} is not installed`);
  for (const [kind, make] of Object.entries(makers)) {
    const where = captures(kind);
    if (existsSync(where)) continue;
    const fresh = `${where}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    try {
      await make(fresh, captures);
      renameSync(fresh, where);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
}

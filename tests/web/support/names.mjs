/*
 * Hostile names: those of tests/formats/kit.py, which the tests of all other formats use.
 */
import { join } from "node:path";
import { run, source } from "./work.mjs";

const program = "import base64, json, kit; print(json.dumps([base64.b64encode(name).decode() for name in kit.NAMES]))";

/** All of them as bytes; more than 500, some of them no UTF-8. */
export function hostileNames() {
  const listed = run("python3", ["-B", "-c", program], { cwd: join(source, "tests/formats") });
  return JSON.parse(listed).map((each) => Buffer.from(each, "base64"));
}

/** Those that are text: what a format that is text itself, such as a V8 snapshot, can carry. */
export function hostileTexts() {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const texts = [];
  for (const name of hostileNames()) {
    try {
      texts.push(decoder.decode(name));
    } catch {
      continue;
    }
  }
  return texts;
}

/** As the samples of tests/formats and tests/cli read them: each after its length in four little-endian bytes. */
export function packed(names) {
  return Buffer.concat(
    names.flatMap((name) => {
      const size = Buffer.alloc(4);
      size.writeUInt32LE(name.length);
      return [size, name];
    }),
  );
}

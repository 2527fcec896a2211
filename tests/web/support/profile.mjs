/*
 * Heap profiles of pprof, written from a list of stacks: how many objects of which size each has in use.
 */
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

function varint(value) {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const bytes = (field, data) => Buffer.concat([varint(field * 8 + 2), varint(data.length), data]);
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

/**
 * Writes a profile of the stacks {frames: [[function, file, line], …], objects, bytes}, the innermost frame first; `bytes` are those of
 * one object.
 */
export function writeProfile(path, stacks, secondsSince1970) {
  const parts = [];
  const strings = new Map([["", 0]]);
  const string = (text) => {
    if (!strings.has(text)) strings.set(text, strings.size);
    return strings.get(text);
  };
  const numbered = (put) => {
    const known = new Map();
    return (key, ...values) => {
      if (!known.has(key)) {
        known.set(key, known.size + 1);
        put(known.get(key), ...values);
      }
      return known.get(key);
    };
  };
  const functionOf = numbered((id, name, file) => parts.push(message(5, number(1, id), number(2, string(name)), number(4, string(file)))));
  const location = numbered((id, name, file, line) =>
    parts.push(message(4, number(1, id), message(4, number(1, functionOf(`${name}\n${file}`, name, file)), number(2, line)))),
  );
  for (const [type, unit] of [["inuse_objects", "count"], ["inuse_space", "bytes"]]) parts.push(message(1, number(1, string(type)), number(2, string(unit))));
  for (const { frames, objects, bytes: size } of stacks) {
    const places = frames.map(([name, file, line]) => number(1, location(`${name}\n${file}\n${line}`, name, file, line)));
    parts.push(message(2, ...places, number(2, objects), number(2, objects * size)));
  }
  parts.push(message(11, number(1, string("space")), number(2, string("bytes"))), number(12, 1), number(9, BigInt(secondsSince1970) * 1_000_000_000n));
  writeFileSync(path, gzipSync(Buffer.concat([...[...strings.keys()].map((text) => bytes(6, Buffer.from(text))), ...parts])));
}

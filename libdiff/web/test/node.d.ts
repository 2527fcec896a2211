/* What the tests use of node: no package of types is needed for it. */
declare module "node:test" {
  export function test(name: string, body: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  interface Assert {
    equal(actual: unknown, expected: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    ok(value: unknown, message?: string): asserts value;
    fail(message?: string): never;
    match(text: string, pattern: RegExp, message?: string): void;
    throws(body: () => void, expected?: RegExp): void;
    rejects(body: Promise<unknown> | (() => Promise<unknown>), expected?: RegExp | ((error: Error) => boolean)): Promise<void>;
  }
  const assert: Assert;
  export default assert;
}
declare module "node:fs" {
  export function readFileSync(path: string, encoding: "utf8"): string;
}
declare module "node:path" {
  export function join(...parts: string[]): string;
}
interface ImportMeta {
  readonly testFolder: string;
}

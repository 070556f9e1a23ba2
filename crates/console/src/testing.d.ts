// The parts of node's test runner that unit tests use. The types of all of node would give pages its globals.

declare module "node:test" {
  export function test(name: string, run: () => void | Promise<void>): Promise<void>;
  export function afterEach(run: () => void): void;
  export const mock: {
    method(on: object, name: string, run: (...given: never[]) => unknown): void;
    restoreAll(): void;
  };
}
declare module "node:assert/strict" {
  const assert: {
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    ok(value: unknown, message?: string): asserts value;
    throws(run: () => unknown, message?: string): void;
    rejects(promise: Promise<unknown>, expected?: RegExp): Promise<void>;
  };
  export default assert;
}
declare module "node:fs" {
  export function readdirSync(path: string, options: { recursive: true }): unknown[];
  export function readFileSync(path: string, encoding: "utf8"): string;
}
declare module "node:path" {
  export function dirname(path: string): string;
  export function join(...parts: string[]): string;
  export function normalize(path: string): string;
}

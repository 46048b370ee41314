/** Changes of the objects that all plugins share are refused or put back. */
import { afterEach, expect, test } from "vitest";
import { guardIntrinsics } from "../../src/base/intrinsics.ts";

const guard = guardIntrinsics("all");
afterEach(() => void guard.restore());

test.each<[string, () => void]>([
  ["Object.prototype.x", () => Object.assign(Object.prototype, { x: 1 })],
  ["Map.prototype.get", () => Object.assign(Map.prototype, { get: () => 1 })],
  ["JSON.stringify", () => Object.assign(JSON, { stringify: () => "" })],
  ["RegExp.prototype.exec", () => Object.assign(RegExp.prototype, { exec: () => null })],
  ["Promise.prototype.finally", () => Object.assign(Promise.prototype, { finally: undefined })],
  ["Array.prototype.map", () => void Reflect.deleteProperty(Array.prototype, "map")],
  ["Error.prototype.name", () => Object.defineProperty(Error.prototype, "name", { get: () => "x" })],
  ["fetch", () => Object.assign(globalThis, { fetch: () => 1 })],
  ["Map", () => Object.assign(globalThis, { Map: Set })],
])("a change of %s is put back, and named", (name, change) => {
  expect(guard.restore()).toEqual([]);
  change();
  const changed = guard.restore();
  expect(changed).toEqual([name]);
  expect(guard.restore()).toEqual([]);
});

test("what matching an expression leaves in RegExp is no change", () => {
  /(b)/.exec("abc");
  Error.stackTraceLimit += 1;
  expect(guard.restore()).toEqual([]);
});

/** If the template processes together use too much memory, the largest one is ended. */
import { expect, test } from "vitest";
import { createSharedMemory } from "../../src/pool/memory.ts";

test("the largest process is ended only if all together exceed the limit", () => {
  const memory = createSharedMemory(300);
  const [a, b, c] = [{}, {}, {}];
  expect(memory.seen(a, 200)).toBe(false);
  expect(memory.seen(b, 100)).toBe(false);
  expect(memory.seen(c, 50)).toBe(false);
  expect(memory.seen(a, 200)).toBe(true);
  memory.gone(a);
  expect(memory.seen(b, 200)).toBe(false);
  expect(memory.last(b)).toBe(200);
  expect(memory.last(a)).toBe(0);
});

/** A priority queue and its cost. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createHeap } from "../../../src/base/share/heap.ts";

test("a heap returns its items in order, for any sequence of additions and removals", () => {
  const step = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant("take" as const));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const heap = createHeap<number>((one, other) => one < other);
      let model: number[] = [];
      for (const item of steps) {
        if (item === "take") expect(heap.takeFirst()).toBe(model.shift());
        else {
          heap.add(item);
          model = [...model, item].sort((a, b) => a - b);
        }
        expect(heap.first()).toBe(model[0]);
        expect(heap.size).toBe(model.length);
      }
    }),
  );
});

test("the first of 10,000 heap items is read without comparisons and removed with few", () => {
  let compared = 0;
  const heap = createHeap<number>((one, other) => {
    compared++;
    return one < other;
  });
  for (let n = 0; n < 10_000; n++) heap.add((n * 7_919) % 10_007);
  compared = 0;
  expect(heap.first()).toBe(0);
  expect(compared).toBe(0);
  heap.takeFirst();
  expect(compared).toBeLessThan(40);
});

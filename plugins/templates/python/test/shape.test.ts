/** Dictionaries with few text keys share shapes, and behave like a Map under any operation. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { PyDict } from "../values/dict.ts";

const step = fc.tuple(
  fc.constantFrom("set", "delete", "take", "values"),
  fc.constantFrom("a", "b", "c", "d"),
  fc.nat(9),
);

test("a dictionary with a shared shape behaves like a Map under any operation", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const dict = new PyDict();
      const map = new Map<string, number>();
      for (const [what, key, value] of steps) {
        if (what === "set") {
          dict.set(key, value);
          map.set(key, value);
        } else if (what === "delete") expect(dict.delete(key)).toBe(map.delete(key));
        else if (what === "take") {
          dict.take(PyDict.from([[key, value]]));
          map.set(key, value);
        } else expect(dict.withValues([...map.values()]).entries()).toEqual([...map]);
      }
      expect(dict.entries()).toEqual([...map]);
      expect(dict.shaped?.shape.names ?? dict.keys()).toEqual([...map.keys()]);
      const copy = new PyDict();
      copy.take(dict);
      copy.set("e", 1);
      expect(dict.has("e")).toBe(false);
    }),
    { numRuns: runs(300) },
  );
});

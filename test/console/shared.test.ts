/** Values that all views read: who listens is told of changes, and of nothing else. */
import { expect, test } from "vitest";
import { shared } from "../../src/console/reading/shared.ts";

test("a change is told, with the new value in place; the same value again is none", () => {
  const reachable = shared(true);
  const told: boolean[] = [];
  const end = reachable.subscribe(() => told.push(reachable.value));
  reachable.value = true;
  reachable.value = false;
  reachable.value = false;
  end();
  reachable.value = true;
  expect(told).toEqual([false]);
});

test("one who stops listening while a change is told takes it from nobody else", () => {
  const session = shared<string | null>("first");
  const told: string[] = [];
  const end = session.subscribe(() => end());
  session.subscribe(() => told.push(String(session.value)));
  session.value = null;
  session.value = "second";
  expect(told).toEqual(["null", "second"]);
});

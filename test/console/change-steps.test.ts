/** What happened to a change, as its page says it. */
import { expect, test } from "vitest";
import { toldOf } from "../../src/console/pages/changes/change-steps.ts";

const at = "2026-01-31T08:00:00+00:00";
const told = (...steps: readonly (string | readonly [what: string, detail: string])[]) =>
  toldOf(
    steps.map((step, n) => {
      const [what, detail = null] = typeof step === "string" ? [step] : step;
      return { n, at, what, detail, who: null };
    }),
  )
    .toReversed()
    .map(({ words }) => words);

test("what a change does while it is returned has other words than what it did before", () => {
  const steps = [
    ...["started", "pushing", ["pushing", "wave 1 of 1: 1 device"], "failed", "stopped", "soaking"],
    ...["returning", "pushing", "left", "soaking", "returned"],
  ] as const;
  expect(told(...steps)).toEqual([
    ...["started", "pushes", "failed", "stopped"],
    ...["returning", "gives them back", "reads whether they are back", "returned"],
  ]);
});

test("a phase is told once, and not if it did nothing", () => {
  const wave = ["pushing", ["pushing", "wave 1 of 2: 1 device"], "left", "soaking"] as const;
  const words = ["pushes", "reads what the push left"];
  expect(told("started", ...wave, "soaking", "wave", ...wave, "done")).toEqual([
    ...["started", ...words, "waits after the wave", "wave", ...words, "done"],
  ]);
  expect(told("stopped", "returning", "left", "partly_returned", "returning", "pushing")).toEqual([
    ...["stopped", "returning", "reads whether they are back", "partly returned", "returning"],
    "gives them back",
  ]);
});

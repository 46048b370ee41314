/** The Jinja2 corpus: this engine must render what the reference renders. */
import { expect, test } from "vitest";
import { judge, readCases } from "./corpus.ts";
import { createTestEngine } from "./support.ts";

test("the Jinja2 corpus renders as with the reference implementation", async () => {
  const engine = createTestEngine();
  const cases = readCases();
  const failing: string[] = [];
  for (const one of cases) {
    const why = await judge(engine, one);
    if (why !== undefined) failing.push(`${one.id}: ${why}`);
  }
  console.log(`jinja2: ${cases.length - failing.length} of ${cases.length}\n${failing.join("\n")}`);
  expect(failing.length / cases.length).toBeLessThanOrEqual(0.01);
});

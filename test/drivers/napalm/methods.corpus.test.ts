/** Every method of a system is tested: on recorded responses, or by name in the system's tests. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { systemNames } from "../../../plugins/drivers/napalm/system-names.ts";
import { systems } from "../../../plugins/drivers/napalm/systems.ts";
import { replayCases } from "../../../scripts/testbed/replay.ts";

const recorded = new Set(
  replayCases().flatMap(({ driver, calls }) => calls.map(({ method }) => `${driver} ${method}`)),
);

/** Source of all tests of a system. */
function testsOf(system: string): string {
  const folder = `test/drivers/napalm/${system.replaceAll("_", "-")}`;
  const own = existsSync(folder) ? readdirSync(folder).map((name) => `${folder}/${name}`) : [];
  return own
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

/** By NAPALM's name or by function name: `get_vlans`, `getVlans`. */
function isNamed(method: string, tests: string): boolean {
  const functionName = method.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return new RegExp(`\\b(?:${method}|${functionName})\\b`).test(tests);
}

describe.each(systemNames)("the system %s", (name) => {
  test("has a test of each of its methods", async () => {
    const { methods } = (await systems[name]()).default;
    const tests = testsOf(name);
    const untried = methods.filter((method) => !recorded.has(`${name} ${method}`) && !isNamed(method, tests));
    expect(untried).toEqual([]);
  });
});

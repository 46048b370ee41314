/** Which commands of an agent only show something: the decision alone; test/e2e/mcp.test.ts asks devices. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { decideRead, expanded } from "../../src/mcp/reads.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";
import { runs } from "../support/runs.ts";
import { tried } from "./commands.ts";

const platforms = new Map<string, PlatformPlugin>(
  builtins.flatMap((one) => (one.kind === "platform" ? [[one.name, one] as const] : [])),
);
const readsOf = (name: string) => platforms.get(name)?.reads;

test("there are 200 harmful inputs and 200 harmless ones at least, each once for its system", () => {
  const all = Object.values(tried);
  const harmful = all.flatMap((one) => [...new Set(one.harmful)]);
  const harmless = all.flatMap((one) => [...new Set(one.harmless.map(String))]);
  expect(harmful.length).toBeGreaterThanOrEqual(200);
  expect(harmless.length).toBeGreaterThanOrEqual(200);
});

describe.each(Object.entries(tried))("%s", (name, { harmful, harmless }) => {
  test("nothing harmful is taken for a read command", () => {
    for (const input of harmful)
      expect([input, decideRead(input, readsOf(name), name)]).toEqual([
        input,
        { refused: expect.stringMatching(/^[\x20-\x7e]+\.$/) },
      ]);
  });

  test("harmless commands are, in whole words", () => {
    const decided = harmless.map((one) => {
      const [given, sent] = typeof one === "string" ? [one, one] : one;
      return { given, sent, got: decideRead(given, readsOf(name), name) };
    });
    expect(decided.filter(({ sent, got }) => !("command" in got) || got.command !== sent)).toEqual([]);
  });
});

test("a refusal names what is near", () => {
  const refused = (input: string) => decideRead(input, readsOf("cisco_ios"), "cisco_ios");
  expect(refused("show versoin")).toEqual({ refused: expect.stringContaining("near it are: show version") });
  expect(refused("sh ip ospf n x y")).toEqual({ refused: expect.stringContaining("show ip ospf neighbor") });
  expect(refused("show p")).toEqual({
    refused: expect.stringContaining('"p" may be privilege or processes'),
  });
  expect(refused("show version | tee x")).toEqual({ refused: expect.stringContaining("include") });
  expect(decideRead("show version", undefined, "acme_os")).toEqual({
    refused: "no read commands are known for the platform acme_os.",
  });
});

test("whatever is given, what is sent is one of the forms", () => {
  const reads = readsOf("cisco_ios");
  const words = [
    "show",
    "sh",
    "ip",
    "bgp",
    "|",
    "redirect",
    "include",
    "run",
    "10.0.0.1",
    "x",
    ";",
    "\n",
    "do",
  ];
  const forms = (reads?.commands ?? []).flatMap(expanded).map((form) => form.join(" "));
  const patterns = forms.map(
    (form) => new RegExp(`^${form.replaceAll("<value>", "[A-Za-z0-9:*][^ |;<>]*")}$`),
  );
  const given = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((some) => some.join(" ")),
  );
  fc.assert(
    fc.property(given, (input) => {
      const decision = decideRead(input, reads, "cisco_ios");
      if (!("command" in decision)) return;
      const [command = ""] = decision.command.split(" | ");
      expect(decision.command).toMatch(/^[\x20-\x7e]+$/);
      expect(patterns.some((pattern) => pattern.test(command))).toBe(true);
    }),
    { numRuns: runs(200) },
  );
});

test("every platform's forms are closed, its facts are among its commands, and none shows a configuration", () => {
  for (const { name, reads } of platforms.values()) {
    if (reads === undefined) continue;
    for (const fact of Object.values(reads.facts ?? {})) {
      const command = typeof fact === "string" ? fact : fact.json;
      expect([name, decideRead(command, reads, name)]).toEqual([name, { command }]);
    }
    const words = reads.commands.flatMap(expanded).map((form) => form.join(" "));
    const suspicious =
      /running|startup-config|\btech|current-conf|saved-conf|password|secret|community |key\b/;
    expect([name, words.filter((form) => suspicious.test(form))]).toEqual([name, []]);
    expect(words.filter((form) => /^\S+ <value>/.test(form))).toEqual([]);
  }
});

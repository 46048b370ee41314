/** Unified differences are applied by real git and patch, and count what they show. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyDelta, makeDelta } from "../../src/configtext/delta.ts";
import { countChanges, unified } from "../../src/configtext/diff.ts";
import { runs } from "../support/runs.ts";
import { isExhaustive } from "../support/sampled.ts";
import { anyLines, edited } from "./texts.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "configtext-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Enough that what grows with their square does not end in time. */
const many = isExhaustive() ? 600_000 : 100_000;
const names = { from: "a/sw1.cfg", to: "b/sw1.cfg" };

/** What git makes of the text. */
function appliedByGit(text: string, patch: string): string {
  const file = join(folder, "sw1.cfg");
  writeFileSync(file, text);
  if (patch === "") return text;
  execFileSync("git", ["apply", "--whitespace=nowarn", "--unidiff-zero", "-"], { cwd: folder, input: patch });
  return readFileSync(file, "utf8");
}

describe("a unified difference", () => {
  test("is applied by git, whatever the lines", () => {
    const context = fc.constantFrom(0, 1, 3, 3, Number.POSITIVE_INFINITY);
    fc.assert(
      fc.property(anyLines, fc.infiniteStream(fc.nat()), context, (given, choices, context) => {
        const [a, b] = [given.toWellFormed(), edited(given, choices).toWellFormed()];
        expect(appliedByGit(a, unified(a, b, { ...names, context }))).toBe(b);
      }),
      { numRuns: runs(120) },
    );
  });

  test("leaves the ignored lines of the first text as they are", () => {
    const ignore = (line: string) => line === "!" || line.startsWith("interface");
    const rest = (text: string) =>
      text
        .split("\n")
        .filter((line) => !ignore(line.replace(/\r$/, "")))
        .join("\n");
    // As read from a device: an open last line cannot stand before an ignored one.
    const closed = (text: string) => text.toWellFormed().replace(/(?<!\n|^)$/, "\n");
    fc.assert(
      fc.property(anyLines, fc.infiniteStream(fc.nat()), (given, choices) => {
        const [a = "", b = ""] = [given, edited(given, choices)].map(closed);
        const patch = unified(a, b, { ...names, ignore });
        const result = appliedByGit(a, patch);
        expect(rest(result).trimEnd()).toBe(rest(b).trimEnd());
        const { added, removed } = countChanges(a, b, { ignore });
        const counted = (sign: string) =>
          patch.split("\n").filter((line) => line.startsWith(sign)).length - (patch === "" ? 0 : 1);
        expect([counted("+"), counted("-")]).toEqual([added, removed]);
      }),
      { numRuns: runs(60) },
    );
  });

  test("has git's form: names, ranges, the heading above, the open end", () => {
    const a = "hostname r1\ninterface A\n ip address 10.0.0.1\n mtu 1500\n a\n b\n no shutdown";
    const b = a.replace("no shutdown", "shutdown");
    expect(unified(a, b, { ...names, context: 2 })).toBe(
      [
        ...["--- a/sw1.cfg", "+++ b/sw1.cfg", "@@ -5,3 +5,3 @@ interface A", "  a", "  b"],
        ...["- no shutdown", "\\ No newline at end of file"],
        ...["+ shutdown", "\\ No newline at end of file", ""],
      ].join("\n"),
    );
    expect(unified("", "a\n", names)).toBe("--- a/sw1.cfg\n+++ b/sw1.cfg\n@@ -0,0 +1 @@\n+a\n");
    expect(unified(a, a, names)).toBe("");
    const named = unified("", "a\n", { from: "a b", to: 'a\n+++ "x"' });
    expect(named).toContain('--- a b\t\n+++ "a\\012+++ \\"x\\""\n');
  });

  test("ignored lines are no difference, in whatever number", () => {
    const ignore = (line: string) => line.startsWith("! Last");
    const a = "! Last configuration change at 10:00\nhostname r1\n";
    const b = "hostname r1\n! Last configuration change at 11:00\n! Last login\n";
    expect(unified(a, b, { ...names, ignore })).toBe("");
    expect(countChanges(a, b, { ignore })).toEqual({ added: 0, removed: 0 });
    expect(countChanges(a, b)).toEqual({ added: 2, removed: 1 });
  });

  test.each([
    ["nothing in common", (at: number) => `a ${at}`, (at: number) => `b ${at}`],
    ["equal lines", () => "a", () => "a"],
    ["alternating lines", (at: number) => `${at % 2}`, (at: number) => `${(at + 1) % 2}`],
    ["the same in reverse", (at: number) => `${at}`, (at: number) => `${many - at}`],
  ])(
    `of ${many.toLocaleString("en")} lines ends and is applied by git: %s`,
    (_, one, other) => {
      const lines = (of: (at: number) => string, length: number) =>
        Array.from({ length }, (_, at) => `${of(at)}\n`).join("");
      const [a, b] = [lines(one, many), lines(other, many - 1)];
      expect(appliedByGit(a, unified(a, b, names)) === b).toBe(true);
      const delta = makeDelta(a, b);
      expect(delta === undefined || applyDelta(a, delta) === b).toBe(true);
    },
    60_000,
  );

  test("of one line of 8 MiB is that line", () => {
    const [a, b] = ["a".repeat(8 * 1024 * 1024), `${"a".repeat(8 * 1024 * 1024)}b`];
    expect(countChanges(a, b)).toEqual({ added: 1, removed: 1 });
    expect(makeDelta(a, b)).toBeUndefined();
  });
});

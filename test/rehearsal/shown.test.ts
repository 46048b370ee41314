import { describe, expect, test } from "vitest";
import type { ForeseenLine } from "../../src/configlines/foresee.ts";
import type { Lockout } from "../../src/configlines/lockout.ts";
import { type GradeInput, gradeLines } from "../../src/rehearsal/grade.ts";

const line = (number: number, shape: string, more: Partial<ForeseenLine> = {}): ForeseenLine => ({
  ...{ line: number, effect: "adds", path: [], section: "", shape, words: shape.split(" ") },
  ...more,
});

const input = (lines: readonly ForeseenLine[], more: Partial<GradeInput> = {}): GradeInput => ({
  foreseen: { lines, there: [], lockouts: [] },
  lines: lines.map(({ shape }) => shape),
  ...{ record: [], major: undefined, asks: [], native: undefined, shows: true },
  iso: String,
  ...more,
});

describe("without the right to read configurations", () => {
  const second = line(1, "ip address <ip> <ip>", { refusal: { why: "second", of: "ip address 192.0.2.77" } });
  const other = line(2, "permit <ip>", { refusal: { why: "second", of: "10 permit 192.0.2.78" } });
  const route = line(3, "no ip route <prefix> <ip>", { effect: "removes" });
  const lockouts: Lockout[] = [{ line: 3, why: "the way back goes by ip route 192.0.2.79" }];
  const foreseen = { lines: [second, other, route], there: [], lockouts };
  const words = (shows: boolean) =>
    gradeLines(input(foreseen.lines, { foreseen, shows })).map(({ grade, why }) => `${grade}: ${why}`);

  test("no line of one is named", () => {
    expect(words(true).join()).toMatch(/192\.0\.2\.77.*192\.0\.2\.78.*192\.0\.2\.79/);
    expect(words(false).join()).not.toContain("192.0.2.7");
  });

  test("the grades are the same", () => {
    expect(words(false).map((one) => one.split(":")[0])).toEqual(["refused", "refused", "locks_out"]);
  });
});

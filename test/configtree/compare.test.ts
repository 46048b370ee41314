/** Differences of trees: order counts where the platform says so, and nothing else is lost. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainRules, rulesOf, type TextRules } from "../../src/configtext/rules.ts";
import { compareTrees, countTreeChanges, treeText } from "../../src/configtree/compare.ts";
import { runs } from "../support/runs.ts";

const ios: TextRules = {
  shape: "indent",
  unordered: [/^(?:interface|username|ip route|router) /, /^\s+(?:description|mtu|ip|neighbor|no) /],
  ordered: [/^\s+ip permit/],
  ignore: [/^ntp clock-period/],
};
const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");
const shown = (a: string, b: string, rules = ios) => treeText(compareTrees(a, b, rules));

describe("the difference of trees", () => {
  test("shows what differs below its parents", () => {
    const a = text("hostname r1", "interface A", " description old", " mtu 1500", "interface B", " mtu 9000");
    const b = text("hostname r1", "interface C", " mtu 1", "interface A", " mtu 1500", " description new");
    expect(compareTrees(a, b, ios)).toEqual([
      {
        change: "added",
        text: "interface C",
        to: 2,
        children: [{ change: "added", text: " mtu 1", to: 3, children: [] }],
      },
      {
        change: "within",
        text: "interface A",
        from: 2,
        to: 4,
        children: [
          { change: "removed", text: " description old", from: 3, children: [] },
          { change: "added", text: " description new", to: 6, children: [] },
        ],
      },
      {
        change: "removed",
        text: "interface B",
        from: 5,
        children: [{ change: "removed", text: " mtu 9000", from: 6, children: [] }],
      },
    ]);
    expect(shown(a, b)).toBe(
      text(
        ...["+interface C", "+ mtu 1", " interface A", "- description old", "+ description new"],
        ...["-interface B", "- mtu 9000"],
      ),
    );
  });

  test("of lines in another order is none, unless their order counts", () => {
    const acl = (...entries: string[]) => text("ip access-list x", ...entries, "interface A", " mtu 1");
    const a = acl(" permit 1", " permit 2", " deny 3");
    expect(shown(a, acl(" permit 2", " permit 1", " deny 3"))).toBe(text(" ip access-list x", "~ permit 1"));
    expect(shown(text("interface A", "interface B"), text("interface B", "interface A"))).toBe("");
    const exception = (one: string, other: string) => text("x", ` ip ${one}`, ` ip ${other}`);
    expect(shown(exception("permit 1", "permit 2"), exception("permit 2", "permit 1"))).toBe(
      text(" x", "~ ip permit 1"),
    );
  });

  test("keeps equal lines apart, ignores notes and volatile lines, and blanks at the ends", () => {
    expect(shown(text("x", " exit", " exit"), text("x", " exit"))).toBe("");
    expect(shown(text("x", " a", " a"), text("x", " a"))).toBe(text(" x", "- a"));
    expect(shown(text("! 1", "", "ntp clock-period 1", "x  "), text("x", "! 2", "ntp clock-period 7"))).toBe(
      "",
    );
    const moved = shown(text("a", " 1", "b", "c"), text("b", "c", "a", " 2"));
    expect(moved).toBe(text("~a", "- 1", "+ 2"));
    expect(countTreeChanges(compareTrees(text("a", " 1", "b"), text("b", "a", " 2")))).toEqual({
      added: 1,
      removed: 1,
      moved: 1,
    });
  });

  test("is the same with rules that have crossed a process", () => {
    const crossed: TextRules = rulesOf(
      structuredClone(plainRules({ ...ios, blocks: [{ start: /^t/i, end: /^e/ }] })),
    );
    expect(crossed).toEqual({ ...ios, comment: undefined, blocks: [{ start: /^t/i, end: /^e/ }] });
  });

  interface Block {
    readonly name: string;
    readonly below: readonly Block[];
  }
  const { block } = fc.letrec<{ block: Block }>((tie) => ({
    block: fc.record({
      name: fc.constantFrom("interface a", "interface b", "description x", "mtu 1", "kept 1", "kept 2"),
      below: fc.oneof({ depthSize: "small" }, fc.constant([]), fc.array(tie("block"), { maxLength: 4 })),
    }),
  }));
  const written = (blocks: readonly Block[], depth = 0): string =>
    blocks.map(({ name, below }) => `${" ".repeat(depth)}${name}\n${written(below, depth + 1)}`).join("");
  const free: TextRules = { unordered: [/^\s*(?:interface|description|mtu)/] };
  /** In another order, but for lines whose order counts. */
  const shuffled = (blocks: readonly Block[], next: () => number): Block[] => {
    const below = blocks.map((one) => ({ ...one, below: shuffled(one.below, next) }));
    const isFree = ({ name }: Block) => !name.startsWith("kept");
    const loose = below.filter(isFree);
    const result = below.filter((one) => !isFree(one));
    for (const one of loose) result.splice(next() % (result.length + 1), 0, one);
    return result;
  };

  test("is none after any shuffle of lines whose order means nothing, and never none otherwise", () => {
    const blocks = fc.array(block, { maxLength: 5 });
    const canonical = (list: readonly Block[]): string => {
      const all = list.map(({ name, below }) => ({ name, text: JSON.stringify([name, canonical(below)]) }));
      const isKept = ({ name }: { name: string }) => name.startsWith("kept");
      const kept = all.filter(isKept).map((one) => one.text);
      const loose = all.filter((one) => !isKept(one)).map((one) => one.text);
      return JSON.stringify([kept, loose.toSorted()]);
    };
    fc.assert(
      fc.property(blocks, blocks, fc.infiniteStream(fc.nat()), (one, other, choices) => {
        const next = () => Number(choices.next().value);
        expect(compareTrees(written(one), written(shuffled(one, next)), free)).toEqual([]);
        const isEqual = canonical(one) === canonical(other);
        expect(compareTrees(written(one), written(other), free).length === 0).toBe(isEqual);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("of hostile texts is found: no common line, the reverse, many equal lines, great depth", () => {
    const many = Array.from({ length: 100_000 }, (_, at) => `line ${at}`);
    const deep = Array.from({ length: 2_000 }, (_, at) => `${" ".repeat(at)}x${at}`);
    expect(compareTrees(text(...many), text(...many.toReversed())).length).toBeGreaterThan(0);
    expect(compareTrees(text(...many), text(...many.toReversed()), { unordered: [/./] })).toEqual([]);
    const none = compareTrees("a\n".repeat(600_000), many.join("\n"));
    expect(countTreeChanges(none)).toEqual({ added: 100_000, removed: 600_000, moved: 0 });
    expect(compareTrees("a\n".repeat(100_000), "a\n".repeat(99_999))).toHaveLength(1);
    expect(countTreeChanges(compareTrees(text(...deep), text(...deep, "y"))).added).toBe(1);
  });
});

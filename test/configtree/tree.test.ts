/** Trees of configurations: written again they are the same text, whatever the shape, and blocks stand where they belong. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TextRules } from "../../src/configtext/rules.ts";
import { type ConfigNode, maxTreeDepth, parseTree, writeTree } from "../../src/configtree/tree.ts";
import { anyLines } from "../configtext/texts.ts";
import { runs } from "../support/runs.ts";

const shapes = ["indent", "braces", "set", "blocks", "none"] as const;

/** Headings with what is below them; notes are left out. */
function outline(nodes: readonly ConfigNode[]): unknown[] {
  return nodes.flatMap(({ isNote, lines, children }): readonly unknown[] => {
    if (isNote) return [];
    const text = lines.map((line) => line.trim()).join("/");
    return children.some((child) => !child.isNote) ? [[text, ...outline(children)]] : [text];
  });
}

const treeOf = (shape: TextRules["shape"], ...lines: string[]) =>
  outline(parseTree(lines.map((line) => `${line}\n`).join(""), { shape }));

describe("a tree", () => {
  test("has nothing below a section that a divider has ended, whatever the indentation", () => {
    const text =
      "#\n sysname R1\n#\ninterface Vlan1\n ip address 10.0.0.1 24\n #\n shutdown\n#\n ssh server enable\n#\n";
    const nodes = parseTree(text, { comment: "#", divider: "#" });
    expect(outline(nodes)).toEqual([
      "sysname R1",
      ["interface Vlan1", "ip address 10.0.0.1 24", "shutdown"],
      "ssh server enable",
    ]);
    expect(writeTree(nodes)).toBe(text);
  });

  const word = fc.constantFrom(
    ...["config a", "edit 1", "next", "end", "x {", "}", "} else {", "exit", "exit-vrf", "banner motd ^C"],
    ...["text ^C", 'set b "open', '"', "! note", "# note", "", "set a b", "banner login", "EOF"],
  );
  const line = fc.tuple(fc.nat(4), word).map(([indent, text]) => `${" ".repeat(indent)}${text}`);
  const text = fc.oneof(
    fc.array(line, { maxLength: 40 }).map((lines) => lines.join("\n")),
    anyLines,
  );

  test.each(shapes)("of shape %s is written as the same text", (shape) => {
    fc.assert(
      fc.property(text, (given) => {
        expect(writeTree(parseTree(given, { shape }))).toBe(given);
      }),
      { numRuns: runs(500) },
    );
  });

  test("by indentation: a line belongs to the nearest one above that is indented less", () => {
    expect(
      treeOf(
        "indent",
        ...["hostname r1", "!", "interface A", " mtu 1500", "!", "interface B", "router bgp 1"],
        ...[
          " address-family ipv4",
          "  network 10.0.0.0",
          " exit-address-family",
          " timers 1 3",
          "exit",
          "end",
        ],
      ),
    ).toEqual([
      "hostname r1",
      ["interface A", "mtu 1500"],
      "interface B",
      ["router bgp 1", ["address-family ipv4", "network 10.0.0.0"], "timers 1 3"],
      "end",
    ]);
  });

  test("a banner is one line, and one that does not end is an ordinary line", () => {
    expect(treeOf("indent", "banner motd ^C", "interface A", " x", "^C", "interface B", " y")).toEqual([
      "banner motd ^C/interface A/x/^C",
      ["interface B", "y"],
    ]);
    expect(treeOf("indent", "banner motd ^C", "interface A", " x")).toEqual([
      "banner motd ^C",
      ["interface A", "x"],
    ]);
  });

  test("by braces", () => {
    expect(
      treeOf(
        "braces",
        ...[
          "interfaces {",
          "    ge-0/0/0 { ## secret",
          "        mtu 1500;",
          "    }",
          "    # note",
          "    lo0;",
          "}",
        ],
        ...["inactive: system {", "}", "version 1;"],
      ),
    ).toEqual([
      ["interfaces {", ["ge-0/0/0 { ## secret", "mtu 1500;"], "lo0;"],
      "inactive: system {",
      "version 1;",
    ]);
  });

  test("by blocks: an end closes what stands open inside of it, and quotes hold lines together", () => {
    expect(
      treeOf(
        "blocks",
        ...[
          "config system admin",
          'edit "a"',
          'set key "x',
          "end",
          'y"',
          "next",
          "edit b",
          "end",
          "config z",
          "end",
        ],
      ),
    ).toEqual([["config system admin", ['edit "a"', 'set key "x/end/y"'], "edit b"], "config z"]);
  });

  test.each(shapes)("of shape %s is made of hostile texts: deep, open, never closed", (shape) => {
    const count = 100_000;
    const deep = Array.from({ length: 3_000 }, (_, at) => `${" ".repeat(at)}x`).join("\n");
    const texts = [
      deep,
      ...["{\n", "}\n", "config a\n", "end\n", "edit a\n", "next\n", "banner motd x\n", 'set "\n'].map(
        (line) => line.repeat(count),
      ),
      "x".repeat(8 * 1024 * 1024),
      " ".repeat(1024 * 1024),
    ];
    const depthOf = (nodes: readonly ConfigNode[]): number =>
      nodes.reduce((most, { children }) => Math.max(most, 1 + depthOf(children)), 0);
    for (const hostile of texts) {
      const tree = parseTree(hostile, { shape });
      expect(depthOf(tree)).toBeLessThanOrEqual(maxTreeDepth + 1);
      expect(writeTree(tree) === hostile).toBe(true);
    }
  });
});

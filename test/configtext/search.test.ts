/** Search finds the lines that match, with what stands above them, in linear time for any expression. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileSearch, type SearchQuery, searchLimits } from "../../src/configtext/search.ts";
import { requiredLiteral } from "../../src/configtext/secrets/literal.ts";
import { runs } from "../support/runs.ts";

const text = [
  ...["hostname core1", "!", "interface Vlan10", " description Users", " ip address 10.0.0.1 255.255.255.0"],
  ...[
    "!",
    "router bgp 65000",
    " address-family ipv4",
    "  ! note",
    "  network 10.0.0.0",
    " neighbor 10.0.0.9",
  ],
  ...["ip route 10.1.0.0 255.255.0.0 10.0.0.2\r", "ip route 0.0.0.0 0.0.0.0 10.0.0.9", ""],
].join("\n");

async function found(query: SearchQuery, given = text) {
  const { hits, total } = (await compileSearch(query)).search(given);
  expect(total).toBe(hits.length);
  return hits.map(({ line, text, parents }) => [line, ...parents.map(({ text }) => text), text]);
}

describe("a search", () => {
  test("finds lines with their parents", async () => {
    expect(await found({ q: "NETWORK 10" })).toEqual([
      [10, "router bgp 65000", " address-family ipv4", "  network 10.0.0.0"],
    ]);
    expect(await found({ q: "NETWORK 10", caseSensitive: true })).toEqual([]);
    expect(await found({ q: "note" })).toEqual([[9, "router bgp 65000", " address-family ipv4", "  ! note"]]);
    expect(await found({ regex: "^ip route 10\\." })).toEqual([
      [12, "ip route 10.1.0.0 255.255.0.0 10.0.0.2"],
    ]);
    expect(await found({ regex: "10\\.0\\.0\\.2$" })).toHaveLength(1);
    expect(await found({ regex: "USERS|core" })).toEqual([
      [1, "hostname core1"],
      [4, "interface Vlan10", " description Users"],
    ]);
    expect(await found({ regex: "^$" }, "\n\na\n")).toEqual([
      [1, ""],
      [2, ""],
    ]);
    expect(await found({ q: "i" }, "İ I\nx\nİI")).toHaveLength(2);
  });

  test("says where in a line it is", async () => {
    const places = async (query: SearchQuery, given = text) =>
      (await compileSearch(query))
        .search(given)
        .hits.map(({ text, found }) => found.map(({ from, to }) => text.slice(from, to)));
    expect(await places({ q: "IP ROUTE 0" })).toEqual([["ip route 0"]]);
    expect(await places({ q: "aa" }, "aaaaa\nAA a")).toEqual([["aa", "aa"], ["AA"]]);
    expect(await places({ q: "aa", caseSensitive: true }, "aaaaa\nAA a")).toEqual([["aa", "aa"]]);
    expect(await places({ regex: "\\d+\\.0\\.0\\.[29]", section: "^ip" })).toEqual([
      ["10.0.0.2"],
      ["10.0.0.9"],
    ]);
    expect(await places({ regex: "x*" }, "axxbx\nb")).toEqual([["xx", "x"], []]);
    const long = `${"b".repeat(searchLimits.lineChars)}a`;
    expect(await places({ q: "a" }, `${long}\n${"a".repeat(50)}`)).toEqual([
      [],
      Array.from({ length: searchLimits.foundPerLine }, () => "a"),
    ]);
  });

  test("in a section takes its heading and what is below it", async () => {
    expect(await found({ q: "10.", section: "^router bgp" })).toEqual([
      [10, "router bgp 65000", " address-family ipv4", "  network 10.0.0.0"],
      [11, "router bgp 65000", " neighbor 10.0.0.9"],
    ]);
    expect(await found({ q: "bgp", section: "^router" })).toEqual([[7, "router bgp 65000"]]);
    expect(await found({ q: "hostname", section: "^router" })).toEqual([]);
  });

  test("finds what the runtime's expressions find line by line", async () => {
    const lines = fc.array(fc.stringMatching(/^[ab .!\r]{0,6}$/), { maxLength: 12 });
    const parts = fc.constantFrom(
      "a",
      "b",
      "ab",
      "a+",
      "b*",
      "[ab]",
      "(?:ab)?",
      "(a|b)",
      "\\.",
      ".",
      "a{2}",
      "b{0,1}",
      "^",
      "$",
      "\\x61",
      "A",
    );
    const pattern = fc.array(parts, { minLength: 1, maxLength: 5 }).map((list) => list.join(""));
    await fc.assert(
      fc.asyncProperty(lines, pattern, fc.boolean(), async (list, regex, caseSensitive) => {
        const { total } = (await compileSearch({ regex, caseSensitive })).search(
          list.map((line) => `${line}\n`).join(""),
        );
        const same = new RegExp(regex, caseSensitive ? "s" : "is");
        expect(total).toBe(list.filter((line) => same.test(line.replace(/\r$/, ""))).length);
        const literal = requiredLiteral(regex);
        for (const line of list)
          if (new RegExp(regex, "s").test(line.replace(/\r$/, ""))) expect(line).toContain(literal);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("of any text finds what a look at each line does, and says so beforehand", async () => {
    const some = fc.string({
      unit: fc.constantFrom(..."aikIKs. \u0130\u212a\u00dfé-1".split("")),
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(some), some, fc.boolean(), async (list, q, caseSensitive) => {
        fc.pre(q !== "");
        const fold = (one: string) => (caseSensitive ? one : one.toLowerCase());
        const searcher = await compileSearch({ q, caseSensitive });
        const given = list.map((line) => `${line}\n`).join("");
        const expected = list.filter((line) => fold(line).includes(fold(q))).length;
        expect(searcher.search(given).total).toBe(expected);
        if (expected > 0) expect(searcher.mayMatch(given)).toBe(true);
      }),
      { numRuns: runs(2_000) },
    );
    const turned = [];
    for (let code = 128; code <= 0x10ffff; code++)
      if (/[\0-\x7f]/.test(String.fromCodePoint(code).toLowerCase())) turned.push(code);
    expect(turned).toEqual([0x130, 0x212a]);
  });

  test.each([
    ["^ip route 10\\.", "ip route 10."],
    ["abc*d", "ab"],
    ["ab+cde", "cde"],
    ["(?:foo)?bar", "bar"],
    ["a|b", ""],
    ["(?i)abc", ""],
    ["\\Qa|b\\E", ""],
    ["[a-z]+x{2,}yy", "yy"],
    ["[]a]bc", "bc"],
    ["[[:alpha:]]bc", "bc"],
    ["\\x41bc\\x{42}", "bc"],
    ["\\pLbc\\p{Greek}d", "bc"],
    ["\\101bc", "bc"],
    ["a{,2}b", "a{,2}b"],
    ["\u{1F600}?bc", "bc"],
    ["(ab(c|d)e)f", "f"],
  ])("requires of %s the text %j", (pattern, literal) => {
    expect(requiredLiteral(pattern)).toBe(literal);
  });

  test.each([
    [{}, "give either"],
    [{ q: "a", regex: "b" }, "give either"],
    [{ q: "" }, "must not be empty"],
    [{ q: "a\nb" }, "one line"],
    [{ q: "a".repeat(513) }, "longer than 512"],
    [{ regex: "a".repeat(513) }, "longer than 512"],
    [{ regex: "(" }, "syntax of RE2: missing closing )"],
    [{ regex: "a(?=b)" }, "uses look-around"],
    [{ regex: "(?<!a)b" }, "uses look-around"],
    [{ regex: "(a)\\1" }, "uses a back reference"],
    [{ regex: "((a{100}){100}){100}" }, "syntax of RE2"],
    [{ q: "a", section: "[" }, "syntax of RE2"],
  ])("that is wrong is refused: %j", async (query, message) => {
    await expect(compileSearch(query)).rejects.toMatchObject({
      kind: "Validation",
      detail: { issues: [{ message: expect.stringContaining(message) }] },
    });
  });

  test("of hostile texts and expressions ends, with bounded answers", async () => {
    const mega = 1024 * 1024;
    const hostile = [
      "a".repeat(8 * mega),
      "a\n".repeat(mega),
      "\n".repeat(mega),
      `${"a".repeat(8 * mega)}!\n`,
    ];
    hostile.push(Array.from({ length: 3_000 }, (_, at) => `${" ".repeat(at)}aa`).join("\n"));
    for (const regex of ["(a+)+$", "(a|aa)*b", "^(a?){50}a{50}$", "(.*a){10}", "[ab]*a[ab]{12}$"])
      for (const given of hostile) {
        const { hits } = (await compileSearch({ regex, section: "a" })).search(given);
        expect(hits.length).toBeLessThanOrEqual(searchLimits.hitsPerText);
        for (const { text, parents } of hits) {
          expect(text.length).toBeLessThanOrEqual(searchLimits.lineChars + 1);
          expect(parents.length).toBeLessThanOrEqual(searchLimits.parents);
        }
      }
    const { hits, total } = (await compileSearch({ q: "a" })).search("a\n".repeat(mega), 5);
    expect([hits.length, total]).toEqual([5, mega]);
  });
});

/** Parsed output as a table, and as CSV without formulas. */
import { expect, test } from "vitest";
import { parseExact } from "../../src/base/json/exact-json.ts";
import { csvOf, mergedRecords, recordsOf } from "../../src/console/records.ts";
import { shownText } from "../../src/console/shown.ts";

test("a list of records becomes a table with the columns of all records", () => {
  const records = recordsOf([
    { port: "Gi0/1", vlans: [1, 2] },
    { port: "Gi0/2", speed: null, more: { a: 1 } },
  ]);
  expect(records).toEqual({
    columns: ["port", "vlans", "speed", "more"],
    rows: [
      ["Gi0/1", "1, 2", "", ""],
      ["Gi0/2", "", "", '{"a":1}'],
    ],
  });
});

test.each([["text"], [[]], [["text"]], [[[1]]], [null], [{ a: 1 }]])(
  "%j does not become a table",
  (value) => {
    expect(recordsOf(value)).toBeUndefined();
  },
);

test("CSV keeps line breaks and quotes, and a formula becomes text", () => {
  const rows = [
    ["=1+1", 'say "hi"'],
    ["-3", "a\nb"],
    ["@x", "\ty"],
  ];
  expect(csvOf({ columns: ["a", "b"], rows })).toBe(
    ["a,b", `'=1+1,"say ""hi"""`, `'-3,"a\nb"`, `'@x,'\ty`].join("\r\n"),
  );
});

test("records of several devices are merged, with columns that only some have", () => {
  const merged = mergedRecords([
    { names: ["a", "b"], value: [{ port: 1, up: true }] },
    { names: ["c"], value: [{ up: false, vlan: [7, 8] }] },
    { names: ["d"], value: "no records" },
  ]);
  expect(merged).toEqual({
    columns: ["device", "port", "up", "vlan"],
    rows: [
      ["a", "1", "true", ""],
      ["b", "1", "true", ""],
      ["c", "", "false", "7, 8"],
    ],
  });
  expect(mergedRecords([{ names: ["a"], value: "text" }])).toBeUndefined();
});

test("numbers have the digits that were sent", () => {
  const sent = '[{"octets": 18446744073709551615, "load": 9.0, "list": [1.0, 2], "of": {"rate": 7.0}}]';
  expect(recordsOf(parseExact(sent))?.rows).toEqual([
    ["18446744073709551615", "9.0", "1.0, 2", '{"rate":7.0}'],
  ]);
  expect(recordsOf(parseExact("[9.0, 8.0]"))).toBeUndefined();
  expect(shownText(parseExact('{"octets": 18446744073709551615}'))).toBe('{"octets":18446744073709551615}');
});

/** Device output cannot control the operator's terminal, spreadsheet or folder. */
import { expect, test } from "vitest";
import {
  asRead,
  shown,
  shownLine,
  shownPieces,
  withoutLastLineEnds,
} from "../../../src/base/text/terminal-text.ts";
import { csvLine } from "../../../src/client/output/csv.ts";
import { factsText } from "../../../src/client/output/progress.ts";
import { createResultWriter, csvRows, freeName } from "../../../src/client/output/results.ts";
import { jsonLine, tableText } from "../../../src/client/output/table.ts";
import { jobRecord } from "../../http/doubles/records.ts";

const evil = "\x1b]0;title\x07\x1b[2Jred\x9b31m\u202egnp\r\nnext\rover\u2028";
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]/;
const ended = {
  ...jobRecord(1),
  id: "j1",
  host: "r1",
  duration: 0.5,
  result: { type: "success" as const, retval: { a: "x", b: [1] }, error: null },
};

test("control sequences are printed as visible text", () => {
  expect(shown(evil)).toBe("^[]0;title^G^[[2Jred<U+009B>31m<U+202E>gnp\nnext^Mover<U+2028>");
  expect(shown("a\tb\nc\r\nd")).toBe("a\tb\nc\nd");
  expect(shownLine("a\nb\tc")).toBe("a⏎b c");
});

test("tables and JSON contain no control characters", () => {
  expect(tableText([evil], [[evil]], 40)).not.toMatch(controls);
  expect(jsonLine({ [evil]: evil })).not.toMatch(controls);
  expect(JSON.parse(jsonLine({ evil }))).toEqual({ evil });
});

test("CSV is free of control characters on a terminal, and unchanged elsewhere", async () => {
  const job = { ...ended, result: { type: "success" as const, retval: { [evil]: evil }, error: null } };
  const written = async (columns: number | undefined) => {
    let all = "";
    const terminal = {
      columns,
      paint: (_: string, text: string) => text,
      write: async (text: string) => {
        all += text;
      },
    };
    await createResultWriter(terminal, { form: "csv" }).write(job);
    return all;
  };
  expect(await written(80)).not.toMatch(controls);
  expect(await written(undefined)).toContain("\x1b[2J");
  expect(asRead(evil, { columns: 80 })).not.toMatch(controls);
});

test("facts are printed in two aligned columns", () => {
  expect(
    factsText([
      ["id", "1"],
      ["changed_at", "now"],
      ["next", "a\nb"],
    ]),
  ).toBe("id         1\nchanged_at now\nnext       a\n           b\n");
});

test("facts and exports on a terminal contain no control characters", async () => {
  expect(
    factsText([
      ["label", evil],
      ["none", ""],
    ]),
  ).not.toMatch(controls);
  const bytes = Buffer.from(`x\u00e9${evil}`);
  async function* pieces() {
    for (const byte of bytes) yield Uint8Array.of(byte);
  }
  let all = "";
  for await (const piece of shownPieces(pieces())) all += piece;
  expect(all).not.toMatch(controls);
  expect(all.startsWith("x\u00e9^[")).toBe(true);
});

test("no CSV cell is a spreadsheet formula", () => {
  expect(csvLine(["\n=1", "\uff1d1"])).toBe(`"'\n=1",'\uff1d1\r\n`);
  expect(csvLine(["=1+1", "-x", "@a", "+b", "plain", 'a "b", c'])).toBe(
    `'=1+1,'-x,'@a,'+b,plain,"a ""b"", c"\r\n`,
  );
});

test("CSV has one row per command", () => {
  expect(csvRows(ended)).toBe(',r1,finished,a,x,,,,0.5,j1\r\n,r1,finished,b,"[\n  1\n]",,,,0.5,j1\r\n');
});

test("the file names of hosts stay in the folder and are unique", () => {
  const fileNames = new Set<string>();
  expect(
    ["../../etc/passwd", "..", "r1", "R1", "2001:db8::1", ""].map((host) => freeName(host, "txt", fileNames)),
  ).toEqual(
    ["_/_/etc/passwd", "_", "r1", "R1-2", "2001_db8__1", ""].map((name, at) =>
      at === 0 ? "__.._etc_passwd.txt" : at === 5 ? "_-2.txt" : `${name}.txt`,
    ),
  );
});

test("a table is truncated to the terminal width, and whole elsewhere", () => {
  expect(tableText(["a", "long"], [["1", "x".repeat(30)]], 20)).toBe(`a  long\n1  ${"x".repeat(16)}…\n`);
  expect(tableText(["a", "long"], [["1", "x".repeat(30)]])).toBe(`a  long\n1  ${"x".repeat(30)}\n`);
});

test("a line end split between chunks is one line end", async () => {
  async function* pieces() {
    for (const text of ["a,b\r", "\nc", "\r", "\r", "\nd\r"]) yield new TextEncoder().encode(text);
  }
  let all = "";
  for await (const piece of shownPieces(pieces())) all += piece;
  expect(all).toBe("a,b\nc\nd^M");
});

test("a million carriage returns are cleaned in linear time", () => {
  expect(shown(`${"\r".repeat(1_000_000)}x\r\r\n`)).toBe(`${"^M".repeat(1_000_000)}x\n`);
  const lines = `${"\n".repeat(1_000_000)}x`;
  expect(withoutLastLineEnds(`${lines}\n\n`)).toBe(lines);
});

/** Nothing that a device says steers the terminal, the spreadsheet or the folder of the operator. */
import { expect, test } from "vitest";
import { shown, shownLine } from "../../src/client/clean.ts";
import { csvLine } from "../../src/client/csv.ts";
import { csvRows, freeName } from "../../src/client/results.ts";
import { jsonLine, tableText } from "../../src/client/table.ts";

const evil = "\x1b]0;title\x07\x1b[2Jred\x9b31m\u202egnp\r\nnext\rover\u2028";

test("control sequences show as text", () => {
  expect(shown(evil)).toBe("^[]0;title^G^[[2Jred<U+009B>31m<U+202E>gnp\nnext^Mover<U+2028>");
  expect(shown("a\tb\nc\r\nd")).toBe("a\tb\nc\nd");
  expect(shownLine("a\nb\tc")).toBe("a⏎b c");
});

test("nothing that is printed holds one, in no form", () => {
  const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]/;
  expect(tableText([evil], [[evil]], 40)).not.toMatch(controls);
  expect(jsonLine({ [evil]: evil })).not.toMatch(controls);
  expect(JSON.parse(jsonLine({ evil }))).toEqual({ evil });
});

test("a spreadsheet runs no cell", () => {
  expect(csvLine(["=1+1", "-x", "@a", "+b", "plain", 'a "b", c'])).toBe(
    `'=1+1,'-x,'@a,'+b,plain,"a ""b"", c"\r\n`,
  );
});

test("a row for each command", () => {
  const job = {
    id: "j1",
    status: "finished" as const,
    host: "r1",
    duration: 0.5,
    result: { type: "success" as const, retval: { a: "x", b: [1] }, error: null },
    queue: "fifo",
    driver: "d",
    device_type: null,
    operation: "query" as const,
    created_at: "",
    started_at: null,
    ended_at: null,
    worker: null,
    attempt: 1,
  };
  expect(csvRows(job)).toBe('r1,finished,a,x,,,,0.5,j1\r\nr1,finished,b,"[\n  1\n]",,,,0.5,j1\r\n');
});

test("no host leads out of the folder, and none takes the file of another", () => {
  const taken = new Set<string>();
  expect(
    ["../../etc/passwd", "..", "r1", "R1", "2001:db8::1", ""].map((host) => freeName(host, "txt", taken)),
  ).toEqual(
    ["_/_/etc/passwd", "_", "r1", "R1-2", "2001_db8__1", ""].map((name, at) =>
      at === 0 ? "__.._etc_passwd.txt" : at === 5 ? "_-2.txt" : `${name}.txt`,
    ),
  );
});

test("a table is cut to the terminal, and whole elsewhere", () => {
  expect(tableText(["a", "long"], [["1", "x".repeat(30)]], 20)).toBe(`a  long\n1  ${"x".repeat(16)}…\n`);
  expect(tableText(["a", "long"], [["1", "x".repeat(30)]])).toBe(`a  long\n1  ${"x".repeat(30)}\n`);
});

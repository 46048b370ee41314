/** Master keys as text: hex and base64, newest first; errors do not quote them. */
import { expect, test } from "vitest";
import { isMasterKeys, parseMasterKeys } from "../../src/config/master-key.ts";

const first = Buffer.alloc(32, 1);
const second = Buffer.alloc(32, 2);

test.each([
  ["hex", first.toString("hex")],
  ["hex in capitals", first.toString("hex").toUpperCase()],
  ["base64", first.toString("base64")],
  ["base64 without its end", first.toString("base64").replace(/=$/, "")],
  ["base64 for URLs", first.toString("base64url")],
  ["blanks around it", `\n ${first.toString("hex")} \n`],
])("%s", (_form, text) => {
  expect(parseMasterKeys(text, "here").map((key) => Buffer.from(key))).toEqual([first]);
  expect(isMasterKeys(text)).toBe(true);
});

test.each([" ", "\n", ",", ", \n"])("several keep their order, apart by %j", (separator) => {
  const text = [first.toString("hex"), second.toString("base64")].join(separator);
  expect(parseMasterKeys(text, "here").map((key) => Buffer.from(key))).toEqual([first, second]);
});

test.each(["", "word-canary", "ab".repeat(31), `${first.toString("hex")} word-canary`])(
  "%j is refused by its place, and not quoted",
  (text) => {
    expect(isMasterKeys(text)).toBe(false);
    expect(() => parseMasterKeys(text, "master.key")).toThrow(
      /^master\.key: the master key must be 32 bytes as hex or base64\.$/,
    );
  },
);

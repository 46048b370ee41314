/** Master keys as text: hex and base64, newest first; errors do not quote them. */
import { expect, test } from "vitest";
import { isMasterKeys, parseMasterKeys } from "../../src/config/master-key.ts";

const first = Buffer.alloc(32, 1);
const second = Buffer.alloc(32, 2);

test.each([
  ["hex", first.toString("hex")],
  ["hex in capitals", first.toString("hex").toUpperCase()],
  ["base64", first.toString("base64")],
  ["base64 without padding", first.toString("base64").replace(/=$/, "")],
  ["base64 for URLs", first.toString("base64url")],
  ["hex with surrounding blanks", `\n ${first.toString("hex")} \n`],
])("a master key is read from %s", (_form, text) => {
  expect(parseMasterKeys(text, "here").map((key) => Buffer.from(key))).toEqual([first]);
  expect(isMasterKeys(text)).toBe(true);
});

test.each([" ", "\n", ",", ", \n"])("several master keys keep their order, separated by %j", (separator) => {
  const text = [first.toString("hex"), second.toString("base64")].join(separator);
  expect(parseMasterKeys(text, "here").map((key) => Buffer.from(key))).toEqual([first, second]);
});

test.each(["", "word-canary", "ab".repeat(31), `${first.toString("hex")} word-canary`])(
  "the invalid master key %j is rejected without being quoted",
  (text) => {
    expect(isMasterKeys(text)).toBe(false);
    expect(() => parseMasterKeys(text, "master.key")).toThrow(
      /^master\.key: the master key must be 32 bytes as hex or base64\.$/,
    );
  },
);

/** Sealed values can only be decrypted with their key and in their own row. */
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createCipher } from "../../src/store/cipher.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte);
const place = { table: "jobs", row: "1", field: "payload" };

test("a sealed text is recovered, and sealed differently each time", () => {
  const cipher = createCipher(key(1));
  for (const text of ["", "a", "päßwörd 🔑", "x".repeat(100_000), "interface Gi0/1\n".repeat(5_000)]) {
    const sealed = cipher.seal(text, place);
    expect(cipher.open(sealed, place)).toBe(text);
    expect(cipher.seal(text, place).equals(sealed)).toBe(false);
    if (text.length > 3) expect(sealed.includes(text.slice(0, 16))).toBe(false);
  }
  expect(cipher.seal("interface Gi0/1\n".repeat(5_000), place).length).toBeLessThan(2_000);
});

test("a value that was changed, or moved to another row, field or table, is not decrypted", () => {
  const cipher = createCipher(key(1));
  const sealed = cipher.seal("secret", place);
  for (const other of [
    { ...place, row: "2" },
    { ...place, field: "result" },
    { ...place, table: "deliveries" },
  ])
    expect(() => cipher.open(sealed, other)).toThrow(/changed, or belongs to another row/);
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => cipher.open(changed, place)).toThrow(/could not be decrypted/);
  }
  expect(() => cipher.open(new Uint8Array(3), place)).toThrow(/could not be decrypted/);
});

test("a value opens only for its own row, whatever the length and alphabet of row names", () => {
  const cipher = createCipher(key(1));
  for (const row of ["a", "x".repeat(170), "é".repeat(200), "x".repeat(5_000)]) {
    const sealed = cipher.seal("secret", { ...place, row });
    expect(cipher.open(sealed, { ...place, row })).toBe("secret");
    expect(cipher.tryOpen(sealed, { ...place, row: row.slice(0, -1) })).toBeUndefined();
    expect(cipher.tryOpen(sealed, { ...place, row: `${row}x` })).toBeUndefined();
  }
});

test("after a rotation the old key still decrypts and the new one encrypts", () => {
  const old = createCipher(key(1));
  const both = createCipher(key(2), [key(1)]);
  const sealed = old.seal("secret", place);
  expect(both.open(sealed, place)).toBe("secret");
  expect(both.current(sealed)).toBe(false);
  expect(both.current(both.seal("x", place))).toBe(true);
  expect(() => createCipher(key(2)).open(sealed, place)).toThrow(/another master key/);
  expect(old.fingerprint("x")).toBe(createCipher(key(1)).fingerprint("x"));
  expect(old.fingerprint("x")).not.toBe(both.fingerprint("x"));
});

test("a key of the wrong length is rejected without being shown", () => {
  expect(() => createCipher(new Uint8Array(16))).toThrow("must have 32 bytes; it has 16");
});

test("a text is decrypted only up to a given size, compressed or not", () => {
  const cipher = createCipher(key(3));
  for (const text of ["short", "x".repeat(5_000_000), randomBytes(500_000).toString("base64")]) {
    const sealed = cipher.seal(text, place);
    expect(cipher.openUpTo(sealed, place, text.length)).toBe(text);
    expect(cipher.openUpTo(sealed, place, text.length - 1)).toBeUndefined();
    expect(cipher.open(sealed, place)).toBe(text);
  }
});

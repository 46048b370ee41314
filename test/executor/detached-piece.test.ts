/** Reading output in pieces: no character or secret is split, wherever a piece begins. */
import { describe, expect, test } from "vitest";
import { createMasker } from "../../src/base/secrets/mask.ts";
import { pieceOf } from "../../src/executor/detached.ts";

const mask = createMasker(["canary-secret-word"]);
const text = "für: canary-secret-word; canary-secret-word, 12 €";
const all = Buffer.from(text);
const clean = "für: [secret]; [secret], 12 €";

/** Reads everything in pieces of this size, as callers do. */
function readIn(bytes: number): string {
  let output = "";
  for (let offset = 0; offset < all.length; ) {
    const lead = Math.min(64, offset);
    const part = all.subarray(offset - lead, offset + bytes);
    const whole = offset + bytes >= all.length;
    const piece = pieceOf(part, { offset, lead, whole }, mask);
    output += piece.output;
    expect(piece.nextOffset).toBeGreaterThan(offset);
    offset = piece.nextOffset;
  }
  return output;
}

describe("output read in chunks", () => {
  test.each([30, 31, 32, 33, 40, 47, 100])("of %i bytes is complete, without the secret", (bytes) => {
    expect(readIn(bytes)).toBe(clean);
  });

  test("shows nothing of a secret in which the chunk starts", () => {
    for (let offset = 7; offset < 23; offset++) {
      const piece = pieceOf(all, { offset, lead: offset, whole: true }, mask);
      expect(piece.output).toBe("[secret]; [secret], 12 €");
    }
  });

  test("ends before an incomplete character while output grows", () => {
    const cut = all.subarray(0, all.length - 1);
    expect(pieceOf(cut, { offset: 0, lead: 0, whole: false }, mask)).toEqual({
      output: clean.slice(0, -1),
      nextOffset: all.length - 3,
    });
    expect(pieceOf(cut, { offset: 0, lead: 0, whole: true }, mask).output).toBe(
      `${clean.slice(0, -1)}\ufffd`,
    );
  });
});

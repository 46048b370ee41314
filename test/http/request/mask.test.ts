import * as fc from "fast-check";
import { expect, test } from "vitest";
import { maskText } from "../../../src/http/request/mask.ts";

test("masks every submitted text at any depth, longer ones first", () => {
  const sent = [{ a: "hunter", b: [{ c: "hunter-and-more" }] }, "key-0123"];
  expect(maskText("hunter-and-more and hunter by key-0123", sent)).toBe("[secret] and [secret] by [secret]");
});

test("masks JSON-escaped texts and numbers", () => {
  const sent = [{ password: 'a"b\\c', pin: 91_827_364 }];
  expect(maskText(`got ${JSON.stringify(sent)}`, sent)).toBe('got [{"password":"[secret]","pin":[secret]}]');
});

test("keeps the rest of the text", () => {
  expect(maskText("TypeError at src/x.ts:7", [{ a: "x" }, undefined, null])).toBe("TypeError at src/x.ts:7");
});

test("leaves no part of a text at the end of a truncated message", () => {
  const long = "s3cr3t-value-".repeat(40);
  for (const at of [16_000, 16_380, 65_500, 65_530]) {
    const masked = maskText("x".repeat(at) + long, [long]);
    expect(masked).not.toContain("s3cr3t");
    expect(masked.length).toBeLessThanOrEqual(16_384);
  }
});

test("leaves no submitted text of four characters or more", () => {
  const texts = fc.array(fc.stringMatching(/^[A-Z]{4,12}$/), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(texts, fc.string({ unit: fc.constantFrom("-", " ", ".") }), (sent, glue) => {
      const masked = maskText(sent.join(glue), sent);
      for (const sentText of sent) expect(masked).not.toContain(sentText);
    }),
  );
});

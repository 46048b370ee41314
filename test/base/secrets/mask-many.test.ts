/** Masking many secrets gives the same result as masking them one by one, with a few passes over the text. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTextSearch } from "../../../src/base/regex/text-search.ts";
import { createMasker, createOutputMasker, formsOf } from "../../../src/base/secrets/mask.ts";

/** Masks the longest first, everywhere; a shorter one is then searched in the result. */
function maskedInTurn(secrets: readonly string[], text: string): string {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  let clean = text;
  for (const form of forms.filter((form) => text.includes(form))) {
    const literal = form.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
    const word = new RegExp(`(?<![A-Za-z0-9_])${literal}(?![A-Za-z0-9_])`, "g");
    clean = clean.replaceAll(form.length < 8 ? word : form, "[secret]");
  }
  return clean;
}

const letters = fc.string({
  unit: fc.constantFrom("a", "a", "a", "b", "1", "_", "-", " ", '"', "ö"),
  minLength: 4,
  maxLength: 12,
});
const written: ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => JSON.stringify(secret),
  (secret) => encodeURIComponent(secret),
  (secret) => Buffer.from(secret).toString("hex"),
  (secret) => Buffer.from(`u:${secret}`).toString("base64"),
];
const hostile = fc.record({
  secrets: fc.uniqueArray(letters, { minLength: 90, maxLength: 120 }),
  ways: fc.array(fc.nat(written.length - 1), { minLength: 120, maxLength: 120 }),
  between: fc.array(fc.constantFrom("", "", "", " ", "x", "-"), { minLength: 120, maxLength: 120 }),
});

test("overlapping secrets with common prefixes are masked as if one after another", () => {
  fc.assert(
    fc.property(hostile, ({ secrets, ways, between }) => {
      const pieces = secrets.map((secret, at) => (written[ways[at] ?? 0]?.(secret) ?? "") + between[at]);
      const text = pieces.join("");
      const expected = maskedInTurn(secrets, text);
      expect(createMasker(secrets).text(text)).toBe(expected);
    }),
    { numRuns: 30 },
  );
});

test("among many secrets, a password that is a keyword is masked only as a value", () => {
  const many = Array.from({ length: 200 }, (_, n) => `canary-${n}-x`);
  const output = `enable\nenable secret 0 enable ${many.join(" ")} password PASSWORD`;
  expect(createOutputMasker(["enable", ...many]).text(output)).toBe(
    `enable\nenable secret 0 [secret] ${many.map(() => "[secret]").join(" ")} password PASSWORD`,
  );
});

test("a text with thousands of secrets is searched in a few passes", () => {
  const secrets = Array.from({ length: 3_000 }, (_, n) => `canary-of-user-${n}-${"x".repeat(n % 5)}`);
  const text = secrets.map((secret) => `username u secret ${secret}`).join("\n");
  const { text: mask } = createMasker(secrets);
  mask("warm");
  let clean = "";
  const searched = charactersSearched(() => {
    clean = mask(text);
  });
  expect(clean).toBe(secrets.map(() => "username u secret [secret]").join("\n"));
  expect(searched).toBeLessThan(10 * text.length);
});

test("a text that is too similar to many secrets is masked whole", () => {
  const secrets = Array.from({ length: 70 }, (_, n) => "a".repeat(9_000 + n));
  const text = `${"a".repeat(12_000)} ${"b".repeat(10)}`;
  expect(createTextSearch(secrets).places(text)).toBeUndefined();
  expect(createMasker(secrets).text(text)).toBe("[secret]");
});

test("the possible start of a secret at the end of a text is found among many secrets as among few", () => {
  fc.assert(
    fc.property(fc.uniqueArray(letters, { minLength: 20, maxLength: 30 }), letters, (secrets, said) => {
      const few = secrets.map((secret) => createMasker([secret]).unfinished(said));
      expect(createMasker(secrets).unfinished(said)).toBe(Math.max(...few));
    }),
    { numRuns: 30 },
  );
});

/** Counts the characters passed to string searches. */
function charactersSearched(work: () => void): number {
  const { includes, indexOf, replaceAll } = String.prototype;
  let count = 0;
  const counted = <R>(search: (this: string, ...given: never[]) => R) =>
    function (this: string, ...given: never[]): R {
      count += this.length;
      return search.apply(this, given);
    };
  Object.assign(String.prototype, {
    includes: counted(includes),
    indexOf: counted(indexOf),
    replaceAll: counted(replaceAll),
  });
  try {
    work();
  } finally {
    Object.assign(String.prototype, { includes, indexOf, replaceAll });
  }
  return count;
}

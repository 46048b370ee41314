import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createMasker,
  createOutputMasker,
  createSentenceMasker,
  isSecretName,
  secretsOfJson,
} from "../../src/base/mask.ts";

const canary = 'p4ss"w/ör+d =canary';
const forms: Record<string, (text: string) => string> = {
  clear: (text) => text,
  json: (text) => JSON.stringify({ body: text }),
  "json within json": (text) => JSON.stringify(JSON.stringify({ body: text })),
  url: encodeURIComponent,
  "url in lower case": (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  form: (text) => encodeURIComponent(text).replaceAll("%20", "+"),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  hex: (text) => Buffer.from(text).toString("hex"),
  "hex in capitals": (text) => Buffer.from(text).toString("hex").toUpperCase(),
};

describe("a secret is found", () => {
  const { text } = createMasker([canary]);
  test.each(Object.keys(forms))("as %s", (name) => {
    const written = forms[name]?.(canary) ?? "";
    const clean = text(`before ${written} after`);
    expect(clean).toMatch(/^before .*\[secret\].* after$/);
    expect(clean).not.toContain(written);
  });

  test.each(["u", "us", "use", "user"])("in the base64 of %s:secret and what follows", (user) => {
    const written = Buffer.from(`${user}:${canary};x`).toString("base64");
    const clean = text(`Authorization: Basic ${written}`);
    const left = clean.replaceAll("[secret]", "");
    expect(clean).toContain("[secret]");
    expect(Buffer.from(left.slice(21), "base64").toString()).not.toContain("canary");
  });

  test("whatever it is, once it is long enough", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 8, unit: "binary" }),
        fc.string(),
        fc.string(),
        (secret, before, after) => {
          if (!"[secret]".includes(secret))
            expect(createMasker([secret]).text(before + secret + after)).not.toBe(before + secret + after);
        },
      ),
    );
  });
});

test("a short one is a word of its own, and one of three characters is none", () => {
  const { text } = createMasker(["cisco", "abc"]);
  expect(text("cisco_ios says password=cisco, abc")).toBe("cisco_ios says password=[secret], abc");
});

test.each([
  [
    "errdisable recovery\nspanning-tree portfast enable",
    "errdisable recovery\nspanning-tree portfast enable",
  ],
  ["enable secret 0 enable", "enable secret 0 [secret]"],
  ["enable password enable", "enable password [secret]"],
  ['"password": "enable", "enabled": true', '"password": "[secret]", "enabled": true'],
  ["Password: enable", "Password: [secret]"],
])("a keyword that is a password is masked where it stands as one: %j", (said, shown) => {
  expect(createOutputMasker(["enable"]).text(said)).toBe(shown);
  expect(createOutputMasker(["enabled-42"]).text("enabled-42 enable")).toBe("[secret] enable");
});

test("one that is part of another does not break it up", () => {
  expect(createMasker(["hunter22", "hunter22-more"]).text("hunter22-more")).toBe("[secret]");
});

test.each([
  ["password", true],
  ["sudo_password", true],
  ["clientSecret", true],
  ["X-Api-Key", true],
  ["community", true],
  ["Authorization", true],
  ["proxy_pkey", true],
  ["username", false],
  ["key_file", false],
  ["password_file", false],
  ["credential", false],
  ["passive", false],
])("the name %s: %s", (name, secret) => expect(isSecretName(name)).toBe(secret));

test("what a document names a secret is one, however deep", () => {
  const document = {
    users: [{ name: "a", password: "one" }],
    snmp: { community: ["two"] },
    keys: 3,
    text: "token",
  };
  expect(secretsOfJson(JSON.stringify(document))).toEqual(["one", "two"]);
  expect(secretsOfJson('{"password": ')).toEqual([]);
});

test("words of secrets in a text of megabytes are passed over once", () => {
  const text = "key ".repeat(1_000_000);
  // Quadratic time would be hours.
  expect(secretsOfJson(JSON.stringify({ config: text, list: [text, { "a b": 1 }] }))).toEqual([]);
  expect(secretsOfJson(`{"config": ${JSON.stringify(text)}, "community"\n : "canary"}`)).toEqual(["canary"]);
  expect(secretsOfJson('{"a": ["token", {"api-key": ["one"]}]}')).toEqual(["one"]);
});

describe("a sentence of ours", () => {
  const { text } = createSentenceMasker(["wrong", "hunter22"]);
  test.each([
    ["the passphrase is wrong", "the passphrase is wrong"],
    ['it is wrong. Last received: "Password: wrong"', 'it is wrong. Last received: "Password: [secret]"'],
    ["wrong\nsaid wrong", "wrong\nsaid [secret]"],
    ["the key of hunter22 is wrong", "the key of [secret] is wrong"],
  ])("%j", (message, clean) => {
    expect(text(message)).toBe(clean);
  });
});

test("among many secrets those that a text holds are masked as they are by themselves", () => {
  const many = Array.from({ length: 400 }, (_, n) => `canary-${n}-${"x".repeat(n % 7)}`);
  const all = createMasker(many);
  const some = fc.array(fc.oneof(fc.constantFrom(...many), fc.string({ maxLength: 12 })), { maxLength: 8 });
  fc.assert(
    fc.property(some, fc.constantFrom("", " ", "/", "\n"), (pieces, between) => {
      const text = pieces.join(between);
      const held = many.filter((secret) => text.includes(secret));
      if (held.length > 4) return;
      expect(all.text(text)).toBe(createMasker(held).text(text));
    }),
  );
});

test("the written forms of each of many secrets are found", () => {
  const many = Array.from({ length: 300 }, (_, n) => `s"e\\cret ${n} ö`);
  const { text } = createMasker(many);
  for (const secret of [many[0] ?? "", many[150] ?? "", many[299] ?? ""])
    for (const form of [
      secret,
      JSON.stringify(secret),
      encodeURIComponent(secret),
      Buffer.from(secret).toString("hex"),
    ])
      expect(text(`before ${form} after`)).toContain("[secret]");
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createMasker,
  createOutputMasker,
  createSentenceMasker,
  secretsOfJson,
} from "../../../src/base/secrets/mask.ts";
import { isSecretName } from "../../../src/base/secrets/secret-name.ts";

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

describe("a secret is masked", () => {
  const { text } = createMasker([canary]);
  test.each(Object.keys(forms))("as %s", (name) => {
    const written = forms[name]?.(canary) ?? "";
    const clean = text(`before ${written} after`);
    expect(clean).toMatch(/^before .*\[secret\].* after$/);
    expect(clean).not.toContain(written);
  });

  test.each(["u", "us", "use", "user"])("in the base64 of %s:secret and more text", (user) => {
    const written = Buffer.from(`${user}:${canary};x`).toString("base64");
    const clean = text(`Authorization: Basic ${written}`);
    const left = clean.replaceAll("[secret]", "");
    expect(clean).toContain("[secret]");
    expect(Buffer.from(left.slice(21), "base64").toString()).not.toContain("canary");
  });

  test("for any secret of at least eight characters", () => {
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

test("a short secret is masked only as a whole word, and one of three characters not at all", () => {
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
])("in output, a password that is a keyword is masked only as a value: %j", (said, shown) => {
  expect(createOutputMasker(["enable"]).text(said)).toBe(shown);
  expect(createOutputMasker(["enabled-42"]).text("enabled-42 enable")).toBe("[secret] enable");
});

test("a secret that is part of a longer one does not split it", () => {
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
])("the field name %s is that of a secret: %s", (name, secret) => expect(isSecretName(name)).toBe(secret));

test("values with secret names are found in JSON at any depth", () => {
  const document = {
    users: [{ name: "a", password: "one" }],
    snmp: { community: ["two"] },
    keys: 3,
    text: "token",
  };
  expect(secretsOfJson(JSON.stringify(document))).toEqual(["one", "two"]);
  expect(secretsOfJson('{"password": ')).toEqual([]);
});

test("secrets are found in megabytes of JSON in linear time", () => {
  const text = "key ".repeat(1_000_000);
  // Quadratic time would be hours.
  expect(secretsOfJson(JSON.stringify({ config: text, list: [text, { "a b": 1 }] }))).toEqual([]);
  expect(secretsOfJson(`{"config": ${JSON.stringify(text)}, "community"\n : "canary"}`)).toEqual(["canary"]);
  expect(secretsOfJson('{"a": ["token", {"api-key": ["one"]}]}')).toEqual(["one"]);
});

describe("an error message of the service", () => {
  const { text } = createSentenceMasker(["wrong", "hunter22"]);
  test.each([
    ["the passphrase is wrong", "the passphrase is wrong"],
    ['it is wrong. Last received: "Password: wrong"', 'it is wrong. Last received: "Password: [secret]"'],
    ["wrong\nsaid wrong, password wrong", "wrong\nsaid wrong, password [secret]"],
    ["the key of hunter22 is wrong", "the key of [secret] is wrong"],
  ])("masks secrets only where it quotes: %j", (message, clean) => {
    expect(text(message)).toBe(clean);
  });
});

test("secrets in a text are masked alike, however many other secrets exist", () => {
  const many = Array.from({ length: 400 }, (_, n) => `canary-${n}-${"x".repeat(n % 7)}`);
  const all = createMasker(many);
  const pieceLists = fc.array(fc.oneof(fc.constantFrom(...many), fc.string({ maxLength: 12 })), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(pieceLists, fc.constantFrom("", " ", "/", "\n"), (pieces, between) => {
      const text = pieces.join(between);
      const held = many.filter((secret) => text.includes(secret));
      if (held.length > 4) return;
      expect(all.text(text)).toBe(createMasker(held).text(text));
    }),
  );
});

test("all encodings of each of many secrets are masked", () => {
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

const running =
  "username admin privilege 15 secret cisco\ninterface Loopback1\n description cisco lab\nsnmp-server community public1 RO";

test.each([
  ["too short", "cisco", []],
  ["a word of configurations, though long", "interface", []],
  ["the same in capitals", "Interface", []],
  ["the login name", "netadmin", ["netadmin"]],
  ["part of the login name", "netadmin", ["x-netadmin-2"]],
])("an ordinary secret is masked only where a password stands: %s", (_, secret, logins) => {
  const { text } = createOutputMasker([secret], logins);
  const said = `username ${secret} description ${secret}/0\nenable secret 0 ${secret}\nPassword: ${secret}`;
  expect(text(said)).toBe(
    `username ${secret} description ${secret}/0\nenable secret 0 [secret]\nPassword: [secret]`,
  );
});

test("a configuration keeps every line that has an ordinary password as a word", () => {
  const clean = createOutputMasker(["admin", "cisco", "public1"], ["admin"]).text(running);
  expect(clean).toBe(running.replace("secret cisco", "secret [secret]").replace("public1", "[secret]"));
});

test("a message masks ordinary secrets in its own words, and never a login name", () => {
  const { text } = createSentenceMasker(["admin", "lab-1"], ["admin"]);
  expect(text("Authentication failed for admin@192.0.2.1")).toBe("Authentication failed for admin@192.0.2.1");
  expect(text("lab-1 was not taken")).toBe("[secret] was not taken");
  expect(text('The device rejected "username lab-1".')).toBe('The device rejected "username lab-1".');
  const long = createSentenceMasker(["admin-canary-secret", "lab"], ["admin"]);
  expect(long.text("no admin-canary-secret for admin")).toBe("no [secret] for admin");
});

test("live output holds back the place of an ordinary password until the password is there", () => {
  const { text, unfinished } = createOutputMasker(["cisco"]);
  const said = "uptime\nPassword: cis";
  expect(said.length - unfinished(said)).toBe("uptime\n".length);
  expect(unfinished("username cisco privilege 15\n")).toBe(0);
  expect(text("Password: cisco")).toBe("Password: [secret]");
});

/** Secrets in JSON, YAML and XML, in one line and in many, by structure; promise P319. */
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { openSecrets, readConfiguration } from "../../src/configtext/read.ts";
import { fingerprintWith } from "../../src/configtext/secrets/secrets.ts";

const fingerprint = fingerprintWith("00".repeat(32));
const read = (text: string) =>
  readConfiguration({ text, part: "running", rules: undefined, errors: [], fingerprint });

/** Different at each place, the same at each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Names under which servers, SONiC and YANG models keep secrets. */
const names = [
  ...[
    "password",
    "passkey",
    "auth_password",
    "AuthPassword",
    "psk",
    "pre-shared-key",
    "sharedSecret",
    "secret",
  ],
  ...["api_key", "apiKey", "token", "accessToken", "bind-password", "private-key", "SNMP_USER_AUTH_PASSWORD"],
  ...[
    "ietf-system:password",
    "wpa_passphrase",
    "key-string",
    "client_secret",
    "credential",
    "snmp-community",
  ],
];
const plain = [
  "name",
  "description",
  "hwsku",
  "mtu",
  "interface",
  "public-key",
  "password-expires",
  "host-key",
];
/** Letters that a form must quote. */
const tails = ["", " with blanks", ", comma", ": colon", "}", '"quoted"', "it's", "#no-comment", "<x>", "\\"];

interface Made {
  readonly data: unknown;
  readonly secrets: readonly string[];
  readonly shown: readonly string[];
}

/** @param isNames whether names are also those of elements, and values have no letters that XML escapes */
function made(seed: number, count: number, isElements: boolean): Made {
  const next = numbers(seed);
  const secrets: string[] = [];
  const shown: string[] = [];
  const pick = (from: readonly string[]) => from[next(from.length)] ?? "";
  const tail = () => (isElements ? pick(["", " with blanks", ", comma", "}"]) : pick(tails));
  const secret = () => {
    secrets.push(`canary${seed}x${secrets.length}end${tail()}`);
    return secrets.at(-1) ?? "";
  };
  const open = () => {
    shown.push(`shown${seed}x${shown.length}`);
    return shown.at(-1) ?? "";
  };
  const nameOf = (name: string) => (isElements ? name.replace(/^.*:/, "") : name);
  const one = (depth: number): Record<string, unknown> => {
    const members: [string, unknown][] = [];
    for (let left = 2 + next(3); left > 0; left--) {
      const name = nameOf(pick(names));
      const kind = next(isElements ? 4 : 6);
      if (kind === 0) members.push([pick(plain), open()]);
      else if (kind === 1 && depth > 0) members.push([`part-${left}`, one(depth - 1)]);
      else if (kind === 2 && depth > 0) members.push([`list-${left}`, [one(depth - 1), one(depth - 1)]]);
      else if (kind === 4) members.push([name, [secret(), secret()]]);
      else if (kind === 5) members.push([`of-${left}`, [{ name: "DB_PASSWORD", value: secret() }]]);
      else members.push([name, secret()]);
    }
    return Object.fromEntries(members.reverse());
  };
  const parts: Record<string, unknown>[] = [];
  while (secrets.length < count) parts.push(one(3));
  // A name that was given twice has the last value only.
  const text = JSON.stringify(parts);
  return {
    data: { parts },
    secrets: secrets.filter((each) => text.includes(/canary\d+x\d+end/.exec(each)?.[0] ?? "-")),
    shown: shown.filter((each) => text.includes(`${each}"`)),
  };
}

function elements(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => elements(name, one)).join("");
  if (typeof value !== "object" || value === null) return `<${name}>${String(value)}</${name}>`;
  return `<${name}>${Object.entries(value)
    .map(([inner, one]) => elements(inner, one))
    .join("")}</${name}>`;
}

const forms: readonly {
  readonly name: string;
  readonly isElements?: true;
  readonly of: (data: unknown) => string;
}[] = [
  { name: "JSON in one line", of: (data) => JSON.stringify(data) },
  { name: "JSON in many lines", of: (data) => JSON.stringify(data, undefined, 4) },
  { name: "JSON behind words", of: (data) => `set configuration ${JSON.stringify(data)} override` },
  { name: "JSON within JSON", of: (data) => JSON.stringify({ annotations: JSON.stringify(data) }) },
  { name: "YAML", of: (data) => stringify(data) },
  { name: "YAML with long lines folded", of: (data) => stringify(data, { lineWidth: 24 }) },
  { name: "YAML in one line", of: (data) => stringify(data, { collectionStyle: "flow", lineWidth: 0 }) },
  { name: "XML in one line", isElements: true, of: (data) => elements("data", data) },
  {
    name: "XML with lines around values",
    isElements: true,
    of: (data) =>
      elements("data", data).replaceAll(/>(?=[^<])|(?<=[^>])</g, (sign) => (sign === ">" ? ">\n" : "\n<")),
  },
];

describe.each(forms)("of 1,000 secrets in $name", ({ name, of, isElements = false }) => {
  const { data, secrets, shown } = made(name.length * 7_919 + 1, 1_000, isElements);
  const text = of(data);
  const found = read(text);

  it("none is shown, and what is no secret is", () => {
    expect(secrets.length).toBeGreaterThan(900);
    const words = secrets.map((each) => /canary\d+x\d+end/.exec(each)?.[0] ?? "");
    expect(words.filter((word) => found.text.includes(word))).toEqual([]);
    if (name !== "JSON within JSON") expect(shown.filter((word) => !found.text.includes(word))).toEqual([]);
  });

  it("the text is given back as it was", () => {
    expect(openSecrets(found.text, found.secrets).trimEnd()).toBe(
      text
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n")
        .trimEnd(),
    );
  });

  it("none is shown of a text that is cut", () => {
    for (let at = 40; at < text.length; at += 1 + Math.floor(text.length / 60)) {
      const cut = read(text.slice(0, at)).text;
      expect([at, /canary\d+x\d+end/.exec(cut)?.[0]]).toEqual([at, undefined]);
    }
  });
});

const pem = (kind: string) =>
  Buffer.from(`-----BEGIN ${kind}PRIVATE KEY-----\ncanary\n-----END ${kind}PRIVATE KEY-----\n`).toString(
    "base64",
  );
const keys = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "].map(pem);

it.each([
  '{"\\u0070assword":"canary"}',
  '{"a":{"pass\\u0077ord": "canary"}}',
  '{"pass\\/word":"shown","api\\u005fkey":"canary"}',
  '{"x":"{\\u0022password\\u0022:\\u0022canary\\u0022}"}',
  '{"name":"password","value":"canary"}',
  '{"value":"canary","name":"password"}',
  '{"users":[{"value":"canary","type":"x","name":"password"},{"value":"shown","name":"mtu"}]}',
  '[{"value":"shown","name":"mtu"},{"name":"password","value":"canary"},{"value":"shown"}]',
  '[{"name":"mtu","value":"shown"},{"key":"pass\\u0077ord","value":"canary"}]',
  '<setting value="canary" name="password"/>',
  "<property><value>canary</value><name>password</name></property>",
  "? password\n: canary",
  "users:\n  ? 'psk'\n  : \"canary\"\n  ? mtu\n  : shown",
  "- value: canary\n  name: password\n- value: shown\n  name: mtu",
  '{password:"canary"}',
  "{password:'canary'}",
  '{"pwd":"canary"}',
  "pwd: canary",
  "password: &admin canary",
  "password: !!str canary",
  "password: &a !!str |\n  canary\n  canary",
  ...keys.flatMap((key) => [`{"data":"${key}"}`, `  client-data: ${key}`]),
])("%s shows no secret, however it is written", (text) => {
  const found = read(text);
  expect([found.text, ...keys.filter((key) => found.text.includes(key.slice(0, -4)))]).toEqual([
    expect.not.stringContaining("canary"),
  ]);
  expect(openSecrets(found.text, found.secrets).trimEnd()).toBe(text);
});

it("a public certificate in base64 stays", () => {
  const text = `{"data":"${Buffer.from("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n").toString("base64")}"}`;
  expect(read(text).text).toBe(`${text}\n`);
});

it("what only looks like data, or is public, stays", () => {
  const lines = [
    '{"BGP_COMMUNITY": ["65000:1", "no-export"], "public-key": "AAAA", "ssh-key": "BBBB", "password": "none"}',
    "usage: show <user> <password> of <name>",
    "set policy-options community CUST members [ 65000:1 65000:2 ];",
    "map ports { 80 : 10.0.0.1, 443 : 10.0.0.2 }",
    "{ key-chains }",
  ];
  expect(read(lines.join("\n")).text).toBe(`${lines.join("\n")}\n`);
});

it("tables of SONiC have communities as names", () => {
  const text =
    '{"SNMP_COMMUNITY":{"canary-1":{"TYPE":"RO"},"canary-2":{"TYPE":"RW"}},"SNMP":{"LOCATION":{"Location":"shown"}}}';
  expect(read(text).text).not.toContain("canary");
  expect(read(text).text).toContain("shown");
});

/** Secrets in YANG data, as RESTCONF shows it in JSON and NETCONF in XML: by the names of the standard and usual models. */
import { describe, expect, it } from "vitest";
import { openSecrets, readConfiguration } from "../../src/configtext/read.ts";
import { fingerprintWith } from "../../src/configtext/secrets/secrets.ts";

const secret = (at: number) => `canary-${at}`;

/** Each `secret(…)` is one; all other values are shown. */
const data = {
  "ietf-system:system": {
    hostname: "r1",
    contact: "asks for no password",
    authentication: {
      user: [
        {
          name: "admin",
          password: `$6$salt$${secret(1)}`,
          "authorized-key": [{ name: "k", algorithm: "x" }],
        },
        { name: "plain", "ietf-system:password": secret(2) },
      ],
    },
    radius: { server: [{ name: "a", udp: { address: "192.0.2.1", "shared-secret": secret(3) } }] },
  },
  "ietf-snmp:snmp": {
    community: [
      { index: "1", "text-name": secret(4), "security-name": "readers" },
      { index: "2", "binary-name": secret(5), "security-name": "readers" },
    ],
    usm: {
      local: { user: [{ name: "u", auth: { sha: { key: secret(6) } }, priv: { aes: { key: secret(7) } } }] },
    },
  },
  "Cisco-IOS-XE-native:native": {
    enable: { secret: { type: "9", secret: secret(8) } },
    username: [{ name: "a", password: { encryption: "0", password: secret(9) } }],
    "snmp-server": {
      "Cisco-IOS-XE-snmp:community": [{ name: secret(10), "access-list": "10" }],
      "Cisco-IOS-XE-snmp:community-config": [{ name: secret(11), permission: "ro" }],
      "Cisco-IOS-XE-snmp:host-config": {
        "ip-community": [{ "ip-address": "192.0.2.2", "community-or-user": secret(12) }],
      },
    },
    "Cisco-IOS-XE-aaa:radius": { server: [{ id: "x", key: { encryption: "7", key: secret(13) } }] },
    "Cisco-IOS-XE-aaa:key": secret(14),
  },
  "ietf-key-chain:key-chains": {
    "key-chain": [
      {
        name: "chain",
        key: [
          { "key-id": "1", "crypto-algorithm": "md5", "key-string": { keystring: secret(15) } },
          { "key-id": "2", "key-string": { "hexadecimal-string": secret(16) } },
        ],
      },
    ],
  },
  "ietf-keystore:keystore": {
    "asymmetric-keys": {
      "asymmetric-key": [{ name: "k", "public-key": "shown-1", "cleartext-private-key": secret(17) }],
    },
    "symmetric-keys": { "symmetric-key": [{ name: "k", "cleartext-symmetric-key": secret(18) }] },
  },
  "openconfig-system:system": {
    aaa: {
      authentication: {
        users: { user: [{ config: { password: secret(19), "password-hashed": secret(20) } }] },
      },
      servers: { "secret-key": secret(21), "secret-key-hashed": secret(22) },
    },
    ntp: { "ntp-keys": { "ntp-key": [{ "key-id": 1, config: { "key-value": secret(23) } }] } },
    tunnels: [{ psk: [secret(24), secret(25)], name: "shown-2" }],
  },
  "openconfig-routing-policy:routing-policy": {
    "community-set": [{ "community-set-name": "shown-3", "community-member": ["65000:1", "65000:2"] }],
    community: [{ name: "shown-4" }],
  },
};
const secrets = [...JSON.stringify(data).matchAll(/canary-\d+/g)].map(String);
const values = [
  ...JSON.stringify(data).matchAll(/shown-\d|65000:\d|192\.0\.2\.\d|asks for no password|readers/g),
].map(String);

const forms = [
  { name: "JSON", text: JSON.stringify({ "ietf-restconf:data": data }, undefined, 2) },
  { name: "JSON in one line", text: JSON.stringify({ "ietf-restconf:data": data }) },
  { name: "JSON, indented by tabs", text: JSON.stringify({ "ietf-restconf:data": data }, undefined, "\t") },
  { name: "XML", text: elements("data", data, "") },
  { name: "XML in one line", text: elements("data", data, "").replaceAll(/\n\s*/g, "") },
  { name: "XML with prefixes", text: elements("data", data, "").replaceAll(/<(\/?)(?=\w)/g, "<$1x:") },
];

describe.each(forms)("a configuration as $name", ({ text }) => {
  const read = () =>
    readConfiguration({
      ...{ text, part: "running", rules: undefined, errors: [] },
      fingerprint: fingerprintWith("00".repeat(32)),
    });

  it("shows no secret, and everything else", () => {
    const shown = read();
    expect(secrets.filter((each) => new RegExp(`${each}(?!\\d)`).test(shown.text))).toEqual([]);
    expect(values.filter((value) => !shown.text.includes(value))).toEqual([]);
    expect(openSecrets(shown.text, shown.secrets)).toBe(text.trimEnd().concat("\n"));
  });
});

function elements(qualified: string, value: unknown, indent: string): string {
  const name = qualified.replace(/^.*:/, "");
  if (Array.isArray(value)) return value.map((one) => elements(name, one, indent)).join("");
  if (typeof value !== "object" || value === null) return `${indent}<${name}>${String(value)}</${name}>\n`;
  const inside = Object.entries(value).map(([inner, one]) => elements(inner, one, `${indent}  `));
  return `${indent}<${name}>\n${inside.join("")}${indent}</${name}>\n`;
}

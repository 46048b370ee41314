/** Providers in the settings: what is wrong is told at start, in a sentence that names the setting. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { messageOf } from "../../src/base/errors.ts";
import { loadConfig } from "../../src/config/config.ts";
import { readProviders } from "../../src/oidc/settings.ts";
import { checkSettings, settingWarnings } from "../../src/service/check.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { selfSigned } from "../support/certificates.ts";

const folder = tempFolder();
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const secretFile = file("secret", "client-secret\n");
const { certFile } = await selfSigned();

const whole = {
  PUBLIC_URL: "https://patchbay.example",
  OIDC_ISSUER: "https://login.example/realms/net",
  OIDC_CLIENT_ID: "patchbay",
};
const configOf = (settings: Record<string, string | undefined>, toml = "") =>
  loadConfig({
    file: file("patchbay.toml", toml),
    environment: {
      PATCHBAY_DATA_DIR: tempFolder(),
      ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`PATCHBAY_${name}`, value])),
    },
  });
const problemOf = (settings: Record<string, string | undefined>, toml?: string) => {
  try {
    checkSettings(configOf(settings, toml));
    return "accepted";
  } catch (error) {
    return messageOf(error);
  }
};

test("one provider by variables, with defaults for what need not be said", () => {
  const { providers, problems } = readProviders(configOf({ ...whole, OIDC_SECRET_FILE: secretFile }));
  expect(problems).toEqual([]);
  expect(providers).toEqual([
    {
      name: "oidc",
      issuer: whole.OIDC_ISSUER,
      clientId: "patchbay",
      secretFile,
      scopes: "openid profile email",
      groupsClaim: "groups",
      nameClaim: "preferred_username",
      caFile: undefined,
    },
  ]);
});

test("further providers are tables, with the same members and defaults", () => {
  const toml = `
    public_url = "http://localhost:9000/"
    [oidc.corp]
    issuer = "https://a.example"
    client_id = "one"
    secret_file = "${secretFile}"
    ca_file = "${certFile}"
    [oidc.lab]
    issuer = "http://127.0.0.1:8080"
    client_id = "two"
    scopes = "openid"
    groups_claim = "realm_access.roles"
  `;
  const config = configOf({ OIDC_ISSUER: "https://c.example", OIDC_CLIENT_ID: "three" }, toml);
  expect(config.values.public_url).toBe("http://localhost:9000");
  const { providers, problems } = readProviders(config);
  expect(problems).toEqual([]);
  expect(providers.map(({ name, clientId, scopes, caFile }) => [name, clientId, scopes, caFile])).toEqual([
    ["oidc", "three", "openid profile email", undefined],
    ["corp", "one", "openid profile email", certFile],
    ["lab", "two", "openid", undefined],
  ]);
});

test("no provider is no problem", () => {
  expect(readProviders(configOf({}))).toEqual({ providers: [], problems: [] });
});

const wrong: [string, Record<string, string | undefined>, string | undefined, string][] = [
  [
    "plain HTTP",
    { OIDC_ISSUER: "http://login.example" },
    undefined,
    "PATCHBAY_OIDC_ISSUER: must be an address with https",
  ],
  [
    "a query",
    { OIDC_ISSUER: "https://login.example/?a=b" },
    undefined,
    "PATCHBAY_OIDC_ISSUER: must be an address",
  ],
  [
    "a password in a URL",
    { OIDC_ISSUER: "https://u:pw@login.example" },
    undefined,
    "PATCHBAY_OIDC_ISSUER: must be",
  ],
  ["no client id", { OIDC_CLIENT_ID: undefined }, undefined, "PATCHBAY_OIDC_CLIENT_ID is not set"],
  [
    "no issuer",
    { OIDC_ISSUER: undefined },
    undefined,
    "PATCHBAY_OIDC_ISSUER is not set: without it PATCHBAY_OIDC_CLIENT_ID",
  ],
  ["no public URL", { PUBLIC_URL: undefined }, undefined, "PATCHBAY_PUBLIC_URL: must be set"],
  [
    "a public URL with a path",
    { PUBLIC_URL: "https://a.example/b" },
    undefined,
    "PATCHBAY_PUBLIC_URL: must have no path",
  ],
  [
    "no such secret file",
    { OIDC_SECRET_FILE: "/nowhere" },
    undefined,
    "PATCHBAY_OIDC_SECRET_FILE: /nowhere cannot be read",
  ],
  [
    "an empty secret file",
    { OIDC_SECRET_FILE: file("empty", "\n") },
    undefined,
    "must be one line with the client secret",
  ],
  ["a CA file without one", { OIDC_CA_FILE: secretFile }, undefined, "contains no PEM certificate"],
  ["a name that is no step", { OIDC_NAME: "Corp/1" }, undefined, "PATCHBAY_OIDC_NAME: must be at most 32"],
  ["scopes without openid", { OIDC_SCOPES: "profile" }, undefined, "PATCHBAY_OIDC_SCOPES: must be scopes"],
  [
    "a mistyped member",
    {},
    '[oidc.corp]\nissuer="https://a.example"\nclientid="x"',
    "oidc.corp.clientid: there is no such member. Did you mean client_id?",
  ],
  [
    "a number in a table",
    {},
    '[oidc.corp]\nissuer="https://a.example"\nclient_id=5',
    "patchbay.toml: oidc.corp.client_id:",
  ],
  [
    "a table without an issuer",
    {},
    '[oidc.corp]\nclient_id="x"',
    "patchbay.toml: oidc.corp.issuer is not set",
  ],
  [
    "a table with a bad name",
    {},
    '[oidc."Corp"]\nissuer="https://a.example"\nclient_id="x"',
    "[oidc.Corp]: the name must be",
  ],
  [
    "a name twice",
    {},
    '[oidc.oidc]\nissuer="https://a.example"\nclient_id="x"',
    'has a provider "oidc", too',
  ],
  ["oidc as a text", {}, 'oidc="https://a.example"', 'there is no setting "oidc"'],
  [
    "no way in",
    { OIDC_ISSUER: undefined, OIDC_CLIENT_ID: undefined, KEY_LOGIN: "false" },
    undefined,
    "nobody could sign in",
  ],
];

test.each(wrong)("%s is told", (_, change, toml, why) => {
  const text = problemOf({ ...whole, ...change }, toml);
  expect(text).toContain(why);
  expect(text).not.toContain("client-secret");
  expect(text).not.toContain("pw@");
});

test("a client secret that every account can read is warned of", () => {
  const open = file("open-secret", "client-secret\n");
  chmodSync(open, 0o644);
  const warnings = (secret: string) => settingWarnings(configOf({ ...whole, OIDC_SECRET_FILE: secret }));
  expect(warnings(open)).toEqual([expect.stringContaining('Client secret of the provider "oidc"')]);
  chmodSync(open, 0o640);
  expect(warnings(open)).toEqual([]);
});

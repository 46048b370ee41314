import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { checkSettings } from "../../src/service/check.ts";
import { identityFacts, loadIdentity } from "../../src/service/tls/tls.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { makeCertificates } from "../support/certificates.ts";

const certificates = await makeCertificates("one", "other");
const [cert, key, wrongKey] = ["one.crt", "one.key", "other.key"].map((name) => join(certificates, name));

const configOf = (environment: Record<string, string | undefined>) =>
  loadConfig({ environment: { PATCHBAY_DATA_DIR: tempFolder(), ...environment } });

test("matching certificate and key files are accepted", () => {
  checkSettings(configOf({ PATCHBAY_TLS_CERT: cert, PATCHBAY_TLS_KEY: key }));
});

test.each([
  [
    "a key of another certificate",
    { CERT: cert, KEY: wrongKey },
    /PATCHBAY_TLS_KEY: .*other\.key is not the key of .*one\.crt/,
  ],
  ["a certificate alone", { CERT: cert }, /PATCHBAY_TLS_KEY: must be set as well/],
  ["a key alone", { KEY: key }, /PATCHBAY_TLS_CERT: must be set as well/],
  ["a missing file", { CERT: "/nowhere", KEY: key }, /PATCHBAY_TLS_CERT: \/nowhere cannot be read/],
  ["a key as certificate", { CERT: key, KEY: key }, /PATCHBAY_TLS_CERT: .* contains no PEM certificate/],
  [
    "a certificate as key",
    { CERT: cert, KEY: cert },
    /PATCHBAY_TLS_KEY: .* contains no readable private key/,
  ],
  [
    "a certificate with self-signed",
    { CERT: cert, KEY: key, SELF_SIGNED: "true" },
    /PATCHBAY_TLS_SELF_SIGNED: cannot be combined/,
  ],
  [
    "an invalid client CA",
    { CERT: cert, KEY: key, CLIENT_CA: key },
    /PATCHBAY_TLS_CLIENT_CA: .*one\.key contains no PEM certificate/,
  ],
  [
    "a client CA without a certificate",
    { CLIENT_CA: cert },
    /PATCHBAY_TLS_CLIENT_CA: needs a server certificate/,
  ],
])("%s is rejected with the setting and the file", (_what, given, reason) => {
  const settings = Object.entries(given).map(([name, value]) => [`PATCHBAY_TLS_${name}`, value]);
  expect(() => checkSettings(configOf(Object.fromEntries(settings)))).toThrow(reason);
});

test("TLS on a Unix socket is rejected", () => {
  const settings = { PATCHBAY_TLS_SELF_SIGNED: "true", PATCHBAY_LISTEN: "unix:/run/never.sock" };
  expect(() => checkSettings(configOf(settings))).toThrow(/PATCHBAY_LISTEN: a Unix socket has no TLS/);
});

test("the self-signed certificate is kept, and renewed if damaged or unreadable", async () => {
  const config = configOf({ PATCHBAY_TLS_SELF_SIGNED: "true" });
  const first = await loadIdentity(config);
  if (first === undefined) throw new Error("none");
  expect(identityFacts(first).warning).toBeUndefined();
  expect(await loadIdentity(config)).toEqual(first);
  const file = join(config.values.data_dir, "tls", "key.pem");
  chmodSync(file, 0o644);
  writeFileSync(file, readFileSync(wrongKey ?? ""));
  const second = await loadIdentity(config);
  expect(second?.cert).not.toBe(first.cert);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a certificate that expires soon causes a warning", () => {
  const text = readFileSync(cert ?? "", "utf8");
  const facts = identityFacts({ cert: text, key: "" }, Date.now() + 80 * 86_400_000);
  expect(facts.warning).toMatch(/^it expires in \d days$/);
  expect(identityFacts({ cert: text, key: "" }, Date.now() + 100 * 86_400_000).warning).toMatch(
    /has expired/,
  );
});

test("a self-signed certificate made with a wrong clock is renewed", async () => {
  const config = configOf({ PATCHBAY_TLS_SELF_SIGNED: "true" });
  vi.useFakeTimers({ now: Date.now() + 3_650 * 86_400_000, toFake: ["Date"] });
  const early = await loadIdentity(config).finally(() => vi.useRealTimers());
  if (early === undefined) throw new Error("none");
  expect(identityFacts(early).warning).toMatch(/it is valid from /);
  const right = await loadIdentity(config);
  if (right === undefined) throw new Error("none");
  expect(right.cert).not.toBe(early.cert);
  expect(identityFacts(right).warning).toBeUndefined();
});

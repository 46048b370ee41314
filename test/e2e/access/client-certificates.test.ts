/**
 * Client certificates mapped to API keys: real openssl certificates, over the wire, with the rights of each
 * key.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KeyRecord, MadeKey } from "../../../src/api/access/key.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const folder = tempFolder();
const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
const file = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(file(name), "utf8");
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

function authority(name: string): void {
  openssl("req", "-x509", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.pem`, "-subj", `/CN=${name}`);
}

/** @param days negative: it has expired. */
function signed(name: string, by: string, days = 10): void {
  openssl("req", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
  const issuer = ["-CA", `${by}.pem`, "-CAkey", `${by}.key`, "-CAcreateserial"];
  openssl("x509", "-req", "-in", `${name}.csr`, ...issuer, "-days", String(days), "-out", `${name}.pem`);
}

/** 64 hexadecimal digits with colons, in openssl's format. */
function fingerprint(name: string): string {
  const printed = openssl("x509", "-in", `${name}.pem`, "-noout", "-fingerprint", "-sha256").toString();
  return printed.slice(printed.indexOf("=") + 1).trim();
}

let service: Service;
beforeAll(async () => {
  for (const name of ["ours", "others"]) authority(name);
  for (const name of ["service", "mapped", "unmapped"]) signed(name, "ours");
  signed("foreign", "others");
  signed("ended", "ours", -1);
  service = await startService({
    https: true,
    env: {
      PATCHBAY_TLS_CERT: file("service.pem"),
      PATCHBAY_TLS_KEY: file("service.key"),
      PATCHBAY_TLS_CLIENT_CA: file("ours.pem"),
      PATCHBAY_TLS_CLIENT_OPTIONAL: "true",
    },
  });
  for (const name of ["mapped", "ended", "foreign"])
    await service.call("POST", "/key", { name, scope: "read", certificate: fingerprint(name) });
});
afterAll(() => service.stop());

/** @returns the status; "cut": the connection was refused. */
async function statusOf(shown: string | undefined, path: string, init: RequestInit = {}) {
  const client = shown === undefined ? {} : { cert: text(`${shown}.pem`), key: text(`${shown}.key`) };
  const tls = { ...client, rejectUnauthorized: false };
  const answer = await fetch(service.url + path, { ...init, tls, keepalive: false }).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status ?? "cut";
}

test("a certificate has exactly the rights of its key", async () => {
  expect(await statusOf("mapped", "/worker")).toBe(200);
  expect(await statusOf("mapped", "/key")).toBe(403);
  // Another site could make a browser send the request.
  const headers = { Origin: "https://elsewhere.test", "Content-Type": "application/json" };
  expect(await statusOf("mapped", "/key", { method: "POST", headers, body: "{}" })).toBe(403);
});

test("the API key decides without a certificate or with one that belongs to no key", async () => {
  const headers = { "X-API-KEY": service.key };
  for (const shown of [undefined, "unmapped", "mapped"]) {
    expect(await statusOf(shown, "/key", { headers })).toBe(200);
    expect(await statusOf(shown, "/key", { headers: { "X-API-KEY": "wrong" } })).toBe(403);
  }
  for (const shown of [undefined, "unmapped"]) expect(await statusOf(shown, "/worker")).toBe(403);
});

test("rejects expired certificates and those of another authority, whatever key is sent", async () => {
  const sent: Record<string, string>[] = [{}, { "X-API-KEY": service.key }];
  for (const shown of ["foreign", "ended"])
    for (const headers of sent) expect(await statusOf(shown, "/worker", { headers })).toBe("cut");
});

test("does not accept the fingerprint of a certificate as a key", async () => {
  const plain = fingerprint("mapped").replaceAll(":", "").toLowerCase();
  // Guesses are slowed down.
  const sent = (forged: string): Record<string, string>[] => [
    { "X-API-KEY": forged },
    { Authorization: `Bearer ${forged}` },
    { Cookie: `patchbay_session=${encodeURIComponent(forged)}` },
    { "X-Client-Certificate": forged, "X-SSL-Client-Fingerprint": forged },
  ];
  for (const forged of [plain, fingerprint("mapped"), `certificate:${plain}`])
    for (const headers of sent(forged))
      expect(await statusOf(undefined, "/worker", { headers })).toBeOneOf([403, 429]);
});

test("is listed, audited, created once and revoked like any key", async () => {
  const plain = fingerprint("unmapped").replaceAll(":", "").toLowerCase();
  const asked = { name: "second", scope: "read", certificate: plain.toUpperCase() };
  const made = await service.call<MadeKey>("POST", "/key", asked);
  expect(made.body.data).toMatchObject({ key: "", certificate: plain });
  expect((await service.call("POST", "/key", { ...asked, name: "third" })).status).toBe(422);
  expect((await service.call("POST", "/key", { name: "no", certificate: "ab:cd" })).status).toBe(422);
  expect(await statusOf("unmapped", "/worker")).toBe(200);

  const listed = (await service.call<KeyRecord[]>("GET", "/key")).body.data;
  expect(listed.find(({ name }) => name === "second")).toMatchObject({ certificate: plain });
  const audit = await service.call<{ action: string; detail: string }[]>("GET", "/audit?limit=50");
  const entry = audit.body.data.find(({ detail }) => detail?.includes("second"));
  expect(entry).toMatchObject({ action: "key.add", detail: expect.stringContaining(`certificate ${plain}`) });

  await service.call("DELETE", "/key?name=second");
  await expect.poll(() => statusOf("unmapped", "/worker"), { timeout: 60_000 }).toBe(403);
});

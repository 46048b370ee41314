import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { serve } from "../../../src/runtime/net/serve.ts";
import { tempFolder } from "../../../src/testkit/service.ts";
import { makeCertificates } from "../../support/certificates.ts";

const folder = await makeCertificates("service", "client", "stranger");
const pem = (name: string) => ({
  cert: readFileSync(join(folder, `${name}.crt`), "utf8"),
  key: readFileSync(join(folder, `${name}.key`), "utf8"),
});
const kept = tempFolder();
mkdirSync(join(kept, "front-of-one-that-was-killed"));
const server = await serve({
  listen: { hostname: "127.0.0.1", port: 0 },
  tls: { ...pem("service"), clientCa: pem("client").cert },
  maxBodyBytes: 8_000_000,
  privateFolder: kept,
  fetch: async (request, from, { certificate, secure }) =>
    request.method === "POST"
      ? new Response(await request.arrayBuffer())
      : new Response(`in ${from} ${secure} ${certificate?.length}`),
});
afterAll(() => server.stop(0));

const inside = "in 127.0.0.1 true 64";
const ask = (shown: object) =>
  fetch(server.url, { tls: { ...shown, ca: pem("service").cert }, keepalive: false }).then((answer) =>
    answer.text(),
  );

test("with a client CA only its certificates are accepted, also after a renewal", async () => {
  for (const renewed of [false, true]) {
    if (renewed) server.renew({ ...pem("service"), clientCa: pem("client").cert });
    expect(await ask(pem("client"))).toBe(inside);
    await expect(ask({})).rejects.toThrow();
    await expect(ask(pem("stranger"))).rejects.toThrow();
  }
});

test("leftovers of a killed service are removed at the next start", () => {
  expect(readdirSync(kept)).toHaveLength(1);
  expect(readdirSync(kept)).not.toContain("front-of-one-that-was-killed");
});

test("an invalid renewed certificate leaves the listener unchanged", async () => {
  const broken = "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n";
  expect(() => server.renew({ ...pem("service"), cert: broken })).toThrow();
  expect(() => server.renew({ ...pem("service"), clientCa: broken })).toThrow();
  expect(await ask(pem("client"))).toBe(inside);
});

test("large bodies pass unchanged in both directions on a kept connection", async () => {
  const body = Buffer.alloc(4_000_000, "0123456789abcdef");
  const tls = { ...pem("client"), ca: pem("service").cert };
  for (let round = 0; round < 3; round++) {
    const answer = await fetch(server.url, { method: "POST", body, tls });
    expect(Buffer.from(await answer.arrayBuffer()).equals(body)).toBe(true);
  }
});

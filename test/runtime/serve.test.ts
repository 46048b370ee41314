import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { serve } from "../../src/runtime/serve.ts";
import { makeCertificates } from "../support/certificates.ts";

const folder = await makeCertificates("service", "client", "stranger");
const pem = (name: string) => ({
  cert: readFileSync(join(folder, `${name}.crt`), "utf8"),
  key: readFileSync(join(folder, `${name}.key`), "utf8"),
});
const server = await serve({
  listen: { hostname: "127.0.0.1", port: 0 },
  tls: { ...pem("service"), clientCa: pem("client").cert },
  maxBodyBytes: 1_000,
  fetch: () => new Response("in"),
});
afterAll(() => server.stop(0));

const ask = (shown: object) =>
  fetch(server.url, { tls: { ...shown, ca: pem("service").cert }, keepalive: false }).then((answer) =>
    answer.text(),
  );

test("with authorities for clients only a certificate of theirs gets in, also after a renewal", async () => {
  for (const renewed of [false, true]) {
    if (renewed) server.renew({ ...pem("service"), clientCa: pem("client").cert });
    expect(await ask(pem("client"))).toBe("in");
    await expect(ask({})).rejects.toThrow();
    await expect(ask(pem("stranger"))).rejects.toThrow();
  }
});

test("what can not be used leaves the listener with what it had", async () => {
  const broken = "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n";
  expect(() => server.renew({ ...pem("service"), cert: broken })).toThrow();
  expect(() => server.renew({ ...pem("service"), clientCa: broken })).toThrow();
  expect(await ask(pem("client"))).toBe("in");
});

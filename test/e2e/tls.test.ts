/** HTTPS as an operator sets it up: certificate files that are renewed, or a self-signed certificate. */
import { X509Certificate } from "node:crypto";
import { copyFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminKey, type Service, startService, tempFolder } from "../../src/testkit/service.ts";
import { makeCertificates } from "../support/certificates.ts";

/** The certificate presented to a new connection. */
function shown(service: Service): Promise<X509Certificate> {
  const { port, hostname } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate(true).raw));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

const made = await makeCertificates("first", "second");

describe("with the operator's certificate files", () => {
  const folder = tempFolder();
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const use = (name: string) => {
    copyFileSync(join(made, `${name}.key`), key);
    copyFileSync(join(made, `${name}.crt`), cert);
  };
  let service: Service;
  beforeAll(async () => {
    use("first");
    service = await startService({ https: true, env: { PATCHBAY_TLS_CERT: cert, PATCHBAY_TLS_KEY: key } });
  });
  afterAll(() => service.stop());

  test("answers a client that trusts the certificate, and no plain HTTP", async () => {
    const headers = { "X-API-KEY": adminKey };
    const ca = readFileSync(cert, "utf8");
    const answer = await fetch(`${service.url}/health`, { headers, tls: { ca } });
    expect(await answer.json()).toMatchObject({ data: "ok" });
    await expect(fetch(service.url.replace("https:", "http:"))).rejects.toThrow();
    await expect(fetch(`${service.url}/health`, { headers })).rejects.toThrow(/self.signed|certificate/i);
  });

  test("uses a renewed certificate without a restart or dropped responses", async () => {
    const held = fetch(`${service.url}/job?id=none`, {
      headers: { "X-API-KEY": adminKey },
      tls: { rejectUnauthorized: false },
    });
    use("second");
    await expect.poll(async () => (await shown(service)).subject).toBe("CN=second.test");
    expect((await held).status).toBe(404);
    expect(service.output()).toContain("tls.renewed");
  });

  test("ignores a mismatched key and certificate, and logs it", async () => {
    copyFileSync(join(made, "first.key"), key);
    await expect.poll(() => service.output()).toContain("tls.not_renewed");
    expect((await shown(service)).subject).toBe("CN=second.test");
    use("second");
  });
});

describe("with a self-signed certificate", () => {
  test("keeps it across starts, readable by its owner only, with this machine's names", async () => {
    const dataDir = tempFolder();
    const env = { PATCHBAY_TLS_SELF_SIGNED: "true" };
    const first = await startService({ https: true, env, dataDir });
    const certificate = await shown(first);
    expect(certificate.subjectAltName).toContain("IP Address:127.0.0.1");
    expect(first.output()).toContain(certificate.fingerprint256);
    expect(statSync(join(dataDir, "tls", "key.pem")).mode & 0o777).toBe(0o600);
    await first.stop();
    const second = await startService({ https: true, env, dataDir });
    expect((await shown(second)).fingerprint256).toBe(certificate.fingerprint256);
    await second.stop();
  });
});

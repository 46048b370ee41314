/** Client certificates that must not be accepted, CA files that change or are cut off, and handshakes without end. */
import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const folder = tempFolder();
const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
const file = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(file(name), "utf8");
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

function root(name: string): void {
  openssl("req", "-x509", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.pem`, "-subj", `/CN=${name}`);
}

function signed(name: string, by: string, extensions = ""): void {
  openssl("req", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
  writeFileSync(file(`${name}.ext`), extensions);
  const issuer = ["-CA", `${by}.pem`, "-CAkey", `${by}.key`, "-CAcreateserial"];
  const extended = extensions === "" ? [] : ["-extfile", `${name}.ext`];
  openssl("x509", "-req", "-in", `${name}.csr`, ...issuer, ...extended, "-days", "10", "-out", `${name}.pem`);
}

function notYetValid(name: string, by: string): void {
  openssl("req", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
  writeFileSync(file("index.txt"), "");
  const settings = "database=index.txt\nnew_certs_dir=.\ndefault_md=sha256\npolicy=any\nrand_serial=yes\n";
  writeFileSync(file("ca.cnf"), `[ca]\ndefault_ca=own\n[own]\n${settings}[any]\ncommonName=supplied\n`);
  const issuer = ["-cert", `${by}.pem`, "-keyfile", `${by}.key`, "-in", `${name}.csr`, "-out", `${name}.pem`];
  const dates = ["-startdate", "20990101000000Z", "-enddate", "20990201000000Z", "-notext"];
  openssl("ca", "-batch", "-config", "ca.cnf", ...issuer, ...dates);
}

/** Presents the certificates above it as well. */
function chained(name: string, ...above: string[]): void {
  writeFileSync(file(`${name}.chain`), [name, ...above].map((one) => text(`${one}.pem`)).join(""));
}

let service: Service;
beforeAll(async () => {
  for (const name of ["ours", "second", "others"]) root(name);
  for (const name of ["service", "good"]) signed(name, "ours");
  signed("ofSecond", "second");
  signed("issuing", "ours", "basicConstraints=critical,CA:true,pathlen:0");
  signed("below", "issuing");
  chained("below", "issuing");
  // A caller's own certificate must not issue others.
  signed("forged", "good");
  chained("forged", "good");
  signed("serverOnly", "ours", "extendedKeyUsage=serverAuth");
  notYetValid("later", "ours");
  copyFileSync(file("ours.pem"), file("ca.pem"));
  service = await startService({
    https: true,
    env: {
      PATCHBAY_TLS_CERT: file("service.pem"),
      PATCHBAY_TLS_KEY: file("service.key"),
      PATCHBAY_TLS_CLIENT_CA: file("ca.pem"),
      PATCHBAY_TLS_CLIENT_OPTIONAL: "true",
    },
  });
});
afterAll(() => service.stop());

/** @returns the status, with the service's key; "cut": the connection was refused. */
async function statusWith(shown: string | undefined, chain = `${shown}.pem`): Promise<number | "cut"> {
  const client = shown === undefined ? {} : { cert: text(chain), key: text(`${shown}.key`) };
  const tls = { ...client, rejectUnauthorized: false };
  const answer = await fetch(`${service.url}/key`, {
    tls,
    keepalive: false,
    headers: { "X-API-KEY": service.key },
  }).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status ?? "cut";
}

async function reload(ca: string, event: string): Promise<void> {
  const before = service.output().split(event).length;
  writeFileSync(file("ca.pem"), ca);
  service.child.kill("SIGHUP");
  await expect.poll(() => service.output().split(event).length, { timeout: 10_000 }).toBeGreaterThan(before);
}

describe("a certificate", () => {
  test.each([
    ["none", undefined, undefined, 200],
    ["of the authority", "good", "good.pem", 200],
    ["of an intermediate one, with the chain", "below", "below.chain", 200],
    ["of an intermediate one, without the chain", "below", "below.pem", "cut"],
    ["of another authority", "ofSecond", "ofSecond.pem", "cut"],
    ["issued by a caller", "forged", "forged.chain", "cut"],
    ["for servers only", "serverOnly", "serverOnly.pem", "cut"],
    ["that is not valid yet", "later", "later.pem", "cut"],
  ] as const)("%s", async (_what, shown, chain, status) => {
    expect(await statusWith(shown, chain)).toBe(status);
  });

  test("of another key is not proof of anything", async () => {
    const tls = { cert: text("good.pem"), key: text("forged.key"), rejectUnauthorized: false };
    await expect(fetch(`${service.url}/key`, { tls, keepalive: false })).rejects.toThrow();
  });
});

describe("the file of authorities", () => {
  test.each([
    [
      "cut in the middle of its second certificate",
      () => text("ours.pem") + text("second.pem").slice(0, 300),
    ],
    [
      "with a broken second certificate",
      () => text("ours.pem") + text("second.pem").replace(/\nM/, "\nAAAA"),
    ],
    ["empty", () => ""],
    ["with something else", () => text("ours.key")],
  ])("%s changes nothing", async (_what, ca) => {
    await reload(text("ours.pem") + text("second.pem"), "tls.renewed");
    expect([await statusWith("good"), await statusWith("ofSecond")]).toEqual([200, 200]);
    await reload(ca(), "tls.not_renewed");
    expect(service.output()).toContain("ca.pem");
    expect([await statusWith("good"), await statusWith("ofSecond")]).toEqual([200, 200]);
    await reload(text("ours.pem"), "tls.renewed");
    expect([await statusWith("good"), await statusWith("ofSecond")]).toEqual([200, "cut"]);
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "a session of a withdrawn authority is not resumed, %s",
    async (version) => {
      await reload(text("ours.pem") + text("second.pem"), "tls.renewed");
      const shown = { cert: text("ofSecond.pem"), key: text("ofSecond.key") };
      const first = await ask({ ...shown, version });
      expect(first.answer).toContain("200");
      await reload(text("ours.pem"), "tls.renewed");
      expect((await ask({ ...shown, version, session: first.session })).answer).not.toContain("200");
      expect((await ask({ version, session: first.session })).resumed).toBe(false);
    },
  );
});

interface Asking {
  readonly cert?: string;
  readonly key?: string;
  readonly session?: Buffer | undefined;
  readonly version: "TLSv1.2" | "TLSv1.3";
}

async function ask({ version, ...shown }: Asking) {
  const { port } = new URL(service.url);
  const versions = { minVersion: version, maxVersion: version };
  const socket = connectTls({
    host: "127.0.0.1",
    port: Number(port),
    rejectUnauthorized: false,
    ...versions,
    ...shown,
  });
  let session: Buffer | undefined;
  let answer = "";
  socket.on("session", (given: Buffer) => (session = given));
  socket.on("error", () => {});
  socket.on("data", (bytes: Buffer) => (answer += bytes.toString()));
  socket.on("secureConnect", () =>
    socket.write(`GET /key HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${service.key}\r\nConnection: close\r\n\r\n`),
  );
  await new Promise((resolve) => socket.once("close", resolve));
  return { session, answer, resumed: socket.isSessionReused() };
}

test("1,000 handshakes without end keep nobody out, and are closed", async () => {
  const { port } = new URL(service.url);
  const silent: Socket[] = [];
  for (let n = 0; n < 1_000; n++) {
    const socket = connect(Number(port), "127.0.0.1");
    silent.push(socket);
    socket.on("error", () => {});
    socket.resume();
    // Half of them begin a handshake: the header of a record that does not follow.
    if (n % 2 === 0) socket.write(Buffer.from([22, 3, 1, 2, 0, 1]));
  }
  // One that begins among the last of them, from the same address, may have to give way once.
  await expect.poll(() => statusWith("good"), { timeout: 20_000 }).toBe(200);
  await expect.poll(() => silent.filter(({ closed }) => closed).length, { timeout: 60_000 }).toBe(1_000);
  expect(await statusWith("good")).toBe(200);
});

test("a certificate of the service that is half written is not used", async () => {
  const kept = text("service.pem");
  appendFileSync(file("service.pem"), text("issuing.pem").slice(0, 200));
  await expect.poll(() => service.output()).toMatch(/service\.pem is not complete/);
  writeFileSync(file("service.pem"), kept);
  expect(await statusWith("good")).toBe(200);
});

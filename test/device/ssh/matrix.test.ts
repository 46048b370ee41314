/**
 * Every offered algorithm alone, and every kind of user key, against real OpenSSH and dropbear: the table of
 * the docs.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Dropbear, startDropbear } from "../../../scripts/testbed/dropbear.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run } from "../../../scripts/testbed/run.ts";
import { secret } from "../../../src/base/secrets/secret.ts";
import { algorithmsFor } from "../../../src/device/ssh/login/algorithms.ts";
import { Client, type ConnectConfig } from "../../../src/device/ssh/ssh2.ts";
import { newSsh, type Reachable, scopeOf, targetOf, withoutPassword } from "./support.ts";

const page = "docs/reference/drivers/paramiko.md";
const folder = mkdtempSync(join(tmpdir(), "patchbay-matrix-"));
const at = (name: string) => join(folder, name);
const keygen = (...args: string[]) => run(["ssh-keygen", "-q", ...args], { mustSucceed: true });

const offered = { modern: algorithmsFor("modern", [], false), legacy: algorithmsFor("legacy", [], false) };
const categories = { kex: "key exchange", cipher: "cipher", hmac: "MAC", serverHostKey: "host key" } as const;
type Category = keyof typeof categories;

const userKeys: Record<string, string[]> = {
  "RSA 2048": ["-t", "rsa", "-b", "2048"],
  "RSA 3072, PEM": ["-t", "rsa", "-b", "3072", "-m", "PEM"],
  "ECDSA 256": ["-t", "ecdsa", "-b", "256"],
  "ECDSA 384, PKCS#8": ["-t", "ecdsa", "-b", "384", "-m", "PKCS8"],
  "ECDSA 521": ["-t", "ecdsa", "-b", "521"],
  Ed25519: ["-t", "ed25519"],
};
const fileOf = (kind: string) => at(kind.replaceAll(/\W+/g, "-"));

/** A login with a single algorithm in its category. */
function logsInWith(server: Reachable, category: Category, name: string): Promise<boolean> {
  const algorithms = { ...offered.legacy, [category]: [name] };
  // An AEAD cipher would leave the MAC unused.
  if (category === "hmac") algorithms.cipher = ["aes128-ctr"];
  const client = new Client();
  const config = { host: server.host, port: server.port, username: server.user, password: server.password };
  return new Promise<boolean>((resolve) => {
    client.once("ready", () => resolve(true));
    client.on("error", () => resolve(false));
    client.connect({
      ...config,
      readyTimeout: 60_000,
      algorithms: algorithms as NonNullable<ConnectConfig["algorithms"]>,
    });
  }).finally(() => client.destroy());
}

async function logsInByKey(server: Reachable, kind: string, certificate?: string): Promise<boolean> {
  const key = { pem: secret(readFileSync(fileOf(kind), "utf8")), label: kind };
  const keys = [certificate === undefined ? key : { ...key, certificate }];
  const connection = await newSsh()
    .connect({ ...withoutPassword(targetOf(server)), keys }, scopeOf())
    .catch(() => undefined);
  await connection?.close();
  return connection !== undefined;
}

describe.skipIf(needs("openssh", "dropbear"))("the table of algorithms in the docs", () => {
  let openssh: Sshd;
  let dropbear: Dropbear;
  beforeAll(async () => {
    keygen("-t", "ed25519", "-N", "", "-f", at("authority"));
    for (const [kind, args] of Object.entries(userKeys)) keygen(...args, "-N", "", "-f", fileOf(kind));
    const authorizedKeys = Object.keys(userKeys).map((kind) =>
      readFileSync(`${fileOf(kind)}.pub`, "utf8").trim(),
    );
    const { kex, cipher, hmac } = offered.legacy;
    const all = (names: readonly string[], but: readonly string[] = []) =>
      names.filter((name) => !but.includes(name)).join(",");
    openssh = await startSshd({
      hostKeys: ["ed25519", "rsa", "ecdsa-256", "ecdsa-384", "ecdsa-521"],
      kex: all(kex, ["diffie-hellman-group15-sha512", "diffie-hellman-group17-sha512"]),
      ciphers: all(cipher),
      macs: all(hmac),
      hostKeyAlgorithms: all(offered.legacy.serverHostKey),
      authorizedKeys,
      config: [`TrustedUserCAKeys ${at("authority.pub")}`],
    });
    dropbear = await startDropbear({ hostKeys: ["ed25519", "rsa", "ecdsa"], authorizedKeys });
  });
  afterAll(async () => {
    await Promise.all([openssh?.stop(), dropbear?.stop()]);
  });

  const mark = (works: boolean) => (works ? "yes" : "-");
  const row = (...cells: string[]) => `| ${cells.join(" | ")} |`;

  async function algorithmRows(category: Category): Promise<string[]> {
    const rows: string[] = [];
    for (const name of offered.legacy[category]) {
      const profile = (offered.modern[category] as readonly string[]).includes(name) ? "modern" : "legacy";
      const works = [await logsInWith(openssh, category, name), await logsInWith(dropbear, category, name)];
      rows.push(row(categories[category], `\`${name}\``, profile, ...works.map(mark)));
    }
    return rows;
  }

  async function keyRows(): Promise<string[]> {
    const rows: string[] = [];
    for (const kind of Object.keys(userKeys)) {
      const works = [await logsInByKey(openssh, kind), await logsInByKey(dropbear, kind)];
      rows.push(row("user key", kind, "modern", ...works.map(mark)));
    }
    for (const kind of ["RSA 2048", "ECDSA 256", "Ed25519"]) {
      writeFileSync(at("signed.pub"), readFileSync(`${fileOf(kind)}.pub`));
      keygen(
        "-s",
        at("authority"),
        "-I",
        `matrix ${kind}`,
        "-n",
        `${openssh.user},${dropbear.user}`,
        at("signed.pub"),
      );
      const certificate = readFileSync(at("signed-cert.pub"), "utf8");
      const accepted = new RegExp(`Accepted certificate ID "matrix ${kind}"`);
      // The server logs independently of its response.
      const works =
        (await logsInByKey(openssh, kind, certificate)) &&
        (await openssh.said(accepted).then(
          () => true,
          () => false,
        ));
      rows.push(row("user certificate", kind, "modern", mark(works), "-"));
    }
    return rows;
  }

  test("matches what real OpenSSH and dropbear support", async () => {
    const rows = [row("Kind", "Name", "`ssh_profile`", "OpenSSH", "dropbear"), "|---|---|---|---|---|"];
    for (const category of ["kex", "cipher", "hmac", "serverHostKey"] as const)
      rows.push(...(await algorithmRows(category)));
    rows.push(...(await keyRows()));
    const table = rows.join("\n");
    console.log(table);
    const [begin, end] = ["<!-- matrix: begin -->\n", "\n<!-- matrix: end -->"];
    const text = readFileSync(page, "utf8");
    const [before = "", rest = ""] = text.split(begin);
    const [written, after = ""] = rest.split(end);
    if (process.env.WRITE_MATRIX === "1") writeFileSync(page, `${before}${begin}\n${table}\n${end}${after}`);
    else expect(written?.trim(), "docs: run this test with WRITE_MATRIX=1").toBe(table);
  }, 600_000);
});

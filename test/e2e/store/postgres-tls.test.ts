/** PostgreSQL beyond TLS that lets in who has a certificate: by the program from its source, and by the compiled one. */
import { execFileSync } from "node:child_process";
import { chownSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Postgres, startPostgres } from "../../../scripts/testbed/postgres.ts";
import { refusal, startService, tempFolder } from "../../../src/testkit/service.ts";
import { binary } from "../binary.ts";

const role = "patchbay";

describe.skipIf(needs("postgres"))("a PostgreSQL that asks for certificates", () => {
  const folder = tempFolder();
  let server: Postgres;

  beforeAll(async () => {
    server = await startPostgres();
    await server.sql(`create role ${role} login`);
    for (const name of ["source", "compiled"]) {
      await server.create(name);
      await server.sql(`alter database ${name} owner to ${role}`);
    }
    authority("authority");
    authority("other");
    certificate("server", "localhost", "authority");
    certificate("client", role, "authority");
    certificate("stranger", role, "other");
    await secure();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  const key = (name: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", at(`${name}.key`)];

  function authority(name: string): void {
    openssl("req", "-x509", ...key(name), "-days", "2", "-subj", `/CN=${name}`, "-out", at(`${name}.crt`));
  }

  function certificate(name: string, subject: string, by: string): void {
    openssl("req", ...key(name), "-subj", `/CN=${subject}`, "-out", at(`${name}.csr`));
    writeFileSync(at(`${name}.ext`), `subjectAltName=DNS:${subject}\n`);
    const signer = ["-CA", at(`${by}.crt`), "-CAkey", at(`${by}.key`), "-CAcreateserial"];
    const files = ["-in", at(`${name}.csr`), "-extfile", at(`${name}.ext`), "-out", at(`${name}.crt`)];
    openssl("x509", "-req", ...signer, "-days", "2", ...files);
  }

  async function secure(): Promise<void> {
    const data = join(server.folder, "data");
    const { uid, gid } = statSync(data);
    const files = { "server.key": "server.key", "server.crt": "server.crt", "root.crt": "authority.crt" };
    for (const [name, from] of Object.entries(files)) {
      writeFileSync(join(data, name), readFileSync(at(from)), { mode: 0o600 });
      chownSync(join(data, name), uid, gid);
    }
    const hba = join(data, "pg_hba.conf");
    const rules = [`hostssl all ${role} all cert`, `host all ${role} all reject`];
    writeFileSync(hba, `${rules.join("\n")}\n${readFileSync(hba, "utf8")}`);
    await server.sql("alter system set ssl_ca_file = 'root.crt'");
    await server.sql("alter system set ssl = on");
    await server.sql("select pg_reload_conf()");
    const isOn = async () => String(await server.sql("show ssl")) === "on";
    await vi.waitUntil(isOn, { timeout: 60_000, interval: 100 });
  }

  function urlOf(database: string, parameters: Record<string, string>, host = "localhost"): string {
    const url = new URL(`postgres://${role}@${host}:${server.port}/${database}`);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  const verified = { sslmode: "verify-full", sslrootcert: at("authority.crt") };
  const own = { ...verified, sslcert: at("client.crt"), sslkey: at("client.key") };

  test.each(["source", "compiled"] as const)("takes the program, %s", { timeout: 400_000 }, async (kind) => {
    const service = await startService({
      dataDir: at(kind),
      env: { PATCHBAY_DATABASE_URL: urlOf(kind, own) },
      ...(kind === "compiled" ? { binary: await binary() } : {}),
    });
    // A busy server may refuse a write at first.
    const put = () => service.call("PUT", "/credential/lab", { username: "u", password: "p" });
    await expect.poll(async () => (await put()).status, { timeout: 120_000 }).toBeLessThan(300);
    const sessions = await server.sql(
      `select distinct ssl, client_dn from pg_stat_ssl join pg_stat_activity using (pid) where usename = '${role}'`,
    );
    expect(sessions).toEqual([[true, `/CN=${role}`]]);
    expect(await service.stop()).toBe(0);
  });

  test.each([
    ["without TLS", { sslmode: "disable" }, "localhost"],
    ["without a certificate", verified, "localhost"],
    [
      "with that of another authority",
      { ...own, sslcert: at("stranger.crt"), sslkey: at("stranger.key") },
      "localhost",
    ],
    ["under a name that its own does not have", own, "127.0.0.1"],
    ["of an authority that is not ours", { ...own, sslrootcert: at("other.crt") }, "localhost"],
  ])("is not used %s", { timeout: 200_000 }, (_, parameters, host) => {
    expect(refusal(at("refused"), { PATCHBAY_DATABASE_URL: urlOf("source", parameters, host) })).toMatch(
      /cannot be opened/,
    );
  });
});

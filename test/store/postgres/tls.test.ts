/** Of several hosts, the primary is reached by TLS too, and its certificate is checked for its name. */
import { execFileSync } from "node:child_process";
import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Postgres, startPostgres } from "../../../scripts/testbed/postgres.ts";
import { temporary } from "../../support/temporary.ts";
import { endStore } from "../support.ts";
import { openPostgres } from "./place.ts";

describe.skipIf(needs("postgres"))("several hosts by TLS", () => {
  const ends: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** @returns the file of its certificate, which is its own authority */
  async function secure(server: Postgres, name: string): Promise<string> {
    const data = join(server.folder, "data");
    const [key, certificate] = [join(data, "server.key"), join(data, "server.crt")];
    const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${name}`];
    execFileSync(
      "openssl",
      [...request, "-addext", `subjectAltName=DNS:${name}`, "-keyout", key, "-out", certificate],
      { stdio: "ignore" },
    );
    const { uid, gid } = statSync(data);
    for (const path of [key, certificate]) chownSync(path, uid, gid);
    await server.sql("alter system set ssl = on");
    await server.sql("select pg_reload_conf()");
    await expect.poll(() => server.sql("show ssl"), { timeout: 60_000 }).toEqual([["on"]]);
    const folder = temporary();
    ends.push(folder.remove);
    const copy = join(folder.path, "authority.crt");
    writeFileSync(copy, readFileSync(certificate));
    return copy;
  }

  test.each([
    { name: "localhost", opens: true },
    { name: "elsewhere", opens: false },
  ])("with a certificate of $name: $opens", async ({ name, opens }) => {
    const server = await startPostgres();
    ends.push(server.stop);
    await server.create("patchbay");
    const authority = await secure(server, name);
    const folder = temporary();
    ends.push(folder.remove);
    const hosts = `localhost:1,localhost:${server.port}`;
    const url = `postgres://postgres@${hosts}/patchbay?sslmode=verify-full&sslrootcert=${authority}`;
    if (!opens) {
      await expect(openPostgres(url, folder.path)).rejects.toThrow(/cannot be opened/);
      return;
    }
    const store = await openPostgres(url, folder.path);
    ends.push(() => endStore(store));
    const { rows } = await store.raw("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
    expect(rows).toEqual([[true]]);
  });
});

/** Backups of PostgreSQL by the commands of docs/guides/high-availability.md, taken while jobs run. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import {
  type Postgres,
  postgresPrograms,
  startOnCopy,
  startPostgres,
} from "../../../scripts/testbed/postgres.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };

/** Those of the section on backups. */
function commandsOfGuide(): string[] {
  const guide = readFileSync("docs/guides/high-availability.md", "utf8");
  const section = guide.slice(guide.indexOf("\n## Backup"));
  return [...section.matchAll(/^\$ ((?:.*\\\n)*.+)$/gm)].map(([, command = ""]) => command);
}

describe.skipIf(needs("postgres"))("a backup of PostgreSQL", () => {
  let folder: string;
  let postgres: Postgres;
  let device: SimulatedDevice;
  let service: Service;

  beforeAll(async () => {
    folder = tempFolder();
    postgres = await startPostgres();
    await postgres.sql("create role patchbay login");
    await postgres.create("patchbay");
    device = await simulated("cisco_ios", login);
    mkdirSync(join(folder, "commands"));
    service = await start("first", urlOf(postgres, "patchbay"));
  });
  afterAll(async () => {
    await service.stop();
    await device.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const urlOf = (server: Postgres, name: string) => server.url(name);
  const start = (name: string, url: string) =>
    startService({
      dataDir: join(folder, name),
      env: { PATCHBAY_DATABASE_URL: url, PATCHBAY_MASTER_KEY: "ab".repeat(32), PATCHBAY_NODE: name },
    });

  /** As the guide has it, by the account and the server of its machine. */
  function run(command: string): string {
    return execFileSync("sh", ["-c", command], {
      cwd: join(folder, "commands"),
      encoding: "utf8",
      env: {
        PATH: `${postgresPrograms()}:${process.env.PATH}`,
        ...{ PGHOST: "127.0.0.1", PGPORT: String(postgres.port), PGUSER: "postgres" },
      },
    });
  }

  const push = (word: string) => {
    const { port, username, password, secret } = device;
    const connection_args = { device_type: "cisco_ios", host: "127.0.0.1", port, username, password, secret };
    const config = ["interface Loopback1", ` description ${word}`];
    return service.run({ driver: "netmiko", connection_args, config });
  };

  async function restoredAt(name: string, url: string, before: readonly { id: string }[]) {
    const restored = await start(name, url);
    for (const { id } of before) expect(await restored.job(id)).toEqual(await service.job(id));
    const { status, body } = await restored.call("POST", "/ledger/verify", {});
    expect([status, body.data]).toMatchObject([200, { breaks: [] }]);
    await restored.stop();
  }

  test("by the commands of the guide is restored by those of the guide", { timeout: 600_000 }, async () => {
    const [dump, ...rest] = commandsOfGuide();
    const [create, restore, base, verify, look, hold] = rest;
    const before = [await push("one"), await push("two")];
    let busy = true;
    const more = (async () => {
      for (let at = 0; busy; at++) await push(`more-${at}`);
    })();
    run(dump ?? "");
    run(base ?? "");
    busy = false;
    await more;
    run(create ?? "");
    run(restore ?? "");
    run(look ?? "");
    run(hold ?? "");
    await restoredAt("restored", urlOf(postgres, "patchbay_restored"), before);

    run(verify ?? "");
    const copy = join(folder, "commands", "patchbay.base");
    chmodSync(folder, 0o711);
    const other = await startOnCopy(copy);
    await restoredAt("base", urlOf(other, "patchbay"), before);
    await other.stop();
  });

  test("is not made by patchbay backup, which says by what", () => {
    const [program, ...begin] = programOf();
    const args = ["backup", join(folder, "no.tar.gz"), "--data-dir", join(folder, "first")];
    const { status, stderr } = spawnSync(program, [...begin, ...args], {
      encoding: "utf8",
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PATCHBAY_DATABASE_URL: urlOf(postgres, "patchbay"),
        PATCHBAY_MASTER_KEY: "ab".repeat(32),
      },
    });
    expect(stderr).toMatch(/pg_dump or pg_basebackup/);
    expect(status).toBe(1);
  });
});

/** `patchbay store move`, in all six directions, in a plain run in three: the service answers as before, and goes on. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Postgres, startPostgres } from "../../../scripts/testbed/postgres.ts";
import { startSqld } from "../../../scripts/testbed/sqld.ts";
import { programOf, refusal, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { sampled } from "../../support/sampled.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const [program, ...begin] = programOf();
const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
/** Everything that does not tell the time. */
const asked = [
  ...["/job?limit=500", "/bulk", "/key", "/inventory/device", "/credential", "/host-key", "/schedule"],
  ...["/webhook", "/role", "/person", "/recipe", "/template", "/history/device", "/history/device/acc-1"],
  ...["/history/device/acc-1/latest", "/history/change", "/ledger?limit=500", "/ledger/public-key"],
  ...["/intent", "/change", "/audit?since=2020-01-01T00:00:00Z"],
];

/** Without what depends on the time of asking, or is written seconds later. */
const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, member) =>
      ["rate", "seen_at", "last_used_at"].includes(name) ? undefined : member,
    ),
  );

describe.skipIf(needs("postgres"))("a moved store", () => {
  let folder: string;
  let postgres: Postgres;
  let device: SimulatedDevice;

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    folder = tempFolder();
    device = await simulated("cisco_ios", login);
  });
  afterEach(async () => {
    await device.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = (place: string): Record<string, string> =>
    place === "file" ? {} : { PATCHBAY_DATABASE_URL: place };
  const start = (place: string) =>
    startService({ dataDir: folder, env: { ...env(place), PATCHBAY_NODE: "n1" } });
  const command = (from: string, to: string) => [...begin, "store", "move", from, to, "--data-dir", folder];
  const own = () => ({ PATH: process.env.PATH, HOME: folder });

  function move(from: string, to: string): string {
    const { stdout, stderr } = spawnSync(program, command(from, to), { encoding: "utf8", env: own() });
    return stdout + stderr;
  }

  /** `kill -9` as soon as a table is copied. */
  async function killed(from: string, to: string): Promise<void> {
    const child = spawn(program, command(from, to), { env: own(), stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await exited;
  }

  async function answersOf(service: Service) {
    const answers: Record<string, unknown> = {};
    for (const path of asked) {
      const { status, body } = await service.call("GET", path);
      expect(status, `${path}: ${JSON.stringify(body)}`).toBe(200);
      answers[path] = timeless(body.data);
    }
    return answers;
  }

  /** Of the history as Git: of its texts, and of all that is known of each version. */
  async function commitOf(service: Service): Promise<string | undefined> {
    const headers = { "X-API-KEY": service.key };
    const bundle = await (await fetch(`${service.url}/history/export.bundle`, { headers })).text();
    return /^([0-9a-f]{40}) refs\/heads\//m.exec(bundle)?.[1];
  }

  async function verified(service: Service) {
    const { status, body } = await service.call<{ intact: boolean }>("POST", "/ledger/verify", {});
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data;
  }

  async function fill(service: Service) {
    await service.call("PUT", "/credential/lab", login);
    const acc = {
      name: "Acc-1",
      host: "127.0.0.1",
      port: device.port,
      driver: "netmiko",
      platform: "cisco_ios",
    };
    const devices = [{ ...acc, credential: { name: "file", ref: "lab" } }];
    expect((await service.call("POST", "/inventory/device", { devices })).status).toBe(200);
    const taken = await service.call("POST", "/history/take", { device: "Acc-1" }, { Prefer: "wait=60" });
    expect(taken.status).toBe(200);
    await push(service, "first");
    expect((await service.call("POST", "/key", { name: "robot", scope: "operate" })).status).toBe(201);
  }

  async function push(service: Service, word: string) {
    const config = ["interface Loopback1", ` description ${word}`];
    const job = await service.run({ device: "Acc-1", config });
    expect(job).toMatchObject({ status: "finished" });
    const versions = async () => {
      const { body } = await service.call<{ cause_job_id?: string }[]>("GET", "/history/device/acc-1");
      return body.data.map(({ cause_job_id }) => cause_job_id);
    };
    await expect.poll(versions, { timeout: 60_000 }).toContain(job.id);
  }

  /** Between them, each direction. */
  const rings = [
    ["file", "postgres", "sqld", "file"],
    ["file", "sqld", "postgres", "file"],
  ] as const;
  test.each(sampled(rings, 1, () => "ring").map((stores) => ({ stores })))(
    "answers as before, and works on: $stores",
    {
      timeout: 900_000,
    },
    async ({ stores }) => {
      const server = await startSqld();
      onTestFinished(() => server.stop());
      const name = `begins_${stores[1]}`;
      await postgres.create(name);
      const urls = { file: "file", postgres: postgres.url(name), sqld: server.url };
      const ring = stores.map((store) => urls[store]);
      let service = await start("file");
      await fill(service);
      for (const [at, to] of ring.slice(1).entries()) {
        const from = ring[at] ?? "";
        const before = await answersOf(service);
        const chain = await verified(service);
        const commit = await commitOf(service);
        expect(commit).toBeDefined();
        expect(chain).toMatchObject({ breaks: [] });
        expect(move(from, to)).toMatch(/in use/);
        await service.stop();
        // With its log, which would be taken for that of the new one.
        for (const end of to === "file" ? ["", "-wal", "-shm"] : [])
          if (existsSync(join(folder, `patchbay.db${end}`)))
            renameSync(join(folder, `patchbay.db${end}`), join(folder, `left-${at}.db${end}`));
        if (at === 0) {
          await killed(from, to);
          expect(refusal(folder, env(from))).toMatch(/is being moved/);
          expect(refusal(folder, env(to))).toMatch(/was interrupted/);
        }
        expect(move(from, to)).toMatch(/\nMoved\. /);
        if (from !== "file") expect(refusal(folder, env(from))).toMatch(/was moved to/);
        service = await start(to);
        const after = await answersOf(service);
        for (const path of asked) expect(after[path], path).toEqual(before[path]);
        expect(await verified(service)).toEqual(chain);
        expect(await commitOf(service)).toBe(commit);
        await push(service, `word-${at}`);
      }
      const lines = device.commands().filter((line) => line.includes("description"));
      expect(lines).toHaveLength(ring.length);
      await service.stop();
    },
  );
});

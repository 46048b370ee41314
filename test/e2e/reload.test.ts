/** SIGHUP at any moment: nothing is lost, and what is not whole is not used and named. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, expect, test } from "vitest";
import { pause } from "../../src/base/time/deadline.ts";
import { type Service, startService, tempFolder } from "../../src/testkit/service.ts";

const driver = (version: number) => `
import { defineDriver } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default defineDriver({
  name: "acme", version: "${version}", connection: any, query: any, strategy: "fifo",
  target: ({ host }) => ({ host, port: 443 }),
  open: async () => ({ query: async () => { await new Promise((go) => setTimeout(go, 20)); return ${version}; } }),
});
`;

let service: Service | undefined;
afterEach(() => service?.close());

const reloads = () => (service?.output().split('"plugins.reloaded"').length ?? 1) - 1;
const hangUp = () => void service?.child.kill("SIGHUP");
const bulk = (count: number) => ({
  driver: "acme",
  connection_args: {},
  devices: Array.from({ length: count }, (_, at) => ({ host: `r${at}` })),
  command: "show",
});

interface BulkRecord {
  total: number;
  counts: { finished: number; failed: number };
  ended_at: string | null;
}

async function ended(id: string): Promise<BulkRecord> {
  for (;;) {
    const { body } = await (service as Service).call<BulkRecord>("GET", `/bulk/${id}`);
    if (body.data.ended_at !== null) return body.data;
    await pause(50);
  }
}

async function submit(count: number): Promise<string> {
  const { body } = await (service as Service).call<{ bulk_id: string }>("POST", "/device/bulk", bulk(count));
  return body.data.bulk_id;
}

test("100 SIGHUPs during a bulk lose no job, and end in few reloads with the newest plugin", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "acme.js"), driver(1));
  service = await startService({ plugins: [folder] });
  const id = await submit(500);
  for (let n = 0; n < 100; n++) {
    hangUp();
    await pause(2);
    if (n === 50) writeFileSync(join(folder, "acme.js"), driver(2));
  }
  expect(await ended(id)).toMatchObject({ total: 500, counts: { finished: 500, failed: 0 } });
  await expect
    .poll(
      async () =>
        (await service?.run({ ...bulk(0), devices: undefined, connection_args: { host: "r1" } }))?.result
          ?.retval,
      { timeout: 30_000 },
    )
    .toEqual({ show: 2 });
  expect(reloads()).toBeGreaterThan(0);
  expect(reloads()).toBeLessThan(100);
});

test("a SIGHUP while the service starts does not end it, and is followed", async () => {
  const folder = tempFolder();
  const begun = join(tempFolder(), "begun");
  // Loaded in a child first: the service is then starting.
  const slow = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(begun)}, ""); await new Promise((go) => setTimeout(go, 300));`;
  writeFileSync(join(folder, "acme.js"), `${slow}\n${driver(1)}`);
  const starting = startService({ plugins: [folder] });
  await expect.poll(() => existsSync(begun), { timeout: 60_000, interval: 10 }).toBe(true);
  for (const pid of childrenOf(process.pid)) if (isOurs(pid, folder)) process.kill(pid, "SIGHUP");
  service = await starting;
  await expect.poll(reloads, { timeout: 30_000 }).toBeGreaterThan(0);
});

/** Process ids of the services that tests of this process started. */
function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return list.split(" ").filter(Boolean).map(Number);
}

function isOurs(pid: number, folder: string): boolean {
  return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`PATCHBAY_PLUGINS=${folder}`);
}

test("a service killed during a reload starts with all its jobs", async () => {
  const [dataDir, folder] = [tempFolder(), tempFolder()];
  writeFileSync(join(folder, "acme.js"), driver(1));
  service = await startService({ dataDir, plugins: [folder] });
  const id = await submit(300);
  hangUp();
  await pause(30);
  await service.kill();
  service = await startService({ dataDir, plugins: [folder] });
  const { counts } = await ended(id);
  expect(counts.finished + counts.failed).toBe(300);
});

test("a changed plugin that is not whole leaves the former one in use, and is named", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "acme"));
  const file = join(folder, "acme", "plugin.js");
  writeFileSync(file, driver(1));
  // A thread that starts before the reload would read the file as it is.
  service = await startService({ plugins: [folder], env: { PATCHBAY_DEVICE_THREADS: "1" } });
  const run = async () =>
    (await service?.run({ driver: "acme", connection_args: { host: "r1" }, command: "show" }))?.result
      ?.retval;
  expect(await run()).toEqual({ show: 1 });
  const id = await submit(300);
  writeFileSync(file, driver(2).slice(0, 200));
  hangUp();
  await expect.poll(reloads, { timeout: 30_000 }).toBe(1);
  expect(await ended(id)).toMatchObject({ counts: { finished: 300, failed: 0 } });
  expect(await run()).toEqual({ show: 1 });
  const { body } = await service.call<{ name: string; refused: string | null }[]>("GET", "/plugin");
  expect(body.data.filter(({ name }) => name === "acme").map(({ refused }) => refused)).toEqual([
    null,
    expect.stringMatching(/plugin\.js.*The former version stays in use/),
  ]);
  writeFileSync(file, driver(2));
  hangUp();
  await expect.poll(reloads, { timeout: 30_000 }).toBe(2);
  expect(await run()).toEqual({ show: 2 });
  rmSync(join(folder, "acme"), { recursive: true });
  hangUp();
  await expect.poll(reloads, { timeout: 30_000 }).toBe(3);
  expect(
    (await service.call("POST", "/device/execute", { ...bulk(0), connection_args: { host: "r1" } })).status,
  ).toBe(422);
});

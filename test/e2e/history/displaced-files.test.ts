/**
 * The files of the database are deleted, moved, replaced or overwritten under the running service: it accepts nothing
 * more, says what to do, and no acknowledged job is lost.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const folders: string[] = [];
let service: Service | undefined;
afterEach(async () => {
  await service?.kill();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The data directory is one level below a folder of the test. */
function dataFolder(): string {
  const folder = tempFolder();
  folders.push(folder);
  mkdirSync(join(folder, "data"));
  return join(folder, "data");
}

/** Jobs that wait: nothing but the acknowledgement says that they exist. */
const later = () => ({
  driver: "netmiko",
  connection_args: { device_type: "cisco_ios", host: "192.0.2.1", username: "u", password: "p" },
  command: "show clock",
  options: { not_before: new Date(Date.now() + 3_600_000).toISOString(), ttl: 7_200 },
});

async function accepted(to: Service, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const answer = await to.call<{ id: string }>("POST", "/device/execute", later());
    expect(answer.status).toBe(201);
    ids.push(answer.body.data.id);
  }
  return ids;
}

async function refusedWith(to: Service): Promise<string> {
  const answer = await to.call("POST", "/device/execute", later());
  expect(answer).toMatchObject({ status: 503, body: { code: -1 } });
  const group = await to.call("PUT", "/inventory/group/g", {});
  expect(group).toMatchObject({ status: 503, body: { code: -1, message: answer.body.message } });
  const ready = await fetch(`${to.url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining(answer.body.message)]);
  expect((await to.call("GET", "/health")).status).toBe(200);
  return answer.body.message;
}

async function known(to: Service, ids: readonly string[]): Promise<void> {
  for (const id of ids) expect((await to.job(id)).id).toBe(id);
}

const names = ["patchbay.db", "patchbay.db-wal", "patchbay.db-shm"] as const;
const [database, log, index] = names;

test.each([
  ["the log", [log], "is in patchbay.db. Restart the service."],
  ["the index of the log", [index], "is in patchbay.db. Restart the service."],
  ["both", [log, index], "is in patchbay.db. Restart the service."],
  ["the database", [database], "is in a new patchbay.db. Restart the service."],
  ["all three", names, "is in a new patchbay.db. Restart the service."],
] as const)(
  "%s deleted: refuses, and after kill -9 every acknowledged job is there",
  async (_, gone, todo) => {
    const dataDir = dataFolder();
    service = await startService({ dataDir });
    const ids = await accepted(service, 5);
    for (const name of gone) rmSync(join(dataDir, name));
    const message = await refusedWith(service);
    expect(message).toMatch(/^patchbay\.db(-wal|-shm)? was moved, deleted or replaced while it was in use/);
    expect(message).toContain(todo);
    await known(service, ids);
    await service.kill();
    service = await startService({ dataDir });
    await known(service, ids);
    await accepted(service, 1);
  },
);

test("the database replaced by another: what was acknowledged is in a copy beside it", async () => {
  const dataDir = dataFolder();
  service = await startService({ dataDir });
  const before = await accepted(service, 2);
  await service.stop();
  copyFileSync(join(dataDir, database), join(dataDir, "older"));
  service = await startService({ dataDir });
  const ids = [...before, ...(await accepted(service, 5))];
  renameSync(join(dataDir, "older"), join(dataDir, database));
  const copy = /in (patchbay\.db\.saved-\S+):/.exec(await refusedWith(service))?.[1] ?? "";
  await service.kill();
  renameSync(join(dataDir, copy), join(dataDir, database));
  for (const name of [log, index]) rmSync(join(dataDir, name), { force: true });
  service = await startService({ dataDir });
  await known(service, ids);
});

test("moved to another name: everything is in the moved file", async () => {
  const dataDir = dataFolder();
  service = await startService({ dataDir });
  const ids = await accepted(service, 5);
  renameSync(join(dataDir, database), join(dataDir, "elsewhere.db"));
  expect(await refusedWith(service)).toContain("is in the moved database: put it back");
  await service.kill();
  renameSync(join(dataDir, "elsewhere.db"), join(dataDir, database));
  service = await startService({ dataDir });
  await known(service, ids);
});

test.each([[false], [true]])("the directory moved (%s: replaced by an empty one)", async (replaced) => {
  const dataDir = dataFolder();
  service = await startService({ dataDir });
  const ids = await accepted(service, 5);
  renameSync(dataDir, `${dataDir}.old`);
  if (replaced) mkdirSync(dataDir);
  expect(await refusedWith(service)).toContain("The data directory was moved, deleted or replaced");
  await service.kill();
  expect(existsSync(join(dataDir, database))).toBe(false);
  rmSync(dataDir, { recursive: true, force: true });
  renameSync(`${dataDir}.old`, dataDir);
  service = await startService({ dataDir });
  await known(service, ids);
});

test("the directory deleted: refuses, still answers reads, and does not create it again", async () => {
  const dataDir = dataFolder();
  service = await startService({ dataDir });
  const ids = await accepted(service, 5);
  rmSync(dataDir, { recursive: true });
  expect(await refusedWith(service)).toContain("can be read until the service stops");
  await known(service, ids);
  await service.stop();
  expect(existsSync(dataDir)).toBe(false);
});

test("an older state copied over the database: refuses, and leaves the copy as it is", async () => {
  const dataDir = dataFolder();
  service = await startService({ dataDir });
  const before = await accepted(service, 2);
  await service.stop();
  const older = readFileSync(join(dataDir, database));
  service = await startService({ dataDir });
  await accepted(service, 5);
  await service.stop();
  service = await startService({ dataDir });
  await accepted(service, 1);
  writeFileSync(join(dataDir, database), older);
  expect(await refusedWith(service)).toContain("patchbay.db was overwritten while it was in use");
  await service.stop();
  expect(readFileSync(join(dataDir, database)).equals(older)).toBe(true);
  service = await startService({ dataDir });
  await known(service, before);
});

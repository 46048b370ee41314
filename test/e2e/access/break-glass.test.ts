/** The key for emergencies on a running service: made on the machine, one at a time, and loud. */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const dataDir = tempFolder();
let service: Service;
beforeAll(async () => {
  service = await startService({ dataDir });
});
afterAll(() => service?.close());

function patchbay(...args: string[]) {
  const [program, ...begin] = programOf();
  const env = { PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir };
  return spawnSync(program, [...begin, ...args], { encoding: "utf8", env });
}
const as = <T>(key: string, method: string, path: string, body?: unknown) =>
  service.call<T>(method, path, body, { "X-API-KEY": key });
const statusOf = async (key: string) => (await as(key, "GET", "/key")).status;

test("it is an admin key whose uses are in trail, log and metrics; a new one replaces it, and no API gives its right", async () => {
  expect(patchbay("doctor").stdout).toContain("there is no key for emergencies");
  const { stdout, stderr, status } = patchbay("key", "break-glass");
  expect([status, stdout.trim()]).toEqual([0, expect.stringMatching(/^pb_[\w-]{43}$/)]);
  expect(stderr).toContain("keep it in a safe");
  const key = stdout.trim();
  expect(await statusOf(key)).toBe(200);
  await as(key, "GET", "/job");
  await as(key, "POST", "/key", { name: "helper", scope: "read" });
  const trail = await service.call<{ action: string; who: string; detail: string }[]>(
    "GET",
    "/audit?limit=50",
  );
  const uses = trail.body.data
    .filter(({ action }) => action === "break_glass.used")
    .map(({ detail }) => detail);
  expect(uses).toEqual(["POST /key, from 127.0.0.1", "GET /key, from 127.0.0.1"]);
  await expect.poll(() => service.output()).toContain("break_glass.used");
  expect(service.output()).not.toContain(key);
  const metrics = await (
    await fetch(`${service.url}/metrics`, { headers: { "X-API-KEY": service.key } })
  ).text();
  expect(metrics).toMatch(/^patchbay_break_glass_uses_total 2$/m);

  const given = { name: "quiet", scope: "admin", rights: ["break_glass"] };
  expect((await as(key, "POST", "/key", given)).status).toBe(422);
  const { data } = (await as<{ name: string }[]>(key, "GET", "/key")).body;
  const { name = "" } = data.find((one) => one.name.startsWith("break-glass-")) ?? {};
  expect((await as(key, "PATCH", `/key?name=${name}`, { rights: [] })).status).toBe(404);
  // Only by itself, or on the machine: another admin key does not have its right.
  expect((await service.call("DELETE", `/key?name=${name}`)).status).toBe(403);

  const next = patchbay("key", "break-glass").stdout.trim();
  await expect.poll(() => statusOf(key), { timeout: 20_000 }).toBe(403);
  expect(await statusOf(next)).toBe(200);
  expect(patchbay("doctor").stdout).toMatch(/break-glass-\d{17} is in force/);
});

/** Runs of ten steps of all kinds, on simulated devices, killed at any moment: each step is done as its kind promises. */
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChangeRecord } from "../../../src/api/changes/change.ts";
import type { BulkRecord } from "../../../src/api/jobs/bulk.ts";
import type { RunRecord } from "../../../src/api/recipes/recipe.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { isExhaustive, sampleSeed } from "../../support/sampled.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const names = ["sw1", "sw2"];
const devices: SimulatedDevice[] = [];
let service: Service;

const line = (word: string) => `snmp-server contact ${word}-{{ run }}`;
const retry = { times: 3, every: 1 };
const steps = [
  // Of a command that was cut off nobody knows what it did; `retry` says that it may be sent again.
  { name: "asked", kind: "query", retry, request: { command: "show version" } },
  { name: "one", kind: "push", on_failure: "continue", request: { config: [line("one")] } },
  // A change is of the configuration that was read last.
  { name: "before", kind: "take", retry, request: {} },
  { name: "value", kind: "value", request: { expression: "[steps.asked.results.device]" } },
  { name: "text", kind: "render", request: { name: "jinja2", template: "run {{ run }}: {{ value }}" } },
  {
    ...{ name: "note", kind: "call" },
    request: {
      ...{ method: "PATCH", path: "/inventory/device/{{ each }}", each: "devices" },
      body: { vars: { note: "run {{ run }}" } },
    },
  },
  {
    ...{ name: "change", kind: "change", on_failure: "continue" },
    request: {
      ...{ config: [line("change")], approvals: { count: 0 } },
      strategy: { canary: 0, waves: ["100%"], soak_seconds: 0 },
    },
  },
  // It expects more than the first try gives: a second one follows.
  {
    ...{ name: "again", kind: "query", expect: "false", on_failure: "ignore" },
    ...{ retry: { times: 1, every: 1 }, request: { command: "show clock" } },
  },
  {
    ...{ name: "two", kind: "push", on_failure: "continue", only: "devices[0]" },
    request: { config: [line("two")] },
  },
  { name: "after", kind: "take", wait: 1, retry, request: {} },
];

beforeAll(async () => {
  service = await startService({});
  await service.call("PUT", "/credential/lab", login);
  const list = [];
  for (const name of names) {
    const device = await simulated("cisco_ios", { ...login, hostname: name });
    devices.push(device);
    list.push(labEntry(name, device, "cisco_ios"));
  }
  expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
  await service.call("POST", "/history/take", { devices: names }, { Prefer: "wait=60" });
  const parameters = { type: "object", properties: { run: { type: "integer" } }, required: ["run"] };
  const { status, body } = await service.call("PUT", "/recipe/kinds", { parameters, steps });
  expect([status, body.data]).toEqual([201, expect.anything()]);
});
afterAll(async () => {
  await service.stop();
  for (const device of devices) await device.stop();
});

const read = async (id: string) =>
  (await service.call<RunRecord>("GET", `/recipe/kinds/run/${id}`)).body.data;

test("killed at any moment, each step of a run is done as its kind promises", async () => {
  const kills = Number(process.env.TEST_RECIPE_KILLS ?? (isExhaustive() ? 5 : 3));
  const killedIn: Record<string, number> = {};
  const seen = { pushesUnknown: 0, changesStopped: 0, tries: 0, killedIn };
  for (let round = 1; round <= kills; round++) {
    const body = { devices: names, parameters: { run: round } };
    const { id } = (await service.call<RunRecord>("POST", "/recipe/kinds/run", body)).body.data;
    // Each kill waits for another step, and a little longer.
    const at = (sampleSeed() + (round - 1) * 3) % 10;
    const isThere = async () => {
      const { steps: done, ended_at } = await read(id);
      return ended_at !== null || done.slice(0, at).every(({ ended_at: over }) => over !== null);
    };
    await expect.poll(isThere, { timeout: 120_000, interval: 5 }).toBe(true);
    await Bun.sleep(Math.random() * 200);
    const now = (await read(id)).steps.find(({ ended_at }) => ended_at === null)?.kind ?? "over";
    killedIn[now] = (killedIn[now] ?? 0) + 1;
    const { dataDir } = service;
    await service.kill("SIGKILL");
    service = await startService({ dataDir, port: Number(new URL(service.url).port) });
    await expect
      .poll(async () => (await read(id)).ended_at, { timeout: 240_000, interval: 50 })
      .not.toBeNull();
    const over = await read(id);
    const stateOf = (name: string) => over.steps.find((step) => step.name === name)?.state;
    for (const [index, device] of devices.entries())
      for (const word of ["one", "change", "two"]) {
        const sent = device.commands().filter((entered) => entered.endsWith(` ${word}-${round}`)).length;
        const due = word === "two" && index > 0 ? 0 : 1;
        expect([round, word, sent]).toEqual([round, word, expect.toBeOneOf([0, due])]);
        if (stateOf(word) === "finished") expect([round, word, sent]).toEqual([round, word, due]);
      }
    const bad = over.steps.filter(({ name, state }) => name !== "again" && state !== "finished");
    const others = bad.filter(({ kind }) => kind !== "push" && kind !== "change");
    expect([round, others]).toEqual([round, []]);
    seen.pushesUnknown += bad.filter(({ kind }) => kind === "push").length;
    seen.changesStopped += bad.filter(({ kind }) => kind === "change").length;
    // One bulk for each try, and one change, whatever was cut off.
    const bulks = (await service.call<BulkRecord[]>("GET", `/bulk?tag=run:${id}&limit=100`)).body.data;
    const due = over.steps.filter(({ bulk_id }) => bulk_id !== null).map(({ tries }) => tries + 1);
    expect([round, bulks.length]).toEqual([round, due.reduce((sum, one) => sum + one, 0)]);
    seen.tries += over.steps.reduce((sum, { tries }) => sum + tries, 0) - 1;
    const changes = (await service.call<ChangeRecord[]>("GET", "/change?limit=500")).body.data;
    expect(changes.filter(({ run }) => run?.id === id)).toHaveLength(1);
    expect(over.steps.find(({ name }) => name === "text")?.text).toContain(`run ${round}: `);
    const device = await service.call("GET", "/inventory/device/sw2");
    expect(device.body.data).toMatchObject({ vars: { note: `run ${round}` } });
  }
  console.log(JSON.stringify({ kills, ...seen }));
}, 3_000_000);

/** A recipe as somebody writes it who has read the guide and nothing else: run from a shell, a schedule and a webhook. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signature } from "../../../plugins/webhooks/basic/webhook.ts";
import type { HookAnswer, WrittenHook } from "../../../src/api/recipes/hook.ts";
import type { ListedRun, RunRecord } from "../../../src/api/recipes/recipe.ts";
import type { ScheduleRecord } from "../../../src/api/schedules/schedule.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn } from "../terminal.ts";

const recipe = `title: Which switches run an old system
description: Lists the switches whose version is not the wanted one, and notes on each when it was looked at.
parameters:
  type: object
  required: [wanted]
  properties:
    wanted: {type: string, pattern: "^[0-9A-Za-z.()]{1,20}$", description: As show version says it}
    note: {type: boolean, default: false, description: Write the version down in the inventory}
devices: {within: "tag:access", most: 100}
steps:
  - name: asked
    kind: query
    on_failure: ignore
    retry: {times: 2, every: 1}
    request: {command: show version}
  - name: versions
    kind: value
    request:
      expression: >-
        [steps.asked.results.{"device": device,
        "version": $match($string(result.retval."show version"), /Version ([^,]+),/)[0].groups[0]}]
  - name: written
    kind: call
    when: parameters.note
    request:
      method: PATCH
      path: "/inventory/device/{{ each.device }}"
      each: "steps.versions.value[$exists(version)]"
      body: {vars: {version: "{{ each.version }}"}}
  - name: old
    kind: value
    expect: $count(steps.old.value) = 0
    request:
      expression: "[steps.versions.value[version != $$.parameters.wanted]]"
`;

let service: Service;
let device: SimulatedDevice;
const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };

beforeAll(async () => {
  service = await startService({});
  device = await simulated("cisco_ios", login);
  await service.call("PUT", "/credential/lab", login);
  const sw1 = labEntry("sw1", device, "cisco_ios", { tags: ["access"] });
  expect((await service.call("POST", "/inventory/device", { devices: [sw1] })).status).toBe(200);
});
afterAll(async () => {
  await service.stop();
  await device.stop();
});

const runs = async () => (await service.call<ListedRun[]>("GET", "/recipe/old-systems/run")).body.data;
async function ended(id: string): Promise<RunRecord> {
  const read = async () => (await service.call<RunRecord>("GET", `/recipe/old-systems/run/${id}`)).body.data;
  await expect.poll(async () => (await read()).ended_at, { timeout: 60_000 }).not.toBeNull();
  return read();
}

test("it has less than 40 lines, and runs from the shell", async () => {
  expect(recipe.trim().split("\n").length).toBeLessThan(40);
  const someone = await loggedIn(service.url, adminKey, {});
  const file = join(tempFolder(), "old-systems.yaml");
  writeFileSync(file, recipe);
  expect((await someone.piped(["recipe", "put", "old-systems", file])).code).toBe(0);
  const wanted = ["--set", "wanted=15.2(4)E8", "note=true", "--device", "sw1"];
  const good = await someone.piped(["recipe", "run", "old-systems", ...wanted]);
  expect([good.code, good.out]).toEqual([0, expect.stringContaining("15.2(4)E8")]);
  const { body } = await service.call("GET", "/inventory/device/sw1");
  expect(body.data).toMatchObject({ vars: { version: "15.2(4)E8" } });
  const old = await someone.piped([
    "recipe",
    "run",
    "old-systems",
    "--set",
    "wanted=16.1",
    "--device",
    "sw1",
  ]);
  expect([old.code, old.out]).toEqual([
    1,
    expect.stringMatching(/old:\ndevice +version\n.*sw1 +15\.2\(4\)E8/),
  ]);
}, 120_000);

test("a schedule runs it", async () => {
  const what = {
    kind: "recipe",
    recipe: { name: "old-systems", parameters: { wanted: "15.2(4)E8" }, select: "tag:access" },
  };
  const made = await service.call<ScheduleRecord>("POST", "/schedule", {
    name: "old",
    cron: "0 3 * * *",
    what,
  });
  expect(made.status).toBe(201);
  const before = (await runs()).length;
  await service.call("POST", `/schedule/${made.body.data.id}/run`);
  await expect.poll(async () => (await runs()).length, { timeout: 60_000 }).toBe(before + 1);
  const [newest] = await runs();
  const run = await ended(newest?.id ?? "");
  expect([run.state, run.submitted_by.kind]).toEqual(["finished", "schedule"]);
}, 120_000);

test("another system starts it by a webhook", async () => {
  const spec = {
    ...{ name: "told", provider: "patchbay", map: { wanted: "body.version" }, map_devices: "body.device" },
  };
  const made = await service.call<WrittenHook>("POST", "/recipe/old-systems/hook", spec);
  const { path, secret = "" } = made.body.data;
  const text = JSON.stringify({ version: "15.2(4)E8", device: "sw1" });
  const answer = await fetch(`${service.url}${path}`, {
    ...{ method: "POST", body: text },
    headers: { "Content-Type": "application/json", "X-Patchbay-Signature": signature(secret, text) },
  });
  const { data }: { data: HookAnswer } = JSON.parse(await answer.text());
  expect([answer.status, data.outcome]).toEqual([201, "started"]);
  const run = await ended(data.run ?? "");
  expect([run.state, run.submitted_by.kind]).toEqual(["finished", "hook"]);
}, 120_000);

/** A dry run is marked wherever a job is seen, and who submitted a job is told everywhere. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../../src/testkit/case.ts";
import { type Receiver, startReceiver } from "../../../src/testkit/receiver.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const password = "canary-password-20";
let service: Service;
let device: SimulatedDevice;
let receiver: Receiver;

beforeAll(async () => {
  [receiver, service, device] = await Promise.all([
    startReceiver(200),
    startService({ env: { PATCHBAY_URL_ALLOW: "127.0.0.1" } }),
    simulated("arista_eos", { password, secret: password }),
  ]);
});
afterAll(async () => {
  receiver.close();
  await Promise.all([service.stop(), device.stop()]);
});

const connection = () => ({
  host: "127.0.0.1",
  port: device.port,
  device_type: "arista_eos",
  username: "admin",
  password,
  secret: password,
});
const push = (n: number, more: object = {}) => ({
  driver: "netmiko",
  connection_args: connection(),
  config: [`interface Loopback${n}`, `description dry-${n}`],
  ...more,
});
const dry = { driver_args: { dry_run: true } };
type Data = Record<string, unknown>[];
const text = async (path: string) =>
  (await fetch(service.url + path, { headers: { "X-API-KEY": service.key } })).text();
const get = async (path: string) => (await service.call<Data>("GET", path)).body.data;

test("a dry run is marked in ticket, record, list, filter, export, webhook and trail, a push is not", async () => {
  const webhook = { url: receiver.url };
  const ticket = await service.call<{ id: string }>(
    "POST",
    "/device/execute",
    push(1, { ...dry, options: { webhook, ticket: "CHG-1" } }),
  );
  expect(ticket.body.data).toMatchObject({ dry_run: true });
  const { id } = ticket.body.data;
  expect(await service.ended(id)).toMatchObject({ status: "finished", dry_run: true });
  const real = await service.run(push(2));
  expect(real.status).toBe("finished");
  expect(real.result).not.toHaveProperty("compared");
  // Netmiko has no candidate on EOS: the lines were only returned.
  expect((await service.job(id)).result).toMatchObject({ compared: false });
  expect(real).not.toHaveProperty("dry_run");
  const idsOf = async (query: string) => (await get(`/job?${query}`)).map((job) => job.id);
  expect(await idsOf("dry_run=true")).toEqual([id]);
  expect(await idsOf("dry_run=false")).toEqual([real.id]);
  const csv = await text("/job/export?format=csv");
  expect(csv.split("\r\n")[0]).toMatch(/,dry_run,submitted_by,device$/);
  expect(csv.split("\r\n").filter((line) => line.includes(id))[0]).toMatch(/,true,key:configured,$/);
  await receiver.got(1);
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
    dry_run: true,
    submitted_by: { kind: "key", name: "configured" },
  });
  expect(await get("/audit?action=device.config")).toMatchObject([
    { action: "device.config", job_id: real.id, ticket: null },
    { action: "device.config.dry_run", job_id: id, ticket: "CHG-1" },
  ]);
  expect(await get("/audit?ticket=CHG-1")).toMatchObject([{ job_id: id, outcome: "finished" }]);
  expect(await get("/audit?submitted_by=key:nobody")).toEqual([]);
});

test("where the device cannot compare, the result says so", async () => {
  const ios = await simulated("cisco_ios", { password, secret: password });
  const connection_args = { ...connection(), port: ios.port, device_type: "cisco_ios" };
  const job = await service.run({ ...push(5, dry), connection_args });
  expect(job).toMatchObject({ dry_run: true, result: { type: "success", compared: false } });
  expect(ios.commands().filter((line) => line.includes("Loopback5"))).toEqual([]);
  await ios.stop();
  const junos = await simulated("juniper_junos", { password });
  const { secret: _secret, ...login } = connection();
  const compared = await service.run({
    ...push(6, dry),
    config: ["set system host-name r6"],
    connection_args: { ...login, port: junos.port, device_type: "juniper_junos" },
  });
  expect(compared).toMatchObject({ dry_run: true, result: { type: "success", compared: true } });
  await junos.stop();
});

test("events and bulks mark it, with flags written as text too", async () => {
  const body = { ...push(3), devices: [{}, {}], driver_args: { dry_run: "true" } };
  const answer = await service.call<{ bulk_id: string; succeeded: { dry_run?: true; id: string }[] }>(
    "POST",
    "/device/bulk",
    body,
  );
  const { bulk_id: bulk, succeeded } = answer.body.data;
  expect(succeeded.map(({ dry_run }) => dry_run)).toEqual([true, true]);
  const [first] = succeeded;
  await service.ended(first?.id ?? "");
  const events = await text(`/job/${first?.id}/events`);
  expect(events).toMatch(/event: state\ndata: .*"dry_run":true/);
  expect(await get(`/bulk/${bulk}`)).toMatchObject({
    dry_run: true,
    submitted_by: { kind: "key", name: "configured" },
  });
  expect((await get("/bulk?dry_run=true&submitted_by=configured")).map(({ id }) => id)).toEqual([bulk]);
  expect(await get("/bulk?dry_run=false")).toEqual([]);
  const trail = await get(`/audit?bulk_id=${bulk}`);
  expect(trail.map(({ action }) => action)).toEqual(["device.config.dry_run", "device.config.dry_run"]);
});

test("the jobs of a schedule are submitted by the schedule", async () => {
  const request = { ...push(4), devices: [{}] };
  const { password: _password, secret: _secret, ...open } = connection();
  const made = await service.call("POST", "/schedule", {
    name: "nightly",
    every: "7d",
    what: { kind: "push", request: { ...request, connection_args: { ...open, credential: undefined } } },
  });
  expect(made.body.data).toMatchObject({ name: "nightly" });
  await service.call("POST", "/schedule/nightly/run");
  const found = () => get("/job?submitted_by=schedule:nightly");
  await until(async () => (await found()).length > 0);
  expect(await found()).toMatchObject([{ submitted_by: { kind: "schedule", name: "nightly" } }]);
  expect(await get("/bulk?submitted_by=nightly")).toHaveLength(1);
  expect(await get("/job?submitted_by=key:nightly")).toEqual([]);
  const [entry] = await get("/audit?submitted_by=nightly");
  expect(entry).toMatchObject({ submitted_by: { kind: "schedule", name: "nightly" } });
});

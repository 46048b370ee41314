/** Stored webhooks of a running service: bulks, schedules and tests, each form, kills, rights. */
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Receiver, startReceiver } from "../../../src/testkit/receiver.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn, type Operator } from "../terminal.ts";

let device: SimulatedDevice;
let service: Service;
let receiver: Receiver;
let someone: Operator;
const dataDir = tempFolder();
const options = { dataDir, env: { PATCHBAY_URL_ALLOW: "127.0.0.1" } };

beforeAll(async () => {
  device = await simulated("cisco_ios");
  service = await startService(options);
  receiver = await startReceiver(200);
});
afterAll(async () => {
  receiver?.close();
  await service?.close();
  await device?.stop();
});

interface Message {
  readonly event: string;
  readonly webhook: string;
  readonly summary: string;
  readonly delivery: { readonly id: string };
  readonly link?: string;
  readonly bulk: Record<string, unknown>;
  readonly schedule: Record<string, unknown>;
}
const messages = (of = receiver): Message[] => of.received.map(({ body }) => JSON.parse(body));
const eventually = (holds: () => unknown) => vi.waitFor(holds, { timeout: 100_000, interval: 50 });
/** A kill may repeat a message, with the same id. */
const told = (event: string) => [
  ...new Map(
    messages().flatMap((message) =>
      message.event === event ? [[message.delivery.id, message] as const] : [],
    ),
  ).values(),
];
const make = (name: string, fields: object = {}, url = receiver.url) =>
  service.call("POST", "/webhook", {
    ...{ name, events: ["bulk.ended", "schedule.failed", "schedule.recovered"] },
    ...{ config: { url, secret: "canary-secret", retry_intervals: [0] }, ...fields },
  });
const bulk = (...hosts: object[]) => ({
  ...{ driver: "netmiko", connection_args: device.connection, command: "show version" },
  ...{ devices: hosts, label: "night <run>" },
});

test("the end of a bulk is told once, signed, with its totals, failures and a link", async () => {
  expect((await make("noc", { console_url: "https://patchbay.example/" })).status).toBe(201);
  const { bulk_id: id } = (
    await service.call<{ bulk_id: string }>("POST", "/device/bulk", bulk({}, { port: 9, timeout: 2 }))
  ).body.data;
  await eventually(() => expect(told("bulk.ended")).toHaveLength(1));
  const [message] = told("bulk.ended");
  expect(message).toMatchObject({
    ...{ webhook: "noc", summary: "Bulk night <run>: 2 devices: 1 finished, 1 failed" },
    link: `https://patchbay.example/#/bulk/${id}`,
    bulk: { id, status: "ended", counts: { finished: 1, failed: 1 }, error_types: { ConnectionRefused: 1 } },
  });
  expect(message?.bulk).toMatchObject({
    first_failures: [{ host: "127.0.0.1" }],
    submitted_by: { kind: "key" },
  });
  const [{ headers, body } = { headers: {}, body: "" }] = receiver.received;
  const [, at, given] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(headers["x-patchbay-signature"])) ?? [];
  expect(given).toBe(createHmac("sha256", "canary-secret").update(`${at}.${body}`).digest("hex"));
  const shown = await service.call<{ deliveries: object[] }>("GET", "/webhook/noc");
  await eventually(async () =>
    expect((await service.call("GET", "/webhook/noc")).body.data).toMatchObject({
      deliveries: [{ id: message?.delivery.id, event: "bulk.ended", state: "delivered" }],
    }),
  );
  expect(JSON.stringify(shown.body)).not.toMatch(/canary|\/hook/);
});

test("a schedule that fails is told with its count, and that it works again", async () => {
  const content = (port: number) => ({
    kind: "query",
    request: {
      ...{ driver: "netmiko", command: "show version", devices: [{ port }] },
      connection_args: { device_type: "cisco_ios", host: "127.0.0.1", timeout: 5 },
    },
  });
  await service.call("POST", "/schedule", { name: "nightly", every: "1d", what: content(9) });
  const fire = () => service.call("POST", "/schedule/nightly/run");
  await fire();
  await eventually(() => expect(told("schedule.failed")).toHaveLength(1));
  await fire();
  await eventually(() => expect(told("schedule.failed")).toHaveLength(2));
  const [first, second] = told("schedule.failed");
  expect([first?.schedule.failures, second?.schedule.failures]).toEqual([1, 2]);
  expect(second).toMatchObject({
    summary: "Schedule nightly failed",
    schedule: { name: "nightly", reason: expect.stringMatching(/1 device: 1 failed \(\w+ 1\)/) },
  });
  const { job_id: job, bulk_id: id } = second?.schedule ?? {};
  expect((await service.job(String(job))).bulk_id).toBe(id);
});

test("what a kill interrupts is told after the next start, once", async () => {
  const dead = await startReceiver("hangs");
  await make("dead", { events: ["bulk.ended"] }, dead.url);
  const before = told("bulk.ended").length;
  await service.call("POST", "/device/bulk", bulk({}));
  await dead.got(1);
  await service.kill();
  dead.close();
  service = await startService(options);
  await eventually(() => expect(told("bulk.ended").length).toBe(before + 1));
  await eventually(async () =>
    expect((await service.call("GET", "/webhook/dead")).body.data).toMatchObject({
      deliveries: [
        { attempts: [{ error: expect.any(String) }, ...Array(3).fill(expect.anything())], state: "failed" },
      ],
    }),
  );
  expect(told("bulk.ended").length).toBe(before + 1);
  await service.call("DELETE", "/webhook/dead");
});

test("a key with host limits manages its own webhooks, which are told of its own work only", async () => {
  const { key } = (
    await service.call<{ key: string }>("POST", "/key", {
      name: "east",
      scope: "admin",
      hosts: ["127.0.0.1"],
    })
  ).body.data;
  const limited = (method: string, path: string, body?: object) =>
    service.call(method, path, body, { "X-API-KEY": key });
  const config = { url: receiver.url };
  const outside = { name: "x", events: ["bulk.ended"], config: { url: "http://192.0.2.1/" } };
  expect((await limited("POST", "/webhook", outside)).status).toBe(403);
  expect((await limited("POST", "/webhook", { name: "east", events: ["bulk.ended"], config })).status).toBe(
    201,
  );
  expect((await limited("GET", "/webhook")).body.data).toMatchObject([{ name: "east" }]);
  expect((await limited("GET", "/webhook/noc")).status).toBe(404);
  const before = told("bulk.ended").length;
  await service.call("POST", "/device/bulk", bulk({}));
  await eventually(() => expect(told("bulk.ended").length).toBe(before + 1));
  await limited("POST", "/device/bulk", bulk({}));
  await eventually(() => expect(told("bulk.ended").length).toBe(before + 3));
  expect(told("bulk.ended").filter(({ webhook }) => webhook === "east")).toHaveLength(1);
});

test("the client adds, tests, lists and removes a webhook", async () => {
  someone = await loggedIn(service.url, service.key, {});
  const added = await someone.piped([
    "webhook",
    "add",
    "chat",
    "--to",
    receiver.url,
    "--event",
    "disk.low",
    "--format",
    "slack",
  ]);
  expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/format +slack/) });
  expect(await someone.piped(["webhook", "test", "chat"])).toMatchObject({ code: 0, err: "Answered 200.\n" });
  expect(receiver.received.at(-1)?.body).toContain("Test of the webhook chat");
  expect((await someone.piped(["webhook", "list"])).out).toMatch(
    /chat .*slack +disk\.low +active +configured +webhook\.test delivered/,
  );
  const wrong = await someone.piped(["webhook", "add", "x", "--to", receiver.url, "--event", "bulk.begun"]);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("bulk.ended") });
  expect((await someone.piped(["webhook", "remove", "chat", "--yes"])).code).toBe(0);
});

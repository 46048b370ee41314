/**
 * Every request in NetPulse 0.2's documents and collection is answered as they say, except for those listed
 * in docs/guides/netpulse.md. The results of napalm and paramiko are tested in documented-napalm.corpus.test.ts and
 * documented-paramiko.corpus.test.ts, on the devices and servers that each needs; here their requests are accepted.
 */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { freePort } from "../../../src/testkit/port.ts";
import { type Receiver, startReceiver } from "../../../src/testkit/receiver.ts";
import { type Answer, type Service, startService } from "../../../src/testkit/service.ts";
import { type Switch, startSwitch } from "../../drivers/pyeapi/switch.ts";
import { selfSigned } from "../../support/certificates.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { allDocumented, type DocumentedRequest } from "../drivers/documented.ts";
import { flat, newerPath } from "./netpulse-terms.ts";

const requests = allDocumented();
/** Rows of docs/guides/netpulse.md: the actual response instead of the documented one. */
const decided = new Map(
  [
    ...readFileSync("docs/guides/netpulse.md", "utf8").matchAll(
      /^\| `([0-9a-f]{10})` \|.*\| `([^`]+)` \|$/gm,
    ),
  ].map(([, id = "", answer = ""]) => [id, answer]),
);
const platforms = ["cisco_ios", "cisco_nxos", "juniper_junos", "arista_eos"];
const hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];

let service: Service;
let receiver: Receiver;
let switches: readonly Switch[];
let nobody: number;
const devices = new Map<string, SimulatedDevice>();

beforeAll(async () => {
  for (const name of platforms) devices.set(name, await simulated(name));
  const options = { password: "password", tls: await selfSigned(), thinkMs: 0 };
  const first = await startSwitch(options);
  const others = hosts.slice(1).map((host) => startSwitch({ ...options, host, port: first.port }));
  switches = [first, ...(await Promise.all(others))];
  receiver = await startReceiver(200);
  nobody = await freePort();
  service = await startService({ env: { PATCHBAY_URL_ALLOW: "127.0.0.1", PATCHBAY_AUTH_FAILURES: "0" } });
});
afterAll(async () => {
  await service.stop();
  receiver.close();
  for (const device of switches) device.close();
  await Promise.all([...devices.values()].map((device) => device.stop()));
});

/** Port and login of the device that replaces the documented one. */
function login(driver: string, type: unknown, given: object): object {
  if (driver === "pyeapi") return { port: switches[0]?.port, username: "admin", password: "password" };
  if (driver !== "netmiko") return { port: nobody };
  const device = devices.get(typeof type === "string" ? type : "cisco_ios");
  if (device === undefined) throw new Error(`there is no device ${String(type)}`);
  const { port, username, password, secret } = device;
  return { port, username, password, ...("secret" in given ? { secret } : {}) };
}

/** The same request for the test's devices, with its webhook sent to the test's receiver. */
function readdressed(request: DocumentedRequest): unknown {
  if (request.driver === undefined) return request.body ?? undefined;
  const { body, driver } = request;
  const { connection_args: args, devices: each, options } = body;
  const named = ["host", "hostname"].filter((name) => name in args).map((name) => [name, hosts[0]]);
  return {
    ...body,
    connection_args: { ...args, ...Object.fromEntries(named), ...login(driver, args.device_type, args) },
    ...(each === undefined
      ? {}
      : {
          devices: each.map((one, at) => ({
            ...one,
            host: hosts[at],
            ...login(driver, one.device_type ?? args.device_type, args),
          })),
        }),
    ...(options?.webhook
      ? { options: { ...options, webhook: { ...options.webhook, url: receiver.url } } }
      : {}),
  };
}

/** The response to a request and the outcome of its job, worded as on the page. */
async function outcomeOf(request: DocumentedRequest, newer = false): Promise<string> {
  const { method, path, driver } = request;
  const wait: Record<string, string> = path === "/device/bulk" ? { Prefer: "wait=120" } : {};
  const body = readdressed(request);
  const here = path.replace("192.168.1.1", "127.0.0.1");
  const answer = await service.call(method, newer ? newerPath(here) : here, newer ? flat(body) : body, wait);
  if (answer.status >= 400) return String(answer.status);
  expect(answer.body).toMatchObject({ code: 200 });
  if (path === "/device/bulk") return bulkOutcome(answer);
  if (path !== "/device/execute") return plainOutcome(path, answer);
  const { id } = v.parse(v.looseObject({ id: v.string() }), answer.body.data);
  if (driver === "napalm" || driver === "paramiko") return `${answer.status} taken`;
  const job = await service.ended(id);
  return `${answer.status} ${job.status === "finished" ? "finished" : job.result?.error?.type}`;
}

async function bulkOutcome({ status, body }: Answer): Promise<string> {
  const answer = v.parse(
    v.looseObject({
      bulk_id: v.string(),
      succeeded: v.array(v.looseObject({ id: v.string(), queue: v.string() })),
      failed: v.array(v.string()),
    }),
    body.data,
  );
  const jobs = await service.call<JobRecord[]>("GET", `/job?bulk_id=${answer.bulk_id}`);
  const ends = new Set(
    jobs.body.data.map((job) => (job.status === "finished" ? "finished" : job.result?.error?.type)),
  );
  expect([answer.failed, jobs.body.data.length]).toEqual([[], answer.succeeded.length]);
  return `${status} ${[...ends].join(", ")}`;
}

function plainOutcome(path: string, { status, body }: Answer): string {
  const [resource = "", part = ""] = path.slice(1).split(/[/?]/);
  const shapes: Record<string, object> = {
    health: { data: "ok" },
    job: { data: expect.any(Array) },
    worker: { data: expect.any(Array) },
    device: { message: "Connection test completed", data: { success: true, error_message: null } },
    template: { data: part === "render" ? expect.any(String) : expect.arrayContaining([expect.any(Object)]) },
  };
  const shape =
    path === "/device/test-connection" && body.message !== "Connection test completed"
      ? {}
      : shapes[resource];
  expect(body).toMatchObject(shape ?? {});
  return `${status} answered`;
}

/** Over a hundred sequential jobs, on a machine that may be busy. */
const longMs = 900_000;

describe("NetPulse 0.2", () => {
  const outcomes = new Map<string, string>();

  test(
    "answers each documented request",
    async () => {
      for (const request of requests) outcomes.set(request.id, await outcomeOf(request));
      const other = [...outcomes].filter(
        ([, outcome]) => !/^(200 answered|20[01] finished|201 taken)$/.test(outcome),
      );
      // In the corpus that lies beside the checkout; the page lists the rest as well.
      expect(Object.fromEntries(other)).toEqual(
        Object.fromEntries([...decided].filter(([id]) => outcomes.has(id) && !deeper.has(id))),
      );
    },
    longMs,
  );

  test(
    "answers the same in the terms of version 0.4",
    async () => {
      const newer = new Map<string, string>();
      for (const request of requests) newer.set(request.id, await outcomeOf(request, true));
      expect([...newer]).toEqual([...outcomes]);
      const paths = new Set(requests.map(({ path }) => newerPath(path).split("?")[0]));
      expect([...paths]).toEqual(
        expect.arrayContaining([
          "/device/exec",
          "/device/test",
          "/jobs",
          "/jobs/x",
          "/workers",
          "/workers/x",
        ]),
      );
    },
    longMs,
  );

  test("counts the requests by result", () => {
    expect(requests.length).toBe(119);
    const count = Map.groupBy([...outcomes], ([id, outcome]) => (decided.has(id) ? "decided" : outcome));
    const numbers = Object.fromEntries([...count].map(([name, all]) => [name, all.length]));
    const answered = requests.length - (numbers.decided ?? 0);
    const page = readFileSync("docs/guides/netpulse.md", "utf8");
    expect(page.includes(`Of the ${requests.length} requests`)).toBe(true);
    expect(page.includes(`${answered} are answered as documented`)).toBe(true);
  });

  test("delivered the webhooks", async () => {
    const asked = requests.filter((one) => one.driver === "netmiko" && one.body.options?.webhook);
    expect(asked.length).toBeGreaterThan(3);
    // In the words of both versions.
    await receiver.got(2 * asked.length);
  });
});

/** Told by their own tests: here nobody answers them. */
const deeper = new Set(["8bd642a559"]);

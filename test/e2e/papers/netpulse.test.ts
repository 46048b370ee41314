/**
 * A request of each kind that NetPulse's clients send, of our own making (netpulse-requests.json), on simulated devices
 * and a real sshd: in the terms of version 0.2 and, with the same results, in those of 0.4.
 */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Receiver, startReceiver } from "../../../src/testkit/receiver.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type AnsweringDevice, login } from "../../drivers/napalm/answering/answers.ts";
import { startAnswering } from "../../drivers/napalm/answering/device.ts";
import { ownDevices } from "../../drivers/napalm/devices/read.ts";
import { type Router, startRouter } from "../../drivers/napalm/ios/router.ts";
import { type Switch, startSwitch } from "../../drivers/pyeapi/switch.ts";
import { selfSigned } from "../../support/certificates.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { flat, newerPath } from "./netpulse-terms.ts";

const bodySchema = v.looseObject({
  driver: v.optional(v.string(), ""),
  connection_args: v.optional(v.record(v.string(), v.unknown()), {}),
});
const requests = v.parse(
  v.array(
    v.strictObject({
      kind: v.string(),
      method: v.string(),
      path: v.string(),
      body: v.optional(bodySchema),
      status: v.number(),
      /** Of the answer. `<text>`, `<list>`, `<any>` stand for any text, list or value. */
      answer: v.optional(v.record(v.string(), v.unknown())),
      /** Of the job; null: the request is rejected. */
      job: v.optional(v.nullable(v.record(v.string(), v.unknown()))),
      /** Number of jobs. */
      bulk: v.optional(v.number()),
      hooks: v.optional(v.number(), 0),
    }),
  ),
  JSON.parse(readFileSync("test/e2e/papers/netpulse-requests.json", "utf8")),
);
type Request = (typeof requests)[number];
const needsServer = ({ kind }: Request) => kind.startsWith("paramiko") && needs("openssh");

let service: Service;
let receiver: Receiver;
let ios: SimulatedDevice;
let eos: Switch;
let access: AnsweringDevice;
let router: Router;
let sshd: Sshd | undefined;

beforeAll(async () => {
  const own = ownDevices().find(({ system }) => system === "ios");
  ios = await simulated("cisco_ios");
  eos = await startSwitch({ password: login.password, tls: await selfSigned(), thinkMs: 0 });
  access = await startAnswering("ios", { to: (request) => own?.answers.get(request) });
  router = await startRouter();
  sshd = needs("openssh") ? undefined : await startSshd();
  receiver = await startReceiver(200);
  service = await startService({ env: { PATCHBAY_URL_ALLOW: "127.0.0.1", PATCHBAY_AUTH_FAILURES: "0" } });
});
afterAll(async () => {
  await service.stop();
  receiver.close();
  eos.close();
  router.close();
  await Promise.all([ios.stop(), access.close(), sshd?.stop()]);
});

/** Where the device of a driver is, and its login. */
function device(driver: string, given: Readonly<Record<string, unknown>>): object {
  const { secret, router: isRouter, ...rest } = given;
  const host = "127.0.0.1";
  switch (driver) {
    case "netmiko": {
      const { port, username, password } = ios;
      return { host, port, username, password, ...(secret ? { secret: ios.secret } : {}), ...rest };
    }
    case "napalm": {
      const { port } = isRouter ? router : access;
      return { hostname: host, ...login, optional_args: { port }, ...rest };
    }
    case "pyeapi":
      return { host, port: eos.port, ...login, ...rest };
    case "paramiko":
      return { host, port: sshd?.port, username: sshd?.user, password: sshd?.password, ...rest };
    default:
      return rest;
  }
}

function bodyOf({ body }: Request): unknown {
  if (body === undefined) return undefined;
  const { connection_args, ...rest } = body;
  const args = body.driver === "" ? {} : { connection_args: device(body.driver, connection_args) };
  return JSON.parse(
    JSON.stringify({ ...rest, ...args }).replaceAll("<receiver>", receiver.url),
    (key, value) => (key === "driver" && value === "" ? undefined : value),
  );
}

const anything: Readonly<Record<string, unknown>> = {
  "<text>": expect.any(String),
  "<list>": expect.any(Array),
  "<any>": expect.anything(),
};
const expected = (of: unknown): unknown =>
  JSON.parse(JSON.stringify(of), (_key, value) =>
    typeof value === "string" && value in anything ? anything[value] : value,
  );

async function send(request: Request, newer: boolean): Promise<void> {
  const body = bodyOf(request);
  const path = newer ? newerPath(request.path) : request.path;
  const answer = await service.call<unknown>(request.method, path, newer ? flat(body) : body);
  expect([answer.status, answer.status === request.status ? "" : answer.body]).toEqual([request.status, ""]);
  if (request.answer !== undefined) expect(answer.body).toMatchObject(expected(request.answer) as object);
  if (request.job === null) expect(answer.body.code).toBe(-1);
  else if (request.job !== undefined) {
    const { id } = v.parse(v.looseObject({ id: v.string() }), answer.body.data);
    expect(await service.ended(id)).toMatchObject(expected(request.job) as object);
  }
  if (request.bulk !== undefined) await expectBulk(answer.body.data, request.bulk);
}

async function expectBulk(data: unknown, count: number): Promise<void> {
  const bulk = v.looseObject({ bulk_id: v.string(), succeeded: v.array(v.looseObject({ id: v.string() })) });
  const { bulk_id, succeeded } = v.parse(bulk, data);
  expect(succeeded).toHaveLength(count);
  for (const { id } of succeeded) expect(await service.ended(id)).toMatchObject({ status: "finished" });
  const jobs = await service.call<JobRecord[]>("GET", `/job?bulk_id=${bulk_id}`);
  expect(jobs.body.data).toHaveLength(count);
}

test("there is a request of each kind for each driver and resource", () => {
  const kinds = requests.map(({ kind }) => kind);
  for (const driver of ["netmiko", "napalm", "pyeapi", "paramiko"])
    for (const kind of ["query", "several commands", "query with driver_args", "config", "connection test"])
      expect(kinds).toContain(`${driver}: ${kind}`);
  const resources = new Set(requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, "")}`));
  for (const resource of ["POST /device/bulk", "GET /job", "DELETE /job", "GET /worker", "DELETE /worker"])
    expect(resources).toContain(resource);
  expect(new Set(kinds).size).toBe(kinds.length);
});

describe.each([
  ["0.2", false],
  ["0.4", true],
] as const)("in the terms of NetPulse %s", (_version, newer) => {
  for (const request of requests)
    test.skipIf(needsServer(request))(request.kind, async () => {
      router.reset();
      const hooks = receiver.received.length;
      await send(request, newer);
      if (request.hooks > 0) await receiver.got(hooks + request.hooks);
    });
});

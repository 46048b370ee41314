/** Every pyeapi request in NetPulse 0.2's documents, on simulated switches. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Receiver, startReceiver } from "../../../src/testkit/receiver.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { shows } from "../../drivers/pyeapi/shows.ts";
import { type Switch, startSwitch } from "../../drivers/pyeapi/switch.ts";
import { selfSigned } from "../../support/certificates.ts";
import { commandsOf, type Documented, documented, readdressed } from "./documented.ts";

const requests = documented("pyeapi");
const of = (path: string) => requests.filter((one) => one.path === path).map((one) => [one.id, one] as const);
const hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];

describe("the documented requests", () => {
  let service: Service;
  let receiver: Receiver;
  let switches: readonly Switch[];
  beforeAll(async () => {
    const options = { password: "password", tls: await selfSigned(), thinkMs: 0 };
    const first = await startSwitch(options);
    const others = hosts.slice(1).map((host) => startSwitch({ ...options, host, port: first.port }));
    switches = [first, ...(await Promise.all(others))];
    receiver = await startReceiver(200);
    service = await startService({ env: { PATCHBAY_URL_ALLOW: "127.0.0.1" } });
  });
  afterAll(async () => {
    await service.stop();
    receiver.close();
    for (const device of switches) device.close();
  });

  const device = () => switches[0] as Switch;
  const login = () => ({ host: hosts[0], port: device().port, username: "admin", password: "password" });
  const prepared = (one: Documented) => readdressed(one, login(), receiver.url);

  test("are all covered", () => expect(requests.length).toBeGreaterThan(15));

  test.each(of("/device/execute").filter(([, { body }]) => commandsOf(body).length > 0))(
    "query %s: returns the structured output of each command",
    async (_id, one) => {
      const body = prepared(one);
      const hooks = receiver.received.length;
      const job = await service.run(body);
      expect(job).toMatchObject({ status: "finished", queue: "fifo" });
      const expected = commandsOf(body).map((command) => [command, answerOf(command, body)]);
      expect(job.result?.retval).toMatchObject(Object.fromEntries(expected));
      // Only fields that the library does not know either cause a warning.
      const unknown = ["expand", "detail"].filter((name) => name in (body.driver_args ?? {}));
      expect(job.warnings ?? []).toEqual(
        unknown.map((name) => expect.stringContaining(`driver_args.${name}`)),
      );
      if (body.options?.webhook) await receiver.got(hooks + 1);
    },
  );

  function answerOf(command: string, { options }: ReturnType<typeof prepared>): unknown {
    const all = shows[command] ?? { version: "4.31.1F" };
    return options !== undefined && "parsing" in options ? Reflect.get(all, "interfaceStatuses") : all;
  }

  test.each(of("/device/execute").filter(([, { body }]) => commandsOf(body).length === 0))(
    "configuration %s: applies its lines in order",
    async (_id, one) => {
      const body = prepared(one);
      const before = device().running.length;
      const job = await service.run(body);
      expect(job).toMatchObject({ status: "finished" });
      expect(job.warnings ?? []).toEqual([]);
      expect(Object.values(job.result?.retval ?? {})).toEqual([
        { diff: null, committed: true, saved: false, output: "" },
      ]);
      expect(device().running.slice(before)).toEqual(linesOf(body));
    },
  );

  test.each(of("/device/test-connection"))("connection test %s", async (_id, one) => {
    const { status, body } = await service.call("POST", one.path, prepared(one));
    expect([status, body.data]).toMatchObject([200, { success: true }]);
  });

  test.each(of("/device/bulk"))("bulk %s: creates a job for each device", async (_id, one) => {
    const body = { ...prepared(one), devices: hosts.map((host) => ({ host })) };
    expect(one.body.devices).toHaveLength(hosts.length);
    const answer = await service.call<{ succeeded: { id: string }[] }>("POST", one.path, body);
    expect(answer.status).toBe(200);
    const { body: listed } = await service.call<JobRecord[]>("GET", "/job?driver=pyeapi&limit=3");
    const jobs = await Promise.all(listed.data.map(({ id }) => service.ended(id)));
    expect(jobs.map(({ status, host }) => [status, host]).sort()).toEqual(
      hosts.map((host) => ["finished", host]),
    );
    for (const job of jobs) expect(Object.keys(job.result?.retval ?? {})).toEqual(commandsOf(body));
  });
});

/** The pushed lines: a rendered template without empty lines. */
function linesOf(body: Record<string, unknown>): readonly string[] {
  const { config } = body;
  if (typeof config === "string") return [config];
  if (Array.isArray(config)) return config.map(String);
  return [1, 2].flatMap((port) => [
    `interface Ethernet${port}`,
    `description ${port === 1 ? "Server Connection" : "IP Phone"}`,
    "switchport mode access",
    `switchport access vlan ${port}00`,
  ]);
}

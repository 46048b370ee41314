/**
 * `commit confirmed` of a real FRR (ripd with its transactional terminal), for a platform that a plugin describes: the
 * router itself takes a push back when its session ends, and when its timer does.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type FrrVty, startFrrVty } from "../../../scripts/testbed/frr-vty.ts";
import { freezeProcess } from "../../../scripts/testbed/process.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

/** `configure private`: what is rolled back stays in the candidate that sessions share. */
const platform = `import { definePlatform } from "patchbay/plugin";
const commit = (line) => [{ send: line, failed: /^% (?!Configuration committed|Commit complete|Resetting)/m }];
const candidate = {
  diff: "show configuration compare running candidate", discard: [{ send: "discard" }], failed: [/^% Failed/m],
};
export default definePlatform({
  name: "frr_daemon",
  home: "privileged",
  config: "config",
  levels: {
    exec: { prompt: /[\\w.-]{1,63}> ?$/, example: "R1> " },
    privileged: {
      prompt: /[\\w.-]{1,63}# ?$/, example: "R1# ",
      from: "exec", enter: "enable", leave: "disable", asks: /Password: ?$/,
    },
    config: {
      prompt: /[\\w.-]{1,63}\\(config[^)]*\\)# ?$/, example: "R1(config)# ",
      from: "privileged", enter: "configure private", leave: "end",
    },
  },
  prepare: ["terminal length 0"],
  errors: [/^% (?:\\[[A-Z]+\\] )?(?:Unknown command|Command incomplete|Ambiguous command)/m],
  candidate: { ...candidate, commit: commit("commit") },
  running: { show: "show running-config", ignore: [/^(?:!|Current configuration:|Building|frr version)/] },
  undo: [{
    way: "confirmed_commit",
    timer: { mostMinutes: 60 },
    // Whoever leaves the configuration, or ends the session, rolls back.
    within: "do {command}",
    // The shortest timer, whatever the job asks for: a test waits for its end.
    candidate: { ...candidate, commit: commit("commit"), confirm: commit("commit confirmed 1") },
    keep: commit("commit"),
    back: [{ send: "end" }],
  }],
});
`;

const pidOf = ({ child }: Service) => child.pid ?? expect.unreachable();

describe.skipIf(needs("frr"))("a push to FRR with commit confirmed", () => {
  const plugins = tempFolder();
  const dataDir = tempFolder();
  let router: FrrVty;
  let service: Service;
  /** Another one, to look at what the router runs: jobs of one service for one device wait for each other. */
  let onlooker: Service;
  const start = () => startService({ dataDir, plugins: [plugins] });
  beforeAll(async () => {
    writeFileSync(join(plugins, "frr-daemon.mjs"), platform);
    router = await startFrrVty("R1", "ripd");
    [service, onlooker] = await Promise.all([start(), startService({ plugins: [plugins] })]);
  });
  afterAll(async () => {
    await service.stop();
    await onlooker.stop();
    await router.stop();
  });

  const connection = () => ({
    ...{ host: router.host, port: router.port, device_type: "frr_daemon_telnet" },
    ...{ username: "nobody", password: router.password, secret: router.secret },
  });
  const request = (network: string, checks: object) => ({
    ...{ driver: "netmiko", connection_args: connection() },
    ...{ config: ["router rip", `network ${network}`], checks },
  });
  async function running(): Promise<string> {
    const { result } = await onlooker.run({
      ...{ driver: "netmiko", connection_args: connection(), command: "show running-config" },
    });
    return JSON.stringify(result?.retval);
  }
  /** The job, once its push waits in the router for the checks that follow. */
  async function waits(network: string): Promise<string> {
    const after = [{ command: "show running-config", contains: network }];
    const body = request(network, { settle_seconds: 200, after });
    const { body: ticket } = await service.call<{ id: string }>("POST", "/device/execute", body);
    await expect.poll(running, { timeout: 60_000 }).toContain(network);
    return ticket.data.id;
  }

  test("stays once its checks hold, and is taken back if they do not", async () => {
    const kept = await service.run(
      request("10.1.0.0/16", { after: [{ command: "show running-config", contains: "10.1.0.0/16" }] }),
    );
    expect(kept, JSON.stringify(kept)).toMatchObject({
      status: "finished",
      checks: { how: "confirmed_commit", pushed: true, undone: false },
    });
    const undone = await service.run(
      request("10.2.0.0/16", { after: [{ command: "show running-config", contains: "no such line" }] }),
    );
    expect(undone).toMatchObject({ status: "failed", checks: { how: "confirmed_commit", undone: true } });
    const now = await running();
    expect(now).toContain("10.1.0.0/16");
    expect(now).not.toContain("10.2.0.0/16");
  });

  test("is taken back by the router if the service is killed before its word", async () => {
    await waits("10.3.0.0/16");
    await service.kill();
    service = await start();
    await expect.poll(running, { timeout: 60_000 }).not.toContain("10.3.0.0/16");
    expect(await running()).toContain("10.1.0.0/16");
  });

  test("is taken back by the timer of the router if the service stands still", async () => {
    const id = await waits("10.4.0.0/16");
    await freezeProcess(pidOf(service));
    try {
      await expect.poll(running, { timeout: 120_000, interval: 2_000 }).not.toContain("10.4.0.0/16");
    } finally {
      process.kill(pidOf(service), "SIGCONT");
    }
    await service.call("DELETE", `/job?id=${id}&force=true`);
    expect(await service.ended(id)).toMatchObject({ status: "failed" });
    expect(await running()).not.toContain("10.4.0.0/16");
  });
});

/** NAPALM's eos over SSH: the same methods and changes, through a terminal. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type CliServer, startCliServer } from "../../drivers/napalm/cli-server.ts";
import { createModel, type SwitchModel } from "../../drivers/napalm/eos/model.ts";
import { terminalOf } from "../../drivers/napalm/eos/terminal.ts";
import { password } from "../../drivers/napalm/open.ts";
import { loggedIn } from "../terminal.ts";

let service: Service;
let server: CliServer;
let model: SwitchModel;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});
beforeEach(async () => {
  model = createModel();
  server = await startCliServer(terminalOf(model));
  return () => server.close();
});

const run = (more: object): Promise<JobRecord> =>
  service.run({
    driver: "napalm",
    connection_args: {
      device_type: "eos",
      hostname: "127.0.0.1",
      username: "admin",
      password,
      host_key_policy: "warning",
      optional_args: { transport: "ssh", port: server.port },
    },
    ...more,
  });
const resultOf = (job: JobRecord) => Object.values(job.result?.retval ?? {})[0];
const open = () => [...model.sessions.values()].filter(({ state }) => state === "pending");

test("reads facts with `| json` and plain text on a kept session", async () => {
  const job = await run({
    command: ["cli", "show nonsense"],
    driver_args: { kwargs: { commands: ["show version"], encoding: "json" } },
  });
  expect(job.result).toMatchObject({
    partial: true,
    retval: { cli: { "show version": { version: "4.31.1F" } } },
  });
  await run({ command: "has_pending_commit" });
  expect(server.sessions()).toBe(1);
  expect(server.typed).toContain("show version | json");
});

describe("a change", () => {
  test("is compared and committed, with a banner as one command", async () => {
    const job = await run({ config: ["vlan 20", "   name NEW", "banner motd", "  hello", "EOF"] });
    expect(job).toMatchObject({ status: "finished" });
    expect(resultOf(job)).toMatchObject({ committed: true, diff: expect.stringContaining("+vlan 20") });
    expect(model.running).toContain("banner motd\n  hello\nEOF");
    const sent = await service.call<{ difference: string }>("GET", `/job/${job.id}/sent`);
    expect(sent.body.data.difference).toContain("+vlan 20");
    const someone = await loggedIn(service.url, adminKey);
    const { out } = await someone.piped(["job", job.id, "--sent"]);
    expect(out).toMatch(/--- difference\n[\s\S]*\+vlan 20/);
    expect(model.startup).toEqual(model.running);
    expect(open()).toEqual([]);
  });

  test("that is rejected names the line and leaves nothing", async () => {
    const before = model.running;
    const job = await run({ config: ["vlan 20", "bogus line"] });
    expect(job.result?.error).toMatchObject({ type: "CommandError", command: "bogus line", line: 2 });
    expect([model.running, open()]).toEqual([before, []]);
  });

  test("waits for confirmation and is confirmed by another job", async () => {
    const { handle } = resultOf(await run({ config: "vlan 21", driver_args: { revert_in: 120 } })) as {
      handle: string;
    };
    expect(await run({ command: "confirm_commit", driver_args: { handle } })).toMatchObject({
      status: "finished",
    });
    expect(model.startup).toContain("vlan 21");
  });

  test.each([
    [/^configure session \S+$/, "drop"],
    [/ commit$/, "cut"],
  ] as const)("reports the outcome if its session is lost at %s (%s)", async (at, how) => {
    const before = model.running;
    server.fail(at, how);
    const job = await run({ config: "vlan 22" });
    expect(job.status).toBe("failed");
    expect(job.result?.error?.outcome).toBe(how === "cut" ? "unknown" : undefined);
    if (how === "drop") expect(model.running).toEqual(before);
  });
});

/** NAPALM configuration of eos: merged, replaced, compared, confirmed, rolled back; interrupted at every step. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { password, type StatefulSwitch, startStatefulSwitch } from "../../drivers/napalm/eos/switch.ts";

let service: Service;
let device: StatefulSwitch;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});
beforeEach(async () => {
  device = await startStatefulSwitch();
  return () => device.close();
});

const connectionArgs = () => ({
  device_type: "eos",
  hostname: "127.0.0.1",
  username: "admin",
  password,
  optional_args: { transport: "http", port: device.port },
});

const run = (more: object): Promise<JobRecord> =>
  service.run({
    driver: "napalm",
    connection_args: connectionArgs(),
    ...more,
  });

const resultOf = (job: JobRecord) => Object.values(job.result?.retval ?? {})[0];
const filesLeft = () => [...device.model.files.keys()].filter((name) => name !== "flash:patchbay-rollback");
const statesLeft = () =>
  [...device.model.sessions.values()].map(({ state }) => state).filter((state) => state === "pending");
/** Unchanged, with none of our files and sessions left. */
function expectUntouched(before: readonly string[]) {
  expect(device.model.running).toEqual(before);
  expect([filesLeft(), statesLeft()]).toEqual([[], []]);
}

describe("a change", () => {
  test("merges, saves, and returns the switch's own diff", async () => {
    const job = await run({ config: ["vlan 20", "   name NEW", "!", "banner motd", "  hello", "!x", "EOF"] });
    expect(job).toMatchObject({ status: "finished" });
    expect(resultOf(job)).toEqual({
      committed: true,
      diff: "+vlan 20\n+name NEW\n+banner motd\n+  hello\n+!x\n+EOF".replace(
        "+  hello\n+!x\n+EOF",
        "  hello\n!x\nEOF",
      ),
    });
    expect(device.model.running).toEqual([
      "hostname sw1",
      "vlan 10",
      "   name OLD",
      "vlan 20",
      "name NEW",
      "banner motd\n  hello\n!x\nEOF",
    ]);
    expect(device.model.startup).toEqual(device.model.running);
    expect([filesLeft(), statesLeft()]).toEqual([[], []]);
  });

  test("replaces the whole configuration", async () => {
    const job = await run({ config: "hostname sw2\n", driver_args: { replace: true } });
    expect(resultOf(job)).toMatchObject({ committed: true, diff: expect.stringContaining("-vlan 10") });
    expect(device.model.running).toEqual(["hostname sw2"]);
  });

  test("is rendered from a template first", async () => {
    const job = await run({
      config: { vlans: [30, 31] },
      rendering: { name: "jinja2", template: "{% for id in vlans %}vlan {{ id }}\n{% endfor %}" },
    });
    expect(resultOf(job)).toEqual({ committed: true, diff: "+vlan 30\n+vlan 31" });
  });

  test("is shown and discarded in a dry run", async () => {
    const before = device.model.running;
    const job = await run({ config: "vlan 20", driver_args: { dry_run: true, message: "CHG-1" } });
    expect(resultOf(job)).toEqual({ committed: false, diff: "+vlan 20" });
    expect(job.warnings).toEqual([expect.stringMatching(/does not store commit comments/)]);
    expectUntouched(before);
  });

  test("without a difference commits nothing", async () => {
    expect(resultOf(await run({ config: "vlan 10" }))).toEqual({ committed: false, diff: "" });
    expect(device.asked.flat().join()).not.toContain("commit");
  });

  test("works in NAPALM's separate steps", async () => {
    const steps = ["load_merge_candidate", "compare_config", "commit_config"];
    const kwargs = { load_merge_candidate: { config: "vlan 40" }, commit_config: { message: "x" } };
    const job = await run({ command: steps, driver_args: { kwargs } });
    expect(job.result?.retval).toEqual({
      load_merge_candidate: { loaded: true },
      compare_config: "+vlan 40",
      commit_config: { committed: true, diff: "+vlan 40" },
    });
    const left = await run({
      command: ["load_merge_candidate", "compare_config"],
      driver_args: { kwargs: { config: "vlan 41" } },
    });
    expect(left.warnings).toEqual([expect.stringMatching(/candidate was discarded/)]);
    expect(device.model.running).not.toContain("vlan 41");
  });
});

test("a failed step of a change ends the job before further commands", async () => {
  const kwargs = { load_merge_candidate: { config: "bogus" } };
  const command = ["has_pending_commit", "load_merge_candidate", "commit_config", "has_pending_commit"];
  const job = await run({ command, driver_args: { kwargs } });
  expect(job).toMatchObject({
    status: "failed",
    result: { retval: { has_pending_commit: false }, error: { type: "CommandError", command: "bogus" } },
  });
});

test("repeats queries after a change instead of using cached answers", async () => {
  const kwargs = { load_merge_candidate: { config: "vlan 44" } };
  const command = ["get_config", "load_merge_candidate", "commit_config", "get_config"];
  const { result } = await run({ command, driver_args: { kwargs } });
  expect(result?.retval).toMatchObject({
    get_config: { running: expect.not.stringContaining("vlan 44") },
    "get_config #2": { running: expect.stringContaining("vlan 44") },
  });
});

describe("a confirmed commit", () => {
  const timed = (more: object = {}) => run({ config: "vlan 50", driver_args: { revert_in: 3700, ...more } });
  const ask = (command: string, more: object = {}) => run({ command, driver_args: more });

  test("is confirmed by another job", async () => {
    const job = await timed();
    expect(resultOf(job)).toMatchObject({
      committed: true,
      reverts_in: 3700,
      handle: expect.stringMatching(/^patchbay-/),
    });
    expect(device.asked.flat()).toContainEqual(expect.stringMatching(/commit timer 01:01:40$/));
    expect(device.model.startup).not.toContain("vlan 50");
    expect(resultOf(await ask("has_pending_commit"))).toBe(true);
    expect(await ask("confirm_commit")).toMatchObject({ status: "finished" });
    expect(resultOf(await ask("has_pending_commit"))).toBe(false);
    expect(device.model.startup).toContain("vlan 50");
  });

  test("is reverted at its deadline; a late confirmation fails with the reason", async () => {
    const before = device.model.running;
    await timed();
    device.model.expire();
    expectUntouched(before);
    const late = await ask("confirm_commit");
    expect(late.result?.error).toMatchObject({ message: expect.stringMatching(/has timed out/) });
  });

  test("is rolled back", async () => {
    const before = device.model.running;
    const { handle } = resultOf(await timed({ revert_in: undefined, confirm: 60 })) as { handle: string };
    expect(await ask("rollback", { handle })).toMatchObject({ status: "finished" });
    expectUntouched(before);
  });

  test("blocks other changes until it is confirmed", async () => {
    await timed();
    const other = await run({ config: "vlan 51" });
    expect(other.result?.error).toMatchObject({
      message: expect.stringMatching(/is waiting for confirmation/),
    });
    expect(other.result?.error).not.toHaveProperty("outcome");
  });
});

test("rollback undoes the last commit, including unsaved changes", async () => {
  device.model.running = [...device.model.running, "vlan 7"];
  const before = device.model.running;
  await run({ config: "vlan 60" });
  expect(await run({ command: "rollback", driver_args: { message: "back" } })).toMatchObject({
    status: "finished",
  });
  expect(device.model.running).toEqual(before);
  const again = await run({ command: "rollback" });
  expect(again.result?.error).toMatchObject({
    type: "CommandError",
    message: expect.stringMatching(/No such file/),
  });
});

describe("failures leave the switch unchanged", () => {
  test("a rejected line is named with its number", async () => {
    const before = device.model.running;
    const job = await run({ config: ["vlan 70", "! a comment", "bogus line", "vlan 71"] });
    expect(job.result?.error).toMatchObject({
      type: "CommandError",
      command: "bogus line",
      line: 3,
      message: expect.stringMatching(/line 3, "bogus line"/),
    });
    expect(job.result?.error).not.toHaveProperty("outcome");
    expectUntouched(before);
  });

  test("a commit that the switch rejects", async () => {
    const before = device.model.running;
    const job = await run({ config: "conflict" });
    expect(job.result?.error).toMatchObject({ message: expect.stringMatching(/Commit failed/) });
    expectUntouched(before);
  });

  test("another user's session blocks the change; a stale session of ours is removed", async () => {
    device.model.sessions.set("patchbay-abcdef-01234567", { lines: [], state: "pending" });
    expect(await run({ config: "vlan 80" })).toMatchObject({ status: "finished" });
    expect(device.model.sessions.get("patchbay-abcdef-01234567")?.state).toBe("aborted");
    device.model.sessions.set("mine", { lines: [], state: "pending" });
    const job = await run({ config: "vlan 81" });
    expect(job.result?.error).toMatchObject({
      message: expect.stringMatching(/\(mine\); optional_args.lock_disable/),
    });
    expect(device.model.sessions.get("mine")?.state).toBe("pending");
  });

  test.each<[RegExp, "before" | "after", "none" | "unknown"]>([
    [/^show configuration sessions/, "before", "none"],
    [/^configure session \S+$/, "before", "none"],
    [/^configure session \S+$/, "after", "none"],
    [/^copy running-config/, "after", "none"],
    [/ commit$/, "before", "none"],
    [/ commit$/, "after", "unknown"],
  ])("the connection is cut at %s, %s it runs", async (at, when, outcome) => {
    const before = device.model.running;
    device.cut = { at, when };
    const job = await run({ config: "vlan 90" });
    expect(job.status).toBe("failed");
    expect(job.result?.error?.outcome).toBe(outcome === "none" ? undefined : "unknown");
    if (outcome === "none") expect(device.model.running).toEqual(before);
    expect(statesLeft()).toEqual([]);
  });
});

test("a job cancelled during a change leaves no session", async () => {
  const before = device.model.running;
  const held = Promise.withResolvers<void>();
  device.hold = { at: /^copy running-config/, until: held.promise };
  const submitted = await service.call<{ id: string }>("POST", "/device/execute", {
    driver: "napalm",
    connection_args: connectionArgs(),
    config: "vlan 95",
  });
  const { id } = submitted.body.data;
  await expect
    .poll(() => device.asked.flat().some((cmd) => cmd.startsWith("copy running-config")))
    .toBe(true);
  await service.call("DELETE", `/job?id=${id}&force=true`);
  const job = await service.ended(id);
  held.resolve();
  expect(job.result?.error).toMatchObject({ type: "Cancelled" });
  expect(job.result?.error).not.toHaveProperty("outcome");
  await expect.poll(() => statesLeft()).toEqual([]);
  expect(device.model.running).toEqual(before);
});

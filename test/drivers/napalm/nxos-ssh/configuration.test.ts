/** Configuration of nxos_ssh on a stateful switch: merge, replace, dry run, rollback, and all failures. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ConfigurationControl, SystemSession } from "../../../../plugins/drivers/napalm/system.ts";
import nxosSsh from "../../../../plugins/drivers/napalm/systems/nxos-ssh/system.ts";
import { job, openOn } from "../open.ts";
import { type Nexus, startNexus } from "./nexus.ts";

let nexus: Nexus;
let session: SystemSession | undefined;
const merged = "interface Ethernet1/2\n  description new\n";
const whole = "!Command: Checkpoint cmd vdc 1\nhostname sw2\ninterface Ethernet1/9\n";
const merging = { replace: false, dryRun: false };
const replacing = { replace: true, dryRun: false };
const backup = "patchbay-rollback";

/** Reuses the previous test's session unless it was lost. */
async function open(): Promise<void> {
  if (session !== undefined && (await session.reusable(job()))) return;
  await session?.close();
  session = await openOn(nxosSsh, { optional_args: { port: nexus.port } }, job());
}

function control(): ConfigurationControl {
  if (session === undefined) throw new Error("no session is open");
  return session.configuration;
}

beforeAll(async () => {
  nexus = await startNexus();
});
beforeEach(async () => {
  nexus.reset();
  await open();
});
afterAll(async () => {
  await session?.close();
  nexus.close();
});

const left = () => [...nexus.files.keys()];

describe("an nxos_ssh merge", () => {
  test("is committed and saved, and can be rolled back", async () => {
    const before = [...nexus.running];
    const change = await control().change(merged, merging, job());
    expect(change).toMatchObject({ committed: true, diff: expect.stringContaining("description new") });
    expect(nexus.running).toContain("interface Ethernet1/2\n  description new");
    expect(nexus.startup).toEqual(nexus.running);
    expect(left()).toEqual([backup]);
    await control().rollback?.(undefined, job());
    expect([nexus.running, nexus.startup]).toEqual([before, before]);
    expect(left()).toEqual([]);
    await expect(control().rollback?.(undefined, job())).rejects.toThrow("no commit of this service");
  });

  test("in a dry run changes nothing", async () => {
    const before = [...nexus.running];
    const change = await control().change(merged, { ...merging, dryRun: true }, job());
    expect(change).toEqual({ diff: "interface Ethernet1/2\n  description new", committed: false });
    expect([nexus.running, left()]).toEqual([before, []]);
  });

  test("with a refused line names it and restores the configuration", async () => {
    const before = [...nexus.running];
    const attempt = control().change(`${merged}  bogus thing\ninterface Ethernet1/3\n`, merging, job());
    await expect(attempt).rejects.toMatchObject({
      kind: "CommandError",
      detail: { line: 3, outcome: "none" },
    });
    await expect(attempt).rejects.toThrow("bogus thing");
    expect([nexus.running, nexus.startup, left()]).toEqual([before, before, []]);
  });

  test('that cannot be rolled back has outcome "unknown"', async () => {
    nexus.stuck = true;
    const attempt = control().change(`${merged}  bogus thing\n`, merging, job());
    await expect(attempt).rejects.toMatchObject({ detail: { outcome: "unknown" } });
  });
});

describe("an nxos_ssh replacement", () => {
  test("shows the patch in a dry run, and replaces everything including the host name", async () => {
    const tried = await control().change(whole, { ...replacing, dryRun: true }, job());
    expect(tried).toMatchObject({ committed: false, diff: expect.stringContaining("hostname sw2") });
    expect(left()).toEqual([]);
    await control().change(whole, replacing, job());
    expect(nexus.running).toEqual(["hostname sw2", "interface Ethernet1/9"]);
    expect(nexus.startup).toEqual(nexus.running);
    expect(left()).toEqual([backup]);
    expect(await session?.cli("show running-config", job())).toContain("hostname sw2");
  });

  test("that fails leaves the switch unchanged", async () => {
    const before = [...nexus.running];
    const attempt = control().change(`${whole}bogus\n`, replacing, job());
    await expect(attempt).rejects.toMatchObject({ detail: { outcome: "none" } });
    expect([nexus.running, nexus.startup, left()]).toEqual([before, before, []]);
  });
});

describe("an nxos_ssh change that fails", () => {
  const apply = [/^checkpoint/, /description new/, /^copy running/];
  const losses = [
    ...[...apply, /^show diff/, /^move/].map((step) => [step, "drop"] as const),
    ...apply.map((step) => [step, "cut"] as const),
  ];
  test.each(losses)(
    "because its session is lost at %s (%s) leaves the switch unchanged or committed",
    async (step, how) => {
      const before = [...nexus.running];
      nexus.fail(step, how);
      const outcome = await control()
        .change(merged, merging, job())
        .then(
          () => "committed",
          (error) => error.detail?.outcome,
        );
      const stands = nexus.running.includes("interface Ethernet1/2\n  description new");
      if (!stands) expect(nexus.running).toEqual(before);
      expect(outcome === "committed").toBe(stands);
      expect(left()).toEqual(stands ? left().filter((name) => name === backup) : []);
    },
  );

  test("because its job is cancelled leaves the switch unchanged", async () => {
    const before = [...nexus.running];
    const ctx = job();
    nexus.fail(/description new/, { meanwhile: () => ctx.cancel() });
    await expect(control().change(merged, merging, ctx)).rejects.toMatchObject({ kind: "Cancelled" });
    expect([nexus.running, left()]).toEqual([before, []]);
  });

  test("an nxos_ssh timer or handle is rejected, and a comment causes a warning", async () => {
    const timed = control().change(merged, { ...merging, revertIn: 60 }, job());
    await expect(timed).rejects.toThrow("nxos_ssh does not support confirmed commits");
    await expect(control().rollback?.("x", job())).rejects.toThrow(
      "nxos_ssh can roll back only the last commit",
    );
    const ctx = job();
    await control().change(merged, { ...merging, message: "CHG-1" }, ctx);
    expect(ctx.warnings).toEqual(["message: nxos_ssh does not store commit comments"]);
  });
});

/** Configuration of ios on a stateful router: merge, replace, dry run, timers, and all failures. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ConfigurationControl, SystemSession } from "../../../../plugins/drivers/napalm/system.ts";
import ios from "../../../../plugins/drivers/napalm/systems/ios/system.ts";
import { job, openOn } from "../open.ts";
import { type Router, startRouter } from "./router.ts";

let router: Router;
let session: SystemSession | undefined;
const merged = "interface Loopback7\n description new\n";
const whole = "hostname R2\ninterface Loopback9\n";
const merging = { replace: false, dryRun: false };
const replacing = { replace: true, dryRun: false };

/** Reuses the previous test's session unless it was lost or another one is requested. */
async function open(optional?: Readonly<Record<string, unknown>>): Promise<void> {
  if (optional === undefined && session !== undefined && (await session.reusable(job()))) return;
  await session?.close();
  session = await openOn(ios, { optional_args: { port: router.port, ...optional } }, job());
}

beforeAll(async () => {
  router = await startRouter();
});
beforeEach(async () => router.reset());
afterAll(async () => {
  await session?.close();
  router.close();
});

/** None of our files are left, except the rollback file of a commit. */
function expectClean(files: readonly string[] = []): void {
  expect([...router.flash.keys()]).toEqual(files);
  expect(router.running).not.toContain("file prompt quiet");
}

function control(): ConfigurationControl {
  if (session === undefined) throw new Error("no session is open");
  return session.configuration;
}

const backup = "patchbay-rollback.cfg";

describe("an ios merge", () => {
  test("returns the diff, is committed and saved, and can be rolled back", async () => {
    await open();
    const before = [...router.running];
    const change = await control().change(merged, merging, job());
    expect(change).toEqual({ diff: "+interface Loopback7\n+ description new", committed: true });
    expect(router.running).toContain("interface Loopback7\n description new");
    expect(router.startup).toEqual(router.running);
    expectClean([backup]);
    await control().rollback?.(undefined, job());
    expect([router.running, router.startup]).toEqual([before, before]);
    expectClean();
    await expect(control().rollback?.(undefined, job())).rejects.toThrow("no commit of this service");
  });

  test("in a dry run changes nothing", async () => {
    await open();
    const before = [...router.running];
    const change = await control().change(merged, { ...merging, dryRun: true }, job());
    expect(change).toEqual({ diff: "+interface Loopback7\n+ description new", committed: false });
    expect(router.running).toEqual(before);
    expectClean();
  });

  test("with a refused line names it and restores the previous configuration", async () => {
    await open();
    const before = [...router.running];
    const attempt = control().change(`${merged} bogus thing\n`, merging, job());
    await expect(attempt).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining('line 3, "bogus thing"'),
      detail: { line: 3, outcome: "none" },
    });
    expect([router.running, router.startup]).toEqual([before, before]);
    expectClean();
  });

  test("is sent through the Tcl shell if SCP is off, with any characters", async () => {
    router.running.splice(1, 1);
    await open();
    const text = `interface Loopback7\n description "a?b" {c} [d] $e \\f ü ${"x".repeat(400)}\n`;
    await control().change(text, merging, job());
    expect(router.running).toContain(text.trimEnd());
    expect(router.running).not.toContain("ip scp server enable");
    expectClean([backup]);
  });

  test("is sent through the Tcl shell if requested, or if SCP fails", async () => {
    await open({ inline_transfer: true });
    await control().change(merged, merging, job());
    expect(router.typed).toContain("tclsh");
    router.scp = false;
    router.typed.length = 0;
    await open({});
    expect(await control().change("interface Loopback8\n", merging, job())).toMatchObject({
      committed: true,
    });
    expect(router.typed).toContain("tclsh");
  });

  test("returns all lines as diff if the device cannot compare, and none if nothing changes", async () => {
    router.compares = false;
    await open();
    const ctx = job();
    const failed = "! incremental-diff failed; falling back to echo of merge file\n";
    expect(await control().change(merged, { ...merging, dryRun: true }, ctx)).toMatchObject({
      diff: `${failed}+interface Loopback7\n+ description new`,
    });
    expect(await control().change("no ip http server\n", { ...merging, dryRun: true }, job())).toMatchObject({
      diff: `${failed}+no ip http server`,
    });
    expect(ctx.warnings).toEqual([expect.stringContaining("cannot compare")]);
    router.compares = true;
    expect(await control().change("interface Loopback0\n", merging, job())).toEqual({
      diff: "",
      committed: false,
    });
    expect(await control().change("!\n\nend\n", merging, job())).toEqual({ diff: "", committed: false });
  });
});

describe("an ios replacement", () => {
  test("replaces the whole configuration and the host name in the prompt", async () => {
    await open();
    const change = await control().change(whole, replacing, job());
    expect(change.diff).toContain("-hostname R1");
    expect(router.running).toEqual(["hostname R2", "interface Loopback9"]);
    expect(router.startup).toEqual(router.running);
    expectClean([backup]);
    expect(await session?.cli("show running-config", job())).toContain("hostname R2");
  });

  test.each([{}, { auto_rollback_on_error: false }])("that fails is rolled back (%j)", async (optional) => {
    await open(optional);
    const before = [...router.running];
    const attempt = control().change(`${whole}bogus\n`, replacing, job());
    await expect(attempt).rejects.toMatchObject({ detail: { line: 3, outcome: "none" } });
    expect([router.running, router.startup]).toEqual([before, before]);
    expectClean();
  });

  test("with an empty configuration is rejected before anything is sent", async () => {
    await open();
    router.typed.length = 0;
    await expect(control().change("!\n", replacing, job())).rejects.toThrow("would erase");
    expect(router.typed).toEqual([]);
  });
});

describe("an ios commit with a timer", () => {
  test.each([
    [merged, merging],
    [whole, replacing],
  ])("is pending until confirmed, and saved then", async (text, how) => {
    await open();
    const before = [...router.startup];
    const ctx = job();
    const change = await control().change(text, { ...how, revertIn: 330 }, ctx);
    expect(change).toMatchObject({ committed: true, handle: "admin" });
    expect(ctx.warnings).toEqual([expect.stringContaining("300 seconds")]);
    expect(router.startup).toEqual(before);
    expect(await control().pending?.(job())).toEqual({ handle: "admin", user: "admin", revertsIn: 240 });
    await expect(control().change(merged, merging, job())).rejects.toThrow("is waiting for confirmation");
    await control().confirm?.(change.handle, job());
    expect(await control().pending?.(job())).toBeUndefined();
    expect(router.startup).toEqual(router.running);
    expectClean([backup]);
  });

  test("can be rolled back, and cannot be confirmed after the timeout", async () => {
    await open();
    const before = [...router.running];
    await control().change(merged, { ...merging, revertIn: 60 }, job());
    await control().rollback?.(undefined, job());
    expect(router.running).toEqual(before);
    const { handle } = await control().change(merged, { ...merging, revertIn: 60 }, job());
    router.expire();
    expect(router.running).toEqual(before);
    await expect(control().confirm?.(handle, job())).rejects.toThrow("has timed out");
  });

  test("of another user is left alone", async () => {
    await open();
    router.pending = { user: "eve", minutes: 5, before: [...router.running] };
    await expect(control().change(merged, merging, job())).rejects.toThrow("user eve");
    await expect(control().confirm?.(undefined, job())).rejects.toThrow("user eve");
    await expect(control().rollback?.(undefined, job())).rejects.toThrow("user eve");
    expect(router.pending?.user).toBe("eve");
    expectClean();
  });

  test("requires an archive and a supported time", async () => {
    await open();
    const timed = (revertIn: number) => control().change(merged, { ...merging, revertIn }, job());
    await expect(timed(30)).rejects.toThrow("60 to 7200");
    router.archive = false;
    await expect(timed(120)).rejects.toThrow("`archive`");
    expectClean();
  });
});

describe("an ios change that fails", () => {
  const apply = [/^copy running-config/, /^copy \S+ running-config/, /^write/];
  const others = [/^dir flash:$/, /^verify/, /^show archive/, /^rename/, /^delete \/force \S+candidate/];
  const losses = [
    ...[...apply, ...others].map((step) => [step, "drop"] as const),
    ...apply.map((step) => [step, "cut"] as const),
  ];
  test.each(losses)(
    "because its session is lost at %s (%s) leaves the device unchanged or committed",
    async (step, how) => {
      await open();
      const before = [...router.running];
      router.fail(step, how);
      const outcome = await control()
        .change(merged, merging, job())
        .then(
          () => "committed",
          (error) => error.detail?.outcome,
        );
      const stands = router.running.includes("interface Loopback7\n description new");
      if (!stands) expect(router.running).toEqual(before);
      expect(outcome === "none" ? stands : !stands).toBe(false);
      expect([...router.flash.keys()].filter((name) => name.includes("candidate"))).toEqual([]);
    },
  );

  test("because of a full disk is reported before anything is sent", async () => {
    router.freeBytes = 10;
    await open();
    await expect(control().change(merged, merging, job())).rejects.toThrow("not enough space on flash:");
    expectClean();
  });

  test("to save a backup changes nothing", async () => {
    await open();
    const before = [...router.running];
    router.fail(/^copy running-config/, {
      meanwhile() {
        router.freeBytes = 3;
      },
    });
    await expect(control().change(merged, merging, job())).rejects.toThrow("could not be backed up");
    expect(router.running).toEqual(before);
    expectClean();
  });

  test("because there is neither SCP nor Tcl is reported", async () => {
    router.scp = false;
    router.tcl = false;
    await open();
    await expect(control().change(merged, merging, job())).rejects.toThrow("neither SCP nor a Tcl shell");
    expectClean();
  });

  test("because its job is cancelled leaves the device unchanged", async () => {
    await open();
    const before = [...router.running];
    const ctx = job();
    router.fail(/^copy \S+ running-config/, { meanwhile: () => ctx.cancel() });
    await expect(control().change(merged, merging, ctx)).rejects.toMatchObject({ kind: "Cancelled" });
    expect(router.running).toEqual(before);
    expect([...router.flash.keys()]).toEqual([]);
  });

  test("an ios commit comment causes a warning", async () => {
    await open();
    const ctx = job();
    await control().change(merged, { ...merging, message: "CHG-1" }, ctx);
    expect(ctx.warnings).toEqual(["message: ios does not store commit comments"]);
  });
});

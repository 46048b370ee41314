/** Configuration of iosxr_netconf on a router with a candidate, a lock and confirmed commits. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ChangeOptions, SystemSession } from "../../../../plugins/drivers/napalm/system.ts";
import iosxr from "../../../../plugins/drivers/napalm/systems/iosxr-netconf/system.ts";
import { ServiceError } from "../../../../src/base/errors.ts";
import { failure, scopeOf } from "../../../device/ssh/support.ts";
import { taskContext } from "../../../plugin/context.ts";
import { openOn } from "../open-netconf.ts";
import { startXrRouter, type XrRouter } from "./router.ts";

const first = ["hostname a", "domain name example.net"];
const text = "hostname b\n";
const changed = ["hostname b", "domain name example.net"];
const merge: ChangeOptions = { replace: false, dryRun: false };
const diff = "-  hostname a;\n+  hostname b;";

let router: XrRouter;
let warnings: string[];
const sessions: SystemSession[] = [];
const contextOf = () => taskContext({ ...scopeOf(), warn: (message) => void warnings.push(message) });

async function open(optional: Record<string, unknown> = {}): Promise<SystemSession> {
  const session = await openOn(iosxr, router, contextOf(), optional);
  sessions.push(session);
  return session;
}

/** Unchanged: no lock is held, and no change is left in the candidate for the next user to commit. */
async function expectUntouched(): Promise<void> {
  await router.store.clean();
  expect(router.store.running()).toEqual(first);
}

beforeEach(async () => {
  router = await startXrRouter(first);
  warnings = [];
});
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  await router.close();
});

describe("an iosxr_netconf change", () => {
  test("is merged with XML special characters; its comment is not kept", async () => {
    const { configuration } = await open();
    const how = { ...merge, message: "CHG-7" };
    const change = await configuration.change(`${text}banner motd <&>]]>\n!\n`, how, contextOf());
    expect(change).toMatchObject({
      committed: true,
      diff: expect.stringContaining("+  banner motd <&>]]>;"),
    });
    expect(router.store.running()).toEqual([...changed, "banner motd <&>]]>"]);
    expect(warnings).toEqual([expect.stringContaining("does not store commit comments")]);
  });

  test("replaces the configuration", async () => {
    const { configuration } = await open();
    await configuration.change(text, { ...merge, replace: true }, contextOf());
    expect(router.store.running()).toEqual(["hostname b"]);
  });

  test("as XML is compared by its lines", async () => {
    const { configuration } = await open({ config_encoding: "xml" });
    const change = await configuration.change('<hostname xmlns="urn:h">b</hostname>', merge, contextOf());
    expect(change.diff).toContain(
      '-  <line xmlns="urn:lines">hostname a</line>\n+  <line xmlns="urn:lines">hostname b</line>',
    );
    expect(router.store.running()).toEqual(changed);
  });

  test("in a dry run, or without an effect, is discarded", async () => {
    const { configuration } = await open();
    expect(await configuration.change(text, { ...merge, dryRun: true }, contextOf())).toEqual({
      diff,
      committed: false,
    });
    expect(router.operations()).toEqual([
      "lock",
      "edit-config",
      "get-cli-config-diff",
      "discard-changes",
      "unlock",
    ]);
    expect(await configuration.change("hostname a", merge, contextOf())).toEqual({
      diff: "",
      committed: false,
    });
    await expectUntouched();
  });
});

describe("a refusal leaves the device unchanged: it", () => {
  test("names a refused line", async () => {
    const { configuration } = await open();
    expect(
      await failure(configuration.change("hostname b\n bogus here\n", merge, contextOf())),
    ).toMatchObject({
      kind: "CommandError",
      message: expect.stringMatching(/^The device refused line 2, "bogus here": .*SYNTAX/),
      detail: { command: "bogus here", line: 2, outcome: "none" },
    });
    await expectUntouched();
  });

  test("reports a refused commit", async () => {
    const { configuration } = await open();
    const refused = failure(configuration.change("impossible yes", merge, contextOf()));
    expect(await refused).toMatchObject({
      kind: "CommandError",
      detail: { command: "commit", outcome: "none" },
    });
    await expectUntouched();
  });

  test("reports a lock of another session", async () => {
    router.store.lock(99);
    const { configuration } = await open();
    expect(await failure(configuration.change(text, merge, contextOf()))).toMatchObject({
      kind: "CommandError",
      message: expect.stringMatching(/locked by another session: .*session 99/),
      detail: { outcome: "none" },
    });
    expect(router.operations()).toEqual(["lock"]);
    expect(await failure(open({ config_lock: true }))).toMatchObject({ kind: "CommandError" });
  });

  test.each<[string, Record<string, unknown>, string, Partial<ChangeOptions>, RegExp]>([
    ["too short a time", {}, text, { revertIn: 10 }, /30 to 65535/],
    ["too long a time", {}, text, { revertIn: 70_000 }, /30 to 65535/],
    ["invalid XML", { config_encoding: "xml" }, "<hostname>", {}, /not valid/],
    ["XML entities", { config_encoding: "xml" }, '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', {}, /not valid/],
    ["a character that XML cannot represent", {}, "banner \u0007", {}, /XML cannot carry/],
  ])("comes before anything is sent for %s", async (_what, optional, source, how, message) => {
    const { configuration } = await open(optional);
    const refused = await failure(configuration.change(source, { ...merge, ...how }, contextOf()));
    expect(refused).toMatchObject({ kind: "DriverError", message: expect.stringMatching(message) });
    expect(router.operations()).toEqual([]);
  });

  test("names the capability that a confirmed commit needs", async () => {
    const old = await startXrRouter(first, { confirms: false });
    const session = await openOn(iosxr, old, contextOf());
    const refused = failure(session.configuration.change(text, { ...merge, revertIn: 60 }, contextOf()));
    expect((await refused).message).toContain("confirmed-commit:1.1");
    expect(old.operations()).toEqual([]);
    await session.close();
    await old.close();
  });
});

describe("an iosxr_netconf commit that awaits confirmation", () => {
  const waiting = async () => {
    const { configuration } = await open();
    const { handle } = await configuration.change(text, { ...merge, revertIn: 300 }, contextOf());
    await sessions.pop()?.close();
    return handle;
  };

  test("survives its session and is confirmed by another", async () => {
    const handle = await waiting();
    expect(router.store.waiting()).toMatchObject({ name: handle, minutes: 5 });
    const { configuration } = await open();
    for (const name of [undefined, "patchbay-other"])
      expect(await failure(configuration.confirm?.(name, contextOf()) ?? Promise.resolve())).toMatchObject({
        detail: { outcome: "none" },
      });
    await configuration.confirm?.(handle, contextOf());
    expect(router.store.waiting()).toBeUndefined();
    expect(router.store.running()).toEqual(changed);
  });

  test("is reverted after its timeout or by a rollback", async () => {
    const handle = await waiting();
    router.expire();
    await expectUntouched();
    const { configuration } = await open();
    expect(await failure(configuration.confirm?.(handle, contextOf()) ?? Promise.resolve())).toMatchObject({
      kind: "CommandError",
    });
    const second = await waiting();
    await configuration.rollback?.(second, contextOf());
    await expectUntouched();
  });
});

test("rollback reverts the last commit, and others' candidate is shown", async () => {
  const { configuration } = await open();
  await configuration.change(text, merge, contextOf());
  await configuration.rollback?.(undefined, contextOf());
  await expectUntouched();
  router.store.merge(["hostname theirs"]);
  expect(await configuration.compare?.(contextOf())).toContain("+  hostname theirs;");
});

test("config_lock holds the lock until the session ends", async () => {
  const session = await open({ config_lock: true });
  await session.configuration.change(text, merge, contextOf());
  expect(router.operations()).toEqual(["lock", "edit-config", "get-cli-config-diff", "commit"]);
  expect(await session.reusable(contextOf())).toBe(false);
  await session.close();
  await router.store.clean();
});

const steps = ["lock", "edit-config", "get-cli-config-diff", "commit"];

describe("an iosxr_netconf change interrupted", () => {
  test.each(
    steps.flatMap((at) => [
      { at, what: "dropBefore" as const },
      { at, what: "dropAfter" as const },
    ]),
  )("by $what at $at leaves the device unchanged or committed", async (fault) => {
    const session = await open();
    router.fault = fault;
    const lost = await failure(session.configuration.change(text, merge, contextOf()));
    const isCommit = fault.at === "commit";
    expect(lost).toMatchObject({
      kind: "ConnectionLost",
      detail: { outcome: isCommit ? "unknown" : "none" },
    });
    await router.store.clean();
    expect(router.store.running()).toEqual(isCommit && fault.what === "dropAfter" ? changed : first);
  });

  test.each(["discard-changes", "unlock"])("by dropBefore %s still reports the dry run", async (at) => {
    const { configuration } = await open();
    router.fault = { at, what: "dropBefore" };
    const dry = await configuration.change(text, { ...merge, dryRun: true }, contextOf());
    expect(dry).toEqual({ diff, committed: false });
    await expectUntouched();
  });

  test.each(steps)("by a cancel during %s leaves the device unchanged or committed", async (at) => {
    const session = await open();
    const reached = Promise.withResolvers<void>();
    router.fault = { at, what: "silent", reached: reached.resolve };
    const scope = scopeOf();
    const task = taskContext({ signal: scope.signal, remaining: scope.remaining });
    const cancelled = failure(session.configuration.change(text, merge, task));
    await reached.promise;
    scope.abort(new ServiceError("Cancelled", "enough"));
    expect(await cancelled).toMatchObject({ kind: "Cancelled" });
    await session.close();
    await router.store.clean();
    expect(router.store.running()).toEqual(at === "commit" ? changed : first);
  });
});

/** Configuration of junos on a router with a candidate, a lock and confirmed commits, over real NETCONF. */
import { describe, expect, test } from "vitest";
import type { ChangeOptions } from "../../../../plugins/drivers/napalm/system.ts";
import { failure } from "../../../device/ssh/support.ts";
import { changed, diff, first, lab, merge, text } from "./support.ts";

const on = lab();

describe("a junos change", () => {
  test.each<[string, string, readonly string[]]>([
    ["text", text, changed],
    ["commands", "set system host-name b\n", changed],
    [
      "commands after a comment",
      "# new\nset system host-name b\ndelete system domain-name\n",
      ["system host-name b"],
    ],
    ["XML", "<configuration><system><host-name>b</host-name></system></configuration>", changed],
    ["XML without its root", "<system><host-name>b</host-name></system>", changed],
    [
      "JSON",
      '{"configuration": {"system": {"host-name": "json"}}}',
      ["system host-name json", "system domain-name example.net"],
    ],
  ])("as %s is loaded, compared and committed", async (_form, source, running) => {
    const session = await on().open();
    const change = await session.configuration.change(source, merge, on().contextOf());
    expect(change).toMatchObject({ committed: true, diff: expect.stringContaining("+  system host-name") });
    expect(on().router.store.running()).toEqual(running);
    expect(on().router.store.lockedBy()).toBeUndefined();
  });

  test("replaces the configuration and keeps its comment", async () => {
    const { configuration } = await on().open();
    const how = { ...merge, replace: true, message: "CHG-7" };
    expect(await configuration.change(text, how, on().contextOf())).toMatchObject({ committed: true });
    expect(on().router.store.running()).toEqual(["system host-name b"]);
    expect(on().router.comment()).toBe("CHG-7");
  });

  test("in a dry run, or without an effect, is discarded", async () => {
    const { configuration } = await on().open();
    expect(await configuration.change(text, { ...merge, dryRun: true }, on().contextOf())).toEqual({
      diff,
      committed: false,
    });
    expect(on().router.operations()).toEqual([
      "lock-configuration",
      "load-configuration",
      "get-configuration",
      "discard",
      "unlock-configuration",
    ]);
    const same = "system {\n host-name a;\n}";
    expect(await configuration.change(same, merge, on().contextOf())).toEqual({ diff: "", committed: false });
    expect(on().router.operations()).not.toContain("commit-configuration");
    await on().expectUntouched();
  });

  test("reports warnings of the device unless ignore_warning is set", async () => {
    const source = "set system host-name b\ndelete nothing\n";
    await (await on().open()).configuration.change(source, merge, on().contextOf());
    expect(on().warnings).toEqual(["statement not found"]);
    await (await on().open({ ignore_warning: true })).configuration.change(source, merge, on().contextOf());
    expect(on().warnings).toHaveLength(1);
  });
});

describe("a refusal leaves the device unchanged: it", () => {
  test("names a refused line", async () => {
    const { configuration } = await on().open();
    const bad = "system {\n    bogus here;\n    host-name b;\n}\n";
    expect(await failure(configuration.change(bad, merge, on().contextOf()))).toMatchObject({
      kind: "CommandError",
      message: 'The device refused line 2, "bogus here;": syntax error, [edit system]',
      detail: { command: "bogus here;", line: 2, outcome: "none" },
    });
    await on().expectUntouched();
  });

  test("reports a refused commit", async () => {
    const { configuration } = await on().open();
    const refused = failure(configuration.change("set system impossible yes", merge, on().contextOf()));
    expect(await refused).toMatchObject({ kind: "CommandError", detail: { outcome: "none" } });
    await on().expectUntouched();
  });

  test.each<[string, string, Partial<ChangeOptions>, RegExp]>([
    ["a time in half minutes", text, { revertIn: 90 }, /whole minutes/],
    ["a time of zero", text, { revertIn: 0 }, /whole minutes/],
    ["commands that replace", "set system host-name b", { replace: true }, /cannot replace/],
    ["invalid XML", "<configuration><system>", {}, /not valid/],
    [
      "XML with entities",
      '<!DOCTYPE a [<!ENTITY b "c">]><configuration>&b;</configuration>',
      {},
      /document type/,
    ],
    ["a character that XML cannot represent", "system {\u0007}", {}, /XML cannot carry/],
  ])("comes before anything is sent for %s", async (_what, source, how, message) => {
    const { configuration } = await on().open();
    const refused = await failure(configuration.change(source, { ...merge, ...how }, on().contextOf()));
    expect(refused).toMatchObject({
      kind: "DriverError",
      message: expect.stringMatching(message),
      detail: { outcome: "none" },
    });
    expect(on().router.operations()).toEqual([]);
  });

  test("reports a lock of another session", async () => {
    on().router.store.lock(99);
    const { configuration } = await on().open();
    expect(await failure(configuration.change(text, merge, on().contextOf()))).toMatchObject({
      kind: "CommandError",
      message: expect.stringMatching(/locked by another session: .*session 99/),
      detail: { outcome: "none" },
    });
    expect(on().router.operations()).toEqual(["lock-configuration"]);
    expect(on().router.store.lockedBy()).toBe(99);
    expect(await failure(on().open({ config_lock: true }))).toMatchObject({ kind: "CommandError" });
  });

  test.each([{}, { lock_disable: true }])(
    "keeps changes of others in the candidate, with %o",
    async (optional) => {
      on().router.store.merge(["system host-name theirs"]);
      const { configuration } = await on().open(optional);
      expect(await configuration.compare?.(on().contextOf())).toContain("theirs");
      for (const refused of [
        configuration.change(text, merge, on().contextOf()),
        configuration.rollback?.(undefined, on().contextOf()) ?? Promise.resolve(),
      ])
        expect(await failure(refused)).toMatchObject({ kind: "CommandError", detail: { outcome: "none" } });
      expect(on().router.store.candidate()).toContain("system host-name theirs");
    },
  );
});

describe("a junos commit that awaits confirmation", () => {
  const waiting = async (message?: string) => {
    const { configuration } = await on().open();
    const how = { ...merge, revertIn: 300, ...(message === undefined ? {} : { message }) };
    const change = await configuration.change(text, how, on().contextOf());
    await on().leave();
    return change.handle;
  };

  test.each([undefined, "CHG-7"])(
    "survives its session and is confirmed by another (comment: %s)",
    async (message) => {
      const handle = await waiting(message);
      expect(handle).toMatch(/^re0-\d+-1$/);
      const { configuration } = await on().open();
      expect(await configuration.pending?.(on().contextOf())).toEqual({
        handle,
        revertsIn: 286,
        user: "admin",
      });
      expect(
        await failure(configuration.confirm?.("re0-1-1", on().contextOf()) ?? Promise.resolve()),
      ).toMatchObject({
        message: expect.stringContaining(`not re0-1-1: it is ${handle} of admin`),
      });
      await configuration.confirm?.(handle, on().contextOf());
      expect(on().router.store.waiting()).toBeUndefined();
      expect(await configuration.pending?.(on().contextOf())).toBeUndefined();
      on().router.expire();
      expect(on().router.store.running()).toEqual(changed);
    },
  );

  test("is reverted after its timeout, and cannot be confirmed then", async () => {
    const handle = await waiting();
    on().router.expire();
    expect(on().router.store.running()).toEqual(first);
    const { configuration } = await on().open();
    expect(await configuration.pending?.(on().contextOf())).toBeUndefined();
    for (const name of [undefined, handle])
      expect(
        await failure(configuration.confirm?.(name, on().contextOf()) ?? Promise.resolve()),
      ).toMatchObject({
        kind: "CommandError",
        message: expect.stringContaining("has timed out"),
      });
    await on().expectUntouched();
  });

  test("of another user is confirmed or rolled back only by its name", async () => {
    const handle = await waiting();
    on().router.committer = "somebody";
    const { configuration } = await on().open();
    for (const refused of [configuration.confirm, configuration.rollback])
      expect(await failure(refused?.(undefined, on().contextOf()) ?? Promise.resolve())).toMatchObject({
        kind: "CommandError",
        message: expect.stringContaining(`another user's: it is ${handle} of somebody`),
      });
    expect(on().router.store.waiting()).toBeDefined();
    await configuration.rollback?.(handle, on().contextOf());
    await on().expectUntouched();
  });

  test("can be rolled back", async () => {
    const handle = await waiting();
    const { configuration } = await on().open();
    expect(await configuration.rollback?.(handle, on().contextOf())).toContain("+  system host-name a;");
    await on().expectUntouched();
  });
});

test("the last junos commit can be rolled back", async () => {
  const { configuration } = await on().open();
  await configuration.change(text, merge, on().contextOf());
  await configuration.rollback?.(undefined, on().contextOf());
  await on().expectUntouched();
});

test.each<[Record<string, unknown>, readonly string[]]>([
  [{ config_lock: true }, ["load-configuration", "get-configuration", "commit-configuration"]],
  [{ lock_disable: true }, ["load-configuration", "get-configuration", "commit-configuration"]],
  [
    { config_private: true },
    [
      "open-configuration",
      "load-configuration",
      "get-configuration",
      "commit-configuration",
      "close-configuration",
    ],
  ],
])("with %o the lock operations differ", async (optional, operations) => {
  const session = await on().open(optional);
  const before = on().router.operations();
  expect(before).toEqual(optional.config_lock === true ? ["lock-configuration"] : []);
  await session.configuration.change(text, merge, on().contextOf());
  expect(
    on()
      .router.operations()
      .filter((name, at) => at > 0 || name !== "get-configuration"),
  ).toEqual(operations);
  expect(await session.reusable(on().contextOf())).toBe(optional.config_lock !== true);
  await session.close();
  await on().router.store.clean();
  expect(on().router.store.running()).toEqual(changed);
});

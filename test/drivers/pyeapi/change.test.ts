/** Rolling back or keeping a push over eAPI: a session with a timer, on a stateful switch. */
import { createHash } from "node:crypto";
import { describe, expect, type TestContext, test } from "vitest";
import plugin from "../../../plugins/drivers/pyeapi/plugin.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createDriverKit } from "../../../src/executor/kit/driver-kit.ts";
import { createFilesKit } from "../../../src/executor/kit/files-kit.ts";
import { checkUrl } from "../../../src/executor/kit/http-address.ts";
import type { Change } from "../../../src/plugin/index.ts";
import { createRegistry } from "../../../src/registry/registry.ts";
import { taskContext } from "../../plugin/context.ts";
import { checked } from "../netmiko/support.ts";
import { startSwitch } from "./switch.ts";

const password = "canary-change-1";
const lease = new SharedArrayBuffer(8);
new Float64Array(lease)[0] = Number.POSITIVE_INFINITY;
const kit = createDriverKit({
  settings: { transferRoots: [], leaseValidUntil: lease },
  registry: createRegistry(),
  files: createFilesKit({ transferRoots: [], keyRoots: [] }, () => ({ limited: false })),
  checkUrl: checkUrl({ policy: { allow: [], deny: [] } }),
  rule: () => ({ limited: false, addresses() {}, stated() {}, keepsHostKey: () => true }),
  ask: async () => [],
});

async function lab({ onTestFinished }: Pick<TestContext, "onTestFinished">, minuteMs?: number) {
  const device = await startSwitch({
    password,
    thinkMs: 15,
    ...(minuteMs === undefined ? {} : { minuteMs }),
  });
  onTestFinished(() => device.close());
  const connection = await checked(plugin.connection, {
    ...{ host: "127.0.0.1", port: device.port, transport: "http", username: "admin", password },
  });
  const target = { host: "127.0.0.1", port: device.port };
  const { default: open } = await plugin.load();
  const tools = { ...kit.tools(connection, target, {}, silentLog), hide() {} };
  const session = await open(tools, taskContext());
  const change = async (lines: readonly string[], given: object = {}): Promise<Change> => {
    const args = plugin.args.configure && (await checked(plugin.args.configure, given));
    if (session.change === undefined) throw new Error("it has no way back");
    return session.change(lines, args, taskContext({}, 60_000));
  };
  const configure = async () => plugin.args.configure && (await checked(plugin.args.configure, {}));
  const hold = {
    seconds: 600,
    fingerprint: (text: string) => createHash("sha256").update(text).digest("hex"),
  };
  const left = async (lines: readonly string[]) => {
    const { open = "" } = (await session.change?.(lines, await configure(), taskContext(), hold)) ?? {};
    return async () =>
      (await session.reopen?.(open, await configure(), taskContext(), hold)) ?? expect.unreachable();
  };
  return { device, change, left };
}

const lines = ["vlan 20", "name NEW"];
const first = ["hostname sw1"];

describe("a push over eAPI", () => {
  test("can be rolled back, which removes the session", async (context) => {
    const { device, change } = await lab(context);
    const held = await change(lines);
    expect(held).toMatchObject({ how: "confirmed_commit", output: { committed: true, saved: false } });
    expect(held.revertsAt).toBeGreaterThan(Date.now() + 60_000);
    expect(device.running).toContain("vlan 20");
    expect(device.asked.flat()).toContain("commit timer 00:03:00");
    await held.undo(taskContext());
    expect(device.running).toEqual(first);
    expect([...device.sessions.keys()]).toEqual([]);
  });

  test("stays once it is confirmed, and is saved only then", async (context) => {
    const { device, change } = await lab(context);
    const held = await change(lines, { save: true });
    expect(device.startup).toEqual(first);
    await held.confirm(taskContext());
    expect(device.running).toEqual([...first, ...lines]);
    expect(device.startup).toEqual([...first, ...lines]);
  });

  test("that nobody confirms is reverted by the switch", async (context) => {
    const { device, change } = await lab(context, 40);
    const held = await change(lines);
    await expect.poll(() => device.running, { timeout: 30_000 }).toEqual(first);
    await held.undo(taskContext());
    expect(device.running).toEqual(first);
  });

  test("that is left open waits on if its timer starts anew, and is then confirmed or aborted", async (context) => {
    for (const word of ["confirm", "undo"] as const) {
      const { device, left } = await lab(context);
      const again = await left(lines);
      await (await again()).extend?.(1_150, taskContext());
      expect(device.asked.flat()).toContainEqual(
        expect.stringMatching(/^configure session patchbay-\S+ commit timer 00:20:00$/),
      );
      const open = await again();
      expect(open.running).toBe("pushed");
      await open[word](taskContext());
      expect(device.running).toEqual(word === "confirm" ? [...first, ...lines] : first);
      await expect(open.extend?.(1_150, taskContext())).rejects.toMatchObject({ kind: "CommandError" });
    }
  });

  test("with a refused line leaves nothing", async (context) => {
    const { device, change } = await lab(context);
    await expect(change([...lines, "bogus"])).rejects.toMatchObject({
      kind: "CommandError",
      detail: { outcome: "none" },
    });
    expect(device.running).toEqual(first);
    expect([...device.sessions.keys()]).toEqual([]);
  });

  test("whose rollback fails reports what remains", async (context) => {
    const { device, change } = await lab(context);
    const held = await change(lines);
    device.meet({ before: async (cmds) => (cmds.some((cmd) => /abort$/.test(cmd)) ? "lose" : "go on") });
    await expect(held.undo(taskContext())).rejects.toMatchObject({
      message: expect.stringMatching(
        /was not completely undone.*\+ vlan 20.*will roll it back automatically by 20/s,
      ),
    });
  });
});

test("a push without a configuration session has no rollback", () => {
  const way = (args: object) => plugin.undo?.({}, args, () => undefined);
  expect([way({}), way({ session: "mine" }), way({ session: false }), way({ dry_run: true })]).toEqual([
    "confirmed_commit",
    "confirmed_commit",
    undefined,
    undefined,
  ]);
});

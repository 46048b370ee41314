/** Rolling back or keeping a NAPALM push, on stateful devices: with a timer where the system has one. */
import { createHash } from "node:crypto";
import { describe, expect, type TestContext, test } from "vitest";
import { change, reopen } from "../../../plugins/drivers/napalm/change.ts";
import type { SystemSession } from "../../../plugins/drivers/napalm/system.ts";
import type { SystemName } from "../../../plugins/drivers/napalm/system-names.ts";
import eos from "../../../plugins/drivers/napalm/systems/eos/system.ts";
import ios from "../../../plugins/drivers/napalm/systems/ios/system.ts";
import iosxr from "../../../plugins/drivers/napalm/systems/iosxr/system.ts";
import xr from "../../../plugins/drivers/napalm/systems/iosxr-netconf/system.ts";
import junos from "../../../plugins/drivers/napalm/systems/junos/system.ts";
import nxosSsh from "../../../plugins/drivers/napalm/systems/nxos-ssh/system.ts";
import { undoWay } from "../../../plugins/drivers/napalm/undo-way.ts";
import type { Hold } from "../../../src/plugin/index.ts";
import { password, startStatefulSwitch } from "./eos/switch.ts";
import { startRouter } from "./ios/router.ts";
import { startRouter as startXmlRouter } from "./iosxr/router.ts";
import { startXrRouter } from "./iosxr-netconf/router.ts";
import { startJunosRouter } from "./junos/router.ts";
import { startNexus } from "./nxos-ssh/nexus.ts";
import { job, password as login, openOn } from "./open.ts";
import { openOn as openNetconf } from "./open-netconf.ts";

interface Lab {
  open(): Promise<SystemSession>;
  running(): readonly string[];
  /** Expires the timer of a pending commit. */
  expire?(): void;
  waits?(): boolean;
  /** Of the timer of a pending commit. */
  minutes?(): number | undefined;
  close(): unknown;
}

interface Kind {
  readonly system: SystemName;
  readonly how: string;
  readonly text: string;
  readonly start: () => Promise<Lab>;
}

const interfaceText = "interface Loopback7\n description new\n";
const first = ["system host-name a", "system domain-name example.net"];

async function iosLab(archive: boolean): Promise<Lab> {
  const router = await startRouter();
  router.archive = archive;
  return {
    open: () => openOn(ios, { optional_args: { port: router.port } }, job()),
    running: () => [...router.running],
    expire: () => router.expire(),
    waits: () => router.pending !== undefined,
    minutes: () => router.pending?.minutes,
    close: () => router.close(),
  };
}

const kinds: readonly Kind[] = [
  { system: "ios", how: "replace", text: interfaceText, start: () => iosLab(false) },
  { system: "ios", how: "confirmed_commit", text: interfaceText, start: () => iosLab(true) },
  {
    system: "nxos_ssh",
    how: "checkpoint",
    text: "interface Ethernet1/2\n  description new\n",
    async start() {
      const nexus = await startNexus();
      return {
        open: () => openOn(nxosSsh, { optional_args: { port: nexus.port } }, job()),
        running: () => nexus.running,
        close: () => nexus.close(),
      };
    },
  },
  {
    system: "junos",
    how: "confirmed_commit",
    text: "set system host-name b",
    async start() {
      const { store, ...router } = await startJunosRouter(first);
      return {
        open: () => openNetconf(junos, router, job()),
        running: store.running,
        expire: router.expire,
        waits: () => store.waiting() !== undefined,
        minutes: () => store.waiting()?.minutes,
        close: router.close,
      };
    },
  },
  {
    system: "iosxr",
    how: "rollback",
    text: "interface Loopback0\n description new\n",
    async start() {
      const device = await startXmlRouter({ password: login });
      return {
        open: () => openOn(iosxr, { port: device.port }, job()),
        running: () => device.running,
        close: device.close,
      };
    },
  },
  {
    system: "iosxr_netconf",
    how: "confirmed_commit",
    text: "hostname b\n",
    async start() {
      const { store, ...router } = await startXrRouter(["hostname a", "domain name example.net"]);
      return {
        open: () => openNetconf(xr, router, job()),
        running: store.running,
        expire: store.cancel,
        waits: () => store.waiting() !== undefined,
        minutes: () => store.waiting()?.minutes,
        close: router.close,
      };
    },
  },
  {
    system: "eos",
    how: "confirmed_commit",
    text: "vlan 20\n   name NEW\n",
    async start() {
      const { model, port, close } = await startStatefulSwitch(0);
      return {
        open: () => openOn(eos, { port, password, optional_args: { transport: "http" } }, job()),
        running: () => model.running,
        expire: model.expire,
        waits: () => [...model.sessions.values()].some(({ state }) => state === "pendingCommitTimer"),
        minutes() {
          const waiting = [...model.sessions.values()].find(({ state }) => state === "pendingCommitTimer");
          return waiting && Math.round(((waiting.commitBy ?? 0) - model.seconds()) / 60);
        },
        close,
      };
    },
  },
];

const ignore = [/^## Last commit/];

async function pushed(
  { system, text, start }: Kind,
  onTestFinished: TestContext["onTestFinished"],
  hold?: Hold,
) {
  const lab = await start();
  const session = await lab.open();
  onTestFinished(async () => {
    await session.close();
    await lab.close();
  });
  const before = [...lab.running()];
  const tools = { session, system, ignore, another: lab.open, output: () => "", hold };
  const made = await change(text, { replace: false }, tools, job());
  expect(lab.running()).not.toEqual(before);
  return { lab, session, before, change: made };
}

describe.each(kinds)("a push to $system with $how", (kind) => {
  test.concurrent("is rolled back without a pending timer", async ({ onTestFinished }) => {
    const { lab, before, change } = await pushed(kind, onTestFinished);
    expect(change.how).toBe(kind.how);
    expect(change.revertsAt !== undefined).toBe(kind.how === "confirmed_commit");
    await change.undo(job());
    expect(lab.running()).toEqual(before);
    expect(lab.waits?.() ?? false).toBe(false);
  });

  test.concurrent("stays once it is confirmed", async ({ onTestFinished }) => {
    const { lab, change, before } = await pushed(kind, onTestFinished);
    await change.confirm(job());
    expect(lab.waits?.() ?? false).toBe(false);
    expect(lab.running()).not.toEqual(before);
  });

  test.concurrent("is rolled back by another session if the first is lost", async ({ onTestFinished }) => {
    const { lab, session, before, change } = await pushed(kind, onTestFinished);
    await session.close();
    await change.undo(job());
    expect(lab.running()).toEqual(before);
  });
});

test.concurrent.for(kinds.filter(({ how }) => how === "confirmed_commit"))(
  "after $system has reverted a push by itself, a rollback changes nothing else",
  async (kind, { onTestFinished }) => {
    const { lab, before, change } = await pushed(kind, onTestFinished);
    lab.expire?.();
    expect(lab.running()).toEqual(before);
    await change.undo(job());
    expect(lab.running()).toEqual(before);
  },
);

const hold = { seconds: 600, fingerprint: (text: string) => createHash("sha256").update(text).digest("hex") };

describe.each(kinds.filter(({ how }) => how === "confirmed_commit"))(
  "a push to $system that is left open",
  (kind) => {
    async function left(onTestFinished: TestContext["onTestFinished"]) {
      const { lab, before, change, session } = await pushed(kind, onTestFinished, hold);
      await session.close();
      const other = await lab.open();
      onTestFinished(() => other.close());
      expect(change.open).toMatch(/^\{"before":"[0-9a-f]{64}","after":"[0-9a-f]{64}"/);
      const again = () => reopen(change.open ?? "", { session: other, ignore, hold }, job());
      return { lab, before, again, other };
    }

    test.concurrent("is confirmed by another session", async ({ onTestFinished }) => {
      const { lab, before, again } = await left(onTestFinished);
      const open = await again();
      expect(open.running).toBe("pushed");
      await open.confirm(job());
      expect(lab.waits?.()).toBe(false);
      expect(lab.running()).not.toEqual(before);
    });

    test.concurrent("is cancelled by another session", async ({ onTestFinished }) => {
      const { lab, before, again } = await left(onTestFinished);
      await (await again()).undo(job());
      expect(lab.running()).toEqual(before);
      expect(lab.waits?.()).toBe(false);
      expect((await again()).running).toBe("before");
    });

    test.concurrent.for(["confirm", "undo", "expire"] as const)(
      "waits on if its timer starts anew, twice, and then: %s",
      async (word, { onTestFinished }) => {
        const { lab, before, again } = await left(onTestFinished);
        await (await again()).extend?.(900, job());
        expect(lab.minutes?.()).toBe(15);
        const open = await again();
        expect(open.running).toBe("pushed");
        await open.extend?.(1_200, job());
        expect(lab.minutes?.()).toBe(20);
        if (word === "expire") lab.expire?.();
        else await (await again())[word](job());
        expect(lab.waits?.()).toBe(false);
        if (word === "confirm") expect(lab.running()).not.toEqual(before);
        else expect(lab.running()).toEqual(before);
      },
    );

    test.concurrent("gets no timer once it has come back by itself", async ({ onTestFinished }) => {
      const { lab, before, again } = await left(onTestFinished);
      const late = await again();
      lab.expire?.();
      await expect(late.extend?.(900, job())).rejects.toMatchObject({ kind: "CommandError" });
      expect(lab.waits?.()).toBe(false);
      expect(lab.running()).toEqual(before);
    });

    test.concurrent("comes back by itself, and is then not confirmed", async ({ onTestFinished }) => {
      const { lab, before, again } = await left(onTestFinished);
      const late = await again();
      lab.expire?.();
      expect(lab.running()).toEqual(before);
      expect((await again()).running).toBe("before");
      // Some answer a confirmation that comes too late as one in time: what runs afterwards tells.
      await late.confirm(job()).catch((error) => expect(error).toMatchObject({ kind: "CommandError" }));
      expect(lab.running()).toEqual(before);
      expect((await again()).running).toBe("before");
    });
  },
);

test("the rollback method is known before connecting, and a dry run has none", () => {
  expect(kinds.map(({ system }) => undoWay(system, {}))).toEqual([
    "replace",
    "replace",
    "checkpoint",
    "confirmed_commit",
    "rollback",
    "rollback",
    "confirmed_commit",
  ]);
  expect(undoWay("junos", { dry_run: true })).toBeUndefined();
});

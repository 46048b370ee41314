/** Rolling back or keeping a push, on simulated devices that delay and fragment their output. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { CliSession } from "../../../../src/plugin/kit/cli.ts";
import { push } from "../open-options.ts";
import { simulatedTerminal, type TerminalOptions } from "../simulated-terminal.ts";
import { testContext } from "../test-context.ts";

const archive = {
  "show archive":
    "The maximum archive configurations allowed is 10.\nThere are currently 1 archive configurations saved.\nThe next archive file will be named flash:archive-2",
};

interface Kind {
  readonly title: string;
  readonly platform: string;
  readonly way: string;
  readonly lines: readonly string[];
  readonly adds: string;
  readonly more?: TerminalOptions;
}

const interfaceLines = ["interface Loopback7", "description pushed"];
const kinds: readonly Kind[] = [
  {
    title: "IOS, a saved copy",
    platform: "cisco_ios",
    way: "replace",
    lines: interfaceLines,
    adds: " description pushed",
  },
  {
    title: "IOS with an archive, a timer",
    platform: "cisco_ios",
    way: "confirmed_commit",
    lines: interfaceLines,
    adds: " description pushed",
    more: { answers: archive },
  },
  {
    title: "NX-OS, a checkpoint",
    platform: "cisco_nxos",
    way: "checkpoint",
    lines: ["interface loopback7", "description pushed"],
    adds: "  description pushed",
  },
  {
    title: "IOS XR, a commit on trial",
    platform: "cisco_xr",
    way: "confirmed_commit",
    lines: ["interface Loopback7", "description pushed"],
    adds: " description pushed",
  },
  {
    title: "EOS, a session with a timer",
    platform: "arista_eos",
    way: "confirmed_commit",
    lines: ["interface Loopback7", "description pushed"],
    adds: "   description pushed",
  },
  {
    title: "Junos, a confirmed commit",
    platform: "juniper_junos",
    way: "confirmed_commit",
    lines: ["set system location pushed"],
    adds: "set system location pushed",
  },
];

async function pushed(kind: Kind, more: TerminalOptions = {}) {
  const terminal = simulatedTerminal(kind.platform, { ...kind.more, ...more });
  const { cli, stream } = await terminal.open();
  const ctx = testContext();
  const before = terminal.device.configuration.lines();
  const options = { ...push, save: true };
  const kept = await cli.keep(options, ctx);
  if (kept === undefined) throw new Error("nothing was kept");
  await cli.configure(kind.lines, { ...options, kept }, ctx);
  expect(terminal.device.configuration.lines()).toContain(kind.adds);
  return { ...terminal, cli, stream, ctx, before, options, kept };
}

/** Nothing that we stored is left on the device. */
function nothingLeft(device: Awaited<ReturnType<typeof pushed>>["device"]): void {
  expect(device.kept.copies.size).toBe(0);
  expect(device.kept.candidates.size).toBe(0);
  expect(device.kept.trial()).toBeUndefined();
}

async function answers(cli: CliSession): Promise<void> {
  const ctx = testContext();
  await cli.toLevel(cli.home(), ctx);
  expect(await cli.send("show version", {}, ctx)).not.toMatch(/Invalid/);
  expect(await cli.reusable(ctx)).toBe(true);
}

describe.each(kinds)("$title", (kind) => {
  test.concurrent.each([
    ["at once", 0, {}],
    ["after 15 ms, in pieces", 15, { cutSeed: 7 }],
    ["after 800 ms", { line: 15, command: 15, commit: 800, save: 800 }, { cutSeed: 11 }],
  ])("restores the configuration if the device answers %s", async (_, thinking, faults) => {
    const { cli, ctx, device, before, kept } = await pushed(kind, { thinking, faults });
    expect(kept.undo.way).toBe(kind.way);
    expect(await cli.send("show version", {}, ctx)).not.toMatch(/Invalid/);
    await cli.undo(kept, ctx);
    expect(device.configuration.lines()).toEqual(before);
    expect(device.startup).toEqual(before);
    expect(ctx.warnings).toEqual([]);
    nothingLeft(device);
    await answers(cli);
  });

  test.concurrent("keeps the change when confirmed, and saves it only then", async () => {
    const { cli, ctx, device, before, options, kept } = await pushed(kind);
    expect(device.startup).toEqual(before);
    await cli.confirm(kept, options, ctx);
    nothingLeft(device);
    expect(device.configuration.lines()).toContain(kind.adds);
    if (kind.platform !== "cisco_xr" && kind.platform !== "juniper_junos") {
      expect(device.startup).toContain(kind.adds);
    }
    await answers(cli);
  });

  test.concurrent("reverts the lines before a refused one", async () => {
    const terminal = simulatedTerminal(kind.platform, kind.more);
    const { cli } = await terminal.open();
    const ctx = testContext();
    const before = terminal.device.configuration.lines();
    const kept = await cli.keep(push, ctx);
    if (kept === undefined) throw new Error("nothing was kept");
    await expect(cli.configure([...kind.lines, "bogus line"], { ...push, kept }, ctx)).rejects.toMatchObject({
      kind: "CommandError",
    });
    await cli.undo(kept, ctx);
    expect(terminal.device.configuration.lines()).toEqual(before);
    nothingLeft(terminal.device);
  });

  test.concurrent("works in a new session if the first one is lost", async () => {
    const { open, stream, device, before, kept } = await pushed(kind);
    stream.lose();
    const { cli } = await open();
    await cli.undo(kept, testContext());
    expect(device.configuration.lines()).toEqual(before);
    nothingLeft(device);
  });
});

describe("a rollback", () => {
  const kindOf = (platform: string) => {
    const found = kinds.find((kind) => kind.platform === platform);
    if (found === undefined) throw new Error(platform);
    return found;
  };

  test("is impossible without a saved copy, so nothing is pushed", async () => {
    const { open, device, entered } = simulatedTerminal("cisco_ios", {
      refuses: /^copy running-config/,
    });
    const { cli } = await open();
    const before = device.configuration.lines();
    await expect(cli.keep(push, testContext())).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("nothing was pushed"),
      detail: { outcome: "none" },
    });
    expect(device.configuration.lines()).toEqual(before);
    expect(entered).not.toContain("configure terminal");
  });

  test("fails with the remaining difference if the saved copy is gone", async () => {
    const { cli, device, kept, ctx } = await pushed(kindOf("cisco_ios"));
    device.kept.copies.clear();
    await expect(cli.undo(kept, ctx)).rejects.toMatchObject({
      message: expect.stringMatching(/was not rolled back: .*\n\+ interface Loopback7/),
      detail: { outcome: "none" },
    });
    expect(device.configuration.lines()).toContain(" description pushed");
  });

  test("does not revert another user's commit on Junos", async () => {
    const { cli, device, kept, ctx, open } = await pushed(kindOf("juniper_junos"));
    const other = await open();
    await other.cli.configure(["set system location others"], push, testContext());
    await expect(cli.undo(kept, ctx)).rejects.toMatchObject({
      message: expect.stringContaining("+ set system location others"),
      detail: { outcome: "none" },
    });
    expect(device.configuration.lines()).toContain("set system location others");
  });

  test("on IOS XR can run show commands while the commit awaits its confirmation", async () => {
    const { cli, kept, ctx, entered, options } = await pushed(kindOf("cisco_xr"));
    expect(await cli.send("show version", {}, ctx)).toContain("Cisco IOS XR");
    await cli.toLevel(cli.home(), ctx);
    expect(cli.level()).toBe("config");
    expect(entered).toContain("do show version");
    expect(await cli.reusable(ctx)).toBe(false);
    await cli.confirm(kept, options, ctx);
    expect(cli.level()).toBe(cli.home());
  });

  test("is not prepared for a dry run or an uncommitted push", async () => {
    const { open, entered } = simulatedTerminal("juniper_junos");
    const { cli } = await open();
    expect(await cli.keep({ ...push, dryRun: true }, testContext())).toBeUndefined();
    expect(await cli.keep({ ...push, commit: false }, testContext())).toBeUndefined();
    expect(entered).not.toContain("show configuration");
  });
});

describe("a device whose confirmation time has expired", () => {
  test.concurrent.each(kinds.filter(({ way }) => way === "confirmed_commit"))(
    "has reverted the change by itself: $title",
    async (kind) => {
      const { cli, ctx, device, before, kept } = await pushed(kind);
      expect(kept.revertsAt).toBeGreaterThan(Date.now());
      device.kept.revert();
      expect(device.configuration.lines()).toEqual(before);
      await cli.undo(kept, ctx);
      expect(device.configuration.lines()).toEqual(before);
    },
  );
});

describe.each(kinds.filter(({ way }) => way === "confirmed_commit"))("$title, left open", (kind) => {
  const fingerprint = (text: string) => createHash("sha256").update(text).digest("hex");

  async function left() {
    const held = await pushed(kind);
    const open = await held.cli.leaveOpen(held.kept, fingerprint, held.ctx);
    return { ...held, reach: held.open, open };
  }

  test.concurrent("is confirmed or cancelled by another session, where the timer outlives the first", async () => {
    for (const word of ["confirm", "undo"] as const) {
      const { open, reach, device, before, stream, options } = await left();
      if (kind.platform === "cisco_xr") return expect(open).toBeUndefined();
      if (open === undefined) return expect.unreachable();
      stream.lose();
      const { cli } = await reach();
      const ctx = testContext();
      const { kept, running } = await cli.reopen(open, fingerprint, ctx);
      expect(running).toBe("pushed");
      await (word === "confirm" ? cli.confirm(kept, options, ctx) : cli.undo(kept, ctx));
      nothingLeft(device);
      expect(device.configuration.lines().includes(kind.adds)).toBe(word === "confirm");
      if (word === "undo") expect(device.configuration.lines()).toEqual(before);
      await answers(cli);
    }
  });

  test.concurrent("waits on if its timer starts anew, where the platform knows how", async () => {
    for (const word of ["confirm", "undo"] as const) {
      const { open, reach, device, before, stream, options } = await left();
      if (open === undefined) return expect(kind.platform).toBe("cisco_xr");
      stream.lose();
      const { cli } = await reach();
      const ctx = testContext();
      const first = await cli.reopen(open, fingerprint, ctx);
      // Its `rollback 1` would go back to the push itself.
      if (kind.platform === "juniper_junos") {
        await expect(cli.extend(first.kept, 1_200, ctx)).rejects.toMatchObject({
          detail: { outcome: "none" },
        });
        continue;
      }
      await cli.extend(first.kept, 1_200, ctx);
      expect(device.kept.trial()).toMatchObject({ minutes: 20 });
      const { kept, running } = await cli.reopen(open, fingerprint, ctx);
      expect(running).toBe("pushed");
      await (word === "confirm" ? cli.confirm(kept, options, ctx) : cli.undo(kept, ctx));
      nothingLeft(device);
      expect(device.configuration.lines().includes(kind.adds)).toBe(word === "confirm");
      if (word === "undo") expect(device.configuration.lines()).toEqual(before);
      await answers(cli);
      await expect(cli.extend(kept, 1_200, ctx)).rejects.toMatchObject({ kind: "CommandError" });
      expect(device.kept.trial()).toBeUndefined();
    }
  });

  test.concurrent("is not touched if it has come back by itself, or somebody else has changed it", async () => {
    const { open, device, cli, ctx } = await left();
    if (open === undefined) return expect(kind.platform).toBe("cisco_xr");
    device.kept.revert();
    expect((await cli.reopen(open, fingerprint, ctx)).running).toBe("before");
    const others =
      kind.platform === "juniper_junos" ? ["set system location others"] : ["ntp server 192.0.2.77"];
    await cli.configure(others, push, ctx);
    expect((await cli.reopen(open, fingerprint, ctx)).running).toBe("other");
  });
});

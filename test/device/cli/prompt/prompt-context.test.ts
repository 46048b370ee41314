/** A push ends in the context where it began; a kept session carries no context from one job to the next. */

import { describe, expect, test } from "vitest";
import { builtins } from "../../../../plugins/index.ts";
import cisco from "../../../../plugins/platforms/cisco.ts";
import firewalls from "../../../../plugins/platforms/cisco-asa.ts";
import srl from "../../../../plugins/platforms/nokia-srl.ts";
import { createFreshShells } from "../../../../src/device/cli/fresh-shell.ts";
import { type OpenOptions, openCliSession } from "../../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../../src/plugin/platform.ts";
import { fakeStream } from "../fake-stream.ts";
import { openOptions, push } from "../open-options.ts";
import { pausingDevice } from "../pausing-device.ts";
import { router } from "../router-platform.ts";
import { deviceWith } from "../scripted-devices.ts";
import { testContext } from "../test-context.ts";

const builtin = (name: string) =>
  builtins.find((plugin): plugin is PlatformPlugin => plugin.kind === "platform" && plugin.name === name) ??
  router;

async function opened(stream: OpenOptions["stream"], platform: PlatformPlugin = router) {
  const ctx = testContext();
  const session = await openCliSession(openOptions(stream, { platform }), ctx);
  return { session, ctx };
}

const config = { "configure terminal": "R1(config)#", end: "R1#", exit: "R1#" };

describe("a line that leaves configuration mode", () => {
  const lines = ["hostname R1", "exit", "reload", "write memory"];

  test("ends the push with an error that names line, prompt and unsent lines", async () => {
    const device = deviceWith("R1#", config);
    const { session, ctx } = await opened(device.stream);
    await expect(session.configure(lines, push, ctx)).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringMatching(/"exit" left the configuration, to the prompt "R1#": 2 lines/),
      detail: { command: "exit", prompt: "R1#", unsent: ["reload", "write memory"] },
    });
    expect(device.lines).not.toContain("reload");
    expect(await session.reusable(ctx)).toBe(true);
  });

  test("ends the push with an error in pipelined lines too", async () => {
    const device = deviceWith("R1#", config);
    const { session, ctx } = await opened(device.stream, { ...router, pipelines: true });
    const pushing = session.configure(lines, { ...push, verifyEcho: false }, ctx);
    await expect(pushing).rejects.toMatchObject({ kind: "CommandError" });
    expect(device.lines).not.toContain("reload");
  });

  test("is accepted with allow_exit, or as the last line", async () => {
    const device = deviceWith("R1#", config);
    const { session, ctx } = await opened(device.stream);
    await session.configure(lines, { ...push, allowExit: true }, ctx);
    await session.configure(["hostname R1", "end"], push, ctx);
    expect(device.lines.slice(-4)).toEqual(["write memory", "configure terminal", "hostname R1", "end"]);
  });
});

const asa = {
  ...router,
  context: { pattern: /\/(\w+)(?=[>#(])/, enter: "changeto context {context}", leave: "changeto system" },
  levels: {
    ...router.levels,
    privileged: { prompt: /[\w./-]{1,63}#\s?/, from: "exec", enter: "enable", leave: "disable" },
    config: { ...router.levels.config, prompt: /[\w./-]{1,63}\(config[^)]*\)#\s?/ },
  },
} as PlatformPlugin;

describe("a context that a job entered", () => {
  test("is left before the session serves the next job", async () => {
    const device = deviceWith("fw#", { "changeto context CTX1": "fw/CTX1#", "changeto system": "fw#" });
    const { session, ctx } = await opened(device.stream, asa);
    await session.send("changeto context CTX1", {}, ctx);
    expect(session.prompt()).toBe("fw/CTX1#");
    expect(await session.reusable(ctx)).toBe(true);
    expect(session.prompt()).toBe("fw#");
  });

  test("is entered again if the login landed in it", async () => {
    const modes = { "changeto context B": "fw/B#", "changeto context A": "fw/A#", "changeto system": "fw#" };
    const { session, ctx } = await opened(deviceWith("fw/A#", modes).stream, asa);
    await session.send("changeto context B", {}, ctx);
    expect(await session.reusable(ctx)).toBe(true);
    expect(session.prompt()).toBe("fw/A#");
  });

  test("is left on SR Linux, which keeps the context of a closed candidate", async () => {
    const at = (mode: string, place: string) => `--{ ${mode} }--[ ${place} ]--\r\nA:R1# `;
    const device = deviceWith(at("running", ""), {
      "enter candidate private": at("candidate private private-u", ""),
      "interface ethernet-1/1": at("* candidate private private-u", "interface ethernet-1/1"),
      "discard now": at("+ running", "interface ethernet-1/1"),
      "/": at("+ running", ""),
    });
    const { session, ctx } = await opened(device.stream, srl);
    await session.configure(["interface ethernet-1/1"], push, ctx);
    expect(session.prompt()).toContain("--[  ]--");
  });

  test("ends the session if a push failed inside it", async () => {
    const blocks: PlatformPlugin = {
      ...router,
      levels: { privileged: { prompt: /R1 (?:\(\w+\) )?#/ } },
      config: undefined,
      context: { pattern: /\((\w+)\) #/, leave: "end" },
    } as unknown as PlatformPlugin;
    const reactions = { "config port": "R1 (port) #", end: "R1 #", bogus: { says: "% Invalid input\n" } };
    const device = deviceWith("R1 #", reactions);
    const { session, ctx } = await opened(device.stream, blocks);
    const failing = session.configure(["config port", "bogus"], push, ctx);
    await expect(failing).rejects.toMatchObject({ kind: "CommandError" });
    expect(await session.reusable(ctx)).toBe(false);
    expect(device.lines).not.toContain("end");
  });

  test("ends the session if no command leads back", async () => {
    const { session, ctx } = await opened(deviceWith("fw#", { "go A": "fw/A#" }).stream, asa);
    await session.send("go A", {}, ctx);
    expect(await session.reusable(ctx)).toBe(false);
    const other = await opened(deviceWith("R1#", { "go there": "R2#" }).stream);
    await other.session.send("go there", {}, other.ctx);
    expect(await other.session.reusable(other.ctx)).toBe(false);
  });

  test("fails a push that ends in it, after an attempt to leave", async () => {
    const modes = { "configure terminal": "R1(config)#", end: "R1(x)#", sub: "R1(config-x)#" };
    const inX = { ...router.levels, privileged: { ...router.levels.privileged, prompt: /R1(?:\(x\))?#/ } };
    const { session, ctx } = await opened(deviceWith("R1#", modes).stream, {
      ...router,
      levels: inX,
    } as PlatformPlugin);
    await expect(session.configure(["sub"], push, ctx)).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining('the session ended at "R1(x)#"'),
    });
    expect(await session.reusable(ctx)).toBe(false);
  });

  test("is not assumed after a changed host name, but the session is not kept", async () => {
    const modes = { ...config, "hostname R2": "R2(config)#", end: "R2#" };
    const { session, ctx } = await opened(deviceWith("R1#", modes).stream);
    await session.configure(["hostname R2"], push, ctx);
    expect(session.prompt()).toBe("R2#");
    expect(await session.reusable(ctx)).toBe(false);
  });
});

describe("a counter, a clock or a load in the prompt", () => {
  const checkpoint = builtin("checkpoint_gaia");
  const a10 = builtin("a10");
  test.each([
    ["a counter where others have a virtual system", checkpoint, (n: number) => `gw:${n}> `],
    ["a counter in brackets", a10, (n: number) => `ax[${n}]#`],
    ["a clock in brackets", a10, (n: number) => `ax[10:${10 + n}]#`],
    ["a load in brackets", a10, (n: number) => `ax[0.${10 + n}]#`],
    ["a counter at the end", router, (n: number) => `R1.${n}#`],
  ] as const)("%s is no context: nothing is typed to leave it", async (_, platform, prompt) => {
    let commands = 10;
    const device = pausingDevice({
      prompt: () => prompt(commands++),
      echoes: "editor",
      outputs: {},
    });
    const { session, ctx } = await opened(device.stream, platform);
    for (const command of ["show a", "show b", "show c"])
      expect(await session.send(command, {}, ctx)).toBe(`output of ${command}`);
    expect(await session.reusable(ctx)).toBe(true);
    await session.configure(["a line"], { ...push, enterConfig: false }, ctx);
    expect(await session.reusable(ctx)).toBe(true);
    const typed = device.lines.filter((line) => !/^(?:|show .|a line)$/.test(line));
    expect(typed).toEqual([...(platform.prepare ?? []), ...(platform.prepareAt?.commands ?? [])]);
  });

  test("a virtual system is still one", async () => {
    const device = deviceWith("gw:0> ", {
      "set virtual-system 3": "gw:3> ",
      "set virtual-system 0": "gw:0> ",
    });
    const { session, ctx } = await opened(device.stream, checkpoint);
    await session.send("set virtual-system 3", {}, ctx);
    expect(await session.reusable(ctx)).toBe(true);
    expect(device.lines).toContain("set virtual-system 0");
  });
});

describe("a kept shell", () => {
  test("is a new one for each job on the same connection", async () => {
    let shells = 0;
    const open = async () => {
      shells++;
      return (await opened(deviceWith("R1#").stream)).session;
    };
    let ended = 0;
    const session = createFreshShells({ first: await open(), open, end: async () => void ended++ });
    const ctx = testContext();
    expect(await session.reusable(ctx)).toBe(true);
    expect(shells).toBe(1);
    await session.send("umask 0", {}, ctx);
    expect(await session.reusable(ctx)).toBe(true);
    expect(shells).toBe(2);
    await session.close();
    expect(ended).toBe(1);
  });

  test("ends with the first job if no other shell can be opened", async () => {
    const first = (await opened(deviceWith("R1#").stream)).session;
    const session = createFreshShells({ first, end: async () => {} });
    const ctx = testContext();
    await session.send("export A=1", {}, ctx);
    expect(await session.reusable(ctx)).toBe(false);
  });
});

test("the reason of a failed commit is queried before the candidate is cleared", async () => {
  const xr = cisco.find(({ name }) => name === "cisco_xr") as PlatformPlugin;
  const name = "RP/0/RP0/CPU0:R1";
  const device = deviceWith(`${name}#`, {
    "configure terminal": `${name}(config)#`,
    end: `${name}#`,
    commit: { says: "% Failed to commit one or more configuration items.\n" },
    "show configuration failed": { says: "!!% interface Loop9: 'no such VRF'\n" },
  });
  const { session, ctx } = await opened(device.stream, xr);
  await expect(session.configure(["vrf x"], push, ctx)).rejects.toMatchObject({
    kind: "CommandError",
    message: expect.stringContaining("no such VRF"),
  });
  expect(device.lines.slice(-4)).toEqual(["commit", "show configuration failed", "clear", "end"]);
});

test("input that a device keeps in its line editor after a refusal is cleared", async () => {
  const ftd = firewalls.find(({ name }) => name === "cisco_ftd") as PlatformPlugin;
  const lines: string[] = [];
  let editor = "";
  const stream = fakeStream((text) => {
    for (const char of text) {
      if (char === "\x15") {
        stream.feed("\b \b".repeat(editor.length));
        editor = "";
      } else if (char !== "\n") {
        editor += char;
        stream.feed(char);
      } else if (editor.startsWith("show bogus")) {
        lines.push(editor);
        stream.feed(`\r\n              ^\r\nSyntax error: Illegal command line\r\n> ${editor}`);
      } else {
        lines.push(editor);
        stream.feed(`\r\n${editor === "" ? "" : `output of ${editor}\r\n`}> `);
        editor = "";
      }
    }
  });
  stream.feed("> ");
  const { session, ctx } = await opened(stream, ftd);
  expect(await session.send("show bogus", { refusals: "warn" }, ctx)).toContain("Illegal command line");
  expect(await session.send("show version", {}, ctx)).toBe("output of show version");
  expect(ctx.warnings).toEqual([expect.stringContaining("show bogus")]);
  expect(lines.slice(-2)).toEqual(["show bogus", "show version"]);
});

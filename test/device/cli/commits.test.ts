/**
 * Commits and saves of built-in platforms: their questions, their failure messages, and leaving configuration
 * mode afterwards.
 */

import { describe, expect, test } from "vitest";
import routers from "../../../plugins/platforms/cisco.ts";
import ericsson from "../../../plugins/platforms/ericsson.ts";
import comware from "../../../plugins/platforms/hp.ts";
import huawei from "../../../plugins/platforms/huawei.ts";
import junos from "../../../plugins/platforms/juniper.ts";
import sros from "../../../plugins/platforms/nokia-sros.ts";
import panos from "../../../plugins/platforms/paloalto.ts";
import edgeswitches from "../../../plugins/platforms/ubiquiti.ts";
import vyos from "../../../plugins/platforms/vyos.ts";
import { type OpenOptions, openCliSession } from "../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { fakeStream } from "./fake-stream.ts";
import { openOptions, patient, push } from "./open-options.ts";
import { deviceWith } from "./scripted-devices.ts";
import { testContext } from "./test-context.ts";

function named(platforms: readonly PlatformPlugin[], name: string): PlatformPlugin {
  const platform = platforms.find((one) => one.name === name);
  if (platform === undefined) throw new Error(`there is no ${name}`);
  return platform;
}

async function opened(stream: OpenOptions["stream"], platform: PlatformPlugin) {
  const ctx = testContext();
  return { session: await openCliSession(openOptions(stream, { platform, ...patient }), ctx), ctx };
}

test("a commit that awaits its confirmation is not saved", async () => {
  const edit = "[edit]\r\nadmin@R1# ";
  const device = deviceWith("admin@R1:~$ ", {
    configure: edit,
    "commit-confirm 5": "Proceed ? [confirm][y]",
    y: edit,
    "exit discard": "admin@R1:~$ ",
  });
  const { session, ctx } = await opened(device.stream, vyos);
  await session.configure(["set x y"], { ...push, save: true, commit: { confirmMinutes: 5 } }, ctx);
  expect(device.lines.slice(-3)).toEqual(["commit-confirm 5", "y", "exit discard"]);
  expect(ctx.warnings).toEqual([expect.stringContaining("nothing was saved")]);
});

describe("IOS XR", () => {
  const xr = named(routers, "cisco_xr");
  const exec = "RP/0/RP0/CPU0:R1#";
  const config = "RP/0/RP0/CPU0:R1(config)#";
  const modes = { "configure terminal": config, end: exec, clear: config };
  const lines = ["hostname R1"];

  test("a commit that asks for confirmation gets it", async () => {
    const asks = {
      says: "Mon Nov 23 10:00:00.123 UTC\nThis could be a few minutes if your config is large. ",
      prompt: "Confirm? [y/n][confirm]",
    };
    const device = deviceWith(exec, { ...modes, commit: asks, y: config });
    const { session, ctx } = await opened(device.stream, xr);
    expect(await session.configure(lines, push, ctx)).toMatchObject({ committed: true });
    expect(device.lines.slice(-3)).toEqual(["commit", "y", "end"]);
  });

  test('"commit replace" is answered by the next line, and fails the push without one', async () => {
    const asks = {
      says: "This commit will replace or remove the entire running configuration.\n",
      prompt: "Do you wish to proceed? [no]:",
    };
    const device = deviceWith(exec, { ...modes, "commit replace": asks, yes: config });
    const { session, ctx } = await opened(device.stream, xr);
    await session.configure(["commit replace", "yes"], push, ctx);
    expect(device.lines.slice(-5)).toEqual(["configure terminal", "commit replace", "yes", "commit", "end"]);
    const alone = session.configure(["commit replace"], push, ctx);
    await expect(alone).rejects.toMatchObject({ kind: "CommandError", detail: { matched: asks.prompt } });
  });

  test.each([
    ["without a comment", {}],
    ["with a comment", { comment: "CHG-7" }],
  ])("a commit %s that conflicts with others' commits fails with the device's message", async (_, commit) => {
    const asks = {
      says: "One or more commits have occurred from other\nconfiguration sessions since this session started.\n",
      prompt: "Do you wish to proceed with this commit anyway? [no]:",
    };
    const reactions = { ...modes, commit: asks, "commit comment CHG-7": asks, no: config };
    const device = deviceWith(exec, reactions);
    const { session, ctx } = await opened(device.stream, xr);
    await expect(session.configure(lines, { ...push, commit }, ctx)).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("One or more commits have occurred"),
    });
    expect(device.lines.slice(-2)).toEqual(["clear", "end"]);
  });

  test.each([
    [xr, exec],
    [sros, "\r\n[/]\r\nA:admin@R1# "],
  ])(
    "a confirmed commit is rejected if leaving configuration mode would revert it",
    async (platform, prompt) => {
      const device = deviceWith(prompt, modes);
      const { session, ctx } = await opened(device.stream, platform);
      const before = device.lines.length;
      const pushing = session.configure(lines, { ...push, commit: { confirmMinutes: 5 } }, ctx);
      await expect(pushing).rejects.toMatchObject({ kind: "DriverError" });
      expect(device.lines.length).toBe(before);
    },
  );
});

test("VRP 8 gets the confirmation time in seconds", async () => {
  const device = deviceWith("<R1>", { "system-view": "[~R1]", "sysname R1": "[*R1]", return: "<R1>" });
  const { session, ctx } = await opened(device.stream, named(huawei, "huawei_vrpv8"));
  await session.configure(["sysname R1"], { ...push, commit: { confirmMinutes: 5 } }, ctx);
  expect(device.lines).toContain("commit trial 300");
});

test.each([vyos, named(edgeswitches, "ubiquiti_edgerouter")])(
  "$name: a commit that is locked out by another one fails",
  async (platform) => {
    const edit = "[edit]\r\nadmin@R1# ";
    const locked = "Configuration system temporarily locked due to another commit in progress\n";
    const device = deviceWith("admin@R1:~$ ", {
      configure: edit,
      commit: { says: locked },
      "exit discard": "admin@R1:~$ ",
    });
    const { session, ctx } = await opened(device.stream, platform);
    await expect(session.configure(["set x y"], push, ctx)).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("temporarily locked"),
    });
    expect(device.lines.slice(-2)).toEqual(["discard", "exit discard"]);
  },
);

/** `exit` leaves one level of the configuration, as in its manual, and at the top the configuration itself. */
function panosDevice() {
  const lines: string[] = [];
  const place: string[] = [];
  const prompt = () => (place.length === 0 ? "admin@R1> " : `\r\n[${place.join(" ")}]\r\nadmin@R1# `);
  function run(line: string): string {
    if (line === "configure") place.push("edit");
    else if (line.startsWith("edit ")) place.push(...line.split(" ").slice(1));
    else if (line === "exit") place.pop();
    return line === "commit" ? "Configuration committed successfully\r\n" : "";
  }
  const stream = fakeStream((text) => {
    for (const line of text.split("\n").slice(0, -1)) {
      lines.push(line);
      stream.feed(`${line}\r\n${run(line)}${prompt()}`);
    }
  });
  stream.feed(prompt());
  return { stream, lines };
}

test("PAN-OS is left through each level that the lines entered", async () => {
  const device = panosDevice();
  const { session, ctx } = await opened(device.stream, panos);
  const lines = ["edit deviceconfig system", "set hostname R1"];
  expect(await session.configure(lines, push, ctx)).toMatchObject({ committed: true });
  expect(device.lines.slice(-4)).toEqual(["commit", "exit", "exit", "exit"]);
  expect(session.prompt()).toBe("admin@R1>");
});

test.each([
  ["huawei", named(huawei, "huawei"), "<R1>", "[R1]", "Are you sure to continue? (y/n)[n]:", "y"],
  [
    "ericsson_ipos",
    named(ericsson, "ericsson_ipos"),
    "[local]R1#",
    "[local]R1(config)#",
    "Target file exists, overwrite? ",
    "yes",
  ],
])("%s: the question of a save is answered", async (_, platform, home, config, asks, reply) => {
  const device = deviceWith(home, {
    "system-view": config,
    return: home,
    configure: config,
    end: home,
    commit: { says: "Transaction committed.\n" },
    save: asks,
    "save config": asks,
    [reply]: { says: "Configuration file had been saved successfully\n", prompt: home },
  });
  const { session, ctx } = await opened(device.stream, platform);
  expect(await session.configure(["description x"], { ...push, save: true }, ctx)).toMatchObject({
    saved: true,
  });
  expect(device.lines.at(-1)).toBe(reply);
});

test("a line that answers the previous line's question is typed as the answer", async () => {
  const asks = "Continue? [Y/N]:";
  const device = deviceWith("<R1>", {
    "system-view": "[R1]",
    default: { says: "This command will restore the default settings. ", prompt: asks },
    "reset saved": { says: "This will delete the configuration. ", prompt: asks },
    N: "[R1]",
    Y: { says: "The saved configuration file will be erased. ", prompt: asks },
    return: "<R1>",
  });
  const { session, ctx } = await opened(device.stream, comware);
  const lines = ["default", "N", "reset saved", "Y", "N", "undo shutdown"];
  const { transcript } = await session.configure(lines, push, ctx);
  expect(device.lines.slice(-8)).toEqual(["system-view", ...lines, "return"]);
  expect(transcript).toContain("restore the default settings. Continue? [Y/N]:N\n[R1]");
});

describe("lines that commit and leave configuration mode themselves", () => {
  const edit = "\r\n[edit]\r\nadmin@R1# ";

  test.each([
    ["admin@R1> ", junos, ["set system x", "commit and-quit"]],
    ["admin@R1:~$ ", vyos, ["set system x", "commit", "save", "exit"]],
    ["admin@R1> ", junos, ["configure private", "set system x", "commit and-quit"]],
  ])("are accepted at %j, without another commit", async (prompt, platform, lines) => {
    const enters = { configure: edit, "configure private": edit };
    const device = deviceWith(prompt, { ...enters, "commit and-quit": prompt, exit: prompt });
    const { session, ctx } = await opened(device.stream, platform);
    const options = { ...push, enterConfig: lines[0] !== "configure private" };
    expect(await session.configure(lines, options, ctx)).toMatchObject({ committed: true });
    expect(device.lines.slice(-lines.length)).toEqual(lines);
  });

  test("are rejected in a dry run before anything is sent", async () => {
    const device = deviceWith("admin@R1> ", { configure: edit });
    const { session, ctx } = await opened(device.stream, junos);
    const pushing = session.configure(["set system x", " commit"], { ...push, dryRun: true }, ctx);
    await expect(pushing).rejects.toMatchObject({
      kind: "DriverError",
      message: expect.stringContaining('"commit" commits on its own'),
    });
    expect(device.lines).not.toContain("configure");
  });

  test("are not assumed without configuration mode", async () => {
    const device = deviceWith("admin@R1> ");
    const { session, ctx } = await opened(device.stream, junos);
    const lines = ["request system configuration rescue save"];
    const result = await session.configure(lines, { ...push, enterConfig: false }, ctx);
    expect(result.committed).toBe(false);
    expect(device.lines.at(-1)).toBe(lines[0]);
  });

  test.each([
    ["failed", ["set system x", "commit", "exit"], "Commit failed\n"],
    ["was only a check", ["set system x", "commit check", "exit"], ""],
    ["preceded the last change", ["commit", "set system x", "exit"], ""],
  ])("fail the push if the commit %s", async (_, lines, says) => {
    const prompt = "admin@R1:~$ ";
    const device = deviceWith(prompt, {
      configure: edit,
      commit: { says },
      exit: prompt,
      "exit discard": prompt,
    });
    const { session, ctx } = await opened(device.stream, vyos);
    await expect(session.configure(lines, push, ctx)).rejects.toMatchObject({ kind: "CommandError" });
  });
});

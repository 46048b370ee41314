/**
 * Prompts that match no level of the platform: learned at login, found in an unknown mode, given by the
 * caller.
 */

import { describe, expect, test } from "vitest";
import { type OpenOptions, openCliSession } from "../../../../src/device/cli/session.ts";
import { openOptions, push } from "../open-options.ts";
import { deviceWith } from "../scripted-devices.ts";
import { testContext } from "../test-context.ts";

async function opened(stream: OpenOptions["stream"], more: Partial<OpenOptions> = {}) {
  const ctx = testContext();
  const session = await openCliSession(openOptions(stream, more), ctx);
  return { session, ctx };
}

describe("an unknown prompt", () => {
  test.concurrent.each([
    ["R&D~1#", "privileged"],
    ["R&D~1>", "exec"],
    ["node 7 (Primary)#", "privileged"],
  ])("%j is learnt if it repeats after an empty line, with a warning", async (prompt, level) => {
    const { session, ctx } = await opened(deviceWith(prompt, { enable: prompt }).stream);
    expect(session.prompt()).toBe(prompt);
    expect(session.level()).toBe(level);
    expect(await session.send("show it", {}, ctx)).toBe("");
    expect(ctx.warnings).toEqual([expect.stringContaining(JSON.stringify(prompt))]);
  });

  test.concurrent("leads to the modes of the same device", async () => {
    const modes = { "configure terminal": "R&D~1(config)#", "vlan 5": "R&D~1(config-vlan)#", end: "R&D~1#" };
    const { stream, lines } = deviceWith("R&D~1#", modes);
    const { session, ctx } = await opened(stream);
    await session.configure(["vlan 5"], push, ctx);
    expect(session.prompt()).toBe("R&D~1#");
    expect(lines.slice(-3)).toEqual(["configure terminal", "vlan 5", "end"]);
  });

  test.concurrent.each([
    ["a question", "Do you accept? [y/n]"],
    ["a password prompt", "Password:"],
    ["a pager", "--More--"],
    ["a percentage", "100%"],
    ["a progress message", "R1: 45 %"],
    ["a line of text", "All rights reserved."],
  ])("is not learnt from %s", async (_, text) => {
    const failing = opened(deviceWith(text).stream, { openTimeoutMs: 2500 });
    await expect(failing).rejects.toMatchObject({
      kind: "ReadTimeout",
      message: expect.stringContaining("connection_args.prompt"),
    });
  });

  test.concurrent("is not learnt from a banner that repeats with every line", async () => {
    const noisy = deviceWith("line one\r\nKeep & out>");
    await expect(opened(noisy.stream, { openTimeoutMs: 2500 })).rejects.toMatchObject({
      kind: "ReadTimeout",
    });
  });
});

describe("a mode that the platform does not define", () => {
  test("is recognised by the device's name, and left after the push", async () => {
    const modes = {
      "configure terminal": "R1(config)#",
      "interface 1,3": "R1%if-1,3%#",
      end: "R1#",
    };
    const { stream, lines } = deviceWith("R1#", modes);
    const { session, ctx } = await opened(stream);
    await session.configure(["interface 1,3", "description x"], push, ctx);
    expect(session.prompt()).toBe("R1#");
    expect(lines.slice(-2)).toEqual(["description x", "end"]);
    expect(ctx.warnings).toEqual([expect.stringContaining("R1%if-1,3%#")]);
  });
});

describe("a prompt given by the caller is used", () => {
  test.each([
    ["as text", "((lab)) ready =>"],
    ["as an expression", "\\(\\(\\w+\\)\\) \\w+ =>"],
  ])("%s", async (_, prompt) => {
    const { session, ctx } = await opened(deviceWith("((lab)) ready =>").stream, { prompt });
    expect(session.prompt()).toBe("((lab)) ready =>");
    expect(await session.send("show it", {}, ctx)).toBe("");
    expect(ctx.warnings).toEqual([]);
  });
});

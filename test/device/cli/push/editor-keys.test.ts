/** Keys that a line editor takes for itself reach the device as text, or the line is refused before it is sent. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEditor } from "../../../../src/device/cli/push/editor-keys.ts";
import { openCliSession } from "../../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../../src/plugin/platform.ts";
import { runs } from "../../../support/runs.ts";
import { editorDevice } from "../editor-device.ts";
import { openOptions, patient, push } from "../open-options.ts";
import { router } from "../router-platform.ts";
import { testContext } from "../test-context.ts";

const quoting: PlatformPlugin = { ...router, keys: { "?": "\x16?", "\t": "\x16\t" } };
const open = async (device: ReturnType<typeof editorDevice>, platform: PlatformPlugin) => {
  const ctx = testContext();
  const session = await openCliSession(openOptions(device.stream, { platform, ...patient }), ctx);
  device.lines.length = 0;
  return { session, ctx };
};

describe("a question mark within a line", () => {
  test.each<[string, PlatformPlugin, Parameters<typeof editorDevice>[0], string]>([
    ["behind Ctrl-V", quoting, { quote: "\x16" }, "description who owns this?"],
    ["already behind Ctrl-V", quoting, { quote: "\x16" }, "description who owns this\x16?"],
    [
      "by a key of its own",
      { ...router, keys: { "?": "\x14" } },
      { mark: "\x14" },
      "description who owns this?",
    ],
  ])("is typed %s", async (_, platform, how, line) => {
    const device = editorDevice(how);
    const { session, ctx } = await open(device, platform);
    const { transcript } = await session.configure(["interface Lo1", line, "\tno shutdown"], push, ctx);
    expect(device.lines).toContain("description who owns this?");
    expect(device.lines).toContain(" no shutdown");
    expect(transcript).toContain("R1(config)#description who owns this?\n");
    const grep = "show interfaces | grep -P '^((?!Not).)*$'";
    expect(await session.send(grep, {}, ctx)).toBe(`rows of ${grep}`);
  });

  test("is refused, with nothing sent, where there is no way", async () => {
    const device = editorDevice({});
    const { session, ctx } = await open(device, router);
    const pushed = session.configure(["interface Lo1", "description who?"], push, ctx);
    await expect(pushed).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining('"description who?" contains "?", which the line editor of test_ios'),
      detail: { outcome: "none" },
    });
    await expect(session.send("show x | include a\tb", {}, ctx)).rejects.toThrow("contains a tab");
    expect(device.lines).toEqual([]);
    expect(await session.reusable(ctx)).toBe(true);
  });

  test("at the end of a query asks for help", async () => {
    const device = editorDevice({ quote: "\x16" });
    const { session, ctx } = await open(device, quoting);
    expect(await session.send("show ?", {}, ctx)).toContain("LINE    <cr>");
    expect(device.lines).toEqual(["show "]);
  });
});

describe("a line that the device has read differently", () => {
  const open7 = { ...router, keys: {} };

  test.each([
    ["a key that the editor took", {}, "description who owns this? me", "description who owns this me"],
    ["a character that it dropped", { drops: "ü" }, "description Büro 7", "description Bro 7"],
  ])("stops a push and is told of a query: %s", async (_, how, line, shown) => {
    const device = editorDevice(how);
    const { session, ctx } = await open(device, open7);
    const pushed = session.configure(["interface Lo1", line, "shutdown"], push, ctx);
    const start = shown.slice(0, 14);
    await expect(pushed).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringMatching(new RegExp(`^The device shows the line .* as "${start}`)),
      detail: { command: line, sent: ["interface Lo1", line] },
    });
    expect(device.lines).not.toContain("shutdown");
    await session.configure([line], { ...push, verifyEcho: false }, ctx);
    const query = line.replace("description", "show");
    await session.send(query, {}, ctx);
    expect(ctx.warnings).toEqual([
      expect.stringContaining(`the device shows ${JSON.stringify(query)} as "show `),
    ]);
  });
});

describe("control characters", () => {
  const editor = createEditor({ name: "test_os", controls: "\x04", keyQuotes: '"' });

  test.each([
    ["\x04", undefined],
    ["a\x03b", "Ctrl-C (U+0003)"],
    ["\x1b[A", "ESC (U+001B)"],
    ['say "who?"', undefined],
    ['say "a\\"?"', undefined],
    ['say "a" ?', '"?"'],
  ])("%j is refused unless the platform declares it", (line, named) => {
    const fault = editor.fault(line, "line");
    if (named === undefined) expect(fault).toBeUndefined();
    else expect(fault).toContain(named);
  });
});

test("whatever the line, the device has it as it was given", async () => {
  const char = fc.constantFrom("a", "?", "\t", "\x16", " ", '"', "é", "\x04", "x");
  await fc.assert(
    fc.asyncProperty(fc.array(char, { minLength: 1, maxLength: 12 }), async (chars) => {
      const line = `d${chars.join("")}`.trimEnd();
      const device = editorDevice({ quote: "\x16" });
      const { session, ctx } = await open(device, quoting);
      const given = line.replace(/\x16([\s\S])/g, "$1");
      const refused = await session.configure([line], push, ctx).catch((error: unknown) => error);
      if (refused instanceof Error) expect(device.lines).toEqual([]);
      else expect(device.lines).toContain(given);
    }),
    { numRuns: runs(60) },
  );
});

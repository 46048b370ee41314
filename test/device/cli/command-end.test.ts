/**
 * Promise P150: once the prompt of a session is known, a command ends there, at a prompt that it can have led to, or at
 * one that blank lines brought back. Output that looks like a prompt and pauses is never cut and never shifts into the
 * next answer.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import cisco from "../../../plugins/platforms/cisco.ts";
import linux from "../../../plugins/platforms/linux.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { openOptions, patient, push } from "./open-options.ts";
import { type PausingDevice, pausingDevice } from "./pausing-device.ts";
import { testContext } from "./test-context.ts";

const ios = cisco.find(({ name }) => name === "cisco_ios") as PlatformPlugin;

async function opened(device: PausingDevice, platform: PlatformPlugin) {
  const ctx = testContext();
  const session = await openCliSession(openOptions(device.stream, { platform, ...patient }), ctx);
  return { session, ctx };
}

describe.each([
  ["a device with a line editor", "editor"],
  ["a terminal that echoes what it has not read", "terminal"],
] as const)("on %s, output that pauses is whole", (_, echoes) => {
  test.concurrent.each([
    [linux, "ann@web01:~$ ", "Copying: 45% "],
    [linux, "ann@web01:~$ ", "Amount in $ "],
    [linux, "ann@web01:~$ ", "######## "],
    [linux, "ann@web01:~$ ", "root@web02:~# "],
    [linux, "ann@web01:~$ ", "root@web01:/# "],
    [linux, "ann@web01:~$ ", "# "],
    [linux, "$ ", "Amount in $ "],
    [ios, "R1#", "SW2#"],
    [ios, "R1#", "SW2(config)#"],
    [ios, "R1#", "R1(config)#"],
    [ios, "R1#", "R1>"],
  ] as const)("$1 and $2", async (platform, prompt, text) => {
    const device = pausingDevice({
      prompt: () => prompt,
      echoes,
      outputs: { slow: [text, 2200, "\nall done\n"] },
    });
    const { session, ctx } = await opened(device, platform);
    const got = [await session.send("slow", {}, ctx), await session.send("next", {}, ctx)];
    expect([...got, await session.send("last", {}, ctx)]).toEqual([
      `${text}\nall done`,
      "output of next",
      "output of last",
    ]);
  });
});

describe("a prompt that a command leads to", () => {
  test.each([
    [linux, "ann@web01:~$ ", "cd /tmp", "ann@web01:/tmp$ "],
    [linux, "ann@web01:~$ ", "su", "# "],
    [ios, "R1#", "load x", "SW2#"],
    [ios, "R1#", "tclsh", "R1(tcl)#"],
    [ios, "R1#", "odd", "R1{odd}#"],
  ] as const)(
    "by $2 is found with blank lines, which leave nothing behind",
    async (platform, from, command, to) => {
      let prompt: string = from;
      const device = pausingDevice({
        prompt: () => prompt,
        echoes: "editor",
        outputs: {
          [command]: [
            "done\n",
            () => {
              prompt = to;
            },
          ],
        },
      });
      const { session, ctx } = await opened(device, platform);
      expect(await session.send(command, {}, ctx)).toBe("done");
      expect(session.prompt()).toBe(to.trimEnd());
      expect(await session.send("next", {}, ctx)).toBe("output of next");
    },
  );

  test("a question is never answered by a blank line", async () => {
    const device = pausingDevice({
      prompt: () => "R1#",
      echoes: "editor",
      outputs: { reload: ["SW2#", 2500, "\nProceed with reload? [confirm]", "ask"] },
    });
    const { session, ctx } = await opened(device, ios);
    await expect(session.send("reload", {}, ctx)).rejects.toThrow(/The device asks/);
    expect(device.replies).toEqual([]);
  });
});

test("a push of a login that is root stays root", async () => {
  const device = pausingDevice({
    prompt: () => "root@web01:~# ",
    echoes: "terminal",
    outputs: { slow: ["Copying: 45% ", 1500, "\nall done\n"] },
  });
  const { session, ctx } = await opened(device, linux);
  await session.configure(["slow", "id -un"], push, ctx);
  expect(device.lines.filter((line) => line !== "")).toEqual(["slow", "id -un"]);
});

test("a push is not taken to have left the configuration by what a line puts out", async () => {
  let prompt = "R1#";
  const shows = (next: string) => {
    prompt = next;
  };
  const device = pausingDevice({
    prompt: () => prompt,
    echoes: "editor",
    outputs: {
      "configure terminal": [() => shows("R1(config)#")],
      "do show log": ["R1#", 2200, "show x\n"],
      end: [() => shows("R1#")],
    },
  });
  const { session, ctx } = await opened(device, ios);
  const { transcript } = await session.configure(["do show log", "hostname R1"], push, ctx);
  expect(transcript).toContain("R1#show x\n");
  expect(device.lines.filter((line) => line !== "").slice(-4)).toEqual([
    "configure terminal",
    "do show log",
    "hostname R1",
    "end",
  ]);
});

const piece = fc.constantFrom(
  ...[
    "SW2#",
    "SW2# ",
    "R1(config)#",
    "R1>",
    "[Slot 1]",
    "Copying: 45% ",
    "$ ",
    "# ",
    "mysql> ",
    "> ",
    "100%",
    "text",
  ],
  ...["root@web02:~# ", "ann@web01:/tmp$ ", "admin@fw> ", "\n", "\n", "\n", "line\n", "<SW2>", "####"],
);
const pause = fc.constantFrom(0, 0, 1, 15, 40, 400, 800, 1400);

/**
 * A line end that a device puts out alone, just after a blank line was typed, is what a terminal echoes: without a pause
 * behind it, it is not one.
 */
function stepsOf(parts: readonly (readonly [string, number])[], isEditor: boolean): (string | number)[] {
  const steps: (string | number)[] = [];
  let isAlone = false;
  let text = "";
  for (const [part, pauseMs] of parts) {
    text += part;
    if (pauseMs === 0 || (isEditor && isAlone && text === "\n")) continue;
    steps.push(text, pauseMs);
    [text, isAlone] = ["", true];
  }
  return [...steps, `${text}end\n`];
}

test("P150: whatever the output looks like and wherever it pauses, nothing shifts into the next answer", async () => {
  const output = fc.array(fc.tuple(piece, pause), { minLength: 1, maxLength: 8 });
  const made = fc.record({ output, shell: fc.boolean(), echoes: fc.constantFrom("editor", "terminal") });
  const cases = fc.sample(made, { seed: 150, numRuns: 150 });
  await Promise.all(
    cases.map(async ({ output: parts, shell, echoes }) => {
      const text = `${parts.map(([part]) => part).join("")}end`;
      const steps = stepsOf(parts, echoes === "editor");
      const prompt = shell ? "ann@web01:~$ " : "R1#";
      const device = pausingDevice({
        prompt: () => prompt,
        echoes: echoes as "editor" | "terminal",
        outputs: { slow: steps },
      });
      const { session, ctx } = await opened(device, shell ? linux : ios);
      const got = [
        await session.send("slow", {}, ctx),
        await session.send("next", {}, ctx),
        await session.send("last", {}, ctx),
      ];
      expect({ text, echoes, got }).toEqual({
        text,
        echoes,
        got: [text, "output of next", "output of last"],
      });
    }),
  );
});

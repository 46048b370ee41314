import { describe, expect, test } from "vitest";
import { earlyText } from "../../../../src/device/cli/exchange/answer.ts";
import type { Found } from "../../../../src/device/cli/prompt/prompt.ts";
import { findEcho, withoutPrompt } from "../../../../src/device/cli/text/echo.ts";

const currentPrompt = { level: "privileged", text: "R1#", lines: 1, stem: "R1" };
const afterEcho = (start: string, command: string, head = start) => {
  const end = findEcho(start, head, command, currentPrompt);
  return end === undefined ? undefined : start.slice(end);
};

describe("the echo of a command is removed", () => {
  test.each([
    ["as it was typed", "show clock\n10:00\n", "show clock", "10:00\n"],
    ["with a blank behind it", "show clock \n10:00\n", "show clock", "10:00\n"],
    ["on a new line", "\nshow clock\n10:00\n", "show clock", "10:00\n"],
    [
      "wrapped by the device",
      "show running-config | in\nclude x\nout\n",
      "show running-config | include x",
      "out\n",
    ],
    ["completed by the device", "display version\nVRP\n", "dis ver", "VRP\n"],
    ["of an empty command", "\nR1#", "", "R1#"],
    [
      "behind late output of the command before",
      "rest of it\nR1#show clock\n10:00\n",
      "show clock",
      "10:00\n",
    ],
  ])("%s", (_, start, command, expected) => {
    expect(afterEcho(start, command)).toBe(expected);
  });

  test("even if the line editor redraws it", () => {
    const command = "show running-config | include something-that-is-long";
    const head = `show running-config | inc${"\b".repeat(24)}$ing-config | include som${"\b".repeat(10)}$e x\r\nout\r\n`;
    expect(afterEcho("$e something-that-is-long\nout\n", command, head)).toBe("out\n");
  });

  test.each([
    ["an output without one", "10:00\nR1#", "show clock"],
    ["an output with the same beginning", "showing 5 of 7\n", "show clock"],
    ["an empty output", "", "show clock"],
  ])("but not from %s", (_, start, command) => {
    expect(afterEcho(start, command)).toBeUndefined();
  });
});

test("the prompt is removed with its lines, or from the end of an output line", () => {
  const found = (lines: number, glued = false): Found => ({ prompt: { ...currentPrompt, lines }, glued });
  expect(withoutPrompt("a\nb\n\nR1#", found(1))).toBe("a\nb\n");
  expect(withoutPrompt("a\n\n[edit]\nR1#", found(2))).toBe("a\n");
  expect(withoutPrompt("R1#", found(1))).toBe("");
  expect(withoutPrompt("a\nbR1# ", found(1, true))).toBe("a\nb");
});

describe("late output of the previous command is separated", () => {
  const currentPrompt = { level: "privileged", text: "R1#", lines: 1, stem: "R1" };
  test.each([
    ["show it\nmore\nR1#", "show clock\n", "show it\nmore"],
    ["show it\n", "more\nR1#show clock\n", "show it\nmore"],
    ["", "show it\nmore\nR1#show clock\n", "show it\nmore"],
    ["", "show clock\n", ""],
    ["\n*Mar  1 00:01:02.003: %SYS-5-CONFIG_I: Configured\nR1#", "show clock\n", ""],
    ["\n12:00:01 the fan of unit 2 is back\nR1#", "show clock\n", ""],
    ["a line without a prompt\n", "show clock\n", ""],
  ])("from the next command: %j and %j", (late, beforeOutput, early) => {
    expect(earlyText(late, beforeOutput, currentPrompt)).toBe(early);
  });
});

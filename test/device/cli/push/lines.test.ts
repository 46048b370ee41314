/** Lines of a push as callers write them. */
import { describe, expect, test } from "vitest";
import { linesOf } from "../../../../src/device/cli/push/lines.ts";

describe("the lines of a push", () => {
  test.each([
    [["conf t", "hostname R1"], "configure terminal"],
    [["\nConfigure Terminal\r\nhostname R1\n\n"], "configure terminal"],
    [["system-view", "hostname R1"], "system-view"],
    [["configure", "hostname R1"], "configure"],
  ])("%j are sent without the command that enters configuration mode", (texts, enter) => {
    expect(linesOf(texts, enter)).toEqual(["hostname R1"]);
  });

  test.each([
    [["configure router Base"], "configure"],
    [["sysname R1"], "system-view"],
    [["sy"], "system-view"],
    [["hostname R1", "conf t"], "configure terminal"],
    [["conf t"], undefined],
    [["config"], "configure terminal"],
  ])("%j are sent unchanged if %j enters configuration mode", (texts, enter) => {
    expect(linesOf(texts, enter)).toEqual(texts);
  });
});

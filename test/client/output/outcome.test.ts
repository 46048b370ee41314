/** Exit codes: what has to be looked at on the device, and what only failed. */
import { describe, expect, test } from "vitest";
import { exitCodeOf, exitCodes, mayHaveChanged } from "../../../src/client/output/outcome.ts";

const failed = (sent: readonly string[]) => ({
  host: "192.0.2.1",
  status: "failed" as const,
  result: {
    type: "failed" as const,
    retval: null,
    error: { type: "ConnectionLost", message: "cut", outcome: "unknown" as const, sent: [...sent] },
  },
});

describe("a job that was cut off", () => {
  test.each(["show version", "sh run", "do show clock", "display version", "dir flash:", "ping 192.0.2.1"])(
    "while %j ran has failed",
    (line) => expect(exitCodeOf([failed([line])])).toBe(exitCodes.failed),
  );

  test.each([
    ...["reload", "clear counters", "showtime", "interface Loopback7", "copy run start"],
    ...["show run | redirect tftp://192.0.2.1/x", "show version\nreload", "show version > bootflash:x"],
  ])("while %j ran has an unknown outcome", (line) =>
    expect(exitCodeOf([failed(["show version", line])])).toBe(exitCodes.unknown),
  );

  test("whose lines are not known has an unknown outcome; an error without doubt has none", () => {
    expect(exitCodeOf([failed([])])).toBe(exitCodes.unknown);
    expect(mayHaveChanged({ sent: ["reload"] })).toBe(false);
    expect(mayHaveChanged(undefined)).toBe(false);
  });
});

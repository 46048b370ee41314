/** How messages quote two configurations. */
import { expect, test } from "vitest";
import { differingLines } from "../../../src/base/text/config-text.ts";

test("the difference of two configurations lists extra and missing lines", () => {
  expect(differingLines("a\nb\nb", "a\nb\nc")).toBe("+ b\n- c");
  expect(differingLines("a\nb", "b\na")).toBe("the order of its lines");
});

test("a quoted difference contains no password, hash or community", () => {
  const now = [
    "username ops privilege 15 secret 9 $9$CANARY1$CANARY1CANARY1",
    "snmp-server community CANARY2 ro",
    " neighbor 10.0.0.9 password CANARY3",
    'encrypted-password "$6$CANARY4$CANARY4"; ## SECRET-DATA',
  ].join("\n");
  for (const difference of [differingLines(now, ""), differingLines("", now)]) {
    expect(difference).not.toContain("CANARY");
    expect(difference).toContain("username ops");
    expect(difference).toContain("neighbor 10.0.0.9 password");
  }
});

/** Patterns of hosts: names, wildcards, addresses and ranges. */
import { describe, expect, test } from "vitest";
import { hostMatches } from "../../../src/base/net/host-match.ts";

describe("hostMatches", () => {
  test.each([
    ["10.0.0.0/8", "10.1.2.3", true],
    ["10.0.0.0/8", "11.1.2.3", false],
    ["10.0.0.0/8", "012.1.2.3", false],
    ["*.branch.example", "r1.branch.example", true],
    ["*.branch.example", "r1.other.example", false],
    ["R1", "r1", true],
    ["2001:db8::/32", "2001:DB8::1", true],
    ["10.0.0.1", "::ffff:10.0.0.1", true],
    ["*", "anything", true],
    ["a.c", "abc", false],
  ])("pattern %s against host %s gives %s", (pattern, host, expected) => {
    expect(hostMatches(pattern, host)).toBe(expected);
  });
});

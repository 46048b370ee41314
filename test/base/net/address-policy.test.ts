/** Which addresses may be dialled for a URL. */
import { describe, expect, test } from "vitest";
import { addressAllowed } from "../../../src/base/net/address-policy.ts";

describe("addressAllowed", () => {
  const open = { allow: [], deny: [] };
  test.each([
    "127.0.0.1",
    "127.8.8.8",
    "::1",
    "0.0.0.0",
    "169.254.169.254",
    "fd00:ec2::254",
    "fe80::1",
    "64:ff9b::7f00:1",
    "::ffff:127.0.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "2002:7f00:1::",
    "0177.0.0.1",
    "2130706433",
    "nonsense",
  ])("refuses %s", (address) => {
    expect(addressAllowed(open, address, address)).toBe(false);
  });
  test.each(["10.0.0.1", "192.168.1.1", "172.16.3.4", "93.184.216.34", "2606:4700::1", "fd12:3456::1"])(
    "allows %s",
    (address) => {
      expect(addressAllowed(open, address, address)).toBe(true);
    },
  );
  test("deny takes precedence over allow, and allow over the default", () => {
    expect(addressAllowed({ allow: ["127.0.0.1"], deny: [] }, "x", "127.0.0.1")).toBe(true);
    expect(addressAllowed({ allow: ["127.0.0.1"], deny: ["127.0.0.0/8"] }, "x", "127.0.0.1")).toBe(false);
    expect(addressAllowed({ allow: [], deny: ["*.evil.example"] }, "a.evil.example", "93.184.216.34")).toBe(
      false,
    );
  });
});

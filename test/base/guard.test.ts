import { linkSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addressAllowed, fileBelow } from "../../src/base/guard.ts";
import { hostMatches } from "../../src/base/host-match.ts";

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
  ])("%s against %s: %s", (pattern, host, expected) => {
    expect(hostMatches(pattern, host)).toBe(expected);
  });
});

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
    "takes %s",
    (address) => {
      expect(addressAllowed(open, address, address)).toBe(true);
    },
  );
  test("deny wins over allow, allow over the default", () => {
    expect(addressAllowed({ allow: ["127.0.0.1"], deny: [] }, "x", "127.0.0.1")).toBe(true);
    expect(addressAllowed({ allow: ["127.0.0.1"], deny: ["127.0.0.0/8"] }, "x", "127.0.0.1")).toBe(false);
    expect(addressAllowed({ allow: [], deny: ["*.evil.example"] }, "a.evil.example", "93.184.216.34")).toBe(
      false,
    );
  });
});

describe("fileBelow", () => {
  const base = mkdtempSync(join(tmpdir(), "guard-"));
  const root = join(base, "root");
  mkdirSync(root);
  writeFileSync(join(base, "outside.txt"), "x");
  writeFileSync(join(root, "in.txt"), "x");
  writeFileSync(join(root, "linked.txt"), "x");
  linkSync(join(root, "linked.txt"), join(base, "hard.txt"));
  symlinkSync(join(base, "outside.txt"), join(root, "escape.txt"));
  symlinkSync(base, join(root, "up"));

  test("gives the real path of a file inside", async () => {
    expect(await fileBelow([root], "in.txt", "read")).toBe(join(realpathSync(root), "in.txt"));
    expect(await fileBelow([root], join(root, "in.txt"), "read")).toBe(join(realpathSync(root), "in.txt"));
    expect(await fileBelow([root], "new.txt", "write")).toBe(join(realpathSync(root), "new.txt"));
  });

  test.each([
    "../outside.txt",
    "escape.txt",
    "up/outside.txt",
    "/etc/passwd",
    "/proc/self/environ",
    "in.txt\0",
    "/dev/zero",
    "absent.txt",
    "linked.txt",
    "",
    ".",
    "..",
  ])("refuses %j with one and the same text", async (path) => {
    await expect(fileBelow([root], path, "read")).rejects.toThrow("The path is outside the allowed folders.");
  });

  test("refuses to write through a link that leads out", async () => {
    await expect(fileBelow([root], "escape.txt", "write")).rejects.toThrow("outside");
    await expect(fileBelow([root], "up/new.txt", "write")).rejects.toThrow("outside");
    await expect(fileBelow([], "in.txt", "read")).rejects.toThrow("outside");
  });
});

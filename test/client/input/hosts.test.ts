/** Host syntax on the command line. */
import { describe, expect, test } from "vitest";
import { readHosts } from "../../../src/client/input/hosts.ts";

const names = (text: string) => readHosts(text).map(({ host }) => host);

test.each([
  ["r1", ["r1"]],
  ["r1,r2 r3", ["r1", "r2", "r3"]],
  ["10.0.0.9-11", ["10.0.0.9", "10.0.0.10", "10.0.0.11"]],
  ["sw[08-11].lab", ["sw08.lab", "sw09.lab", "sw10.lab", "sw11.lab"]],
  ["a[1-2]b[1-2]", ["a1b1", "a1b2", "a2b1", "a2b2"]],
  ["10.0.0.5/30", ["10.0.0.5", "10.0.0.6"]],
  ["10.0.0.1/32", ["10.0.0.1"]],
  ["10.0.0.0/31", ["10.0.0.0", "10.0.0.1"]],
  ["2001:db8::1", ["2001:db8::1"]],
])("the host argument %j is expanded", (text, expected) => {
  expect(names(text)).toEqual(expected);
});

test("user and port apply to each host of a range", () => {
  expect(readHosts("ops@sw[1-2]:2222,[2001:db8::1]:22")).toEqual([
    { host: "sw1", port: 2222, username: "ops" },
    { host: "sw2", port: 2222, username: "ops" },
    { host: "2001:db8::1", port: 22 },
  ]);
});

describe("an ambiguous or invalid host argument", () => {
  test.each([
    ["", "No host"],
    ["r1:0", "port"],
    ["r1:ssh", "port"],
    ["@r1", "user"],
    ["10.0.0.9-3", "ends before"],
    ["10.0.0.1-300", "above 255"],
    ["10.0.0.0/8", "more than 10000"],
    ["sw[1-99999]", "more than 10000"],
    ["sw[1-200]x[1-200]", "more than 10000"],
    ["sw[0-9999]x[0-9999]x[0-9999]", "more than 10000"],
    ["300.0.0.0/24", "above 255"],
    ["10.0.0.0/33", "not an IPv4 network"],
    ["r1;reboot", "not a valid host name"],
  ])("is rejected: %j", (text, problem) => {
    expect(() => readHosts(text)).toThrow(problem);
  });
});

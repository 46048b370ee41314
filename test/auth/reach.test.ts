import { describe, expect, test } from "vitest";
import {
  isSameReach,
  keepsHostKey,
  maySeeEntry,
  maySeeJob,
  maySeeWorker,
  outOfReach,
  reachOf,
  requireAddresses,
  requireStatedHost,
  taskReach,
  urlReachOf,
  withoutHosts,
  withSelected,
} from "../../src/auth/reach.ts";

describe("address patterns match addresses, name patterns match names", () => {
  test.each([
    ["127.22.*", "127.22.0.1", true],
    ["127.22.*", "127.23.0.1", false],
    ["127.22.*", "127.22.0.1.nip.io", false],
    ["127.22.*", "127.22.evil.example", false],
    ["127.22.*", "::ffff:127.22.0.1", true],
    ["10.0.0.0/8", "10.evil.example", false],
    ["10.0.0.0/99", "10.0.0.1", false],
    ["10.0.0.0/99", "11.0.0.1", false],
    ["010.0.0.0/8", "10.0.0.1", false],
    ["2001:db8:*", "2001:DB8:0::1", true],
    ["2001:db8:*", "2001:dead::1", false],
    ["*.lab", "r1.LAB.", true],
    ["r*", "10.0.0.1", false],
    ["*.1", "r.1", false],
    ["r1", "R1", true],
    ["0177.0.0.1", "0177.0.0.1", false],
    ["127.0.0.1", "0177.0.0.1", false],
    ["127.0.0.1", "2130706433", false],
    ["", "r1", false],
    ["*", "127.22.evil.example", true],
  ])("%s allows %s: %s", (pattern, host, allowed) => {
    expect(reachOf([pattern]).allows(host)).toBe(allowed);
  });

  test("no patterns allow everything; only invalid patterns allow nothing", () => {
    expect(reachOf([]).allows("anything")).toBe(true);
    expect(reachOf(["10.0.0.0/99", "1.2.3"]).allows("10.0.0.1")).toBe(false);
  });
});

describe("a name that matches no name pattern", () => {
  const reach = reachOf(["10.0.0.0/8", "*.lab"]);

  test("is allowed if all of its addresses are", () => {
    expect(() => requireAddresses(reach, "r1.corp", ["10.1.1.1", "10.2.2.2"])).not.toThrow();
    for (const addresses of [["192.0.2.1"], ["10.1.1.1", "192.0.2.1"], ["192.0.2.1", "10.1.1.1"], []])
      expect(() => requireAddresses(reach, "r1.corp", addresses)).toThrow(/may not reach/);
  });

  test("an allowed name may resolve to any address; an address means itself", () => {
    expect(() => requireAddresses(reach, "r1.lab", ["192.0.2.1"])).not.toThrow();
    expect(() => requireAddresses(reach, "192.0.2.1", ["192.0.2.1"])).toThrow(/may not reach/);
    expect(() => requireAddresses(reachOf(["*.lab"]), "r1.corp", ["10.0.0.1"])).toThrow(/may not reach/);
  });

  test("behind a jump host only the given text counts", async () => {
    expect(() => requireStatedHost(reach, "r1.corp")).toThrow(/may not reach/);
    expect(() => requireStatedHost(reach, "r1.lab")).not.toThrow();
    const resolve = async () => ["10.0.0.1"];
    const named = { path: "connection_args.host", host: "r1.corp" };
    expect(await outOfReach(reach, [named], resolve)).toEqual([]);
    expect(await outOfReach(reach, [{ ...named, remote: true }], resolve)).toHaveLength(1);
    expect(await outOfReach(reach, [named], () => Promise.reject(new Error("no such name")))).toHaveLength(1);
  });
});

describe("visibility", () => {
  const key = { keyId: "k7", hosts: ["10.0.0.0/8"] };
  const free = { keyId: "k8", hosts: [] };

  test("jobs of its hosts, and its own jobs", () => {
    expect(maySeeJob(key, { host: "10.0.0.1", caller: "k8" })).toBe(true);
    expect(maySeeJob(key, { host: "192.0.2.1", caller: "k8" })).toBe(false);
    expect(maySeeJob(key, { host: "r1.corp", caller: "k7" })).toBe(true);
  });

  test("workers of its hosts, but none that serves all hosts", () => {
    expect(maySeeWorker(key, "10.0.0.1")).toBe(true);
    expect(maySeeWorker(key, "192.0.2.1")).toBe(false);
    expect(maySeeWorker(key, undefined)).toBe(false);
    expect(maySeeWorker(free, undefined)).toBe(true);
  });

  test("audit entries of its hosts, and of its own actions", () => {
    expect(maySeeEntry(key, { host: "10.0.0.1", who: "other (k8)" })).toBe(true);
    expect(maySeeEntry(key, { host: "192.0.2.1", who: "other (k8)" })).toBe(false);
    expect(maySeeEntry(key, { host: null, who: "other (k8)" })).toBe(false);
    expect(maySeeEntry(key, { host: null, who: "ours (k7)" })).toBe(true);
    expect(maySeeEntry(free, { host: null, who: "other (k7)" })).toBe(true);
  });
});

test("a limited key may use webhooks and templates on its hosts, and what the operator allowed individually", () => {
  const reach = urlReachOf(["10.0.0.5"], ["hooks.example", "*.cdn.example", "192.0.2.7", "10.0.0.0/8", "*"]);
  for (const host of ["10.0.0.5", "hooks.example", "a.cdn.example", "192.0.2.7"])
    expect([host, reach.allows(host)]).toEqual([host, true]);
  for (const host of ["10.0.0.6", "example.com", "192.0.2.8"])
    expect([host, reach.allows(host)]).toEqual([host, false]);
  expect(urlReachOf([], ["192.0.2.7"]).limited).toBe(false);
});

test("host keys seen through a jump host of a limited key are not stored", () => {
  expect(keepsHostKey(reachOf(["10.0.0.1"]), true)).toBe(false);
  expect(keepsHostKey(reachOf(["10.0.0.1"]), false)).toBe(true);
  expect(keepsHostKey(reachOf([]), true)).toBe(true);
});

describe("a list with devices matched by selectors", () => {
  const hosts = withSelected(["*.lab", "select:site:berlin"], new Set(["10.1.0.1", "r7"]));

  test("reaches those too; a copy of it reaches only its patterns", () => {
    const reach = reachOf(hosts);
    expect(["10.1.0.1", "::ffff:10.1.0.1", "R7.", "x.lab"].filter(reach.allows)).toHaveLength(4);
    expect(["10.1.0.2", "site:berlin", "select:site:berlin"].filter(reach.allows)).toEqual([]);
    // A name that resolves to such an address does not count as one.
    expect(reach.asksAddresses("r9.corp")).toBe(false);
    expect(reachOf([...hosts]).allows("10.1.0.1")).toBe(false);
    expect(reachOf(["select:all"]).limited).toBe(true);
    expect(urlReachOf(hosts, ["hooks.example"]).allows("10.1.0.1")).toBe(true);
  });

  test("passes to a task only the hosts it names, never all", () => {
    expect(taskReach(hosts, ["10.1.0.1", "10.1.0.9"])).toEqual(["*.lab", "10.1.0.1"]);
    const only = withSelected(["select:all"], new Set(["r1", "r2"]));
    expect(taskReach(only, ["r2"])).toEqual(["r2"]);
    expect(reachOf([...taskReach(only, [])]).limited).toBe(true);
    expect(reachOf([...taskReach(only, [])]).allows("r1")).toBe(false);
    expect(taskReach(["10.*"], ["r1"])).toEqual(["10.*"]);
  });

  test("changes when other devices match, which ends open streams", () => {
    const again = withSelected([...hosts], new Set(["r7", "10.1.0.1"]));
    expect(isSameReach(hosts, again)).toBe(true);
    expect(isSameReach(hosts, withSelected([...hosts], new Set(["r7", "10.1.0.2"])))).toBe(false);
    expect(isSameReach(hosts, withSelected([...hosts], new Set(["r7"])))).toBe(false);
    expect(isSameReach(hosts, [...hosts])).toBe(false);
    expect(isSameReach(["r1"], ["r1"])).toBe(true);
  });
});

test.each<[string, string]>([
  ["Connection refused by 10.9.9.9:22", "Connection refused by [host]:22"],
  [
    "Connection to jump.corp:2222 timed out after 20 seconds",
    "Connection to [host]:2222 timed out after 20 seconds",
  ],
  ["Authentication failed for admin@jump.corp", "Authentication failed for admin@[host]"],
  ["Authentication failed for admin@10.1.0.7.", "Authentication failed for admin@10.1.0.7."],
  ["Host key of jump does not match the known one", "Host key of [host] does not match the known one"],
  ["Host name jump-1 cannot be resolved", "Host name [host] cannot be resolved"],
  ["no route from fe80::1 or [2001:db8::9]:22", "no route from [host] or [host]:22"],
  ["r1.lab:22 and 10.1.2.3:22 and own:22 answer", "r1.lab:22 and 10.1.2.3:22 and own:22 answer"],
  [
    "version 15.2(4)E7 at 12:30:05, line 3:12, sum 1.2.3",
    "version 15.2(4)E7 at 12:30:05, line 3:12, sum 1.2.3",
  ],
])("a key that reaches 10.1.0.0/16 and *.lab reads: %s", (text, readable) => {
  const caller = { keyId: "k", hosts: ["10.1.0.0/16", "*.lab"] };
  expect(withoutHosts(caller, text, ["own"])).toBe(readable);
  expect(withoutHosts({ keyId: "k", hosts: [] }, text, [])).toBe(text);
});

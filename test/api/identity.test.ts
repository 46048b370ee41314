/** One name for a device and its queue, however a caller spells it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalHost, hostOfQueue, isHost, pinnedQueue, queueNamed } from "../../src/api/identity.ts";
import { runs } from "../support/runs.ts";

test.each([
  ["Router1.Example.NET.", "router1.example.net"],
  [" r1 ", "r1"],
  ["192.0.2.1", "192.0.2.1"],
  ["[2001:DB8::1]", "2001:db8::1"],
  ["2001:db8:0:0::1", "2001:db8::1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  // Not a plain decimal address: treated as a name, and dialled as given.
  ["0300.0.2.1", "0300.0.2.1"],
  ["192.0.513", "192.0.513"],
])("the host %j has the canonical name %j", (host, name) => {
  expect(canonicalHost(host)).toBe(name);
  expect(pinnedQueue(host)).toBe(`pinned_${name}`);
  expect(hostOfQueue(pinnedQueue(host))).toBe(name);
});

test("canonicalising a host twice changes nothing", () => {
  const host = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string({ maxLength: 30 }));
  fc.assert(
    fc.property(host, (text) => {
      fc.pre(isHost(text));
      expect(canonicalHost(canonicalHost(text))).toBe(canonicalHost(text));
      expect(isHost(canonicalHost(text))).toBe(true);
    }),
  );
});

test.each([
  ["fifo", "fifo"],
  ["FifoQ", "fifo"],
  ["pinned_R1", "pinned_r1"],
  ["pinned-2001:DB8::1", "pinned_2001:db8::1"],
  ["other", "other"],
])("the queue name %j means %j", (text, queue) => expect(queueNamed(text)).toBe(queue));

test.each(["", "a b", "r1;reboot", "-r1", "r1/..", "http://r1", "r1\n", "x".repeat(254)])(
  "%j is rejected as a host",
  (host) => expect(isHost(host)).toBe(false),
);

test("the fast path of canonical names agrees with the full one", () => {
  const letters = fc.constantFrom(..."01259afgzxAZ_-. ".split(""));
  const host = fc.oneof(fc.domain(), fc.ipV4(), fc.string({ unit: letters, maxLength: 16 }));
  fc.assert(
    fc.property(host, (text) => {
      // Brackets are removed, and bypass the fast path.
      expect(canonicalHost(text)).toBe(canonicalHost(`[${text.trim()}]`));
    }),
    { numRuns: runs(300) },
  );
});

import { expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { createDeadline } from "../../src/base/time/deadline.ts";
import { reasonIn } from "../../src/dispatch/rehearse-job.ts";
import type { NativeCheck, Unasked } from "../../src/rehearsal/port.ts";
import { createRehearsals, type RehearsalOptions } from "../../src/rehearsal/rehearsals.ts";

const line = "snmp-server location x";
const platform = { name: "cisco_ios", running: { shape: "indent" } };

const options = {
  store: {
    evidence: { find: async () => [] },
    history: { markKey: async () => "0123456789abcdef" },
    clock: { wall: () => 0 },
  },
  foresights: {
    foresee: async () => ({
      foreseen: {
        lines: [{ line: 1, effect: "adds", path: [], section: "", shape: line, words: line.split(" ") }],
        ...{ there: [], lockouts: [], predicted: undefined, reverse: [], isProven: undefined },
      },
      ...{ lines: [line], known: undefined, why: "there is none" },
    }),
  },
  ...{ inventory: {}, iso: String, platform: () => platform, driver: () => undefined },
  addressesOf: async () => ({ hosts: [], locals: [] }),
};

const rehearse = (native: Partial<NativeCheck> | Unasked, comparesSecrets = true) =>
  createRehearsals(options as unknown as RehearsalOptions).rehearse(
    {
      ...{ device: null, host: "192.0.2.1", via: undefined, platform: "cisco_ios", driver: "napalm" },
      ...{ connection: { username: "u" }, lines: [line], shows: true, comparesSecrets },
      native: "because" in native ? native : { refused: new Map(), difference: undefined, ...native },
      commits: false,
    },
    { share: "k", job: true, deadline: createDeadline(10_000, () => new ServiceError("JobTimeout", "late")) },
  );

test("secrets in what the device has said of its configuration are marks", async () => {
  const { device_diff } = await rehearse({ difference: "-snmp-server community s3cretWord RO\n+hostname a" });
  expect(device_diff).toMatch(/-snmp-server community <secret [0-9a-f]{6}> RO\n\+hostname a/);
  const { lines } = await rehearse({ refused: new Map([[1, "snmp-server community s3cretWord RO"]]) });
  expect(JSON.stringify(lines)).not.toContain("s3cretWord");
  expect(lines[0]?.grade).toBe("refused");
});

test("without the right to read secrets their marks tell nothing of which they are", async () => {
  const difference = "-snmp-server community s3cretWord RO\n+snmp-server community guess RO";
  const { device_diff } = await rehearse({ difference }, false);
  expect(device_diff).toBe(
    "-snmp-server community <secret hidden> RO\n+snmp-server community <secret hidden> RO",
  );
});

test("a check that the device refused as a whole is told, and no line counts as checked", async () => {
  const words = "snmp-server community s3cretWord RO is another one";
  const { lines, not_asked } = await rehearse({ because: "not_taken", words });
  expect(lines[0]?.grade).toBe("unknown");
  expect(not_asked).toEqual([
    {
      ...{ what: "check", because: "not_taken" },
      why: expect.stringMatching(/^it did not take the lines into its own check: snmp-server.*<secret/),
    },
  ]);
  expect(JSON.stringify(not_asked)).not.toContain("s3cretWord");
});

test.each([
  ["Other sessions are changing the configuration of the switch (s7).", "locked"],
  ["The device's configuration is locked by another session: session 7.", "locked"],
  ["A commit on the switch is waiting for confirmation (session s7).", "locked"],
  ["Configuration system temporarily locked due to another commit in progress", "locked"],
  ["The candidate on the device contains uncommitted changes of others.", "changed"],
  ["The device's configuration is locked by another session: configuration database modified.", "changed"],
  ["error: the gizmo was blocked", "not_taken"],
])("%s: %s", (words, reason) => {
  expect(reasonIn(words)).toBe(reason);
});

/** Results of a discovery: which devices to probe again, and which platform can be accepted. */
import { describe, expect, test } from "vitest";
import {
  type Findings,
  openNames,
  proposedPlatform,
  selectorOf,
  withAnswers,
} from "../../src/console/pages/inventory/findings.ts";
import type { JobRow } from "../../src/console/shapes/shapes.ts";

const begun = "2026-01-31T08:00:00+00:00";
const row = (device: string, status: JobRow["status"] = "finished"): JobRow => ({
  ...{ id: device, status, host: "192.0.2.1", device, driver: "netmiko", operation: "query" },
  ...{ created_at: begun, ended_at: null, duration: null, device_type: null },
  submitted_by: { kind: "key", name: "ops" },
});
const record = { name: "a", source: null, revision: 1, changed_at: begun };
const noFacts = {
  ...{ vendor: null, model: null, version: null, serial: null, hostname: null, os: null, platform: null },
  ...{ discovered_at: null, seen_at: null, login_failed_at: null, login_error: null, host_key: null },
};
const entryOf = (name: string, at: string | null) => ({
  ...record,
  name,
  facts: { ...noFacts, discovered_at: at, platform: "eos" },
});
const none: Findings = new Map();

describe("the devices whose facts a discovery polls", () => {
  test("are those whose job has ended, until their facts are newer than the discovery", () => {
    const rows = [row("a"), row("b", "running"), row("c", "failed"), row("d")];
    expect(openNames(rows, none)).toEqual(["a", "d"]);
    const entries = [entryOf("A", "2026-01-31T08:00:05+00:00"), entryOf("d", "2026-01-30T08:00:00+00:00")];
    const after = withAnswers(none, ["a", "d"], entries);
    expect(openNames(rows, after)).toEqual(["d"]);
    expect(after.get("a")?.entry?.name).toBe("A");
  });

  test("are polled in order of fewest attempts, and not forever", () => {
    const rows = [row("a"), row("b")];
    const once = withAnswers(none, ["a"], []);
    expect(openNames(rows, once)).toEqual(["b", "a"]);
    const often = Array.from({ length: 60 }).reduce<Findings>((now) => withAnswers(now, ["a"], []), none);
    expect(openNames(rows, often)).toEqual(["b"]);
  });

  test("fit into one selector, and include disabled devices", () => {
    expect(selectorOf(["a", "b"])).toEqual({ names: ["a", "b"], select: 'name:"a","b" enabled:*' });
    expect(selectorOf(Array.from({ length: 600 }, () => "a")).names).toHaveLength(200);
    const { names, select } = selectorOf(Array.from({ length: 100 }, () => "x".repeat(128)));
    expect(names.length).toBeGreaterThan(20);
    expect(select.length).toBeLessThan(4_096);
  });
});

test("a detected platform is proposed for a device without one", () => {
  const facts = { ...noFacts, platform: "arista_eos" };
  expect(proposedPlatform({ ...record, platform: null, facts })).toBe("arista_eos");
  expect(proposedPlatform({ ...record, platform: "autodetect", facts })).toBe("arista_eos");
  expect(proposedPlatform({ ...record, platform: "cisco_ios", facts })).toBeUndefined();
  expect(proposedPlatform({ ...record, platform: null, facts: noFacts })).toBeUndefined();
  expect(proposedPlatform({ ...record, platform: null, facts: null })).toBeUndefined();
});

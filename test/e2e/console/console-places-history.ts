/** Places with untrusted text on the pages of configurations: names, notes, and what devices say. */
import { at, filled, one, type View } from "./console-place.ts";

const version = {
  ...{ device: "sw1", part: "running", version: 2, state: "suspect", reason: "x", taken_at: at },
  ...{ last_seen_at: at, source: "manual", job_id: null, cause_job_id: null, who: "k", by_on_device: null },
  ...{ note: "x", lines: 1, size: 1, added: 1, removed: 0, sha256: "x" },
};
const device = {
  ...{ device: "sw1", host: "192.0.2.1", group: null, platform: "x", in_inventory: true, versions: 1 },
  ...{ latest: version, suspects: 0, last_good_at: at, failed_at: at, error: "x", unsaved: null },
};
export const configuredSample = device;
export const outsideSample = {
  ...{ device: "sw1", part: "running", version: 2, state: "good", taken_at: at, unchanged_until: null },
  ...{ by_on_device: null, added: 1, removed: 0, source: "schedule" },
};
const ofVersion = ["reason", "by_on_device", "note"] as const;
const events = { "/history/change/events": { events: [] } };
const page = { "/history/device": one(device), "/history/device/sw1": one(version), ...events };
const text = { "/history/device/sw1/latest": { data: { ...version, text: "x" } } };

const ofSection = { name: "ntp", state: "drifted", missing: 1, extra: 0, differs: 0, unverified: 0 };
const drift = {
  ...{
    device: "sw1",
    intent: "base",
    state: "drifted",
    reason: null,
    version: 2,
    read_at: at,
    checked_at: at,
  },
  ...{ since: at, rounds: 3, needs_person: true, sections: [ofSection] },
};
const driftCounts = { compliant: 0, drifted: 1, unknown: 0, intent_error: 0 };
const driftLine = {
  ...{ intent: "base", section: "ntp", kind: "missing", line: "x", devices: 1, first_devices: ["sw1"] },
};

export const historyViews: readonly View[] = [
  {
    address: "drift",
    places: ["device", "intent", "section", "reason", "line", "of", "first"],
    answers: (hostile) => ({
      "/drift/summary": { data: { waiting: 0, pairs: 1, states: driftCounts } },
      "/drift": one({
        ...{ ...drift, ...filled(drift, ["device", "intent", "reason"], hostile) },
        sections: [{ ...ofSection, name: hostile("section") }],
      }),
      "/drift/line": one({
        ...{ ...driftLine, line: hostile("line"), section: hostile("of") },
        first_devices: [hostile("first")],
      }),
    }),
  },
  {
    address: "drift/sw1",
    places: ["intent", "reason", "section", "lines", "sent", "risk", "why"],
    answers: (hostile) => ({
      "/drift/device/sw1": one({
        ...{ ...drift, intent: hostile("intent"), reason: hostile("reason"), why: hostile("why") },
        sections: [
          { ...ofSection, name: hostile("section"), changes: [], cut: true, lines: `+${hostile("lines")}\n` },
        ],
        unmatched: 0,
        fix: { lines: [hostile("sent")], proven: false, risks: [hostile("risk")] },
      }),
    }),
  },
  {
    address: "history",
    places: ["device", "platform", "error"],
    answers: (hostile) => ({
      ...events,
      "/history/device": one({ ...device, ...filled(device, ["device", "platform", "error"], hostile) }),
    }),
  },
  {
    address: "history/sw1",
    because: "it has versions",
    places: ["device", "error", ...ofVersion],
    answers: (hostile) => ({
      ...{ ...page, ...text },
      "/history/device": one({ ...device, ...filled(device, ["device", "error"], hostile) }),
      "/history/device/sw1": one({ ...version, ...filled(version, ofVersion, hostile) }),
    }),
  },
  {
    address: "history/sw1?blame=yes",
    because: "its text is shown",
    places: ["text", "why it is suspect", "who wrote it"],
    answers: (hostile) => ({
      ...page,
      "/history/device/sw1/latest": {
        data: { ...version, text: hostile("text"), reason: hostile("why it is suspect") },
      },
      "/history/device/sw1/blame": {
        data: {
          ...{ version, text: "x", runs: [{ version: 2, lines: 1 }], complete: true },
          versions: [{ ...version, who: hostile("who wrote it") }],
        },
      },
    }),
  },
  {
    address: "history/sw1?from=1&version=2",
    because: "two versions are compared",
    places: ["before", "after", "added", "removed"],
    answers: (hostile) => ({
      ...page,
      "/history/device/sw1/diff": { data: { from: version, to: version, parts: [rowsOf(hostile)] } },
    }),
  },
  {
    address: "changes",
    places: ["device", ...ofVersion],
    answers: (hostile) => ({
      ...events,
      "/history/change": one({ ...version, ...filled(version, ["device", ...ofVersion], hostile) }),
    }),
  },
  {
    address: "search?q=x",
    because: "there are hits",
    places: ["device", "line", "parent"],
    answers: (hostile) => ({
      "/history/search": one({
        version: { ...version, device: hostile("device") },
        total: 1,
        hits: [
          {
            ...{ line: 2, text: hostile("line"), found: [{ from: 0, to: 1_000 }] },
            parents: [{ line: 1, text: hostile("parent") }],
          },
        ],
      }),
    }),
  },
];

/** A changed line, with marks inside of it, an added and a removed one. */
function rowsOf(hostile: (place: string) => string): object[] {
  return [
    {
      ...{ kind: "changed", leftSpans: [[0, 3]], rightSpans: [[1, 2]] },
      left: { line: 1, text: hostile("before") },
      right: { line: 1, text: hostile("after") },
    },
    { kind: "added", right: { line: 2, text: hostile("added") } },
    { kind: "removed", left: { line: 2, text: hostile("removed") } },
  ];
}

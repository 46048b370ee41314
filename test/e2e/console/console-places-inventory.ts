/** Places with untrusted text on the pages of the inventory and its sources. */
import { jobRecord } from "../../http/doubles/records.ts";
import { at, filled, one, table, type View } from "./console-place.ts";
import { configuredSample } from "./console-places-history.ts";

/** What every entry has. */
export const written = { source: null, revision: 1, changed_at: at };
export const noFacts = {
  ...{ vendor: null, model: null, version: null, serial: null, hostname: null, os: null, platform: null },
  ...{ discovered_at: null, seen_at: null, login_failed_at: null, login_error: null, host_key: null },
};
const device = { ...written, name: "sw1", host: "sw1", port: 22, tags: ["x"], enabled: true };
const run = {
  ...{ status: "failed", started_at: at, ended_at: at, by: "k", dry_run: false, error: "x" },
  ...{ added: null, changed: null, removed: null, unchanged: null },
};
const source = {
  name: "s",
  kind: "url",
  url: "https://x",
  mode: "merge",
  verify: true,
  changed_at: at,
  submitted_by: null,
  runs: [run],
};

export const inventoryViews: readonly View[] = [
  table("devices", "/inventory/device", device, [
    ...["name", "host", "driver", "platform", "site", "role", "group", "tags"],
  ]),
  table("groups", "/inventory/group", { ...written, name: "g", parent: null }, ["name", "parent", "site"]),
  {
    address: "device/sw1",
    places: [
      "host",
      "variable",
      "value",
      "origin",
      "fact",
      "login error",
      "command of a job",
      "error of a job",
      "read error",
    ],
    answers: (hostile) => ({
      "/job": one({
        ...{ ...jobRecord(1), id: "job-1", created_at: at },
        ...{ command: hostile("command of a job"), error_type: hostile("error of a job") },
      }),
      "/history/device": one({ ...configuredSample, error: hostile("read error") }),
      "/history/change/events": { events: [] },
      "/inventory/device/sw1": {
        data: {
          ...written,
          ...{ name: "sw1", host: hostile("host"), vars: { [hostile("variable")]: hostile("value") } },
          ...{
            from: { host: `group:${hostile("origin")}` },
            facts: {
              ...noFacts,
              login_failed_at: at,
              login_error: hostile("login error"),
              model: hostile("fact"),
            },
          },
        },
      },
    }),
  },
  {
    address: "sources",
    places: ["name", "kind", "url", "error"],
    answers: (hostile) => ({
      "/inventory/source": one({
        ...{ ...source, ...filled(source, ["name", "kind", "url"], hostile) },
        runs: [{ ...run, error: hostile("error") }],
      }),
      "/schedule": { data: [] },
    }),
  },
  {
    address: "source/s",
    because: "it failed",
    places: ["name", "kind", "url", "filter", "by", "error"],
    answers: (hostile) => ({
      "/inventory/source/s": {
        data: {
          ...{ ...source, ...filled(source, ["name", "kind", "url", "filter"], hostile) },
          runs: [{ ...run, ...filled(run, ["by", "error"], hostile) }],
        },
      },
      "/schedule": { data: [] },
    }),
  },
  {
    address: "source/s",
    because: "it is looked at first",
    places: ["warning", "device", "field", "from", "to"],
    press: "Preview changes",
    answers: (hostile) => ({
      "/inventory/source/s": { data: source },
      "/inventory/source/s/sync": {
        warnings: [hostile("warning")],
        data: {
          ...{ ...run, status: "succeeded", dry_run: true, added: 0, changed: 1, removed: 0, unchanged: 0 },
          diff: [
            {
              ...{ kind: "device", name: hostile("device"), change: "changed" },
              fields: { [hostile("field")]: { from: hostile("from"), to: hostile("to") } },
            },
          ],
          diff_truncated: false,
        },
      },
      "/schedule": { data: [] },
    }),
  },
];

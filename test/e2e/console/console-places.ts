/** Places of the console with untrusted text, and the API responses that lead there. */

import { changeRecordFixture } from "../../http/doubles/change-records.ts";
import { bulkDetail, jobRecord } from "../../http/doubles/records.ts";
import { type Answers, at, filled, one, table, type View } from "./console-place.ts";
import { changeViews } from "./console-places-changes.ts";
import { configuredSample, historyViews, outsideSample } from "./console-places-history.ts";
import { inventoryViews, noFacts, written } from "./console-places-inventory.ts";

const times = { created_at: at, started_at: at, ended_at: at, enqueued_at: at };
const row = {
  ...jobRecord(1),
  ...{ id: "job-1", status: "failed", host: "sw1", driver: "netmiko", operation: "query", device_type: null },
  ...{ ...times, duration: 1.5, queue: "fifo", queue_time: 0.1, worker: "n.fifo.1", attempt: 1 },
};
const job = { ...row, status: "finished", result: null };
const running = { ...job, status: "running", ended_at: null, duration: null };
const bulk = {
  ...{ ...bulkDetail, status: "ended", created_at: at, ended_at: at, total: 1, error_types: {} },
  counts: { ...bulkDetail.counts, queued: 0, finished: 0 },
};
const worker = {
  ...{ name: "n.fifo.1", status: "busy", pid: 1, hostname: "h", node: "n", queues: ["fifo"] },
  ...{ current_job: null, last_heartbeat: at, birth_at: at, successful_job_count: 1, failed_job_count: 0 },
};
const key = {
  ...{ id: "k1", name: "k", scope: "read", hosts: [], state: "in_force" },
  ...{ created_at: at, expires_at: null, last_used_at: null, revoked_at: null },
  ...{ credentials: null, rights: ["history"], certificate: null, person: null },
  ...{ recipes: null, submitted_by: null },
};
const held = { scope: "read", hosts: [], credentials: null, recipes: null, rights: [] };
const person = {
  ...{
    id: "p1",
    name: "anna",
    email: null,
    issuer: "https://id",
    subject: "s",
    groups: [],
    state: "in_force",
  },
  ...{ role: "net", ...held, created_at: at, signed_in_at: at, blocked_at: null },
};
const role = {
  ...{ name: "net", position: 1, issuer: null, groups: [], subjects: [], ...held },
  ...{ created_at: at, changed_at: at },
};
const session = {
  ...{
    id: "s1",
    key: "k",
    scope: "admin",
    hosts: [],
    rights: ["history"],
    recipes: null,
    created_at: at,
    last_seen_at: at,
    expires_at: at,
  },
  ...{ address: "192.0.2.1", agent: "x", current: true, person: null },
};
const credential = {
  ...{ source: "file", ref: "lab", fields: ["username"] },
  ...{ created_at: at, changed_at: at, last_used_at: null, submitted_by: null },
};
const entry = {
  ...{ id: 1, at, who: "k (k1)", from: null, action: "job.submit", host: null, job_id: null },
  ...{ outcome: "ok", detail: null, asked: null, submitted_by: null, bulk_id: null, device: null },
  ...{ ticket: null, sent_sha256: null },
};
const recipeHead = {
  ...{ name: "vlan", version: 1, changed_at: at, changed_by: "k", title: null, description: null },
};
const schedule = {
  ...{ id: "s1", name: "s", state: "active", cron: "* * * * *", what: { kind: "query" }, overlap: "skip" },
  ...{
    owner: { kind: "key", key_id: "k1", name: "k", scope: "read" },
    created_at: at,
    changed_at: at,
    next: [at],
  },
  ...{ last: null, window: ["x"], enabled: true, revision: 1 },
};
const noTimes = { p50: null, p95: null, max: null };
const statistics = {
  ...{
    since: at,
    until: at,
    complete: true,
    step_seconds: 60,
    counts: { finished: 1, failed: 3, cancelled: 0 },
  },
  ...{ run: noTimes, wait: noTimes, steps: [] },
};
const plugin = { name: "p", kind: "driver", version: "1", origin: "builtin", refused: null, settings: [] };

const noEvents = { "/job/job-1/events": { events: [] } };

const facts = ["host", "driver", "device_type", "label", "ticket", "note", "queue", "worker"] as const;
const ofError = ["type", "message", "command", "sent"] as const;
const outputs = ["output", "command above", "column", "cell", "cell with a list", "structured"] as const;

const jobViews: readonly View[] = [
  {
    address: "job/job-1",
    because: "it failed",
    places: [
      ...facts,
      "name",
      "expected",
      "found",
      "because",
      "tags",
      "warnings",
      "lines",
      ...ofError,
      "attempt of a webhook",
    ],
    answers: (hostile) => ({
      ...noEvents,
      "/job": one({
        ...{ ...job, ...filled(job, facts, hostile), status: "failed" },
        ...{
          tags: [hostile("tags"), "x"],
          warnings: [hostile("warnings")],
          command: [hostile("lines"), "x"],
        },
        result: {
          ...{ type: "failed", retval: null },
          error: { ...filled({ sent: [] }, ofError, hostile) },
        },
        checks: {
          ...{ pushed: true, undone: true, how: "rollback", message: "x", after: [] },
          before: [
            {
              ...{ command: "x", name: hostile("name"), ok: false, value: hostile("found") },
              ...{ expected: hostile("expected"), message: hostile("because") },
            },
          ],
        },
        webhook: {
          ...{ status: "failed", next_attempt_at: null },
          attempts: [{ at, status: null, error: hostile("attempt of a webhook") }],
        },
      }),
    }),
  },
  {
    address: "job/job-1",
    because: "it gave something",
    places: [...outputs, "configuration"],
    answers: (hostile) => ({
      ...noEvents,
      "/job": one({
        ...{ ...job, operation: "config", config: hostile("configuration") },
        result: {
          ...{ type: "success", error: null },
          retval: {
            "show version": hostile("output"),
            [hostile("command above")]: "x",
            parsed: [{ [hostile("column")]: hostile("cell"), other: [hostile("cell with a list")] }],
            structured: { deep: [hostile("structured")] },
          },
        },
      }),
    }),
  },
  {
    address: "job/job-1",
    because: "it runs",
    places: ["live output"],
    answers: (hostile) => ({
      "/job": one(running),
      "/job/job-1/events": { events: [["output", { text: hostile("live output") }]] },
    }),
  },
  {
    address: "job/job-1",
    because: "it is refused",
    places: ["message", "field", "what is wrong with it"],
    answers: (hostile) => ({
      ...noEvents,
      "/job": {
        message: hostile("message"),
        refused: [{ path: hostile("field"), message: hostile("what is wrong with it") }],
      },
    }),
  },
];

const rowFields = ["host", "label", "error_type", "driver", "command"];

export const views: readonly View[] = [
  ...jobViews,
  table("jobs", "/job", row, rowFields),
  table("overview", "/job", row, ["host", "error_type"]),
  table("overview", "/job", row, ["command"]),
  {
    address: "overview",
    because: "types of error are counted",
    places: ["type"],
    answers: (hostile) => ({
      "/statistics": { data: { ...statistics, error_types: { [hostile("type")]: 3 } } },
    }),
  },
  {
    address: "overview",
    because: "something needs a person",
    places: ["schedule", "why it failed", "change", "device", "device changed outside"],
    answers: (hostile) => ({
      "/schedule": one({
        ...{ ...schedule, name: hostile("schedule") },
        last: { due_at: at, fired_at: at, status: "failed", reason: hostile("why it failed") },
      }),
      "/change": one({ ...changeRecordFixture, name: hostile("change"), waits_for_you: true }),
      "/history/device": one({ ...configuredSample, device: hostile("device") }),
      "/ledger/outside": one({ ...outsideSample, device: hostile("device changed outside") }),
    }),
  },
  {
    address: "bulk/bulk-1",
    places: ["label", "driver", "why it was stopped", "type of error", "device"],
    answers: (hostile) => ({
      "/bulk/bulk-1": {
        data: {
          ...{ ...bulk, label: hostile("label"), driver: hostile("driver") },
          ...{
            stopped_because: hostile("why it was stopped"),
            error_types: { [hostile("type of error")]: 1 },
          },
        },
      },
      "/bulk/bulk-1/events": { events: [] },
      "/job": one({ ...row, host: hostile("device") }),
    }),
  },
  {
    address: "discover/bulk-1",
    places: ["label", "select", "host", "error", "platform", "found", "model", "version", "hostname"],
    answers: (hostile) => ({
      "/bulk/bulk-1": { data: { ...bulk, label: hostile("label"), select: hostile("select") } },
      "/bulk/bulk-1/events": { events: [] },
      "/job": {
        data: [
          { ...row, host: hostile("host"), error_type: hostile("error") },
          { ...row, id: "job-2", status: "finished", device: "sw1" },
        ],
      },
      "/inventory/device": one({
        ...{ ...written, name: "sw1", platform: hostile("platform") },
        facts: {
          ...noFacts,
          ...{ platform: hostile("found"), model: hostile("model"), version: hostile("version") },
          ...{ hostname: hostile("hostname"), discovered_at: at },
        },
      }),
    }),
  },
  table("bulks", "/bulk", bulk, ["label", "ticket", "driver"]),
  ...inventoryViews,
  ...historyViews,
  ...changeViews,
  table("schedules", "/schedule", schedule, ["name", "cron", "time_zone"]),
  {
    address: "schedule/s1",
    places: ["name", "why", "cron", "window", "label", "ticket", "owner", "reason"],
    answers: (hostile) => ({
      "/schedule/s1": {
        data: {
          ...{
            ...schedule,
            ...filled(schedule, ["name", "why", "cron", "window", "label", "ticket"], hostile),
          },
          owner: { ...schedule.owner, name: hostile("owner") },
        },
      },
      "/schedule/s1/firing": one({ due_at: at, fired_at: at, status: "failed", reason: hostile("reason") }),
    }),
  },
  {
    address: "recipes",
    places: ["name", "title", "changed_by", "shipped", "about", "recipe", "ticket", "agent"],
    answers: (hostile) => ({
      "/recipe": one({
        ...{ ...recipeHead, steps: 1, name: hostile("name"), title: hostile("title") },
        changed_by: hostile("changed_by"),
      }),
      "/proposed-run": one({
        ...{ id: "r2", recipe: hostile("recipe"), version: 1, state: "proposed", reason: null },
        ...{ submitted_by: { kind: "key", name: "bot" }, ticket: hostile("ticket"), dry_run: false },
        ...{ proposed_by: hostile("agent"), expires_at: at, created_at: at, ended_at: null },
      }),
      "/shipped-recipe": one({
        ...{ name: "other", title: hostile("shipped"), description: hostile("about"), recipe: {} },
      }),
    }),
  },
  {
    address: "recipe/vlan",
    places: ["title", "description", "by", "parameter", "hint", "when", "request", "within"],
    answers: (hostile) => ({
      "/recipe/vlan": {
        data: {
          ...{ ...recipeHead, title: hostile("title"), description: hostile("description") },
          changed_by: hostile("by"),
          parameters: {
            type: "object",
            properties: {
              a: { type: "string", title: hostile("parameter"), description: hostile("hint") },
              b: { type: "string", enum: ["x"], default: "x" },
            },
          },
          devices: { within: hostile("within") },
          steps: [
            {
              ...{ name: "ask", kind: "query", on_failure: "stop", when: hostile("when") },
              request: { command: hostile("request") },
            },
          ],
        },
      },
      "/recipe/vlan/run": { data: [] },
    }),
  },
  {
    address: "recipe/vlan/r1",
    places: [
      "by",
      "ticket",
      "reason",
      "value",
      "step",
      "why",
      "text",
      "column",
      "cell",
      "says",
      "proposer",
      "named",
    ],
    answers: (hostile) => ({
      "/recipe/vlan/run/r1": {
        data: {
          ...{ id: "r1", recipe: "vlan", version: 1, state: "failed", reason: hostile("reason") },
          submitted_by: { kind: "key", name: hostile("by") },
          ...{ ticket: hostile("ticket"), note: null, devices: 1, parameters: { a: hostile("value") } },
          ...{ created_at: at, ended_at: at, dry_run: false, expires_at: null },
          ...{
            proposed_by: hostile("proposer"),
            proposal: { reason: hostile("says"), devices: [hostile("named")] },
          },
          steps: [
            {
              ...{ name: "table", kind: "value", state: "finished", reason: null, bulk_id: null },
              ...{ change: null, counts: null, text: null, tries: 0, due_at: null },
              ...{ value: [{ [hostile("column")]: hostile("cell") }], started_at: at, ended_at: at },
            },
            {
              ...{ value: null, tries: 0, due_at: null },
              ...{ name: hostile("step"), kind: "render", state: "failed", reason: hostile("why") },
              ...{
                bulk_id: null,
                change: null,
                counts: null,
                text: hostile("text"),
                started_at: at,
                ended_at: at,
              },
            },
          ],
        },
      },
    }),
  },
  {
    address: "template/ntp",
    places: ["title", "description", "by", "text", "test"],
    answers: (hostile) => ({
      "/template/ntp": {
        data: {
          ...{ name: "ntp", version: 1, changed_at: at, changed_by: hostile("by"), engine: "jinja2" },
          ...{ title: hostile("title"), description: hostile("description"), template: hostile("text") },
          tests: [{ name: hostile("test"), context: {}, expected: "" }],
        },
      },
    }),
  },
  {
    address: "workers",
    places: ["name", "node", "hostname", "device", "command", "label"],
    answers: (hostile) => ({
      "/worker": one({
        ...{ ...worker, current_job: "job-1" },
        ...filled(worker, ["name", "node", "hostname"], hostile),
      }),
      "/job": one({ ...running, ...filled(running, ["device", "command", "label"], hostile) }),
    }),
  },
  table("persons", "/person", person, ["name", "email", "groups"]),
  table("roles", "/role", role, ["name", "groups", "subjects", "hosts"]),
  table("keys", "/key", key, ["name", "hosts"]),
  table("keys", "/session", session, ["key", "agent", "address"]),
  table("credentials", "/credential", credential, ["ref", "source", "fields"]),
  {
    address: "ledger",
    places: ["kind", "device", "outside", "ticket", "detail", "actor", "from", "by_on_device"],
    answers: (hostile) => ({
      "/ledger": one({
        entry: {
          ...{ v: 1, seq: 1, at, ref: "r1", outcome: "finished" },
          ...filled({}, ["kind", "device", "ticket", "detail"], hostile),
          actor: { kind: "person", name: hostile("actor"), address: hostile("from") },
        },
        ...{ prev: "0".repeat(64), hash: "ab".repeat(32), mac: "cd".repeat(32) },
      }),
      "/ledger/outside": one({
        ...{ ...outsideSample, device: hostile("outside") },
        by_on_device: hostile("by_on_device"),
      }),
    }),
  },
  table("audit", "/audit", entry, ["who", "from", "action", "host", "outcome", "detail"]),
  table("plugins", "/plugin", plugin, ["name", "kind", "version", "refused"]),
  table("settings", "/settings", { name: "s", origin: "file", variable: "V", value: "v", about: "a" }, [
    ...["value", "about"],
  ]),
  table("licences", "/licenses", { title: "t", text: "x" }, ["title"]),
  {
    address: "templates",
    because: "it is rendered",
    places: ["rendered"],
    press: "Render",
    answers: (hostile) => ({ "/template/render/jinja2": { data: hostile("rendered") } }),
  },
  {
    address: "templates",
    because: "it is wrong",
    places: ["error", "template that is included"],
    press: "Render",
    answers: (hostile) => ({
      "/template/render/jinja2": {
        message: hostile("error"),
        refused: { line: 1, column: 2, template: hostile("template that is included") },
      },
    }),
  },
  {
    address: "templates",
    because: "outputs are offered",
    places: ["host", "driver", "label"],
    folded: true,
    answers: (hostile) => ({ "/job": one({ ...row, ...filled(row, ["host", "driver", "label"], hostile) }) }),
  },
];

/** A job whose output can be saved as a file of this name. */
export function savedAs(command: string): Answers {
  const result = { type: "success", retval: { [command]: [{ a: "=1+1" }] }, error: null };
  return { ...noEvents, "/job": one({ ...job, result }) };
}

/** What the overview says needs a person. */
import * as v from "valibot";
import { expect, test } from "vitest";
import {
  failedSchedules,
  failures,
  haltedChanges,
  nextOf,
} from "../../src/console/pages/overview/overview-findings.ts";
import { type ListedChange, listedChange } from "../../src/console/shapes/changes.ts";
import { type Schedule, toldFiring } from "../../src/console/shapes/schedules.ts";
import { changeRecordFixture } from "../http/doubles/change-records.ts";

const at = "2026-01-31T08:00:00+00:00";
const failed = (id: string, device: string, type: string, outcome?: "unknown") => ({
  ...{ id, device, host: "192.0.2.1", operation: "config" as const, error_type: type },
  result: { type: "failed" as const, retval: null, error: { type, message: "x", outcome, retryable: false } },
});

test("failures are told by cause, the most frequent first, each device once with its newest job", () => {
  const rows = [
    failed("3", "a", "ReadTimeout"),
    failed("2", "b", "AuthenticationFailed"),
    failed("1", "b", "AuthenticationFailed"),
  ];
  const found = failures(rows, { AuthenticationFailed: 40, ConnectionLost: 7 }, at);
  expect(
    found.map(({ what, count, more, names }) => [what, count, more, names.map(({ name }) => name)]),
  ).toEqual([
    ["AuthenticationFailed", 40, true, ["b"]],
    ["ConnectionLost", 7, true, []],
    ["ReadTimeout", 1, false, ["a"]],
  ]);
  expect(found[0]?.names[0]?.href).toBe("#/job/2");
  expect(found[0]?.href).toContain("error_type=AuthenticationFailed");
  expect(found[0]?.advice).toContain("Check the user");
});

test("unknown outcomes come before everything else", () => {
  const rows = [failed("2", "a", "ReadTimeout"), failed("1", "b", "ConnectionLost", "unknown")];
  expect(failures(rows, {}, at).map(({ what, count }) => [what, count])).toEqual([
    ["Unknown outcome", 1],
    ["ReadTimeout", 1],
    ["ConnectionLost", 1],
  ]);
  const asked = { ...failed("3", "c", "ConnectionLost", "unknown"), operation: "query" as const };
  expect(failures([asked], {}, at).map(({ what }) => what)).toEqual(["ConnectionLost"]);
});

type Firing = NonNullable<Schedule["last"]>;
const schedule = (id: string, next: readonly string[], last: Schedule["last"]): Schedule => ({
  ...{ id, name: id, enabled: true, state: "active", cron: "* * * * *", overlap: "skip", revision: 1 },
  ...{ what: { kind: "query" }, created_at: at, changed_at: at, next: [...next], last },
  owner: { kind: "key", key_id: "k", name: "k", scope: "read" },
});
const counts = { queued: 0, held: 0, running: 0, finished: 1, failed: 2, cancelled: 0 };

test("a schedule has failed if it did not fire, or devices of it failed", () => {
  const all = [
    schedule("good", [], { due_at: at, fired_at: at, status: "submitted" }),
    schedule("never", [], null),
    schedule("unfired", [], { due_at: at, fired_at: null, status: "failed", reason: "no such group" }),
  ];
  const [found] = failedSchedules(all);
  expect([found?.count, found?.advice, found?.names.map(({ name }) => name)]).toEqual([
    1,
    "no such group",
    ["unfired"],
  ]);
  const partly = schedule("partly", [], {
    ...{ due_at: at, fired_at: at, status: "submitted" },
    result: { status: "ended", counts, error_types: {} },
  });
  expect(failedSchedules([partly])[0]?.count).toBe(1);
  expect(failedSchedules(all.slice(0, 2))).toEqual([]);
});

test("a firing is told as on the overview: what is done is calm, also with a reason", () => {
  const told = (status: Firing["status"], more: Partial<Firing> = {}) =>
    Object.values(toldFiring({ due_at: at, fired_at: at, status, reason: "x", ...more }));
  const result = { status: "ended", counts, error_types: {} } as const;
  expect([told("done"), told("submitted"), told("submitted", { result })]).toEqual([
    ["faint", "done"],
    ["warning", "submitted"],
    ["problem", "submitted, 2 failed"],
  ]);
  for (const status of ["failed", "missed", "skipped"] as const)
    expect(told(status)).toEqual(["problem", status]);
});

test("the soonest schedules come first", () => {
  const all = [
    schedule("late", ["2026-02-02T00:00:00Z"], null),
    schedule("none", [], null),
    schedule("soon", ["2026-02-01T02:00:00+02:00"], null),
  ];
  expect(nextOf(all, 5).map(({ id }) => id)).toEqual(["soon", "late"]);
  expect(nextOf(all, 1)).toHaveLength(1);
});

test("a change that has halted is told before those that wait for this session, as a pause does", () => {
  const change = (name: string, more: Partial<ListedChange>): ListedChange => ({
    ...v.parse(listedChange, changeRecordFixture),
    ended_at: null,
    waits_for_you: false,
    name,
    ...more,
  });
  const all = [
    change("draft", { state: "draft", waits_for_you: true }),
    change("paused", { state: "paused", waits_for_you: true, reason: "wave 1 of 2 is done" }),
    change("stopped", { state: "stopped", ended_at: "2026-01-31T09:00:00+00:00" }),
    change("over", { state: "stopped", ended_at: "2026-01-31T07:59:00+00:00" }),
    change("runs", { state: "running" }),
  ];
  expect(haltedChanges(all, at).map(({ look, names }) => [look, names.map(({ name }) => name)])).toEqual([
    ["bad", ["stopped"]],
    ["warn", ["draft", "paused"]],
  ]);
  expect(haltedChanges(all.slice(1, 2), at)).toMatchObject([{ look: "warn", advice: "wave 1 of 2 is done" }]);
});

test("a change that the service has paused has come to a halt, whoever looks, with its reason", () => {
  const paused = (more: Partial<ListedChange>): ListedChange => ({
    ...v.parse(listedChange, changeRecordFixture),
    ...more,
  });
  const judged = { phase: "judging", reason: "the gate ping failed" } as const;
  for (const waits_for_you of [true, false])
    expect(haltedChanges([paused({ ...judged, waits_for_you })], at)).toMatchObject([
      { look: "bad", count: 1, advice: judged.reason },
    ]);
  const byPerson = { phase: "pushing", reason: "paused by a person: see its steps" } as const;
  expect(haltedChanges([paused(byPerson)], at)).toMatchObject([{ look: "warn" }]);
  expect(haltedChanges([paused({ ...byPerson, waits_for_you: false })], at)).toEqual([]);
});

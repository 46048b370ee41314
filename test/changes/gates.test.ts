/** Gates of changes without devices: what answers of sentinels mean, which gate decides, and what of a question is shown. */
import { expect, test } from "vitest";
import type { Check, CheckReport, CheckResult } from "../../src/api/jobs/checks.ts";
import { secretsOfQuestion } from "../../src/base/secrets/question-secrets.ts";
import { judgedAgain, judgingOf, verdictOf, writeJudging } from "../../src/changes/gates/judging.ts";
import { type SentinelAnswer, sentinelGates } from "../../src/changes/gates/sentinels.ts";
import { shownRequest } from "../../src/changes/request.ts";
import { shortened } from "../../src/checks/judge.ts";
import { measuredAlone } from "../../src/checks/report.ts";

const alive: Check = { command: "show version", contains: "up" };
const same: Check = { command: "show ip route", unchanged: true };
const ratio: Check = { command: "show bgp", expression: "$count($)", at_least: 0.9, relative: true };
const plan = {
  sentinels: [
    { device: "rs-1", host: "192.0.2.1", of: [0, 1] },
    { device: "rs-2", host: "192.0.2.2", of: [0] },
  ],
};
const entries = [[alive, same], [ratio]];

const result = (check: Check, ok: boolean | null, value: unknown, message = measuredAlone): CheckResult => ({
  ...{ command: check.command, ok, value, expected: null, message },
});
const answer = (...after: CheckResult[]): SentinelAnswer => {
  const report: CheckReport = { before: [], after, pushed: false, undone: false, how: "none", message: "" };
  return { report, fault: "CheckFailed: it failed" };
};
const both = (first: SentinelAnswer, second: SentinelAnswer) =>
  new Map([
    ["rs-1", first],
    ["rs-2", second],
  ]);
const up = result(alive, true, true, "The output contains the text.");
const good = both(
  answer(up, result(same, null, "10.0.0.0/8"), result(ratio, null, 100)),
  answer(up, result(same, null, "10.0.0.0/8")),
);
const verdicts = (now: typeof good, before?: typeof good) =>
  sentinelGates(plan, entries, now, before).map(({ verdict }) => verdict);

test("checks that compare only measure before the first wave, and are compared after it", () => {
  expect(verdicts(good)).toEqual(["passed", "passed"]);
  expect(verdicts(good, good)).toEqual(["passed", "passed"]);
  const fewer = both(
    answer(up, result(same, null, "10.0.0.0/8"), result(ratio, null, 89)),
    answer(up, result(same, null, "other")),
  );
  const [first, second] = sentinelGates(plan, entries, fewer, good);
  expect(first).toMatchObject({
    verdict: "failed",
    reason: expect.stringMatching(/^1 of 2 devices: rs-2: /),
  });
  expect(first?.reason).toContain("before the change");
  expect(second).toMatchObject({ verdict: "failed", reason: expect.stringContaining("(0.9 of 100 before") });
});

test("what could not be read, or compared, is inconclusive; what is false decides nevertheless", () => {
  const unread = { report: undefined, fault: "ConnectionTimeout: no answer" };
  expect(verdicts(both(unread, unread), good)).toEqual(["inconclusive", "inconclusive"]);
  expect(verdicts(good, new Map())).toEqual(["inconclusive", "inconclusive"]);
  expect(verdicts(new Map(), good)).toEqual(["inconclusive", "inconclusive"]);
  const down = answer(result(alive, false, false, "The output does not contain the text."));
  expect(verdicts(both(unread, down), good)).toEqual(["failed", "inconclusive"]);
  const refused = answer(result(alive, null, null, "CommandError: refused"), result(same, null, "a"));
  expect(verdicts(both(refused, refused))).toEqual(["inconclusive", "inconclusive"]);
  const long = result(same, null, shortened("x".repeat(10_000)));
  const tooLong = both(answer(up, long, result(ratio, null, 1)), answer(up, long));
  expect(verdicts(tooLong)).toEqual(["inconclusive", "passed"]);
});

test("one gate that has failed decides, then one that is inconclusive", () => {
  const gate = (name: string, verdict: "passed" | "failed" | "inconclusive") => ({
    ...{ gate: name, verdict, reason: "why" },
  });
  expect(verdictOf([])).toMatchObject({ is: "passed" });
  expect(verdictOf([gate("a", "passed"), gate("b", "inconclusive")])).toMatchObject({ is: "inconclusive" });
  expect(verdictOf([gate("a", "inconclusive"), gate("b", "failed")])).toEqual({
    is: "failed",
    reason: 'the gate "b" is failed: why',
  });
});

test("who resumes a change judges again, but what has failed after a push stays failed", () => {
  const judging = (wave: number, is: "failed" | "inconclusive") =>
    writeJudging({ wave, attempt: 1, since: 5, said: { at: 7, is, reason: "", gates: [] } });
  const again = (wave: number, is: "failed" | "inconclusive") =>
    judgingOf({ wave, judging: judgedAgain({ wave, judging: judging(wave, is) }) });
  expect(again(1, "inconclusive")).toEqual({ wave: 1, attempt: 2, since: null, said: null });
  expect(again(0, "failed")).toEqual({ wave: 0, attempt: 2, since: null, said: null });
  expect(again(1, "failed")).toMatchObject({ attempt: 1, said: { is: "failed" } });
  expect(judgingOf({ wave: 2, judging: judging(1, "failed") })).toMatchObject({ wave: 2, said: null });
});

test("a question is shown without its credentials, whatever they are", () => {
  const question = {
    url: "https://anna:canary-5@prometheus.example.net/query?token=canary-6%2Bx&sig=canary%2F7&query=up",
    headers: { Authorization: "Bearer canary-1", "X-Scope-OrgID": "true", Accept: "application/json" },
    body: { password: "canary-2" },
    expression: "body.ok = true",
  };
  expect(secretsOfQuestion(question)).toEqual(expect.arrayContaining(["Bearer canary-1", "canary-1"]));
  const request = { name: "ntp", config: "ntp", approvals: { count: 1, not_author: true } };
  const shown = shownRequest({ ...request, strategy: { questions: [question] } });
  expect(JSON.stringify(shown)).not.toContain("canary");
  expect(shown).toMatchObject({
    approvals: { not_author: true },
    strategy: {
      questions: [
        {
          headers: { Authorization: "[secret]", "X-Scope-OrgID": "[secret]", Accept: "application/json" },
        },
      ],
    },
  });
});

/** What the sentinels of a change have answered, from the results of their jobs as they are stored. Pure. */

import { entryKey } from "../../api/inventory/inventory.ts";
import type { Check, CheckReport, CheckResult } from "../../api/jobs/checks.ts";
import { isShortened, judge } from "../../checks/judge.ts";
import { needsBefore } from "../../checks/plan.ts";
import { measuredAlone, readCheckReport, splitResult } from "../../checks/report.ts";
import type { GateAnswer } from "../../jobs/port.ts";
import type { StoredJob } from "../../store/port.ts";
import type { StoredPlan } from "../planning/plan.ts";
import { outcomeOfJob } from "../rollout/outcome.ts";
import type { Said } from "./judging.ts";

/** Of one device: the report of its checks, or why there is none. */
export interface SentinelAnswer {
  readonly report: CheckReport | undefined;
  readonly fault: string;
}

export type SentinelAnswers = ReadonlyMap<string, SentinelAnswer>;

const maxReason = 300;
const gone: SentinelAnswer = { report: undefined, fault: "the result of its job is not kept any more" };

export function answerOfJob(job: StoredJob): SentinelAnswer {
  const split = job.result === null ? undefined : splitResult(job.result);
  return {
    report: split?.checks === undefined ? undefined : readCheckReport(JSON.parse(split.checks)),
    fault: outcomeOfJob(job).reason ?? gone.fault,
  };
}

/** All checks of a device, in the order of the entries that it stands in. */
export function checksOfSentinel(
  { of }: StoredPlan["sentinels"][number],
  entries: readonly (readonly Check[])[],
): { readonly entry: number; readonly check: Check }[] {
  return of.flatMap((entry) => (entries[entry] ?? []).map((check) => ({ entry, check })));
}

/**
 * One gate for each entry.
 * @param before answers before the first wave; undefined: these are they
 */
export function sentinelGates(
  { sentinels }: Pick<StoredPlan, "sentinels">,
  entries: readonly (readonly Check[])[],
  now: SentinelAnswers,
  before: SentinelAnswers | undefined,
): Said["gates"] {
  return entries.map((_, at) => {
    const gate = `sentinels ${at + 1}`;
    const said = sentinels.flatMap((sentinel) => {
      const { device, of } = sentinel;
      if (!of.includes(at)) return [];
      const answer = now.get(entryKey(device)) ?? gone;
      const earlier = before && (before.get(entryKey(device)) ?? gone);
      return checksOfSentinel(sentinel, entries).flatMap(({ entry, check }, place) =>
        entry === at ? [{ device, ...judged(check, place, answer, earlier) }] : [],
      );
    });
    const devices = new Set(said.map(({ device }) => device)).size;
    for (const verdict of ["failed", "inconclusive"] as const) {
      const those = said.filter((one) => one.verdict === verdict);
      const [first] = those;
      if (first === undefined) continue;
      const count = new Set(those.map(({ device }) => device)).size;
      const reason = `${count} of ${devices} devices: ${first.device}: ${first.reason}`.slice(0, maxReason);
      return { gate, verdict, reason };
    }
    return { gate, verdict: "passed", reason: `${devices} of ${devices} devices` };
  });
}

function judged(
  check: Check,
  place: number,
  { report, fault }: SentinelAnswer,
  earlier: SentinelAnswer | undefined,
): GateAnswer {
  const result = report?.after[place];
  if (result === undefined) return { verdict: "inconclusive", reason: fault };
  const said = (verdict: GateAnswer["verdict"], message: string): GateAnswer => ({
    verdict,
    reason: `${result.name ?? result.command}: ${message}`,
  });
  if (result.ok !== null) return said(result.ok ? "passed" : "failed", result.message);
  if (!needsBefore(check) || !isMeasured(result)) return said("inconclusive", result.message);
  if (isShortened(result.value))
    return said("inconclusive", "Its value is too long to be compared: use an expression.");
  if (earlier === undefined) return said("passed", result.message);
  const first = earlier.report?.after[place];
  if (first === undefined || !isMeasured(first))
    return said("inconclusive", "Its value before the change is not known any more.");
  const { ok, message } = judge(check, result.value, { value: first.value });
  return said(ok ? "passed" : "failed", message.replace(/before the push/g, "before the change"));
}

const isMeasured = ({ message }: CheckResult) => message === measuredAlone;

/** Compares changes with what their devices received and have, with their votes, their steps and the ledger. */
import * as v from "valibot";
import { type ChangeDetail, changeDetail, changeStep, changeTarget } from "../../src/api/changes/change.ts";
import { ledgerRecord } from "../../src/api/ledger/ledger.ts";
import type { Simulator } from "../../src/testkit/simulator/simulator.ts";
import { must } from "./ask.ts";
import type { Drafted } from "./changes-work.ts";
import { nameAt } from "./kills.ts";
import type { ChaosNode } from "./node.ts";

export interface ChangesVerdict {
  /** By the state that they ended in. */
  readonly changes: Readonly<Record<string, number>>;
  /** Devices of changes that were started, by state. */
  readonly targets: Readonly<Record<string, number>>;
  readonly waves: number;
  readonly pushes: number;
  readonly returns: number;
  /** Lines of changes that devices received. */
  readonly lines: number;
  readonly ledgerEntries: number;
  readonly sentTwice: number;
  readonly wavesAfterStop: number;
  readonly withoutVotes: number;
  /** Devices whose state in the record is what the device shows, of all. */
  readonly equal: string;
  readonly breaches: readonly string[];
}

const job = v.object({
  id: v.string(),
  device: v.optional(v.string()),
  bulk_id: v.nullish(v.string()),
  status: v.string(),
  result: v.nullable(
    v.looseObject({ error: v.nullable(v.looseObject({ outcome: v.optional(v.string()) })) }),
  ),
});
type Job = v.InferOutput<typeof job>;
type Target = v.InferOutput<typeof changeTarget>;
type Step = v.InferOutput<typeof changeStep>;

/** It ended, or a person must say what is next. */
const restful: ReadonlySet<string> = new Set([
  ...["draft", "paused", "stopped", "done", "returned", "partly_returned", "needs_person"],
  ...["rejected", "expired", "cancelled"],
]);
/** Nothing was sent. */
const untouched: ReadonlySet<string> = new Set(["waiting", "skipped", "diverged", "unreachable"]);
/** Of a change that works. */
const passing: ReadonlySet<string> = new Set(["pushing", "returning"]);

export async function judgeChanges(
  node: ChaosNode,
  simulators: readonly Simulator[],
  drafted: readonly Drafted[],
): Promise<ChangesVerdict> {
  const breaches: string[] = [];
  const counts = { waves: 0, pushes: 0, returns: 0, lines: 0, ledgerEntries: 0 };
  const wrong = { sentTwice: 0, wavesAfterStop: 0, withoutVotes: 0 };
  const changes: Record<string, number> = {};
  const targets: Record<string, number> = {};
  let [equal, all] = [0, 0];
  const byName = new Map(simulators.map((simulator, at) => [nameAt(at), simulator]));
  for (const { id, line, ticket } of drafted) {
    const breach = (text: string) => void breaches.push(`${ticket} (${id}): ${text}`);
    const change = v.parse(changeDetail, (await must(node, "GET", `/change/${id}`)).data);
    count(changes, change.state);
    if (!restful.has(change.state)) breach(`it is ${change.state}`);
    const steps = v.parse(v.array(changeStep), await pagesOf(node, `/change/${id}/step`));
    if (steps.some(({ n }, at) => n !== at + 1)) breach(`steps ${steps.map(({ n }) => n).join()}`);
    const jobs = v.parse(
      v.array(job),
      (await must(node, "GET", `/job?tag=change:${id}&operation=config&limit=500`)).data,
    );
    const list = v.parse(v.array(changeTarget), await pagesOf(node, `/change/${id}/target`));
    const returning = new Set(change.bulks.flatMap((one) => (one.returns ? [one.bulk_id] : [])));
    const pushes = jobs.filter(({ bulk_id }) => !returning.has(bulk_id ?? ""));
    counts.waves += change.bulks.filter(({ phase, returns }) => phase === "pushing" && !returns).length;
    counts.pushes += pushes.length;
    counts.returns += jobs.length - pushes.length;
    for (const text of afterStop(steps)) {
      wrong.wavesAfterStop++;
      breach(text);
    }
    for (const text of lackingVotes(change, steps, pushes)) {
      wrong.withoutVotes++;
      breach(text);
    }
    for (const [device, simulator] of byName) {
      const received = simulator.entered.filter((one) => one.line.trim() === line).length;
      counts.lines += received;
      const ofDevice = pushes.filter((one) => one.device === device);
      if (received > 1 || ofDevice.length > 1) {
        wrong.sentTwice++;
        breach(`${device} received it ${received} times, in ${ofDevice.length} jobs`);
      }
      const target = list.find((one) => one.device === device);
      if (target === undefined) {
        if (received > 0) breach(`${device}, which it does not have, received its line`);
        continue;
      }
      if (steps.every(({ what }) => what !== "started")) {
        if (received > 0) breach(`${device} received its line before it was started`);
        continue;
      }
      all++;
      count(targets, target.state);
      const has = simulator.device.configuration.lines().some((one) => one.trim() === line);
      const faults = targetFaults(target, ofDevice, { received, has });
      if (faults.length === 0) equal++;
      for (const text of faults) breach(`${device} is ${target.state} (${target.reason ?? ""}): ${text}`);
    }
    counts.ledgerEntries += await ledgered(node, ticket, jobs, breach);
  }
  if (counts.lines === 0) breaches.push("nothing was sent");
  return { changes, targets, ...counts, ...wrong, equal: `${equal} of ${all}`, breaches };
}

function count(counts: Record<string, number>, word: string): void {
  counts[word] = (counts[word] ?? 0) + 1;
}

async function pagesOf(node: ChaosNode, path: string): Promise<unknown[]> {
  const { data } = await must(node, "GET", `${path}?limit=500`);
  return v.parse(v.array(v.unknown()), data);
}

/** The steps are in the order in which they were stored. */
function afterStop(steps: readonly Step[]): string[] {
  const stop = steps.findIndex(({ what }) => what === "stopped");
  if (stop < 0) return [];
  return steps
    .slice(stop)
    .flatMap(({ n, what, detail }) =>
      what === "wave" || (what === "pushing" && detail?.startsWith("wave "))
        ? [`step ${n}, after it was stopped: ${what} ${detail}`]
        : [],
    );
}

/** Votes of the revision that ran, from different persons, before it started. */
function lackingVotes({ votes, revision, approvals }: ChangeDetail, steps: readonly Step[], pushes: Job[]) {
  const started = steps.findIndex(({ what }) => what === "started");
  if (started < 0) return pushes.length > 0 ? [`${pushes.length} pushes, and it was never started`] : [];
  const persons = new Set(
    votes.flatMap((vote) => (vote.revision === revision && vote.verdict === "approve" ? [vote.person] : [])),
  );
  const told = steps.slice(0, started).filter(({ what, detail }) => {
    return what === "voted" && detail === `approve, revision ${revision}`;
  });
  const who = new Set(told.map((step) => step.who));
  const least = Math.min(persons.size, who.size);
  return least < approvals.needed ? [`it ran with ${least} of ${approvals.needed} votes`] : [];
}

/** What the record says is not what the device received or has. */
function targetFaults(
  { state, reason, job_id, return_job_id }: Target,
  jobs: readonly Job[],
  { received, has }: { readonly received: number; readonly has: boolean },
): string[] {
  const faults: string[] = [];
  const must = (holds: boolean, text: string) => void (holds || faults.push(text));
  const [push] = jobs;
  if (passing.has(state)) faults.push("nothing brings it to an end");
  if (untouched.has(state)) must(received === 0, "it received the line");
  if (state === "pushed") {
    must(received === 1, `it received the line ${received} times`);
    must(has, "it does not have the line");
    must(push?.status === "finished", `its job is ${push?.status}`);
    must(job_id === push?.id, `its job is ${push?.id}, not ${job_id}`);
  }
  if (state === "returned") {
    must(!has, "it has the line");
    must(push !== undefined, "it has no push");
  }
  if (has) must(received === 1 && !untouched.has(state), "it has the line");
  if (state === "failed" || state === "unknown")
    must(push !== undefined || reason !== null, "without a reason");
  if (state === "not_returned") must(reason !== null, "without a reason");
  if (return_job_id !== null) must(push !== undefined, "it was returned without a push");
  return faults;
}

/** @returns the number of entries of its pushes and returns */
async function ledgered(
  node: ChaosNode,
  ticket: string,
  jobs: readonly Job[],
  breach: (text: string) => void,
): Promise<number> {
  const { data } = await must(node, "GET", `/ledger?ticket=${ticket}&limit=500`);
  const records = v.parse(v.array(ledgerRecord), data).filter(({ entry }) => entry.kind === "push");
  for (const { id, status, result } of jobs) {
    const own = records.filter(({ entry }) => entry.job === id);
    if (own.length > 1) breach(`the job ${id} has ${own.length} entries in the ledger`);
    const outcome = result?.error?.outcome === "unknown" ? "unknown" : status;
    if (own[0] !== undefined && own[0].entry.outcome !== outcome)
      breach(`the job ${id} ended as ${outcome}, the ledger says ${own[0].entry.outcome}`);
    if (own.length === 0 && (outcome === "finished" || outcome === "unknown"))
      breach(`the job ${id} (${outcome}) has no entry in the ledger`);
  }
  return records.length;
}

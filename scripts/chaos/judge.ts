/** Holds what was accepted against what the devices got, what the API says and what the receiver was told. */

import type { AcceptedJob } from "./load.ts";
import type { Delivery } from "./receiver.ts";
import type { Sighting } from "./sighting.ts";
import { isOver, type SeenJob } from "./watch.ts";

export interface Evidence {
  /** Jobs of the plan; all of them should have been accepted. */
  readonly planned: number;
  readonly accepted: readonly AcceptedJob[];
  readonly jobs: ReadonlyMap<string, SeenJob>;
  readonly changes: readonly string[];
  readonly sightings: readonly Sighting[];
  readonly deliveries: ReadonlyMap<string, readonly Delivery[]>;
}

export const breachKinds = ["lost", "twice", "order", "webhook", "late", "state"] as const;
export type BreachKind = (typeof breachKinds)[number];

export interface Breach {
  readonly kind: BreachKind;
  readonly text: string;
}

export interface Verdict {
  readonly finished: number;
  readonly failed: number;
  /** Of the failed ones: whether the device got it is not known. */
  readonly unknown: number;
  /** Of all: started more than once. */
  readonly again: number;
  readonly breaches: readonly Breach[];
}

/** Clocks of two processes of one machine, and the milliseconds that a record rounds to. */
const clockSlackMs = 100;

export function judge(evidence: Evidence): Verdict {
  const { accepted, jobs } = evidence;
  const breaches: Breach[] = [];
  const breach = (kind: BreachKind, text: string) => void breaches.push({ kind, text });
  const sightings = byMarker(evidence.sightings);
  const records = accepted.flatMap((job) => jobs.get(job.id) ?? []);

  if (accepted.length < evidence.planned)
    breach("lost", `${evidence.planned - accepted.length} jobs of the plan were never accepted`);
  const ids = new Set(accepted.map(({ id }) => id));
  for (const id of jobs.keys())
    if (!ids.has(id)) breach("state", `${id} is in the list, but no answer named it`);
  if (ids.size < accepted.length)
    breach("state", `${accepted.length - ids.size} answers named a job of another submission`);
  for (const change of evidence.changes) breach("state", change);
  for (const job of accepted) {
    const name = `${job.id} (${job.host}: ${job.marker})`;
    const record = jobs.get(job.id);
    if (!record || !isOver(record)) {
      breach("lost", `${name} ${record ? `is still ${record.status}` : "is not known"}`);
      continue;
    }
    const seen = sightings.get(job.marker) ?? [];
    judgeRuns(job, record, seen, (kind, text) => breach(kind, `${name} ${text}`));
    judgeHook(job, record, evidence.deliveries.get(job.id) ?? [], (kind, text) =>
      breach(kind, `${name} ${text}`),
    );
  }
  for (const text of orders(accepted, sightings)) breach("order", text);
  for (const text of commanders(accepted, evidence.sightings)) breach("order", text);
  return {
    finished: records.filter(({ status }) => status === "finished").length,
    failed: records.filter(({ status }) => status === "failed").length,
    unknown: records.filter(({ result }) => result?.error?.outcome === "unknown").length,
    again: records.filter(({ attempt }) => attempt > 1).length,
    breaches,
  };
}

type Tell = (kind: BreachKind, text: string) => void;

function judgeRuns(job: AcceptedJob, record: SeenJob, seen: readonly Sighting[], tell: Tell): void {
  const times = seen.length;
  if (times > 1 + job.retries) tell("twice", `was sent ${times} times`);
  if (record.status === "finished" && times === 0) tell("lost", "is finished, but the device never got it");
  if (seen.some(({ host }) => host !== job.host))
    tell("state", `was sent to ${seen.map(({ host }) => host)}`);
  const endedAt = Date.parse(record.ended_at ?? "");
  if (Number.isNaN(endedAt)) tell("state", "is over without an end");
  const last = seen.at(-1);
  if (last && last.at > endedAt + clockSlackMs)
    tell("late", `was sent ${Math.round(last.at - endedAt)} ms after its end`);
  if (record.status === "failed") judgeFailure(record, times, tell);
  else if (record.status !== "finished") tell("state", `is ${record.status}`);
}

/** Nothing but the loss of a worker may fail here, and it says so. */
function judgeFailure(record: SeenJob, times: number, tell: Tell): void {
  const error = record.result?.error;
  if (error?.type !== "WorkerLost" && error?.outcome !== "unknown")
    tell("state", `failed: ${JSON.stringify(error)}`);
  else if (error.outcome !== "unknown" && times > 0)
    tell("state", "failed as not sent, but the device got it");
  else if (error.outcome !== "unknown")
    tell("state", `was given up though nothing was sent, after ${record.attempt} attempts: ${error.message}`);
}

function judgeHook(job: AcceptedJob, record: SeenJob, told: readonly Delivery[], tell: Tell): void {
  if (job.hasWebhook && told.length === 0) tell("webhook", "was not told of");
  if (!job.hasWebhook && told.length > 0) tell("webhook", "was told of unasked");
  for (const { event, status } of told)
    if (status !== record.status || event !== `job.${status}`)
      tell("webhook", `was told of as ${event} (${status}), it is ${record.status}`);
}

/** Where a host's jobs were first seen out of the order in which they were accepted. */
function orders(accepted: readonly AcceptedJob[], sightings: ReadonlyMap<string, Sighting[]>): string[] {
  const found: string[] = [];
  for (const [host, jobs] of pinnedHosts(accepted)) {
    let before: { at: number; marker: string } | undefined;
    for (const { marker } of jobs.sort((a, b) => a.order - b.order)) {
      const first = sightings.get(marker)?.[0];
      if (!first) continue;
      if (before && first.at < before.at) found.push(`${host}: ${marker} came before ${before.marker}`);
      before = { at: first.at, marker };
    }
  }
  return found;
}

/** Where a session sent to a pinned host after another one had taken over. */
function commanders(accepted: readonly AcceptedJob[], sightings: readonly Sighting[]): string[] {
  const found: string[] = [];
  const markers = new Set(accepted.map(({ marker }) => marker));
  for (const host of pinnedHosts(accepted).keys()) {
    let newest = 0;
    for (const one of sightings) {
      if (one.host !== host || !markers.has(one.line)) continue;
      if (one.session < newest) found.push(`${host}: ${one.line} came from a session that had been replaced`);
      newest = Math.max(newest, one.session);
    }
  }
  return found;
}

function pinnedHosts(accepted: readonly AcceptedJob[]): Map<string, AcceptedJob[]> {
  return Map.groupBy(
    accepted.filter(({ pinned }) => pinned),
    ({ host }) => host,
  );
}

function byMarker(sightings: readonly Sighting[]): Map<string, Sighting[]> {
  return Map.groupBy(sightings, ({ line }) => line);
}

/** Compares the accepted jobs with what the devices received, the API reports and the webhooks delivered. */

import type { AcceptedJob } from "./load.ts";
import type { Delivery } from "./receiver.ts";
import type { Sighting } from "./sighting.ts";
import { isOver, type SeenJob } from "./watch.ts";

export interface Evidence {
  /** Number of planned jobs; all should have been accepted. */
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
  /** Failed jobs whose effect on the device is unknown. */
  readonly unknown: number;
  /** Jobs that were started more than once. */
  readonly again: number;
  readonly breaches: readonly Breach[];
}

/** Clock differences between two processes of one machine, and rounding to milliseconds. */
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
    if (!ids.has(id)) breach("state", `${id} is in the list, but no response contained it`);
  if (ids.size < accepted.length)
    breach("state", `${accepted.length - ids.size} responses contained the id of another submission's job`);
  for (const change of evidence.changes) breach("state", change);
  for (const job of accepted) {
    const name = `${job.id} (${job.host}: ${job.marker})`;
    const record = jobs.get(job.id);
    if (!record || !isOver(record)) {
      breach("lost", `${name} ${record ? `is still ${record.status}` : "is unknown to the API"}`);
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
  if (record.status === "finished" && times === 0)
    tell("lost", "is finished, but the device never received it");
  if (seen.some(({ host }) => host !== job.host))
    tell("state", `was sent to ${seen.map(({ host }) => host)}`);
  const endedAt = Date.parse(record.ended_at ?? "");
  if (Number.isNaN(endedAt)) tell("state", "has ended without an end time");
  const last = seen.at(-1);
  if (last && last.at > endedAt + clockSlackMs)
    tell("late", `was sent ${Math.round(last.at - endedAt)} ms after its end`);
  if (record.status === "failed") judgeFailure(record, times, tell);
  else if (record.status !== "finished") tell("state", `is ${record.status}`);
}

/** Only the loss of a worker may fail a job here, and the error must say so. */
function judgeFailure(record: SeenJob, times: number, tell: Tell): void {
  const error = record.result?.error;
  if (error?.type !== "WorkerLost" && error?.outcome !== "unknown")
    tell("state", `failed: ${JSON.stringify(error)}`);
  else if (error.outcome !== "unknown" && times > 0)
    tell("state", "failed as not sent, but the device received it");
  else if (error.outcome !== "unknown")
    tell(
      "state",
      `was given up after ${record.attempt} attempts although nothing was sent: ${error.message}`,
    );
}

function judgeHook(job: AcceptedJob, record: SeenJob, told: readonly Delivery[], tell: Tell): void {
  if (job.hasWebhook && told.length === 0) tell("webhook", "got no webhook");
  if (!job.hasWebhook && told.length > 0) tell("webhook", "got a webhook that was not requested");
  for (const { event, status } of told)
    if (status !== record.status || event !== `job.${status}`)
      tell("webhook", `got the webhook ${event} (${status}), but is ${record.status}`);
}

/** Jobs of a host that the device received out of the order of acceptance. */
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

/** Lines that an old session sent to a pinned host after another session had taken over. */
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

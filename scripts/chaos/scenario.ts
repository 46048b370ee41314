/**
 * A run: starts devices, receiver and nodes, disturbs them under load, waits for the work to end and judges
 * it.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause } from "../../src/base/time/deadline.ts";
import { startFleet } from "./fleet.ts";
import { type Breach, judge, type Verdict } from "./judge.ts";
import { type Load, startLoad, type Try } from "./load.ts";
import { type ChaosNode, createNode } from "./node.ts";
import { createPair, isPairScenario, type PairScenario } from "./pair.ts";
import { makePlan } from "./plan.ts";
import { createRandom, type Random } from "./random.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { type ChaosServer, createServer, type ServerKind } from "./server.ts";
import { writeStranger } from "./stranger.ts";
import { freezes, kills, outages, type Span, type Trouble } from "./trouble.ts";
import { isOver, type SeenJob, startWatch, type Watch } from "./watch.ts";

export const scenarios = ["file", "sqld", "postgres", "freeze", "outage"] as const;
export type ScenarioName = (typeof scenarios)[number] | PairScenario;

export interface ScenarioOptions {
  readonly jobs: number;
  /** The server of `freeze` and `outage`; default: libSQL server. */
  readonly store?: ServerKind | undefined;
  /** Number of kills (`file`, `sqld`, `postgres`), freezes (`freeze`) or outages (`outage`). */
  readonly troubles: number;
  readonly seed: number;
  readonly binary?: string | undefined;
}

export interface Report extends Verdict {
  readonly scenario: ScenarioName;
  readonly jobs: number;
  readonly troubles: number;
  readonly seconds: number;
  readonly figures: Record<string, number>;
  /** Folder with the logs of the nodes, if a promise was broken. */
  readonly folder?: string;
}

const devices = 18;
/** Round-trip time. A freeze hits few moments, so its jobs are slower to have more of them in progress. */
const latencyMs: Partial<Record<ScenarioName, number>> = { freeze: 250, outage: 100 };
const usualLatencyMs = 50;
/** After the disturbances in which nothing is accepted, ends or is delivered, while something is left to do. */
const standstillMs = 120_000;

export async function runScenario(scenario: ScenarioName, options: ScenarioOptions): Promise<Report> {
  const from = performance.now();
  const folder = mkdtempSync(join(tmpdir(), `patchbay-chaos-${scenario}-`));
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const outcome = await run(scenario, options, folder, (close) => void closers.unshift(close));
    const seconds = (performance.now() - from) / 1000;
    if (outcome.breaches.length > 0) return { ...outcome, seconds, folder };
    closers.push(async () => rmSync(folder, { recursive: true, force: true }));
    return { ...outcome, seconds };
  } catch (error) {
    throw new Error(`The run broke off; its logs lie in ${folder}`, { cause: error });
  } finally {
    for (const close of closers) await close();
  }
}

async function run(
  scenario: ScenarioName,
  options: ScenarioOptions,
  folder: string,
  atEnd: (close: () => Promise<unknown>) => void,
): Promise<Omit<Report, "seconds">> {
  const random = createRandom(options.seed);
  const fleet = await startFleet(devices, latencyMs[scenario] ?? usualLatencyMs);
  atEnd(fleet.stop);
  const receiver = await startReceiver(random);
  atEnd(receiver.stop);
  const pair = isPairScenario(scenario) ? await createPair(scenario, folder) : undefined;
  if (pair) atEnd(pair.stop);
  const kind = scenario === "sqld" || scenario === "postgres" ? scenario : options.store;
  const server = scenario === "file" || pair ? undefined : await createServer(folder, kind);
  if (server) atEnd(server.stop);
  const databaseUrl = pair?.url ?? server?.url;
  const env = { PATCHBAY_PLUGINS: writeStranger(folder) };
  const nodes: ChaosNode[] = [];
  for (const name of databaseUrl === undefined ? ["n1"] : ["n1", "n2"]) {
    const node = await createNode({ name, folder, databaseUrl, binary: options.binary, env });
    nodes.push(node);
    atEnd(node.stop);
    node.spawn();
    // One at a time, because the first node creates the tables and the shared key.
    await node.up();
  }
  const spans: Span[] = [];
  const told = pair && nodes[0] ? await doubtsTold(nodes[0]) : {};
  const progress = () => {
    const sent = fleet.sightings().filter(({ line }) => /\bjob-\d+$/.test(line)).length;
    return { sent: sent / options.jobs, accepted: load.accepted.length };
  };
  const trouble = pair
    ? pair.trouble({ random, progress, spans })
    : troubleOf(scenario, nodes, server, options.troubles, random, spans);
  const streams = makePlan({
    jobs: options.jobs,
    fleet,
    hookUrl: receiver.url,
    random,
    pushes: pair !== undefined,
  });
  const watch = startWatch(nodes);
  atEnd(watch.stop);
  const load = startLoad({
    streams,
    nodes,
    random: createRandom(options.seed + 1),
    progress: trouble.progress,
  });
  atEnd(async () => load.stop());
  await trouble.run();
  const troubled = performance.now();
  const mayLose = scenario === "asynchronous";
  await settled(load, watch, receiver, options.jobs, mayLose);
  const settledMs = performance.now() - troubled;
  // Time for violations to appear: a second run, a late command, a changed state.
  await pause(1_500);
  if (mayLose) watch.forget();
  await watch.look();
  const judged = judge({
    planned: options.jobs,
    accepted: load.accepted,
    jobs: watch.jobs,
    changes: watch.changes,
    sightings: fleet.sightings(),
    deliveries: receiver.taken,
  });
  const most = (values: readonly number[]) => Math.round(Math.max(0, ...values));
  const answered = (...statuses: Try["status"][]) =>
    load.tries.filter(({ status }) => statuses.includes(status));
  return {
    ...judged,
    breaches: [
      ...(mayLose ? lossesOf(judged, told) : judged.breaches),
      ...judgeTries(scenario, load, spans),
      ...((await pair?.faults()) ?? []).map((text): Breach => ({ kind: "state", text })),
    ],
    scenario,
    jobs: load.accepted.length,
    troubles: trouble.count(),
    figures: {
      settled_ms: Math.round(settledMs),
      slowest_start_ms: most(nodes.map((node) => node.slowestStartMs())),
      submissions: load.tries.length,
      unanswered: answered("none", "hung").length,
      answered_503: answered(503).length,
      slowest_503_ms: most(answered(503).map(({ ms }) => ms)),
      slowest_recovery_ms: most(spans.map((span) => recoveryMs(load.tries, span))),
      logins: fleet.logins(),
      ...told,
      ...(mayLose ? countOf(judged.breaches) : {}),
      ...ofStrangers(load, watch),
      webhooks: [...receiver.taken.values()].reduce((sum, all) => sum + all.length, 0),
      webhooks_refused: receiver.refused(),
    },
  };
}

function troubleOf(
  scenario: ScenarioName,
  nodes: readonly ChaosNode[],
  server: ChaosServer | undefined,
  wanted: number,
  random: Random,
  spans: Span[],
): Trouble {
  if (scenario === "freeze") return freezes(nodes, wanted, random);
  if (scenario === "outage" && server) return outages(server, wanted, spans);
  return kills(nodes, server, wanted, random);
}

async function settled(
  load: Load,
  watch: Watch,
  receiver: Receiver,
  planned: number,
  mayLose: boolean,
): Promise<void> {
  let before = -1;
  let moved = performance.now();
  for (;;) {
    await pause(200);
    const ended = [...watch.jobs.values()].filter(isOver).length;
    const now = load.accepted.length + ended + receiver.taken.size;
    if (now !== before) moved = performance.now();
    before = now;
    if (performance.now() - moved > standstillMs) return load.stop();
    if (load.accepted.length < planned) continue;
    if (mayLose) watch.forget();
    if (!(await watch.look())) continue;
    if (mayLose && watch.jobs.size > 0 && [...watch.jobs.values()].every(isOver)) return;
    const over = load.accepted.every((job) => {
      const record = watch.jobs.get(job.id);
      return record !== undefined && isOver(record) && (!job.hasWebhook || receiver.taken.has(job.id));
    });
    if (over) return;
  }
}

/** Figures of the jobs of the third-party driver. */
function ofStrangers(load: Load, watch: Watch): Record<string, number> {
  const records = load.accepted
    .filter(({ driver }) => driver === "stranger")
    .map(({ id }) => watch.jobs.get(id));
  const count = (is: (job: SeenJob) => boolean) => records.filter((job) => job && is(job)).length;
  return {
    stranger_jobs: records.length,
    stranger_finished: count(({ status }) => status === "finished"),
    stranger_unknown: count(({ result }) => result?.error?.outcome === "unknown"),
  };
}

/** Where a node says that a fail-over may lose something: 1, or 0. */
async function doubtsTold(node: ChaosNode): Promise<Record<string, number>> {
  const answer = await fetch(`${node.url}/readyz`);
  const says = (text: string, what: RegExp) => (what.test(text) ? 1 : 0);
  return {
    told_by_readyz: says(await answer.text(), /synchronous_standby_names is empty/),
    told_by_log: says(
      readFileSync(node.logFile, "utf8"),
      /synchronous_standby_names is empty.*store\.not_durable/,
    ),
  };
}

/** A loss is no breach if it was told before. */
function lossesOf({ breaches }: Verdict, told: Readonly<Record<string, number>>): Breach[] {
  const silent = Object.entries(told).filter(([, isTold]) => isTold === 0);
  if (breaches.some(({ kind }) => kind === "lost") && silent.length === 0) return [];
  const text = `${breaches.length} losses, not ${silent.map(([name]) => name)}`;
  return [{ kind: "state", text }];
}

function countOf(breaches: readonly Breach[]): Record<string, number> {
  const kinds = Object.entries(Object.groupBy(breaches, ({ kind }) => kind));
  return Object.fromEntries(kinds.map(([kind, all]) => [`loss_${kind}`, all.length]));
}

/** P8: time until a store that is back is used again. */
export const recoveryLimitMs = 15_000;
/** The promise is 3 s; the rest allows for a busy machine. */
const answerLimitMs = 5_000;

/** While the store is down, submissions must be answered at once with a Retry-After. */
function judgeTries(scenario: ScenarioName, load: Load, spans: readonly Span[]): Breach[] {
  const breaches = load.refusals.map((text): Breach => ({ kind: "state", text }));
  const hung = load.tries.filter(({ status }) => status === "hung").length;
  // A frozen process cannot answer; any other must.
  if (hung > 0 && scenario !== "freeze" && !isPairScenario(scenario))
    breaches.push({ kind: "state", text: `${hung} submissions got no response` });
  for (const span of spans) {
    for (const one of load.tries) {
      if (one.at < span.from + 200 || one.at + one.ms > span.to) continue;
      // A server that is restarted may still take some.
      const isPair = isPairScenario(scenario);
      if (isPair && (one.status === 200 || one.status === 201)) continue;
      if (one.status !== 503 || !one.retryAfter || (one.ms > answerLimitMs && !isPair))
        breaches.push({
          kind: "state",
          text: `a submission while the store was down: ${one.status}, Retry-After ${one.retryAfter}, ${Math.round(one.ms)} ms`,
        });
    }
    if (recoveryMs(load.tries, span) > recoveryLimitMs && !isPairScenario(scenario))
      breaches.push({
        kind: "state",
        text: `no submission was accepted within ${recoveryLimitMs} ms after the store was back`,
      });
  }
  return breaches;
}

function recoveryMs(tries: readonly Try[], span: Span): number {
  const taken = tries.filter((one) => typeof one.status === "number" && one.status < 300);
  return Math.min(...taken.map((one) => one.at + one.ms - span.to).filter((ms) => ms > 0));
}

/** A PostgreSQL primary and its standby, and what happens to them while nodes push. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pause } from "../../src/base/time/deadline.ts";
import { endPostgres, type Postgres, promote, startPostgres, startStandby } from "../testbed/postgres.ts";
import type { Random } from "./random.ts";
import type { Span, Trouble } from "./trouble.ts";

/**
 * `failover`: the primary ends at once, and its standby is promoted. `return`: then the former primary starts again,
 * as it was. `takeover`: it is suspended, not ended, and goes on after the promotion. `asynchronous`: as `failover`,
 * with a standby that commits do not wait for, and that is behind. `pause`: it is suspended for a while. `fast`,
 * `immediate`: it is restarted. `cuts`: all its connections are ended, several times.
 */
export const pairScenarios = [
  ...(["failover", "return", "takeover", "asynchronous"] as const),
  ...(["pause", "fast", "immediate", "cuts"] as const),
];
export type PairScenario = (typeof pairScenarios)[number];

export const isPairScenario = (name: string): name is PairScenario =>
  pairScenarios.some((known) => known === name);

export interface Pair {
  /** With both hosts. */
  readonly url: string;
  /** The one that accepts writes. */
  now(): Postgres;
  trouble(tools: PairTools): Trouble;
  /** What the loss of a primary left behind in the other. */
  faults(): Promise<string[]>;
  /** Leaves the logs of the servers in the folder of those of the nodes. */
  stop(): Promise<void>;
}

interface PairTools {
  readonly random: Random;
  /** The share of the lines that the devices have received, and the number of jobs that were accepted. */
  progress(): { sent: number; accepted: number };
  readonly spans: Span[];
}

const database = "patchbay";
const logged = ["log_line_prefix = '%m %p %a '", "log_min_duration_statement = 1s", "log_checkpoints = on"];
const standbyName = "standby";
const pauseMs = 20_000;
const cuts = 6;
/** So that jobs are accepted while the devices receive those before. */
const ahead = 0.2;
/** Of an asynchronous standby, before the primary ends: jobs that were accepted meanwhile. */
const behind = 25;

export async function createPair(scenario: PairScenario, folder: string): Promise<Pair> {
  const primary = await startPostgres({ durable: true, settings: logged });
  await primary.create(database);
  const standby = await startStandby(primary, standbyName);
  if (scenario !== "asynchronous") await synchronise(primary);
  let first = primary;
  let now = primary;

  async function change(tools: PairTools): Promise<Span> {
    const from = Date.now();
    const since = (at = Date.now()) => ({ from, to: at });
    switch (scenario) {
      case "asynchronous":
        await fallBehind(first, tools);
        await first.kill();
        return since(await promoted());
      case "failover":
      case "return": {
        await first.kill();
        const at = await promoted();
        if (scenario === "return") first = await first.again();
        return since(at);
      }
      case "takeover": {
        first.freeze();
        const at = await promoted();
        await pause(pauseMs);
        first.thaw();
        return since(at);
      }
      case "pause":
        first.freeze();
        await pause(pauseMs);
        first.thaw();
        return since();
      case "fast":
      case "immediate":
        // The process that this one started ends; another takes its place.
        await endPostgres(first, scenario);
        first = await first.again();
        now = first;
        return since();
      case "cuts":
        for (let at = 0; at < cuts; at++) {
          await first.sql(endAll);
          await pause(200 + tools.random.below(800));
        }
        return since();
    }
  }

  async function promoted(): Promise<number> {
    await promote(standby);
    now = standby;
    return Date.now();
  }

  return {
    url: `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${database}?target_session_attrs=read-write`,
    now: () => now,
    trouble(tools) {
      let done = 0;
      let sent = 0;
      const share = 0.1 + tools.random.next() * 0.5;
      return {
        count: () => done,
        progress: () => (sent < share ? Math.min(1, sent + ahead) : 1),
        async run() {
          while (sent < share) {
            await pause(100);
            sent = tools.progress().sent;
          }
          tools.spans.push(await change(tools));
          done++;
        },
      };
    },
    async faults() {
      const stuck = await now.sql(stuckLocks, database);
      const garbled = now.log().match(/.*invalid (length of startup packet|frontend message).*/g) ?? [];
      return [...stuck.map(([what]) => `is held for ever: ${what}`), ...garbled];
    },
    async stop() {
      for (const server of new Set([primary, first, standby])) {
        const name = server === standby ? "standby" : "primary";
        appendFileSync(join(folder, `${name}.log`), server.log());
        server.thaw();
        await server.stop();
      }
    },
  };
}

const endAll = `select pg_terminate_backend(pid) from pg_stat_activity
where backend_type = 'client backend' and pid <> pg_backend_pid()`;

/** Of transactions that take milliseconds. */
const stuckLocks = `select l.locktype || ' ' || a.query from pg_locks l join pg_stat_activity a using (pid)
where l.locktype in ('advisory', 'transactionid') and a.xact_start < now() - interval '30 s'
union all select 'prepared ' || gid from pg_prepared_xacts`;

async function synchronise(primary: Postgres): Promise<void> {
  await primary.sql(`alter system set synchronous_standby_names = '${standbyName}'`);
  await primary.sql("select pg_reload_conf()");
  const isSynchronous = "select 1 from pg_stat_replication where sync_state = 'sync'";
  while ((await primary.sql(isSynchronous)).length === 0) await pause(50);
}

/** Suspends what sends to the standby, which is behind by some jobs then, as over a slow line. */
async function fallBehind(primary: Postgres, { progress }: PairTools): Promise<void> {
  for (const [pid] of await primary.sql("select pid from pg_stat_replication"))
    process.kill(Number(pid), "SIGSTOP");
  const before = progress().accepted;
  while (progress().accepted < before + behind && progress().sent < 1) await pause(10);
}

/** Runs PostgreSQL of Debian on a loopback port and a socket in a folder of its own, by a user that is not root. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import postgres from "postgres";
import { pause } from "../../src/base/time/deadline.ts";
import { addressOf } from "../../src/store/postgres/database/address.ts";
import { upgrade } from "../../src/store/postgres/database/open.ts";
import { runFolderVariable } from "../../test/support/run-folder.ts";
import { isRoot } from "./catalogue.ts";
import { withLockMeanwhile } from "./lock.ts";
import { makeFolder, type Running, signalProcess, startServer } from "./process.ts";

export interface Postgres {
  readonly port: number;
  readonly pid: number;
  /** The folder of its socket, and of its data (`data`). */
  readonly folder: string;
  /** `postgres://…` of a database. */
  url(database: string): string;
  /** Runs a statement in a database, `postgres` if none is named. */
  sql(text: string, database?: string): Promise<readonly (readonly unknown[])[]>;
  /** For many statements: a connection that stays open until the server stops. */
  session(database: string): (text: string) => Promise<readonly (readonly unknown[])[]>;
  /** A new database, made like another one. */
  create(database: string, template?: string): Promise<void>;
  drop(database: string): Promise<void>;
  log(): string;
  /** `kill -9` of all its processes; its data stays. */
  kill(): Promise<void>;
  /** After `kill`, on the same data and port. */
  again(): Promise<Postgres>;
  /** Stops all its processes, or lets them go on. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Lines for postgresql.conf. */
  readonly settings?: readonly string[];
  /** Whether what is committed is on disk; tests of anything else do without. */
  readonly durable?: boolean;
}

/** In a run of the tests every server has this database with the schema, to make others like it. */
export const blank = "blank";
const quick = ["fsync = off", "synchronous_commit = off", "full_page_writes = off", "autovacuum = off"];
export const user = "postgres";

/** The newest that is installed. */
export function postgresPrograms(): string {
  const base = "/usr/lib/postgresql";
  const [newest = "15"] = readdirSync(base).sort((a, b) => Number(b) - Number(a));
  return join(base, newest, "bin");
}

/** A command of PostgreSQL; as root it runs as its own user. */
export function asPostgres(command: readonly string[]): readonly string[] {
  return isRoot() ? ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--init-groups", ...command] : command;
}

function runPostgresProgram(program: string, ...args: readonly string[]): void {
  const [first = "", ...rest] = asPostgres([join(postgresPrograms(), program), ...args]);
  const { status, stderr } = spawnSync(first, rest, {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

export async function startPostgres({
  settings = [],
  durable = false,
}: PostgresOptions = {}): Promise<Postgres> {
  const { folder, data } = makeData();
  await fillData(data);
  const lines = [...(durable ? [] : quick), "max_connections = 200", ...settings];
  appendFileSync(join(data, "postgresql.conf"), `${lines.join("\n")}\n`);
  return startOn(folder, data);
}

/** A copy of a server that follows it, under a name for `synchronous_standby_names`. */
export function startStandby(primary: Pick<Postgres, "port">, name: string): Promise<Postgres> {
  const follows = `host=127.0.0.1 port=${primary.port} user=${user} application_name=${name}`;
  // Promoted it has no standby of its own, for which commits would wait.
  return startCopy(["-d", follows, "-R", "-c", "fast", "--no-sync"], ["synchronous_standby_names = ''"]);
}

/** @param how the arguments of `pg_basebackup` but for the folder */
export async function startCopy(how: readonly string[], settings: readonly string[] = []): Promise<Postgres> {
  const { folder, data } = makeData();
  runPostgresProgram("pg_basebackup", ...how, "-D", data);
  appendFileSync(join(data, "postgresql.auto.conf"), `${settings.join("\n")}\n`);
  return startOn(folder, data);
}

/** A server on a copy of the folder of another one's data. */
export function startOnCopy(of: string): Promise<Postgres> {
  const { folder, data } = makeData();
  cpSync(of, data, { recursive: true });
  if (isRoot()) {
    const { uid, gid } = idsOf(user);
    for (const name of readdirSync(data, { recursive: true, encoding: "utf8" }))
      chownSync(join(data, name), uid, gid);
  }
  return startOn(folder, data);
}

/** Makes a standby the primary; its process goes on meanwhile. */
export async function promote(standby: Pick<Postgres, "sql">): Promise<void> {
  const [[isPromoted] = []] = await standby.sql("select pg_promote(true, 60)");
  if (isPromoted !== true) throw new Error("the standby was not promoted");
}

/** As `pg_ctl stop`, after which it can be started again: `fast` ends its sessions, `immediate` is a crash. */
export async function endPostgres({ pid }: Pick<Postgres, "pid">, how: "fast" | "immediate"): Promise<void> {
  signal([pid], how === "fast" ? "SIGINT" : "SIGQUIT");
  await expectGone([pid]);
}

function makeData() {
  const folder = makeFolder("postgres");
  const data = join(folder.path, "data");
  makeOwned(data);
  if (isRoot()) chownSync(folder.path, statSync(data).uid, statSync(data).gid);
  return { folder, data };
}

function makeOwned(path: string): void {
  mkdirSync(path, { mode: 0o700 });
  if (!isRoot()) return;
  const { uid, gid } = idsOf(user);
  chownSync(path, uid, gid);
}

/**
 * In a run of the tests copied from the first: making it takes a second of CPU time, and its schema half a second. All
 * have one system identifier.
 */
async function fillData(data: string): Promise<void> {
  const run = process.env[runFolderVariable];
  if (run === undefined) {
    initialise(data);
    return;
  }
  const first = join(run, "postgres");
  if (!existsSync(first))
    await withLockMeanwhile("postgres", async () => {
      if (!existsSync(first)) await makeFirst(first);
    });
  execFileSync("cp", ["-a", "--reflink=auto", `${first}/.`, data]);
}

async function makeFirst(first: string): Promise<void> {
  const { folder, data } = makeData();
  initialise(data);
  const server = await startOn(folder, data);
  await server.create(blank);
  await upgrade(addressOf(server.url(blank)));
  await endPostgres(server, "fast");
  renameSync(data, first);
  await server.stop();
}

function initialise(data: string): void {
  runPostgresProgram("initdb", "-D", data, "-U", user, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N");
}

async function startOn(
  folder: ReturnType<typeof makeFolder>,
  data: string,
  port?: number,
): Promise<Postgres> {
  const running = await startServer((port) => launchOf(data, port), { port });
  await running.said(/ready to accept/);
  return serverOn(running, folder, data);
}

function launchOf(data: string, port: number) {
  const program = join(postgresPrograms(), "postgres");
  const socket = join(data, "..");
  return {
    command: asPostgres([program, "-D", data, "-p", String(port), "-k", socket, "-h", "127.0.0.1"]),
  };
}

function serverOn(running: Running, place: ReturnType<typeof makeFolder>, data: string): Postgres {
  const { port } = running;
  const options = { host: "127.0.0.1", port, user, max: 1, onnotice: () => {} };
  const admin = postgres({ ...options, database: "postgres" });
  const sessions = [admin];
  const endSessions = () => Promise.all(sessions.map((one) => one.end({ timeout: 0 })));
  return {
    port,
    pid: running.pid,
    folder: place.path,
    url: (database) => `postgres://${user}@127.0.0.1:${port}/${database}`,
    async sql(text, database) {
      if (database === undefined) return rowsOf(await admin.unsafe(text).values());
      const sql = postgres({ ...options, database });
      try {
        return rowsOf(await sql.unsafe(text).values());
      } finally {
        await sql.end();
      }
    },
    session(database) {
      const sql = postgres({ ...options, database });
      sessions.push(sql);
      return async (text) => rowsOf(await sql.unsafe(text).values());
    },
    async create(database, template = "template1") {
      await admin.unsafe(`create database ${database} template ${template}`);
    },
    async drop(database) {
      await admin.unsafe(`drop database if exists ${database} with (force)`);
    },
    log: running.log,
    async kill() {
      await endSessions();
      // Those of a session end by themselves only when they notice that the first has.
      const all = [running.pid, ...running.descendants()];
      for (const pid of all) signalProcess(pid, "SIGKILL");
      await running.stop();
      await expectGone(all);
    },
    again: () => startOn(place, data, port),
    freeze: () => signal([running.pid, ...running.descendants()], "SIGSTOP"),
    thaw: () => signal([...running.descendants(), running.pid], "SIGCONT"),
    async stop() {
      await endSessions();
      await running.stop();
      place.remove();
    },
  };
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) signalProcess(pid, name);
}

/** The port and the data are free again. */
async function expectGone(pids: readonly number[]): Promise<void> {
  const isRunning = (pid: number) => {
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  };
  while (pids.some(isRunning)) await pause(5);
}

const rowsOf = (found: Iterable<unknown>): (readonly unknown[])[] =>
  [...found].map((row) => (Array.isArray(row) ? row : []));

export function idsOf(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout);
  return { uid: id("-u"), gid: id("-g") };
}

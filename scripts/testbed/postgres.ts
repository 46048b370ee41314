/** Runs PostgreSQL of Debian on a loopback port and a socket in a folder of its own, by a user that is not root. */
import { spawnSync } from "node:child_process";
import { appendFileSync, chownSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { isRoot } from "./catalogue.ts";
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
  /** A new database, made like another one. */
  create(database: string, template?: string): Promise<void>;
  drop(database: string): Promise<void>;
  log(): string;
  /** `kill -9` of all its processes; its data stays. */
  kill(): Promise<void>;
  /** After `kill`, on the same data and port. */
  again(): Promise<Postgres>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Lines for postgresql.conf. */
  readonly settings?: readonly string[];
  /** Whether what is committed is on disk; tests of anything else do without. */
  readonly durable?: boolean;
}

const quick = ["fsync = off", "synchronous_commit = off", "full_page_writes = off", "autovacuum = off"];
const user = "postgres";

/** The newest that is installed. */
export function postgresPrograms(): string {
  const base = "/usr/lib/postgresql";
  const [newest = "15"] = readdirSync(base).sort((a, b) => Number(b) - Number(a));
  return join(base, newest, "bin");
}

/** A command of PostgreSQL; as root it runs as its own user. */
function asPostgres(command: readonly string[]): readonly string[] {
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
  runPostgresProgram("initdb", "-D", data, "-U", user, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N");
  const lines = [...(durable ? [] : quick), "max_connections = 200", ...settings];
  appendFileSync(join(data, "postgresql.conf"), `${lines.join("\n")}\n`);
  return startOn(folder, data);
}

/** A copy of a server that follows it, under a name for `synchronous_standby_names`. */
export async function startStandby(primary: Postgres, name: string): Promise<Postgres> {
  const { folder, data } = makeData();
  const from = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", user];
  runPostgresProgram("pg_basebackup", ...from, "-D", data, "-c", "fast", "-X", "stream");
  writeFileSync(join(data, "standby.signal"), "");
  const follows = `host=127.0.0.1 port=${primary.port} user=${user} application_name=${name}`;
  // Promoted it has no standby of its own, for which commits would wait.
  const lines = [`primary_conninfo = '${follows}'`, "synchronous_standby_names = ''"];
  appendFileSync(join(data, "postgresql.auto.conf"), `${lines.join("\n")}\n`);
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

/** Makes a standby the primary. */
export function promote({ folder }: Postgres): void {
  runPostgresProgram("pg_ctl", "promote", "-D", join(folder, "data"), "-w");
}

function makeData() {
  const folder = makeFolder("postgres");
  const data = join(folder.path, "data");
  mkdirSync(data, { mode: 0o700 });
  if (isRoot()) {
    const { uid, gid } = idsOf(user);
    for (const path of [folder.path, data]) chownSync(path, uid, gid);
  }
  return { folder, data };
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
    async create(database, template = "template1") {
      await admin.unsafe(`create database ${database} template ${template}`);
    },
    async drop(database) {
      await admin.unsafe(`drop database if exists ${database} with (force)`);
    },
    log: running.log,
    async kill() {
      await admin.end({ timeout: 0 });
      for (const pid of [running.pid, ...running.descendants()]) signalProcess(pid, "SIGKILL");
      await running.stop();
    },
    again: () => startOn(place, data, port),
    async stop() {
      await admin.end({ timeout: 0 });
      await running.stop();
      place.remove();
    },
  };
}

const rowsOf = (found: Iterable<unknown>): (readonly unknown[])[] =>
  [...found].map((row) => (Array.isArray(row) ? row : []));

function idsOf(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout);
  return { uid: id("-u"), gid: id("-g") };
}

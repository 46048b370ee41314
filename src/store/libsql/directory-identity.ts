/**
 * Detects a copied data directory: the original may have run the jobs queued in the copy, so they are held. `home.id`
 * identifies the directory. `home.<n>` is recreated every few seconds, with the same number in the database. The files
 * of a copy have later birth times, and an earlier state restored in place has a lower number than the directory.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { ServiceError } from "../../base/errors.ts";
import type { DirectoryIdentity } from "../port.ts";
import type { Database } from "../sql/database.ts";
import { number, orNull, rowShape, text, truth } from "../sql/rows.ts";
import type { Statement } from "../sql/statement.ts";
import { holdChanges } from "../statements/changes/copied-changes.ts";
import { itself, ledgerEntry } from "../statements/ledger/entries.ts";
import { holdSchedules } from "../statements/schedules/copied-schedules.ts";
import { homeFile } from "./database/file/writable.ts";

const stepName = /^home\.(\d{1,15})$/;

/** @throws ServiceError Unavailable if this directory was used and its database is gone or empty */
export function requireDatabase(directory: string, database: string): void {
  if (readBirthMarker(join(directory, homeFile)) === undefined) return;
  const stat = statSync(database, { throwIfNoEntry: false });
  if (stat !== undefined && stat.size > 0) return;
  const fault = stat === undefined ? "is missing" : "is empty";
  throw new ServiceError(
    "Unavailable",
    `The database file ${database} ${fault}, though this data directory was used before (${homeFile}). Put it back with \`patchbay restore <backup>\`, or remove ${join(directory, homeFile)} to start without the jobs and keys it held.`,
  );
}

/** Reads only the files: for a node on a shared server, since copying a directory copies no jobs there. */
export function directoryIdOf(directory: string): string {
  const path = join(directory, homeFile);
  const mark = readBirthMarker(path);
  if (mark?.original) return mark.text;
  const id = randomUUID();
  writeBirthMarker(path, id);
  return id;
}

/**
 * @param restored the database was just put here, so its record of its directory is ignored
 * @throws ServiceError Unavailable
 */
export async function openDirectoryIdentity(
  directory: string,
  database: Database,
  restored: boolean,
): Promise<DirectoryIdentity> {
  const files = filesOf(directory);
  const recorded = await recordedIn(database, files.id?.text);
  const why = restored ? "the database was restored from a copy" : reasonOf(files, recorded);
  const id = why === undefined && files.id !== undefined ? files.id.text : randomUUID();
  const first = Math.max(files.step, recorded.step) + 1;
  const copied = why === undefined ? undefined : { why, ...(await hold(database, why)) };
  // The jobs are held first: a start that is interrupted here detects the copy again, with nothing left to hold.
  await database.write([setMeta("home", id), setMeta("home_step", String(first))], { patienceMs: longMs });
  if (files.id?.text !== id) writeBirthMarker(join(directory, homeFile), id);
  stepTo(directory, first, id);
  let step = first;
  return {
    id,
    copied,
    async advance() {
      // The database is written first, so it is never behind the directory, wherever this is interrupted.
      await database.write([setMeta("home_step", String(step + 1))], { essential: true });
      step++;
      stepTo(directory, step, id);
    },
  };
}

/**
 * For a database that was moved into a directory: no other one runs its jobs, so none is held.
 * @returns what makes it that of the directory
 */
export function adoptDatabase(directory: string): readonly Statement[] {
  const id = directoryIdOf(directory);
  const step = filesOf(directory).step + 1;
  stepTo(directory, step, id);
  return [setMeta("home", id), setMeta("home_step", String(step))];
}

const longMs = 60_000;

interface Files {
  readonly id: ReturnType<typeof readBirthMarker>;
  /** The highest number; 0 if there is none. */
  readonly step: number;
  readonly original: boolean;
}

function filesOf(directory: string): Files {
  const steps = stepsOf(directory)
    .map((step) => ({ step, mark: readBirthMarker(join(directory, `home.${step}`)) }))
    .filter(({ mark }) => mark !== undefined)
    .sort((a, b) => b.step - a.step);
  const [top] = steps;
  return {
    id: readBirthMarker(join(directory, homeFile)),
    step: top?.step ?? 0,
    original: top?.mark?.original ?? true,
  };
}

function stepsOf(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => {
    const step = stepName.exec(name)?.[1];
    return step === undefined ? [] : [Number(step)];
  });
}

function stepTo(directory: string, step: number, id: string): void {
  writeBirthMarker(join(directory, `home.${step}`), id);
  for (const old of stepsOf(directory))
    if (old !== step) rmSync(join(directory, `home.${old}`), { force: true });
}

/** The database's record of its directory. */
interface RecordedHome {
  readonly id: string | null;
  /** 0: the database is new, or of a version without these numbers. */
  readonly step: number;
  /** Nodes have used the database. */
  readonly used: boolean;
  /** One of them ran in this directory. */
  readonly usedHere: boolean;
}

const recordedRow = rowShape({
  id: orNull(text("id", "(select value from meta where key = 'home')")),
  step: number("step", "coalesce((select cast(value as integer) from meta where key = 'home_step'), 0)"),
  used: truth("used", "exists (select 1 from nodes)"),
  usedHere: truth("used_here", "exists (select 1 from nodes where home = :home)"),
});

async function recordedIn(database: Database, home: string | undefined): Promise<RecordedHome> {
  const answer = await database.read({ sql: `select ${recordedRow.columns}`, args: { home: home ?? "" } });
  const { rows, damaged } = database.readable(recordedRow, answer);
  const [recorded] = rows;
  // A record that cannot be read is not of this directory: its jobs are held.
  if (damaged[0] !== undefined) return { id: "", step: 0, used: true, usedHere: false, ...damaged[0].fields };
  return recorded ?? { id: null, step: 0, used: false, usedHere: false };
}

function reasonOf({ id, step, original }: Files, recorded: RecordedHome): string | undefined {
  if (step > recorded.step)
    return "the database is older than its directory: an earlier state was restored in its place";
  if (recorded.id === null && !recorded.used) return undefined;
  if (id === undefined) return "the database was brought from another directory";
  if (!id.original || !original) return "the directory is a copy of another one";
  const isHere = recorded.id === null ? recorded.usedHere : recorded.id === id.text;
  if (!isHere) return "the database was brought from another directory";
  return recorded.id !== null && step === 0 ? "the database was brought from another directory" : undefined;
}

/** Holds everything that may run, or may have run, in the original. */
async function hold(database: Database, why: string): Promise<{ held: number; sending: number }> {
  const at = database.clock.wall();
  const [timed, queued, claimed, sending] = await database.write(
    [
      // Jobs that waited for a time or their bulk now wait for a release, too.
      { sql: "update jobs set due_t = null where status = 'held' and due_t is not null", args: {} },
      { sql: "update jobs set status = 'held' where status = 'queued'", args: {} },
      {
        sql: `update jobs set status = 'held', node = null, generation = null, worker = null, claim = null,
  started_at = null, queue_ms = null, stop = null
where status = 'running' and sending_at is null`,
        args: {},
      },
      // Not restarted here, whatever retries were allowed: recovery fails them, with the lines that may have been sent.
      { sql: "update jobs set retries = 0 where status = 'running'", args: {} },
      {
        sql: `insert into audit (at, ended_at, who, action, outcome, detail)
values (:at, :at, 'patchbay (start)', 'store.copied', 'held', :why)`,
        args: { at, why },
      },
      ledgerEntry(database, "store.copied", itself, { detail: why }),
      ...holdSchedules,
      ...holdChanges(at),
      // Some may have been ended since the copy was made.
      { sql: "delete from login_sessions", args: {} },
    ],
    { patienceMs: longMs },
  );
  const held = [timed, queued, claimed].reduce((sum, rows) => sum + (rows?.changes ?? 0), 0);
  return { held, sending: sending?.changes ?? 0 };
}

function setMeta(key: string, value: string): Statement {
  return {
    sql: `insert into meta (key, value) values (:key, :value)
on conflict (key) do update set value = excluded.value`,
    args: { key, value },
  };
}

/**
 * Marker files that detect being copied: each contains its own birth time, which a copy does not keep. On file systems
 * without birth times (NFS before 4.2, some FUSE) the inode number is used instead.
 */
interface BirthMarker {
  readonly text: string;
  /** False: the file is a copy. */
  readonly original: boolean;
}

/** The file is complete and fsynced before this returns. */
function writeBirthMarker(path: string, text: string): void {
  rmSync(path, { force: true });
  const handle = openSync(path, "wx", 0o600);
  try {
    writeSync(handle, `${text}\n${birthOf(fstatSync(handle, { bigint: true }))}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Undefined if there is none. A file without a birth time was written by an older version and counts as original. */
function readBirthMarker(path: string): BirthMarker | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const [text = "", birth = ""] = readFileSync(path, "utf8").split("\n");
  if (text === "") return undefined;
  return { text, original: birth === "" || birth === birthOf(stat) || sameInode(birth, stat) };
}

type Stat = Pick<ReturnType<typeof fstatSync>, never> & { birthtimeNs: bigint; ino: bigint };

function birthOf({ birthtimeNs, ino }: Stat): string {
  return `${birthtimeNs} ${ino}`;
}

/** Only if the birth time is missing on one of the two file systems. */
function sameInode(birth: string, { birthtimeNs, ino }: Stat): boolean {
  const [bornThen, inodeThen] = birth.split(" ");
  if (bornThen !== "0" && birthtimeNs !== 0n) return bornThen === String(birthtimeNs);
  return inodeThen === String(ino);
}

/** Replay devices that answer with NAPALM's recorded responses, which are stored next to the checkout. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import * as v from "valibot";
import { withLock } from "./lock.ts";
import { shared } from "./shared.ts";

const casesFile = () => shared("corpora/napalm/cases.jsonl");
/** Below node_modules, because it also holds their packages. */
const cache = resolve("node_modules/.cache/patchbay-replay");

export const login = { username: "admin", password: "admin", secret: "enable" } as const;

const replayCase = v.looseObject({
  id: v.string(),
  driver: v.string(),
  getter: v.string(),
  calls: v.array(v.looseObject({ method: v.string(), kwargs: v.record(v.string(), v.unknown()) })),
  files: v.record(v.string(), v.string()),
  expected: v.unknown(),
});
/** One line of the corpus; its README describes all fields. */
export type ReplayCase = v.InferOutput<typeof replayCase>;

export interface ReplayOptions {
  readonly host?: string;
  readonly port?: number;
  /** False: the terminal starts in user mode. */
  readonly privileged?: boolean;
  readonly netconfBase?: "1.0" | "1.1";
}

export interface ReplayRequest {
  /** The request in the terms of the transport. */
  readonly request: unknown;
  /** The recorded file, `built-in`, or null: refused. */
  readonly answer: string | null;
}

export interface ReplayDevice {
  /** eAPI and NX-API: https. */
  readonly port: number;
  readonly http_port?: number;
  readonly log: readonly ReplayRequest[];
  close(): Promise<void>;
}

let cases: readonly ReplayCase[] | undefined;

/** All recorded cases. @throws if they are missing */
export function replayCases(): readonly ReplayCase[] {
  cases ??= readFileSync(casesFile(), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => v.parse(replayCase, JSON.parse(line)));
  return cases;
}

export function replayCaseOf(id: string): ReplayCase {
  const found = replayCases().find((one) => one.id === id);
  if (found === undefined) throw new Error(`${casesFile()} has no case ${id}`);
  return found;
}

interface Replay {
  startReplay(one: ReplayCase, options?: ReplayOptions): Promise<ReplayDevice>;
}

/**
 * Starts the device of a case: it speaks its system's transport on a port of 127.0.0.1 and answers from the
 * case's files.
 */
export async function startReplay(one: ReplayCase, options?: ReplayOptions): Promise<ReplayDevice> {
  const replay: Replay = await import(pathToFileURL(join(replayFolder(), "replay/index.mjs")).href);
  return replay.startReplay(one, options);
}

/** A copy of the devices with their packages, created once per version. */
export function replayFolder(): string {
  const source = shared("replay");
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/node_modules/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(readFileSync(file));
  const folder = join(cache, hash.digest("hex").slice(0, 16));
  if (!existsSync(folder)) withLock("replay", () => existsSync(folder) || makeCopy(source, files, folder));
  return folder;
}

function makeCopy(source: string, files: readonly string[], folder: string): void {
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, "making-"));
  try {
    for (const file of files) cpSync(file, join(making, file.slice(source.length)));
    const install = ["install", "--production", "--ignore-scripts", "--silent"];
    const run = spawnSync(process.execPath, install, { cwd: making, encoding: "utf8" });
    if (run.status !== 0) throw new Error(`the packages of ${source}: ${run.stderr}${run.stdout}`.trim());
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

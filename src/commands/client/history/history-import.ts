/** `patchbay history import`: versions that Oxidized or RANCID kept in Git. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { historyLimits } from "../../../api/history/history.ts";
import { importAnswer, importLimits } from "../../../api/history/history-import.ts";
import { reader } from "../../../api/schema.ts";
import { ServiceError, toErrorData } from "../../../base/errors.ts";
import { shown } from "../../../base/text/terminal-text.ts";
import {
  formatOf,
  type KeptVersion,
  keptFormats,
  keptVersions,
  type LeftOut,
} from "../../../client/input/kept-versions.ts";
import { plural } from "../../../client/output/numbers.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clientCommand, openSession, runToExit, type Session, withServer } from "../parts/action.ts";

/** Of one request. */
const batchChars = 2 * 1024 * 1024;
const maxTold = 10;

interface ImportFlags extends ServerFlags {
  readonly format?: string;
  readonly group?: string;
  readonly dryRun?: boolean;
}

export function defineImport(group: Command): void {
  const command = clientCommand(
    group,
    "import <path>",
    "import the versions in a clone of Oxidized's or RANCID's Git repository; again, it adds nothing. Needs a key of scope admin",
  )
    .option("--format <format>", "oxidized or rancid (default: by the folders)")
    .option("--group <group>", "group of devices that the inventory does not have (default: the folder)")
    .option("--dry-run", "only count what would be sent");
  withServer(command).action((path: string, flags: ImportFlags) =>
    runToExit(async (surroundings) => {
      const signal = new AbortController().signal;
      await importFrom(resolve(path), flags, openSession(flags, surroundings), signal);
      return exitCodes.good;
    }),
  );
}

interface Tally {
  read: number;
  added: number;
  known: number;
  unchanged: number;
  readonly devices: Set<string>;
  readonly unlisted: Set<string>;
  readonly leftOut: Map<LeftOut["why"], string[]>;
}

async function importFrom(
  path: string,
  flags: ImportFlags,
  session: Session,
  signal: AbortSignal,
): Promise<void> {
  const { group, dryRun = false } = flags;
  const { terminal } = session;
  const format =
    keptFormats.find((name) => name === flags.format) ?? (await formatIn(path, flags.format, signal));
  const tally: Tally = {
    ...{ read: 0, added: 0, known: 0, unchanged: 0 },
    ...{ devices: new Set(), unlisted: new Set(), leftOut: new Map() },
  };
  const onLeftOut = ({ path: file, why }: LeftOut) => noteLeftOut(tally, file, why);
  let batch: KeptVersion[] = [];
  let chars = 0;
  const flush = async () => {
    if (batch.length > 0 && !dryRun) await send(batch, tally, session);
    batch = [];
    chars = 0;
    terminal.progress(`${plural(tally.read, "version")} read, ${tally.added} added`);
  };
  for await (const version of keptVersions({
    path,
    format,
    group,
    maxChars: historyLimits.textChars,
    signal,
    onLeftOut,
  })) {
    tally.read += 1;
    tally.devices.add(version.device);
    if (batch.length >= importLimits.versions || chars + version.text.length > batchChars) await flush();
    batch.push(version);
    chars += version.text.length;
  }
  await flush();
  terminal.progress(undefined);
  for (const sentence of sentencesOf(tally, dryRun)) terminal.note(sentence);
}

async function formatIn(path: string, given: string | undefined, signal: AbortSignal) {
  if (given !== undefined)
    throw new ServiceError("Validation", `--format must be one of ${keptFormats.join(", ")}.`);
  return formatOf(path, signal);
}

const answer = reader(importAnswer);

async function send(versions: readonly KeptVersion[], tally: Tally, { api }: Session): Promise<void> {
  try {
    const options = { method: "POST", body: { versions }, patient: true } as const;
    const { added, known, unchanged, unlisted } = await api.call("/history/import", answer, options);
    tally.added += added;
    tally.known += known;
    tally.unchanged += unchanged;
    for (const name of unlisted) tally.unlisted.add(name);
  } catch (error) {
    const [only] = versions;
    // One that the server does not take does not keep out the others.
    if (toErrorData(error).kind !== "PayloadTooLarge" || versions.length !== 1 || only === undefined)
      throw error;
    noteLeftOut(tally, only.device, "too large");
  }
}

function noteLeftOut({ leftOut }: Tally, path: string, why: LeftOut["why"]): void {
  const paths = leftOut.get(why) ?? [];
  leftOut.set(why, paths);
  if (!paths.includes(path) && paths.length <= maxTold) paths.push(path);
}

const reasons: Readonly<Record<LeftOut["why"], string>> = {
  binary: "Left out, as they are binary",
  "too large": "Left out, as they are too large",
  "no device": "Left out, as they are no files of devices",
  "a link": "Left out, as they are links or submodules",
};

function sentencesOf(tally: Tally, dryRun: boolean): string[] {
  const { read, added, known, unchanged, devices, unlisted, leftOut } = tally;
  const found = `${plural(read, "version")} of ${plural(devices.size, "device")}`;
  const counts = `${added} added, ${known} already there, ${unchanged} equal to the version before`;
  const listed = (names: readonly string[]) => {
    const some = names.slice(0, maxTold).map(shown).join(", ");
    return names.length > maxTold ? `${some}, and others` : some;
  };
  return [
    dryRun ? `${found} would be sent.` : `${found}: ${counts}.`,
    ...(unlisted.size === 0
      ? []
      : [`Not in the inventory, kept under their names: ${listed([...unlisted])}.`]),
    ...[...leftOut].map(([why, paths]) => `${reasons[why]}: ${listed(paths)}.`),
  ];
}

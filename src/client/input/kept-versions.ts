/**
 * Versions in a Git repository of Oxidized or RANCID, or of this service: every commit of the branch that changes a
 * device's file, the oldest first. Read by streams, as a repository may have 100,000 commits.
 */
import type { Readable } from "node:stream";
import type { ConfigurationPart } from "../../base/configuration-parts.ts";
import { ServiceError } from "../../base/errors.ts";
import { type GitOptions, type GitProcess, runGit, startGit } from "../../base/git/git.ts";

export const keptFormats = ["oxidized", "rancid"] as const;
export type KeptFormat = (typeof keptFormats)[number];

/** A version as the service imports it. */
export interface KeptVersion {
  readonly device: string;
  readonly group?: string | undefined;
  readonly part: ConfigurationPart;
  readonly taken_at: string;
  readonly who?: string | undefined;
  readonly note?: string | undefined;
  readonly origin: string;
  readonly text: string;
}

/** A file in a commit that is no version, and why. */
export interface LeftOut {
  readonly path: string;
  readonly why: "binary" | "too large" | "no device" | "a link";
}

export interface KeptVersionsOptions {
  /** Of a clone, bare or not. */
  readonly path: string;
  readonly format: KeptFormat;
  /** Of all devices, in place of the folder. */
  readonly group?: string | undefined;
  readonly maxChars: number;
  readonly signal: AbortSignal;
  onLeftOut(left: LeftOut): void;
}

const hours = 3_600_000;
/** Of a repository whose history is read as a whole. */
const longMs = 24 * hours;

function gitOptions({ path, signal }: Pick<KeptVersionsOptions, "path" | "signal">): GitOptions {
  return {
    ...{ folder: path, signal, limitMs: longMs },
    env: {
      // It may belong to another user, and nothing in it may fetch from elsewhere.
      ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" },
      ...{ GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0" },
    },
  };
}

/** Finds out whose repository it is: RANCID keeps devices in folders named `configs`. @throws ServiceError Validation */
export async function formatOf(path: string, signal: AbortSignal): Promise<KeptFormat> {
  const how = { ...gitOptions({ path, signal }), alsoEnds: [128], maxOutput: 64 * 1024 * 1024 };
  if (
    (await runGit(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { ...how, alsoEnds: [1, 128] })) ===
    ""
  )
    throw new ServiceError(
      "Validation",
      `${path} is no clone of a Git repository with commits. Repositories of CVS and Subversion cannot be read: convert them first, for example with git cvsimport or git svn.`,
    );
  const names = (await runGit(["ls-tree", "-r", "-z", "--name-only", "HEAD"], how)).split("\0");
  return names.some((name) => /(?:^|\/)configs\/[^/]+$/.test(name)) ? "rancid" : "oxidized";
}

/** @throws ServiceError CommandError: the repository cannot be read */
export async function* keptVersions(options: KeptVersionsOptions): AsyncGenerator<KeptVersion> {
  const { format, group: given, maxChars, onLeftOut } = options;
  const how = gitOptions(options);
  // Side branches are one version, their merge: so each step is what the branch had.
  const log = startGit(
    [
      ...[
        "-c",
        "log.showSignature=false",
        "-c",
        "log.mailmap=false",
        "log",
        "--reverse",
        "--first-parent",
        "-m",
      ],
      ...["--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv", "--root", "-z"],
      ...["--format=%x01%H%x00%at%x00%an%x00%s", "HEAD", "--"],
    ],
    how,
  );
  log.stdin.end();
  const blobs = openBlobs(how, maxChars * 4);
  /** Time of the last version of a device: clocks go back, too. */
  const times = new Map<string, number>();
  try {
    for await (const files of chunksOf(filesIn(log.stdout, format, onLeftOut))) {
      blobs.ask(files.map(({ id }) => id));
      for (const { commit, path, place } of files) {
        const bytes = await blobs.next();
        const text = bytes === undefined ? undefined : textOf(bytes);
        if (text === undefined || text.length > maxChars) {
          onLeftOut({ path, why: bytes !== undefined && text === undefined ? "binary" : "too large" });
          continue;
        }
        if (text.trim() === "") continue;
        const at = Math.max(times.get(path) ?? 0, momentOf(commit.at));
        times.set(path, at);
        const group = given ?? place.group;
        const who = oneLine(commit.who, 128);
        const note = oneLine(commit.subject, 500);
        yield {
          ...{ device: place.device, part: place.part, taken_at: new Date(at).toISOString(), text },
          origin: `git:${commit.id}`,
          ...(group === undefined ? {} : { group }),
          ...(who === "" ? {} : { who }),
          // What Oxidized and RANCID write when nobody said anything.
          ...(note === "" || /^updates?\b/i.test(note) ? {} : { note }),
        };
      }
    }
    await log.ended;
  } finally {
    log.stop(new ServiceError("Cancelled", "No more versions are read."));
    blobs.stop();
  }
}

interface Commit {
  readonly id: string;
  /** Seconds since 1970. */
  readonly at: number;
  readonly who: string;
  readonly subject: string;
}

interface Change {
  readonly commit: Commit;
  readonly path: string;
  /** Of the file after the commit. */
  readonly id: string;
  readonly mode: string;
}

/** Longest name or message; more is cut off. */
const maxToken = 64 * 1024;

/** Files that commits added or changed. */
async function* changesIn(output: Readable): AsyncGenerator<Change> {
  let commit: Commit | undefined;
  let raw: { readonly id: string; readonly mode: string; readonly status: string } | undefined;
  const head: string[] = [];
  let headFields = 0;
  for await (const token of tokensOf(output)) {
    if (raw !== undefined) {
      const { status, ...file } = raw;
      raw = undefined;
      if (status !== "D" && commit !== undefined) yield { commit, path: token, ...file };
      continue;
    }
    if (headFields > 0) {
      head.push(token);
      if (--headFields > 0) continue;
      const [id = "", at = "", who = "", subject = ""] = head.splice(0);
      commit = { id, at: Number(at), who, subject };
      continue;
    }
    const text = token.replace(/^\n+/, "");
    if (text.startsWith("\x01")) {
      head.push(text.slice(1));
      headFields = 3;
    } else if (text.startsWith(":")) {
      const [, mode = "", , id = "", status = ""] = text.slice(1).split(" ");
      raw = { id, mode, status: status.slice(0, 1) };
    }
  }
}

interface DeviceFile extends Pick<Change, "commit" | "path" | "id"> {
  readonly place: Place;
}

async function* filesIn(
  output: Readable,
  format: KeptFormat,
  onLeftOut: KeptVersionsOptions["onLeftOut"],
): AsyncGenerator<DeviceFile> {
  for await (const { mode, ...file } of changesIn(output)) {
    const place = placeOf(file.path, format);
    if (place === undefined) onLeftOut({ path: file.path, why: "no device" });
    else if (mode.startsWith("100")) yield { ...file, place };
    else onLeftOut({ path: file.path, why: "a link" });
  }
}

/** Files that are asked for at once: waiting for each takes longer than reading it. Their ids fit into a pipe. */
const filesAtOnce = 200;

async function* chunksOf<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < filesAtOnce) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Pieces between NUL bytes. */
async function* tokensOf(output: Readable): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let bytes = 0;
  for await (const piece of output) {
    const chunk: Buffer = piece;
    let from = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, from)) {
      rest.push(chunk.subarray(from, end));
      yield Buffer.concat(rest).toString("utf8");
      rest = [];
      bytes = 0;
      from = end + 1;
    }
    const last = chunk.subarray(from);
    if (bytes < maxToken) rest.push(last);
    bytes += last.length;
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString("utf8");
}

/** Reads files by their ids, in the order in which they are asked for, from one process. */
function openBlobs(how: GitOptions, maxBytes: number) {
  const child: GitProcess = startGit(["cat-file", "--batch"], how);
  const pieces = child.stdout[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function more(): Promise<void> {
    const { value, done } = await pieces.next();
    if (done === true) {
      await child.ended;
      throw new ServiceError("CommandError", "git cat-file ended before the last file.");
    }
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
  }

  async function take(count: number, isKept: boolean): Promise<Buffer> {
    const taken: Buffer[] = [];
    for (let missing = count; ; ) {
      const part = rest.subarray(0, missing);
      if (isKept) taken.push(part);
      rest = rest.subarray(part.length);
      missing -= part.length;
      if (missing === 0) return Buffer.concat(taken);
      await more();
    }
  }

  return {
    ask: (ids: readonly string[]) => void child.stdin.write(ids.map((id) => `${id}\n`).join("")),
    /** The next file that was asked for. @returns undefined if it is too large, or missing in a partial clone */
    async next(): Promise<Buffer | undefined> {
      let end = rest.indexOf(10);
      while (end < 0) {
        await more();
        end = rest.indexOf(10);
      }
      const line = (await take(end + 1, true)).toString("latin1");
      const size = Number(/^[0-9a-f]+ blob (\d+)\n$/.exec(line)?.[1] ?? Number.NaN);
      if (Number.isNaN(size)) return undefined;
      const bytes = await take(size, size <= maxBytes);
      await take(1, false);
      return size <= maxBytes ? bytes : undefined;
    },
    stop: () => child.stop(new ServiceError("Cancelled", "No more files are read.")),
  };
}

/** Undefined: it is binary. What is no UTF-8 is of an older device. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

interface Place {
  readonly device: string;
  readonly group: string | undefined;
  readonly part: KeptVersion["part"];
}

/** Files at the top, or in folders, that are about a repository. */
const noDevice = /^(?:\..*|README.*|LICENSE.*|.*\.md|router\.db(?:\..*)?)$/i;

function placeOf(path: string, format: KeptFormat): Place | undefined {
  const steps = path.split("/");
  const file = steps.pop() ?? "";
  if (noDevice.test(file) || path.includes("\uFFFD")) return undefined;
  if (format === "rancid" && steps.pop() !== "configs") return undefined;
  if (steps.some((step) => step === "" || step.startsWith("."))) return undefined;
  const group = steps.map(plainName).join("/");
  const [, name = file, part] = /^(.+)--(startup|set)$/.exec(file) ?? [];
  const device = plainName(name);
  const isLine = (text: string) => /^[^\p{Cc}\p{Zl}\p{Zp}]{1,128}$/u.test(text);
  if (!isLine(device) || (group !== "" && !isLine(group))) return undefined;
  return {
    device,
    // Where this service puts devices without a group.
    group: group === "" || group === "default" ? undefined : group,
    part: part === "startup" || part === "set" ? part : "running",
  };
}

/** As this service escapes names. */
function plainName(name: string): string {
  if (!name.includes("%")) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function momentOf(seconds: number): number {
  return Number.isSafeInteger(seconds) ? Math.max(0, Math.min(Date.now(), seconds * 1000)) : 0;
}

function oneLine(text: string, most: number): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, most);
}

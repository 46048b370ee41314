/**
 * The bytes of a commit, which follow from the version alone: made again anywhere, the ids are equal. So they have no
 * notes, which may be written later.
 */
import { folderOf, ownPath, type Part, pathOf } from "./layout.ts";

/** A good version, as it is written to Git. */
export interface ExportedVersion {
  /** Its place in the order of all exported versions, fixed when it was stored. */
  readonly position: number;
  /** Name of the device when it was stored. */
  readonly device: string;
  readonly group: string | null;
  readonly part: Part;
  /** Number of the version of the device and part. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
  /** Masked. */
  readonly text: string;
  /** Who changed the device, if known. */
  readonly who: string | null;
  readonly jobId: string | null;
  /** Where the version before it stands, if elsewhere and no other device has that name by then: it is moved. */
  readonly formerly?: { readonly device: string; readonly group: string | null } | undefined;
}

/** A text that is kept as a file of its own, such as a checkpoint of the ledger. */
export interface KeptRecord {
  /** Increases. */
  readonly position: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly path: string;
  readonly text: string;
  readonly subject: string;
}

/** What all commits of a repository share. */
export interface Place {
  /** Tells the commits of this installation from those of others: a word. */
  readonly installation: string;
  /** Of the only group that it holds, see `folderOf`; undefined: all groups, each in its folder. */
  readonly folder?: string | undefined;
}

export const branch = "refs/heads/main";
const committer = "Patchbay <patchbay@localhost>";
const maxSubject = 200;

/**
 * The commit as a command of `git fast-import`, or nothing if it does not concern the repository.
 * @param continues whether the branch exists before the stream, and this is its first commit
 */
export function commitOf(
  version: ExportedVersion,
  { installation, folder }: Place,
  continues: boolean,
): Buffer {
  const seconds = Math.max(0, Math.floor(version.takenAt / 1000));
  const message = Buffer.from(messageOf(version, installation));
  const head = [
    `commit ${branch}`,
    `author ${personOf(version.who)} ${seconds} +0000`,
    `committer ${committer} ${seconds} +0000`,
    `data ${message.length}`,
    "",
  ].join("\n");
  const from = continues ? `from ${branch}^0\n` : "";
  const changes = changesOf(version, folder);
  return Buffer.concat([Buffer.from(head), message, Buffer.from(`\n${from}`), ...changes, Buffer.from("\n")]);
}

/** The same for a record. */
export function recordCommitOf(record: KeptRecord, installation: string, continues: boolean): Buffer {
  const { position, at, path, text, subject } = record;
  const seconds = Math.max(0, Math.floor(at / 1000));
  const message = `${lineOf(subject).slice(0, maxSubject)}\n\n${positionWord}: ${installation} ${position}\n`;
  const head = [
    `commit ${branch}`,
    `author ${committer} ${seconds} +0000`,
    `committer ${committer} ${seconds} +0000`,
    `data ${Buffer.byteLength(message)}`,
    `${message}`,
  ].join("\n");
  const from = continues ? `from ${branch}^0\n` : "";
  const file = `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
  return Buffer.from(`${head}\n${from}${file}\n`);
}

/** Whether a version changes the repository of a group, or of all. */
export function concerns(
  { group, formerly }: Pick<ExportedVersion, "group" | "formerly">,
  folder: string | undefined,
): boolean {
  if (folder === undefined || folderOf(group) === folder) return true;
  return formerly !== undefined && folderOf(formerly.group) === folder;
}

function changesOf({ device, group, part, formerly, text }: ExportedVersion, folder?: string): Buffer[] {
  const place = (inGroup: string | null, name: string) => {
    if (folder === undefined) return pathOf(inGroup, name, part);
    return folderOf(inGroup) === folder ? ownPath(name, part) : undefined;
  };
  const before = formerly && place(formerly.group, formerly.device);
  const now = place(group, device);
  const changes: Buffer[] = [];
  // Paths hold no character that fast-import would want quoted.
  if (before !== undefined && before !== now) changes.push(Buffer.from(`D ${before}\n`));
  if (now === undefined) return changes;
  const bytes = Buffer.from(text);
  changes.push(Buffer.from(`M 100644 inline ${now}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n"));
  return changes;
}

function messageOf(version: ExportedVersion, installation: string): string {
  const { device, part, seq, jobId, position, formerly } = version;
  const former = formerly === undefined ? [] : [[formerly.group, formerly.device].filter(Boolean).join("/")];
  return [
    lineOf(`update ${device}`).slice(0, maxSubject),
    "",
    ...former.map((place) => `Formerly: ${lineOf(place)}`),
    `Version: ${lineOf(device)} ${part} ${seq}`,
    ...(jobId === null ? [] : [`Job: ${lineOf(jobId)}`]),
    `${positionWord}: ${installation} ${position}`,
    "",
  ].join("\n");
}

const positionWord = "Patchbay-Position";

/**
 * The position of the version that a commit was made of, from its bytes; undefined: another program or installation
 * made it.
 */
export function positionIn(commit: string, installation: string): number | undefined {
  const last = commit.trimEnd().split("\n").at(-1) ?? "";
  const before = `${positionWord}: ${installation} `;
  const number = last.startsWith(before) ? last.slice(before.length) : "";
  return /^\d{1,15}$/.test(number) ? Number(number) : undefined;
}

/** Git's form of an author; what would end it early, or an empty name, is replaced. */
function personOf(who: string | null): string {
  const name = lineOf(who ?? "")
    .replace(/[<>]/g, "")
    .replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, "")
    .slice(0, 128);
  return name === "" ? committer : `${name} <>`;
}

/** One line without control characters, which neither a header nor a terminal would take. */
function lineOf(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ").trim();
}

/** Jobs as a ZIP archive, a text file each, named after the device with unsafe characters replaced. */

import type { ListedJob } from "../../api/jobs/job.ts";
import { createZip, type ZipEntry } from "../../base/files/zip.ts";
import { createByteBuffer } from "../../base/net/byte-buffer.ts";
import { giveWay } from "../../base/time/yield.ts";
import { outputsOf } from "./outputs.ts";

/** Lists what was left out, inside the archive, because the status has already been sent. */
const incomplete = "INCOMPLETE.txt";

/** Small files are sent together: up to this size in the archive, or once unpacked. */
const pieceBytes = 65_536;
const contentBytes = 4 * pieceBytes;

/** Yields the archive piece by piece; ends with a file that says so if the archive is full. */
export async function* zipOf(
  jobs: AsyncIterable<readonly ListedJob[]>,
  now: number,
  whose: string,
): AsyncGenerator<Uint8Array> {
  const zip = createZip();
  const nameOf = createNames();
  const made = createByteBuffer();
  let madeBytes = 0;
  let unpackedBytes = 0;
  const add = (parts: readonly Uint8Array[]) => {
    for (const part of parts) {
      made.add(part);
      madeBytes += part.length;
    }
  };
  let last: string | undefined;
  let full = false;
  for await (const batch of jobs) {
    for (const job of batch) {
      const bytes = new TextEncoder().encode(contentOf(job));
      full = !zip.hasRoomFor(bytes.length);
      if (full) break;
      const at = Date.parse(job.ended_at ?? job.created_at);
      const added = zip.add({
        name: nameOf(job.device ?? job.host),
        bytes,
        at: Number.isFinite(at) ? at : now,
      });
      add(added instanceof Promise ? await added : added);
      last = job.id;
      unpackedBytes += bytes.length;
      if (madeBytes >= pieceBytes || unpackedBytes >= contentBytes) {
        madeBytes = 0;
        unpackedBytes = 0;
        yield made.take();
      }
      const turn = giveWay(whose);
      if (turn !== undefined) await turn;
    }
    if (full) break;
  }
  if (full) add(await zip.add(noticeOf(last, now)));
  made.add(zip.end());
  yield made.take();
}

function noticeOf(last: string | undefined, at: number): ZipEntry {
  const more = `This archive is full: it contains the jobs down to ${last}. For the others repeat the request with cursor=${last}.\n`;
  return { name: incomplete, bytes: new TextEncoder().encode(more), at };
}

/** A single successful command yields just its output, so that a configuration can be compared and restored. */
export function contentOf(job: ListedJob): string {
  const { outputs, error } = outputsOf(job);
  const [only] = outputs;
  // A dry run must not look like a push.
  const dryRun = job.dry_run === true ? "# dry run: nothing was changed\n" : "";
  if (job.status === "finished" && outputs.length === 1 && only) return dryRun + withNewLine(only.text);
  const head = dryRun + (error ? `# ${job.status}: ${error.type}: ${error.message}\n` : `# ${job.status}\n`);
  return head + outputs.map(({ command, text }) => `\n# ${command}\n${withNewLine(text)}`).join("");
}

function withNewLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** File names reserved by some systems, with any extension. */
const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;
const longest = 100;

/**
 * @returns a function that creates unique file names from letters, digits, dots and hyphens, unique also
 * case-insensitively; it remembers one number per device, not each name
 */
export function createNames(): (host: string) => string {
  /** The next number per stem: without it, ten thousand jobs of one device would take quadratic time. */
  const next = new Map<string, number>([[stemOf(incomplete.toLowerCase()), 2]]);

  function isUsed(key: string): boolean {
    if (next.has(key)) return true;
    const [, stem = "", number] = /^(.+)_([2-9]|[1-9]\d+)$/.exec(key) ?? [];
    return number !== undefined && Number(number) < (next.get(stem) ?? 0);
  }

  return (host) => {
    const plain = host
      .replace(/[^A-Za-z0-9._-]/g, "_")
      .replace(/^[.-]+|[.]+$/g, "_")
      .slice(0, longest);
    const stem = plain === "" || reserved.test(plain) ? `_${plain}` : plain;
    const key = stem.toLowerCase();
    if (!isUsed(key)) {
      next.set(key, 2);
      return `${stem}.txt`;
    }
    let number = next.get(key) ?? 2;
    while (isUsed(`${key}_${number}`)) number++;
    next.set(key, number + 1);
    return `${stem}_${number}.txt`;
  };
}

const stemOf = (name: string) => name.slice(0, -".txt".length);

/** Jobs as a ZIP archive, a text file each, named after the device with unsafe characters replaced. */
import { createZip, type ZipEntry } from "../base/zip.ts";
import type { ListedJob } from "../model/job.ts";
import { outputsOf } from "./export-outputs.ts";

/** Lists what was left out, inside the archive, because the status has already been sent. */
const incomplete = "INCOMPLETE.txt";

/** Yields the archive piece by piece; ends with a file that says so if the archive is full. */
export async function* zipOf(
  jobs: AsyncIterable<readonly ListedJob[]>,
  now: number,
): AsyncGenerator<Uint8Array> {
  const zip = createZip();
  const nameOf = createNames();
  let last: string | undefined;
  let full = false;
  for await (const batch of jobs) {
    for (const job of batch) {
      const bytes = new TextEncoder().encode(contentOf(job));
      full = !zip.hasRoomFor(bytes.length);
      if (full) break;
      const at = Date.parse(job.ended_at ?? job.created_at);
      yield* await zip.add({ name: nameOf(job.host), bytes, at: Number.isFinite(at) ? at : now });
      last = job.id;
    }
    if (full) break;
  }
  if (full) yield* await zip.add(noticeOf(last, now));
  yield zip.end();
}

function noticeOf(last: string | undefined, at: number): ZipEntry {
  const more = `This archive is full: it contains the jobs down to ${last}. For the others repeat the request with cursor=${last}.\n`;
  return { name: incomplete, bytes: new TextEncoder().encode(more), at };
}

/** A single successful command yields just its output, so that a configuration can be compared and restored. */
export function contentOf(job: ListedJob): string {
  const { outputs, error } = outputsOf(job);
  const [only] = outputs;
  if (job.status === "finished" && outputs.length === 1 && only) return withNewLine(only.text);
  const head = error ? `# ${job.status}: ${error.type}: ${error.message}\n` : `# ${job.status}\n`;
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
 * case-insensitively
 */
export function createNames(): (host: string) => string {
  const usedNames = new Set([incomplete.toLowerCase()]);
  /** The next number per stem: without it, ten thousand jobs of one device would take quadratic time. */
  const next = new Map<string, number>();
  return (host) => {
    const plain = host
      .replace(/[^A-Za-z0-9._-]/g, "_")
      .replace(/^[.-]+|[.]+$/g, "_")
      .slice(0, longest);
    const stem = plain === "" || reserved.test(plain) ? `_${plain}` : plain;
    let name = `${stem}.txt`;
    const key = stem.toLowerCase();
    let n = next.get(key) ?? 2;
    for (; usedNames.has(name.toLowerCase()); n++) name = `${stem}_${n}.txt`;
    next.set(key, n);
    usedNames.add(name.toLowerCase());
    return name;
  };
}

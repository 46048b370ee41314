/** Formats events as Server-Sent Events; text for several listeners is encoded once. */
import type { EventData, StateData } from "../../api/jobs/event.ts";
import type { Unchanged } from "../../api/schema.ts";
import type { ChangeFeedEvent } from "../../changes/port.ts";
import type { JobChange, StreamEvent, StreamPosition } from "../../events/port.ts";
import { positionText } from "../../events/position.ts";
import type { FeedEvent } from "../../history/port.ts";

export interface EventWords {
  readonly iso: (ms: number) => string;
  /** The endpoint to read missed events from. */
  readonly read: string;
  /** The stream carries events of several jobs. */
  readonly many: boolean;
}

/** Characters handed to a connection at once. */
const sliceChars = 48 * 1024;
const encoder = new TextEncoder();
const slicesOfList = new WeakMap<readonly JobChange[], readonly Uint8Array[]>();
const textOfChange = new WeakMap<JobChange, string>();

/** @returns pieces of at most about 64 KiB */
export function eventBytes(event: StreamEvent, words: EventWords): readonly Uint8Array[] {
  if (event.kind !== "changes") return [encoder.encode(textOf(event, words))];
  const cached = slicesOfList.get(event.changes);
  if (cached !== undefined) return cached;
  const slices: Uint8Array[] = [];
  let text = "";
  for (const change of event.changes) {
    text += changeText(change, words.iso);
    if (text.length < sliceChars) continue;
    slices.push(encoder.encode(text));
    text = "";
  }
  if (text !== "") slices.push(encoder.encode(text));
  slicesOfList.set(event.changes, slices);
  return slices;
}

function changeText(change: JobChange, iso: EventWords["iso"]): string {
  const cached = textOfChange.get(change);
  if (cached !== undefined) return cached;
  const text = block("state", stateOf(change, iso), { log: change });
  textOfChange.set(change, text);
  return text;
}

function textOf(event: Exclude<StreamEvent, { kind: "changes" }>, words: EventWords): string {
  switch (event.kind) {
    case "here":
      return aliveText(positionText(event.position));
    case "state":
      return block("state", stateOf(event.job, words.iso), event.position);
    case "output": {
      const { id, text, missed } = event;
      const data = { ...(words.many ? { id } : {}), text, ...(missed === 0 ? {} : { missed }) };
      return block("output", data, event.position);
    }
    case "progress": {
      const { id, done, total } = event;
      return block("progress", {
        ...(words.many ? { id } : {}),
        bytes_transferred: done,
        total_bytes: total,
      });
    }
    case "elsewhere": {
      const { id, node } = event;
      const message = `The job runs on the node ${node}: its live output is available there, its status changes here too.`;
      return block("elsewhere", { id, node, message });
    }
    case "bulk":
      return block("bulk", event.record);
    case "end":
      return block("end", { id: event.bulkId }, event.position);
    case "reset": {
      return block("reset", { message: missedText, read: words.read }, event.position);
    }
    case "slow": {
      const message = "This listener fell too far behind and was disconnected: reconnect with Last-Event-ID.";
      return block("slow", { message });
    }
  }
}

const missedText = "Events after the requested position are no longer stored.";

/** An event with only an id: the client stores the position and dispatches nothing. */
const aliveText = (id: string) => `: alive\nid: ${id}\n\n`;

function block<const N extends keyof EventData>(
  event: N,
  // The record of a bulk comes as the jobs made it.
  data: N extends "bulk" ? object : Unchanged<EventData[N]>,
  position?: StreamPosition,
): string {
  return blockAt(event, data, position && positionText(position));
}

/** @param id position of the event */
function blockAt<const N extends keyof EventData>(
  event: N,
  data: N extends "bulk" ? object : Unchanged<EventData[N]>,
  id: string | undefined,
): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

const bytesOfRecord = new WeakMap<object, readonly Uint8Array[]>();

export function versionEventBytes(event: FeedEvent): readonly Uint8Array[] {
  if (event.kind !== "version") return standingBytes(event, "/history/change");
  const { record, n } = event;
  return recordBytes(record, () => blockAt("version", record, String(n)));
}

export function changeEventBytes(event: ChangeFeedEvent): readonly Uint8Array[] {
  if (event.kind !== "change") return standingBytes(event, "/change");
  const { record, n } = event;
  return recordBytes(record, () => blockAt("change", record, String(n)));
}

function recordBytes(record: object, textOf: () => string): readonly Uint8Array[] {
  const bytes = bytesOfRecord.get(record) ?? [encoder.encode(textOf())];
  bytesOfRecord.set(record, bytes);
  return bytes;
}

/** @param read the endpoint to read missed events from */
function standingBytes(
  { kind, n }: { readonly kind: "here" | "reset"; readonly n: number },
  read: string,
): readonly Uint8Array[] {
  if (kind === "here") return [encoder.encode(aliveText(String(n)))];
  return [encoder.encode(blockAt("reset", { message: missedText, read }, String(n)))];
}

function stateOf(job: Omit<JobChange, "n">, iso: EventWords["iso"]): StateData {
  const held = job.status === "held";
  return {
    id: job.jobId,
    ...(job.bulkId === null ? {} : { bulk_id: job.bulkId }),
    host: job.host,
    ...(job.device === null ? {} : { device: job.device }),
    // As in the job's record.
    status: held ? "queued" : job.status,
    ...(held ? { held: true } : {}),
    ...(job.dryRun ? { dry_run: true } : {}),
    ...(job.errorType === null ? {} : { error_type: job.errorType }),
    attempt: job.attempt,
    ...(job.submitterKind === null || job.submitter === null
      ? {}
      : { submitted_by: { kind: job.submitterKind, name: job.submitter } }),
    at: iso(job.at),
  };
}

/** Parses Server-Sent Events, and reconnects to streams that break. */

import { ServiceError } from "../../base/errors.ts";
import { pause } from "../../base/time/deadline.ts";
import type { Api } from "./api.ts";

export interface ServerEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: string;
}

/** Maximum length of a field or event. */
const maxEventLength = 4 * 1024 * 1024;
/** Delay before a reconnect. */
const againMs = 500;

export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    for (;;) {
      const end = /\r?\n\r?\n/.exec(text);
      if (!end) break;
      const event = eventOf(text.slice(0, end.index));
      text = text.slice(end.index + end[0].length);
      if (event) yield event;
    }
    if (text.length > maxEventLength) return;
  }
}

/** Ignores comments, which only keep the connection alive. */
function eventOf(block: string): ServerEvent | undefined {
  let id: string | undefined;
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "id") id = value;
    else if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  if (data.length === 0) return undefined;
  return { event, data: data.join("\n"), id };
}

/** Calls back for each event until the signal aborts or the stream ends; resumes after a break. */
export async function listen(
  api: Api,
  path: string,
  signal: AbortSignal,
  onEvent: (event: string, data: unknown) => void,
): Promise<void> {
  let last: string | undefined;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = last === undefined ? {} : { "Last-Event-ID": last };
      const { body } = await api.stream(path, { headers }, signal);
      if (body === null) return;
      for await (const { id, event, data } of readEvents(body)) {
        last = id ?? last;
        onEvent(event, JSON.parse(data));
        if (event === "end") return;
      }
    } catch (error) {
      // No such stream, or the position is gone: listeners also poll.
      if (error instanceof ServiceError && ["NotFound", "Forbidden", "Internal"].includes(error.kind)) return;
      if (error instanceof ServiceError && error.kind === "BadRequest") last = undefined;
    }
    await pause(againMs, signal);
  }
}

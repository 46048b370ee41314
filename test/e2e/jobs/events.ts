/** Reads event streams as a client does. */
import { expect } from "vitest";
import { adminKey, type Service } from "../../../src/testkit/service.ts";

export interface JobEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: {
    id?: string;
    host?: string;
    status?: string;
    text?: string;
    missed?: number;
    node?: string;
  };
}

/** Reads the stream of a job until its end, or until `enough` returns true. */
export function watch(
  service: Service,
  job: string,
  ...more: [enough?: ((events: readonly JobEvent[]) => boolean) | undefined, headers?: Record<string, string>]
): Promise<JobEvent[]> {
  return watchPath(service, `/job/${job}/events`, ...more);
}

/** The same for any stream. */
export async function watchPath(
  service: Service,
  path: string,
  enough: (events: readonly JobEvent[]) => boolean = () => false,
  headers: Record<string, string> = {},
): Promise<JobEvent[]> {
  const stop = new AbortController();
  const answer = await fetch(service.url + path, {
    headers: { "X-API-KEY": adminKey, ...headers },
    signal: stop.signal,
  });
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  const events: JobEvent[] = [];
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const whole = text.split("\n\n");
    text = whole.pop() ?? "";
    events.push(...whole.flatMap(eventOf));
    if (enough(events)) break;
  }
  stop.abort();
  return events;
}

function eventOf(block: string): JobEvent[] {
  const fields = Object.fromEntries(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  if (fields.event === undefined || fields.data === undefined) return [];
  return [
    {
      ...(fields.id === undefined ? {} : { id: fields.id }),
      event: fields.event,
      data: JSON.parse(fields.data),
    },
  ];
}

export const statuses = (events: readonly JobEvent[]) => events.flatMap(({ data }) => data.status ?? []);
export const said = (events: readonly JobEvent[]) => events.map(({ data }) => data.text ?? "").join("");

/** Positions as text: `<number>.<end of the job id>`, plus `-<attempt>:<character>` for output or `-end`. */
import { ServiceError } from "../base/errors.ts";
import type { EventMark, StreamPosition } from "./port.ts";

const markChars = 8;
const written = /^(\d{1,15})\.(\w{1,8})(?:-(\d{1,9}):(\d{1,15})|(-end))?$/;
const atBeginning = "0";

export function positionText({ log, output, ended }: StreamPosition): string {
  const behind = ended ? "-end" : output === undefined ? "" : `-${output.attempt}:${output.at}`;
  return `${log.n}.${markOf(log)}${behind}`;
}

/** The position text of a change. */
export function markOf({ n, jobId }: EventMark): string {
  return n === 0 ? atBeginning : jobId.slice(-markChars).replace(/[^\w]/g, "_");
}

/** Parses a position; its `jobId` is only the end of an id. @throws ServiceError BadRequest */
export function readPosition(text: string): StreamPosition {
  const [, n, mark, attempt, at, ended] = written.exec(text) ?? [];
  if (n === undefined || mark === undefined)
    throw new ServiceError("BadRequest", "Last-Event-ID was not issued by this service: omit it.");
  return {
    log: { n: Number(n), jobId: mark },
    ...(attempt === undefined || at === undefined
      ? {}
      : { output: { attempt: Number(attempt), at: Number(at) } }),
    ...(ended === undefined ? {} : { ended: true }),
  };
}

export function isSame(a: EventMark, b: EventMark): boolean {
  return a.n === b.n && markOf(a) === markOf(b);
}

/** Reads the live events of a job that one listener has not received yet. */
import type { LiveStatus } from "../api/jobs/live-event.ts";
import type { LiveOutput, LivePosition } from "./notices.ts";
import type { LiveStreamEvent } from "./port.ts";

export interface LiveReader {
  /** After the last output read; undefined before the first. */
  position(): LivePosition | undefined;
  /** @param attempt if given, reads only events of this attempt. */
  read(attempt?: number): Generator<LiveStreamEvent>;
}

export function createLiveReader(live: LiveOutput, id: string, from: LivePosition | undefined): LiveReader {
  let position = from;
  const delivered = new Map<LiveStatus["kind"], LiveStatus>();
  return {
    position: () => position,
    *read(attempt) {
      const piece = live.read(id, position);
      if (piece === undefined || piece.next.attempt !== (attempt ?? piece.next.attempt)) return;
      position = piece.next;
      if (piece.text !== "" || piece.missed > 0)
        yield { kind: "output", id, text: piece.text, missed: piece.missed };
      for (const status of piece.statuses) {
        if (delivered.get(status.kind) === status) continue;
        delivered.set(status.kind, status);
        yield { id, ...status };
      }
    },
  };
}

/** Reads the live events of a job that one listener has not received yet. */
import type { LiveOutput, LivePosition, Progress } from "../queue/port.ts";
import type { StreamEvent } from "./port.ts";

export interface LiveReader {
  /** After the last output read; undefined before the first. */
  position(): LivePosition | undefined;
  /** @param attempt if given, reads only events of this attempt. */
  read(attempt?: number): Generator<Extract<StreamEvent, { kind: "output" | "progress" }>>;
}

export function createLiveReader(live: LiveOutput, id: string, from: LivePosition | undefined): LiveReader {
  let position = from;
  let progress: Progress | undefined;
  return {
    position: () => position,
    *read(attempt) {
      const piece = live.read(id, position);
      if (piece === undefined || piece.next.attempt !== (attempt ?? piece.next.attempt)) return;
      position = piece.next;
      if (piece.text !== "" || piece.missed > 0)
        yield { kind: "output", id, text: piece.text, missed: piece.missed };
      if (piece.progress === undefined || piece.progress === progress) return;
      progress = piece.progress;
      yield { kind: "progress", id, ...progress };
    },
  };
}

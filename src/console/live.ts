/** The events of the API: read by the browser, taken up again after a loss by the position of the last one. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as v from "valibot";
import { me, reachable, recall } from "./api.ts";
import { jobStatuses } from "./shapes.ts";

const stateEvent = v.looseObject({
  id: v.string(),
  host: v.optional(v.string()),
  bulk_id: v.optional(v.string()),
  status: v.picklist(jobStatuses),
  error_type: v.optional(v.nullable(v.string())),
  at: v.optional(v.string()),
});
/** A change of a job's state. */
export type Change = v.InferOutput<typeof stateEvent>;

export function changeOf(data: unknown): Change {
  return v.parse(stateEvent, data);
}

/** A stream that was refused or ended by the service is asked for anew after so long. */
const againMs = 3_000;

/**
 * Calls `take` with each event of these names while the view is there.
 * @param path undefined: none. @param ends an event after which nothing more comes.
 * @param opened the stream tells what happens from now on: what was read before may be older.
 */
export function useEvents(
  path: string | undefined,
  take: Readonly<Record<string, (data: unknown) => void>>,
  ends: (name: string, data: unknown) => boolean = () => false,
  opened: () => void = () => {},
): void {
  const latest = useRef({ take, ends, opened });
  latest.current = { take, ends, opened };
  useEffect(() => {
    if (path === undefined) return;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      const stream = new EventSource(path);
      source = stream;
      stream.addEventListener("open", () => {
        reachable.value = true;
        latest.current.opened();
      });
      for (const name of Object.keys(take))
        stream.addEventListener(name, (event) => {
          const data: unknown = JSON.parse(event.data);
          latest.current.take[name]?.(data);
          if (latest.current.ends(name, data)) stream.close();
        });
      stream.addEventListener("error", () => {
        // A lost network is tried again by the browser itself; a refusal is not.
        if (stream.readyState !== EventSource.CLOSED) {
          reachable.value = false;
          return;
        }
        void recall().catch(() => {});
        if (me.value !== null) timer = setTimeout(open, againMs);
      });
    };
    open();
    return () => {
      source?.close();
      clearTimeout(timer);
    };
  }, [path]);
}

const listeners = new Set<(changes: readonly Change[]) => void>();

/** Whether the stream of all jobs was open once: lists that were read before are read again. */
export const streaming = signal(false);

/** Reads the changes of all jobs: once, for every view. */
export function useStream(): void {
  const waiting = useRef<Change[]>([]);
  const take = {
    state(data: unknown) {
      if (waiting.current.push(changeOf(data)) > 1) return;
      // Many at once are one change of the page. A hidden page has no frames.
      setTimeout(() => {
        const changes = waiting.current.splice(0);
        for (const listener of listeners) listener(changes);
      }, 50);
    },
  };
  useEvents("/events", take, undefined, () => {
    streaming.value = true;
  });
}

/** Calls `take` with changes of jobs, those of a moment together. */
export function useChanges(take: (changes: readonly Change[]) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const listener = (changes: readonly Change[]) => latest.current(changes);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}

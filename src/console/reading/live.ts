/** Server-Sent Events of the API; the browser reconnects after a loss, from the last position. */
import { useEffect, useRef } from "preact/hooks";
import * as v from "valibot";
import { jobEvent } from "../shapes/shapes.ts";
import { me, reachable, recall } from "./api.ts";
import { shared } from "./shared.ts";

/** A change of a job's state. */
export type Change = v.InferOutput<typeof jobEvent>;

export function changeOf(data: unknown): Change {
  return v.parse(jobEvent, data);
}

/** Delay before reopening a stream that the service refused or ended. */
const againMs = 3_000;

/**
 * Calls `take` for each event with one of these names while the component is mounted.
 * @param path undefined: no stream.
 * @param ends an event that ends the stream.
 * @param opened called when the stream is open: data loaded before may be older.
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
        // The browser reconnects after a network failure, but not after a refusal.
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

/** Whether the stream of all jobs has been opened: lists loaded before are reloaded. */
export const streaming = shared(false);

/** Batches changes into one render. Not with requestAnimationFrame, which does not run in hidden pages. */
export function batched(render: () => void): void {
  setTimeout(render, 50);
}

/** Subscribes once to the changes of all jobs, for all views. */
export function useStream(): void {
  const waiting = useRef<Change[]>([]);
  const take = {
    state(data: unknown) {
      if (waiting.current.push(changeOf(data)) > 1) return;
      batched(() => {
        const changes = waiting.current.splice(0);
        for (const listener of listeners) listener(changes);
      });
    },
  };
  useEvents("/events", take, undefined, () => {
    streaming.value = true;
  });
}

/** Calls `take` with batches of job changes. */
export function useChanges(take: (changes: readonly Change[]) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const listener = (changes: readonly Change[]) => latest.current(changes);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}

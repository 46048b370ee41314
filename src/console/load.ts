/** Loads what a view shows: again when what it depends on changes, and when it is told to. */
import { useEffect, useRef, useState } from "preact/hooks";
import { reachable } from "./api.ts";

export interface Loaded<T> {
  /** The last that came; stays while the next is on its way. */
  readonly data: T | undefined;
  readonly error: unknown;
  readonly loading: boolean;
  reload(): void;
}

/** While the service can not be reached, it is tried again after so long. */
const againMs = 2_000;

export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependsOn: readonly unknown[],
): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; loading: boolean }>({ loading: true });
  const [turn, setTurn] = useState(0);
  const away = !reachable.value;
  useEffect(() => {
    const left = new AbortController();
    setState(({ data }) => (data === undefined ? { loading: true } : { data, loading: true }));
    load(left.signal).then(
      (data) => left.signal.aborted || setState({ data, loading: false }),
      (error) =>
        left.signal.aborted ||
        setState(({ data }) => ({ ...(data === undefined ? {} : { data }), error, loading: false })),
    );
    return () => left.abort();
  }, [...dependsOn, turn]);
  const wasAway = useRef(away);
  useEffect(() => {
    const again = () => setTurn((before) => before + 1);
    if (!away && wasAway.current) again();
    wasAway.current = away;
    if (!away) return;
    const timer = setInterval(again, againMs);
    return () => clearInterval(timer);
  }, [away]);
  return {
    data: state.data,
    error: state.error,
    loading: state.loading,
    reload: () => setTurn((before) => before + 1),
  };
}

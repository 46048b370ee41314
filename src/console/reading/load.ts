/** Loads the data of a view; reloads it when its dependencies change, or on request. */
import { useEffect, useRef, useState } from "preact/hooks";
import { reachable } from "./api.ts";

export interface Loaded<T> {
  /** The latest data; kept while the next is loading. */
  readonly data: T | undefined;
  readonly error: unknown;
  readonly loading: boolean;
  reload(): void;
}

/** Retry interval while the service is unreachable. */
const againMs = 2_000;

export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependsOn: readonly unknown[],
): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; loading: boolean }>({ loading: true });
  const [turn, setTurn] = useState(0);
  const away = !reachable.value;
  useEffect(() => {
    const unmounted = new AbortController();
    setState(({ data }) => (data === undefined ? { loading: true } : { data, loading: true }));
    load(unmounted.signal).then(
      (data) => unmounted.signal.aborted || setState({ data, loading: false }),
      (error) => unmounted.signal.aborted || setState(({ data }) => ({ data, error, loading: false })),
    );
    return () => unmounted.abort();
  }, [...dependsOn, turn]);
  const wasAway = useRef(away);
  useEffect(() => {
    const reload = () => setTurn((before) => before + 1);
    if (!away && wasAway.current) reload();
    wasAway.current = away;
    if (!away) return;
    const timer = setInterval(reload, againMs);
    return () => clearInterval(timer);
  }, [away]);
  return {
    data: state.data,
    error: state.error,
    loading: state.loading,
    reload: () => setTurn((before) => before + 1),
  };
}

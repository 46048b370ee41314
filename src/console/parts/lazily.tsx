/** A page whose script is fetched when one of its kind is opened for the first time. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Loading, NotShown } from "./not-loaded.tsx";

type Page = ComponentType<{ id: string; title: string }>;
type Later = typeof import("../pages/later.ts");

const restMs = 1_000;

let fetched: Later | undefined;

async function fetchLater(): Promise<void> {
  fetched = await import("../pages/later.ts");
}

/** Once the first page is there, so that no other one waits. */
export function useLater(): void {
  useEffect(() => {
    // A page that is opened says it.
    const timer = setTimeout(() => void fetchLater().catch(() => undefined), restMs);
    return () => clearTimeout(timer);
  }, []);
}

export function lazily(name: keyof Later): Page {
  return function Lazily({ id, title }) {
    const [failed, setFailed] = useState(false);
    const [, setTurn] = useState(0);
    const isShown = fetched !== undefined;
    useEffect(() => {
      if (isShown) return;
      // Another page may have fetched it since this one was drawn.
      if (fetched !== undefined) return setTurn(1);
      let isGone = false;
      fetchLater().then(
        () => isGone || setTurn(1),
        () => isGone || setFailed(true),
      );
      return () => {
        isGone = true;
      };
    }, []);
    if (fetched !== undefined) {
      const { [name]: Known } = fetched;
      return <Known id={id} />;
    }
    // An upgraded service has other files.
    return failed ? <NotShown title={title} /> : <Loading title={title} />;
  };
}

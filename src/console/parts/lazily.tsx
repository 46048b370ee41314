/** A page whose script is fetched when one of its kind is opened for the first time. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { text } from "../text/text.ts";

type Page = ComponentType<{ id: string }>;
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
  return function Lazily({ id }) {
    const [failed, setFailed] = useState(false);
    const [, setTurn] = useState(0);
    useEffect(() => {
      if (fetched !== undefined) return;
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
    if (!failed) return <p class="empty">{text.loading}</p>;
    // The service may have been upgraded, and has other files now.
    return (
      <p role="alert">
        {text.notFetched}{" "}
        <button type="button" onClick={() => location.reload()}>
          {text.reload}
        </button>
      </p>
    );
  };
}

/** A button for an action: asks for confirmation, shows progress and errors. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { text } from "../text/text.ts";
import { Problem } from "./problem.tsx";

interface ActionProps {
  readonly label: string;
  /** Confirmation text; absent: no confirmation. */
  readonly sure?: string;
  /** Said when it has worked. */
  readonly done?: string;
  /** Nothing is left to act on. */
  readonly off?: boolean;
  /** One of many. */
  readonly quiet?: boolean;
  readonly act: () => unknown;
}

/** For a question in the place of its button, and the button when it returns: each begins with the focus. */
export function useFocusOf<T extends HTMLElement>(isAsking: boolean) {
  const shown = useRef<T>(null);
  const before = useRef(isAsking);
  useLayoutEffect(() => {
    if (before.current !== isAsking) shown.current?.focus();
    before.current = isAsking;
  }, [isAsking]);
  return shown;
}

export function Action({ label, sure, done, off, quiet, act }: ActionProps) {
  const [worked, setWorked] = useState(false);
  const [asking, setAsking] = useState(false);
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<unknown>();
  const shown = useFocusOf<HTMLSpanElement>(asking);
  const run = async () => {
    setAsking(false);
    setWorking(true);
    setError(undefined);
    setWorked(false);
    try {
      await act();
      setWorked(true);
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };
  if (asking)
    return (
      <span class="asking" role="alertdialog" aria-label={sure} tabIndex={-1} ref={shown}>
        {sure}{" "}
        <button type="button" class="danger" onClick={() => void run()}>
          {label}
        </button>{" "}
        <button type="button" class="quiet" onClick={() => setAsking(false)}>
          {text.no}
        </button>
      </span>
    );
  // What has come of it stands beside what has the focus, which would lose it if its layout changed.
  return (
    <>
      <span tabIndex={-1} ref={shown}>
        <button
          type="button"
          class={sure ? "careful" : quiet ? "quiet" : undefined}
          disabled={working || off}
          onClick={() => (sure ? setAsking(true) : void run())}
        >
          {working ? `${label} …` : label}
        </button>
      </span>
      {done && worked && (
        <span class="status finished" role="status">
          {" "}
          ✓ {done}
        </span>
      )}
      <Problem error={error} />
    </>
  );
}

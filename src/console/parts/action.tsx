/** A button for an action: asks for confirmation, shows progress and errors. */
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useDoing } from "../reading/doing.ts";
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
  /** What one came for, although it asks. */
  readonly main?: boolean;
  readonly act: () => unknown;
}

/** For a question in the place of its button, and the button when it returns: each begins with the focus. */
export function useFocusOf<T extends HTMLElement>(isAsking: boolean) {
  const shown = useRef<T>(null);
  const before = useRef(isAsking);
  useLayoutEffect(() => {
    const { current } = shown;
    if (before.current !== isAsking) current?.focus();
    // Unless it is off while it works.
    if (before.current && !isAsking) current?.querySelector("button")?.focus();
    before.current = isAsking;
  }, [isAsking]);
  // A button that leaves, since its work is done, leaves the focus to its page.
  useLayoutEffect(
    () => () => {
      if (shown.current?.contains(document.activeElement))
        document.querySelector("main")?.focus({ preventScroll: true });
    },
    [],
  );
  return shown;
}

interface AskerProps {
  readonly asking: boolean;
  readonly shown: RefObject<HTMLSpanElement | null>;
  readonly children: ComponentChildren;
}

/** The button of a question: among others it keeps its place while the question stands below them, so that none moves. */
export function Asker({ asking, shown, children }: AskerProps) {
  return (
    <span
      class={asking ? "asked" : undefined}
      aria-hidden={asking}
      tabIndex={-1}
      ref={asking ? undefined : shown}
    >
      {children}
    </span>
  );
}

interface AnswersProps {
  readonly label: string;
  readonly look: "danger" | undefined;
  readonly yes: () => void;
  readonly no: () => void;
}

/** Both on one line. */
export function Answers({ label, look, yes, no }: AnswersProps) {
  return (
    <span class="answers">
      <button type="button" class={look} onClick={yes}>
        {label}
      </button>
      <button type="button" class="quiet" onClick={no}>
        {text.no}
      </button>
    </span>
  );
}

export function Action({ label, sure, done, off, quiet, main, act }: ActionProps) {
  const [worked, setWorked] = useState(false);
  const [asking, setAsking] = useState(false);
  const { error, working, doing } = useDoing();
  const shown = useFocusOf<HTMLSpanElement>(asking);
  const run = () => {
    // The button is off while it works, and would lose the focus.
    if (!asking) shown.current?.focus();
    setAsking(false);
    setWorked(false);
    void doing(async () => {
      await act();
      setWorked(true);
    });
  };
  // What has come of it stands beside what has the focus, which would lose it if its layout changed.
  return (
    <>
      <Asker asking={asking} shown={shown}>
        <button
          type="button"
          class={sure && !main ? "careful" : quiet ? "quiet" : undefined}
          disabled={working || off || asking}
          onClick={() => (sure ? setAsking(true) : run())}
        >
          {working ? `${label} …` : label}
        </button>
      </Asker>
      {asking && (
        <span key="question" class="asking" role="alertdialog" aria-label={sure} tabIndex={-1} ref={shown}>
          {sure} <Answers label={label} look="danger" yes={run} no={() => setAsking(false)} />
        </span>
      )}
      {done && (
        <span class="status finished" role="status">
          {worked && ` ✓ ${done}`}
        </span>
      )}
      {!asking && <Problem error={error} />}
    </>
  );
}

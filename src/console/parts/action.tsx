/** A button for an action: asks for confirmation, shows progress and errors. */
import { useState } from "preact/hooks";
import { text } from "../text.ts";
import { Problem } from "./problem.tsx";

interface ActionProps {
  readonly label: string;
  /** Confirmation text; absent: no confirmation. */
  readonly sure?: string;
  readonly act: () => Promise<unknown>;
}

export function Action({ label, sure, act }: ActionProps) {
  const [asking, setAsking] = useState(false);
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async () => {
    setAsking(false);
    setWorking(true);
    setError(undefined);
    try {
      await act();
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };
  if (asking)
    return (
      <span class="asking" role="alertdialog" aria-label={sure}>
        {sure}{" "}
        <button type="button" class="danger" onClick={() => void run()}>
          {label}
        </button>{" "}
        <button type="button" class="quiet" onClick={() => setAsking(false)}>
          {text.no}
        </button>
      </span>
    );
  return (
    <span>
      <button
        type="button"
        class={sure ? "careful" : undefined}
        disabled={working}
        onClick={() => (sure ? setAsking(true) : void run())}
      >
        {working ? `${label} …` : label}
      </button>
      <Problem error={error} />
    </span>
  );
}

/** A text with a copy button. */
import { useState } from "preact/hooks";
import { text } from "../text/text.ts";

/** @param props.value a function: made when it is copied */
export function Copy({ value, label }: { value: string | (() => string); label: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof value === "string" ? value : value());
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()} aria-label={`${text.copy}: ${label}`}>
      {done ? text.copied : text.copy}
    </button>
  );
}

/** A word that cannot be taken back: the button opens what will happen, with a note, and a second button says it. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useDoing } from "../reading/doing.ts";
import { text } from "../text/text.ts";
import { Asker, useFocusOf } from "./action.tsx";
import { Problem } from "./problem.tsx";

interface DecideProps {
  readonly label: string;
  /** What will happen. */
  readonly children: ComponentChildren;
  /** It takes something away from devices or people. */
  readonly danger?: boolean;
  /** @param note empty: none */
  readonly act: (note: string) => Promise<unknown>;
}

const maxNote = 2_000;

export function Decide({ label, children, danger, act }: DecideProps) {
  const [isOpen, setOpen] = useState(false);
  const { error, working, doing } = useDoing();
  const shown = useFocusOf<HTMLDivElement & HTMLSpanElement>(isOpen);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement) || working) return;
    const note = String(new FormData(event.currentTarget).get("note") ?? "").trim();
    void doing(async () => {
      await act(note);
      setOpen(false);
    });
  };
  return (
    <>
      <Asker asking={isOpen} shown={shown}>
        <button
          type="button"
          class={danger ? "careful" : undefined}
          disabled={isOpen}
          onClick={() => setOpen(true)}
        >
          {label}
        </button>
      </Asker>
      {isOpen && (
        <div
          ref={shown}
          class="decide"
          role="alertdialog"
          aria-label={label}
          tabIndex={-1}
          onKeyDown={(event) => {
            if (event.key === "Escape" && !working) setOpen(false);
          }}
        >
          {children}
          <form onSubmit={submit}>
            <label>
              {text.change.note}
              <textarea name="note" rows={2} maxLength={maxNote} />
            </label>
            <p class="actions">
              <button type="submit" class={danger ? "danger" : undefined}>
                {working ? `${label} …` : label}
              </button>
              <button type="button" class="quiet" onClick={() => setOpen(false)}>
                {text.no}
              </button>
            </p>
          </form>
          <Problem error={error} />
        </div>
      )}
    </>
  );
}

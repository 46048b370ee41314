/** A button that opens a form for something new, which closes it when it is done. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface AddingProps {
  readonly label: string;
  readonly beside?: ComponentChildren;
  readonly children: (done: () => void) => ComponentChildren;
}

export function Adding({ label, beside, children }: AddingProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <p class="filters">
        <button
          type="button"
          class={open ? "quiet" : undefined}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {label}
        </button>
        {beside}
      </p>
      {open && children(() => setOpen(false))}
    </>
  );
}

/** Preformatted text that is reached and scrolled by the keyboard, too. */
import type { ComponentChildren } from "preact";

interface PreProps {
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Pre({ class: name, children }: PreProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <pre class={name} tabIndex={0}>
      {children}
    </pre>
  );
}

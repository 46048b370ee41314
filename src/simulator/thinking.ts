/** How long a simulated device thinks between the line end that was typed, which it echoes at once, and its answer. */

/** What it thinks about: `line` is one of a configuration, `login` all that is asked before the first prompt. */
export const thinkingKinds = ["login", "password", "command", "line", "save", "commit"] as const;
export type ThinkingKind = (typeof thinkingKinds)[number];

/** Milliseconds for all kinds, or for each; what is not named takes no time. */
export type Thinking = number | Partial<Readonly<Record<ThinkingKind, number>>>;

export function thinkingMs(thinking: Thinking, kind: ThinkingKind): number {
  return typeof thinking === "number" ? thinking : (thinking[kind] ?? 0);
}

/** Simulated processing time between the typed line end, which is echoed at once, and the answer. */

/** Kinds of work. `line` is a configuration line, `login` everything before the first prompt. */
export const thinkingKinds = ["login", "password", "command", "line", "save", "commit"] as const;
export type ThinkingKind = (typeof thinkingKinds)[number];

/** Milliseconds for all kinds, or per kind; a kind that is not listed takes no time. */
export type Thinking = number | Partial<Readonly<Record<ThinkingKind, number>>>;

export function thinkingMs(thinking: Thinking, kind: ThinkingKind): number {
  return typeof thinking === "number" ? thinking : (thinking[kind] ?? 0);
}

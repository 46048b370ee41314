/** A check around a push in one line: `after: show ip bgp summary contains Established`. */

export type CheckPhase = "before" | "after";

export interface WrittenCheck {
  readonly phases: readonly CheckPhase[];
  /** As in `checks` of a request. */
  readonly check: Readonly<Record<string, unknown>>;
}

export const checkPhases = ["before", "after"] as const;
export const checkForm =
  "write before:, after: or both:, a command, and contains <text>, not contains <text>, matches <regular expression> or unchanged";

const form =
  /^(before|after|both):\s*(\S.*?)\s+(?:(contains|not contains|matches)\s+(\S.*?)|(unchanged))\s*$/;

/** Undefined: not of that form. */
export function readCheckText(text: string): WrittenCheck | undefined {
  const [, phase, command, condition, sought, unchanged] = form.exec(text) ?? [];
  if (phase === undefined) return undefined;
  const of =
    unchanged === undefined ? { [(condition ?? "").replace(" ", "_")]: sought } : { unchanged: true };
  return {
    phases: checkPhases.filter((known) => phase === "both" || phase === known),
    check: { command, ...of },
  };
}

/** The line of a check; undefined: it says more than a line can. */
export function writeCheckText(
  phase: CheckPhase | "both",
  check: Readonly<Record<string, unknown>>,
): string | undefined {
  const { command, ...conditions } = check;
  const [condition, ...more] = Object.entries(conditions);
  if (condition === undefined || more.length > 0) return undefined;
  const [name, value] = condition;
  const line = `${phase}: ${command} ${name === "unchanged" ? name : `${name.replace("_", " ")} ${value}`}`;
  const read = readCheckText(line);
  const isSame = read?.check.command === command && read?.check[name] === value;
  return isSame ? line : undefined;
}

/** Arguments of the `json` parser, and the path among them. */
import * as v from "valibot";

export const jsonArgs = v.strictObject({
  /** Path to the wanted part; the whole document if omitted. */
  path: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(1000),
      v.rawTransform<string, readonly Step[]>(({ dataset, addIssue, NEVER }) => {
        const read = readPath(dataset.value);
        if (typeof read !== "string") return read;
        addIssue({ message: read });
        return NEVER;
      }),
    ),
  ),
  strict: v.optional(v.boolean()),
});

export type JsonArgs = v.InferOutput<typeof jsonArgs>;

/** `index` is set if the text may be an array index; the same text may also name a member of an object. */
export type Step =
  | { readonly kind: "member"; readonly name: string; readonly index?: number }
  | { readonly kind: "every" };

export const maxSteps = 100;

const indexText = /^-?\d{1,15}$/;
/** One step, with its leading dot unless it is the first step. */
const step =
  /\.?(?:\[(?:(\*)|(-?\d{1,15})|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\]|(\*)(?=[.[]|$)|([^.[\]]+))/y;

/** @returns the steps, or an error message if the path is invalid */
export function readPath(path: string): readonly Step[] | string {
  const start = /^\$(?=[.[]|$)/.test(path) ? 1 : 0;
  const steps: Step[] = [];
  let at = start;
  while (at < path.length) {
    step.lastIndex = at;
    const match = step.exec(path);
    const isFirst = at === 0;
    // A name needs a leading dot except at the start; a bracket must not have one.
    const [text = "", everyInBrackets, index, double, single, every, name] = match ?? [];
    const hasPoint = text.startsWith(".");
    const isPlain = every !== undefined || name !== undefined;
    if (match === null || (isFirst ? hasPoint : isPlain !== hasPoint))
      return `cannot be read from character ${at + 1}: "${path.slice(at, at + 20)}"`;
    if (steps.length === maxSteps) return `has more than ${maxSteps} steps`;
    at = step.lastIndex;
    const quoted = double ?? single;
    if (everyInBrackets !== undefined || every !== undefined) steps.push({ kind: "every" });
    else if (quoted !== undefined) steps.push({ kind: "member", name: quoted.replace(/\\(.)/gs, "$1") });
    else steps.push(memberOf(index ?? name ?? ""));
  }
  return steps;
}

function memberOf(name: string): Step {
  return { kind: "member", name, ...(indexText.test(name) ? { index: Number(name) } : {}) };
}

/** Formats a path as a caller would write it. */
export function shownPath(steps: readonly Step[]): string {
  return steps
    .map((step, at) => {
      const name = step.kind === "every" ? "*" : step.name;
      if (step.kind === "member" && !/^[^.[\]"'*]+$/.test(name)) return `[${JSON.stringify(name)}]`;
      return at === 0 ? name : `.${name}`;
    })
    .join("");
}

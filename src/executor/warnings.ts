/** Collects a task's warnings: masked, deduplicated and limited in number. */
import type { Context } from "../plugin/index.ts";
import type { TaskMask } from "./masking.ts";

const maxWarnings = 50;
const maxWarningLength = 500;

export interface Warnings {
  /** A context whose `warn` adds to this list. */
  readonly ctx: Context;
  list(mask?: Pick<TaskMask, "text">): string[];
}

export function collectWarnings(ctx: Context): Warnings {
  const warnings = new Set<string>();
  let left = 0;
  return {
    ctx: {
      ...ctx,
      warn(message) {
        // A plugin in JavaScript may pass anything.
        const text = String(message);
        if (warnings.size < maxWarnings) warnings.add(text);
        else if (!warnings.has(text)) left++;
      },
    },
    list: (mask) => [
      ...[...warnings].map((text) => shortened(mask?.text(text) ?? text)),
      ...(left === 0 ? [] : [`${left} more warnings were omitted`]),
    ],
  };
}

function shortened(text: string): string {
  return text.length <= maxWarningLength ? text : `${text.slice(0, maxWarningLength - 1)}…`;
}

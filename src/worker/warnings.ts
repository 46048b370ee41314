/** Collects what a driver warns of in the course of a job: masked, without doubles, and no more than a reader takes in. */
import { maskSecrets, type Secret } from "../base/secret.ts";
import type { Context } from "../plugin/index.ts";

const mostWarnings = 50;
const longestWarning = 500;

export interface Warnings {
  /** The context with which the driver warns into this list. */
  readonly ctx: Context;
  list(secrets: readonly Secret[]): string[];
}

export function collectWarnings(ctx: Context): Warnings {
  const warnings = new Set<string>();
  let left = 0;
  return {
    ctx: {
      ...ctx,
      warn(message) {
        if (warnings.size < mostWarnings) warnings.add(message);
        else if (!warnings.has(message)) left++;
      },
    },
    list: (secrets) => [
      ...[...warnings].map((text) => shortened(maskSecrets(text, secrets))),
      ...(left === 0 ? [] : [`${left} more warnings were left out`]),
    ],
  };
}

function shortened(text: string): string {
  return text.length <= longestWarning ? text : `${text.slice(0, longestWarning - 1)}…`;
}

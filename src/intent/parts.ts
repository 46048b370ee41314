/** All of intents but what takes devices that are due: loaded when something is compared or asked for. */
import { createDrift, type DriftOptions } from "./drift.ts";
import { createFixes, type FixTools } from "./fixes.ts";
import { createIntents, type IntentsOptions } from "./intents.ts";
import { createJudge, type JudgeTools } from "./judge.ts";
import type { Parts } from "./port.ts";
import { createDriftWork } from "./work.ts";

export type PartsOptions = Omit<JudgeTools, "work"> &
  Omit<FixTools, "work" | "judge"> &
  Omit<DriftOptions, "judge" | "fixes"> &
  Omit<IntentsOptions, "onChanged"> & { readonly pool: Parameters<typeof createDriftWork>[0] };

export function createParts({ pool, ...options }: PartsOptions): Parts {
  const work = createDriftWork(pool);
  const judge = createJudge({ ...options, work });
  const fixes = createFixes({ ...options, judge, work });
  const { news, ...drift } = createDrift({ ...options, judge, fixes });
  const intents = createIntents({
    ...options,
    onChanged: (name, caller) => drift.run({ intents: [name] }, caller).then(() => {}),
  });
  return { judge: judge.judge, fixes, drift, news, intents };
}

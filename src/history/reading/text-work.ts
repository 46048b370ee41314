/** Compares configurations: small ones at once, others in processes that can be killed. */
import { ServiceError } from "../../base/errors.ts";
import type { AccessWords, SessionFacts } from "../../configlines/lockout.ts";
import type { LineCounts } from "../../configtext/diff.ts";
import type { LinesEffect } from "../../configtext/effect.ts";
import { type PlainMode, plainAccess, plainRules, type TextRules } from "../../configtext/rules.ts";
import type { SidePart } from "../../configtext/side.ts";
import type {
  BlameRun,
  Comparison,
  Foretelling,
  WantedComparison,
  WantedFiles,
  WantedStored,
} from "../../configtext/work.ts";
import type { TreeChange } from "../../configtree/compare.ts";
import type { Remediation } from "../../configtree/remediate.ts";
import type { Pool, RunOptions } from "../../pool/port.ts";

type WorkOptions = Pick<RunOptions, "deadline" | "share" | "waitMs">;

interface ComparedTexts {
  readonly a: string;
  readonly b: string;
  /** Of the platform. */
  readonly rules: TextRules;
}

interface InContext extends ComparedTexts {
  /** Equal lines around a change; default 3. */
  readonly context?: number | undefined;
}

/**
 * All methods throw ServiceError: TemplateTimeout and TemplateLimit above the limits of the processes, TooManyRequests if
 * too much waits for them, the reason of the deadline.
 */
export interface TextWork {
  /** In git's format; empty if the texts are equal. `from`, `to`: their names. */
  unified(
    texts: InContext & { readonly from: string; readonly to: string },
    options: WorkOptions,
  ): Promise<string>;
  /** The first 20,000 rows; `isCut` if there are more. */
  side(
    texts: InContext,
    options: WorkOptions,
  ): Promise<{ readonly parts: readonly SidePart[]; readonly isCut: boolean }>;
  /** The first 20,000 changes; `isCut` if there are more. */
  structured(
    texts: ComparedTexts,
    options: WorkOptions,
  ): Promise<{ readonly changes: readonly TreeChange[]; readonly isCut: boolean }>;
  /** Lines of a text that the one before has not and the other way round, and its delta against a base, if that is short. */
  stored(
    texts: Omit<WantedStored, "form">,
    options: WorkOptions,
  ): Promise<LineCounts & { readonly delta?: string }>;
  /** Lines that turn one text into the other. `negate`: as a platform declares it. */
  restore(texts: ComparedTexts & { readonly negate: string }, options: WorkOptions): Promise<Remediation>;
  /** A script that puts files of a server back; undefined: one of the texts is none of files. */
  files(texts: Omit<WantedFiles, "form">, options: WorkOptions): Promise<Remediation | undefined>;
  /** What the lines `b` would change in the configuration `a`. */
  effect(texts: ComparedTexts & { readonly negate: string }, options: WorkOptions): Promise<LinesEffect>;
  /** What the lines `b` would do to the configuration `a`; undefined: whatever it is. */
  foresee(
    texts: Omit<ComparedTexts, "a"> & {
      readonly a: string | undefined;
      readonly session: SessionFacts;
      readonly access: AccessWords | undefined;
      readonly modes: readonly PlainMode[];
    },
    options: WorkOptions,
  ): Promise<Foretelling>;
  /** Which version the lines of the newest come from, in order. `texts`: from the oldest to the newest. */
  blame(texts: readonly string[], options: WorkOptions): Promise<readonly BlameRun[]>;
}

/** Comparing less than this takes a few milliseconds, whatever the texts. */
const charsAtOnce: Record<Comparison["form"], number> = {
  ...{
    unified: 200_000,
    side: 200_000,
    structured: 50_000,
    restore: 200_000,
    files: 200_000,
    effect: 20_000,
    foresee: 10_000,
    blame: 200_000,
  },
  // Compared twice.
  stored: 100_000,
};
const linesAtOnce = 4_000;
export function createTextWork(pool: Pick<Pool, "run">): TextWork {
  async function compare<F extends Comparison["form"]>(
    form: F,
    wanted: WantedComparison,
    options: WorkOptions,
  ): Promise<Extract<Comparison, { form: F }>> {
    // With the rules of configurations, which a service may never need.
    const { compareTexts, textsIn } = await import("../../configtext/work.ts");
    const compared = isSmall(textsIn(wanted), charsAtOnce[form])
      ? compareTexts(wanted)
      : await pool.run({ kind: "compare", wanted }, options);
    if (!hasForm(compared, form))
      throw new ServiceError("Internal", "A comparison was answered in another form.");
    return compared;
  }

  return {
    async unified({ rules, ...texts }, options) {
      return (await compare("unified", { form: "unified", ...texts, rules: plainRules(rules) }, options))
        .text;
    },
    stored: (texts, options) => compare("stored", { form: "stored", ...texts }, options),
    side: ({ rules, ...texts }, options) =>
      compare("side", { form: "side", ...texts, rules: plainRules(rules) }, options),
    structured: ({ rules, ...texts }, options) =>
      compare("structured", { form: "structured", ...texts, rules: plainRules(rules) }, options),
    restore: ({ rules, ...texts }, options) =>
      compare("restore", { form: "restore", ...texts, rules: plainRules(rules) }, options),
    async files(texts, options) {
      return (await compare("files", { form: "files", ...texts }, options)).script;
    },
    effect: ({ rules, ...texts }, options) =>
      compare("effect", { form: "effect", ...texts, rules: plainRules(rules) }, options),
    foresee: ({ a, rules, access, ...rest }, options) =>
      compare(
        "foresee",
        {
          ...{ form: "foresee", a: a ?? "", isKnown: a !== undefined, ...rest, rules: plainRules(rules) },
          access: access && plainAccess(access),
        },
        options,
      ),
    async blame(texts, options) {
      return (await compare("blame", { form: "blame", texts }, options)).runs;
    },
  };
}

function hasForm<F extends Comparison["form"]>(
  comparison: Comparison,
  form: F,
): comparison is Extract<Comparison, { form: F }> {
  return comparison.form === form;
}

function isSmall(texts: readonly string[], maxChars: number): boolean {
  let [chars, lines] = [0, 0];
  for (const text of texts) {
    chars += text.length;
    if (chars > maxChars) return false;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1))
      if (++lines > linesAtOnce) return false;
  }
  return true;
}

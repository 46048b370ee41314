/** What is stored of recipes and runs, read and shown. */
import * as v from "valibot";
import {
  type ListedRun,
  proposalHours,
  type RecipeRequest,
  type RunRecord,
  recipeRequest,
  runStep,
  type StoredRunRequest,
  storedRun,
} from "../api/recipes/recipe.ts";
import { ServiceError } from "../base/errors.ts";
import { masked } from "../base/secrets/mask.ts";
import type { ListedStoredRun, StoredDocument, StoredRun } from "../store/port.ts";
import { secretNames } from "./request/parameters.ts";

/** Times of a stored step are milliseconds since 1970. */
const storedSteps = v.array(
  v.object({
    ...runStep.entries,
    // Runs of a version before have none.
    change: v.optional(runStep.entries.change, null),
    ...{ value: v.optional(v.unknown(), null), tries: v.optional(runStep.entries.tries, 0) },
    /** Bulks of tries before. */
    earlier: v.optional(v.array(v.string()), []),
    due_at: v.optional(v.nullable(v.number()), null),
    ...{ started_at: v.nullable(v.number()), ended_at: v.nullable(v.number()) },
  }),
);
export type StoredStep = Readonly<v.InferOutput<typeof storedSteps>[number]>;

export interface OpenedRun {
  readonly request: StoredRunRequest;
  readonly steps: readonly StoredStep[];
}

const notOpened = "cannot be opened: it is damaged, or the master key is another one";

/** @throws ServiceError Internal */
export function documentOf({ name, document }: Pick<StoredDocument, "name" | "document">): RecipeRequest {
  const read = document === undefined ? undefined : v.safeParse(recipeRequest, JSON.parse(document));
  if (read?.success) return read.output;
  throw new ServiceError("Internal", `The recipe ${name} ${notOpened}. Write it again.`);
}

/** Undefined if it cannot be read. */
export function openedRun({ request, steps }: Pick<StoredRun, "request" | "steps">): OpenedRun | undefined {
  if (request === undefined || steps === undefined) return undefined;
  const read = v.safeParse(storedRun, JSON.parse(request));
  const done = v.safeParse(storedSteps, JSON.parse(steps));
  return read.success && done.success ? { request: read.output, steps: done.output } : undefined;
}

/** Secrets are masked, whoever asks. */
export function shownParameters({ recipe, parameters }: StoredRunRequest): Record<string, unknown> {
  const secrets = secretNames(recipe.parameters);
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, secrets.has(name) ? masked : value]),
  );
}

/** Of a run, for a mask. */
export function secretsOfRun({ recipe, parameters }: StoredRunRequest): string[] {
  return [...secretNames(recipe.parameters)].flatMap((name) => {
    const value = parameters[name];
    return typeof value === "string" ? [value] : [];
  });
}

export const waitingStep = ({ name, kind }: Pick<StoredStep, "name" | "kind">): StoredStep => ({
  ...{ name, kind, state: "waiting", reason: null, bulk_id: null, change: null, counts: null, text: null },
  ...{ value: null, tries: 0, earlier: [], due_at: null, started_at: null, ended_at: null },
});

/** When a proposal expires. */
export const expiryOf = ({ createdAt }: Pick<StoredRun, "createdAt">) =>
  createdAt + proposalHours * 3_600_000;

export function listedRunOf(run: ListedStoredRun, iso: (ms: number) => string): ListedRun {
  return {
    ...{ id: run.id, recipe: run.recipe, version: run.version, state: run.state, reason: run.reason },
    submitted_by: { kind: run.submitterKind, name: run.submitter },
    ticket: run.ticket,
    dry_run: run.dry !== null,
    proposed_by: run.proposedBy,
    expires_at: run.state === "proposed" ? iso(expiryOf(run)) : null,
    created_at: iso(run.createdAt),
    ended_at: run.endedAt === null ? null : iso(run.endedAt),
  };
}

export function runRecordOf(run: StoredRun, iso: (ms: number) => string): RunRecord {
  const opened = openedRun(run);
  const moment = (ms: number | null) => (ms === null ? null : iso(ms));
  return {
    ...listedRunOf(run, iso),
    reason: run.reason ?? (opened === undefined ? `it ${notOpened}` : null),
    note: opened?.request.note ?? null,
    devices: opened?.request.devices.length ?? 0,
    proposal:
      run.state === "proposed" && opened !== undefined
        ? {
            reason: opened.request.reason ?? "",
            devices: [...(opened.request.reached ?? opened.request.devices)],
          }
        : null,
    parameters: opened === undefined ? {} : shownParameters(opened.request),
    steps: (opened?.steps ?? []).map(({ earlier: _, ...one }) => ({
      ...one,
      due_at: moment(one.due_at),
      started_at: moment(one.started_at),
      ended_at: moment(one.ended_at),
    })),
  };
}

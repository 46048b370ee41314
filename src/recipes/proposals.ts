/** Runs that agents propose: stored as runs that do not begin before a person who may run the recipe has accepted them. */
import type { Body } from "../api/body.ts";
import {
  bulkKinds,
  type ListedRun,
  type RecipeRecord,
  type RecipeRequest,
  recipeLimits,
  refusal,
} from "../api/recipes/recipe.ts";
import { readStrict } from "../api/strict.ts";
import { requireScope, submitterOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { mayPropose, requireProposable, requireRecipe } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse, refuseAny } from "../base/issues.ts";
import { isGiven, isRecord } from "../base/json/members.ts";
import type { EffectiveDevice } from "../inventory/port.ts";
import type { ListedDocument, Store, StoredRun } from "../store/port.ts";
import type { Proposals } from "./port.ts";
import { expiryOf, listedRunOf, openedRun, runRecordOf } from "./record.ts";
import { bodyOfStep } from "./request/body.ts";
import { secretNames, type Values } from "./request/parameters.ts";
import type { RunRunner } from "./running/runner.ts";

/** What a run would be, judged with the rights of its caller. */
export interface Prepared {
  readonly recipe: RecipeRequest;
  readonly values: Values;
  readonly devices: readonly string[];
}

interface ProposalTools {
  readonly store: Pick<Store, "recipes" | "clock">;
  readonly runner: Pick<RunRunner, "begin">;
  readonly iso: (ms: number) => string;
  prepared(name: string, body: Body, caller: Caller, how: "proposed" | "run"): Promise<Prepared>;
  devicesOf(
    of: { readonly devices?: readonly string[]; readonly select?: string },
    caller: Caller,
  ): Promise<readonly Pick<EffectiveDevice, "name" | "change" | "changeFrom">[]>;
  /** Stores it once for the key. @throws ServiceError */
  added(
    name: string,
    body: Body,
    caller: Caller,
    key: string,
    proposed: { readonly reason: string; readonly reached: readonly string[] },
  ): Promise<StoredRun>;
  /** The run of that recipe that the caller may see. @throws ServiceError NotFound */
  findRun(name: string, id: string, caller: Caller): Promise<StoredRun>;
  isOwn(caller: Caller, holder: string): Promise<boolean>;
  /** Whether the caller reaches all these devices. */
  reachesAll(devices: readonly string[], caller: Caller): Promise<boolean>;
  recipeOf(stored: Pick<ListedDocument, "name">): Promise<RecipeRecord | undefined>;
}

/** Of a step that names its devices itself, as bulks and changes do. */
function namesIn(devices: unknown): string[] {
  const all: readonly unknown[] = Array.isArray(devices) ? devices : [];
  const names = all.map((one) => (isRecord(one) ? one.device : one));
  return names.filter((name) => typeof name === "string");
}

const moved = () => new ServiceError("InUse", "The proposal was decided meanwhile: read it again.");

export function createProposals(tools: ProposalTools) {
  const { store, runner, iso, findRun } = tools;
  const { recipes, clock } = store;

  /** Whoever may run the recipe and reaches its devices decides, and so sees it. */
  async function maySee(run: StoredRun, caller: Caller): Promise<boolean> {
    if (run.state !== "proposed" || !mayPropose(caller, run.recipe) || caller.scope === "agent") return false;
    const opened = openedRun(run);
    return opened !== undefined && tools.reachesAll(opened.request.devices, caller);
  }

  async function runOf(id: string): Promise<StoredRun> {
    const run = await recipes.run(id);
    if (run === undefined) throw new ServiceError("NotFound", "There is no run with that id.");
    return run;
  }

  function requireWaiting(run: StoredRun): void {
    if (run.proposedBy === null)
      throw new ServiceError("InUse", "The run was not proposed by an agent: there is nothing to decide.");
    const now = clock.wall();
    if (run.state === "expired" || (run.state === "proposed" && expiryOf(run) <= now))
      throw new ServiceError(
        "InUse",
        "The proposal has expired: have the agent propose it again, or run the recipe.",
      );
    if (run.state !== "proposed")
      throw new ServiceError(
        "InUse",
        run.state === "refused"
          ? "The proposal is refused already."
          : `The proposal was accepted already, by ${run.submitter}: the run is ${run.state}.`,
      );
  }

  /**
   * Also those of steps that name their own: the rest is refused where it begins.
   * @returns the names of all
   * @throws ServiceError Forbidden
   */
  async function requireAgents({ recipe, values, devices }: Prepared, caller: Caller): Promise<string[]> {
    const names = new Set<string>();
    const asked = [...(devices.length === 0 ? [] : [{ devices }])].map(
      (one): { devices?: readonly string[]; select?: string } => one,
    );
    for (const step of recipe.steps) {
      if (step.kind !== "change" && !bulkKinds.includes(step.kind)) continue;
      const made = bodyOfStep(step, { values, devices: [], tags: [] });
      const own: { readonly select?: unknown; readonly devices?: unknown } =
        "request" in made ? made.request : {};
      if (typeof own.select === "string" && isGiven(step.request.select)) asked.push({ select: own.select });
      const named = isGiven(step.request.devices) ? namesIn(own.devices) : [];
      if (named.length > 0) asked.push({ devices: named });
    }
    for (const one of asked)
      for (const { name, change, changeFrom } of await tools.devicesOf(one, caller)) {
        names.add(name);
        if (change?.agents === false)
          throw new ServiceError(
            "Forbidden",
            `The run was not proposed: the group ${changeFrom.agents ?? ""} of the inventory, which ${name} is in, takes no changes from agents.`,
          );
      }
    return [...names];
  }

  const proposals: Proposals = {
    async proposable(caller, { name, after = "", limit }) {
      requireScope(caller, "agent");
      const found: RecipeRecord[] = [];
      for (const one of await recipes.list()) {
        const isAsked = name === undefined ? one.name > after : one.name === name;
        const recipe = isAsked && mayPropose(caller, one.name) ? await tools.recipeOf(one) : undefined;
        if (recipe !== undefined) found.push(recipe);
        if (found.length >= limit) break;
      }
      return found;
    },

    async propose(name, body, { reason, key, acting }, caller) {
      requireScope(caller, "agent");
      requireProposable(caller, name);
      if (Buffer.byteLength(body.text) > recipeLimits.proposedBytes)
        throw new ServiceError(
          "PayloadTooLarge",
          `An agent proposes a run with at most ${recipeLimits.proposedBytes / 1024} KiB.`,
        );
      const prepared = await tools.prepared(name, body, acting, "proposed");
      refuseAny(
        [...secretNames(prepared.recipe.parameters)]
          .filter((secret) => Object.hasOwn(prepared.values, secret))
          .map((secret) => ({
            path: `parameters.${secret}`,
            message: "is a secret, which no agent gives: a person runs this recipe",
          })),
      );
      const reached = await requireAgents(prepared, acting);
      if (reached.length > recipeLimits.proposedDevices)
        throw new ServiceError(
          "BadRequest",
          `An agent proposes for ${recipeLimits.proposedDevices} devices at most.`,
        );
      return runRecordOf(await tools.added(name, body, acting, key, { reason, reached }), iso);
    },

    async proposal(id, caller) {
      requireScope(caller, "agent");
      const run = await recipes.run(id);
      return run?.proposer === caller.keyId ? runRecordOf(run, iso) : undefined;
    },

    async proposals(caller) {
      requireScope(caller, "read");
      const shown: ListedRun[] = [];
      for (const run of await recipes.proposals())
        if (
          expiryOf(run) > clock.wall() &&
          ((await maySee(run, caller)) || (await tools.isOwn(caller, run.holder)))
        )
          shown.push(listedRunOf(run, iso));
      return shown;
    },

    async accept(name, id, caller) {
      requireRecipe(caller, name);
      const run = await findRun(name, id, caller);
      const { person } = caller;
      if (person === undefined)
        throw new ServiceError(
          "InUse",
          "A proposal is accepted by a person: sign in as one. The key of a machine cannot.",
        );
      // A repeat, as its answer was lost.
      if (run.acceptedAt !== null && run.holder === caller.keyId) return runRecordOf(run, iso);
      requireWaiting(run);
      const opened = openedRun(run);
      if (opened === undefined) throw new ServiceError("Internal", runRecordOf(run, iso).reason ?? "");
      const { recipe, parameters, devices, dry, note } = opened.request;
      const isFixed = isGiven(recipe.devices?.select);
      const value = {
        ...{ parameters, version: run.version, ticket: run.ticket, note, dry_run: dry },
        ...(isFixed || devices.length === 0 ? {} : { devices }),
      };
      // As if they ran it themselves.
      const prepared = await tools.prepared(name, { text: JSON.stringify(value), value }, caller, "run");
      if ([...prepared.devices].sort().join() !== [...devices].sort().join())
        throw new ServiceError(
          "InUse",
          "The devices of the recipe are others than those that were proposed: have the agent propose it again, or run the recipe.",
        );
      const { kind: submitterKind, name: submitter } = submitterOf(caller);
      const as = { holder: caller.keyId, submitterKind, submitter };
      const done = await recipes.acceptRun(run, as, caller);
      if (done === "full") throw tooMany();
      if (done === "moved") throw moved();
      runner.begin(id);
      return runRecordOf(await runOf(id), iso);
    },

    async refuse(name, id, body, caller) {
      requireRecipe(caller, name);
      const read = readStrict(refusal, body.value);
      if ("issues" in read) return refuse(read.issues);
      const { note } = read.output;
      const run = await findRun(name, id, caller);
      requireWaiting(run);
      // Who it was is in the audit trail, where a person can be forgotten.
      const reason = isGiven(note) && note !== "" ? `refused: ${note}` : "refused";
      const move = { state: "refused", reason, ends: true } as const;
      if (!(await recipes.moveRun(run, move, { what: "refuse", by: caller }))) throw moved();
      // Who waits for it is told.
      runner.begin(id);
      return runRecordOf(await runOf(id), iso);
    },
  };
  return { proposals, maySee };
}

export const tooMany = () =>
  new ServiceError(
    "TooManyRequests",
    `${recipeLimits.openRunsOfOne} runs of recipes have not ended of yours, or ${recipeLimits.openRuns} in all; wait for one, or cancel one.`,
  );

export const tooManyProposed = () =>
  new ServiceError(
    "TooManyRequests",
    `This key has ${recipeLimits.proposedOfOne} proposed runs that nobody has decided, or there are ${recipeLimits.proposed} in all: a person has to accept or refuse some.`,
    { retryAfter: 60 },
  );

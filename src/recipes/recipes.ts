/** Recipes and runs, as callers see them. */
import { createHash } from "node:crypto";
import * as v from "valibot";
import { mayRunRecipe } from "../api/access/recipe-right.ts";
import type { Body } from "../api/body.ts";
import {
  bulkKinds,
  callStep,
  dryRunHours,
  type ListedRecipe,
  type RecipeLine,
  type RecipeRecord,
  type RecipeRequest,
  type RunRecord,
  type RunRequest,
  recipeLimits,
  recipeLine,
  recipeName,
  runRequest,
} from "../api/recipes/recipe.ts";
import { readStrict } from "../api/strict.ts";
import { requireScope, seesAll, submitterOf } from "../auth/caller.ts";
import type { Holders } from "../auth/holders.ts";
import type { Caller } from "../auth/port.ts";
import { mayReach } from "../auth/reach.ts";
import { performerOf, requireRecipe } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { invalid, refuse, refuseAny } from "../base/issues.ts";
import { isGiven } from "../base/json/members.ts";
import { linearPattern } from "../base/regex/linear.ts";
import type { RunChanges } from "../changes/port.ts";
import type { Inventory, Snapshot } from "../inventory/port.ts";
import type { ChangeJobs, Jobs } from "../jobs/port.ts";
import { differentBody } from "../limits/in-flight.ts";
import type { ListedDocument, Store, StoredDocument, StoredRun, WrittenDocument } from "../store/port.ts";
import { createDocuments, sourceCheck } from "./documents/documents.ts";
import { createOwnTest } from "./own.ts";
import type { InnerCalls, Recipes } from "./port.ts";
import { createProposals, tooMany, tooManyProposed } from "./proposals.ts";
import { documentOf, listedRunOf, openedRun, runRecordOf, waitingStep } from "./record.ts";
import { bodyOfStep } from "./request/body.ts";
import { routeOf } from "./request/calls.ts";
import { type KnownNames, secretNames, type Values, valuesOf } from "./request/parameters.ts";
import type { RunRunner } from "./running/runner.ts";

export interface RecipeTools {
  readonly store: Pick<Store, "recipes" | "sources" | "makeId" | "fingerprint" | "isFingerprint" | "clock">;
  readonly jobs: Pick<Jobs, "checkKept"> & Pick<ChangeJobs, "changeDevices">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly holders: Pick<Holders, "byId">;
  readonly changes: Pick<RunChanges, "check">;
  readonly runner: Pick<RunRunner, "begin" | "waitFor">;
  readonly calls: Pick<InnerCalls, "require">;
  readonly iso: (ms: number) => string;
  /** Something that webhooks may tell of. */
  happened(): void;
}

const noRun = () => new ServiceError("NotFound", "There is no run with that id.");

/** Whether a step works on the devices of a run, or speaks of them. */
function usesDevices({ steps }: RecipeRequest): boolean {
  return steps.some(
    ({ kind, request, ...rest }) =>
      ((bulkKinds.includes(kind) || kind === "change") &&
        !isGiven(request.devices) &&
        !isGiven(request.select)) ||
      /\bdevices\b/.test(JSON.stringify({ ...rest, request: Object.values(request) })),
  );
}

export function createRecipes(tools: RecipeTools): Recipes {
  const { store, jobs, changes, inventory, holders, runner, calls, iso } = tools;
  const { recipes } = store;
  const isOwn = createOwnTest(holders);
  const documents = createDocuments(recipes, iso, {
    noun: "recipe",
    ...recipeLimits,
    nameSchema: recipeName,
    isSource: sourceCheck(store.sources),
  });
  const recordOf = (stored: StoredDocument): RecipeRecord => ({
    ...documents.headOf(stored),
    ...documentOf(stored),
  });

  /** Undefined: it is gone, or damaged, as its own route says. */
  async function readable({ name }: Pick<ListedDocument, "name">): Promise<RecipeRecord | undefined> {
    const stored = await recipes.find(name);
    try {
      return stored && recordOf(stored);
    } catch {
      return undefined;
    }
  }

  /** By name, of the version in force: the description of the API is asked for again and again. */
  const known = new Map<
    string,
    { version: number; changedAt: number; record: RecipeRecord; chars: number }
  >();
  let knownChars = 0;

  async function keptOf(one: ListedDocument) {
    const { name, version, changedAt } = one;
    const before = known.get(name);
    if (before?.version === version && before.changedAt === changedAt) return before;
    const record = await readable(one);
    if (record === undefined || record.version !== version) return undefined;
    const kept = { version, changedAt, record, chars: JSON.stringify(record).length };
    if (knownChars + kept.chars > recipeLimits.describedChars) known.clear();
    known.set(name, kept);
    knownChars = [...known.values()].reduce((sum, { chars }) => sum + chars, 0);
    return kept;
  }

  async function findRun(name: string, id: string, caller: Caller): Promise<StoredRun> {
    const run = await recipes.run(id);
    if (run === undefined || run.recipe !== name) throw noRun();
    if ((await isOwn(caller, run.holder)) || (await maySee(run, caller))) return run;
    throw noRun();
  }

  /** @throws ServiceError Validation */
  async function devicesOf(recipe: RecipeRequest, asked: RunRequest, caller: Caller): Promise<string[]> {
    const { select, within, most } = recipe.devices ?? {};
    const isFixed = isGiven(select);
    // Else it would work on others than those that somebody named.
    const areNone = !usesDevices(recipe);
    for (const name of ["devices", "select"] as const)
      if ((isFixed || areNone) && isGiven(asked[name]))
        refuse([
          {
            path: name,
            message: `does not apply: ${isFixed ? "the recipe says which devices it has" : "no step works on the devices of a run"}`,
          },
        ]);
    const names = async (of: { devices?: readonly string[]; select?: string }) =>
      (await jobs.changeDevices(of, caller)).map(({ name }) => name);
    const chosen = await names(
      isFixed
        ? { select: select ?? "" }
        : {
            ...(isGiven(asked.devices) ? { devices: asked.devices ?? [] } : {}),
            ...(isGiven(asked.select) ? { select: asked.select ?? "" } : {}),
          },
    );
    if (isGiven(within)) {
      const allowed = new Set(await names({ select: within ?? "" }));
      const outside = chosen.filter((name) => !allowed.has(name));
      if (outside.length > 0)
        throw invalid(
          isGiven(asked.devices) ? "devices" : "select",
          `has devices that this recipe is not for (\`${within}\`): ${outside.slice(0, 5).join(", ")}${outside.length > 5 ? ` and ${outside.length - 5} more` : ""}`,
        );
    }
    const limit = most ?? recipeLimits.devices;
    if (chosen.length > limit) throw invalid("select", `has ${chosen.length} devices, and may have ${limit}`);
    return chosen;
  }

  async function prepared(name: string, body: Body, caller: Caller, how: "proposed" | "run" = "run") {
    if (Buffer.byteLength(body.text) > recipeLimits.runBytes)
      throw new ServiceError(
        "PayloadTooLarge",
        `A run may be asked for with at most ${recipeLimits.runBytes / 1024} KiB.`,
      );
    const read = readStrict(runRequest, body.value);
    if ("issues" in read) return refuse(read.issues);
    const asked = read.output;
    const stored = await documents.find(name);
    if (isGiven(asked.version) && asked.version !== stored.version)
      throw new ServiceError(
        "InUse",
        `The recipe has the version ${stored.version} now: read it again and retry.`,
      );
    const recipe = documentOf(stored);
    const snapshot = await inventory.snapshot();
    const checked = valuesOf(recipe.parameters, asked.parameters ?? {}, namesFor(caller, snapshot));
    if ("issues" in checked) return refuse(checked.issues);
    const { values } = checked;
    const { ticket, note } = asked;
    if (isGiven(recipe.ticket) && !linearPattern(recipe.ticket ?? "").test(ticket ?? ""))
      throw invalid("ticket", `must match ${recipe.ticket}, which the recipe asks for`);
    const devices = await devicesOf(recipe, asked, caller);
    for (const step of recipe.steps) {
      const made = bodyOfStep(step, { values, devices: [], tags: [] });
      if ("message" in made) throw invalid(`parameters`, `${made.message} (step ${step.name}, ${made.path})`);
      const { request, kind } = step;
      const route = kind === "call" ? routeOf(v.parse(callStep, request)) : undefined;
      // Refused before anything is sent; of a proposal it is a right of whoever accepts it.
      if (route !== undefined && how === "run") await calls.require(route, caller);
      const asksDevices = kind === "change" || bulkKinds.includes(kind);
      if (asksDevices && !isGiven(request.devices) && !isGiven(request.select) && devices.length === 0)
        throw invalid("devices", "is required: the recipe works on the devices of its run");
    }
    const dry = asked.dry_run === true;
    const prints = JSON.stringify([
      stored.name,
      stored.version,
      values,
      devices,
      await ownDevices(recipe, values, caller),
    ]);
    if (!dry && how === "run" && recipe.policy?.dry_run_first === true)
      await requireDryRun(name, prints, caller);
    return { stored, recipe, values, devices, ticket, note, dry, prints };
  }

  /** Of steps that name their own, those that their selectors match now: a dry run with others is another one. */
  async function ownDevices(recipe: RecipeRequest, values: Values, caller: Caller): Promise<string[][]> {
    if (recipe.policy?.dry_run_first !== true) return [];
    const found: string[][] = [];
    for (const step of recipe.steps) {
      if (step.kind !== "change" && !bulkKinds.includes(step.kind)) continue;
      const made = bodyOfStep(step, { values, devices: [], tags: [] });
      const select = "request" in made && isGiven(step.request.select) ? made.request.select : undefined;
      if (typeof select !== "string") continue;
      found.push((await jobs.changeDevices({ select }, performerOf(caller))).map(({ name }) => name));
    }
    return found;
  }

  /** @throws ServiceError Forbidden, InUse */
  async function requireDryRun(name: string, prints: string, caller: Caller): Promise<void> {
    const { kind } = submitterOf(caller);
    if (kind !== "key" && kind !== "person") throw new ServiceError("Forbidden", wantsPerson);
    const since = store.clock.wall() - dryRunHours * 3_600_000;
    const found = await recipes.dryRuns(name, caller.keyId, since);
    if (found.some((print) => store.isFingerprint(print, prints))) return;
    throw new ServiceError(
      "InUse",
      `The recipe wants a dry run first: run it with \`dry_run: true\` (\`--dry-run\`), look at what it finds, and run it with the same values and devices within ${dryRunHours} hours.`,
    );
  }

  async function proven(value: unknown, caller: Caller): Promise<WrittenDocument> {
    const { checkRecipe } = await import("./request/check.ts");
    const recipe = await checkRecipe(value, caller, { jobs, changes });
    return { document: JSON.stringify(recipe), listed: JSON.stringify(lineFrom(recipe)) };
  }

  const { proposals, maySee } = createProposals({
    ...{ store, runner, iso, prepared, added, findRun, isOwn },
    devicesOf: jobs.changeDevices,
    async reachesAll(names, caller) {
      const { hasDevice } = namesFor(caller, await inventory.snapshot());
      return names.every(hasDevice);
    },
    recipeOf: readable,
  });

  return {
    ...proposals,
    proven,

    async list(caller) {
      requireScope(caller, "read");
      return (await recipes.list()).map(
        (stored): ListedRecipe => ({
          ...documents.headOf(stored),
          ...lineOf(stored),
        }),
      );
    },

    async runnable(caller) {
      requireScope(caller, "read");
      const found: RecipeRecord[] = [];
      let chars = 0;
      for (const one of await recipes.list()) {
        const kept = mayRunRecipe(caller, one.name) ? await keptOf(one) : undefined;
        if (kept === undefined) continue;
        chars += kept.chars;
        if (chars > recipeLimits.describedChars) break;
        found.push(kept.record);
      }
      return found;
    },

    async shipped(caller) {
      requireScope(caller, "read");
      return (await import("./documents/shipping.ts")).listShipped();
    },

    async read(name, caller, version) {
      requireScope(caller, "read");
      return recordOf(await documents.find(name, version));
    },

    async put(name, body, caller, condition) {
      documents.requireWritable(name, body, caller);
      const written = await proven(body.value, caller);
      const { stored, added } = await documents.put(name, written, caller, condition);
      return { record: recordOf(stored), added };
    },

    remove: documents.remove,
    versions: documents.versions,

    async run(name, body, caller, key) {
      requireRecipe(caller, name);
      const run = await added(name, body, caller, key);
      return runRecordOf(run, iso);
    },

    async check(name, body, caller) {
      requireRecipe(caller, name);
      const stored = await recipes.find(name);
      if (stored !== undefined && documentOf(stored).policy?.dry_run_first === true)
        throw new ServiceError("Forbidden", wantsPerson);
      const { recipe, values } = await prepared(name, body, caller);
      refuseAny(
        [...secretNames(recipe.parameters)]
          .filter((secret) => Object.hasOwn(values, secret))
          .map((secret) => ({
            path: `parameters.${secret}`,
            message: "is a secret, which is not stored for later: use a credential instead",
          })),
      );
    },

    async runs(name, caller, { limit, cursor }) {
      requireScope(caller, "read");
      await documents.find(name);
      const owner = seesAll(caller) ? undefined : caller.keyId;
      const found = await recipes.runs(name, { limit: limit + 1, before: cursor, owner });
      const shown = found.slice(0, limit);
      return {
        runs: shown.map((run) => listedRunOf(run, iso)),
        next: found.length > limit ? shown.at(-1)?.id : undefined,
      };
    },

    async readRun(name, id, caller) {
      requireScope(caller, "read");
      return runRecordOf(await findRun(name, id, caller), iso);
    },

    async cancel(name, id, caller) {
      requireRecipe(caller, name);
      for (;;) {
        const run = await findRun(name, id, caller);
        if (run.state === "proposed") return proposals.refuse(name, id, { text: "", value: {} }, caller);
        if (run.endedAt !== null)
          throw new ServiceError("BusinessFailure", `The run has ended: ${run.state}.`);
        const event = { what: "cancel", by: caller } as const;
        const done =
          run.state === "cancelling" || (await recipes.moveRun(run, { state: "cancelling" }, event));
        if (!done) continue;
        runner.begin(id);
        return runRecord(id);
      }
    },

    waitFor: runner.waitFor,
  };

  /** @param proposed by an agent: it waits for a person */
  async function added(
    name: string,
    body: Body,
    caller: Caller,
    key: string | undefined,
    proposed?: { readonly reason: string; readonly reached: readonly string[] },
  ): Promise<StoredRun> {
    const asked = `${name}\n${body.text}`;
    const id = key === undefined ? store.makeId() : runIdOf(caller, key);
    const former = key === undefined ? undefined : await recipes.run(id);
    if (former !== undefined) return repeated(former, asked);
    const how = proposed === undefined ? "run" : "proposed";
    const { stored, recipe, values, devices, ticket, note, dry, prints } = await prepared(
      ...([name, body, caller, how] as const),
    );
    const { kind, name: submitter } = submitterOf(caller);
    const outcome = await recipes.addRun(
      {
        ...{ id, recipe: stored.name, version: stored.version, holder: caller.keyId },
        ...{ submitterKind: kind, submitter, ticket: ticket ?? null },
        ...(proposed === undefined
          ? {}
          : { proposed: { proposer: caller.keyId, proposedBy: ownName(caller.name) } }),
        dry: dry ? store.fingerprint(prints) : null,
        request: JSON.stringify({
          ...{ recipe, parameters: values, devices, note: note ?? null, dry },
          ...proposed,
          asked: store.fingerprint(asked),
        }),
        steps: JSON.stringify(recipe.steps.map(waitingStep)),
      },
      caller,
    );
    if (outcome === "full") throw proposed === undefined ? tooMany() : tooManyProposed();
    if (proposed === undefined) runner.begin(id);
    else tools.happened();
    const run = await recipes.run(id);
    if (run === undefined) throw noRun();
    // Of two with one key at the same time the first one counts.
    return repeated(run, asked);
  }

  /** @throws ServiceError Conflict: its key was used with another body */
  function repeated(run: StoredRun, asked: string): StoredRun {
    const first = openedRun(run)?.request.asked;
    if (first === undefined || !store.isFingerprint(first, asked)) throw differentBody();
    return run;
  }

  async function runRecord(id: string): Promise<RunRecord> {
    const run = await recipes.run(id);
    if (run === undefined) throw noRun();
    return runRecordOf(run, iso);
  }
}

/** What is out of reach is not there. */
function namesFor(caller: Caller, snapshot: Snapshot): KnownNames {
  let groups: ReadonlySet<string> | undefined;
  const reachedGroups = () =>
    new Set(
      snapshot
        .all()
        .filter(({ host }) => mayReach(caller, host))
        .flatMap((device) => device.groups),
    );
  return {
    hasDevice(name) {
      const device = snapshot.device(name);
      return device !== undefined && mayReach(caller, device.host);
    },
    hasGroup(name) {
      const group = snapshot.group(name);
      if (group === undefined || caller.hosts.length === 0) return group !== undefined;
      groups ??= reachedGroups();
      return groups.has(group.name);
    },
  };
}

/** Of a recipe with `policy.dry_run_first`. */
export const wantsPerson =
  "The recipe has `policy.dry_run_first`: somebody looks at a dry run before each run, so no schedule and no hook starts it. Take the policy out of the recipe (`patchbay recipe put`), or run it with `--dry-run` and then without.";

/** Without that of its person, who may be forgotten. */
const ownName = (name: string) => name.slice(name.lastIndexOf("/") + 1);

/** Of a run that is asked for under a key: the same for each repeat. */
export const runIdOf = ({ keyId }: Pick<Caller, "keyId">, key: string) =>
  createHash("sha256")
    .update(`${keyId}\n${key}`)
    .digest("hex")
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** What lists show. One that cannot be read takes no list along. */
function lineOf({ name, listed, document }: ListedDocument): RecipeLine {
  try {
    if (listed !== undefined) return v.parse(v.pipe(v.string(), v.parseJson(), recipeLine), listed);
    return lineFrom(documentOf({ name, document }));
  } catch {
    return { title: null, description: "It cannot be opened: write it again.", steps: 0 };
  }
}

const lineFrom = ({ title, description, steps }: RecipeRequest): RecipeLine => ({
  ...{ title: title ?? null, description: description ?? null, steps: steps.length },
});

/** Hooks: who may write them, and what a delivery starts. */
import { randomBytes } from "node:crypto";
import * as v from "valibot";
import type { Body } from "../../api/body.ts";
import {
  type HookAnswer,
  type HookRecord,
  type HookSpec,
  hookChange,
  hookLimits,
  hookSpec,
  newHook,
  type WrittenHook,
} from "../../api/recipes/hook.ts";
import { readStrict } from "../../api/strict.ts";
import { requireScope, shareOf } from "../../auth/caller.ts";
import type { Holders } from "../../auth/holders.ts";
import type { Caller } from "../../auth/port.ts";
import { requireRecipe } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { type Issue, invalid, refuse, refuseAny } from "../../base/issues.ts";
import { readJson } from "../../base/json/json.ts";
import { isGiven, isRecord } from "../../base/json/members.ts";
import type { Log } from "../../base/log.ts";
import { suggestion } from "../../base/text/near-names.ts";
import { createDeadline } from "../../base/time/deadline.ts";
import { expressionFault } from "../../checks/expression.ts";
import type { Admission } from "../../limits/port.ts";
import type { Pool } from "../../pool/port.ts";
import type { HookDelivery, Store, StoredHook } from "../../store/port.ts";
import { createOwnTest } from "../own.ts";
import type { Hooks, Recipes } from "../port.ts";
import { runIdOf, wantsPerson } from "../recipes.ts";
import { documentOf } from "../record.ts";
import { secretNames } from "../request/parameters.ts";
import { type Arrived, eventOf, hashOf, identityOf, isForgotten, proofFault } from "./hook-proof.ts";

export interface HookTools {
  readonly store: Pick<Store, "hooks" | "recipes" | "makeId" | "clock">;
  readonly recipes: Pick<Recipes, "run">;
  readonly holders: Pick<Holders, "byId">;
  readonly pool: Pick<Pool, "run">;
  readonly admission: Pick<Admission, "hookRate">;
  readonly log: Log;
  readonly iso: (ms: number) => string;
  /** The caller with the rights of today; undefined: they have none any more. */
  ownerOf(id: string): Promise<Caller | undefined>;
}

/** Of all its expressions together. */
const expressionMs = 5_000;
const noHook = () => new ServiceError("NotFound", "There is no hook with that name.");
/** As little as of an address that never was one. */
const noSuchAddress = () => new ServiceError("NotFound", "There is no such hook.");
const randomText = () => randomBytes(32).toString("base64url");
/** Checked where there is no hook, so that both take the same time. */
const noSecret = randomText();

/** What the expressions of a hook give. */
const mapped = v.object({
  parameters: v.optional(v.record(v.string(), v.unknown()), {}),
  devices: v.optional(v.unknown()),
});

export function createHooks(tools: HookTools): Hooks {
  const { store, recipes, holders, pool, admission, log, iso, ownerOf } = tools;
  const { hooks, clock } = store;
  const isOwn = createOwnTest(holders);

  async function find(recipe: string, name: string, caller: Caller): Promise<StoredHook> {
    const stored = await hooks.find(recipe, name);
    if (stored !== undefined && (await isOwn(caller, stored.owner))) return stored;
    throw noHook();
  }

  async function recordOf(stored: StoredHook): Promise<HookRecord> {
    const { recipe, name, owner, createdAt, changedAt } = stored;
    const holder = await holders.byId(owner);
    return {
      ...{ recipe, name },
      owner: {
        kind: holder?.person?.id === owner ? "person" : "key",
        ...{ name: holder?.name ?? "", in_force: holder?.state === "in_force" },
      },
      ...{ created_at: iso(createdAt), changed_at: iso(changedAt) },
      ...specOf(stored),
    };
  }

  /** @throws ServiceError Validation, NotFound */
  async function checkSpec(recipe: string, spec: HookSpec): Promise<void> {
    const found = await store.recipes.find(recipe);
    if (found === undefined)
      throw new ServiceError("NotFound", `There is no recipe ${JSON.stringify(recipe.slice(0, 64))}.`);
    const { parameters, policy } = documentOf(found);
    if (policy?.dry_run_first === true) throw new ServiceError("Forbidden", wantsPerson);
    const known = Object.keys(parameters?.properties ?? {});
    const secrets = secretNames(parameters);
    const issues: Issue[] = [];
    for (const member of ["parameters", "map"] as const)
      for (const name of Object.keys(spec[member] ?? {})) {
        const path = `${member}.${name.slice(0, 64)}`;
        if (!known.includes(name))
          issues.push({ path, message: `is no parameter of the recipe.${suggestion(name, known)}` });
        else if (secrets.has(name))
          issues.push({
            path,
            message: "is a secret, which no hook may have or be sent: use a credential instead",
          });
      }
    for (const name of Object.keys(spec.map ?? {}))
      if (Object.hasOwn(spec.parameters ?? {}, name))
        issues.push({ path: `map.${name}`, message: "is in `parameters` as well" });
    if (isGiven(spec.devices) && isGiven(spec.map_devices))
      issues.push({ path: "map_devices", message: "does not apply: `devices` names them" });
    const expressions = [
      ["when", spec.when] as const,
      ["map_devices", spec.map_devices] as const,
      ...Object.entries(spec.map ?? {}).map(([name, one]) => [`map.${name}`, one] as const),
    ];
    for (const [path, one] of expressions) {
      const fault = isGiven(one) ? await expressionFault(one ?? "") : undefined;
      if (fault !== undefined) issues.push({ path, message: fault });
    }
    refuseAny(issues);
  }

  /** @throws ServiceError ParseError, ReadTimeout, Validation; undefined: the condition is not true */
  async function valuesOf(spec: HookSpec, event: string | null, body: unknown, owner: Caller) {
    const { when, map, map_devices } = spec;
    if (!isGiven(when) && !isGiven(map) && !isGiven(map_devices)) return { parameters: {} };
    const late = () => new ServiceError("ReadTimeout", "An expression of the hook was still being computed.");
    const deadline = createDeadline(expressionMs, late);
    try {
      const task = {
        kind: "evaluate" as const,
        expression: expressionOf(spec),
        json: JSON.stringify({ body, event }),
      };
      const { json } = await pool.run(task, { deadline, share: { key: shareOf(owner), job: true } });
      const value: unknown = JSON.parse(json);
      if (value === false) return undefined;
      const { parameters, devices } = v.parse(mapped, value);
      if (!isGiven(devices)) return { parameters };
      return { parameters, devices: Array.isArray(devices) ? devices : [devices] };
    } finally {
      deadline.dispose();
    }
  }

  /** What came before with this content or id. @throws ServiceError InUse */
  async function former(
    one: HookDelivery,
    isProven: boolean,
  ): Promise<(HookDelivery & { begun: boolean }) | undefined> {
    const found = await hooks.deliveries(one);
    const [same] = found;
    if (same === undefined) return undefined;
    requireSame(found, one, isProven);
    return same;
  }

  async function started(hook: StoredHook, one: HookDelivery, body: Body, owner: Caller): Promise<string> {
    const key = `hook:${hook.id}:${one.delivery}`;
    const by = { ...owner, submitter: { kind: "hook", name: `${hook.recipe}/${hook.name}` } as const };
    const id = runIdOf(owner, key);
    try {
      await recipes.run(hook.recipe, body, by, key);
    } catch (error) {
      // Two arrived at once, and an expression gave both another value: the first one counts.
      const isThere = error instanceof ServiceError && error.kind === "Conflict";
      if (!isThere || (await store.recipes.run(id)) === undefined) throw error;
    }
    await hooks.begun({ ...one, run: id });
    return id;
  }

  /** @throws ServiceError TooManyRequests */
  function spend(hook: StoredHook): void {
    try {
      admission.hookRate.spend(hook.id, 1);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw new ServiceError(error.kind, "This hook gets too many deliveries.", error.detail);
    }
  }

  return {
    async list(recipe, caller) {
      requireScope(caller, "read");
      const shown: HookRecord[] = [];
      for (const stored of await hooks.list(recipe))
        if (await isOwn(caller, stored.owner)) shown.push(await recordOf(stored));
      return shown;
    },

    async read(recipe, name, caller) {
      requireScope(caller, "read");
      return recordOf(await find(recipe, name, caller));
    },

    async add(recipe, body, caller) {
      requireRecipe(caller, recipe);
      const { name, ...spec } = shapeOf(newHook, body);
      await checkSpec(recipe, spec);
      const [token, secret] = [randomText(), randomText()];
      const values = { id: store.makeId(), recipe, name, owner: caller.keyId };
      const added = await hooks.add(
        { ...values, token: hashOf(token), secret, spec: JSON.stringify(spec) },
        caller,
      );
      if (added === "taken") throw new ServiceError("InUse", "The recipe has a hook with that name already.");
      if (added === "full")
        throw new ServiceError(
          "TooManyRequests",
          `A recipe has at most ${hookLimits.ofRecipe} hooks, and all have ${hookLimits.most}.`,
        );
      const record = await recordOf(await find(recipe, name, caller));
      return { ...record, path: `/hook/${token}`, secret };
    },

    async change(recipe, name, body, caller): Promise<WrittenHook> {
      requireRecipe(caller, recipe);
      const stored = await find(recipe, name, caller);
      const { new_secret, ...spec } = shapeOf(hookChange, body);
      await checkSpec(recipe, spec);
      const anew = new_secret === true ? randomText() : undefined;
      const secret = anew ?? stored.secret;
      if (secret === undefined)
        throw new ServiceError(
          "BusinessFailure",
          "Its secret cannot be opened: ask for another, `new_secret`.",
        );
      const { id, token } = stored;
      const values = { id, recipe, name, token, owner: caller.keyId, secret, spec: JSON.stringify(spec) };
      if (!(await hooks.change(values, caller))) throw noHook();
      const record = await recordOf(await find(recipe, name, caller));
      return { ...record, ...(anew === undefined ? {} : { secret: anew }) };
    },

    async remove(recipe, name, caller) {
      requireRecipe(caller, recipe);
      if (!(await hooks.remove(await find(recipe, name, caller), caller))) throw noHook();
      return name;
    },

    async receive(token, arrived, from): Promise<HookAnswer> {
      const hook = await hooks.byToken(hashOf(token));
      const spec = hook && specOf(hook);
      const now = clock.wall();
      const fault = proofFault(spec?.provider ?? "github", hook?.secret ?? noSecret, arrived, now);
      if (hook === undefined || spec === undefined) throw noSuchAddress();
      const place = `${hook.recipe}/${hook.name}`;
      if (fault !== undefined || hook.secret === undefined) {
        log.warn("hook.refused", { hook: place, from, reason: fault ?? "its secret cannot be opened" });
        throw new ServiceError("Forbidden", fault ?? "The secret of this hook cannot be opened.");
      }
      spend(hook);
      const body = bodyOf(arrived);
      if (isForgotten(spec.provider, body, now))
        throw new ServiceError("Forbidden", "The delivery is more than seven days old.");
      const owner = await ownerOf(hook.owner);
      if (owner === undefined) {
        log.warn("hook.refused", { hook: place, from, reason: "its owner has no rights any more" });
        throw new ServiceError("Forbidden", "The owner of this hook has no rights any more.");
      }
      requireRecipe(owner, hook.recipe);
      const { isProven, ...identity } = identityOf(spec.provider, arrived, body);
      const key = `hook:${hook.id}:${identity.delivery}`;
      const one = { hook: hook.id, ...identity, run: runIdOf(owner, key) };
      const known = await former(one, isProven);
      if (known !== undefined && (known.begun || (await store.recipes.run(known.run)) !== undefined))
        return { outcome: "repeated", run: known.run };
      const values = await valuesOf(spec, eventOf(spec.provider, arrived, body), body, owner);
      if (values === undefined) return { outcome: "skipped", run: null };
      const remembered = known === undefined ? await hooks.remember(one) : [known];
      const [kept] = remembered;
      if (kept === undefined)
        throw new ServiceError(
          "TooManyRequests",
          `This hook has had ${hookLimits.remembered} deliveries within seven days, which is the most.`,
        );
      requireSame(remembered, one, isProven);
      const run = await started(hook, { ...one, content: kept.content }, runBody(spec, values), {
        ...owner,
        from,
      });
      log.info("hook.started", { hook: place, from, run });
      return { outcome: "started", run };
    },
  };
}

/**
 * A copy under another id is somebody else's, and so is another content under a known id.
 * @throws ServiceError InUse
 */
function requireSame(
  found: readonly Pick<HookDelivery, "content" | "delivery">[],
  one: Pick<HookDelivery, "content" | "delivery">,
  isProven: boolean,
): void {
  const isSame = found.every(
    ({ content, delivery }) => delivery === one.delivery && (isProven || content === one.content),
  );
  if (!isSame)
    throw new ServiceError(
      "InUse",
      "This was delivered before under another id, or its id with something else.",
    );
}

/** One expression: false, or the values. Each part was checked to be one by itself. */
function expressionOf({ when, map, map_devices }: HookSpec): string {
  const part = (one: string) => `(\n${one}\n)`;
  const parameters = Object.entries(map ?? {}).map(([name, one]) => `${JSON.stringify(name)}: ${part(one)}`);
  const devices = isGiven(map_devices) ? [`"devices": ${part(map_devices ?? "")}`] : [];
  const values = `{${[`"parameters": {${parameters.join(", ")}}`, ...devices].join(", ")}}`;
  return isGiven(when) ? `${part(when ?? "")} = true ? ${values} : false` : values;
}

function runBody(spec: HookSpec, values: { parameters: Record<string, unknown>; devices?: unknown[] }): Body {
  const { select, ticket, note } = spec;
  const devices = values.devices ?? spec.devices;
  const value = {
    parameters: { ...spec.parameters, ...values.parameters },
    ...(isGiven(devices) ? { devices } : {}),
    ...(isGiven(select) ? { select } : {}),
    ...(isGiven(ticket) ? { ticket } : {}),
    ...(isGiven(note) ? { note } : {}),
  };
  return { text: JSON.stringify(value), value };
}

/** @throws ServiceError BadRequest, Validation, UnsupportedMediaType */
function bodyOf({ headers, text }: Arrived): unknown {
  if ((headers.get("content-type") ?? "").toLowerCase().startsWith("application/x-www-form-urlencoded"))
    throw new ServiceError(
      "UnsupportedMediaType",
      "The body is a form: choose the content type application/json at the sender.",
    );
  const body = readJson(text);
  if (!isRecord(body) || Array.isArray(body)) throw invalid("", "must be an object");
  return body;
}

/** @throws ServiceError Internal */
function specOf({ recipe, name, spec }: Pick<StoredHook, "recipe" | "name" | "spec">): HookSpec {
  const read = spec === undefined ? undefined : v.safeParse(hookSpec, JSON.parse(spec));
  if (read?.success) return read.output;
  throw new ServiceError(
    "Internal",
    `The hook ${recipe}/${name} cannot be opened: remove it, and make it again.`,
  );
}

/** @throws ServiceError Validation, PayloadTooLarge */
function shapeOf<S extends v.GenericSchema>(schema: S, body: Body): v.InferOutput<S> {
  if (Buffer.byteLength(body.text) > hookLimits.maxBytes)
    throw new ServiceError("PayloadTooLarge", `A hook may have at most ${hookLimits.maxBytes / 1024} KiB.`);
  const read = readStrict(schema, body.value);
  return "issues" in read ? refuse(read.issues) : read.output;
}

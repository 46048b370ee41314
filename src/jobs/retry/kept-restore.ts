/** Restores a kept request with its secrets: from the retry request, a credential, or kept secrets. */
import * as v from "valibot";
import type { JobRetryRequest } from "../../api/jobs/retry.ts";
import { RawJson, rawMember, withMembers } from "../../base/json/json.ts";
import { isRecord } from "../../base/json/members.ts";
import { isSecretName } from "../../base/secrets/secret-name.ts";
import type { TemplateMembers } from "../request/template-members.ts";
import type { Issue } from "../request/validate.ts";
import type { Path, Removed } from "./kept-request.ts";

const path = v.array(v.union([v.string(), v.number()]));
const stored = v.object({
  missing: v.array(path),
  members: v.optional(v.record(v.string(), v.string())),
  request: v.record(v.string(), v.unknown()),
});
const storedSecrets = v.array(v.object({ path, value: v.unknown() }));

export interface KeptDocument {
  readonly request: Record<string, unknown>;
  readonly missing: readonly Path[];
  /** Members the inventory added to the context. */
  readonly members?: TemplateMembers;
  /** Raw JSON of the template context. */
  readonly context: string | undefined;
}

/** Parses the output of `strippedRequest`. */
export function readKept(text: string): KeptDocument {
  const { missing, members, request } = v.parse(stored, JSON.parse(text));
  const context = isRecord(request.config) ? rawMember(text, ["request", "config"]) : undefined;
  return { request, missing, members, context };
}

export function readSecrets(text: string): readonly Removed[] {
  return v.parse(storedSecrets, JSON.parse(text));
}

/** Marks a field to omit. */
const omitted = Symbol("omitted");

/** @returns the request, with its context as JSON text, or the missing secrets. */
export function restored(
  { request, missing, context }: KeptDocument,
  retryRequest: JobRetryRequest,
  secrets: readonly Removed[],
): { request: Record<string, unknown>; issues: Issue[] } {
  const filled = structuredClone(request);
  const issues: Issue[] = [];
  const inContext: { path: Path; json: string }[] = [];
  const keptSecrets = new Map(secrets.map(({ path, value }) => [keyOf(path), value]));
  for (const place of missing) {
    const value = valueFor(place, retryRequest, keptSecrets);
    if (value === undefined) issues.push(lacking(place));
    else if (context !== undefined && place[0] === "config")
      inContext.push({ path: place.slice(1), json: value === omitted ? "null" : JSON.stringify(value) });
    else setAt(filled, place, value);
  }
  if (context !== undefined) filled.config = new RawJson(withMembers(context, inContext));
  if (retryRequest.options?.webhook === null && isRecord(filled.options)) delete filled.options.webhook;
  return { request: filled, issues };
}

const keyOf = (place: Path) => JSON.stringify(place.map(String));

function valueFor(
  place: Path,
  retryRequest: JobRetryRequest,
  keptSecrets: ReadonlyMap<string, unknown>,
): unknown {
  if (retryRequest.options?.webhook === null && place[1] === "webhook") return omitted;
  const value = at({ ...retryRequest }, place);
  if (value === null) return omitted;
  if (value !== undefined) return value;
  // The credential supplies it when the job runs.
  if (place[0] === "connection_args" && referenceOf(retryRequest)) return omitted;
  // Never sends secrets of the original webhook to another URL.
  if (place[1] === "webhook" && retryRequest.options?.webhook?.url !== undefined) return undefined;
  return keptSecrets.get(keyOf(place));
}

export function referenceOf({ credential, connection_args }: JobRetryRequest): unknown {
  return credential ?? connection_args?.credential ?? undefined;
}

function lacking(place: Path): Issue {
  const where = place.join(".");
  const hint =
    place[0] === "connection_args"
      ? "was a secret and is not stored: provide it again, or a credential"
      : isSuppliable(place)
        ? "was a secret and is not stored: provide it again"
        : "contained a secret and is not stored: submit the work again";
  return { path: where, message: hint };
}

/** Whether a retry may supply the path: not commands, lines or templates. */
function isSuppliable([first, second, third]: Path): boolean {
  return (
    first === "driver_args" ||
    (first === "config" && typeof second === "string") ||
    (second === "webhook" && third !== undefined)
  );
}

/**
 * Only secrets may be overridden: other fields could send a kept password to another device.
 * @param overrides fields of `driver_args` that override the connection
 */
export function overlayIssues(
  retryRequest: JobRetryRequest,
  missing: readonly Path[],
  overrides: readonly string[],
): Issue[] {
  const { connection_args, driver_args, config, options } = retryRequest;
  const places = leavesOf({
    ...(connection_args ? { connection_args } : {}),
    ...(driver_args ? { driver_args } : {}),
    ...(config ? { config } : {}),
    ...(options?.webhook ? { options: { webhook: options.webhook } } : {}),
  });
  // Indexed by first step: a bulk may miss a million secrets and be given one.
  const firstSteps = new Set(places.map(([first]) => first));
  const secretPlaces = new Set(missing.filter(([first]) => firstSteps.has(first)).map(keyOf));
  return places.flatMap((place) => {
    if (isSecretPlace(place, secretPlaces) || isFree(place, overrides)) return [];
    return [
      {
        path: place.join("."),
        message: "is not a secret of the request: a retry repeats the same request",
      },
    ];
  });
}

function isSecretPlace(place: Path, missing: ReadonlySet<string>): boolean {
  const name = place.findLast((step) => typeof step === "string") ?? "";
  const isNamed = place[0] !== "config" && place[1] !== "webhook" && isSecretName(name);
  return isNamed || place.some((_step, index) => missing.has(keyOf(place.slice(0, index + 1))));
}

function isFree([first, second]: Path, overrides: readonly string[]): boolean {
  if (first === "connection_args") return second === "username" || second === "credential";
  return first === "driver_args" && !overrides.includes(String(second));
}

function leavesOf(value: unknown, from: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [from];
  const members = Object.entries(value);
  const step = (name: string) => (Array.isArray(value) ? Number(name) : name);
  return members.flatMap(([name, member]) => leavesOf(member, [...from, step(name)]));
}

function at(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
  return at(Reflect.get(value, step), rest);
}

function setAt(target: object, [step = "", ...rest]: Path, value: unknown): void {
  if (rest.length > 0) {
    const next: unknown = Reflect.get(target, step);
    if (typeof next === "object" && next !== null) setAt(next, rest, value);
  } else if (value === omitted) Reflect.deleteProperty(target, step);
  else Reflect.set(target, step, value);
}

/** Merges objects member by member; null removes a member. */
export function mergedMembers(
  under: Record<string, unknown>,
  over: Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  const merged = { ...under };
  for (const [name, value] of Object.entries(over ?? {})) {
    const below = merged[name];
    if (value === null) delete merged[name];
    else
      merged[name] =
        isRecord(value) && isRecord(below) ? mergedMembers(below, value) : mergedList(below, value);
  }
  return merged;
}

/** Merges lists of jump hosts by index. */
function mergedList(below: unknown, over: unknown): unknown {
  if (!Array.isArray(below) || !Array.isArray(over)) return over;
  return below.map((item: unknown, index) => {
    const above: unknown = over[index];
    return isRecord(item) && isRecord(above) ? mergedMembers(item, above) : (above ?? item);
  });
}

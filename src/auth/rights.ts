/** Decides which rights a key has, and compares keys: nobody gives, changes or borrows more than they have. */
import { mayRunRecipe, proposableOf, recipesOf } from "../api/access/recipe-right.ts";
import { ServiceError } from "../base/errors.ts";
import { fitsPatterns } from "../base/net/ssh-patterns.ts";
import { limitWord } from "./caller.ts";
import { agentRight, type Caller, includesScope, type Limits, type Right, rights, scopeOf } from "./port.ts";

/** The part of a key or caller that decides which rights it has. */
export interface RightsHolder {
  readonly scope: string;
  /** Given to it; null or absent: none. */
  readonly rights?: readonly string[] | null | undefined;
}

/** Rights that come with a scope, without being given. */
const ofScope: Readonly<Record<string, readonly string[]>> = { admin: ["history"] };
/** Rights that come with another one. */
const ofRight: Readonly<Record<string, readonly string[]>> = { history_secrets: ["history"] };

export function hasRight(holder: RightsHolder, right: Right): boolean {
  return allRightsOf(holder).has(right);
}

/** @throws ServiceError Forbidden that names the right and who can give it */
export function requireRight(caller: RightsHolder & Whose, right: Right): void {
  if (hasRight(caller, right)) return;
  const word = limitWord(caller);
  const command = word === "Your role" ? "role put" : "key rights";
  throw new ServiceError(
    "Forbidden",
    `${word} does not have the right "${right}". An admin who has it can give it, or \`patchbay ${command}\` on the machine of the service.`,
  );
}

type Whose = Partial<Pick<Caller, "keyId" | "person">>;

/** The rights that a key has, in the order of `rights`: given to it, or included in others or in its scope. */
export function rightsOf(holder: RightsHolder): Right[] {
  const all = allRightsOf(holder);
  return rights.filter((right) => all.has(right));
}

/** Those of newer versions too. */
function allRightsOf({ scope, rights }: RightsHolder): ReadonlySet<string> {
  const own = [...(ofScope[scope] ?? []), ...(rights ?? [])];
  const all = new Set([...own, ...own.flatMap((right) => ofRight[right] ?? [])]);
  // Whatever was given to it.
  return scope === "agent" ? new Set([agentRight].filter((right) => all.has(right))) : all;
}

/** Everything that limits a key or a person. */
export interface KeyLimits extends RightsHolder {
  /** Empty: all hosts. */
  readonly hosts: readonly string[];
  /** Null or absent: no list of its own, see auth/credentials. */
  readonly credentials?: readonly string[] | null;
  /** Null or absent: those of the scope, see api/recipe-right. */
  readonly recipes?: readonly string[] | null;
  /** Milliseconds since 1970; null or absent: never. */
  readonly expiresAt?: number | null;
}

type Limit = "scope" | "hosts" | "credentials" | "rights" | "recipes" | "expires_days";

/** @returns the first limit that `wanted` exceeds; undefined: `held` includes it all. */
export function exceededLimit(held: KeyLimits, wanted: KeyLimits): Limit | undefined {
  if (!includesScope(scopeOf(held.scope), scopeOf(wanted.scope))) return "scope";
  if (!hostsWithin(held.hosts, wanted.hosts)) return "hosts";
  if (!credentialsWithin(held, wanted)) return "credentials";
  if (missingRights(held, wanted).length > 0) return "rights";
  if (!recipesWithin(held, wanted)) return "recipes";
  return endsBefore(held.expiresAt, wanted.expiresAt) ? "expires_days" : undefined;
}

const texts: Readonly<Record<Limit, string>> = {
  scope: "a scope beyond its own",
  hosts: "hosts that it may not reach",
  credentials: "credentials that it may not use",
  rights: "rights that it does not have",
  recipes: "recipes that it may not run",
  expires_days: "a longer life than its own",
};

/**
 * @param what what would be done, after "may not"
 * @throws ServiceError Forbidden that names the limit
 */
export function requireRightsOf(held: KeyLimits & Whose, wanted: KeyLimits, what: string): void {
  const limit = exceededLimit(held, wanted);
  if (limit === undefined) return;
  const list = held.credentials ?? [];
  const named = list.length === 0 ? "it may use none" : `it may use ${list.join(", ")}`;
  const hints: Partial<Record<Limit, string>> = {
    credentials: ` (${named}; set credentials to those, or fewer)`,
    rights: ` (${missingRights(held, wanted).join(", ")})`,
  };
  throw new ServiceError(
    "Forbidden",
    `${limitWord(held)} may not ${what}: ${limit} would give ${texts[limit]}${hints[limit] ?? ""}.`,
  );
}

/**
 * The limits of a key that belongs to somebody: never more than both allow. Lists are compared as texts, so a pattern of
 * the key that its person does not have, or has no more, is left out.
 * @returns undefined: nothing is left that both reach
 */
export function commonLimits(person: Limits, key: Limits): Limits | undefined {
  const hosts = commonHosts(person.hosts, key.hosts);
  const scope = commonScope(person.scope, key.scope);
  if (hosts === undefined || scope === undefined) return undefined;
  const given = allRightsOf(person);
  return {
    scope,
    hosts,
    credentials: commonCredentials(person, key),
    rights: [...allRightsOf(key)].filter((right) => given.has(right)),
    recipes: commonRecipes(person, key),
  };
}

function commonHosts(person: readonly string[], key: readonly string[]): readonly string[] | undefined {
  if (person.length === 0) return key;
  if (key.length === 0) return person;
  const both = key.filter((pattern) => person.includes(pattern));
  return both.length === 0 ? undefined : both;
}

function commonCredentials(person: Limits, key: Limits): readonly string[] | null {
  if (key.credentials === null || (person.credentials === null && person.hosts.length > 0))
    return person.credentials;
  if (credentialsWithin(person, key)) return key.credentials;
  const [held, wanted] = [person.credentials ?? [], key.credentials];
  const allowed = wanted.filter(
    (pattern) => !isDenial(pattern) && held.some((one) => !isDenial(one) && includes(one, pattern)),
  );
  return [...allowed, ...[...held, ...wanted].filter(isDenial)];
}

function commonRecipes(person: Limits, key: Limits): readonly string[] | null {
  if (person.recipes === null && key.recipes === null) return null;
  const [held, wanted] = [recipesOf(person), proposableOf(key)];
  return [
    ...wanted.filter((pattern) => held.some((one) => includes(one, pattern))),
    ...held.filter((pattern) => !wanted.includes(pattern) && wanted.some((one) => includes(one, pattern))),
  ];
}

function recipesWithin(held: KeyLimits, wanted: KeyLimits): boolean {
  const list = recipesOf(held);
  return proposableOf(wanted).every((pattern) => list.some((allowed) => includes(allowed, pattern)));
}

/** Who does the steps of a run that may go on: with the scope that they need, which a list of recipes does not give. */
export function performerOf(caller: Caller): Caller {
  return includesScope(caller.scope, "operate") ? caller : { ...caller, scope: "operate" };
}

/** @throws ServiceError Forbidden */
export function requireRecipe(caller: Caller, recipe: string): void {
  if (mayRunRecipe(caller, recipe)) return;
  const named = recipesOf(caller).join(", ");
  const may = named === "" ? "it may run none" : `it may run ${named.slice(0, 500)}`;
  throw new ServiceError(
    "Forbidden",
    `${limitWord(caller)} may not run the recipe ${recipe.slice(0, 64)}: ${may}.`,
  );
}

export const mayPropose = (holder: Parameters<typeof proposableOf>[0], recipe: string): boolean =>
  fitsPatterns(recipe, proposableOf(holder));

/** @throws ServiceError Forbidden */
export function requireProposable(caller: Caller, recipe: string): void {
  if (mayPropose(caller, recipe)) return;
  const listed = proposableOf(caller);
  const may =
    listed.length === 0 ? "it may propose none" : `it may propose ${listed.join(", ").slice(0, 500)}`;
  throw new ServiceError(
    "Forbidden",
    `${limitWord(caller)} may not propose runs of the recipe ${recipe.slice(0, 64)}: ${may}. An admin gives it recipes.`,
  );
}

function missingRights(held: KeyLimits, wanted: KeyLimits): string[] {
  const all = allRightsOf(held);
  return [...allRightsOf(wanted)].filter((right) => !all.has(right));
}

/** @returns undefined: neither includes the other */
function commonScope(person: string, key: string): string | undefined {
  if (includesScope(scopeOf(person), scopeOf(key))) return key;
  return includesScope(scopeOf(key), scopeOf(person)) ? person : undefined;
}

/** Compared as texts: whether one pattern lies within another is only certain if they are equal. */
function hostsWithin(held: readonly string[], wanted: readonly string[]): boolean {
  return held.length === 0 || (wanted.length > 0 && wanted.every((host) => held.includes(host)));
}

function credentialsWithin(held: KeyLimits, wanted: KeyLimits): boolean {
  const list = held.credentials;
  // Without a list and with limited hosts, no stored credential may be used: a list would give some.
  if (list === null || list === undefined) return held.hosts.length === 0 || !wanted.credentials?.length;
  if (wanted.credentials === null || wanted.credentials === undefined) return false;
  const denied = list.filter(isDenial);
  const kept = new Set(wanted.credentials);
  return wanted.credentials
    .filter((pattern) => !isDenial(pattern))
    .every(
      (pattern) =>
        list.some((allowed) => !isDenial(allowed) && includes(allowed, pattern)) &&
        // What the holder is denied must be denied to the other too, unless the pattern is one other credential.
        denied.every(
          (one) => kept.has(one) || (!hasWildcard(pattern) && !fitsPatterns(pattern, [one.slice(1)])),
        ),
    );
}

const isDenial = (pattern: string) => pattern.startsWith("!");
const hasWildcard = (pattern: string) => /[*?]/.test(pattern);

/** Whether everything that `inner` fits also fits `outer`; false if that is not certain. */
function includes(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  // `?` stands for one character and `*` of the other for many.
  return !(outer.includes("?") && hasWildcard(inner)) && fitsPatterns(inner, [outer]);
}

function endsBefore(held: number | null | undefined, wanted: number | null | undefined): boolean {
  if (held === null || held === undefined) return false;
  return wanted === null || wanted === undefined || wanted > held;
}

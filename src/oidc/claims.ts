/** What the claims of a provider say about a person. */
import { personLimits, personNameOf } from "../api/access/person.ts";
import { ServiceError } from "../base/errors.ts";
import { isRecord } from "../base/json/members.ts";

export type Claims = Readonly<Record<string, unknown>>;

const { groups: maxGroups, groupChars: maxGroupLength } = personLimits;
/** By the standard. */
const maxSubjectLength = 255;
const maxEmailLength = 254;

/** The claim itself, or by its steps: `realm_access.roles` leads into an object. Undefined if it is missing. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name] ?? undefined;
  let value: unknown = claims;
  for (const step of name.split(".")) {
    if (!isRecord(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value ?? undefined;
}

/**
 * The groups of a person, each once. A missing claim is no group, never those of before.
 * @throws ServiceError Forbidden: not a list of texts, or too many
 */
export function groupsOf(claims: Claims, name: string, who: string): string[] {
  const value = claimAt(claims, name);
  if (value === undefined) {
    requireHere(claims, name, who);
    return [];
  }
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > maxGroups)
    throw refused(
      `${who} names ${list.length} groups of this person, and ${maxGroups} are the most: let it send only the groups that matter here.`,
    );
  const groups = new Set<string>();
  for (const group of list) {
    if (typeof group !== "string")
      throw refused(`${who} sent a claim "${name}" that is not a list of texts.`);
    if (group.length > maxGroupLength)
      throw refused(`${who} names a group of more than ${maxGroupLength} characters.`);
    if (group !== "") groups.add(group);
  }
  return [...groups];
}

/** A provider may send, in place of too many groups, an address to ask for them. */
function requireHere(claims: Claims, name: string, who: string): void {
  const elsewhere = claims._claim_names;
  if (!isRecord(elsewhere) || !Object.hasOwn(elsewhere, name)) return;
  throw refused(
    `${who} leaves out the claim "${name}" because this person has too many groups: let it send only the groups that matter here.`,
  );
}

/** For people to read: the claim, or the first of others that is there. */
export function nameOf(claims: Claims, name: string, subject: string): string {
  const claimed = [name, "preferred_username", "email", "name"].map((claim) => claimAt(claims, claim));
  return personNameOf(claimed.find(isText)?.slice(0, maxClaimedLength) ?? subject);
}

/** Bounds the work of cleaning it. */
const maxClaimedLength = 1_000;

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** Undefined also for a text that is no address. */
export function emailOf({ email }: Claims): string | undefined {
  const isAddress =
    isText(email) && email.length <= maxEmailLength && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email);
  return isAddress ? email : undefined;
}

/** @throws ServiceError Forbidden */
export function subjectOf(subject: string, who: string): string {
  if (/^[\x20-\x7e]+$/.test(subject) && subject.length <= maxSubjectLength) return subject;
  throw refused(
    `${who} names this person by a subject that is not valid: at most ${maxSubjectLength} characters of ASCII.`,
  );
}

const refused = (sentence: string) => new ServiceError("Forbidden", sentence);

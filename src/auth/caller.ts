/** The caller of a request: what messages call it, and the rights of its scope. */
import { type Submitter, type SubmitterCondition, submitterKinds } from "../api/jobs/job.ts";
import { ServiceError } from "../base/errors.ts";
import { agentRight, type Caller, includesScope, type Scope } from "./port.ts";

/** Whoever calls, where a message cannot know which of both it is. */
export const anyCaller = "this API key or person";

/** How messages begin about what limits a caller; without one: any. Followed by a verb in the singular. */
export function limitWord(caller?: Partial<Pick<Caller, "keyId" | "person">>): string {
  if (caller === undefined) return `T${anyCaller.slice(1)}`;
  return caller.person !== undefined && caller.person.id === caller.keyId ? "Your role" : "This API key";
}

export const hasScope = ({ scope }: Pick<Caller, "scope">, needed: Scope): boolean =>
  includesScope(scope, needed);

/** @throws ServiceError Forbidden */
export function requireScope(caller: Caller, needed: Scope): void {
  if (hasScope(caller, needed)) return;
  const has = `${limitWord(caller)} has the scope "${caller.scope}"`;
  throw new ServiceError("Forbidden", `${has}; "${needed}" is needed.`);
}

/**
 * Who does the work of a change that somebody with this key has written: what an agent proposes runs, once persons have
 * agreed, with the reach of its key.
 */
export function ownerOfChange(caller: Caller): Caller {
  if (caller.scope !== "agent") return caller;
  const rights = caller.rights?.filter((right) => right === agentRight);
  return { ...caller, scope: "operate", rights, proposesOnly: true };
}

/**
 * Whether this admin sees what others created. Acting in their place needs their rights as well: see
 * auth/rights.
 */
export function seesAll({ scope, hosts }: Caller): boolean {
  return scope === "admin" && hosts.length === 0;
}

/**
 * The key of limits, queues and turns: a person has one share, however many keys and sessions; a key of a machine has
 * its own.
 */
export function shareOf({ keyId, person }: Pick<Caller, "keyId" | "person">): string {
  return person?.id ?? keyId;
}

/** Who submits what this caller submits, as shown in records. */
export function submitterOf({ name, submitter }: Caller): Submitter {
  return submitter ?? { kind: "key", name };
}

/** `<name>`, `<kind>:<name>`, or `me`: the key of the caller, or the person. */
export function submitterNamed(text: string | undefined, caller: Caller): SubmitterCondition | undefined {
  if (text === undefined) return undefined;
  if (text === "me") return submitterOf(caller);
  const kind = submitterKinds.find((word) => text.startsWith(`${word}:`));
  return kind === undefined ? { name: text } : { kind, name: text.slice(kind.length + 1) };
}

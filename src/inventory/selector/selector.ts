/** The device selector language: `site:berlin and (role:access or tag:lab) and not name:test*`. Pure. */

import { entryKey } from "../../api/inventory/inventory.ts";
import { selectorPrefix } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import type { StepCount } from "../../base/regex/glob.ts";
import type { Snapshot } from "../port.ts";
import { asksDisabled, asksFact, type Matches, matcherOf, type SelectableDevice } from "./fields.ts";
import { type SelectorNode, treeOf } from "./tree.ts";
import { selectorFault, wordsOf } from "./words.ts";

export type { SelectableDevice } from "./fields.ts";

export interface Selector {
  /** The source text. */
  readonly text: string;
  /** Whether it uses discovered facts, which `matches` then needs. */
  readonly asksFacts: boolean;
  readonly matches: Matches;
  /** Its place in the request. */
  readonly path: string;
  /** What all matches so far took. */
  readonly count: StepCount;
}

/**
 * @param path the path of the selector in the request.
 * @throws ServiceError Validation with the `position` of the fault, counted from 1
 */
export function readSelector(text: string, path = "select"): Selector {
  const tree = treeOf(wordsOf(text, path), path);
  const count = { steps: 0 };
  const compiler = { path, count };
  return { text, asksFacts: firstFact(tree) !== undefined, matches: guarded(tree, compiler), path, count };
}

/** The match function with the latest discovered facts. */
export async function matchingNow(
  { asksFacts, matches }: Selector,
  snapshot: Pick<Snapshot, "facts">,
): Promise<(device: SelectableDevice) => boolean> {
  if (!asksFacts) return (device) => matches(device);
  const facts = await snapshot.facts();
  return (device) => matches(device, facts.get(entryKey(device.name)));
}

/** Says how far an evaluation came, and what makes a selector cheaper. */
export function tooCostly(selectors: readonly Selector[], done: number, total: number): ServiceError {
  const path = selectors[0]?.path ?? "select";
  const message = `takes too much work: its terms were compared with ${done} of ${total} devices; use fewer wildcards or fewer terms, or begin with one that few devices match, joined by "and"`;
  return new ServiceError("Validation", `The selector ${message}.`, { issues: [{ path, message }] });
}

interface Compiler {
  readonly path: string;
  readonly count: StepCount;
}

function firstFact(node: SelectorNode): Extract<SelectorNode, { kind: "term" }> | undefined {
  if (node.kind === "term") return asksFact(node) ? node : undefined;
  if (node.kind === "not") return firstFact(node.node);
  if (node.kind === "all") return undefined;
  return node.nodes.map(firstFact).find((term) => term !== undefined);
}

/**
 * Disabled devices match only terms that select them explicitly: within `or` the alternatives that do, within `and`
 * it is enough if one term does.
 */
function guarded(node: SelectorNode, compiler: Compiler): Matches {
  if (!mentionsDisabled(node)) {
    const matches = compile(node, compiler);
    return (device, facts) => device.enabled && matches(device, facts);
  }
  if (node.kind === "or") return anyOf(node.nodes.map((inner) => guarded(inner, compiler)));
  if (node.kind !== "and" || node.nodes.some((inner) => inner.kind !== "or" && mentionsDisabled(inner)))
    return compile(node, compiler);
  return allOf(
    node.nodes.map((inner) =>
      mentionsDisabled(inner) ? guarded(inner, compiler) : compile(inner, compiler),
    ),
  );
}

function mentionsDisabled(node: SelectorNode): boolean {
  if (node.kind === "term") return asksDisabled(node);
  if (node.kind === "not") return mentionsDisabled(node.node);
  return node.kind !== "all" && node.nodes.some(mentionsDisabled);
}

function compile(node: SelectorNode, compiler: Compiler): Matches {
  switch (node.kind) {
    case "all":
      return () => true;
    case "term":
      return matcherOf(node, compiler.path, compiler.count);
    case "not": {
      const inner = compile(node.node, compiler);
      return (device, facts) => !inner(device, facts);
    }
    case "and":
      return allOf(node.nodes.map((inner) => compile(inner, compiler)));
    case "or":
      return anyOf(node.nodes.map((inner) => compile(inner, compiler)));
  }
}

function allOf(matchers: readonly Matches[]): Matches {
  return (device, facts) => matchers.every((matches) => matches(device, facts));
}

function anyOf(matchers: readonly Matches[]): Matches {
  return (device, facts) => matchers.some((matches) => matches(device, facts));
}

/** Validates the selectors among the hosts of a key. @throws ServiceError Validation */
export function requireSelectors(hosts: readonly string[], placeOf: (at: number) => string): void {
  for (const [at, text] of hosts.entries())
    if (text.startsWith(selectorPrefix)) readReach(text.slice(selectorPrefix.length), placeOf(at));
}

/** Refuses discovered facts: a device must not influence who may reach it. @throws ServiceError Validation */
export function readReach(text: string, path = "hosts"): Selector {
  const fact = firstFact(treeOf(wordsOf(text, path), path));
  if (fact === undefined) return readSelector(text, path);
  const message = `"${fact.field}" is reported by the device itself, so it cannot limit a key`;
  throw selectorFault(path, message, fact.position);
}

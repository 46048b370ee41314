/** The language with which devices are chosen: `site:berlin and (role:access or tag:lab) and not name:test*`. Pure. */
import { selectorPrefix } from "../auth/port.ts";
import { asksDisabled, type Matches, matcherOf, type SelectableDevice } from "./selector-fields.ts";
import { type SelectorNode, treeOf } from "./selector-tree.ts";
import { wordsOf } from "./selector-words.ts";

export type { SelectableDevice } from "./selector-fields.ts";

export interface Selector {
  /** As it was written. */
  readonly text: string;
  matches(device: SelectableDevice): boolean;
}

/**
 * @param path where it stands in the request.
 * @throws ServiceError Validation whose issue has the `position` of what is wrong, counted from 1
 */
export function readSelector(text: string, path = "select"): Selector {
  const matches = guarded(treeOf(wordsOf(text, path), path), path);
  return { text, matches };
}

/**
 * A device that is switched off is chosen only by what asks for such: of alternatives by those that say so, of terms
 * that hold together by one of them.
 */
function guarded(node: SelectorNode, path: string): Matches {
  if (!mentionsDisabled(node)) {
    const matches = compile(node, path);
    return (device) => device.enabled && matches(device);
  }
  if (node.kind === "or") return anyOf(node.nodes.map((inner) => guarded(inner, path)));
  if (node.kind !== "and" || node.nodes.some((inner) => inner.kind !== "or" && mentionsDisabled(inner)))
    return compile(node, path);
  return allOf(
    node.nodes.map((inner) => (mentionsDisabled(inner) ? guarded(inner, path) : compile(inner, path))),
  );
}

function mentionsDisabled(node: SelectorNode): boolean {
  if (node.kind === "term") return asksDisabled(node);
  if (node.kind === "not") return mentionsDisabled(node.node);
  return node.kind !== "all" && node.nodes.some(mentionsDisabled);
}

function compile(node: SelectorNode, path: string): Matches {
  switch (node.kind) {
    case "all":
      return () => true;
    case "term":
      return matcherOf(node, path);
    case "not": {
      const inner = compile(node.node, path);
      return (device) => !inner(device);
    }
    case "and":
      return allOf(node.nodes.map((inner) => compile(inner, path)));
    case "or":
      return anyOf(node.nodes.map((inner) => compile(inner, path)));
  }
}

function allOf(all: readonly Matches[]): Matches {
  return (device) => all.every((matches) => matches(device));
}

function anyOf(all: readonly Matches[]): Matches {
  return (device) => all.some((matches) => matches(device));
}

/** Of the hosts of a key those that are selectors. @throws ServiceError Validation */
export function requireSelectors(hosts: readonly string[], placeOf: (at: number) => string): void {
  for (const [at, text] of hosts.entries())
    if (text.startsWith(selectorPrefix)) readSelector(text.slice(selectorPrefix.length), placeOf(at));
}

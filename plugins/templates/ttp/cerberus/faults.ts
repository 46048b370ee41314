/** Validation errors, and their representation as Cerberus's error dictionary. */

import { PyDict, type Value } from "../../python/index.ts";
export interface Fault {
  /** Path from the document's root. */
  readonly path: readonly Value[];
  readonly rule: string;
  /** Empty if the nested errors say it all. */
  readonly message: string;
  /** Errors inside the value. */
  readonly inner?: readonly Fault[];
  /** For rules such as `anyof`: the errors of each definition that failed. */
  readonly definitions?: readonly (readonly Fault[])[];
}

/** Messages for a field and for the fields below it. */
interface Branch {
  readonly messages: Value[];
  readonly below: Map<Value, Branch>;
}

const branch = (): Branch => ({ messages: [], below: new Map() });

export function faultsDict(faults: readonly Fault[]): PyDict {
  const root = branch();
  for (const fault of faults) add(root, fault, fault.path);
  return dictOf(root);
}

function add(root: Branch, fault: Fault, at: readonly Value[]): void {
  const { path, rule, message, inner = [], definitions } = fault;
  const below = (child: Fault, crumbs: readonly Value[]) =>
    add(root, child, [...at, ...crumbs, ...child.path.slice(path.length)]);
  if (definitions !== undefined) {
    insert(root, at, message);
    definitions.forEach((faults, i) => {
      for (const child of faults) below(child, [`${rule} definition ${i}`]);
    });
  } else if (inner.length > 0) for (const child of inner) below(child, []);
  else insert(root, at, message);
}

function insert(root: Branch, path: readonly Value[], message: string): void {
  let node = root;
  for (const crumb of path) {
    const next = node.below.get(crumb) ?? branch();
    node.below.set(crumb, next);
    node = next;
  }
  node.messages.push(message);
}

function dictOf({ below }: Branch): PyDict {
  return PyDict.from(
    [...below].map(([key, child]): [Value, Value] => [
      key,
      child.below.size === 0 ? child.messages : [...child.messages, dictOf(child)],
    ]),
  );
}

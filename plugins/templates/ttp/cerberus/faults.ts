/** Validation errors, and their representation as Cerberus's error dictionary. */
import { PyDict } from "../../python/dict.ts";
import type { Value } from "../../python/values.ts";

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
    definitions.forEach((found, i) => {
      for (const child of found) below(child, [`${rule} definition ${i}`]);
    });
  } else if (inner.length > 0) for (const child of inner) below(child, []);
  else insert(root, at, message);
}

function insert(root: Branch, path: readonly Value[], message: string): void {
  let here = root;
  for (const crumb of path) {
    const next = here.below.get(crumb) ?? branch();
    here.below.set(crumb, next);
    here = next;
  }
  here.messages.push(message);
}

function dictOf({ below }: Branch): PyDict {
  return PyDict.from(
    [...below].map(([key, one]): [Value, Value] => [
      key,
      one.below.size === 0 ? one.messages : [...one.messages, dictOf(one)],
    ]),
  );
}

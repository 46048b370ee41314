/**
 * Which variable a name means where: every scope gives the names it reads or sets a slot in the frame of
 * its function, and says how a slot is filled when the scope begins.
 */
import type { Node } from "./nodes.ts";
import { children } from "./walk.ts";

/** A root, block, macro or recursive loop: what gets its own frame at run time. */
export interface FunctionScope {
  readonly outer: FunctionScope | undefined;
  slots: number;
}

export interface Slot {
  readonly owner: FunctionScope;
  readonly index: number;
}

export type Load =
  /** Filled by whoever enters the scope. */
  | { readonly kind: "param" }
  /** Looked up in the context. */
  | { readonly kind: "resolve"; readonly name: string }
  /** Starts as a copy of an outer scope's variable. */
  | { readonly kind: "alias"; readonly slot: Slot }
  | { readonly kind: "undefined" };

export interface Scope {
  readonly owner: FunctionScope;
  readonly loads: ReadonlyMap<Slot, Load>;
  readonly stores: ReadonlySet<string>;
  find(name: string): Slot | undefined;
  findLoad(slot: Slot): Load | undefined;
  /** All names set here or further out, the innermost variable of each. */
  stored(): Map<string, Slot>;
  param(name: string): Slot;
  /** Reads what the nodes load and set, as statements of this scope. */
  analyse(nodes: readonly Node[]): void;
}

interface State {
  readonly refs: Map<string, Slot>;
  readonly loads: Map<Slot, Load>;
  readonly stores: Set<string>;
}

export function createFunctionScope(outer?: FunctionScope): FunctionScope {
  return { outer, slots: 0 };
}

export function createScope(owner: FunctionScope, parent?: Scope): Scope {
  /** One slot for a name of this scope, whichever branch meets it first. */
  const slots = new Map<string, Slot>();
  let state: State = { refs: new Map(), loads: new Map(), stores: new Set() };

  const define = (name: string, load: Load): Slot => {
    let slot = slots.get(name);
    if (slot === undefined) {
      slot = { owner, index: owner.slots++ };
      slots.set(name, slot);
    }
    state.refs.set(name, slot);
    state.loads.set(slot, load);
    return slot;
  };
  const find = (name: string): Slot | undefined => state.refs.get(name) ?? parent?.find(name);

  const param = (name: string): Slot => {
    state.stores.add(name);
    return define(name, { kind: "param" });
  };
  const load = (name: string): void => {
    if (find(name) === undefined) define(name, { kind: "resolve", name });
  };
  const store = (name: string): void => {
    state.stores.add(name);
    if (state.refs.has(name)) return;
    const outer = parent?.find(name);
    define(name, outer === undefined ? { kind: "undefined" } : { kind: "alias", slot: outer });
  };

  /** A name that only some branches set starts as what it was before. */
  const merge = (branches: readonly State[]): void => {
    const counts = new Map<string, number>();
    for (const branch of branches) {
      for (const name of branch.stores)
        if (!state.stores.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const branch of branches) {
      for (const [name, slot] of branch.refs) state.refs.set(name, slot);
      for (const [slot, how] of branch.loads) state.loads.set(slot, how);
      for (const name of branch.stores) state.stores.add(name);
    }
    for (const [name, count] of counts) {
      const slot = find(name);
      if (count === branches.length || slot === undefined) continue;
      const outer = parent?.find(name);
      state.loads.set(slot, outer === undefined ? { kind: "resolve", name } : { kind: "alias", slot: outer });
    }
  };

  const branch = (nodes: readonly Node[]): State => {
    const before = state;
    state = { refs: new Map(before.refs), loads: new Map(before.loads), stores: new Set(before.stores) };
    for (const node of nodes) visit(node);
    const after = state;
    state = before;
    return after;
  };

  /** What opens a scope of its own is only read as far as it belongs to this one. */
  const visit = (node: Node): void => {
    switch (node.kind) {
      case "name":
        if (node.mode === "param") param(node.name);
        else if (node.mode === "store") store(node.name);
        else load(node.name);
        return;
      case "nsref":
        load(node.name);
        return;
      case "if":
        visit(node.test);
        merge([branch(node.body), branch(node.elifs), branch(node.otherwise)]);
        return;
      case "macro":
        store(node.name);
        return;
      case "import":
        visit(node.template);
        store(node.target);
        return;
      case "from":
        visit(node.template);
        for (const [, name] of node.names) store(name);
        return;
      case "set":
        visit(node.value);
        visit(node.target);
        return;
      case "for":
        visit(node.iter);
        return;
      case "callblock":
        visit(node.call);
        return;
      case "filterblock":
        visit(node.filter);
        return;
      case "with":
        for (const value of node.values) visit(value);
        return;
      case "setblock":
        visit(node.target);
        return;
      case "autoescape":
      case "block":
        return;
      default:
        for (const child of children(node)) visit(child);
    }
  };

  return {
    owner,
    get loads() {
      return state.loads;
    },
    get stores() {
      return state.stores;
    },
    find,
    findLoad: (slot) => state.loads.get(slot) ?? parent?.findLoad(slot),
    stored() {
      const all = new Map<string, Slot>();
      for (const name of state.stores) {
        const slot = find(name);
        if (slot !== undefined) all.set(name, slot);
      }
      for (const [name, slot] of parent?.stored() ?? []) if (!all.has(name)) all.set(name, slot);
      return all;
    },
    param,
    analyse(nodes) {
      for (const node of nodes) visit(node);
    },
  };
}

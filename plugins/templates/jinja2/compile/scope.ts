/**
 * Resolves names to variables: each scope maps the names it reads or sets to slots in its function's frame
 * and records how each slot is initialised.
 */
import type { Node } from "../syntax/nodes.ts";
import { children } from "../syntax/walk.ts";

/** A root, block, macro or recursive loop: has its own frame at run time. */
export class FunctionScope {
  /** Number of slots in a frame. */
  slots = 0;
  constructor(readonly outer?: FunctionScope) {}
}

export interface Slot {
  readonly owner: FunctionScope;
  readonly index: number;
}

export type Load =
  /** Set by the code that enters the scope. */
  | { readonly kind: "param" }
  /** Looked up in the context. */
  | { readonly kind: "resolve"; readonly name: string }
  /** Copied from an outer scope's variable. */
  | { readonly kind: "alias"; readonly slot: Slot }
  | { readonly kind: "undefined" };

/** What is known about the names of a scope; each branch starts with a copy. */
class State {
  readonly refs: Map<string, Slot>;
  readonly loads: Map<Slot, Load>;
  readonly stores: Set<string>;
  constructor(from?: State) {
    this.refs = new Map(from?.refs);
    this.loads = new Map(from?.loads);
    this.stores = new Set(from?.stores);
  }
}

/** A class, not closures: a compiled template keeps its scopes, and small ones fit the CPU cache. */
export class Scope {
  /** One slot per name of this scope, shared by all branches. */
  private readonly slots = new Map<string, Slot>();
  private state = new State();

  constructor(
    readonly owner: FunctionScope,
    private readonly parent?: Scope,
  ) {}

  get loads(): ReadonlyMap<Slot, Load> {
    return this.state.loads;
  }

  find(name: string): Slot | undefined {
    return this.state.refs.get(name) ?? this.parent?.find(name);
  }

  /** All names set here or in outer scopes; inner variables shadow outer ones. */
  stored(): Map<string, Slot> {
    const slots = new Map<string, Slot>();
    for (const name of this.state.stores) {
      const slot = this.find(name);
      if (slot !== undefined) slots.set(name, slot);
    }
    for (const [name, slot] of this.parent?.stored() ?? []) if (!slots.has(name)) slots.set(name, slot);
    return slots;
  }

  param(name: string): Slot {
    this.state.stores.add(name);
    return this.define(name, { kind: "param" });
  }

  /** Records the loads and stores of the nodes as statements of this scope. */
  analyse(nodes: readonly Node[]): void {
    for (const node of nodes) this.visit(node);
  }

  private define(name: string, load: Load): Slot {
    let slot = this.slots.get(name);
    if (slot === undefined) {
      slot = { owner: this.owner, index: this.owner.slots++ };
      this.slots.set(name, slot);
    }
    this.state.refs.set(name, slot);
    this.state.loads.set(slot, load);
    return slot;
  }

  private load(name: string): void {
    if (this.find(name) === undefined) this.define(name, { kind: "resolve", name });
  }

  private store(name: string): void {
    this.state.stores.add(name);
    if (this.state.refs.has(name)) return;
    const outer = this.parent?.find(name);
    this.define(name, outer === undefined ? { kind: "undefined" } : { kind: "alias", slot: outer });
  }

  /** A name that only some branches set starts with its previous value. */
  private merge(branches: readonly State[]): void {
    const { state } = this;
    const counts = new Map<string, number>();
    for (const branch of branches) {
      for (const name of branch.stores)
        if (!state.stores.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const branch of branches) {
      for (const [name, slot] of branch.refs) state.refs.set(name, slot);
      for (const [slot, load] of branch.loads) state.loads.set(slot, load);
      for (const name of branch.stores) state.stores.add(name);
    }
    for (const [name, count] of counts) {
      const slot = this.find(name);
      if (count === branches.length || slot === undefined) continue;
      const outer = this.parent?.find(name);
      state.loads.set(slot, outer === undefined ? { kind: "resolve", name } : { kind: "alias", slot: outer });
    }
  }

  private branch(nodes: readonly Node[]): State {
    const before = this.state;
    this.state = new State(before);
    for (const node of nodes) this.visit(node);
    const after = this.state;
    this.state = before;
    return after;
  }

  /** Nodes with their own scope are visited only as far as they belong to this one. */
  private visit(node: Node): void {
    switch (node.kind) {
      case "name":
        if (node.mode === "param") this.param(node.name);
        else if (node.mode === "store") this.store(node.name);
        else this.load(node.name);
        return;
      case "nsref":
        this.load(node.name);
        return;
      case "if":
        this.visit(node.test);
        this.merge([this.branch(node.body), this.branch(node.elifs), this.branch(node.otherwise)]);
        return;
      case "macro":
        this.store(node.name);
        return;
      case "import":
        this.visit(node.template);
        this.store(node.target);
        return;
      case "from":
        this.visit(node.template);
        for (const [, name] of node.names) this.store(name);
        return;
      case "set":
        this.visit(node.value);
        this.visit(node.target);
        return;
      default:
        for (const inner of partsHere(node)) this.visit(inner);
    }
  }
}

function partsHere(node: Node): readonly Node[] {
  switch (node.kind) {
    case "for":
      return [node.iter];
    case "callblock":
      return [node.call];
    case "filterblock":
      return [node.filter];
    case "setblock":
      return [node.target];
    case "with":
      return node.values;
    case "autoescape":
    case "block":
      return [];
    default:
      return children(node);
  }
}

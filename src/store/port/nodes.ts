/** Nodes and their leases: who may take jobs. A lease runs by the clock of the store, which all nodes share. */

/** The fencing token of a node: one generation more each time the node acquires its lease; everything it writes carries it. */
export interface NodeFence {
  readonly name: string;
  readonly generation: number;
}

export interface NodeFacts {
  readonly name: string;
  /** Id of the data directory: whoever owns it knows that the former process has ended. */
  readonly home: string;
  readonly hostname: string;
  readonly pid: number;
  readonly leaseMs: number;
}

export interface LiveNode {
  readonly name: string;
  readonly hostname: string;
  readonly pid: number;
}

export interface Nodes {
  /**
   * Acquires the lease of a name with a new generation: all that carries an older one is refused from then on. On a
   * shared store the name must be free: unused, its lease over, or of this data directory.
   * @returns undefined when another process with another data directory holds it.
   */
  acquire(facts: NodeFacts): Promise<NodeFence | undefined>;

  /**
   * The lease lasts `leaseMs` from now.
   * @returns false when it is lost: another generation was begun, or the node was declared dead.
   * @throws ServiceError Unavailable after `patienceMs`
   */
  renew(node: NodeFence, leaseMs: number, patienceMs: number): Promise<boolean>;

  /** Changes nothing when the lease is lost. `draining`: it takes no more jobs, and its lease lasts while it ends. */
  setState(node: NodeFence, state: "up" | "draining" | "dead"): Promise<void>;

  /** Declares nodes dead whose lease ended more than `graceMs` ago; a dead node stays dead until it acquires anew. */
  retireExpired(graceMs: number): Promise<void>;

  /** Declares all other nodes dead: for a store with one owner, where whoever else stands in it is of the past. */
  retireOthers(node: NodeFence): Promise<void>;

  /** Nodes whose lease lasts. */
  live(): Promise<LiveNode[]>;

  /** Gives back pinned queues (all, or those named) in which no job runs, so that another node may take them. */
  releaseQueues(node: NodeFence, queues?: readonly string[]): Promise<void>;
}

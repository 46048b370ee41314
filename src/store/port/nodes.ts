/** Nodes and their leases, which permit claiming jobs. Leases run by the clock of the store, which all nodes share. */

/** The fencing token of a node: each acquisition of its lease increments the generation, and every write carries it. */
export interface NodeFence {
  readonly name: string;
  readonly generation: number;
}

export interface NodeFacts {
  readonly name: string;
  /** Id of the data directory: the process that owns it knows that the previous one has ended. */
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
   * Acquires the lease of a name with a new generation; writes of older generations are rejected from then on. On a
   * shared store the name must be unused, expired or of this data directory.
   * @returns undefined if a process with another data directory holds it
   */
  acquire(facts: NodeFacts): Promise<NodeFence | undefined>;

  /**
   * Extends the lease to `leaseMs` from now.
   * @returns false if it is lost: a newer generation exists, or the node was declared dead
   * @throws ServiceError Unavailable after `patienceMs`
   */
  renew(node: NodeFence, leaseMs: number, patienceMs: number): Promise<boolean>;

  /** Does nothing if the lease is lost. `draining`: claims no more jobs and keeps its lease until it is done. */
  setState(node: NodeFence, state: "up" | "draining" | "dead"): Promise<void>;

  /**
   * Declares nodes dead whose lease expired more than `graceMs` ago; a dead node stays dead until it acquires a new
   * lease.
   */
  retireExpired(graceMs: number): Promise<void>;

  /** Declares all other nodes dead: for a store with a single owner, where any other node is left over. */
  retireOthers(node: NodeFence): Promise<void>;

  /** Nodes with a valid lease. */
  live(): Promise<LiveNode[]>;

  /** Releases pinned queues (all, or those given) without a running job, so that other nodes can lease them. */
  releaseQueues(node: NodeFence, queues?: readonly string[]): Promise<void>;
}

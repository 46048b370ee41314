/** Workers of all nodes as last reported, and requests to stop them. */
import type { NodeFence } from "./nodes.ts";

export interface WorkerState {
  readonly name: string;
  readonly status: "idle" | "busy" | "suspended";
  readonly queue: string;
  /** Id of the job it runs. */
  readonly currentJob: string | null;
  /** Milliseconds since 1970. */
  readonly birthAt: number;
  readonly succeeded: number;
  readonly failed: number;
}

export interface StoredWorker extends Omit<WorkerState, "status"> {
  readonly status: string;
  readonly node: string;
  readonly hostname: string;
  readonly pid: number;
  /** When its node last reported it, in ms since 1970. */
  readonly heartbeatAt: number;
  /** Whether the lease of its node is valid. */
  readonly alive: boolean;
}

export interface Workers {
  /** Replaces the previous report of this node. */
  report(
    node: NodeFence,
    process: { readonly hostname: string; readonly pid: number },
    states: readonly WorkerState[],
  ): Promise<void>;

  /** Workers of all other nodes, by name. */
  ofOtherNodes(node: string): Promise<StoredWorker[]>;

  /** Requests that the nodes of these workers stop them; unknown names are ignored. */
  requestStop(names: readonly string[]): Promise<void>;

  /** Workers of this node with a stop request; each request is returned once. */
  takeStopRequests(node: string): Promise<string[]>;
}

/** Workers of all nodes as last reported, and requests to stop them. */
import type { WorkerRow } from "../tables/nodes.ts";
import type { NodeFence } from "./nodes.ts";

export interface WorkerState
  extends Pick<WorkerRow, "name" | "queue" | "currentJob" | "birthAt" | "succeeded" | "failed"> {
  readonly status: "idle" | "busy" | "suspended";
}

/** `heartbeatAt`: when its node last reported it. Times are in ms since 1970. */
export interface StoredWorker
  extends Omit<WorkerState, "status">,
    Pick<WorkerRow, "status" | "node" | "hostname" | "pid"> {
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

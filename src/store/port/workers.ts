/** Workers of all nodes as they last reported, and requests to stop one. */
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
  /** When its node last reported it, in milliseconds since 1970. */
  readonly heartbeatAt: number;
  /** The lease of its node lasts. */
  readonly alive: boolean;
}

export interface Workers {
  /** Replaces what this node reported before. */
  report(
    node: NodeFence,
    process: { readonly hostname: string; readonly pid: number },
    states: readonly WorkerState[],
  ): Promise<void>;

  /** Workers of all nodes but this one, by name. */
  ofOtherNodes(node: string): Promise<StoredWorker[]>;

  /** Asks the nodes of these workers to stop them; unknown names are left out. */
  requestStop(names: readonly string[]): Promise<void>;

  /** Workers of this node that somebody asked to stop; each request is given once. */
  takeStopRequests(node: string): Promise<string[]>;
}

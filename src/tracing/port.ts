/** The interface of traces: what is told to them as a request becomes a job, and a job commands on a device. */

import type { TimedStep } from "../protocol/message-port.ts";

export interface AttemptTrace {
  step(step: TimedStep): void;
  end(error: string | undefined): void;
}

export interface AttemptFacts {
  readonly id: string;
  readonly number: number;
  readonly driver: string;
  readonly operation: string;
  readonly platform: string | undefined;
  readonly host: string;
}

export interface AnsweredRequest {
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
}

export interface Tracing {
  /** Runs the work of a request; what it submits is part of its trace. @param traceparent the caller's, as W3C writes it */
  request<T>(traceparent: string | null, work: () => Promise<T>): Promise<T>;
  /** How the request that is under way was answered. */
  answered(request: AnsweredRequest): void;
  /** The request under way has submitted these jobs. */
  submitted(ids: readonly string[]): void;
  /** Undefined: this one is not traced. */
  attempt(facts: AttemptFacts): AttemptTrace | undefined;
  /** Jobs that have ended. */
  ended(id: string, status: string, error: string | undefined): void;
  /** Spans that were sent, and that were given up: the queue was full, or the receiver did not take them. */
  counts(): { readonly sent: number; readonly dropped: number };
  /** Sends what is left. */
  stop(): Promise<void>;
}

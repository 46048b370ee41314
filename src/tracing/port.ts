/** The interface of tracing: follows a request to its jobs, attempts and commands. */

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
  /** Runs a request; jobs it submits join its trace. @param traceparent the W3C header of the caller */
  request<T>(traceparent: string | null, work: () => Promise<T>): Promise<T>;
  /** The response of the current request. */
  answered(request: AnsweredRequest): void;
  /** The current request has submitted these jobs. */
  submitted(ids: readonly string[]): void;
  /** Undefined if the job is not traced. */
  attempt(facts: AttemptFacts): AttemptTrace | undefined;
  /** A job has ended. */
  ended(id: string, status: string, error: string | undefined): void;
  /** Spans sent, and spans dropped because the queue was full or the receiver refused them. */
  counts(): { readonly sent: number; readonly dropped: number };
  /** Flushes the queue. */
  stop(): Promise<void>;
}

/** What a task handler gets beside the context that plugins see: questions to the main thread. */
import type { Context } from "../plugin/kit.ts";
import type { Question } from "../protocol/port.ts";

export interface TaskContext extends Context {
  /** Resolves with the main thread's answer; rejects when it refuses. */
  ask(question: Question): Promise<unknown>;
}

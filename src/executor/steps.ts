/** Measures the steps of a traced task: opening the session, and each command. */
import { toErrorData } from "../base/errors.ts";
import type { TimedStep } from "../protocol/message-port.ts";
import type { TaskMask } from "./masking.ts";

export type OnStep = (step: TimedStep) => void;

export interface Steps {
  /** Milliseconds since 1970. */
  now(): number;
  /** Reports that the session is open. */
  session(begunMs: number, reused: boolean): void;
  command<T>(text: string, work: () => Promise<T>): Promise<T>;
}

/** @param tell absent: nothing is measured. */
export function createSteps(tell: OnStep | undefined, mask: TaskMask): Steps {
  const now = () => performance.timeOrigin + performance.now();
  return {
    now,
    session: (startMs, reused) => tell?.({ name: "session", startMs, endMs: now(), reused }),
    async command(text, work) {
      if (tell === undefined) return work();
      const startMs = now();
      let error: string | undefined;
      try {
        return await work();
      } catch (thrown) {
        error = toErrorData(thrown, "DriverError").kind;
        throw thrown;
      } finally {
        tell({ name: "command", startMs, endMs: now(), error, command: mask.text(text) });
      }
    },
  };
}

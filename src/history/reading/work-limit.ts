/** The time that a comparison or a search may take in a process, and its end with its caller. */
import { ServiceError } from "../../base/errors.ts";
import { createDeadline, type Deadline, onAbort } from "../../base/time/deadline.ts";

const limitMs = 60_000;

export async function withinLimit<T>(
  signal: AbortSignal | undefined,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = createDeadline(
    limitMs,
    () =>
      new ServiceError(
        "ReadTimeout",
        `It took longer than ${limitMs / 1_000} seconds and was stopped: ask for fewer devices or shorter texts.`,
      ),
  );
  const unlisten =
    signal && onAbort(signal, () => deadline.abort(new ServiceError("Cancelled", "The caller has left.")));
  try {
    return await work(deadline);
  } finally {
    unlisten?.();
    deadline.dispose();
  }
}

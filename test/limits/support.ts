/** Responses of a limit. */

export function refusalOf(work: () => void): { detail: { retryAfter: number } } {
  try {
    work();
  } catch (error) {
    return error as { detail: { retryAfter: number } };
  }
  throw new Error("it was not refused");
}

/** Refusals of the router that are answers, not failures. */
import { PluginError } from "patchbay/plugin";

/** What was asked for, or `otherwise` where the router does not take the question, such as for what a version lacks. */
export async function unlessRefused<T, U>(
  asked: Promise<T>,
  otherwise: () => U,
): Promise<Awaited<T> | Awaited<U>> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
    return await otherwise();
  }
}

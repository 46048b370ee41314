/** Refusals of a device that are answers, not failures. */
import { PluginError } from "patchbay/plugin";

/** What was asked for, or `otherwise` where the device does not take the question: it lacks it, or it is switched off. */
export async function unlessRefused<T, U>(
  asked: Promise<T>,
  otherwise: (refusal: PluginError) => U,
): Promise<Awaited<T> | Awaited<U>> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
    return await otherwise(error);
  }
}

/** Device refusals that are a valid answer, not a failure. */
import { PluginError } from "patchbay/plugin";

/** The answer, or `otherwise` if the device refuses the command because the feature is missing or disabled. */
export async function unlessRefused<T, U>(
  answer: Promise<T>,
  otherwise: (refusal: PluginError) => U,
): Promise<Awaited<T> | Awaited<U>> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
    return await otherwise(error);
  }
}

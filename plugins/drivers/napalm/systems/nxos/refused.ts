/** Refusals of the switch that are answers, not failures. */
import { PluginError } from "patchbay/plugin";

/** What was asked for, or `otherwise` where the switch does not take the question, such as for a feature that is off. */
export async function unlessRefused<T, U>(
  asked: Promise<T>,
  otherwise: (refusal: PluginError) => U,
): Promise<T | U> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
    return otherwise(error);
  }
}

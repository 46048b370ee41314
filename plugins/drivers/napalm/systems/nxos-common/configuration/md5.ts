/** Verifies that a candidate arrived on the switch unchanged. */
import { createHash } from "node:crypto";
import { PluginError } from "patchbay/plugin";

export function md5Of(content: string): string {
  return createHash("md5").update(content).digest("hex");
}

export function notTaken(output: string): PluginError {
  const words = output.trim().slice(0, 1000);
  return new PluginError(
    "CommandError",
    `The switch did not accept the candidate over SCP${words === "" ? "" : `: ${words}`}. Is \`feature scp-server\` configured, and may the user write files?`,
    { outcome: "none" },
  );
}

/** Turns a refused file into an error with advice. */
export function asNotTaken(error: unknown): never {
  if (error instanceof PluginError && error.kind === "CommandError") throw notTaken(error.message);
  throw error;
}

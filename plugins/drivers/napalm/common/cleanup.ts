/** A context for cleanup on a device after the job was cancelled or timed out. */
export { cleanupContext as forCleanup } from "../../shared/cleanup-context.ts";

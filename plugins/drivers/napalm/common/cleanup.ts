/** A context for cleanup on a device after the job was cancelled or timed out. */
export { undoing as forCleanup } from "../../shared/undoing.ts";

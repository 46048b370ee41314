/** Time for what must be put right on a device though the job was cancelled or its time is over. */
export { undoing as forCleanup } from "../../shared/undoing.ts";

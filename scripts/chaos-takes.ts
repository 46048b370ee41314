/**
 * `bun run chaos:takes`: kills the service while it reads configurations that change; exits with 1 if a version
 * is missing, doubled or of nobody, or if its Git repository cannot be made again with the same ids.
 */
import { runFromCommandLine } from "./chaos/kills.ts";
import { runTakes } from "./chaos/takes.ts";

await runFromCommandLine("takes", 60, runTakes);

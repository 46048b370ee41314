/**
 * `bun run chaos:ledger`: kills the service while it pushes; exits with 1 if a push has no entry in the ledger or
 * several, if the chain is broken, or if what an entry says is not what the job and the device say.
 */
import { runFromCommandLine } from "./chaos/kills.ts";
import { runLedger } from "./chaos/ledger.ts";

await runFromCommandLine("ledger", 12, runLedger);

/** A template engine's context for a run without a job. */
import { quietContext } from "../../src/plugin/quiet-context.ts";

export const templateContext = quietContext({ remaining: () => 60_000 });

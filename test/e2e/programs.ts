/** What runs Patchbay where a test looks at both: each takes as long, and the source several times as long to start. */
import { sampled } from "../support/sampled.ts";

/** In a plain run one of them. */
export const programs = sampled(["source", "binary"] as const, 1, () => "a program");

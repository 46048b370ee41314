/**
 * Checks the architecture rules (scripts/house/rules.ts): imports, cycles, libraries, restricted words,
 * sizes, test folders, hooks in support modules of tests, names in documents and comments.
 */
import process from "node:process";
import { circleFaults } from "./house/circles.ts";
import { hookFaults } from "./house/hooks.ts";
import { importFaults } from "./house/imports.ts";
import { mirrorFaults } from "./house/mirror.ts";
import { packageFaults } from "./house/packages.ts";
import { commentFaults, paperFaults } from "./house/papers.ts";
import { sizeFaults } from "./house/sizes.ts";
import { readProgram, readSources } from "./house/source.ts";
import { wordFaults } from "./house/words.ts";

const program = readProgram();
const everything = readSources(["src", "plugins", "migrations", "scripts", "test", "examples"]);

const faults = [
  ...importFaults(program),
  ...packageFaults(everything),
  ...circleFaults(everything),
  ...hookFaults(everything),
  ...wordFaults(program),
  ...sizeFaults(everything),
  ...mirrorFaults(program),
  ...paperFaults(),
  ...commentFaults(everything),
];
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);

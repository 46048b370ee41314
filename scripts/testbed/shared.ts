/**
 * Where the recorded material is: `../shared`, beside the checkout, on machines that have it. Only tests named
 * `*.corpus.test.ts`, the conformance test and some benchmarks use it; a plain clone runs without them.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Test files that need the material. Without it they are left out; with it they must run. */
export const corpusTests = "{test,plugins}/**/*.corpus.test.ts";

const folder = resolve(import.meta.dirname, "../../../shared");

/** Not just any folder of this name: the one with the corpora. */
export const hasShared = existsSync(join(folder, "corpora"));

/** A path in the material. @throws if this machine does not have the material */
export function shared(...parts: readonly string[]): string {
  if (!hasShared)
    throw new Error(
      `this needs the recorded material, which is not part of the project: ${folder} is missing`,
    );
  return join(folder, ...parts);
}

/** One line that counts and names the tests that are left out. */
export const leftOut = (files: readonly string[]): string =>
  `left out: ${files.length} test files, which need the recorded material of the reference implementations (${folder}): ${files.join(", ")}`;

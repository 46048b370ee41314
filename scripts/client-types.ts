/** Writes the types of a TypeScript client of a description of the API: `bun scripts/client-types.ts <openapi.json> <file>`. */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import typescript from "typescript-5";

// The generator is written on the compiler's interface of version 5, which the compiler of the house has no more.
Bun.plugin({
  name: "typescript-5",
  setup(build) {
    build.module("typescript", () => ({ exports: { default: typescript }, loader: "object" }));
  },
});

const [source, target] = process.argv.slice(2);
if (source === undefined || target === undefined) {
  console.error("usage: bun scripts/client-types.ts <openapi.json> <file>");
  process.exit(2);
}
const { astToString, default: generate } = await import("openapi-typescript");
// A request may leave out what has a default.
const types = await generate(readFileSync(source, "utf8"), { defaultNonNullable: false, silent: false });
writeFileSync(target, astToString(types));

/** Generates types for a TypeScript client: `bun scripts/client-types.ts <openapi.json> <file>`. */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import typescript from "typescript-5";

// The generator needs the compiler API of TypeScript 5, which the TypeScript version used here no longer has.
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
// A request may omit fields with a default.
const types = await generate(readFileSync(source, "utf8"), { defaultNonNullable: false, silent: false });
writeFileSync(target, astToString(types));

/** Runs one row in its own process: `run.ts <name> [--quick]` prints its figure as JSON on the last line. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import type { SpeedRow } from "./row.ts";

const [name = "", size] = process.argv.slice(2);
const file = resolve(import.meta.dirname, `${name}.ts`);
if (!/^[a-z0-9-]+$/.test(name) || !existsSync(file)) throw new Error(`there is no row ${name}`);
const { default: row }: { default: SpeedRow } = await import(file);
const figure = await row.measure({ quick: size === "--quick" });
const { title, unit, better, goal } = row;
console.log(JSON.stringify({ name: row.name, title, unit, better, goal, figure }));
process.exit(0);

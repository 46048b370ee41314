/** `patchbay plugin types`: prints the types of the plugin contract as one file. */
import process from "node:process";
import type { Command } from "commander";
import types from "./types.txt" with { type: "text" };

export function defineTypes(plugin: Command): void {
  plugin
    .command("types")
    .description("print the types of patchbay/plugin, for a file patchbay.d.ts")
    .action(() => void process.stdout.write(types));
}

/** `patchbay plugin`: manages drivers, platforms, engines, webhooks and credential sources. */
import type { Command } from "commander";
import type { Program } from "../../service/program.ts";
import { defineCheck } from "./check.ts";
import { defineList } from "./list.ts";
import { defineNew } from "./new.ts";
import { defineTypes } from "./types.ts";

export function definePlugin(parent: Command, program: Program): void {
  const plugin = parent
    .command("plugin")
    .description("plugins: drivers, platforms, engines, webhooks, sources");
  for (const define of [defineList, defineNew, defineTypes, defineCheck]) define(plugin, program);
}

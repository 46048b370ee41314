/** `patchbay templates`: manages template sets. */
import type { Command } from "commander";
import type { Program } from "../../service/program.ts";
import { defineInstall } from "./install.ts";

export function defineTemplates(parent: Command, program: Program): void {
  defineInstall(parent.command("templates").description("template sets"), program);
}

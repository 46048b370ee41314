/** `patchbay templates`: manages template sets. */
import type { Command } from "commander";
import { defineInstall } from "./install.ts";

export function defineTemplates(parent: Command): void {
  defineInstall(parent.command("templates").description("template sets"));
}

/** `patchbay credential`: manages secrets that requests reference instead of passwords, stored sealed. */
import type { Command } from "commander";
import { defineList } from "./list.ts";
import { defineRemove } from "./remove.ts";
import { defineSet } from "./set.ts";

export function defineCredential(parent: Command): void {
  const credential = parent.command("credential").description("credentials stored on this appliance");
  for (const define of [defineSet, defineList, defineRemove]) define(credential);
}

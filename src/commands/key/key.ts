/** `patchbay key`: manages API keys and the master key. */
import type { Command } from "commander";
import { defineAdd } from "./add.ts";
import { defineCredentials } from "./credentials.ts";
import { defineList } from "./list.ts";
import { defineRevoke } from "./revoke.ts";
import { defineRotateMaster } from "./rotate-master.ts";

export function defineKey(parent: Command): void {
  const key = parent.command("key").description("API keys and the master key");
  for (const define of [defineAdd, defineList, defineCredentials, defineRevoke, defineRotateMaster])
    define(key);
}

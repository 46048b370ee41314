/** Makes `import { … } from "patchbay/plugin"` work in plugins of any folder, beside source and beside the binary. */
import * as contract from "../plugin/index.ts";
import { deno } from "./deno.ts";

/** Once in each process and thread, before the first plugin is imported: what it gives are the host's own values. */
export function installPluginModule(): void {
  // There, deno.json says it for every module of the process.
  if (deno !== undefined) return;
  Bun.plugin({
    name: "patchbay/plugin",
    setup(build) {
      build.module("patchbay/plugin", () => ({ exports: { ...contract }, loader: "object" }));
    },
  });
}

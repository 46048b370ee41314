/** Makes `import { … } from "patchbay/plugin"` resolve in plugins in any folder, from source and in the binary. */
import * as contract from "../plugin/index.ts";
import { deno } from "./deno.ts";

/** Called once per process and thread, before the first plugin is imported; plugins get the host's own exports. */
export function installPluginModule(): void {
  // On Deno, deno.json maps it for the whole process.
  if (deno !== undefined) return;
  Bun.plugin({
    name: "patchbay/plugin",
    setup(build) {
      build.module("patchbay/plugin", () => ({ exports: { ...contract }, loader: "object" }));
    },
  });
}

/** `patchbay version`: prints the version; as JSON also what upgrades need. */
import type { Command } from "commander";
import { print } from "./output.ts";

export function defineVersion(parent: Command): void {
  parent
    .command("version")
    .description("print version, runtime and target of this program")
    .option("--json", "print JSON, with the database migrations it includes")
    .action(async ({ json }: { json?: boolean }) => {
      const { identity } = await import("../service/appliance/identity.ts");
      const program = identity();
      if (json === true) print(JSON.stringify(program));
      else print(`patchbay ${program.version} (API ${program.api}, ${program.target}, ${program.runtime})`);
    });
}

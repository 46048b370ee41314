/** `patchbay licenses`: prints the licences of all parts of the binary. */
import type { Command } from "commander";
import { ServiceError } from "../base/errors.ts";
import { print } from "./output.ts";

export function defineLicenses(parent: Command): void {
  parent
    .command("licenses")
    .description("print the licences of all parts of this program")
    .action(async () => {
      const { licenceText } = await import("../service/appliance/licence-text.ts");
      if (licenceText === undefined)
        throw new ServiceError(
          "NotFound",
          "The compiled program contains the licences; in the source tree they are in LICENSE and in the packages of node_modules.",
        );
      print(licenceText);
    });
}

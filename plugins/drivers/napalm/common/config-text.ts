/** A configuration without the lines that only the show command adds. */
import type { Configurations } from "../models.ts";
import { withoutCiscoSecrets } from "./cisco-secrets.ts";
import { linesOf } from "./text.ts";

const maxShownChars = 1000;

/** @param shown lines added by the show command; they are replaced by empty lines */
export function configText(output: string, shown: readonly RegExp[]): string {
  return linesOf(output)
    .map((line) =>
      line.length > maxShownChars ? line : shown.reduce((now, one) => now.replace(one, ""), line),
    )
    .join("\n")
    .trim();
}

export function sanitizedConfigurations(configs: Configurations): Configurations {
  return {
    running: withoutCiscoSecrets(configs.running),
    startup: withoutCiscoSecrets(configs.startup),
    candidate: withoutCiscoSecrets(configs.candidate),
  };
}

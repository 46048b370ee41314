/** A configuration without the lines that only the show command adds. */
import type { Configurations } from "../models.ts";
import { withoutCiscoSecrets } from "./cisco-secrets.ts";
import { linesOf } from "./text.ts";

const maxShownChars = 1000;

/** @param headerLines lines added by the show command; they are replaced by empty lines */
export function configText(output: string, headerLines: readonly RegExp[]): string {
  return linesOf(output)
    .map((line) =>
      line.length > maxShownChars
        ? line
        : headerLines.reduce((now, pattern) => now.replace(pattern, ""), line),
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

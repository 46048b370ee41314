/** Translates `use_textfsm`, `use_ttp` and `__FACTS__` into the service's own `parsing`. */
import type { Command } from "patchbay/plugin";
import type { QueryArgs } from "./args.ts";
import { factsMarker } from "./facts.ts";

export interface Parsing {
  readonly use: { readonly name: "textfsm" | "ttp"; readonly template?: string };
  /** False, as in netmiko: output without a matching template stays text. */
  readonly strict: boolean;
}

/** Without an explicit template, TextFSM selects one of the installed set by platform and command. */
export function parsingOf(args: QueryArgs, commands: readonly Command[]): Parsing | undefined {
  const strict = args.raise_parsing_error === true;
  if (args.use_textfsm === true) {
    const template = args.textfsm_template;
    return { use: { name: "textfsm", ...(template ? { template } : {}) }, strict };
  }
  if (args.use_ttp === true && args.ttp_template) {
    return { use: { name: "ttp", template: args.ttp_template }, strict };
  }
  return commands.includes(factsMarker) ? { use: { name: "textfsm" }, strict: false } : undefined;
}

/** `use_textfsm` and `use_ttp`: what is asked for in the words of the service's own `parsing`. */
import type { QueryArgs } from "./args.ts";

export interface Parsing {
  readonly use: { readonly name: "textfsm" | "ttp"; readonly template?: string };
  /** False, as netmiko has it: what no template fits stays text. */
  readonly strict: boolean;
}

/** Without a template of its own, textfsm picks one of the installed set by platform and command. */
export function parsingOf(args: QueryArgs): Parsing | undefined {
  const strict = args.raise_parsing_error === true;
  if (args.use_textfsm === true) {
    const template = args.textfsm_template;
    return { use: { name: "textfsm", ...(template ? { template } : {}) }, strict };
  }
  if (args.use_ttp === true && args.ttp_template) {
    return { use: { name: "ttp", template: args.ttp_template }, strict };
  }
  return undefined;
}

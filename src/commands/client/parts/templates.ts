/** Flags for templates and their variables. */
import type { Command } from "commander";

export function withTemplate(command: Command): Command {
  return command
    .option("--vars <file>", "variables of the template, in YAML or JSON; - for standard input")
    .option("--var <name=value...>", "single variables; they replace those of --vars")
    .option("--engine <name>", "the template engine (default: by the file's extension, otherwise jinja2)")
    .option("--mode <mode>", "ansible: render as Ansible's module template does (default: plain)")
    .option("--template-arg <name=value...>", "arguments of the engine, such as lstrip_blocks=true")
    .option("--strict", "treat likely template mistakes as errors");
}

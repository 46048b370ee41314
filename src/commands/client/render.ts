/** `patchbay render`: renders a template with the service. */
import type { Command } from "commander";
import { asRead } from "../../base/terminal-text.ts";
import { text } from "../../client/answers.ts";
import { readInput, readObject } from "../../client/input.ts";
import { readPairs } from "../../client/pairs.ts";
import type { ServerFlags } from "../../client/server.ts";
import {
  clientCommand,
  conclude,
  noteWarnings,
  openSession,
  type Surroundings,
  withServer,
} from "./action.ts";

interface RenderFlags extends ServerFlags {
  readonly engine?: string;
  readonly set?: readonly string[];
  readonly strict?: boolean;
}

export function defineRender(parent: Command): void {
  const command = clientCommand(
    parent,
    "render <template-file> [context-file]",
    "render a template with a context in YAML or JSON; `-` reads the standard input",
  )
    .option("--engine <name>", "the template engine (default: jinja2)")
    .option("--set <name=value...>", "members of the context")
    .option("--strict", "treat likely template mistakes as errors");
  withServer(command).action((template: string, context: string | undefined, flags: RenderFlags) =>
    conclude((surroundings) => render(template, context, flags, surroundings)),
  );
}

async function render(
  template: string,
  context: string | undefined,
  flags: RenderFlags,
  surroundings: Surroundings,
): Promise<number> {
  const body = {
    ...(flags.engine === undefined ? {} : { name: flags.engine }),
    ...(flags.strict === true ? { strict: true } : {}),
    template: readInput(template),
    context: {
      ...(context === undefined ? {} : readObject(context)),
      ...readPairs(flags.set ?? [], "--set"),
    },
  };
  const { api, terminal } = openSession(flags, surroundings);
  const { data: rendered, warnings } = await api.page("/template/render", text, { method: "POST", body });
  noteWarnings(terminal, warnings);
  const page = rendered.endsWith("\n") ? rendered : `${rendered}\n`;
  await terminal.write(asRead(page, terminal));
  return 0;
}

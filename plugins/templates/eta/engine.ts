/** Renders with eta; the context is always one variable, so that its keys never reach the compiler's options. */
import { Eta } from "eta";
import { type TemplateEngine, TemplateError, type TemplateKit } from "patchbay/plugin";

interface EtaArgs {
  readonly autoEscape: boolean;
  readonly autoTrim: boolean;
  readonly varName: string;
}

/** Includes come from below the template roots only. */
class RootedEta extends Eta {
  constructor(args: EtaArgs, kit: TemplateKit) {
    super({
      autoEscape: args.autoEscape,
      autoTrim: args.autoTrim ? "nl" : false,
      varName: args.varName,
      useWith: false,
    });
    const { compile } = this;
    this.compile = (text, options) =>
      guarded("TemplateSyntax", () => compile.call(this, text, options), options?.filepath);
    this.resolvePath = (name) => name;
    this.readFile = (name) => {
      const text = kit.readTemplate(name);
      if (text === undefined)
        throw new TemplateError(
          "TemplateNotFound",
          `There is no template "${name}" below the template roots.`,
        );
      return text;
    };
  }
}

export default function createEngine(kit: TemplateKit): TemplateEngine<EtaArgs> {
  return {
    compile(source, args) {
      const eta = new RootedEta(args, kit);
      const template = eta.compile(source);
      return {
        run: (contextJson) => guarded("TemplateRuntime", () => eta.render(template, JSON.parse(contextJson))),
      };
    },
  };
}

/** @param template the included one that is at work */
function guarded<T>(kind: "TemplateSyntax" | "TemplateRuntime", work: () => T, template?: string): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const line = /\bat line (\d+) col \d+:/.exec(message)?.[1];
    throw new TemplateError(kind, message, {
      ...(line === undefined ? {} : { line: Number(line) }),
      ...(template === undefined ? {} : { template }),
    });
  }
}

/** Renders with Eta. The context is always a single variable, so its keys never reach the compiler's options. */
import { Eta } from "eta";
import { type TemplateEngine, TemplateError, type TemplateKit } from "patchbay/plugin";

interface EtaArgs {
  readonly autoEscape: boolean;
  readonly autoTrim: boolean;
  readonly varName: string;
}

/** Resolves includes only below the template roots. */
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

/** @param template the included template that is being rendered */
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

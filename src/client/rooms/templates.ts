/** Templates of a command: engine, text and context from flags and files. */
import { ServiceError } from "../../base/errors.ts";
import { defaultEngine, enginesByExtension } from "../defaults.ts";
import { readInput, readObject } from "../input/input.ts";
import { readPairs } from "../input/pairs.ts";

export interface TemplateFlags {
  readonly vars?: string;
  readonly var?: readonly string[];
  readonly engine?: string;
  readonly mode?: string;
  readonly templateArg?: readonly string[];
  readonly strict?: boolean;
}

/** As in `rendering` of a request. */
export interface TemplateUse {
  readonly name: string;
  readonly template: string;
  readonly args?: object;
  readonly strict?: true;
}

export interface TemplateWork {
  readonly rendering: TemplateUse;
  readonly context: Readonly<Record<string, unknown>>;
}

const modes = ["plain", "ansible"] as const;
/** Fetched by the service; anything else is a file of the caller. */
const atService = /^(?:file|https?|ftp|template):\/\//i;

/** @param template a file, - for standard input, or an address for the service: file://, http(s)://, ftp://, template://. @throws ServiceError Validation */
export function readTemplateWork(template: string, flags: TemplateFlags): TemplateWork {
  const { vars, engine, mode, strict } = flags;
  if (template === "-" && vars === "-")
    throw new ServiceError("Validation", "Template and variables cannot both come from standard input.");
  if (mode !== undefined && !modes.some((known) => known === mode))
    throw new ServiceError("Validation", `--mode must be one of ${modes.join(", ")}.`);
  const args = {
    ...(mode === "ansible" ? { ansible: true } : {}),
    ...readPairs(flags.templateArg ?? [], "--template-arg"),
  };
  return {
    rendering: {
      name: engine ?? engineOf(template),
      template: atService.test(template) ? template : readInput(template),
      ...(Object.keys(args).length === 0 ? {} : { args }),
      ...(strict === true ? { strict } : {}),
    },
    context: {
      ...(vars === undefined ? {} : readObject(vars)),
      ...readPairs(flags.var ?? [], "--var"),
    },
  };
}

function engineOf(template: string): string {
  const extension = /\.(\w+)$/.exec(template)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(enginesByExtension, extension)
    ? (enginesByExtension[extension] ?? defaultEngine)
    : defaultEngine;
}

/** Refuses flags that would have no effect. @throws ServiceError Validation */
export function requireTemplate(template: string | undefined, flags: TemplateFlags): void {
  if (template !== undefined) return;
  const { vars, var: pairs, engine, mode, templateArg, strict } = flags;
  if ([vars, pairs, engine, mode, templateArg, strict].some((flag) => flag !== undefined))
    throw new ServiceError(
      "Validation",
      "--vars, --var, --engine, --mode, --template-arg and --strict need --template.",
    );
}

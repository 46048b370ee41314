/** The engines of the playground: where they are asked, and what it begins with. */

export const engines = {
  jinja2: {
    path: "/template/render/jinja2",
    renders: true,
    template: "interface {{ name }}\n description {{ text | upper }}",
    context: '{\n  "name": "Loopback7",\n  "text": "made here"\n}',
  },
  textfsm: {
    path: "/template/parse/textfsm",
    renders: false,
    template: "Value Name (\\S+)\nValue State (up|down)\n\nStart\n  ^${Name} is ${State} -> Record\n",
    context: "Gi0/1 is up\nGi0/2 is down\n",
  },
  ttp: {
    path: "/template/parse/ttp",
    renders: false,
    template: "interface {{ interface }}\n description {{ description | ORPHRASE }}\n",
    context: "interface Gi0/1\n description to the core\ninterface Gi0/2\n description spare\n",
  },
} as const;
export type Engine = keyof typeof engines;
export const firstEngine: Engine = "jinja2";
export const engineNames = ["jinja2", "textfsm", "ttp"] as const satisfies readonly Engine[];

/** A template of the set that comes with an engine, by platform and command. */
export interface Preset {
  readonly platform: string;
  readonly command: string;
}

export interface Trial {
  readonly engine: Engine;
  readonly template: string;
  readonly context: string;
  /** JSON object of texts: what the template includes, imports or extends. */
  readonly others: string;
  /** In place of the template. */
  readonly preset: Preset | undefined;
}

/** Members of a form that is JSON in it. */
export class JsonProblem extends Error {
  override readonly name = "JsonProblem";
  readonly field: "context" | "others";
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(field: "context" | "others", error: unknown, text: string) {
    const message = error instanceof Error ? error.message : String(error);
    super(`${field === "context" ? "The context" : "Further templates"}: ${message}`);
    this.field = field;
    const offset = /position (\d+)/.exec(message)?.[1];
    const before = offset === undefined ? undefined : text.slice(0, Number(offset)).split("\n");
    this.line = before?.length;
    this.column = before && (before.at(-1)?.length ?? 0) + 1;
  }
}

/** The body of the request. @throws JsonProblem */
export function bodyOf({ engine, template, context, others, preset }: Trial): object {
  if (engines[engine].renders)
    return {
      template,
      context: json("context", context),
      ...(others.trim() === "" ? {} : { templates: json("others", others) }),
    };
  if (preset === undefined) return { template, context };
  const set = engine === "textfsm" ? "ntc" : "ttp";
  return { context, [`use_${set}_template`]: true, [`${set}_template_args`]: preset };
}

function json(field: "context" | "others", text: string): unknown {
  try {
    return JSON.parse(text.trim() === "" ? "{}" : text);
  } catch (error) {
    throw new JsonProblem(field, error, text);
  }
}

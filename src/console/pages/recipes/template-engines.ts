/** Engines of the template playground: endpoints and initial content. */

import { readJson } from "../../forms/json-text.ts";

/** As named in JSON errors. */
const inContext = "The context";

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

/** A template of an engine's template set, by platform and command. */
export interface Preset {
  readonly platform: string;
  readonly command: string;
}

export interface Trial {
  readonly engine: Engine;
  readonly template: string;
  readonly context: string;
  /** JSON object of texts: templates to include, import or extend. */
  readonly others: string;
  /** Used instead of the template. */
  readonly preset: Preset | undefined;
}

/**
 * The request body.
 * @throws JsonProblem
 */
export function bodyOf({ engine, template, context, others, preset }: Trial): object {
  if (engines[engine].renders)
    return {
      template,
      context: readJson(inContext, context),
      ...(others.trim() === "" ? {} : { templates: readJson("Further templates", others) }),
    };
  if (preset === undefined) return { template, context };
  const set = engine === "textfsm" ? "ntc" : "ttp";
  return { context, [`use_${set}_template`]: true, [`${set}_template_args`]: preset };
}

/** Whether the invalid JSON is in the context. */
export const isOfContext = ({ message }: Error): boolean => message.startsWith(inContext);

/** Engines that a push may render with. */
export const renderEngines = ["jinja2", "eta"] as const;

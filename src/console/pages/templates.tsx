/** A place to try templates: rendered or parsed by the service, with its errors at their line. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { ApiError, ask } from "../api.ts";
import { Output } from "../parts/output.tsx";
import { Problem } from "../parts/problem.tsx";
import { text } from "../text.ts";

const engines = {
  jinja2: {
    path: "/template/render/jinja2",
    template: "interface {{ name }}\n description {{ text | upper }}",
    context: '{\n  "name": "Loopback7",\n  "text": "made here"\n}',
  },
  textfsm: {
    path: "/template/parse/textfsm",
    template: "Value Name (\\S+)\nValue State (up|down)\n\nStart\n  ^${Name} is ${State} -> Record\n",
    context: "Gi0/1 is up\nGi0/2 is down\n",
  },
  ttp: {
    path: "/template/parse/ttp",
    template: "interface {{ interface }}\n description {{ description | ORPHRASE }}\n",
    context: "interface Gi0/1\n description to the core\ninterface Gi0/2\n description spare\n",
  },
} as const;
type Engine = keyof typeof engines;

const position = v.looseObject({ line: v.optional(v.number()), column: v.optional(v.number()) });

export function TemplatesPage() {
  const [engine, setEngine] = useState<Engine>("jinja2");
  const [template, setTemplate] = useState<string>(engines.jinja2.template);
  const [context, setContext] = useState<string>(engines.jinja2.context);
  const [result, setResult] = useState<{ value: unknown } | undefined>();
  const [error, setError] = useState<unknown>();
  const rendering = engine === "jinja2";
  const choose = (name: Engine) => {
    setEngine(name);
    setTemplate(engines[name].template);
    setContext(engines[name].context);
    setResult(undefined);
    setError(undefined);
  };
  const run = async () => {
    setError(undefined);
    try {
      const body = { template, context: rendering ? JSON.parse(context || "{}") : context };
      setResult({ value: await ask(v.unknown(), engines[engine].path, { method: "POST", body }) });
    } catch (problem) {
      setError(problem);
    }
  };
  const at = error instanceof ApiError ? v.safeParse(position, error.data) : undefined;
  return (
    <>
      <h1>{text.nav.templates}</h1>
      <form
        class="playground"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p>
          {(["jinja2", "textfsm", "ttp"] as const).map((name) => (
            <label key={name} class="choice">
              <input type="radio" name="engine" checked={engine === name} onChange={() => choose(name)} />{" "}
              {name}
            </label>
          ))}
          <button type="submit">{rendering ? "Render" : "Parse"}</button>
        </p>
        <div class="columns">
          <label>
            Template
            <textarea
              class={at?.success && at.output.line !== undefined ? "wrong" : ""}
              rows={16}
              spellcheck={false}
              value={template}
              onInput={(event) => setTemplate(event.currentTarget.value)}
            />
          </label>
          <label>
            {rendering ? "Context (JSON)" : "Output of the device"}
            <textarea
              rows={16}
              spellcheck={false}
              value={context}
              onInput={(event) => setContext(event.currentTarget.value)}
            />
          </label>
        </div>
      </form>
      <Problem error={error} />
      {at?.success && at.output.line !== undefined && (
        <p class="problem">
          Line {at.output.line}
          {at.output.column === undefined ? "" : `, column ${at.output.column}`}:{" "}
          <code>{template.split("\n")[at.output.line - 1]}</code>
        </p>
      )}
      {result && error === undefined && (
        <Output of={rendering ? { rendered: result.value } : { parsed: result.value }} />
      )}
    </>
  );
}

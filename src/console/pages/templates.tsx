/** Template playground: the service renders or parses, and errors are marked at their position. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { ApiError, page } from "../api.ts";
import { JsonProblem } from "../json-text.ts";
import { Editor, type Position } from "../parts/editor.tsx";
import { Output } from "../parts/output.tsx";
import { Problem } from "../parts/problem.tsx";
import { RecentOutput } from "../parts/recent-output.tsx";
import { text } from "../text.ts";
import {
  bodyOf,
  type Engine,
  engineNames,
  engines,
  firstEngine,
  isOfContext,
  type Preset,
} from "./template-engines.ts";

const position = v.looseObject({
  line: v.number(),
  column: v.optional(v.number()),
  /** The included template that contains the error. */
  template: v.optional(v.string()),
});

export function TemplatesPage() {
  const [engine, setEngine] = useState<Engine>(firstEngine);
  const [template, setTemplate] = useState<string>(engines[firstEngine].template);
  const [context, setContext] = useState<string>(engines[firstEngine].context);
  const [others, setOthers] = useState("");
  const [preset, setPreset] = useState<Preset>();
  const [result, setResult] = useState<{ value: unknown; warnings: readonly string[] }>();
  const [error, setError] = useState<unknown>();
  const rendering = engines[engine].renders;
  const choose = (name: Engine) => {
    setEngine(name);
    setTemplate(engines[name].template);
    setContext(engines[name].context);
    setPreset(undefined);
    setResult(undefined);
    setError(undefined);
  };
  const run = async () => {
    setError(undefined);
    try {
      const body = bodyOf({ engine, template, context, others, preset });
      const { data, warnings } = await page(v.unknown(), engines[engine].path, { method: "POST", body });
      setResult({ value: data, warnings });
    } catch (problem) {
      setError(problem);
    }
  };
  const takeOutput = (output: unknown) => {
    if (rendering) setContext(JSON.stringify({ output }, null, 2));
    else setContext(typeof output === "string" ? output : JSON.stringify(output, null, 2));
  };
  const { inTemplate, inContext, told } = placesOf(error);
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
          {engineNames.map((name) => (
            <label key={name} class="choice">
              <input type="radio" name="engine" checked={engine === name} onChange={() => choose(name)} />{" "}
              {name}
            </label>
          ))}
          <button type="submit">{rendering ? "Render" : "Parse"}</button>
        </p>
        {!rendering && <FromSet of={preset} set={setPreset} />}
        <div class="columns">
          {preset === undefined && (
            <Editor label="Template" value={template} onInput={setTemplate} wrong={inTemplate} />
          )}
          <Editor
            label={rendering ? "Context (JSON)" : "Output of the device"}
            value={context}
            onInput={setContext}
            wrong={inContext}
          />
        </div>
        <RecentOutput take={takeOutput} />
        {rendering && (
          <details>
            <summary>Further templates, to include, import or extend</summary>
            <label>
              JSON: names and texts
              <textarea
                rows={5}
                spellcheck={false}
                placeholder={'{"base.j2": "hostname {{ name }}"}'}
                value={others}
                onInput={(event) => setOthers(event.currentTarget.value)}
              />
            </label>
          </details>
        )}
      </form>
      <Problem error={error} />
      {told && <p class="problem">{told}</p>}
      {result && error === undefined && (
        <>
          {result.warnings.length > 0 && (
            <ul class="warnings" aria-label="Warnings">
              {result.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          )}
          <Output of={rendering ? { rendered: result.value } : { parsed: result.value }} />
        </>
      )}
    </>
  );
}

/** A template of the engine's template set. */
function FromSet({ of, set }: { of: Preset | undefined; set: (preset: Preset | undefined) => void }) {
  return (
    <div class="filters">
      <label class="choice">
        <input
          type="checkbox"
          checked={of !== undefined}
          onChange={() =>
            set(of === undefined ? { platform: "cisco_ios", command: "show version" } : undefined)
          }
        />{" "}
        a template of the set, by platform and command
      </label>
      {of &&
        (["platform", "command"] as const).map((name) => (
          <input
            key={name}
            aria-label={name}
            value={of[name]}
            onInput={(event) => set({ ...of, [name]: event.currentTarget.value })}
          />
        ))}
    </div>
  );
}

/** Positions of an error, as far as it reports them. */
function placesOf(error: unknown): { inTemplate?: Position; inContext?: Position; told?: string } {
  if (error instanceof JsonProblem) return isOfContext(error) && error.at ? { inContext: error.at } : {};
  const at = error instanceof ApiError ? v.safeParse(position, error.data) : undefined;
  if (!at?.success) return {};
  const { line, column, template } = at.output;
  const place = `Line ${line}${column === undefined ? "" : `, column ${column}`}`;
  if (template !== undefined) return { told: `${place} of ${template}` };
  return { inTemplate: { line, column }, told: place };
}

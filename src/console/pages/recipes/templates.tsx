/** Template playground: the service renders or parses, and errors are marked at their position. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { ago, now } from "../../clock.ts";
import { JsonProblem } from "../../forms/json-text.ts";
import { Editor, type Position } from "../../parts/forms/editor.tsx";
import { Output } from "../../parts/output.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ApiError, ask, page } from "../../reading/api.ts";
import { useDoing } from "../../reading/doing.ts";
import { useLoad } from "../../reading/load.ts";
import { job, jobRow, jobRowFields } from "../../shapes/shapes.ts";
import { shownText } from "../../shown.ts";
import { text } from "../../text/text.ts";
import { StoredTemplates } from "./stored-templates.tsx";
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
  const { error, doing, forget } = useDoing();
  const rendering = engines[engine].renders;
  const choose = (name: Engine) => {
    setEngine(name);
    setTemplate(engines[name].template);
    setContext(engines[name].context);
    setPreset(undefined);
    setResult(undefined);
    forget();
  };
  const run = () =>
    doing(async () => {
      const body = bodyOf({ engine, template, context, others, preset });
      const { data, warnings } = await page(v.unknown(), engines[engine].path, { method: "POST", body });
      setResult({ value: data, warnings });
    });
  const takeOutput = (output: unknown) => {
    setContext(shownText(rendering ? { output } : output, 2));
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
      <StoredTemplates />
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

/** Outputs of recent successful jobs, as input for a template. */
const maxRows = 50;
const list = `/job?status=finished&operation=query&limit=${maxRows}&include_result=false&fields=${jobRowFields}`;

/** @param take receives the output, text or parsed. */
function RecentOutput({ take }: { take: (output: unknown) => void }) {
  const [id, setId] = useState("");
  const jobs = useLoad((signal) => ask(v.array(jobRow), list, { signal }), []);
  const chosen = useLoad(
    async (signal) => (id === "" ? [] : ask(v.array(job), `/job?id=${encodeURIComponent(id)}`, { signal })),
    [id],
  );
  const outputs = Object.entries(outputsOf(chosen.data?.[0]?.result?.retval));
  return (
    <div class="filters">
      <select
        aria-label="Job to take the output from"
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
      >
        <option value="">an output of …</option>
        {(jobs.data ?? []).map(({ id, host, driver, label, created_at }) => (
          <option key={id} value={id}>
            {[host, driver, label, ago(created_at, now.value)].filter(Boolean).join(" · ")}
          </option>
        ))}
      </select>
      {outputs.map(([command, output]) => (
        <button key={command} type="button" class="quiet" onClick={() => take(output)}>
          {command.split("\n")[0] || "output"}
        </button>
      ))}
      {jobs.data?.length === 0 && <span class="faint">No finished queries yet.</span>}
      <Problem error={jobs.error ?? chosen.error} />
    </div>
  );
}

function outputsOf(retval: unknown): Readonly<Record<string, unknown>> {
  const parsed = v.safeParse(v.record(v.string(), v.unknown()), retval);
  if (parsed.success && !Array.isArray(retval)) return parsed.output;
  return retval === null || retval === undefined ? {} : { "": retval };
}

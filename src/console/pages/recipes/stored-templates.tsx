/** Stored templates: a list; a form that tests one and writes its next version. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { stringifyExact } from "../../../base/json/exact-json.ts";
import { readJson } from "../../forms/json-text.ts";
import { Action } from "../../parts/action.tsx";
import { Editor } from "../../parts/forms/editor.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Problem } from "../../parts/problem.tsx";
import { When } from "../../parts/when.tsx";
import { ask, may } from "../../reading/api.ts";
import { useDoing } from "../../reading/doing.ts";
import { useLoad } from "../../reading/load.ts";
import { go, place, to } from "../../route.ts";
import { type Draft, listedTemplates, stored, type Tests, tests } from "../../shapes/templates.ts";
import { templateWords } from "../../text/templates.ts";
import { text } from "../../text/text.ts";
import { engineNames, engines, firstEngine } from "./template-engines.ts";

const words = templateWords;
const pathOf = (name: string) => `/template/${encodeURIComponent(name)}`;
/** No template has this name. */
const newOne = "";

export function StoredTemplates() {
  const { data, error } = useLoad((signal) => ask(v.array(listedTemplates), "/template", { signal }), []);
  return (
    <>
      <h2>{words.stored}</h2>
      {may("admin") && (
        <p class="actions">
          <a class="button quiet" href={to(["template"])}>
            {words.add}
          </a>
        </p>
      )}
      <Problem error={error} />
      {data && (
        <Table
          caption={words.stored}
          rows={data}
          keyOf={({ name }) => name}
          empty={words.none}
          columns={[
            { head: "name", cell: ({ name }) => <a href={to(["template", name])}>{name}</a> },
            { head: "engine", cell: ({ engine }) => engine },
            { head: "title", cell: ({ title }) => title },
            { head: "tests", number: true, cell: ({ tests }) => tests },
            { head: "version", number: true, cell: ({ version }) => version },
            { head: "changed", cell: ({ changed_at }) => <When at={changed_at} /> },
            { head: "by", cell: ({ changed_by }) => changed_by },
          ]}
        />
      )}
    </>
  );
}

export function TemplatePage() {
  const [, name = newOne] = place.value.steps;
  return name === newOne ? <Form name={newOne} of={undefined} /> : <Known key={name} name={name} />;
}

function Known({ name }: { name: string }) {
  const path = pathOf(name);
  const { data, error, reload } = useLoad((signal) => ask(stored, path, { signal }), [path]);
  if (data === undefined)
    return <NotLoaded title={name} error={error} list={["templates", text.nav.templates]} />;
  const remove = async () => {
    await ask(v.string(), path, { method: "DELETE", headers: { "If-Match": `"${data.version}"` } });
    go(["templates"]);
  };
  return (
    <article>
      <h1>{data.title ?? name}</h1>
      {may("admin") && (
        <p class="actions">
          <Action label={text.remove} sure={words.sure} act={remove} />
        </p>
      )}
      <p class="faint">
        template://{name} · {text.version(data.version)} · <When at={data.changed_at} /> · {data.changed_by}
      </p>
      {data.description && <p class="prose">{data.description}</p>}
      <Form key={data.version} name={name} of={data} version={data.version} saved={reload} />
    </article>
  );
}

interface FormProps {
  readonly name: string;
  readonly of: Draft | undefined;
  readonly version?: number;
  readonly saved?: () => void;
}

const shown = (value: unknown) => stringifyExact(value ?? [], 2);

function Form({ name, of, version, saved }: FormProps) {
  const [own, setOwn] = useState(name);
  const [engine, setEngine] = useState(of?.engine ?? firstEngine);
  const [title, setTitle] = useState(of?.title ?? "");
  const [source, setSource] = useState(of?.template ?? engines[firstEngine].template);
  const [samples, setSamples] = useState(shown(of?.tests));
  const [report, setReport] = useState<Tests>();
  const { error, working, doing } = useDoing();
  const draft = () => ({
    ...{ engine, title: title || null, description: of?.description ?? null, template: source },
    ...{ args: of?.args ?? null, tests: readJson(words.tests, samples.trim() || "[]") },
  });
  const test = () =>
    doing(async () => {
      setReport(undefined);
      const body = { draft: draft() };
      setReport(
        await ask(tests, `/template/test/${encodeURIComponent(own || "draft")}`, { method: "POST", body }),
      );
    });
  const save = () =>
    doing(async () => {
      setReport(undefined);
      const headers: Record<string, string> =
        version === undefined ? { "If-None-Match": "*" } : { "If-Match": `"${version}"` };
      await ask(stored, pathOf(own), { method: "PUT", body: draft(), headers });
      if (version === undefined) go(["template", own]);
      else saved?.();
    });
  return (
    <form
      class="playground"
      onSubmit={(event) => {
        event.preventDefault();
        void test();
      }}
    >
      {name === newOne && <h1>{words.add}</h1>}
      <p class="fields">
        {name === newOne && (
          <label>
            {words.name} <input value={own} required onInput={(event) => setOwn(event.currentTarget.value)} />
          </label>
        )}{" "}
        <label>
          {words.engine}{" "}
          <select value={engine} onChange={(event) => setEngine(event.currentTarget.value)}>
            {[...new Set([engine, ...engineNames])].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>{" "}
        <label>
          {words.title} <input value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
        </label>
      </p>
      <div class="columns">
        <Editor label={words.template} value={source} onInput={setSource} />
        <Editor label={words.tests} value={samples} onInput={setSamples} />
      </div>
      <p>
        {may("operate") && (
          <button type="submit" class="quiet" disabled={working}>
            {words.test}
          </button>
        )}{" "}
        {may("admin") && (
          <button type="button" disabled={working || own === ""} onClick={() => void save()}>
            {text.save}
          </button>
        )}
      </p>
      <Problem error={error} />
      <div role="status">{report && <Report of={report} />}</div>
    </form>
  );
}

function Report({ of: { tests, warnings } }: { of: Tests }) {
  return (
    <section aria-label={words.results}>
      {tests.length === 0 && <p>{words.noTests}</p>}
      <ul>
        {tests.map(({ name, passed, message }, at) => (
          <li key={`${at} ${name}`} class={`status ${passed ? "finished" : "failed"}`}>
            <span aria-hidden="true">{passed ? "✓" : "✕"}</span> {name}
            {message === null ? "" : `: ${message}`}
          </li>
        ))}
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </section>
  );
}

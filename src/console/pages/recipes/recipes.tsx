/** Recipes: a list; a form that runs one, with its latest runs; a run with its steps. */

import { useEffect } from "preact/hooks";
import * as v from "valibot";
import { dryRunHours } from "../../../api/recipes/recipe.ts";
import { stringifyExact } from "../../../base/json/exact-json.ts";
import { Action } from "../../parts/action.tsx";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { NamedDevices } from "../../parts/forms/named-devices.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Pre } from "../../parts/pre.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Prose } from "../../parts/prose.tsx";
import { DryRun } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { ask, may, mayRun } from "../../reading/api.ts";
import { useDoing } from "../../reading/doing.ts";
import { useEvents } from "../../reading/live.ts";
import { useLoad } from "../../reading/load.ts";
import { useJobNews, useSoon } from "../../reading/refreshed.ts";
import { go, place, to } from "../../route.ts";
import {
  hook,
  listed,
  listedRuns,
  type Parameter,
  type Recipe,
  recipe,
  run,
  type State,
  shipped,
} from "../../shapes/recipes.ts";
import { submitterText } from "../../shapes/shapes.ts";
import { shownCell } from "../../shown.ts";
import { inWords, labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";

const words = text.recipes;
/** Of an open run: waits, answers, and what follows the end of a bulk are told by no event. */
const lookMs = 10_000;
const marks: Readonly<Record<State, string>> = {
  ...{ waiting: "○", running: "▶", cancelling: "‖", finished: "✓", failed: "✕" },
  ...{ skipped: "·", cancelled: "–", proposed: "?", refused: "–", expired: "–" },
};

export function RecipesPage() {
  const { data, error } = useLoad((signal) => ask(v.array(listed), "/recipe", { signal }), []);
  return (
    <>
      <h1>{text.nav.recipes}</h1>
      <Problem error={error} />
      {data && (
        <Table
          tools
          caption={text.nav.recipes}
          rows={data}
          keyOf={({ name }) => name}
          empty={words.none}
          columns={[
            {
              head: "name",
              cell: ({ name }) => <a href={to(["recipe", name])}>{name}</a>,
              value: ({ name }) => name,
            },
            { head: "title", cell: ({ title }) => title },
            { head: "steps", number: true, cell: ({ steps }) => steps },
            { head: "version", number: true, cell: ({ version }) => version },
            { head: "changed", at: ({ changed_at }) => changed_at },
            { head: "by", cell: ({ changed_by }) => changed_by },
          ]}
        />
      )}
      <Proposed />
      {data && may("admin") && <Shipped known={data.map(({ name }) => name)} />}
    </>
  );
}

/** Runs that agents propose, and that wait for this person among others. */
function Proposed() {
  const { data, error } = useLoad((signal) => ask(v.array(listedRuns), "/proposed-run", { signal }), []);
  if (error === undefined && (data === undefined || data.length === 0)) return null;
  return (
    <>
      <h2>{words.proposed}</h2>
      <Problem error={error} />
      {data && (
        <Table
          caption={words.proposed}
          rows={data}
          keyOf={({ id }) => id}
          empty=""
          columns={[
            {
              head: "proposed",
              cell: ({ id, recipe, created_at }) => (
                <a href={to(["recipe", recipe, id])}>
                  <When at={created_at} />
                </a>
              ),
            },
            { head: "recipe", cell: ({ recipe }) => recipe },
            { head: "agent", cell: ({ proposed_by }) => proposed_by },
            { head: "dry run", cell: ({ dry_run }) => (dry_run ? words.dryRun : "") },
            { head: "ticket", cell: ({ ticket }) => ticket },
            { head: words.expires, at: ({ expires_at }) => expires_at },
          ]}
        />
      )}
    </>
  );
}

/** What a person reads before they accept a run, and both words. */
function Proposal({ of, path, done }: { of: v.InferOutput<typeof run>; path: string; done: () => void }) {
  if (of.proposal === null) return null;
  const say = (word: "accept" | "refuse") => async () => {
    await ask(run, `${path}/${word}`, word === "accept" ? { method: "POST" } : { method: "POST", body: {} });
    done();
  };
  return (
    <>
      {mayRun(of.recipe) && (
        <p class="actions">
          <Action main label={words.accept} sure={words.sureAccept} act={say("accept")} />
          <Action label={words.refuse} sure={words.sureRefuse} act={say("refuse")} />
        </p>
      )}
      <section class="foreign">
        <h2>{words.proposed}</h2>
        <p>{words.agentSays}</p>
        <blockquote>{of.proposal.reason}</blockquote>
      </section>
      <p>{of.proposal.devices.join(", ")}</p>
    </>
  );
}

/** What comes with the program, to be stored by its name. */
function Shipped({ known }: { known: readonly string[] }) {
  const { data, error } = useLoad((signal) => ask(v.array(shipped), "/shipped-recipe", { signal }), []);
  const add = async (name: string, body: unknown) => {
    await ask(recipe, pathOf(name), { method: "PUT", body, headers: { "If-None-Match": "*" } });
    go(["recipe", name]);
  };
  return (
    <>
      <h2>{words.shipped}</h2>
      <Problem error={error} />
      {!data && !error && <p class="empty">{text.loading}</p>}
      {data && (
        <Table
          caption={words.shipped}
          rows={data.filter(({ name }) => !known.includes(name))}
          keyOf={({ name }) => name}
          empty={words.allShipped}
          columns={[
            { head: "name", cell: ({ name }) => name },
            { head: "title", cell: ({ title }) => title },
            { head: "description", long: true, cell: ({ description }) => <Prose of={description ?? ""} /> },
            {
              head: "",
              cell: ({ name, recipe }) => <Action quiet label={words.add} act={() => add(name, recipe)} />,
            },
          ]}
        />
      )}
    </>
  );
}

const pathOf = (name: string) => `/recipe/${encodeURIComponent(name)}`;

export function RecipePage({ id }: { id: string }) {
  const [, , of] = place.value.steps;
  return of === undefined ? <Known name={id} /> : <RunOf name={id} id={of} />;
}

function Known({ name }: { name: string }) {
  const path = pathOf(name);
  const { data, error } = useLoad((signal) => ask(recipe, path, { signal }), [path]);
  const runs = useLoad((signal) => ask(v.array(listedRuns), `${path}/run?limit=20`, { signal }), [path]);
  if (data === undefined)
    return <NotLoaded title={name} error={error} list={["recipes", text.nav.recipes]} />;
  return (
    <article>
      <h1>{data.title ?? name}</h1>
      <p class="faint">
        {name} · {text.version(data.version)} · <When at={data.changed_at} /> · {data.changed_by}
      </p>
      {data.description && <p class="prose">{data.description}</p>}
      {mayRun(name) && <Form of={data} path={path} />}
      <h2>{words.steps}</h2>
      <ol>
        {data.steps.map((step) => (
          <li key={step.name}>
            <strong>{step.name}</strong> {step.kind}
            {step.when ? ` · ${words.when} ` : ""}
            {step.when && <code>{step.when}</code>}
            <Pre>{stringifyExact(step.request, 1)}</Pre>
          </li>
        ))}
      </ol>
      <h2>{words.runs}</h2>
      <Problem error={runs.error} />
      {runs.data && (
        <Table
          caption={words.runs}
          rows={runs.data}
          keyOf={({ id }) => id}
          empty={words.noRuns}
          columns={[
            {
              head: "began",
              cell: ({ id, created_at }) => (
                <a href={to(["recipe", name, id])}>
                  <When at={created_at} />
                </a>
              ),
            },
            { head: "state", cell: ({ state }) => <Mark of={state} /> },
            { head: "by", cell: ({ submitted_by }) => submitterText(submitted_by) },
            { head: "ticket", cell: ({ ticket }) => ticket },
            { head: "reason", long: true, cell: ({ reason }) => reason },
          ]}
        />
      )}
      <Hooks path={path} />
    </article>
  );
}

function Hooks({ path }: { path: string }) {
  const { data, error } = useLoad((signal) => ask(v.array(hook), `${path}/hook`, { signal }), [path]);
  if (error === undefined && (data === undefined || data.length === 0)) return null;
  return (
    <>
      <h2>{words.hooks}</h2>
      <Problem error={error} />
      {data && (
        <Table
          caption={words.hooks}
          rows={data}
          keyOf={({ name }) => name}
          empty=""
          columns={[
            { head: "name", cell: ({ name }) => name },
            { head: "sender", cell: ({ provider }) => provider },
            { head: "only if", cell: ({ when }) => when && <code>{when}</code> },
            { head: "owner", cell: ({ owner }) => submitterText(owner) },
            { head: "state", cell: ({ owner }) => (owner.in_force ? "active" : words.stoppedHook) },
            { head: "changed", at: ({ changed_at }) => changed_at },
          ]}
        />
      )}
    </>
  );
}

function Form({ of, path }: { of: Recipe; path: string }) {
  const { error, working, submits } = useDoing();
  const { properties = {}, required = [] } = of.parameters ?? {};
  const submit = submits(async (form, by) => {
    const given = (name: string) => String(form.get(name) ?? "").trim();
    const values = Object.entries(properties).flatMap(([name, one]) => {
      const value = typedAs(one, form.get(`value-${name}`));
      return value === undefined ? [] : [[name, value] as const];
    });
    const body = {
      ...{ parameters: Object.fromEntries(values), version: of.version, ticket: given("ticket") || null },
      dry_run: by === "dry",
      ...(of.devices?.select
        ? {}
        : {
            devices: given("devices")
              .split(/[\s,]+/)
              .filter(Boolean),
            select: given("select") || null,
          }),
    };
    const made = await ask(run, `${path}/run`, { method: "POST", body });
    go(["recipe", of.name, made.id]);
  });
  const isDryFirst = of.policy?.dry_run_first === true;
  return (
    <form class="run" onSubmit={submit} autocomplete="off">
      <div class="fields">
        {Object.entries(properties).map(([name, one]) => (
          <div key={name}>
            <label for={`value-${name}`}>{one.title ?? inWords(name)}</label>
            <Value of={one} name={`value-${name}`} required={required?.includes(name) === true} />
            {one.description && <small class="faint">{one.description}</small>}
          </div>
        ))}
        {of.ticket && (
          <label>
            ticket
            <input name="ticket" required spellcheck={false} />
          </label>
        )}
      </div>
      {of.devices?.select ? (
        <p>
          {words.fixed} <code>{of.devices.select}</code>
        </p>
      ) : (
        <>
          {of.devices?.within && (
            <p class="faint">
              {words.within} <code>{of.devices.within}</code>
            </p>
          )}
          <NamedDevices name="devices" initial={[]} />
          <label>
            {words.select}
            <input name="select" spellcheck={false} />
          </label>
        </>
      )}
      <Problem error={error} />
      {isDryFirst && <p>{words.dryFirst(dryRunHours)}</p>}
      <p>
        <button type="submit" class={isDryFirst ? "quiet" : ""} disabled={working}>
          {words.run}
        </button>{" "}
        <button type="submit" value="dry" class={isDryFirst ? "" : "quiet"} disabled={working}>
          {words.dryRun}
        </button>
      </p>
    </form>
  );
}

function Value({ of, name, required }: { of: Parameter; name: string; required: boolean }) {
  const usual = of.default ?? "";
  const same = { id: name, name, required: required && usual === "", spellcheck: false };
  const choices = of.type === "boolean" ? ["true", "false"] : of.enum;
  if (choices && of.type !== "array")
    return (
      <select {...same}>
        <option value="">{String(usual)}</option>
        {choices.map((one) => (
          <option key={String(one)}>{String(one)}</option>
        ))}
      </select>
    );
  const shown = Array.isArray(usual) ? usual.join(", ") : String(usual);
  if (of.format === "multiline") return <textarea {...same} rows={4} placeholder={shown} />;
  if (of.format === "secret") return <input {...same} type="password" autocomplete="off" />;
  return <input {...same} placeholder={shown || (of.type === "array" ? words.list : "")} />;
}

/** What is left empty is not sent: the default holds. The service judges what is no number. */
function typedAs(of: Parameter, given: FormDataEntryValue | null): unknown {
  const typed = typeof given === "string" ? given : "";
  if (typed.trim() === "") return undefined;
  const single = (type: string | undefined, one: string): unknown =>
    (type === "integer" || type === "number") && Number.isFinite(Number(one)) ? Number(one) : one;
  if (of.type === "boolean") return typed === "true";
  if (of.type === "array") return typed.split(",").map((one) => single(of.items?.type, one.trim()));
  if (of.enum) return of.enum.find((one) => String(one) === typed) ?? typed;
  return single(of.type, typed);
}

/** The value of a step: a table if it is a list of objects. */
function Made({ step: { name, kind, value } }: { step: v.InferOutput<typeof run>["steps"][number] }) {
  if (kind !== "value" || value === null || value === undefined) return null;
  const rows = v.is(v.array(v.record(v.string(), v.unknown())), value) ? value : [];
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return (
    <section>
      <h2>{name}</h2>
      {rows.length === 0 ? (
        <pre>{stringifyExact(value, 1)}</pre>
      ) : (
        <Table
          tools
          caption={name}
          rows={rows.map((row, at) => ({ row, at }))}
          keyOf={({ at }) => String(at)}
          empty=""
          columns={names.map((head) => ({
            head,
            cell: ({ row }: { row: Record<string, unknown> }) => shownCell(row[head]),
            value: ({ row }: { row: Record<string, unknown> }) => shownCell(row[head]),
          }))}
        />
      )}
    </section>
  );
}

function Mark({ of }: { of: State }) {
  return (
    <span class={`status ${of}`}>
      <span aria-hidden="true">{marks[of]}</span> {of}
    </span>
  );
}

function RunOf({ name, id }: { name: string; id: string }) {
  const path = `${pathOf(name)}/run/${encodeURIComponent(id)}`;
  const { data, error, reload } = useLoad((signal) => ask(run, path, { signal }), [path]);
  const isOpen = data !== undefined && data.ended_at === null;
  const soon = useSoon(reload);
  useJobNews(({ submitted_by }) => isOpen && submitted_by?.name === data.submitted_by?.name, reload);
  useEvents(isOpen ? "/change/events" : undefined, { change: soon, reset: soon });
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(reload, lookMs);
    return () => clearInterval(timer);
  }, [isOpen]);
  if (data === undefined)
    return <NotLoaded title={name} error={error} list={["recipes", text.nav.recipes]} />;
  const cancel = async () => {
    await ask(run, path, { method: "DELETE" });
    reload();
  };
  return (
    <article>
      <h1>
        <a href={to(["recipe", name])}>{name}</a> <Mark of={data.state} /> <DryRun of={data.dry_run} />
      </h1>
      <p>
        {submitterText(data.submitted_by)} · <When at={data.created_at} /> · {text.version(data.version)}
        {data.devices > 0 && ` · ${text.change.devices(data.devices)}`}
        {data.ticket ? ` · ${data.ticket}` : ""}
        {data.proposed_by ? ` · ${words.proposedBy(data.proposed_by)}` : ""}
        {data.proposal && data.expires_at && (
          <>
            {" "}
            · {words.expires} <When at={data.expires_at} />
          </>
        )}
      </p>
      <Proposal of={data} path={path} done={reload} />
      <p class={data.reason ? "problem" : ""} role="status">
        {data.reason}
      </p>
      {isOpen && data.proposal === null && may("operate") && (
        <Action label={words.cancel} sure={words.sure} act={cancel} />
      )}
      <Facts
        of={Object.entries(data.parameters).map(([name, value]): Fact => [inWords(name), shownCell(value)])}
      />
      <Table
        caption={words.steps}
        rows={data.steps}
        keyOf={({ name }) => name}
        empty=""
        columns={[
          { head: "step", cell: ({ name }) => name },
          { head: "kind", cell: ({ kind }) => kind },
          { head: "state", cell: ({ state }) => <Mark of={state} /> },
          {
            head: "bulk",
            cell: ({ bulk_id }) => bulk_id && <a href={to(["bulk", bulk_id])}>{bulk_id.slice(-12)}</a>,
          },
          {
            head: "change",
            cell: ({ change }) =>
              change && (
                <>
                  <a href={to(["change", change.id])}>{change.id.slice(-12)}</a> {labelOf(change.state)}
                </>
              ),
          },
          { head: "finished", cell: ({ counts }) => counts && `${counts.finished} / ${counts.total}` },
          { head: "began", at: ({ started_at }) => started_at },
          { head: "reason", long: true, cell: ({ reason }) => reason },
        ]}
      />
      {data.steps.some(({ bulk_id }) => bulk_id !== null) && (
        <p>
          <a href={`/job/export?tag=run:${encodeURIComponent(data.id)}&format=zip`} download>
            {words.outputs}
          </a>
        </p>
      )}
      {data.steps.map((step) => (
        <Made key={step.name} step={step} />
      ))}
      {data.steps.map(
        ({ name, text: said }) =>
          said !== null && (
            <section key={name}>
              <h2>{name}</h2>
              <Pre>{said}</Pre>
            </section>
          ),
      )}
    </article>
  );
}

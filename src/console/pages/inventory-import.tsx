/** Devices and groups from a text or a file: what would change is shown first, and done as it was shown. */
import { useState } from "preact/hooks";
import { type Page, page } from "../api.ts";
import { Action } from "../parts/action.tsx";
import { Problem } from "../parts/problem.tsx";
import { Table } from "../parts/table.tsx";
import { to } from "../route.ts";
import { type Upsert, upsert } from "../shapes-inventory.ts";
import { text } from "../text.ts";

const formats = ["csv", "yaml", "json", "nornir", "ansible", "oxidized", "netpulse"] as const;
const modes = ["merge", "replace", "mirror"] as const;

/** What was looked at; a change of it takes the result away. */
interface Given {
  readonly format: string;
  readonly mode: string;
  readonly content: string;
}

export function ImportPage() {
  const [given, setGiven] = useState<Given>({ format: "csv", mode: "merge", content: "" });
  const [shown, setShown] = useState<Page<Upsert>>();
  const [error, setError] = useState<unknown>();
  const change = (part: Partial<Given>) => {
    setGiven({ ...given, ...part });
    setShown(undefined);
    setError(undefined);
  };
  const send = async (more: Record<string, string>) => {
    setError(undefined);
    const { format, mode, content } = given;
    const search = new URLSearchParams({ format, mode, ...more });
    try {
      setShown(await page(upsert, `/inventory/import?${search}`, { method: "POST", text: content }));
    } catch (problem) {
      setShown(undefined);
      setError(problem);
    }
  };
  const apply = ({ added, changed, removed }: Upsert) =>
    send({ max_changes: String(added + changed + removed), max_removals: String(removed) });
  return (
    <>
      <h1>{text.inventory.import}</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send({ dry_run: "true" });
        }}
      >
        <div class="filters">
          <Choice label="format" of={formats} value={given.format} set={(format) => change({ format })} />
          <Choice label="mode" of={modes} value={given.mode} set={(mode) => change({ mode })} />
          <input
            type="file"
            aria-label="file"
            onChange={({ currentTarget: { files } }) =>
              void files?.[0]?.text().then((content) => change({ content }))
            }
          />
        </div>
        <label>
          Text
          <textarea
            rows={12}
            required
            spellcheck={false}
            placeholder={"name,host,port,group\nsw1,10.1.0.1,22,access"}
            value={given.content}
            onInput={(event) => change({ content: event.currentTarget.value })}
          />
        </label>
        <button type="submit">{text.inventory.look}</button>
      </form>
      <Problem error={error} />
      {shown && <Result of={shown} apply={apply} />}
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly of: readonly string[];
  readonly value: string;
  readonly set: (value: string) => void;
}

function Choice({ label, of, value, set }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => set(event.currentTarget.value)}>
      {of.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

interface ResultProps {
  readonly of: Page<Upsert>;
  readonly apply: (shown: Upsert) => Promise<void>;
}

function Result({ of: { data, warnings }, apply }: ResultProps) {
  const { added, changed, removed, unchanged, dry_run } = data;
  const changes = added + changed + removed;
  const counts = `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`;
  return (
    <section aria-label="What changes">
      <h2>
        {dry_run ? text.inventory.would : text.inventory.done}: {counts}
      </h2>
      {warnings.length > 0 && (
        <ul class="warnings" aria-label="Warnings">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {dry_run && changes > 0 && (
        <Action label={text.inventory.apply} sure={`${counts}: sure?`} act={() => apply(data)} />
      )}
      <Table
        caption="Changes"
        rows={data.diff}
        keyOf={({ kind, name, change }) => `${kind} ${name} ${change}`}
        empty={text.inventory.nothing}
        columns={[
          { head: "change", cell: ({ change }) => change },
          {
            head: "what",
            cell: ({ kind, name }) => (
              <a href={to([kind, name])}>
                {kind} {name}
              </a>
            ),
          },
          {
            head: "fields",
            cell: ({ fields }) => (
              <span class="words">
                {Object.entries(fields).map(([field, { from, to }]) => (
                  <div key={field}>
                    <code>{field}</code> <del>{plain(from)}</del> <ins>{plain(to)}</ins>
                  </div>
                ))}
              </span>
            ),
          },
        ]}
      />
      {data.diff_truncated && <p class="faint">{text.inventory.more}</p>}
    </section>
  );
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Imports devices and groups from a text or a file: shows a preview first, then applies exactly that. */
import { useState } from "preact/hooks";
import { usualFormats } from "../../forms/defaults.ts";
import { Changes, isToApply } from "../../parts/inventory-changes.tsx";
import { Problem } from "../../parts/problem.tsx";
import { type Page, page } from "../../reading/api.ts";
import { useDoing } from "../../reading/doing.ts";
import { type Upsert, upsert } from "../../shapes/inventory.ts";
import { text } from "../../text/text.ts";

const modes = ["merge", "replace", "mirror"] as const;

/** Input of the preview; changing it discards the preview. */
interface Given {
  readonly format: string;
  readonly mode: string;
  readonly content: string;
  readonly createGroups: boolean;
}

export function ImportPage() {
  const [given, setGiven] = useState<Given>({
    format: "csv",
    mode: "merge",
    content: "",
    createGroups: false,
  });
  const [shown, setShown] = useState<Page<Upsert>>();
  const { error, doing, forget } = useDoing();
  const change = (fields: Partial<Given>) => {
    setGiven({ ...given, ...fields });
    setShown(undefined);
    forget();
  };
  const send = (more: Record<string, string>) =>
    doing(async () => {
      const { format, mode, content, createGroups } = given;
      const search = new URLSearchParams({ format, mode, create_groups: String(createGroups), ...more });
      try {
        setShown(await page(upsert, `/inventory/import?${search}`, { method: "POST", text: content }));
      } catch (problem) {
        setShown(undefined);
        throw problem;
      }
    });
  const apply = ({ added, changed, removed }: Upsert) =>
    send({ max_changes: String(added + changed + removed), max_removals: String(removed) });
  // Once it is seen what would change, that is what one came for.
  const toApply = shown !== undefined && isToApply(shown.data);
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
          <Choice
            label="format"
            of={usualFormats}
            value={given.format}
            set={(format) => change({ format })}
          />
          <Choice label="mode" of={modes} value={given.mode} set={(mode) => change({ mode })} />
          <label class="choice">
            <input
              type="checkbox"
              checked={given.createGroups}
              onChange={({ currentTarget }) => change({ createGroups: currentTarget.checked })}
            />{" "}
            {text.inventory.createGroups}
          </label>
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
        <p class="actions">
          <button type="submit" class={toApply ? "quiet" : undefined}>
            {text.inventory.look}
          </button>
        </p>
      </form>
      <Problem error={error} />
      {shown && <Changes of={shown} apply={apply} />}
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
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {of.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

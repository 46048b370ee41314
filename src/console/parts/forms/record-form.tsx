/** A form for a record, from the schema of its request; or the same as JSON. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type * as v from "valibot";
import { stringifyExact } from "../../../base/json/exact-json.ts";
import { type FormField, fieldsOf, recordOf, textOf } from "../../forms/form-fields.ts";
import { useDoing } from "../../reading/doing.ts";
import { labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";
import { Problem } from "../problem.tsx";
import { Ticks } from "./field.tsx";
import { JsonForm } from "./json-form.tsx";

interface RecordFormProps {
  /** Of the schema of the request. */
  readonly entries: v.ObjectEntries;
  /** What it is, for its JSON. */
  readonly label: string;
  /** What fields are called here, unless their names in words say it. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly initial?: Readonly<Record<string, unknown>>;
  /** Names that fit a field. */
  readonly known?: Readonly<Record<string, readonly string[]>>;
  /** Whether a value may be ticked, with what the form says. Default: any. */
  readonly fits?: (value: string, said: FormData) => boolean;
  readonly required?: readonly string[];
  /** Fields that are never shown again. */
  readonly secret?: readonly string[];
  /** Fields of several lines. */
  readonly long?: readonly string[];
  /** An empty record with these fields, to begin its JSON with. */
  readonly sample?: string;
  readonly save: (body: Record<string, unknown>) => Promise<void>;
}

export function RecordForm(props: RecordFormProps) {
  const { label, initial = {}, sample, save } = props;
  const [json, setJson] = useState(false);
  const written = Object.keys(initial).length === 0 ? sample : undefined;
  const beside = (
    <button type="button" class="quiet" onClick={() => setJson(!json)}>
      {json ? text.form.fields : text.form.json}
    </button>
  );
  return (
    <section aria-label={label}>
      {json ? (
        <JsonForm
          label={`${label} (JSON)`}
          text={written ?? stringifyExact(initial, 2)}
          save={save}
          beside={beside}
        />
      ) : (
        <Fields {...props} initial={initial} beside={beside} />
      )}
    </section>
  );
}

function Fields({
  entries,
  labels = {},
  initial = {},
  known = {},
  required = [],
  secret = [],
  long = [],
  fits = () => true,
  save,
  beside,
}: RecordFormProps & { readonly beside: ComponentChildren }) {
  const { error, working, submits } = useDoing();
  const [chosen, setChosen] = useState(() => new FormData());
  const fields = fieldsOf(entries);
  return (
    <form
      onChange={(event) => setChosen(new FormData(event.currentTarget))}
      onSubmit={submits((said) => save(recordOf(fields, said, initial)))}
      autocomplete="off"
    >
      <div class="fields">
        {fields.map((field) => {
          const { name, kind, of } = field;
          const label = labels[name] ?? labelOf(name);
          const value = initial[name];
          if (kind === "choices")
            return (
              <Ticks
                key={name}
                {...{ label, name }}
                of={of.filter((one) => fits(one, chosen))}
                ticked={(one) => Array.isArray(value) && value.includes(one)}
              />
            );
          return (
            <div key={name}>
              <label for={`record-${name}`}>{label}</label>
              <Input
                of={field}
                value={textOf(field, value)}
                known={known[name]}
                required={required.includes(name)}
                secret={secret.includes(name)}
                long={long.includes(name)}
              />
            </div>
          );
        })}
      </div>
      <p class="actions">
        <button type="submit" disabled={working}>
          {text.save}
        </button>
        {beside}
      </p>
      <Problem error={error} />
    </form>
  );
}

interface InputProps {
  readonly of: FormField;
  readonly value: string;
  readonly known: readonly string[] | undefined;
  readonly required: boolean;
  readonly secret: boolean;
  readonly long: boolean;
}

function Input({ of: { name, kind, of }, value, known, required, secret, long }: InputProps) {
  const same = { id: `record-${name}`, name, required };
  const typed = { ...same, spellcheck: false, defaultValue: value };
  if (of.length > 0)
    return (
      <select {...same}>
        <option value="" />
        {of.map((one) => (
          <option key={one} selected={one === value}>
            {one}
          </option>
        ))}
      </select>
    );
  if (kind === "members" || long)
    return <textarea {...typed} rows={2} placeholder={long ? "" : text.form.hints[kind]} />;
  if (secret) return <input {...typed} type="password" autocomplete="new-password" />;
  return (
    <>
      <input
        {...typed}
        type="text"
        placeholder={text.form.hints[kind]}
        {...(kind === "number" ? { inputMode: "numeric" as const, pattern: "-?[0-9]+" } : {})}
        {...(known ? { list: `known-${name}` } : {})}
      />
      {known && (
        <datalist id={`known-${name}`}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}

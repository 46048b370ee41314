/** The part of the form of a change that says what must hold before its first wave and after each. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { changeDefaults } from "../../../api/changes/change-defaults.ts";
import { gateLimits } from "../../../api/changes/change-gates.ts";
import { Field } from "../../parts/forms/field.tsx";
import type { Asked } from "../../shapes/changes.ts";
import { text } from "../../text/text.ts";
import { checkRows, headerLines } from "./change-form.ts";

const words = text.change.form;

export function Gates({ of }: { of: Asked | undefined }) {
  const sentinels = of?.sentinels ?? [];
  const questions = of?.strategy?.questions ?? [];
  return (
    <details open={sentinels.length + questions.length > 0}>
      <summary>{words.gates}</summary>
      <Rows
        name="sentinel"
        title={words.sentinel}
        add={words.addSentinel}
        of={sentinels}
        most={gateLimits.sentinels}
        row={(before, name) => (
          <>
            <div class="fields">
              <Field
                label={text.run.selector}
                name={name("select")}
                value={before?.select}
                usual="role:route-server"
              />
              <Field
                label={words.sentinelDevices}
                name={name("devices")}
                value={before?.devices?.join(", ")}
              />
            </div>
            <label>
              {words.sentinelChecks}
              <textarea
                name={name("checks")}
                rows={3}
                required
                spellcheck={false}
                placeholder={words.sentinelSample}
                defaultValue={before && checkRows(before.checks)}
              />
            </label>
          </>
        )}
      />
      <Rows
        name="question"
        title={words.question}
        add={words.addQuestion}
        of={questions}
        most={gateLimits.questions}
        row={(before, name) => (
          <>
            <div class="fields">
              <Field label="name" name={name("name")} value={before?.name} maxLength={100} />
              <Field
                label="URL"
                name={name("url")}
                value={before?.url}
                required
                usual="https://prometheus.example.net/api/v1/query?query=ALERTS"
              />
              <Field
                label={words.expression}
                name={name("expression")}
                value={before?.expression}
                required
                usual="$count(body.data.result) = 0"
              />
              <Field
                label={words.timeout}
                name={name("timeout_seconds")}
                whole
                value={before?.timeout_seconds}
                usual={changeDefaults.timeout_seconds}
              />
            </div>
            <label>
              {words.headers}
              <textarea
                name={name("headers")}
                rows={2}
                spellcheck={false}
                defaultValue={headerLines(before?.headers)}
              />
            </label>
            <label class="choice">
              <input type="checkbox" name={name("after")} defaultChecked={before?.before === false} />{" "}
              {words.notBeforeFirst}
            </label>
          </>
        )}
      />
      <div class="fields">
        <Field
          label={words.inconclusive}
          name="inconclusive_seconds"
          whole
          value={of?.strategy?.inconclusive_seconds}
          usual={changeDefaults.inconclusive_seconds}
        />
      </div>
    </details>
  );
}

interface RowsProps<T> {
  /** Of the field that lists the keys; those of a row begin with it and its key. */
  readonly name: string;
  readonly title: (number: number) => string;
  readonly add: string;
  /** Rows at first: their keys are 0, 1 and so on. */
  readonly of: readonly T[];
  readonly most: number;
  /** @param before of a row that was there at first */
  readonly row: (before: T | undefined, name: (field: string) => string) => ComponentChildren;
}

function Rows<T>({ name, title, add, of, most, row }: RowsProps<T>) {
  const [keys, setKeys] = useState(() => [...of.keys()].map(String));
  const [next, setNext] = useState(of.length);
  return (
    <>
      {keys.map((key, at) => (
        <fieldset key={key}>
          <legend>{title(at + 1)}</legend>
          <input type="hidden" name={name} value={key} />
          {row(of[Number(key)], (field) => `${name}.${key}.${field}`)}
          <button
            type="button"
            class="quiet"
            aria-label={`${text.remove}: ${title(at + 1)}`}
            onClick={() => setKeys(keys.filter((one) => one !== key))}
          >
            {text.remove}
          </button>
        </fieldset>
      ))}
      {keys.length < most && (
        <p>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              setKeys([...keys, String(next)]);
              setNext(next + 1);
            }}
          >
            {add}
          </button>
        </p>
      )}
    </>
  );
}

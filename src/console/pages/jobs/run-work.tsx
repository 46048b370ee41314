/** The part of the run form that says what to do: commands, lines or a template, with checks and saving. */
import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { renderEngines } from "../recipes/template-engines.ts";

const kinds = {
  command: "query",
  config: "configuration",
  template: "configuration from a template",
} as const;
type Kind = keyof typeof kinds;
const kindNames = ["command", "config", "template"] as const satisfies readonly Kind[];

interface WorkProps {
  /** Whether the driver can save the configuration. */
  readonly saves: boolean;
  /** The kind of a dry run that is pushed now. */
  readonly pushed?: string | undefined;
  readonly onKind: (kind: Kind) => void;
}

export function Work({ saves, pushed, onKind }: WorkProps) {
  const [kind, setKind] = useState<Kind>(kindNames.find((name) => name === pushed) ?? "command");
  const [dryRun, setDryRun] = useState(pushed === undefined);
  const pushes = kind !== "command" && !dryRun;
  return (
    <>
      <p class="operation">
        {kindNames.map((name) => (
          <label key={name} class="choice">
            <input
              type="radio"
              name="operation"
              value={name}
              checked={kind === name}
              onChange={() => {
                setKind(name);
                onKind(name);
              }}
            />{" "}
            {kinds[name]}
          </label>
        ))}
        {kind !== "command" && (
          <label class="choice">
            <input
              type="checkbox"
              name="dry_run"
              checked={dryRun}
              onChange={(event) => setDryRun(event.currentTarget.checked)}
            />{" "}
            {text.dryRun}
          </label>
        )}
      </p>
      {kind === "template" ? (
        <TemplateFields />
      ) : (
        <label>
          Lines
          <textarea
            name="lines"
            rows={6}
            required
            spellcheck={false}
            placeholder={kind === "command" ? "show version" : "ntp server 192.0.2.1"}
          />
        </label>
      )}
      {pushes && saves && <Save />}
      {pushes && <CheckFields />}
    </>
  );
}

interface TemplateFieldsProps {
  readonly required?: boolean;
  readonly rendering?: {
    readonly name: string;
    readonly template?: string | undefined;
    readonly args?: Readonly<Record<string, unknown>> | undefined;
  };
  /** As JSON. */
  readonly variables?: string;
}

export function TemplateFields({ required = true, rendering, variables }: TemplateFieldsProps) {
  return (
    <>
      <label>
        {text.run.template}
        <textarea
          name="template"
          rows={8}
          required={required}
          spellcheck={false}
          placeholder={text.run.templateSample}
          defaultValue={rendering?.template}
        />
      </label>
      <label>
        {text.run.variables}
        <textarea
          name="variables"
          rows={4}
          spellcheck={false}
          placeholder={text.run.variablesSample}
          defaultValue={variables}
        />
      </label>
      <p class="faint">{text.run.templateHint}</p>
      <div class="fields">
        <label>
          engine
          <select name="engine">
            {renderEngines.map((name) => (
              <option key={name} value={name} selected={name === rendering?.name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="choice">
          <input type="checkbox" name="ansible" defaultChecked={rendering?.args?.ansible === true} />{" "}
          {text.run.ansible}
        </label>
      </div>
    </>
  );
}

function Save() {
  const [saved, setSaved] = useState(true);
  return (
    <p>
      <label class="choice">
        <input
          type="checkbox"
          name="save"
          checked={saved}
          onChange={(event) => setSaved(event.currentTarget.checked)}
        />{" "}
        {text.run.save}
      </label>{" "}
      <span class={saved ? "faint" : "problem"}>{saved ? text.run.saved : text.run.unsaved}</span>
    </p>
  );
}

interface CheckFieldsProps {
  readonly lines?: string;
  readonly settle?: number | null | undefined;
  readonly onFailure?: string | null | undefined;
}

export function CheckFields({ lines = "", settle, onFailure }: CheckFieldsProps) {
  return (
    <details open={lines !== ""}>
      <summary>{text.run.checks}</summary>
      <label>
        {text.run.checkLines}
        <textarea
          name="checks"
          rows={3}
          spellcheck={false}
          placeholder={text.run.checkSample}
          defaultValue={lines}
        />
      </label>
      <div class="fields">
        <label>
          {text.run.settle}
          <input
            name="settle_seconds"
            type="number"
            min="0"
            max="600"
            placeholder="0"
            defaultValue={settle ?? undefined}
          />
        </label>
        <label>
          {text.run.onFailure}
          <select name="on_failure">
            <option value="undo">{text.run.undo}</option>
            <option value="keep" selected={onFailure === "keep"}>
              {text.run.keep}
            </option>
          </select>
        </label>
      </div>
    </details>
  );
}

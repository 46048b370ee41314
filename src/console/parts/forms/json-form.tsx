/** A form to edit and save JSON. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { JsonProblem, readJsonObject } from "../../forms/json-text.ts";
import { useDoing } from "../../reading/doing.ts";
import { text } from "../../text/text.ts";
import { Problem } from "../problem.tsx";
import { Editor } from "./editor.tsx";

interface JsonFormProps {
  readonly label: string;
  /** Initial text. */
  readonly text: string;
  readonly save: (body: Record<string, unknown>) => Promise<void>;
  /** Beside its button. */
  readonly beside?: ComponentChildren;
}

export function JsonForm({ label, text: initial, save, beside }: JsonFormProps) {
  const [json, setJson] = useState(initial);
  const { error, working, submits } = useDoing();
  return (
    <form onSubmit={submits(() => save(readJsonObject("JSON", json)))}>
      <Editor
        label={label}
        value={json}
        onInput={setJson}
        wrong={error instanceof JsonProblem ? error.at : undefined}
      />
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

/** Edits a schedule: times, request, windows; previews the next firings. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { stringifyExact } from "../../../base/json/exact-json.ts";
import { readJsonObject } from "../../forms/json-text.ts";
import { Editor } from "../../parts/forms/editor.tsx";
import { Purpose } from "../../parts/forms/purpose.tsx";
import { Selected } from "../../parts/forms/selected.tsx";
import { NextTimes, Times } from "../../parts/forms/times.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask } from "../../reading/api.ts";
import type { Schedule } from "../../shapes/schedules.ts";
import { text } from "../../text/text.ts";
import { changeOf, type SimpleWork, scheduleWith, simpleWork, timesOf, workWith } from "./schedule-form.ts";
import { useScheduleSending } from "./schedule-sending.ts";

interface ScheduleChangeProps {
  readonly of: Schedule;
  readonly path: string;
  /** Called after saving or cancelling. */
  readonly done: () => void;
}

export function ScheduleChange({ of, path, done }: ScheduleChangeProps) {
  const simple = simpleWork(of.what);
  const [json, setJson] = useState(simple === undefined ? stringifyExact(of.what, 2) : undefined);
  const workOf = (form: FormData) =>
    simple === undefined || json !== undefined
      ? readJsonObject(text.schedules.work, json ?? "")
      : workWith(of.what, simple, form);
  const { next, error, working, submit, changed } = useScheduleSending({
    body: (form) => changeOf(of, form, workOf(form)),
    whole: (change) => scheduleWith(of, change),
    async keep(change) {
      await ask(v.unknown(), path, { method: "PATCH", body: change });
      done();
    },
  });
  return (
    <form class="run" onSubmit={submit} autocomplete="off" onInput={changed}>
      <div class="fields">
        <label>
          name
          <input name="name" required maxLength={128} defaultValue={of.name} />
        </label>
        <Times {...timesOf(of)} overlap={of.overlap ?? ""} />
        <label>
          not before
          <input name="not_before" defaultValue={of.not_before ?? ""} placeholder="2027-01-31 22:00" />
        </label>
        <label>
          not after
          <input name="not_after" defaultValue={of.not_after ?? ""} placeholder="2027-12-31 22:00" />
        </label>
        <Purpose label={of.label} ticket={of.ticket} />
      </div>
      <label>
        {text.schedules.window}
        <textarea name="window" rows={2} spellcheck={false} defaultValue={(of.window ?? []).join("\n")} />
      </label>
      {simple !== undefined && json === undefined ? (
        <WorkFields of={simple} />
      ) : (
        <Editor label={text.schedules.what} value={json ?? ""} onInput={setJson} />
      )}
      <p class="actions">
        <button type="submit" class="quiet" value="preview" disabled={working}>
          {text.schedules.preview}
        </button>
        <button type="submit" value="keep" disabled={working}>
          {text.save}
        </button>
        {simple !== undefined && (
          <button
            type="button"
            class="quiet"
            onClick={() => setJson(json === undefined ? stringifyExact(of.what, 2) : undefined)}
          >
            {json === undefined ? text.form.json : text.form.fields}
          </button>
        )}
        <button type="button" class="quiet" onClick={done}>
          {text.no}
        </button>
      </p>
      <Problem error={error} />
      {next && <NextTimes next={next} />}
    </form>
  );
}

function WorkFields({ of: { select, hosts, lines } }: { of: SimpleWork }) {
  return (
    <>
      <Selected initial={select} />
      <label>
        {text.schedules.devices}
        <textarea name="hosts" rows={2} spellcheck={false} defaultValue={hosts} />
      </label>
      <label>
        {text.schedules.lines}
        <textarea name="lines" rows={5} required spellcheck={false} defaultValue={lines} />
      </label>
    </>
  );
}

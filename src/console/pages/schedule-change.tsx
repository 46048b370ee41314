/** Edits a schedule: times, request, windows; previews the next firings. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { ask } from "../api.ts";
import { Editor } from "../parts/editor.tsx";
import { Problem } from "../parts/problem.tsx";
import { Purpose } from "../parts/purpose.tsx";
import { NextTimes, Times } from "../parts/times.tsx";
import type { Schedule } from "../shapes-schedules.ts";
import { text } from "../text.ts";
import { changeOf, scheduleWith, timesOf } from "./schedule-form.ts";
import { useScheduleSending } from "./schedule-sending.ts";

interface ScheduleChangeProps {
  readonly of: Schedule;
  readonly path: string;
  /** Called after saving or cancelling. */
  readonly done: () => void;
}

export function ScheduleChange({ of, path, done }: ScheduleChangeProps) {
  const [what, setWhat] = useState(JSON.stringify(of.what, null, 2));
  const { next, error, working, submit, changed } = useScheduleSending({
    body: (form) => changeOf(of, form, what),
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
      <Editor label={text.schedules.what} value={what} onInput={setWhat} />
      <p class="actions">
        <button type="submit" class="quiet" value="preview" disabled={working}>
          {text.schedules.preview}
        </button>
        <button type="submit" value="keep" disabled={working}>
          {text.inventory.save}
        </button>
        <button type="button" class="quiet" onClick={done}>
          {text.no}
        </button>
      </p>
      <Problem error={error} />
      {next && <NextTimes next={next} />}
    </form>
  );
}

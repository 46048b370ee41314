/** Form for a schedule of inventory devices, with a preview of the next firings. */
import { Credential } from "../../parts/forms/credential.tsx";
import { Purpose } from "../../parts/forms/purpose.tsx";
import { Selected } from "../../parts/forms/selected.tsx";
import { NextTimes, Times } from "../../parts/forms/times.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask } from "../../reading/api.ts";
import { go } from "../../route.ts";
import { madeSchedule } from "../../shapes/schedules.ts";
import { text } from "../../text/text.ts";
import { scheduleOf } from "./schedule-form.ts";
import { useScheduleSending } from "./schedule-sending.ts";

export function ScheduleForm() {
  const { next, error, working, submit, changed } = useScheduleSending({
    body: scheduleOf,
    whole: (body) => body,
    async keep(body) {
      const { id } = await ask(madeSchedule, "/schedule", { method: "POST", body });
      go(["schedule", id]);
    },
  });
  return (
    <>
      <h1>{text.schedules.make}</h1>
      <form class="run" onSubmit={submit} autocomplete="off" onInput={changed}>
        <div class="fields">
          <label>
            name
            <input name="name" required maxLength={128} />
          </label>
          <Times />
        </div>
        <Selected />
        <label>
          {text.schedules.devices}
          <textarea name="hosts" rows={2} spellcheck={false} placeholder={"sw1\nsw2"} />
        </label>
        <p>
          <label class="choice">
            <input type="radio" name="kind" value="query" defaultChecked /> query
          </label>
          <label class="choice">
            <input type="radio" name="kind" value="push" /> configuration
          </label>
        </p>
        <label>
          {text.schedules.lines}
          <textarea name="lines" rows={5} required spellcheck={false} placeholder="show version" />
        </label>
        <div class="fields">
          <Credential />
          <Purpose />
        </div>
        <label>
          {text.schedules.window}
          <textarea
            name="window"
            rows={2}
            spellcheck={false}
            placeholder="Mon-Fri 22:00-05:00 Europe/Berlin"
          />
        </label>
        <p class="actions">
          <button type="submit" class="quiet" value="preview" disabled={working}>
            {text.schedules.preview}
          </button>
          <button type="submit" value="keep" disabled={working}>
            {text.save}
          </button>
        </p>
      </form>
      <Problem error={error} />
      {next && <NextTimes next={next} />}
    </>
  );
}

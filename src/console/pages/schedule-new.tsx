/** A form for a schedule of devices of the inventory; when it fires is shown before it is made. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { ask } from "../api.ts";
import { Credential } from "../parts/credential.tsx";
import { Problem } from "../parts/problem.tsx";
import { Purpose } from "../parts/purpose.tsx";
import { Selected } from "../parts/selected.tsx";
import { When } from "../parts/when.tsx";
import { go } from "../route.ts";
import { preview, schedule } from "../shapes-schedules.ts";
import { text } from "../text.ts";
import { scheduleOf, type Time, times } from "./schedule-form.ts";

const samples: Readonly<Record<Time, string>> = { cron: "30 2 * * 1-5", every: "6h", at: "2027-01-31 22:00" };

export function ScheduleForm() {
  const [time, setTime] = useState<Time>("cron");
  const [next, setNext] = useState<readonly string[]>();
  const [error, setError] = useState<unknown>();
  const [working, setWorking] = useState(false);
  const send = async (form: HTMLFormElement, makes: boolean) => {
    setError(undefined);
    setWorking(true);
    try {
      const body = scheduleOf(new FormData(form));
      if (makes) {
        const { id } = await ask(v.pick(schedule, ["id"]), "/schedule", { method: "POST", body });
        go(["schedule", id]);
      } else setNext((await ask(preview, "/schedule/preview", { method: "POST", body })).next);
    } catch (problem) {
      setError(problem);
      setNext(undefined);
    } finally {
      setWorking(false);
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    void send(event.currentTarget, event.submitter?.getAttribute("value") === "make");
  };
  return (
    <>
      <h1>{text.schedules.make}</h1>
      <form class="run" onSubmit={submit} autocomplete="off" onInput={() => setNext(undefined)}>
        <div class="fields">
          <label>
            name
            <input name="name" required maxLength={128} />
          </label>
          <label>
            time
            <select
              name="time"
              value={time}
              onChange={({ currentTarget: { value } }) => setTime(timeNamed(value))}
            >
              {times.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label>
            when
            <input name="when" required placeholder={samples[time]} />
          </label>
          {time === "cron" && (
            <label>
              time zone
              <input name="time_zone" placeholder={Intl.DateTimeFormat().resolvedOptions().timeZone} />
            </label>
          )}
          <label>
            if the one before has not ended
            <select name="overlap">
              <option>skip</option>
              <option>queue</option>
              <option>replace</option>
            </select>
          </label>
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
          Lines
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
          <button type="submit" value="make" disabled={working}>
            {text.schedules.save}
          </button>
        </p>
      </form>
      <Problem error={error} />
      {next && (
        <ol class="timeline" aria-label="Next firings">
          {next.map((at) => (
            <li key={at}>
              <When at={at} /> {at}
            </li>
          ))}
        </ol>
      )}
      {next?.length === 0 && <p class="empty">{text.schedules.noNext}</p>}
    </>
  );
}

function timeNamed(word: string): Time {
  return times.find((time) => time === word) ?? "cron";
}

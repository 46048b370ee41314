/** Form fields for the times of a schedule, and the list of its next firings. */
import { useState } from "preact/hooks";
import { clockTime } from "../../clock.ts";
import { type Time, times } from "../../shapes/schedules.ts";
import { text } from "../../text/text.ts";
import { When } from "../when.tsx";

const samples: Readonly<Record<Time, string>> = { cron: "30 2 * * 1-5", every: "6h", at: "2027-01-31 22:00" };
const overlaps = ["skip", "queue", "replace"];

interface TimesProps {
  readonly time?: Time;
  readonly when?: string;
  readonly zone?: string;
  readonly overlap?: string;
}

/** @param props initial values */
export function Times({ time: first = "cron", when = "", zone = "", overlap = "skip" }: TimesProps) {
  const [time, setTime] = useState<Time>(first);
  return (
    <>
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
        <input name="when" required placeholder={samples[time]} defaultValue={when} />
      </label>
      {time === "cron" && (
        <label>
          time zone
          <input
            name="time_zone"
            placeholder={Intl.DateTimeFormat().resolvedOptions().timeZone}
            defaultValue={zone}
          />
        </label>
      )}
      <label>
        {text.schedules.overlap}
        <select name="overlap">
          {overlaps.map((name) => (
            <option key={name} selected={name === overlap}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

function timeNamed(name: string): Time {
  return times.find((time) => time === name) ?? "cron";
}

/** @param zone default: that of the browser */
export function NextTimes({ next, zone }: { next: readonly string[]; zone?: string | undefined }) {
  if (next.length === 0) return <p class="empty">{text.schedules.noNext}</p>;
  return (
    <ol class="timeline" aria-label="Next firings">
      {next.map((at) => (
        <li key={at}>
          <When at={at} /> {clockTime(at, zone)}
        </li>
      ))}
    </ol>
  );
}

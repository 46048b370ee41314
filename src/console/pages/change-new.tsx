/** The form of a change: a new draft, or an edit of one, which is a new revision. */
import { useState } from "preact/hooks";
import { ask } from "../api.ts";
import { Field } from "../parts/field.tsx";
import { Problem } from "../parts/problem.tsx";
import { Selected } from "../parts/selected.tsx";
import { go } from "../route.ts";
import { type Asked, askedOf, changePath, type OneChange, oneChange } from "../shapes-changes.ts";
import { text } from "../text.ts";
import { changeOf, checkLinesOf } from "./change-form.ts";
import { Rollout } from "./change-rollout.tsx";
import { CheckFields, TemplateFields } from "./run-work.tsx";

const words = text.change.form;

/** @param props.of what is edited */
export function ChangeForm({ of, done }: { of?: OneChange; done?: () => void }) {
  const before = of && askedOf(of);
  const [error, setError] = useState<unknown>();
  const [working, setWorking] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    setError(undefined);
    setWorking(true);
    try {
      const body = changeOf(new FormData(event.currentTarget), before);
      const asking = of
        ? ask(oneChange, changePath(of.id), { method: "PUT", body })
        : ask(oneChange, "/change", { method: "POST", body });
      go(["change", (await asking).id]);
      done?.();
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };
  // An edit replaces all of it.
  if (of && before === undefined) return <Problem error={words.unreadable} />;
  return (
    <>
      <h1>{of ? words.edit(of.name) : words.make}</h1>
      <form class="run" onSubmit={(event) => void submit(event)} autocomplete="off">
        <div class="fields">
          <Field label={words.name} name="name" value={before?.name} required maxLength={200} />
          <Field label="ticket" name="ticket" value={before?.ticket} maxLength={100} />
        </div>
        <Field label={text.change.note} name="note" value={before?.note} />
        <Selected initial={before?.select ?? undefined} />
        <label>
          {text.schedules.devices}
          <textarea
            name="hosts"
            rows={2}
            spellcheck={false}
            placeholder={"sw1\nsw2"}
            defaultValue={before?.devices?.join("\n")}
          />
        </label>
        {!before?.restore && <Lines isEdit={of !== undefined} />}
        <Checks of={before} />
        <Rollout of={before} />
        <p class="actions">
          <button type="submit" disabled={working}>
            {of ? words.saveEdit : words.save}
          </button>
        </p>
      </form>
      <Problem error={error} />
    </>
  );
}

/** What an edit leaves empty is kept. */
function Lines({ isEdit }: { isEdit: boolean }) {
  const [kind, setKind] = useState("config");
  return (
    <>
      <p class="operation">
        {(["config", "template"] as const).map((name) => (
          <label key={name} class="choice">
            <input
              type="radio"
              name="operation"
              value={name}
              checked={kind === name}
              onChange={() => setKind(name)}
            />{" "}
            {words.kinds[name]}
          </label>
        ))}
      </p>
      {isEdit && <p class="faint">{words.keeps}</p>}
      {kind === "template" ? (
        <TemplateFields required={!isEdit} />
      ) : (
        <label>
          Lines
          <textarea
            name="lines"
            rows={6}
            required={!isEdit}
            spellcheck={false}
            placeholder="ntp server 192.0.2.1"
          />
        </label>
      )}
    </>
  );
}

function Checks({ of }: { of: Asked | undefined }) {
  const lines = of ? checkLinesOf(of) : "";
  if (lines === undefined) return <p class="faint">{words.checksKept}</p>;
  return <CheckFields lines={lines} settle={of?.checks?.settle_seconds} onFailure={of?.checks?.on_failure} />;
}

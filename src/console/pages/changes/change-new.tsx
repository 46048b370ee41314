/** The form of a change: a new draft, or an edit of one, which is a new revision. */
import { useState } from "preact/hooks";
import { stringifyExact } from "../../../base/json/exact-json.ts";
import { type Carried, takeCarried } from "../../carried.ts";
import { Field } from "../../parts/forms/field.tsx";
import { NamedDevices } from "../../parts/forms/named-devices.tsx";
import { Selected } from "../../parts/forms/selected.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask, holds } from "../../reading/api.ts";
import { useDoing } from "../../reading/doing.ts";
import { go } from "../../route.ts";
import { type Asked, askedOf, changePath, type OneChange, oneChange } from "../../shapes/changes.ts";
import { text } from "../../text/text.ts";
import { CheckFields, TemplateFields } from "../jobs/run-work.tsx";
import { changeOf, checkLinesOf } from "./change-form.ts";
import { Gates } from "./change-gates.tsx";
import { Rollout } from "./change-rollout.tsx";

const words = text.change.form;

/** @param props.of what is edited */
export function ChangeForm({ of, done }: { of?: OneChange; done?: () => void }) {
  const [carried] = useState<Carried | undefined>(() => (of ? undefined : takeCarried()));
  const before = of ? askedOf(of) : carried?.asked;
  const { error, working, submits } = useDoing();
  const submit = submits(async (said) => {
    const body = changeOf(said, before);
    const asking = of
      ? ask(oneChange, changePath(of.id), { method: "PUT", body })
      : ask(oneChange, "/change", { method: "POST", body });
    go(["change", (await asking).id]);
    done?.();
  });
  // An edit replaces all of it.
  if (of && before === undefined)
    return <NotLoaded title={of.name} error={words.unreadable} list={["change", text.nav.change]} />;
  return (
    <>
      <h1>{of ? words.edit(of.name) : words.make}</h1>
      {carried && carried.misplaced.length > 0 && (
        <Problem error={words.misplaced(carried.misplaced.join(", "))} />
      )}
      <form class="run" onSubmit={submit} autocomplete="off">
        <div class="fields">
          <Field label={words.name} name="name" value={before?.name} required maxLength={200} />
          <Field label="ticket" name="ticket" value={before?.ticket} maxLength={100} />
        </div>
        <Field label={text.change.note} name="note" value={before?.note} />
        <Selected initial={before?.select ?? undefined} />
        <NamedDevices name="hosts" initial={before?.devices ?? []} />
        <Lines of={before} isEdit={of !== undefined} />
        <div class="fields">
          <Field
            label={words.driverArgs}
            name="driver_args"
            value={before?.driver_args && stringifyExact(before.driver_args)}
            usual={'{"save": true}'}
          />
        </div>
        <Checks of={before} />
        <Gates of={before} />
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

const kinds = ["config", "template", "restore"] as const;

const linesText = (config: unknown): string | undefined =>
  Array.isArray(config) ? config.join("\n") : typeof config === "string" ? config : undefined;

/** What an edit leaves empty is kept. */
function Lines({ of, isEdit }: { of: Asked | undefined; isEdit: boolean }) {
  const { config, rendering, restore } = of ?? {};
  const isFilled = !isEdit && rendering !== undefined && rendering !== null;
  const [kind, setKind] = useState(restore ? "restore" : isFilled ? "template" : "config");
  return (
    <>
      <p class="operation">
        {(holds("history") ? kinds : kinds.slice(0, 2)).map((name) => (
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
      {isEdit && kind !== "restore" && !restore && <p class="faint">{words.keeps}</p>}
      {kind === "restore" ? (
        <div class="fields">
          <Field label={words.restoreAt} name="restore.at" value={restore?.at} usual="2027-01-31T22:00:00Z" />
          <Field label={words.restoreVersion} name="restore.version" whole value={restore?.version} />
        </div>
      ) : kind === "template" ? (
        <TemplateFields
          required={!isEdit}
          {...(isFilled ? { rendering, variables: stringifyExact(config ?? {}) } : {})}
        />
      ) : (
        <label>
          Lines
          <textarea
            name="lines"
            rows={6}
            required={!isEdit || Boolean(restore)}
            spellcheck={false}
            placeholder="ntp server 192.0.2.1"
            defaultValue={isEdit || isFilled ? undefined : linesText(config)}
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

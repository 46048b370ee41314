/** Runs an operation on one or many devices: driver fields from the API description, with an optional dry run. */
import { useEffect, useRef, useState } from "preact/hooks";
import * as v from "valibot";
import { carryPush, keepTyped, typedFor } from "../../carried.ts";
import { firstDriver } from "../../forms/defaults.ts";
import { type DriverForm, driverForms, type FormField } from "../../forms/driver-forms.ts";
import { Credential } from "../../parts/forms/credential.tsx";
import { Purpose } from "../../parts/forms/purpose.tsx";
import { countOf, Selected } from "../../parts/forms/selected.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask } from "../../reading/api.ts";
import { useDoing } from "../../reading/doing.ts";
import { useLoad } from "../../reading/load.ts";
import { place, to } from "../../route.ts";
import { bulkAnswer, ticket } from "../../shapes/shapes.ts";
import { inWords, labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";
import { argumentsOf, inventoryForm, type Operation, operationOf, savesOf } from "./run-operation.ts";
import { Question } from "./run-question.tsx";
import { Work } from "./run-work.tsx";

export function RunPage() {
  const { data, error } = useLoad(async (signal) => {
    const [drivers, devices] = await Promise.all([driverForms(signal), someDevice(signal)]);
    return { forms: [inventoryForm, ...drivers], first: devices ? inventoryForm.driver : firstDriver };
  }, []);
  const again = typedFor(place.value.query.get("push"));
  const [picked, setPicked] = useState(again?.driver);
  const { forms = [], first } = data ?? {};
  const chosen = picked ?? first;
  const form = forms.find(({ driver }) => driver === chosen) ?? forms[1];
  return (
    <>
      <h1>{text.nav.run}</h1>
      <Problem error={error} />
      {data === undefined && error === undefined && <p class="empty">{text.loading}</p>}
      {data && (
        <p>
          Driver:{" "}
          {forms.map(({ driver }) => (
            <label key={driver} class="choice">
              <input
                type="radio"
                name="driver"
                checked={driver === form?.driver}
                onChange={() => setPicked(driver)}
              />{" "}
              {driver || text.inventory.driver}
            </label>
          ))}
        </p>
      )}
      {form && (
        <RunForm
          key={form.driver}
          form={form}
          typed={form.driver === again?.driver ? again.fields : undefined}
        />
      )}
    </>
  );
}

/** Whether the inventory has a device that this session sees: then the form begins with the inventory. */
async function someDevice(signal: AbortSignal): Promise<boolean> {
  const devices = await ask(v.array(v.unknown()), "/inventory/device?limit=1", { signal }).catch(() => []);
  return devices.length > 0;
}

interface RunFormProps {
  readonly form: DriverForm;
  /** For a dry run: it is a push now, which is asked about at once. */
  readonly typed?: ReadonlyMap<string, string> | undefined;
}

function RunForm({ form, typed }: RunFormProps) {
  const { error, working, doing, submits } = useDoing();
  const [asking, setAsking] = useState<Operation>();
  const [pushes, setPushes] = useState(typed !== undefined);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (typed === undefined || element.current === null) return;
    fill(element.current, typed);
    element.current.requestSubmit();
  }, []);
  const send = async (operation: Operation, fields: ReadonlyMap<string, string>) => {
    setAsking(undefined);
    const { path, body, many, dryRun } = operation;
    const keep = (id: string) => dryRun && keepTyped({ id, driver: form.driver, fields });
    if (many) {
      const newBulk = await ask(bulkAnswer, path, { method: "POST", body });
      keep(newBulk.bulk_id);
      location.hash = to(["bulk", newBulk.bulk_id]);
    } else {
      const newJob = await ask(ticket, path, { method: "POST", body });
      keep(newJob.id);
      location.hash = to(["job", newJob.id]);
    }
  };
  const makeChange = (pushed: HTMLFormElement | null) => {
    if (pushed === null || !pushed.reportValidity()) return;
    void doing(() => {
      // What the selector matches is found by the plan.
      const data = new FormData(pushed);
      carryPush(operationOf(form, data, data.get("select") === "" ? 0 : 1).body);
    });
  };
  const submit = submits(async (data) => {
    const operation = operationOf(form, data, await countOf(String(data.get("select") ?? "")));
    if (operation.changes) setAsking(operation);
    else await send(operation, fieldsOf(data));
  });
  return (
    <form ref={element} class="run" onSubmit={submit} autocomplete="off">
      <h2>{text.run.where}</h2>
      <Selected initial={typed?.get("select")} />
      <label>
        {text.run.devices}
        <textarea
          name="hosts"
          rows={3}
          spellcheck={false}
          placeholder={form === inventoryForm ? "sw1\nsw2" : "192.0.2.1\nsw1.lab:2222"}
        />
      </label>
      {form !== inventoryForm && (
        <div class="fields">
          <Credential />
          <Fields of={form.connection.filter(({ main }) => main)} prefix="connection" />
        </div>
      )}
      <details>
        <summary>{form === inventoryForm ? text.run.otherLogin : text.run.moreConnection}</summary>
        <div class="fields">
          {form === inventoryForm && <Credential />}
          <Fields of={form.connection.filter(({ main }) => !main)} prefix="connection" />
        </div>
      </details>
      <h2>{text.run.what}</h2>
      <Work
        saves={savesOf(form)}
        pushed={typed?.get("operation")}
        onKind={(kind) => setPushes(kind !== "command")}
      />
      <div class="fields">
        {!pushes && (
          <label>
            parsing
            <input name="parsing" placeholder="none" />
          </label>
        )}
        <Purpose />
      </div>
      {form !== inventoryForm && (
        <details>
          <summary>{text.run.driverArguments}</summary>
          <div class="fields">
            <Fields of={argumentsOf(form)} prefix="argument" />
          </div>
        </details>
      )}
      {asking ? (
        <Question
          about={asking}
          push={() => void doing(() => send(asking, new Map()))}
          leave={() => setAsking(undefined)}
        />
      ) : (
        <p class="actions">
          <button type="submit" disabled={working}>
            Run
          </button>
          {pushes && (
            <button type="button" class="quiet" onClick={(event) => makeChange(event.currentTarget.form)}>
              {text.run.asChange}
            </button>
          )}
        </p>
      )}
      <Problem error={error} />
    </form>
  );
}

function fieldsOf(data: FormData): Map<string, string> {
  return new Map([...data].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}

/** What is typed in; what is chosen, and shows other fields, was drawn so. */
function fill(form: HTMLFormElement, typed: ReadonlyMap<string, string>): void {
  for (const one of form.elements) {
    const isText =
      one instanceof HTMLTextAreaElement ||
      one instanceof HTMLSelectElement ||
      (one instanceof HTMLInputElement && one.type !== "radio" && one.type !== "checkbox");
    if (isText) one.value = typed.get(one.name) ?? one.value;
    else if (one instanceof HTMLInputElement && one.name === "ansible") one.checked = typed.has(one.name);
  }
}

function Fields({ of, prefix }: { of: readonly FormField[]; prefix: string }) {
  return (
    <>
      {of.map((field) => (
        <Field key={field.name} of={field} prefix={prefix} />
      ))}
    </>
  );
}

function Field({ of, prefix }: { of: FormField; prefix: string }) {
  const id = `${prefix}.${of.name}`;
  return (
    <div>
      <label for={id} title={of.description}>
        {prefix === "argument" ? inWords(of.name) : labelOf(of.name)}
      </label>
      <Control of={of} id={id} />
    </div>
  );
}

function Control({ of: { kind, choices, secret, standard = "" }, id }: { of: FormField; id: string }) {
  const same = { id, name: id };
  if (kind === "boolean")
    return (
      <select {...same}>
        <option value="">{standard === "" ? "" : `${standard} (default)`}</option>
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  if (secret) return <input {...same} type="password" placeholder={standard} autocomplete="new-password" />;
  if (choices === undefined) return <input {...same} placeholder={standard} autocomplete="off" />;
  return (
    <>
      <input {...same} placeholder={standard} autocomplete="off" list={`${id}-choices`} />
      <datalist id={`${id}-choices`}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </>
  );
}

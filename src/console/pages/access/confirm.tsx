/** Confirms the login of a command line: says which machine asks, and sends the browser there, or takes its code. */

import { useState } from "preact/hooks";
import { Action } from "../../parts/action.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Problem } from "../../parts/problem.tsx";
import { When } from "../../parts/when.tsx";
import { ask, isPerson } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { place, to } from "../../route.ts";
import { decidedLogin, waitingLogin } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

/** How the request is named in the API. */
type Named = { readonly request: string } | { readonly user_code: string };

export function ConfirmPage() {
  const request = place.value.query.get("request");
  const [typed, setTyped] = useState<string>();
  return (
    <>
      <h1>{text.confirm.title}</h1>
      {!isPerson() ? (
        <p>{text.confirm.forPersons}</p>
      ) : request !== null ? (
        <Request named={{ request }} again={undefined} />
      ) : typed !== undefined ? (
        <Request named={{ user_code: typed }} again={() => setTyped(undefined)} />
      ) : (
        <Code onTyped={setTyped} />
      )}
    </>
  );
}

function Code({ onTyped }: { onTyped: (code: string) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (form instanceof HTMLFormElement) onTyped(String(new FormData(form).get("code") ?? "").trim());
  };
  return (
    <form class="run" onSubmit={submit} autocomplete="off">
      <label>
        {text.confirm.code}
        <input name="code" required maxLength={20} spellcheck={false} autocapitalize="characters" />
      </label>
      <p class="faint">{text.confirm.codeHint}</p>
      <p>
        <button type="submit">{text.confirm.show}</button>
      </p>
    </form>
  );
}

function Request({ named, again }: { named: Named; again: (() => void) | undefined }) {
  const [ended, setEnded] = useState<"confirmed" | "denied">();
  const { data, error } = useLoad(
    (signal) => ask(waitingLogin, `/person/me/login?${new URLSearchParams(named)}`, { signal }),
    [],
  );
  const decide = (confirm: boolean) => async () => {
    const body = { ...named, confirm };
    const { return_to } = await ask(decidedLogin, "/person/me/login", { method: "POST", body });
    setEnded(confirm ? "confirmed" : "denied");
    // Only to the machine that this browser runs on.
    if (return_to !== null && new URL(return_to).hostname === "127.0.0.1") location.assign(return_to);
  };
  return (
    <>
      <p role="status">{ended && text.confirm.ended[ended]}</p>
      <Problem error={error} />
      {error !== undefined && again && (
        <p>
          <button type="button" onClick={again}>
            {text.confirm.again}
          </button>
        </p>
      )}
      {data && ended === undefined && (
        <>
          <p>{text.confirm.asks}</p>
          <Facts
            of={[
              [text.confirm.machine, data.machine],
              [text.confirm.address, data.address ?? "a socket of the service's machine"],
              [
                text.confirm.command,
                <>
                  <code>patchbay login</code>
                  {data.port === null ? "" : ` (${text.confirm.here})`}
                </>,
              ],
              [text.confirm.since, <When key="since" at={data.asked_at} />],
              [text.confirm.gets, text.confirm.key(data.key_days)],
            ]}
          />
          <p class="warning" role="note">
            <strong>{text.confirm.never}</strong>
          </p>
          <p>
            <Action label={text.confirm.yes} act={decide(true)} />{" "}
            <Action label={text.confirm.no} act={decide(false)} />
          </p>
          <p>
            <a href={to(["my-keys"])}>{text.nav.myKeys}</a>
          </p>
        </>
      )}
    </>
  );
}

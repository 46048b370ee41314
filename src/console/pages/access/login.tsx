/** Signs in: by a provider, or with an API key, which is exchanged for a session and not stored. */
import { useRef } from "preact/hooks";
import { Problem } from "../../parts/problem.tsx";
import { login, ways } from "../../reading/api.ts";
import { useDoing } from "../../reading/doing.ts";
import { useLoad } from "../../reading/load.ts";
import { text } from "../../text/text.ts";

export function Login() {
  const { data, error } = useLoad(ways, []);
  const providers = data?.providers ?? [];
  return (
    <main class="login">
      <h1>{text.name}</h1>
      {providers.map((name) => (
        <a key={name} class="button" href={signInAt(name)}>
          {text.login.by(name)}
        </a>
      ))}
      {data?.key === true && providers.length > 0 && <p class="faint">{text.login.or}</p>}
      {/* Also if nobody knows: the answer to the key says more. */}
      {(data?.key === true || error !== undefined) && <WithKey alone={providers.length === 0} />}
      {data?.key === false && (
        <details>
          <summary>{text.login.emergency}</summary>
          <WithKey alone={false} />
        </details>
      )}
    </main>
  );
}

/** The place that was asked for is shown afterwards. */
function signInAt(name: string): string {
  const back = location.hash.startsWith("#/") ? `?return=${encodeURIComponent(`/${location.hash}`)}` : "";
  return `/login/${encodeURIComponent(name)}${back}`;
}

/** @param props.alone the only way in */
function WithKey({ alone }: { alone: boolean }) {
  const { error, working, submits } = useDoing();
  const form = useRef<HTMLFormElement>(null);
  const submit = submits((said) =>
    login(String(said.get("key") ?? "").trim()).finally(() => form.current?.reset()),
  );
  return (
    <form ref={form} onSubmit={submit}>
      <label for="key">{text.login.key}</label>
      <input id="key" name="key" type="password" autocomplete="off" required />
      <button type="submit" class={alone ? undefined : "quiet"} disabled={working}>
        {text.login.submit}
      </button>
      <Problem error={error} />
      <p class="faint">{text.login.hint}</p>
      <p class="faint">
        {text.login.firstKey} <code>{text.login.addKey}</code>
      </p>
    </form>
  );
}

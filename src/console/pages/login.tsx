/** Exchanges the API key for a session; the key is not stored. */
import { useState } from "preact/hooks";
import { login } from "../api.ts";
import { Problem } from "../parts/problem.tsx";
import { text } from "../text.ts";

export function Login() {
  const [error, setError] = useState<unknown>();
  const [working, setWorking] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const key = String(new FormData(form).get("key") ?? "").trim();
    setWorking(true);
    setError(undefined);
    try {
      await login(key);
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
      form.reset();
    }
  };
  return (
    <main class="login">
      <h1>{text.name}</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label for="key">{text.login.key}</label>
        <input id="key" name="key" type="password" autocomplete="off" required />
        <button type="submit" disabled={working}>
          {text.login.submit}
        </button>
        <Problem error={error} />
        <p class="faint">{text.login.hint}</p>
        <p class="faint">
          {text.login.firstKey} <code>{text.login.addKey}</code>
        </p>
      </form>
    </main>
  );
}

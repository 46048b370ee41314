/** Submits a schedule form, as a preview or to save it. */
import { useState } from "preact/hooks";
import { ask } from "../../reading/api.ts";
import { preview } from "../../shapes/schedules.ts";

interface ScheduleSending<B extends object> {
  /** @throws Error the form is invalid */
  body(form: FormData): B;
  /** The body for a preview. */
  whole(body: B): object;
  keep(body: B): Promise<void>;
}

/** The button with the value `keep` saves; any other one requests a preview. */
export function useScheduleSending<B extends object>({ body, whole, keep }: ScheduleSending<B>) {
  const [next, setNext] = useState<readonly string[]>();
  const [error, setError] = useState<unknown>();
  const [working, setWorking] = useState(false);
  const send = async (form: HTMLFormElement, keeps: boolean) => {
    setError(undefined);
    setWorking(true);
    try {
      const sent = body(new FormData(form));
      if (keeps) await keep(sent);
      else setNext((await ask(preview, "/schedule/preview", { method: "POST", body: whole(sent) })).next);
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
    void send(event.currentTarget, event.submitter?.getAttribute("value") === "keep");
  };
  return { next, error, working, submit, changed: () => setNext(undefined) };
}

/** A form of a schedule as it is sent: looked at first, when it would fire, or kept. */
import { useState } from "preact/hooks";
import { ask } from "../api.ts";
import { preview } from "../shapes-schedules.ts";

interface ScheduleSending<B extends object> {
  /** @throws Error what the form holds is none */
  body(form: FormData): B;
  /** What a preview is asked for. */
  whole(body: B): object;
  keep(body: B): Promise<void>;
}

/** The button whose value is `keep` keeps it, any other one asks for the preview. */
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

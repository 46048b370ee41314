/** Submits a schedule form, as a preview or to save it. */
import { useState } from "preact/hooks";
import { ask } from "../../reading/api.ts";
import { useDoing } from "../../reading/doing.ts";
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
  const { error, working, submits } = useDoing();
  const submit = submits(async (said, by) => {
    setNext(undefined);
    const sent = body(said);
    if (by === "keep") await keep(sent);
    else setNext((await ask(preview, "/schedule/preview", { method: "POST", body: whole(sent) })).next);
  });
  return { next, error, working, submit, changed: () => setNext(undefined) };
}

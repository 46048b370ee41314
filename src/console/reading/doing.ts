/** What is asked of the service: whether it is on its way, and what was wrong with it. */
import { useState } from "preact/hooks";

export function useDoing() {
  const [error, setError] = useState<unknown>();
  const [working, setWorking] = useState(false);
  const doing = async (work: () => unknown): Promise<void> => {
    setError(undefined);
    setWorking(true);
    try {
      await work();
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };
  /** What was wrong is about something that is not there any more. */
  const forget = () => setError(undefined);
  /** @param send gets what the form says, and the value of the button that sends it */
  const submits =
    (send: (said: FormData, by: string | null | undefined) => unknown) => (event: SubmitEvent) => {
      event.preventDefault();
      const form = event.currentTarget;
      const by = event.submitter?.getAttribute("value");
      if (form instanceof HTMLFormElement) void doing(() => send(new FormData(form), by));
    };
  return { error, working, doing, forget, submits };
}
